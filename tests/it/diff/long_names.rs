//! Reports stay short and fast for any content of a file.

use std::time::{Duration, Instant};

use ckdiff::json;
use ckdiff::message::{Losses, Message, Unknown, Writer};
use ckdiff::schema::{Schema, WireType};
use ckdiff::text;

/// A name of one mebibyte.
fn long() -> String {
    "x".repeat(1 << 20)
}

#[test]
fn long_names_are_shortened() {
    let schema = Schema::tensorflow();
    let ty = schema.message("tensorflow.NodeDef").unwrap();
    let long = long();
    for text in [format!("{long}: 1"), format!("[a.{long}]: 1"), format!("[a/{long}] {{ }}")] {
        let options = text::ParseOptions::default();
        let error = text::parse(schema, ty, text.as_bytes(), &options).unwrap_err();
        assert!(error.to_string().len() < 300, "{}", error.to_string().len());
    }
    let any = schema.message("google.protobuf.Any").unwrap();
    let text = format!("[a/{long}] {{ }}");
    let error = text::parse(schema, any, text.as_bytes(), &text::ParseOptions::default());
    assert!(error.unwrap_err().to_string().len() < 300);

    let mut out = Writer::default();
    out.tag(1, WireType::Len);
    out.len_prefixed(format!("a/{long}").as_bytes());
    let message = Message::decode(schema, any, out.finish()).unwrap();
    let mut text = Vec::new();
    let error = json::print(&message, &json::PrintOptions::default(), &mut text).unwrap_err();
    assert!(error.to_string().len() < 300, "{}", error.to_string().len());
    let drop = json::PrintOptions { unknown: Unknown::Drop, ..Default::default() };
    let losses = json::print(&message, &drop, &mut text).unwrap();
    assert_eq!(losses.unknown_any, 1);
    assert!(losses.shown_paths().concat().len() < 300);
}

#[test]
fn losses_name_each_path_once_and_only_the_first_ones() {
    let mut losses = Losses { unknown_fields: 100, ..Losses::default() };
    for number in 0..100 {
        losses.name(|| format!("node[{}].999", number / 2));
    }
    let places = losses.shown_paths();
    assert_eq!(places.len(), Losses::NAMED + 1);
    assert_eq!((&*places[1], &*places[20]), ("node[1].999", "…"));
}

#[test]
fn many_equal_unknown_names_are_fast() {
    let started = Instant::now();
    let schema = Schema::tensorflow();
    let ty = schema.message("tensorflow.NodeDef").unwrap();
    let drop = json::ParseOptions { unknown: Unknown::Drop };
    let text = format!("{{{}\"name\":\"a\"}}", r#""nobody":1,"#.repeat(100_000));
    let (_, losses) = json::parse(schema, ty, text.as_bytes(), &drop).unwrap();
    assert_eq!(
        (losses.unknown_fields, losses.shown_paths()),
        (100_000, ["nobody", "…"].map(String::from).to_vec())
    );

    // Unknown fields at many levels.
    let mut bytes = b"\xb8\x3e\x05".repeat(100_000);
    for _ in 0..450 {
        for tag in [&[0x0a][..], &[0x9a, 0x03]] {
            let mut around = Writer::default();
            around.raw(tag);
            around.len_prefixed(&bytes);
            bytes = around.finish();
        }
    }
    let ty = schema.message("tensorflow.StructuredValue").unwrap();
    let message = Message::decode(schema, ty, bytes).unwrap();
    let mut text = Vec::new();
    let losses = text::print(&message, &text::PrintOptions::default(), &mut text).unwrap();
    assert_eq!(losses.unknown_fields, 100_000);
    assert!(started.elapsed() < Duration::from_secs(10), "{:?}", started.elapsed());
}
