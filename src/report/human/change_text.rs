//! The text of a change: its path, its old and its new value.

use std::borrow::Cow;
use std::cmp::Ordering;

use crate::diff::{
    Change, ChangeKind, Detail, KerasLayer, ObjectGroup, Path, ReportedChange, Step, Weight,
};

use super::apart::apart;
use super::terminal_text::{self, plural, printable, short_of};
use super::{node_group, number};

/// Fields on the path to a node or a function, which are not shown.
const GRAPH: [&str; 4] = ["graph_def", "library", "meta_graphs", "meta_info_def"];

/// The short path of a change: `dense/MatMul.transpose_b`, `signature_def["serving_default"].method_name`.
pub(in crate::report) fn subject(change: &Change) -> String {
    terminal_text::short_path(&titled(change)).into_owned()
}

/// A path without the fields that lead to every node or function, and without its middle if it is very long.
pub(in crate::report) fn short_path(path: &Path) -> String {
    terminal_text::short_path(&readable(path)).into_owned()
}

/// The rest of the short path of a change behind the text of its scope; `None` if the path does not start with it.
pub(in crate::report) fn subject_in(change: &Change, scope: &str) -> Option<String> {
    let text = titled(change);
    text.strip_prefix(scope).map(|rest| terminal_text::short_path(rest).into_owned())
}

/// The readable path of a change; for nodes that came or went together, with the title of their group.
fn titled(change: &Change) -> String {
    let text = readable(&change.path);
    let title = match (&change.detail, node(change)) {
        (Detail::Nodes(nodes), Some(first)) if change.kind != ChangeKind::Renamed => {
            let start = text.strip_suffix(&in_scope(first));
            start
                .zip(node_group::title(nodes, first))
                .map(|(start, title)| start.to_owned() + &title)
        }
        _ => None,
    };
    title.unwrap_or(text)
}

/// The node or the group of nodes that has a change.
pub(super) fn node(change: &Change) -> Option<&str> {
    change.path.key_in("node_def").or_else(|| change.path.key_in("node"))
}

/// A path without the fields that lead to every node or function. Keys are shortened, so that thousands of changes in one node cannot
/// repeat a name of megabytes.
fn readable(path: &Path) -> String {
    let steps = path.steps();
    let in_function = path.key_in("function").is_some();
    let in_collection = path.key_in("collection_def").is_some();
    let mut text = String::new();
    let mut steps = steps.iter().peekable();
    while let Some(step) = steps.next() {
        match step {
            Step::Field(name) => match (&**name, steps.peek()) {
                // The fields of the only graph.
                (field, Some(Step::Field(_))) if GRAPH.contains(&field) && text.is_empty() => {}
                ("meta_graphs", Some(Step::Key(tags))) => {
                    text += &format!("[{}]", short(tags));
                    steps.next();
                    while steps.next_if(|step| is_graph(step)).is_some() {}
                }
                ("function", Some(Step::Key(key))) => {
                    if !text.is_empty() {
                        text.push(' ');
                    }
                    text += &function_name(key);
                    steps.next();
                }
                ("node" | "node_def", Some(Step::Key(key))) => {
                    if !text.is_empty() {
                        text.push_str(if in_function { ": " } else { " " });
                    }
                    text += &in_scope(key);
                    steps.next();
                }
                ("collection_def", Some(Step::Key(key))) => {
                    push_field(&mut text, &short(key));
                    steps.next();
                }
                // The fields between a collection and its items.
                (
                    "bytes_list" | "node_list" | "any_list" | "int64_list" | "float_list" | "value",
                    Some(_),
                ) if in_collection => {}
                ("attr", Some(Step::Key(key))) => {
                    push_field(&mut text, &short(key));
                    steps.next();
                    // The attribute is the tensor.
                    steps.next_if(|step| matches!(step, Step::Field(name) if &**name == "tensor"));
                }
                (name, _) => push_field(&mut text, name),
            },
            Step::Index(index) => text += &format!("[{index}]"),
            Step::Key(key) => text += &format!("[{:?}]", short(key)),
        }
    }
    text
}

/// A name as a report shows it.
fn short(name: &str) -> String {
    printable(&short_of(name))
}

/// The name of a node or function, which starts with the text of its scope even where either is shortened.
fn in_scope(name: &str) -> String {
    match name.rfind('/').and_then(|slash| name.split_at_checked(slash + 1)) {
        Some((scope, rest)) => short(scope) + &short(rest),
        None => short(name),
    }
}

/// The name of a function as a report shows it.
fn function_name(name: &str) -> String {
    in_scope(without_prefix(name))
}

