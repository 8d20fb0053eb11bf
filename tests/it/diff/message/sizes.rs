//! Messages of the largest depth, and long lists.

use ckdiff::diff::{MessageOptions, messages};
use ckdiff::message::{Message, Writer};
use ckdiff::schema::WireType;

use crate::diff::message::changes::{by_schema, lines, read};
use crate::support::everything;

/// One number at the largest depth, with and without maps in between.
fn deepest(ty: &str, last: u8) -> Message<'static> {
    let levels = if ty == "everything.Maps" { 499 } else { 1_000 };
    // An entry of a map with a `bool` key; its value is a number too.
    let mut bytes =
        if ty == "everything.Maps" { vec![0x5a, 4, 0x08, 1, 0x10, last] } else { vec![0x08, last] };
    for _ in 0..levels {
        let mut out = Writer::default();
        if ty == "everything.Maps" {
            let mut entry = Writer::default();
            entry.tag(1, WireType::Len);
            entry.len_prefixed(b"k");
            entry.tag(2, WireType::Len);
            entry.len_prefixed(&bytes);
            out.tag(12, WireType::Len);
            out.len_prefixed(&entry.finish());
        } else {
            out.tag(1, WireType::Varint);
            out.varint(1);
            out.tag(2, WireType::Len);
            out.len_prefixed(&bytes);
        }
        bytes = out.finish();
    }
    let schema = everything::schema();
    Message::decode(schema, schema.message(ty).unwrap(), bytes).unwrap()
}

/// Runs on a large stack, because the messages are deep and tests are also built without optimization.
#[test]
fn the_deepest_messages_fit_a_small_stack() {
    let roomy = std::thread::Builder::new().stack_size(64 << 20);
    let all = || {
        for (ty, steps) in [("everything.Needs", 1_001), ("everything.Maps", 1_000)] {
            let (lhs, rhs) = (deepest(ty, 0), deepest(ty, 3));
            std::thread::scope(|scope| {
                let compare = std::thread::Builder::new().stack_size(2 << 20);
                let run = || messages(&lhs, &rhs, &MessageOptions::default()).unwrap();
                let changes = compare.spawn_scoped(scope, run).unwrap().join().unwrap();
                assert_eq!(changes.len(), 1);
                assert_eq!(changes[0].path.steps().len(), steps);
            });
        }
    };
    roomy.spawn(all).unwrap().join().unwrap();
}

/// An item inserted at the front of a long, repetitive list is reported as one change, quickly.
#[test]
fn long_lists_are_aligned() {
    let mut text: Vec<String> = (0..20_000).map(|i| format!("input: '{}'", i % 5_000)).collect();
    let lhs = text.join(" ");
    text.insert(0, "input: 'front'".to_owned());
    text.remove(10_001);
    let rhs = text.join(" ");
    by_schema(
        "tensorflow.NodeDef",
        &lhs,
        &rhs,
        &[r#"added semantic input[0]: - => "front""#, r#"removed semantic input[10000]: "0" => -"#],
    );
    let mut text: Vec<String> = (0..20_000).map(|i| format!("input: '{i}'")).collect();
    let lhs = text.join(" ");
    text.insert(1, "input: 'second'".to_owned());
    text.remove(15_000);
    text.swap(7_000, 7_001);
    text.swap(19_999, 0);
    let found = messages(
        &read("tensorflow.NodeDef", &lhs),
        &read("tensorflow.NodeDef", &text.join(" ")),
        &MessageOptions::default(),
    )
    .unwrap();
    assert_eq!(found.len(), 6, "{:?}", lines(&found));
}
