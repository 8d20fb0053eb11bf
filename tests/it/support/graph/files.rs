//! The graphs written by TensorFlow, from all kinds of files.

use ckdiff::message::Message;
use ckdiff::schema::Schema;

use crate::support::message_forms::{from_text, ty};
use crate::support::oracle;

/// A graph with its op list.
pub(crate) struct GraphFile {
    pub path: String,
    /// A `GraphDef` in canonical form.
    pub graph: Vec<u8>,
    /// An `OpList`; empty if the file has none.
    pub ops: Vec<u8>,
}

/// Every graph of the corpus.
pub(crate) fn graph_files() -> Vec<GraphFile> {
    let oracle = oracle("messages.json");
    let mut found = Vec::new();
    for facts in oracle["messages"].as_array().unwrap() {
        let path = facts["path"].as_str().unwrap().to_owned();
        let bytes = std::fs::read(format!("tests/data/{path}")).unwrap();
        let ty = ty(facts["message"].as_str().unwrap());
        let message = Message::decode(Schema::tensorflow(), ty, bytes).unwrap();
        collect(&path, &message, &mut found);
    }
    let text = std::fs::read("tests/data/saved_models/builder_text/saved_model.pbtxt").unwrap();
    let text = from_text(ty("tensorflow.SavedModel"), &text).unwrap();
    collect("saved_models/builder_text/saved_model.pbtxt", &text, &mut found);
    assert!(found.len() >= 25, "{} graphs", found.len());
    found
}

fn collect(path: &str, message: &Message<'_>, found: &mut Vec<GraphFile>) {
    let path = path.to_owned();
    match &*message.ty().full_name {
        "tensorflow.GraphDef" => {
            found.push(GraphFile { path, graph: message.bytes().to_vec(), ops: Vec::new() });
        }
        "tensorflow.FunctionDefLibrary" => {
            let graph = graph_of_library(message.bytes());
            found.push(GraphFile { path, graph, ops: Vec::new() });
        }
        "tensorflow.MetaGraphDef" => found.push(of_meta_graph(path, message.bytes())),
        "tensorflow.SavedModel" => {
            for meta_graph in fields(message.bytes(), 2) {
                found.push(of_meta_graph(path.clone(), meta_graph));
            }
        }
        _ => {}
    }
}

fn of_meta_graph(path: String, bytes: &[u8]) -> GraphFile {
    let graph = fields(bytes, 2).next().unwrap_or_default().to_vec();
    let ops = fields(bytes, 1).next().and_then(|info| fields(info, 2).next()).unwrap_or_default();
    GraphFile { path, graph, ops: ops.to_vec() }
}

fn graph_of_library(library: &[u8]) -> Vec<u8> {
    use prost::Message as _;

    let library = ckdiff::schema::tensorflow::FunctionDefLibrary::decode(library).unwrap();
    let graph =
        ckdiff::schema::tensorflow::GraphDef { library: Some(library), ..Default::default() };
    graph.encode_to_vec()
}

/// The messages in the field `number`.
pub(crate) fn fields(bytes: &[u8], number: u32) -> impl Iterator<Item = &[u8]> {
    use ckdiff::message::{Records, Value};

    Records::new(bytes, 0).filter_map(move |record| match record.unwrap() {
        record if record.number != number => None,
        record => match record.value {
            Value::Len(content) => Some(content),
            _ => None,
        },
    })
}
