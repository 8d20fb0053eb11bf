//! The tree of scopes: how far the weights in each moved, as a number and as a color.

use std::cmp::Ordering;

use askama::Template;

use super::drift;
use super::rows::percent;
use crate::diff::{Diff, Status, TensorDiff};
use crate::report::human::number;
use crate::report::human::statistics::TOP;
use crate::report::human::terminal_text::short_of;
use crate::summary::{Movement, movement, weights};

/// The most scopes of the tree, and the most components of a name that are scopes.
const MOST: usize = 400;
const DEEPEST: usize = 16;

/// The scopes that are visible without a click.
const VISIBLE: usize = 40;

/// The scopes of the weights.
#[derive(Template)]
#[template(path = "scopes.html", config = "src/report/html/askama.toml")]
pub(super) struct Tree {
    legend: &'static [(&'static str, &'static str)],
    items: Vec<Item>,
    hidden: Option<String>,
}

/// A part of the tree, in the order in which it is written.
enum Item {
    /// A scope with children, and whether it starts expanded.
    Open(Row, bool),
    /// A scope without children.
    Leaf(Row),
    /// Closes the innermost open scope.
    Close,
}

struct Row {
    /// The last components of the name.
    label: String,
    /// The whole name, as a part of a link.
    link: String,
    moved: String,
    counts: String,
    /// The class of the movement.
    class: &'static str,
}

/// A scope.
struct Scope<'a> {
    label: &'a str,
    path: &'a str,
    movement: Movement,
    /// The changes without a movement, in words.
    others: String,
    scopes: Vec<Scope<'a>>,
}

/// A tensor by its name.
type Named<'a> = (&'a str, &'a TensorDiff);

/// Names without a slash have dots, as those of PyTorch.
fn separator(name: &str) -> char {
    if name.contains('/') { '/' } else { '.' }
}

impl Tree {
    /// The tree of the weights; `None` if they share one scope.
    pub(super) fn of(diff: &Diff) -> Option<Self> {
        let weights = weights(diff);
        let names: Vec<String> = weights.iter().map(|tensor| tensor.shown_name()).collect();
        let mut named: Vec<Named<'_>> =
            names.iter().map(String::as_str).zip(weights.iter().copied()).collect();
        named.sort_by(|a, b| a.0.cmp(b.0));
        let counts: Vec<usize> = (1..=DEEPEST).map(|depth| count(&named, 0, depth)).collect();
        let depth = counts.iter().take_while(|&&count| count <= MOST).count().max(1);
        let open = counts.iter().take_while(|&&count| count <= VISIBLE).count();
        let mut scopes = scopes_of(&named, 0, depth);
        if scopes.len() < 2 && scopes.iter().all(|scope| scope.scopes.is_empty()) {
            return None;
        }
        let hidden = scopes.len().saturating_sub(MOST) as u64;
        if hidden > 0 {
            // The furthest are the ones to see.
            let moved = |scope: &Scope<'_>| scope.movement.rel_l2.unwrap_or_default();
            scopes.sort_by(|a, b| moved(b).total_cmp(&moved(a)));
            scopes.truncate(MOST);
        }
        let mut items = Vec::new();
        items_of(&scopes, open, &mut items);
        let hidden = Some(hidden).filter(|&n| n > 0).map(number::count);
        Some(Self { legend: &drift::LEGEND, items, hidden })
    }
}

/// The end of the component of a name that starts at `start`; `None` if that is the name of the tensor in its scope.
fn end_of(name: &str, start: usize) -> Option<usize> {
    let rest = name.get(start..)?;
    // A separator at the start belongs to the first component.
    let skipped = usize::from(rest.starts_with(['/', '.']));
    let at = rest.get(skipped..)?.find(separator(name))?;
    Some(start + skipped + at)
}

/// The runs of tensors with the same component from `start` on, and where it ends.
fn runs<'t, 'a>(
    tensors: &'t [Named<'a>],
    start: usize,
) -> impl Iterator<Item = (Option<usize>, &'t [Named<'a>])> {
    let component = move |of: &Named<'a>| end_of(of.0, start).and_then(|end| of.0.get(start..end));
    let runs = tensors.chunk_by(move |a, b| component(a) == component(b));
    runs.map(move |run| (run.first().and_then(|first| end_of(first.0, start)), run))
}

