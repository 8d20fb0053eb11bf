//! Fields with the number of a known field and another wire type: to protobuf they are unknown fields.

use ckdiff::artifact::Form;
use ckdiff::diff::Diff;
use ckdiff::graph::Graph;
use ckdiff::message::Message;
use ckdiff::meta_graph::{Collections, ImportOptions, import};
use ckdiff::schema::Schema;

use crate::support::encoding::{bytes, int};
use crate::support::graph::pairs::{compared, lines};
use crate::support::message_forms::document;

fn graphs(lhs: &[u8], rhs: &[u8]) -> Diff {
    let open = |bytes| document("tensorflow.GraphDef", Form::Binary, bytes).into();
    compared(&open(lhs), &open(rhs))
}

#[test]
fn a_number_is_no_node_and_no_function() {
    let node = bytes(1, &[bytes(1, b"n"), bytes(2, b"NoOp")].concat());
    let library = bytes(2, &int(1, 5));
    let odd = [&*node, &int(1, 5), &library].concat();
    assert_eq!(Graph::new(&odd).unwrap().nodes().len(), 1);
    assert_eq!(lines(&graphs(&node, &[&*node, &int(1, 5)].concat())), "semantic added 1: - | 5\n");
}

#[test]
fn a_number_is_no_value_of_an_attribute() {
    let node = |value: &[u8]| {
        let attr = bytes(5, &[bytes(1, b"x"), bytes(2, value)].concat());
        bytes(1, &[bytes(1, b"n"), bytes(2, b"NoOp"), attr].concat())
    };
    // A tensor, a function, a list, and a function in a list.
    for field in [|n| int(8, n), |n| int(10, n), |n| int(1, n), |n| bytes(1, &int(9, n))] {
        let diff = graphs(&node(&field(1)), &node(&field(2)));
        assert_eq!(lines(&diff).lines().count(), 1, "{}", lines(&diff));
    }
}

#[test]
fn a_number_is_no_item_of_a_collection() {
    let entry = [bytes(1, b"c"), bytes(2, &bytes(2, &int(1, 5)))].concat();
    let meta = [bytes(2, b""), bytes(4, &entry)].concat();
    let schema = Schema::tensorflow();
    let meta = Message::decode(schema, schema.message("tensorflow.MetaGraphDef").unwrap(), meta);
    let options = ImportOptions { import_scope: "s".into(), ..ImportOptions::default() };
    let imported = import(&meta.unwrap(), None, &options).unwrap().message;
    assert_eq!(Collections::of(&imported).unwrap().items("c"), []);
}
