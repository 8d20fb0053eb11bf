//! Pictures of graphs.

mod command;
mod graphviz;
mod hostile;
mod laws;
mod page;
mod terminal;

use std::path::PathBuf;

use ckdiff::artifact::{Document, Form};
use ckdiff::overview::Overview;
use ckdiff::picture::Picture;
use ckdiff::report::{Format, Report, ReportOptions, write};

use crate::support::encoding::bytes;
use crate::support::message_forms::document;

/// A node: name, op, inputs.
type Node<'n> = (&'n str, &'n str, &'n [&'n str]);

fn node((name, op, inputs): Node<'_>) -> Vec<u8> {
    let inputs = inputs.iter().flat_map(|input| bytes(3, input.as_bytes()));
    let content = [bytes(1, name.as_bytes()), bytes(2, op.as_bytes()), inputs.collect()].concat();
    bytes(1, &content)
}

/// A graph of these nodes.
fn graph(nodes: &[Node<'_>]) -> Document<'static> {
    let nodes: Vec<u8> = nodes.iter().flat_map(|of| node(*of)).collect();
    document("tensorflow.GraphDef", Form::Binary, &nodes)
}

/// The picture of a document in a format.
fn drawn(document: &Document<'_>, format: Format, depth: Option<usize>) -> String {
    let (overview, picture) = (Overview::new(document).unwrap(), Picture::new(document).unwrap());
    let options = ReportOptions { depth, ..ReportOptions::default() };
    let mut out = Vec::new();
    write(&Report::Picture(&overview, &picture), format, &options, &mut out).unwrap();
    String::from_utf8(out).unwrap()
}

/// The files of the corpus that have graphs.
fn files() -> Vec<PathBuf> {
    let in_directory = |directory: &str| {
        let entries = std::fs::read_dir(format!("tests/data/{directory}")).unwrap();
        entries.map(|entry| entry.unwrap().path()).collect::<Vec<_>>()
    };
    let graphs = in_directory("graphs").into_iter();
    let is_graph = |path: &PathBuf| {
        let name = path.file_name().unwrap().to_str().unwrap();
        path.extension().is_some_and(|extension| extension == "meta")
            || ["constants.pb", "frozen.pb", "empty_graph.pb", "function_library.pb"]
                .contains(&name)
    };
    let models = in_directory("saved_models").into_iter().chain(in_directory("callables"));
    let model = models.map(|model| model.join("saved_model.pb")).filter(|path| path.exists());
    let mut files: Vec<_> = graphs.filter(is_graph).chain(model).collect();
    files.sort();
    assert!(files.len() > 20, "{files:?}");
    files
}