/// The name of a function without the prefix that TensorFlow gives all that it traces.
pub(super) fn without_prefix(name: &str) -> &str {
    name.strip_prefix("__inference_").filter(|rest| !rest.is_empty()).unwrap_or(name)
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

/// What several changes can have in common.
#[derive(Debug, Clone, Copy)]
pub(in crate::report) struct Scope<'a> {
    /// The tags of the meta graph of a SavedModel.
    tags: Option<&'a str>,
    /// The scope of a node, with its slash, or the name of a function; empty for other changes.
    name: &'a str,
    is_function: bool,
}

impl<'a> Scope<'a> {
    /// The scope of the node that changed, or the function that it is in.
    pub(in crate::report) fn of(change: &'a Change) -> Self {
        let tags = change.path.key_in("meta_graphs");
        if let Some(name) = change.path.key_in("function") {
            return Self { tags, name, is_function: true };
        }
        let node = change.path.key_in("node").unwrap_or_default();
        let scope = node.rfind('/').and_then(|slash| node.get(..=slash));
        Self { tags, name: scope.unwrap_or_default(), is_function: false }
    }

    /// What the short paths of the changes start with.
    pub(in crate::report) fn text(self) -> String {
        let name = match self.is_function {
            true => function_name(self.name) + ": ",
            false => short(self.name),
        };
        match self.tags.filter(|_| !name.is_empty()) {
            Some(tags) => format!("[{}] {name}", short(tags)),
            None => name,
        }
    }
}

impl PartialEq for Scope<'_> {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other) == Ordering::Equal
    }
}

impl Eq for Scope<'_> {}

impl PartialOrd for Scope<'_> {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Scope<'_> {
    fn cmp(&self, other: &Self) -> Ordering {
        // Changes of one node share its name, whatever its length.
        let is_same = std::ptr::eq(self.name, other.name);
        let names = if is_same { Ordering::Equal } else { self.name.cmp(other.name) };
        names
            .then(self.is_function.cmp(&other.is_function))
            .then_with(|| self.tags.cmp(&other.tags))
    }
}

/// The key that sorts changes: by scope, then by kind, then by path. It has no text of its own, since thousands of changes can have
/// long paths.
pub(in crate::report) fn order(change: &Change) -> (Scope<'_>, u8, &Path) {
    let kind = match change.kind {
        ChangeKind::Removed => 0,
        ChangeKind::Added => 1,
        ChangeKind::Renamed => 2,
        ChangeKind::Modified => 3,
    };
    (Scope::of(change), kind, &change.path)
}

