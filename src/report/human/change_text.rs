//! The text of a change: its path, its old and its new value.

use crate::diff::{Change, ChangeKind, Detail, Path, Step, Weight};

use super::number;
use super::terminal_text::{plural, printable};

/// Fields on the path to a node or a function, which are not shown.
const GRAPH: [&str; 4] = ["graph_def", "library", "meta_graphs", "meta_info_def"];

/// The short path of a change: `dense/MatMul.transpose_b`, `signature_def["serving_default"].method_name`.
pub(super) fn subject(change: &Change) -> String {
    short_path(&change.path)
}

/// A path without the fields that lead to every node or function.
pub(super) fn short_path(path: &Path) -> String {
    let steps = path.steps();
    let in_function = path.key_in("function").is_some();
    let mut text = String::new();
    let mut steps = steps.iter().peekable();
    while let Some(step) = steps.next() {
        match step {
            Step::Field(name) => match (&**name, steps.peek()) {
                // The fields of the only graph.
                (field, Some(Step::Field(_))) if GRAPH.contains(&field) && text.is_empty() => {}
                ("meta_graphs", Some(Step::Key(tags))) => {
                    text += &format!("[{}]", printable(tags));
                    steps.next();
                    while steps.next_if(|step| is_graph(step)).is_some() {}
                }
                ("node" | "node_def" | "function", Some(Step::Key(key))) => {
                    if !text.is_empty() {
                        text.push_str(if in_function { ": " } else { " " });
                    }
                    text += &printable(key);
                    steps.next();
                }
                ("collection_def", Some(Step::Key(key))) => {
                    push_field(&mut text, &printable(key));
                    steps.next();
                }
                // The fields between a collection and its items.
                (
                    "bytes_list" | "node_list" | "any_list" | "int64_list" | "float_list" | "value",
                    Some(_),
                ) if path.key_in("collection_def").is_some() => {}
                ("attr", Some(Step::Key(key))) => {
                    push_field(&mut text, &printable(key));
                    steps.next();
                    // The attribute is the tensor.
                    steps.next_if(|step| matches!(step, Step::Field(name) if &**name == "tensor"));
                }
                (name, _) => push_field(&mut text, name),
            },
            Step::Index(index) => text += &format!("[{index}]"),
            Step::Key(key) => text += &format!("[{:?}]", printable(key)),
        }
    }
    text
}

fn is_graph(step: &Step) -> bool {
    matches!(step, Step::Field(name) if GRAPH.contains(&&**name))
}

fn push_field(text: &mut String, name: &str) {
    match text.chars().last() {
        None => {}
        Some(']') if text.starts_with('[') && text.matches(']').count() == 1 => text.push(' '),
        _ => text.push('.'),
    }
    text.push_str(name);
}

/// The scope of the node that changed, with its slash, or the function that it is in; empty for other changes.
pub(super) fn scope(change: &Change) -> String {
    if change.path.key_in("function").is_some() {
        return change
            .path
            .key_in("function")
            .map(|name| format!("{}: ", printable(name)))
            .unwrap_or_default();
    }
    let name = change.path.key_in("node").unwrap_or_default();
    name.rsplit_once('/').map(|(scope, _)| printable(&format!("{scope}/"))).unwrap_or_default()
}

/// The key that sorts changes: by scope, then by kind, then by path.
pub(super) fn order(change: &Change) -> (String, u8, String) {
    let kind = match change.kind {
        ChangeKind::Removed => 0,
        ChangeKind::Added => 1,
        ChangeKind::Renamed => 2,
        ChangeKind::Modified => 3,
    };
    (scope(change), kind, change.path.to_string())
}

/// The old and the new value.
pub(super) fn text(change: &Change) -> String {
    let sides = sides(change.lhs.as_deref(), change.rhs.as_deref());
    match &change.detail {
        Detail::Tensor(comparison) if comparison.elements > 1 => {
            let changed = number::count(comparison.mismatched);
            let elements = number::count(comparison.elements);
            let moved =
                comparison.rel_l2.map(|moved| format!(", rel l2 {}", number::percent(moved)));
            format!("{changed} of {elements}{}  {sides}", moved.unwrap_or_default())
        }
        Detail::Nodes(nodes) => {
            let count = plural(nodes.names.len() as u64, "node");
            match change.kind {
                ChangeKind::Renamed => format!("renamed  {sides}, {count}"),
                kind => format!("{}  {count}", kind.name()),
            }
        }
        _ => match change.kind {
            ChangeKind::Renamed => format!("renamed  {sides}"),
            _ => sides,
        },
    }
}

/// `lhs → rhs`; with only one side, `added rhs` or `removed lhs`.
pub(super) fn sides(lhs: Option<&str>, rhs: Option<&str>) -> String {
    match (lhs, rhs) {
        (Some(lhs), Some(rhs)) => {
            let (lhs, rhs) = apart(lhs, rhs);
            format!("{} → {}", printable(&lhs), printable(&rhs))
        }
        (Some(lhs), None) => format!("removed  {}", printable(lhs)),
        (None, Some(rhs)) => format!("added  {}", printable(rhs)),
        (None, None) => String::new(),
    }
}

/// Common characters at an end of two values above which they are abridged.
const COMMON: usize = 12;

/// Two long values without most of their common start and end.
fn apart(lhs: &str, rhs: &str) -> (String, String) {
    if lhs.len() + rhs.len() < 4 * COMMON {
        return (lhs.to_owned(), rhs.to_owned());
    }
    let start = lhs.chars().zip(rhs.chars()).take_while(|(a, b)| a == b).count();
    let shorter = lhs.chars().count().min(rhs.chars().count());
    let end = lhs.chars().rev().zip(rhs.chars().rev()).take_while(|(a, b)| a == b).count();
    let end = end.min(shorter - start);
    let (skip, stop) = (start.saturating_sub(COMMON / 2), end.saturating_sub(COMMON / 2));
    let middle = |text: &str| {
        let kept = text.chars().count() - skip - stop;
        let head = if skip > 0 { "…" } else { "" };
        let tail = if stop > 0 { "…" } else { "" };
        let text: String = text.chars().skip(skip).take(kept).collect();
        format!("{head}{text}{tail}")
    };
    (middle(lhs), middle(rhs))
}

/// The kind of a cosmetic change, for one change and for several.
pub(super) fn cosmetic_kind(change: &Change) -> [&'static str; 2] {
    debug_assert_eq!(change.weight, Weight::Cosmetic);
    let steps = change.path.steps();
    let field = |name: &str| {
        steps.iter().any(|step| matches!(step, Step::Field(field) if &**field == name))
    };
    match steps.as_slice() {
        _ if change.kind == ChangeKind::Renamed => ["renumbered name", "renumbered names"],
        [.., Step::Field(last)] if &**last == "node" || &**last == "node_def" => {
            ["order of nodes"; 2]
        }
        _ if field("input") => ["notation and order of inputs"; 2],
        _ if field("tensor") => ["encoding of a tensor", "encodings of tensors"],
        _ if field("stripped_op_list") => ["op definition", "op definitions"],
        [.., Step::Field(attr), Step::Key(name)] if &**attr == "attr" && name.starts_with('_') => {
            ["internal attribute", "internal attributes"]
        }
        _ if field("attr") => ["default attribute", "default attributes"],
        _ if field("experimental_debug_info") => ["debug info"; 2],
        _ if field("versions") || field("meta_info_def") || field("version") => {
            ["version", "versions"]
        }
        _ => ["other", "others"],
    }
}
