//! Messages as JSON, compared with Python's output and parser; losses and options.

use std::fs;
use std::io::{self, Write};

use ckdiff::json::{Enums, FieldNames, Layout, ParseOptions, PrintOptions, parse, print};
use ckdiff::message::{Losses, Unknown};
use ckdiff::schema::Schema;
use serde_json::Value;

use crate::support::json_message::{COMPACT, decoded, read, written};
use crate::support::{base64, fact, oracle, random_messages, sha256};

/// The text as Python writes it: with non-ASCII characters escaped.
fn ascii(text: &str) -> String {
    let mut out = String::new();
    for c in text.chars() {
        match c {
            ' '..='~' | '\n' => out.push(c),
            c => c.encode_utf16(&mut [0; 2]).iter().for_each(|u| out += &format!("\\u{u:04x}")),
        }
    }
    out
}

/// The largest `float` as Python writes it: rounded to a slightly larger number, which Python itself refuses.
fn rounded(text: &str) -> String {
    text.replace("3.4028234663852886e+38", "3.4028235e+38")
}

/// Compares printed JSON with Python's text or its digest, and reads it back. Returns whether the message has a JSON form.
fn agrees(what: &str, name: &str, bytes: Vec<u8>, theirs: &Value, odd_nans: u64) -> bool {
    let schema = Schema::tensorflow();
    let message = decoded(schema, name, bytes);
    let printed = written(&message, &PrintOptions::default());
    if theirs.is_null() {
        assert!(printed.is_err(), "{what}: Python has no JSON for this");
        return false;
    }
    let (ours, losses) = printed.unwrap_or_else(|error| panic!("{what}: {error}"));
    assert_eq!(losses.nan_bits, odd_nans, "{what}");
    let ascii = ascii(&ours);
    let as_python = rounded(&ascii);
    match theirs.as_str() {
        Some(theirs) => assert_eq!(as_python, rounded(theirs), "{what}"),
        None => assert_eq!(sha256(as_python.as_bytes()), theirs["sha256"], "{what}"),
    }
    let (compact, _) = written(&message, &COMPACT).unwrap();
    assert_eq!(
        serde_json::from_str::<Value>(&compact).unwrap(),
        serde_json::from_str::<Value>(&ours).unwrap(),
        "{what}"
    );
    for text in [&ascii, &ours, &compact] {
        let back = read(schema, name, text.as_bytes()).unwrap_or_else(|e| panic!("{what}: {e}"));
        if odd_nans == 0 {
            assert_eq!(back.bytes(), message.bytes(), "{what}");
        } else {
            // JSON has a single NaN, so the payload is lost in the first conversion.
            assert_ne!(back.bytes(), message.bytes(), "{what}");
            assert_eq!(back.bytes().len(), message.bytes().len(), "{what}");
            assert_eq!(written(&back, &COMPACT).unwrap().0, compact, "{what}");
        }
    }
    true
}

#[test]
fn every_type_is_written_as_python_writes_it_byte_for_byte() {
    for (number, case) in random_messages().into_iter().enumerate() {
        let name = case["message"].as_str().unwrap();
        let bytes = base64(case["binary_b64"].as_str().unwrap());
        let odd_nans = case["nan_payloads"].as_u64().unwrap();
        let what = format!("line {}, {name}", number + 1);
        assert!(agrees(&what, name, bytes, fact(&case, "json"), odd_nans), "{what}");
    }
}

#[test]
fn messages_of_tensorflow_are_written_as_python_writes_them_byte_for_byte() {
    let mut with_json = 0;
    for case in oracle("messages.json")["messages"].as_array().unwrap() {
        let path = case["path"].as_str().unwrap();
        if case["unknown_fields"].as_u64().unwrap() != 0 {
            // Python omits unknown fields silently.
            continue;
        }
        let bytes = fs::read(format!("tests/data/{path}")).unwrap();
        let odd_nans = case["nan_payloads"].as_u64().unwrap();
        let ty = case["message"].as_str().unwrap();
        with_json += usize::from(agrees(path, ty, bytes, fact(case, "json"), odd_nans));
    }
    assert!(with_json >= 39, "{with_json}");
}