/// The number of scopes down to a depth.
fn count(tensors: &[Named<'_>], start: usize, depth: usize) -> usize {
    if depth == 0 {
        return 0;
    }
    let below = |(end, run): (Option<usize>, &[Named<'_>])| match end {
        Some(end) => 1 + count(run, end + 1, depth - 1),
        None => 0,
    };
    runs(tensors, start).map(below).sum()
}

/// The scopes from `start` on, down to a depth. A scope that has nothing but another scope is written together with it.
fn scopes_of<'a>(tensors: &[Named<'a>], start: usize, depth: usize) -> Vec<Scope<'a>> {
    if depth == 0 {
        return Vec::new();
    }
    let mut alone = Vec::new();
    let mut scopes = Vec::new();
    for (end, run) in runs(tensors, start) {
        let (Some(end), Some((name, _))) = (end, run.first()) else {
            alone.extend(run.iter().map(|(_, tensor)| *tensor));
            continue;
        };
        let mut below = scopes_of(run, end + 1, depth - 1);
        let mut scope = Scope {
            label: name.get(start..end).unwrap_or_default(),
            path: name.get(..end).unwrap_or_default(),
            movement: movement(run.iter().map(|(_, tensor)| *tensor)),
            others: others(run.iter().map(|(_, tensor)| *tensor)),
            scopes: Vec::new(),
        };
        match below.as_mut_slice() {
            [only] if only.movement.total == scope.movement.total => {
                let end = only.path.len();
                scope.label = name.get(start..end).unwrap_or_default();
                scope.path = only.path;
                scope.scopes = std::mem::take(&mut only.scopes);
            }
            _ => scope.scopes = below,
        }
        scopes.push(scope);
    }
    scopes.sort_by(|a, b| natural(a.label, b.label));
    if start == 0 && !alone.is_empty() {
        let others = others(alone.iter().copied());
        let movement = movement(alone);
        scopes.push(Scope { label: "", path: "", movement, others, scopes: Vec::new() });
    }
    scopes
}

/// How many tensors have a change that is no movement: `, 1 added, 2 of another shape`.
fn others<'a>(tensors: impl Iterator<Item = &'a TensorDiff>) -> String {
    const KINDS: [(Status, &str); 5] = [
        (Status::Added, "added"),
        (Status::Removed, "removed"),
        (Status::Shape, "of another shape"),
        (Status::Dtype, "of another dtype"),
        (Status::Error, "unreadable"),
    ];
    let mut counts = KINDS.map(|(_, what)| (0, what));
    for tensor in tensors {
        for ((count, _), (status, _)) in counts.iter_mut().zip(KINDS) {
            *count += u64::from(tensor.status == status);
        }
    }
    match number::counts(&counts) {
        none if none.is_empty() => none,
        some => format!(", {some}"),
    }
}

/// The order of names in which `layer_2` comes before `layer_10`.
fn natural(a: &str, b: &str) -> Ordering {
    let parts = |text: &str| -> Vec<(String, Option<u128>)> {
        let is_digit = |c: &char| c.is_ascii_digit();
        let chars: Vec<char> = text.chars().collect();
        let runs = chars.chunk_by(|a, b| is_digit(a) == is_digit(b));
        let run = |run: &[char]| {
            let text: String = run.iter().collect();
            let number = text.parse().ok();
            (if number.is_some() { String::new() } else { text }, number)
        };
        runs.map(run).collect()
    };
    parts(a).cmp(&parts(b)).then_with(|| a.cmp(b))
}

/// Adds scopes and those in them; `open` levels are shown.
fn items_of(scopes: &[Scope<'_>], open: usize, items: &mut Vec<Item>) {
    for scope in scopes {
        let row = Row::of(scope);
        if scope.scopes.is_empty() {
            items.push(Item::Leaf(row));
            continue;
        }
        items.push(Item::Open(row, open > 1));
        items_of(&scope.scopes, open.saturating_sub(1), items);
        items.push(Item::Close);
    }
}

impl Row {
    fn of(scope: &Scope<'_>) -> Self {
        let Movement { changed, total, non_finite, rel_l2 } = scope.movement;
        let moved = rel_l2.filter(|&moved| changed > 0 && moved > 0.0).map(percent);
        let mut counts = format!("{} of {} changed", number::count(changed), number::count(total));
        counts += &scope.others;
        if non_finite > 0 {
            counts += &format!(", new NaN or infinity in {}", number::count(non_finite));
        }
        let label = if scope.path.is_empty() { TOP } else { scope.label };
        Self {
            label: short_of(label).into_owned(),
            link: percent_encoded(scope.path),
            moved: moved.unwrap_or_default(),
            counts,
            class: drift::class(&scope.movement),
        }
    }
}

/// A text as a part of the fragment of an address.
fn percent_encoded(text: &str) -> String {
    let mut encoded = String::with_capacity(text.len());
    for byte in text.bytes() {
        match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'/' | b'_' | b'-' | b'.' | b'~' | b':' => {
                encoded.push(char::from(byte));
            }
            other => encoded += &format!("%{other:02X}"),
        }
    }
    encoded
}
