//! Pairs of models: those exported by TensorFlow, and meta graphs in memory.

use std::path::PathBuf;

use ckdiff::artifact::{Artifact, Form};
use ckdiff::diff::{self, Change, Detail, Diff, Verdict, Weight};
use ckdiff::progress::Silent;
use ckdiff::schema::tensorflow::MetaGraphDef;
use prost::Message as _;

use crate::support::message_forms::document;

/// The names of the pairs in `tests/data/pairs`.
pub(crate) fn names() -> Vec<String> {
    crate::support::cases("pairs.json", 176).into_iter().map(|(name, _)| name).collect()
}

/// The file or directory of one side, `lhs` or `rhs`, of a pair in `tests/data/pairs`.
pub(crate) fn side(name: &str, side: &str) -> PathBuf {
    let directory = PathBuf::from("tests/data/pairs").join(name);
    let named = |path: &PathBuf| path.file_stem().is_some_and(|stem| stem == side);
    let mut files = std::fs::read_dir(directory).unwrap().map(|entry| entry.unwrap().path());
    files.find(named).unwrap()
}

/// The pairs in `tests/data/pairs` and `tests/data/edits`, and those of the checkpoints of `tests/data/layer_lists` with the first: a
/// name, and the paths of both sides.
pub(crate) fn every_pair() -> Vec<(String, [PathBuf; 2])> {
    let entries = |directory: &str| -> Vec<PathBuf> {
        let entries = std::fs::read_dir(directory).unwrap();
        let mut paths: Vec<_> = entries.map(|entry| entry.unwrap().path()).collect();
        paths.sort();
        paths
    };
    let of_pairs = names().into_iter().map(|name| {
        let sides = ["lhs", "rhs"].map(|of| side(&name, of));
        (name, sides)
    });
    let of_edits = entries("tests/data/edits").into_iter().map(|directory| {
        let [lhs, rhs] = entries(directory.to_str().unwrap()).try_into().unwrap();
        (directory.display().to_string(), [lhs, rhs])
    });
    let lists = entries("tests/data/layer_lists").into_iter();
    let lists = lists.filter(|path| path.extension().is_some_and(|end| end == "index"));
    let of_lists = lists.map(|path| {
        let prefix = path.with_extension("");
        (prefix.display().to_string(), ["tests/data/layer_lists/base".into(), prefix])
    });
    of_pairs.chain(of_edits).chain(of_lists).collect()
}

/// Opens the bytes of a meta graph.
pub(crate) fn artifact(bytes: &[u8], form: Form) -> Artifact<'static> {
    document("tensorflow.MetaGraphDef", form, bytes).into()
}

/// A meta graph with one node per line as `NAME = OP(INPUTS) REST`; `attrs` writes the attributes that the rest of a line stands for.
pub(crate) fn of_lines(nodes: &str, attrs: impl Fn(&str) -> String) -> Artifact<'static> {
    let node = |line: &str| {
        let (name, rest) = line.split_once(" = ").unwrap();
        let (op, rest) = rest.split_once('(').unwrap();
        let (inputs, rest) = rest.split_once(')').unwrap();
        let inputs = inputs.split(", ").filter(|input| !input.is_empty());
        let inputs: String = inputs.map(|input| format!(" input: {input:?}")).collect();
        format!("node {{ name: {name:?} op: {op:?}{inputs}{} }}\n", attrs(rest))
    };
    let text = format!("graph_def {{ {} }}", nodes.lines().map(node).collect::<String>());
    artifact(text.as_bytes(), Form::Text)
}

/// An attribute in text, with its value.
pub(crate) fn attr(key: &str, value: &str) -> String {
    format!(" attr {{ key: {key:?} value {{ {value} }} }}")
}

pub(crate) fn compared(lhs: &Artifact, rhs: &Artifact) -> Diff {
    let diff = diff::diff(lhs, rhs, &diff::DiffOptions::default(), &Silent).unwrap();
    let is_different = diff.changes.iter().any(|change| change.weight == Weight::Semantic);
    let verdict = if is_different { Verdict::Different } else { Verdict::Same };
    assert_eq!(diff.verdict(), verdict);
    diff
}

pub(crate) fn opened(graph: &MetaGraphDef) -> Artifact<'static> {
    artifact(&graph.encode_to_vec(), Form::Binary)
}

pub(crate) fn pair(lhs: &MetaGraphDef, rhs: &MetaGraphDef) -> Diff {
    compared(&opened(lhs), &opened(rhs))
}

pub(crate) fn semantic(diff: &Diff) -> Vec<&Change> {
    diff.changes.iter().filter(|change| change.weight == Weight::Semantic).collect()
}

/// The changes, one line each.
pub(crate) fn lines(diff: &Diff) -> String {
    let line = |change: &Change| {
        let text = |text: &Option<String>| text.as_deref().unwrap_or("-").to_owned();
        let nodes = match &change.detail {
            Detail::Nodes(nodes) => format!(" [{}]", nodes.names.len()),
            _ => String::new(),
        };
        let (weight, kind) = (change.weight.name(), change.kind.name());
        format!(
            "{weight} {kind} {}: {} | {}{nodes}\n",
            change.path,
            text(&change.lhs),
            text(&change.rhs)
        )
    };
    diff.changes.iter().map(line).collect()
}

/// All texts of a change.
pub(crate) fn words(change: &Change) -> String {
    let (lhs, rhs) = (change.lhs.as_deref(), change.rhs.as_deref());
    let mut words = [&*change.path.to_string(), lhs.unwrap_or(""), rhs.unwrap_or("")].join(" ");
    if let Detail::Nodes(nodes) = &change.detail {
        words += &nodes.names.join(" ");
        nodes.boundary.iter().for_each(|rewired| words += &rewired.path.to_string());
    }
    words
}
