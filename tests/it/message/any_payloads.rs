//! `Any` with a payload that is not in canonical form: text and JSON print its fields and count the lost bytes.

use std::fs;
use std::path::Path;

use ckdiff::artifact::{Document, ReadOptions};
use ckdiff::message::Message;
use ckdiff::schema::Schema;
use ckdiff::{json, text};

use crate::support::command::ckdiff;
use crate::support::everything;
use crate::support::message_forms::decoded;

/// A meta graph whose collection has one `Any` of a VersionDef with these bytes.
fn meta_graph(payload: &[u8]) -> Vec<u8> {
    let url = b"type.googleapis.com/tensorflow.VersionDef";
    let len = |number: u8, content: &[u8]| {
        [&[number << 3 | 2, u8::try_from(content.len()).unwrap()], content].concat()
    };
    let any = [len(1, url), len(2, payload)].concat();
    let collection = len(5, &len(1, &any));
    len(4, &[len(1, b"c"), len(2, &collection)].concat())
}

fn read(payload: &[u8]) -> Message<'static> {
    decoded("tensorflow.MetaGraphDef", meta_graph(payload))
}

/// The message as text and as JSON, each with the number of payloads whose bytes change, and their paths.
fn printed(message: &Message<'_>) -> [(String, u64, Vec<String>); 2] {
    let (mut in_text, mut in_json) = (Vec::new(), Vec::new());
    let options = text::PrintOptions::default();
    let text_losses = text::print(message, &options, &mut in_text).unwrap();
    let json_losses = json::print(message, &json::PrintOptions::default(), &mut in_json).unwrap();
    [(in_text, text_losses), (in_json, json_losses)]
        .map(|(out, losses)| (String::from_utf8(out).unwrap(), losses.any_bytes, losses.paths))
}

#[test]
fn a_payload_not_in_canonical_form_is_kept_in_binary_and_counted_elsewhere() {
    let canonical = read(&[0x08, 7, 0x10, 3]);
    // The fields in reverse order; a field that is set twice.
    for payload in [&[0x10, 3, 0x08, 7][..], &[0x08, 1, 0x10, 3, 0x08, 7]] {
        let message = read(payload);
        assert_eq!(message.bytes(), meta_graph(payload), "the payload keeps its bytes");
        for (odd, usual) in printed(&message).iter().zip(&printed(&canonical)) {
            assert_eq!(odd.0, usual.0);
            assert_eq!((odd.1, usual.1), (1, 0));
            assert_eq!(odd.2.len(), 1);
            assert!(odd.2[0].starts_with("collection"), "{}", odd.2[0]);
            assert!(odd.2[0].ends_with("tensorflow.VersionDef]"));
        }
    }
}

/// An expanded payload that could not be read back must not be printed.
#[test]
fn a_payload_that_lacks_a_required_field_is_printed_as_bytes() {
    let schema = everything::schema();
    let ty = schema.message("google.protobuf.Any").unwrap();
    let bytes = b"\x0a\x12a/everything.Needs\x12\x00";
    let any = Message::decode(schema, ty, bytes.to_vec()).unwrap();
    let mut out = Vec::new();
    text::print(&any, &text::PrintOptions::default(), &mut out).unwrap();
    assert_eq!(String::from_utf8(out).unwrap(), "type_url: \"a/everything.Needs\"\n");
    let error = json::print(&any, &json::PrintOptions::default(), &mut Vec::new()).unwrap_err();
    let said = "value: the required field number of everything.Needs is missing";
    assert_eq!(error.to_string(), said);
}

/// Required fields are checked in the merged payload, not in each part of it.
#[test]
fn required_fields_may_be_in_any_part_of_a_payload() {
    let schema = everything::schema();
    let ty = schema.message("google.protobuf.Any").unwrap();
    // `needs` in two parts; `all { needs }`, replaced by another member of its oneof.
    for (payload, expected) in [
        (
            &b"\x32\0\x32\x02\x08\x05"[..],
            "[a/everything.All] {\n  needs {\n    number: 5\n  }\n}\n",
        ),
        (b"\x5a\x02\x32\0\x48\x05", "[a/everything.All] {\n  number: 5\n}\n"),
    ] {
        let head = b"\x0a\x10a/everything.All\x12";
        let bytes = [&head[..], &[u8::try_from(payload.len()).unwrap()], payload].concat();
        let any = Message::decode(schema, ty, bytes).unwrap();
        let mut out = Vec::new();
        text::print(&any, &text::PrintOptions::default(), &mut out).unwrap();
        assert_eq!(String::from_utf8(out).unwrap(), expected);
        json::print(&any, &json::PrintOptions::default(), &mut Vec::new()).unwrap();
    }
}

/// Levels are counted per payload.
#[test]
fn the_depth_of_groups_starts_again_in_a_payload() {
    let schema = everything::schema();
    let ty = schema.message("everything.All").unwrap();
    // Each level has two groups: sixty outside, sixty inside.
    let (open, close) = ("Single { Inner { all { ".repeat(30), "} } } ".repeat(30));
    let text = format!(
        "{open} well_known {{ any {{ [a/everything.All] {{ {open} {close} }} }} }} {close}"
    );
    let parse = |text: &[u8]| text::parse(schema, ty, text, &text::ParseOptions::default());
    let (message, _) = parse(text.as_bytes()).unwrap();
    let mut out = Vec::new();
    text::print(&message, &text::PrintOptions::default(), &mut out).unwrap();
    assert_eq!(parse(&out).unwrap().0.bytes(), message.bytes());
    let back = Message::decode(schema, ty, message.bytes().to_vec()).unwrap();
    assert_eq!(back.bytes(), message.bytes());
}

/// The bytes are also a valid default of a signature's argument.
#[test]
fn the_file_name_decides_where_the_content_is_ambiguous() {
    for payload in [&[0x08, 7][..], &[0x08, 7, 0x10, 3], &[]] {
        let (bytes, path) = (meta_graph(payload), Path::new("model.meta"));
        let options = ReadOptions::default();
        let read = Document::read(&*bytes, path, Schema::tensorflow(), &options).unwrap();
        assert_eq!(read.kind().name(), "meta graph", "{payload:?}");
    }
}

#[test]
fn convert_warns_of_payloads_not_in_canonical_form() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("graph.meta");
    fs::write(&path, meta_graph(&[0x10, 3, 0x08, 7])).unwrap();
    for to in ["text", "json"] {
        let run = ckdiff(&["convert", "--to", to, path.to_str().unwrap(), "-"]);
        assert_eq!(run.code, 0);
        let warning = "warning: 1 Any payload was not in canonical form; converting back gives other bytes of the same meaning";
        assert!(run.stderr.contains(warning), "{}", run.stderr);
    }
    let run = ckdiff(&["convert", "--to", "binary", path.to_str().unwrap(), "-"]);
    assert_eq!((run.code, &*run.stderr), (0, ""));
}