/// Sorts changes by [`order`].
pub(in crate::report) fn sort(changes: &mut [ReportedChange<'_>]) {
    let mut keyed: Vec<_> =
        changes.iter().map(|&reported| (order(reported.change), reported)).collect();
    keyed.sort_by_key(|&(order, _)| order);
    for (place, (_, reported)) in changes.iter_mut().zip(keyed) {
        *place = reported;
    }
}

/// The old and the new value.
pub(in crate::report) fn text(change: &Change) -> String {
    let sides = sides(change.lhs.as_deref(), change.rhs.as_deref());
    match &change.detail {
        Detail::Tensor(comparison) if comparison.elements > 1 => {
            let changed = number::count(comparison.mismatched);
            let elements = number::count(comparison.elements);
            let moved =
                comparison.rel_l2.map(|moved| format!(", rel l2 {}", number::percent(moved)));
            let moved = moved.unwrap_or_default();
            match comparison.max_abs.filter(|_| change.lhs == change.rhs) {
                // The elements that differ are not among the first, which the texts show.
                Some(largest) => {
                    format!("{changed} of {elements}{moved}, max abs {}", number::short(largest))
                }
                None => format!("{changed} of {elements}{moved}  {sides}"),
            }
        }
        Detail::Nodes(nodes) => match change.kind {
            ChangeKind::Renamed => {
                format!("renamed  {}, {}", rename(change), plural(nodes.names.len() as u64, "node"))
            }
            kind => format!("{}  {}", kind.name(), node_group::text(nodes)),
        },
        Detail::Objects(group) => {
            let objects = change.rhs.as_ref().or(change.lhs.as_ref());
            let objects = objects.map(|objects| short(objects)).unwrap_or_default();
            format!("{}  {}", change.kind.name(), object_group(group, &objects))
        }
        _ => match change.kind {
            ChangeKind::Renamed => format!("renamed  {sides}"),
            _ => sides,
        },
    }
}

/// Describes objects that came or went together: `layer dense_1 (Dense): dense_1/bias [32], dense_1/kernel [32, 32]; 16 objects`.
/// `objects` has their number and their kinds, which say nothing more of a layer or of variables.
fn object_group(group: &ObjectGroup, objects: &str) -> String {
    let layer =
        |layer: &KerasLayer| format!("layer {} ({})", short(&layer.name), short(&layer.class));
    let named = [group.layer.as_ref().map(layer), node_group::listed(&group.variables)];
    let named: Vec<String> = named.into_iter().flatten().collect();
    if named.is_empty() {
        return objects.to_owned();
    }
    let count = objects.split_once(':').map_or(objects, |(count, _)| count);
    format!("{}; {count}", named.join(": "))
}

/// The old and the new name of a rename, whole: where two scopes change places, any part of a name may tell them apart.
pub(in crate::report) fn rename(change: &Change) -> String {
    let [lhs, rhs] =
        [&change.lhs, &change.rhs].map(|name| short(name.as_deref().unwrap_or_default()));
    format!("{lhs} → {rhs}")
}

/// `lhs → rhs`; with only one side, `added rhs` or `removed lhs`.
pub(in crate::report) fn sides(lhs: Option<&str>, rhs: Option<&str>) -> String {
    match (lhs, rhs) {
        (Some(lhs), Some(rhs)) => {
            let (lhs, rhs) = apart(&called(lhs), &called(rhs));
            format!("{} → {}", short(&lhs), short(&rhs))
        }
        (Some(lhs), None) => format!("removed  {}", short(&called(lhs))),
        (None, Some(rhs)) => format!("added  {}", short(&called(rhs))),
        (None, None) => String::new(),
    }
}

/// A value; of an attribute that is a function without attributes of its own, the name.
fn called(value: &str) -> Cow<'_, str> {
    let name = value.strip_prefix("func { name: \"").and_then(|rest| rest.strip_suffix("\" }"));
    match name.filter(|name| !name.is_empty() && !name.contains('"')) {
        Some(name) => function_name(name).into(),
        None => value.into(),
    }
}

/// What cosmetic changes below a field are called, one and several. The first field on the path counts.
const COSMETIC: [(&[&str], [&str; 2]); 11] = [
    (&["stripped_op_list"], ["op definition", "op definitions"]),
    (&["keras_metadata"], ["number of an object", "numbers of objects"]),
    (&["tensor"], ["encoding of a tensor", "encodings of tensors"]),
    (&["input"], ["notation and order of inputs"; 2]),
    (&["input_arg", "output_arg"], ["name of an argument", "names of arguments"]),
    (&["attr", "arg_attr"], ["default attribute", "default attributes"]),
    (&["experimental_debug_info", "debug_info"], ["debug info"; 2]),
    (&["versions", "meta_info_def", "version"], ["version", "versions"]),
    (&["full_name"], ["full name of a variable", "full names of variables"]),
    (&["object_graph_def", "object_graph"], ["reference of an object", "references of objects"]),
    (
        &[
            "uuid",
            "saved_model_checksum",
            "checkpoint_hash",
            "graph_def_program_hash",
            "saved_object_graph_hash",
            "signature_def_hash",
        ],
        ["field of the fingerprint", "fields of the fingerprint"],
    ),
];

/// The kind of a cosmetic change, for one change and for several.
pub(super) fn cosmetic_kind(change: &Change) -> [&'static str; 2] {
    debug_assert_eq!(change.weight, Weight::Cosmetic);
    let steps = change.path.steps();
    let field = |name: &str| {
        steps.iter().any(|step| matches!(step, Step::Field(field) if &**field == name))
    };
    let has_both_sides = change.lhs.is_some() && change.rhs.is_some();
    match steps.as_slice() {
        _ if change.kind == ChangeKind::Renamed => ["renumbered name", "renumbered names"],
        [.., Step::Field(last)] if &**last == "node" || &**last == "node_def" => {
            ["order of nodes"; 2]
        }
        [.., Step::Field(last)] if &**last == "library" => ["empty library", "empty libraries"],
        [.., Step::Field(attr), Step::Key(name)] if &**attr == "attr" && name.starts_with('_') => {
            ["internal attribute", "internal attributes"]
        }
        [.., Step::Field(attr), Step::Key(_)] if &**attr == "attr" && has_both_sides => {
            ["random id", "random ids"]
        }
        _ => COSMETIC
            .iter()
            .find(|(fields, _)| fields.iter().any(|name| field(name)))
            .map_or(["other", "others"], |(_, kind)| *kind),
    }
}