#[test]
fn unknown_names_are_dropped_only_on_request_and_reported() {
    let schema = Schema::tensorflow();
    let ty = schema.message("tensorflow.NodeDef").unwrap();
    let drop = ParseOptions { unknown: Unknown::Drop };
    let text = br#"{"name": "a", "new": {"x": [1, {"y": "}"}]},
        "attr": {"T": {"type": "DT_NEW"}, "L": {"list": {"type": ["DT_FLOAT", "DT_NEW"], "b": 7}}}}"#;
    // Known fields must still be valid.
    assert!(parse(schema, ty, text, &drop).is_err());
    let text = String::from_utf8_lossy(text).replace(r#", "b": 7"#, "");
    assert!(parse(schema, ty, text.as_bytes(), &ParseOptions::default()).is_err());
    let (message, losses) = parse(schema, ty, text.as_bytes(), &drop).unwrap();
    assert_eq!(
        written(&message, &COMPACT).unwrap().0,
        r#"{"name":"a","attr":{"L":{"list":{"type":["DT_FLOAT"]}},"T":{}}}"#
    );
    assert_eq!(losses.unknown_fields, 3);
    assert_eq!(losses.paths, ["new", r#"attr["T"].type"#, r#"attr["L"].list.type[1]"#]);
}

#[test]
fn unknown_fields_have_no_json_and_are_dropped_only_on_request() {
    let schema = Schema::tensorflow();
    // Unknown field 999 in node[0].attr["T"], and in the graph.
    let attr = [&b"\x0a\x01T\x12\x03"[..], b"\xb8\x3e\x05"].concat();
    let node = [&b"\x2a\x08"[..], &attr].concat();
    let bytes = [&b"\x0a\x0a"[..], &node, b"\xb8\x3e\x01"].concat();
    let graph = decoded(schema, "tensorflow.GraphDef", bytes);
    let error = written(&graph, &COMPACT).unwrap_err();
    assert_eq!(
        error.to_string(),
        r#"node[0].attr["T"]: the unknown field 999 cannot be represented in JSON"#
    );
    let options = PrintOptions { unknown: Unknown::Drop, ..COMPACT };
    let (text, losses) = written(&graph, &options).unwrap();
    assert_eq!(text, r#"{"node":[{"attr":{"T":{}}}]}"#);
    assert_eq!(losses.unknown_fields, 2);
    assert_eq!(losses.paths, [r#"node[0].attr["T"].999"#, "999"]);

    // An entry of a map, with a field that has the number of the key and another wire type.
    let entry = b"\x2a\x0d\x0a\x00\x12\x00\x09\x09\x09\x09\x09\x09\x09\x12\x09".to_vec();
    let node = decoded(schema, "tensorflow.NodeDef", entry);
    let (text, losses) = written(&node, &options).unwrap();
    assert_eq!((&*text, losses.unknown_fields), (r#"{"attr":{"":{}}}"#, 1));

    let any = decoded(schema, "google.protobuf.Any", b"\x0a\x05a/b.C\x12\x01x".to_vec());
    let error = written(&any, &COMPACT).unwrap_err();
    assert_eq!(
        error.to_string(),
        r#"an Any of the unknown type "a/b.C" cannot be represented in JSON"#
    );
    let (text, losses) = written(&any, &options).unwrap();
    assert_eq!((&*text, losses.unknown_any), ("{}", 1));
    assert_eq!(losses.paths, ["[a/b.C]"]);
}

#[test]
fn nans_with_other_bits_are_counted() {
    let schema = Schema::tensorflow();
    let bytes = [
        &b"\x2a\x0c"[..],
        &f32::NAN.to_le_bytes(),
        &(-f32::NAN).to_le_bytes(),
        &1f32.to_le_bytes(),
    ];
    let tensor = decoded(schema, "tensorflow.TensorProto", bytes.concat());
    let (text, losses) = written(&tensor, &COMPACT).unwrap();
    assert_eq!(text, r#"{"floatVal":["NaN","NaN",1.0]}"#);
    let paths = vec!["float_val[0]".to_owned()];
    assert_eq!(losses, Losses { nan_bits: 1, paths, ..Losses::default() });
}

#[test]
fn names_enums_defaults_and_the_layout_can_be_chosen() {
    let schema = Schema::tensorflow();
    let saver =
        read(schema, "tensorflow.SaverDef", br#"{"max_to_keep": 5, "version": "V2"}"#).unwrap();
    let original = PrintOptions { names: FieldNames::Original, enums: Enums::Numbers, ..COMPACT };
    assert_eq!(written(&saver, &original).unwrap().0, r#"{"max_to_keep":5,"version":2}"#);
    let all = PrintOptions { defaults: true, ..COMPACT };
    assert_eq!(
        written(&saver, &all).unwrap().0,
        concat!(
            r#"{"filenameTensorName":"","saveTensorName":"","restoreOpName":"","maxToKeep":5,"#,
            r#""sharded":false,"keepCheckpointEveryNHours":0.0,"version":"V2"}"#
        )
    );
    let node =
        read(schema, "tensorflow.NodeDef", br#"{"input": ["a"], "attr": {"T": {}}}"#).unwrap();
    let wide = PrintOptions { layout: Layout::Indented(4), ..COMPACT };
    assert_eq!(
        written(&node, &wide).unwrap().0,
        "{\n    \"input\": [\n        \"a\"\n    ],\n    \"attr\": {\n        \"T\": {}\n    }\n}"
    );
    assert_eq!(
        written(&node, &all).unwrap().0,
        r#"{"name":"","op":"","input":["a"],"device":"","attr":{"T":{}}}"#
    );
}

#[test]
fn a_writer_that_fails_is_an_error() {
    struct Full;
    impl Write for Full {
        fn write(&mut self, _: &[u8]) -> io::Result<usize> {
            Err(io::Error::other("no space"))
        }
        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }
    let schema = Schema::tensorflow();
    let message = read(schema, "tensorflow.NodeDef", br#"{"name": "a"}"#).unwrap();
    let error = print(&message, &COMPACT, &mut Full).unwrap_err();
    assert_eq!(error.to_string(), "cannot write: no space");
}
