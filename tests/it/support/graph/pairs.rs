//! Two meta graphs compared through the library, and what is said of them.

use std::path::Path;

use ckdiff::artifact::{Artifact, Document, Form, ReadOptions};
use ckdiff::diff::{self, Change, Detail, Diff, Verdict, Weight};
use ckdiff::progress::Silent;
use ckdiff::schema::Schema;
use ckdiff::schema::tensorflow::MetaGraphDef;
use prost_reflect::prost::Message as _;

/// The file of a meta graph, opened.
pub(crate) fn artifact(bytes: &[u8], form: Form) -> Artifact<'static> {
    let options = ReadOptions {
        message: Some("tensorflow.MetaGraphDef".into()),
        form: Some(form),
        ..ReadOptions::default()
    };
    Document::read(bytes, Path::new("a.meta"), Schema::tensorflow(), &options).unwrap().into()
}

pub(crate) fn compared(lhs: &Artifact, rhs: &Artifact) -> Diff {
    let diff = diff::diff(lhs, rhs, &diff::Options::default(), &Silent).unwrap();
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

/// A line per change.
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

/// Everything that a change says.
pub(crate) fn words(change: &Change) -> String {
    let (lhs, rhs) = (change.lhs.as_deref(), change.rhs.as_deref());
    let mut words = [&*change.path.to_string(), lhs.unwrap_or(""), rhs.unwrap_or("")].join(" ");
    if let Detail::Nodes(nodes) = &change.detail {
        words += &nodes.names.join(" ");
        nodes.boundary.iter().for_each(|rewired| words += &rewired.path.to_string());
    }
    words
}
