//! Overviews of hand-made meta graphs.

use ckdiff::artifact::{Document, Form};
use ckdiff::overview::{Contents, MetaGraph, Overview};
use ckdiff::report::{Format, Report, ReportOptions, write};

use crate::support::encoding::{bytes, int};
use crate::support::message_forms::document;

/// A `MetaGraphDef` with this object graph.
pub fn with_objects(objects: &[u8]) -> Vec<u8> {
    [bytes(1, &bytes(5, b"2.21.0")), bytes(7, objects)].concat()
}

/// The overview of a `MetaGraphDef`, as text for a terminal of 100 columns and as JSON.
pub fn shown(meta_graph: &[u8], check: impl FnOnce(&MetaGraph)) -> [String; 2] {
    let document = document("tensorflow.MetaGraphDef", Form::Binary, meta_graph);
    let overview = Overview::new(&document).unwrap();
    let Contents::MetaGraphs(graphs) = &overview.contents else { panic!("not a meta graph") };
    check(&graphs[0]);
    let (mut text, mut report) = (Vec::new(), Vec::new());
    let options = ReportOptions { columns: Some(100), ..ReportOptions::default() };
    write(&Report::Overview(&overview), Format::HUMAN, &options, &mut text).unwrap();
    write(&Report::Overview(&overview), Format::JSON, &options, &mut report).unwrap();
    [text, report].map(|bytes| String::from_utf8(bytes).unwrap())
}

/// The overview of a `MetaGraphDef` as text, with at most `max_diffs` items of each list.
pub fn meta_graph_overview(meta_graph: &[u8], max_diffs: usize) -> String {
    human_overview(&document("tensorflow.MetaGraphDef", Form::Binary, meta_graph), max_diffs)
}

/// The overview of a message as text, with at most `max_diffs` items of each list.
pub fn human_overview(document: &Document<'_>, max_diffs: usize) -> String {
    let mut text = Vec::new();
    let options = ReportOptions { max_rows: max_diffs, ..ReportOptions::default() };
    let overview = Overview::new(document).unwrap();
    write(&Report::Overview(&overview), Format::HUMAN, &options, &mut text).unwrap();
    String::from_utf8(text).unwrap()
}

/// A `SavedObjectGraph` whose root has these functions, each with the names of its concrete functions; then the concrete
/// functions, each with its argument.
pub fn objects(functions: &[(&str, &[&str])], concrete: &[(&str, Vec<u8>)]) -> Vec<u8> {
    let child = |at: i64, name: &str| bytes(1, &[int(1, at), bytes(2, name.as_bytes())].concat());
    let children = functions.iter().zip(1..).map(|((name, _), at)| child(at, name));
    let root: Vec<u8> = children.flatten().collect();
    let mut graph = bytes(1, &[root, bytes(4, b"")].concat());
    for (_, names) in functions {
        let names: Vec<u8> = names.iter().flat_map(|name| bytes(1, name.as_bytes())).collect();
        graph.extend(bytes(1, &bytes(6, &names)));
    }
    for (name, takes) in concrete {
        let function = bytes(3, &arguments(takes));
        graph.extend(bytes(2, &[bytes(1, name.as_bytes()), bytes(2, &function)].concat()));
    }
    graph
}

/// A `canonicalized_input_signature` with one argument.
pub fn arguments(value: &[u8]) -> Vec<u8> {
    let tuple = |items: &[u8]| bytes(52, items);
    tuple(&[bytes(1, &tuple(&bytes(1, value))), bytes(1, &bytes(53, b""))].concat())
}

/// A map entry with a string key.
pub fn entry(key: &str, value: &[u8]) -> Vec<u8> {
    [bytes(1, key.as_bytes()), bytes(2, value)].concat()
}
