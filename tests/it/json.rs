//! Messages as JSON, against what Python writes and reads, and what is refused and why.

use std::fs;
use std::io::{self, Write};
use std::thread;

use ckdiff::json::{Enums, Layout, Names, ParseOptions, PrintOptions, parse, print};
use ckdiff::message::{Losses, Message, Unknown};
use ckdiff::schema::Schema;
use prost_reflect::DescriptorPool;
use serde_json::Value;

use crate::support::{Random, base64, oracle, sha256};

const COMPACT: PrintOptions = PrintOptions {
    names: Names::LowerCamel,
    enums: Enums::Names,
    defaults: false,
    layout: Layout::Compact,
    unknown: Unknown::Refuse,
};

fn read<'s>(schema: &'s Schema, name: &str, text: &[u8]) -> ckdiff::Result<Message<'s>> {
    let ty = schema.message(name).expect("the schema has it");
    parse(schema, ty, text, &ParseOptions::default()).map(|(message, losses)| {
        assert_eq!(losses, Losses::default());
        message
    })
}

fn decoded<'s>(schema: &'s Schema, name: &str, bytes: Vec<u8>) -> Message<'s> {
    Message::decode(schema, schema.message(name).expect("the schema has it"), bytes).unwrap()
}

fn written(message: &Message<'_>, options: &PrintOptions) -> ckdiff::Result<(String, Losses)> {
    let mut out = Vec::new();
    let losses = print(message, options, &mut out)?;
    Ok((String::from_utf8(out).expect("JSON is UTF-8"), losses))
}

/// As Python writes it: ASCII alone.
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

// ---- against Python ----

/// Holds what is printed against Python's text or its digest, and reads back ours and theirs.
fn agrees(what: &str, name: &str, bytes: Vec<u8>, theirs: &Value, odd_nans: u64) {
    let schema = Schema::tensorflow();
    let message = decoded(schema, name, bytes);
    let printed = written(&message, &PrintOptions::default());
    if theirs.is_null() {
        assert!(printed.is_err(), "{what}: Python has no JSON for this");
        return;
    }
    let (ours, losses) = printed.unwrap_or_else(|error| panic!("{what}: {error}"));
    assert_eq!(losses.nan_bits, odd_nans, "{what}");
    let as_python = ascii(&ours);
    match theirs.as_str() {
        Some(theirs) => assert_eq!(as_python, theirs, "{what}"),
        None => assert_eq!(sha256(as_python.as_bytes()), theirs["sha256"], "{what}"),
    }
    let (compact, _) = written(&message, &COMPACT).unwrap();
    assert_eq!(
        serde_json::from_str::<Value>(&compact).unwrap(),
        serde_json::from_str::<Value>(&ours).unwrap(),
        "{what}"
    );
    for text in [as_python, ours, compact] {
        let back = read(schema, name, text.as_bytes()).unwrap_or_else(|e| panic!("{what}: {e}"));
        // JSON has one NaN.
        assert!(back.bytes() == message.bytes() || odd_nans > 0, "{what}");
        assert_eq!(back.bytes().len(), message.bytes().len(), "{what}");
    }
}

#[test]
fn every_type_is_written_as_python_writes_it_byte_for_byte() {
    let lines = fs::read_to_string("tests/data/graphs/random.jsonl").unwrap();
    for (number, line) in lines.lines().enumerate() {
        let case: Value = serde_json::from_str(line).unwrap();
        let name = case["message"].as_str().unwrap();
        let bytes = base64(case["binary_b64"].as_str().unwrap());
        let odd_nans = case["nan_payloads"].as_u64().unwrap();
        agrees(&format!("line {}, {name}", number + 1), name, bytes, &case["json"], odd_nans);
    }
}

#[test]
fn what_tensorflow_saved_is_written_as_python_writes_it_byte_for_byte() {
    for case in oracle("messages.json")["messages"].as_array().unwrap() {
        let path = case["path"].as_str().unwrap();
        if case["unknown_fields"] != 0 {
            // Python leaves them out without a word.
            continue;
        }
        let bytes = fs::read(format!("tests/data/{path}")).unwrap();
        let odd_nans = case["nan_payloads"].as_u64().unwrap();
        agrees(path, case["message"].as_str().unwrap(), bytes, &case["json"], odd_nans);
    }
}

#[test]
fn hostile_texts_are_refused_with_their_place_or_read_as_they_should() {
    let schema = Schema::tensorflow();
    let cases = oracle("hostile_messages.json");
    let json = cases.as_array().unwrap().iter().filter(|case| case["format"] == "json");
    let mut count = 0;
    for case in json {
        count += 1;
        let path = case["path"].as_str().unwrap();
        let text = fs::read(format!("tests/data/{path}")).unwrap();
        let why = case["why"].as_str().unwrap();
        match read(schema, case["message"].as_str().unwrap(), &text) {
            Ok(_) if case["refused"] == true => panic!("{path} is read: {why}"),
            Ok(message) => {
                // Python orders the entries of maps otherwise.
                let expected = base64(case["canonical_b64"].as_str().unwrap());
                let expected = decoded(schema, &message.ty().full_name, expected);
                assert_eq!(message.bytes(), expected.bytes(), "{path}: {why}");
            }
            Err(error) => {
                assert!(case["refused"] == true, "{path}: {why}: {error}");
                assert!(error.place().is_some(), "{path}: {error}");
            }
        }
    }
    assert!(count > 50, "{count}");
}

// ---- what is refused ----

/// What is said of each text, where that is not what is expected.
fn not_as_expected<'a>(
    schema: &Schema,
    cases: impl IntoIterator<Item = (&'a str, &'a str, &'a str)>,
) -> String {
    let mut wrong = String::new();
    for (name, text, expected) in cases {
        let said = match read(schema, name, text.as_bytes()) {
            Ok(message) => format!("read as {:?}", message.bytes()),
            Err(error) => error.to_string(),
        };
        if said != expected {
            wrong += &format!("{name}: {text}\n  {said}\n  {expected}\n");
        }
    }
    wrong
}

#[test]
fn an_error_names_the_place_the_field_what_was_found_and_what_is_allowed() {
    let schema = Schema::tensorflow();
    let cases = [
        ("", "1:1: the text ends where a value is needed"),
        ("null", "1:1: found null, an object is needed"),
        ("[1]", "1:1: found a list, an object is needed"),
        ("{} {}", "1:4: found `{` behind the end of the value"),
        (r#"{"name": "a",}"#, "1:14: a comma with nothing behind it"),
        (r#"{"name" "a"}"#, "1:9: name: found `\"`, `:` is needed"),
        (r#"{"name": "a" "op": "b"}"#, "1:14: found `\"`, `,` or `}` is needed"),
        (r#"{name: 1}"#, "1:2: found `n`, a name in double quotes is needed"),
        (r#"{"name": 'a'}"#, "1:10: name: found `'`, a value is needed"),
        (r#"{"name": "a"#, "1:11: name: the text ends inside a string"),
        (
            "{\"name\": \"a\nb\"}",
            "1:12: name: found `\\n` in a string, where control characters need an escape",
        ),
        (
            r#"{"name": "\ud83d"}"#,
            "1:17: name: half of a surrogate pair; both escapes are needed, the leading one first",
        ),
        (
            r#"{"name": "\q"}"#,
            r#"1:12: name: an escape that JSON does not have; it has \" \\ \/ \b \f \n \r \t \uXXXX"#,
        ),
        (r#"{"name": 5}"#, "1:10: name: found 5, a string is needed"),
        (r#"{"name": ["a"]}"#, "1:10: name: found a list, a string is needed"),
        (
            r#"{"nme": "a"}"#,
            r#"1:2: nme: unknown field "nme" of tensorflow.NodeDef; did you mean "name"?"#,
        ),
        (
            r#"{"x\n\u001b[2J": 1}"#,
            r#"1:2: x\n\u001b[2J: unknown field "x\n\u{1b}[2J" of tensorflow.NodeDef"#,
        ),
        (r#"{"name": "a", "name": "b"}"#, "1:15: name: name is given twice"),
        (r#"{"input": "a"}"#, "1:11: input: found the string \"a\", a list is needed"),
        (r#"{"input": ["a", null]}"#, "1:17: input[1]: found null, a string is needed"),
        (r#"{"attr": {"T": null}}"#, r#"1:16: attr["T"]: found null, an object is needed"#),
        (r#"{"attr": {"a": {}, "b": {}, "a": {}}}"#, r#"1:29: attr["a"]: this key is given twice"#),
        (
            "{\n  \"attr\": {\n    \"é\": {\"type\": \"DT_FLOT\"}\n  }\n}",
            r#"3:19: attr["é"].type: unknown value "DT_FLOT" of tensorflow.DataType; did you mean "DT_FLOAT"?"#,
        ),
        (
            r#"{"attr": {"T": {"i": "9223372036854775808"}}}"#,
            r#"1:22: attr["T"].i: found the string "9223372036854775808", a whole number from -9223372036854775808 to 9223372036854775807 is needed"#,
        ),
        (
            r#"{"attr": {"T": {"b": "true"}}}"#,
            r#"1:22: attr["T"].b: found the string "true", true or false is needed"#,
        ),
        (
            r#"{"attr": {"T": {"s": "%%"}}}"#,
            r#"1:22: attr["T"].s: found `%`, which is no digit of base 64; bytes are written in base 64"#,
        ),
        (
            r#"{"attr": {"T": {"i": 1, "b": true}}}"#,
            r#"1:25: attr["T"].b: i and b are both given, but at most one field of value may be"#,
        ),
        (
            r#"{"attr": {"T": {"shape": {"dim": [{"size": 1.5}]}}}}"#,
            r#"1:44: attr["T"].shape.dim[0].size: found 1.5, a whole number from -9223372036854775808 to 9223372036854775807 is needed"#,
        ),
        (
            r#"{"attr": {"T": {"f": 1e39}}}"#,
            r#"1:22: attr["T"].f: found 1e39, a number that a float holds, "NaN", "Infinity" or "-Infinity" is needed"#,
        ),
    ];
    let cases = cases.map(|(text, expected)| ("tensorflow.NodeDef", text, expected));
    let wrong = not_as_expected(schema, cases);
    assert!(wrong.is_empty(), "{wrong}");
}

#[test]
fn what_is_long_or_no_text_is_shown_in_part() {
    let schema = Schema::tensorflow();
    let long = format!(r#"{{"input": ["{}", 5{}]}}"#, "é".repeat(1_000_000), "0".repeat(200));
    let error = read(schema, "tensorflow.NodeDef", long.as_bytes()).unwrap_err();
    let place = error.place().unwrap();
    assert_eq!((place.line, place.column), (1, 1_000_016));
    assert_eq!(place.excerpt.chars().nth(place.caret), Some('5'));
    assert!(place.excerpt.chars().count() <= 80, "{}", place.excerpt);
    assert!(error.to_string().len() < 200, "{error}");
    for (text, expected) in [
        (&b"{\"name\":\n \"a\xffb\"}"[..], "2:4: found the byte 0xff, which is not UTF-8"),
        (b"\xef\xbb\xbf{}", "1:1: found a byte order mark, which JSON has not"),
    ] {
        let error = read(schema, "tensorflow.NodeDef", text).unwrap_err();
        assert_eq!(error.to_string(), expected);
    }
}

/// What is read of a text that was damaged is a message, and what is not has its place.
#[test]
fn damaged_texts_are_read_or_refused() {
    let schema = Schema::tensorflow();
    let text = fs::read("tests/data/graphs/collections.meta.json").unwrap();
    let pieces: &[&[u8]] = &[
        b"{", b"}", b"[", b"]", b",", b":", b"\"", b"\\", b"null", b"-", b"1e9", b"\xff",
        b"\\ud800",
    ];
    let mut random = Random::new(7);
    let mut place = |len: usize| usize::try_from(random.below(len as u64)).unwrap();
    for options in [Unknown::Refuse, Unknown::Drop].map(|unknown| ParseOptions { unknown }) {
        for _ in 0..1_500 {
            let mut damaged = text.clone();
            for _ in 0..=place(3) {
                let (from, len) = (place(damaged.len()), place(12));
                let to = (from + len).min(damaged.len());
                damaged.splice(from..to, pieces[place(pieces.len())].iter().copied());
            }
            let ty = schema.message("tensorflow.MetaGraphDef").unwrap();
            match parse(schema, ty, &damaged, &options) {
                Ok((message, _)) => {
                    let (text, _) = written(&message, &COMPACT).unwrap();
                    let back = read(schema, "tensorflow.MetaGraphDef", text.as_bytes()).unwrap();
                    assert_eq!(back.bytes(), message.bytes());
                }
                Err(error) => assert!(error.place().is_some(), "{error}"),
            }
        }
    }
}

// ---- depth ----

/// Runs `f` with the stack that threads have by default.
fn on_a_thread<T: Send>(f: impl FnOnce() -> T + Send) -> T {
    thread::scope(|scope| {
        let thread = thread::Builder::new().stack_size(2 << 20).spawn_scoped(scope, f);
        thread.unwrap().join().unwrap()
    })
}

#[test]
fn messages_may_be_nested_a_thousand_deep_and_no_deeper() {
    let schema = Schema::tensorflow();
    let nested = |levels: usize| {
        let (open, close) = (r#"{"listValue":{"values":["#, "]}}");
        format!("{}{{}}{}", open.repeat(levels), close.repeat(levels))
    };
    on_a_thread(|| {
        // Two messages for each level.
        let text = nested(500);
        let message = read(schema, "tensorflow.StructuredValue", text.as_bytes()).unwrap();
        assert_eq!(written(&message, &COMPACT).unwrap().0, text);
        let error = read(schema, "tensorflow.StructuredValue", nested(501).as_bytes()).unwrap_err();
        let said = error.to_string();
        assert!(said.ends_with("nesting is deeper, at most 1000 levels are allowed"), "{said}");
        assert_eq!(error.place().unwrap().column, 12_014);
    });
}

#[test]
fn a_million_brackets_are_refused_or_passed_over() {
    let schema = Schema::tensorflow();
    let many = 1_000_000;
    let ty = schema.message("tensorflow.StructuredValue").unwrap();
    let drop = ParseOptions { unknown: Unknown::Drop };
    on_a_thread(|| {
        for open in ["[", r#"{"a":"#, r#"{"listValue":{"values":["#, r#"{"listValue":"#] {
            for before in [
                "",
                r#"{"x":"#,
                r#"{"stringValue":"#,
                r#"{"int64Value":"#,
                r#"{"listValue":{"values":"#,
            ] {
                let text = format!("{before}{}", open.repeat(many));
                for options in [&drop, &ParseOptions::default()] {
                    assert!(parse(schema, ty, text.as_bytes(), options).is_err());
                }
            }
        }
        let text = format!(r#"{{"x":{}{},"int64Value":7}}"#, "[".repeat(many), "]".repeat(many));
        let (message, losses) = parse(schema, ty, text.as_bytes(), &drop).unwrap();
        assert_eq!((message.bytes(), losses.unknown_fields), (&[0x60, 14][..], 1));
        let any = schema.message("google.protobuf.Any").unwrap();
        let url = r#""@type":"type.googleapis.com/google.protobuf.Any","value":"#;
        for text in [
            format!(r#"{{{url}{}"#, "[".repeat(many)),
            format!("{{{url}").repeat(10_000),
            format!("{}{{}}{}", format!("{{{url}").repeat(2_000), "}".repeat(2_000)),
        ] {
            assert!(parse(schema, any, text.as_bytes(), &drop).is_err());
        }
    });
}

#[test]
fn sixteen_any_may_be_inside_each_other_and_no_more() {
    let schema = well_known();
    let name = "google.protobuf.Any";
    let text = |levels: usize| {
        let open = r#"{"@type":"a/google.protobuf.Any","value":"#;
        format!("{}{{}}{}", open.repeat(levels), "}".repeat(levels))
    };
    let binary = |levels: usize| {
        let mut bytes = Vec::new();
        for _ in 0..levels {
            let mut outer = b"\x0a\x15a/google.protobuf.Any".to_vec();
            let len = bytes.len() as u32;
            outer.push(0x12);
            // A varint of five bytes, which is longer than it needs to be: not in canonical form.
            outer.extend((0..4).map(|i| (len >> (7 * i)) as u8 | 0x80));
            outer.push((len >> 28) as u8);
            outer.append(&mut bytes);
            bytes = outer;
        }
        bytes
    };
    let deep = "Any within Any more than 16 deep has no form here";
    let message = read(&schema, name, text(16).as_bytes()).unwrap();
    assert_eq!(written(&message, &COMPACT).unwrap().0, text(16));
    assert_eq!(written(&decoded(&schema, name, binary(16)), &COMPACT).unwrap().0, text(16));
    for levels in [17, 300, 5_000] {
        let error = read(&schema, name, text(levels).as_bytes()).unwrap_err();
        assert!(error.to_string().ends_with(deep), "{error}");
        assert_eq!(error.place().unwrap().column, 1 + 16 * 41);
        let message = decoded(&schema, name, binary(levels));
        let error = written(&message, &COMPACT).unwrap_err().to_string();
        assert!(error.ends_with(deep), "{error}");
    }
}

// ---- losses ----

#[test]
fn what_is_not_known_is_dropped_only_when_asked_and_named() {
    let schema = Schema::tensorflow();
    let ty = schema.message("tensorflow.NodeDef").unwrap();
    let drop = ParseOptions { unknown: Unknown::Drop };
    let text = br#"{"name": "a", "new": {"x": [1, {"y": "}"}]},
        "attr": {"T": {"type": "DT_NEW"}, "L": {"list": {"type": ["DT_FLOAT", "DT_NEW"], "b": 7}}}}"#;
    // What is known must be right still.
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
fn unknown_fields_have_no_form_and_are_dropped_only_when_asked() {
    let schema = Schema::tensorflow();
    // node[0].attr["T"] with the unknown field 999, and that field in the graph itself.
    let attr = [&b"\x0a\x01T\x12\x03"[..], b"\xb8\x3e\x05"].concat();
    let node = [&b"\x2a\x08"[..], &attr].concat();
    let bytes = [&b"\x0a\x0a"[..], &node, b"\xb8\x3e\x01"].concat();
    let graph = decoded(schema, "tensorflow.GraphDef", bytes);
    let error = written(&graph, &COMPACT).unwrap_err();
    assert_eq!(
        error.to_string(),
        r#"node[0].attr["T"]: the unknown field 999 has no form in JSON, and is not to be dropped"#
    );
    let options = PrintOptions { unknown: Unknown::Drop, ..COMPACT };
    let (text, losses) = written(&graph, &options).unwrap();
    assert_eq!(text, r#"{"node":[{"attr":{"T":{}}}]}"#);
    assert_eq!(losses.unknown_fields, 2);
    assert_eq!(losses.paths, [r#"node[0].attr["T"].999"#, "999"]);

    // In an entry of a map, a field with the number of the key and another encoding.
    let entry = b"\x2a\x0d\x0a\x00\x12\x00\x09\x09\x09\x09\x09\x09\x09\x12\x09".to_vec();
    let node = decoded(schema, "tensorflow.NodeDef", entry);
    let (text, losses) = written(&node, &options).unwrap();
    assert_eq!((&*text, losses.unknown_fields), (r#"{"attr":{"":{}}}"#, 1));

    let any = decoded(schema, "google.protobuf.Any", b"\x0a\x05a/b.C\x12\x01x".to_vec());
    let error = written(&any, &COMPACT).unwrap_err();
    assert_eq!(error.to_string(), r#"an Any of the unknown type "a/b.C" has no form in JSON"#);
    let (text, losses) = written(&any, &options).unwrap();
    assert_eq!((&*text, losses.unknown_any), ("{}", 1));
    assert_eq!(losses.paths, ["[a/b.C]"]);
}

#[test]
fn nans_of_other_bits_are_counted() {
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

// ---- options ----

#[test]
fn names_enums_defaults_and_the_layout_can_be_chosen() {
    let schema = Schema::tensorflow();
    let saver =
        read(schema, "tensorflow.SaverDef", br#"{"max_to_keep": 5, "version": "V2"}"#).unwrap();
    let original = PrintOptions { names: Names::Original, enums: Enums::Numbers, ..COMPACT };
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

// ---- well-known types ----

/// The messages of google.protobuf.
fn well_known() -> Schema {
    Schema::from_descriptor_set(&DescriptorPool::global().encode_to_vec()).unwrap()
}

#[test]
fn well_known_types_have_forms_of_their_own() {
    let schema = well_known();
    for (name, text, same) in [
        ("Timestamp", r#""1970-01-01T00:00:01.5+01:00""#, r#""1969-12-31T23:00:01.500Z""#),
        ("Duration", r#""-1.50s""#, r#""-1.500s""#),
        ("FieldMask", r#""fooBar,baz.qux""#, r#""fooBar,baz.qux""#),
        (
            "Struct",
            r#"{"b":[1,null,"x",{"c":true}],"a":{}}"#,
            r#"{"a":{},"b":[1.0,null,"x",{"c":true}]}"#,
        ),
        ("ListValue", "[[],{},-0.0]", "[[],{},-0.0]"),
        ("Value", "null", "null"),
        ("Value", "1e5", "100000.0"),
        ("Value", "18446744073709551615", "1.8446744073709552e+19"),
        ("Int64Value", "1", r#""1""#),
        ("UInt32Value", "0", "0"),
        ("BoolValue", "true", "true"),
        ("StringValue", r#""\ud83d\ude00\u0000""#, "\"😀\\u0000\""),
        ("BytesValue", r#""_-8""#, r#""/+8=""#),
        ("DoubleValue", r#""-Infinity""#, r#""-Infinity""#),
        ("FloatValue", "1e-45", "1.4013e-45"),
        ("Any", "{}", "{}"),
        (
            "Any",
            r#"{"value": "1s", "@type": "x/y/google.protobuf.Duration"}"#,
            r#"{"@type":"x/y/google.protobuf.Duration","value":"1s"}"#,
        ),
        (
            "Any",
            r#"{"@type":"a/google.protobuf.Any","value":{"paths":1,"@type":"a/google.protobuf.Empty"}}"#,
            "",
        ),
        (
            "Any",
            r#"{"@type":"a/google.protobuf.Any","value":{"@type":"a/google.protobuf.Empty"}}"#,
            r#"{"@type":"a/google.protobuf.Any","value":{"@type":"a/google.protobuf.Empty"}}"#,
        ),
    ] {
        let name = format!("google.protobuf.{name}");
        match read(&schema, &name, text.as_bytes()) {
            Ok(message) => {
                assert_eq!(written(&message, &COMPACT).unwrap().0, same, "{name} {text}");
                let again = read(&schema, &name, same.as_bytes()).unwrap();
                assert_eq!(again.bytes(), message.bytes(), "{name} {text}");
            }
            Err(error) => assert_eq!(same, "", "{name} {text}: {error}"),
        }
    }
}

#[test]
fn well_known_types_are_refused_when_they_are_out_of_range() {
    let schema = well_known();
    let cases = [
        (
            "google.protobuf.Timestamp",
            r#""1970-02-30T00:00:00Z""#,
            r#"1:1: found the string "1970-02-30T00:00:00Z", a time as "1970-01-01T00:00:00Z", in the years 1 to 9999, is needed"#,
        ),
        ("google.protobuf.Duration", "5", "1:1: found 5, a string is needed"),
        (
            "google.protobuf.FieldMask",
            r#""foo_bar""#,
            r#"1:1: found the string "foo_bar", paths in lowerCamel, with commas between, are needed"#,
        ),
        ("google.protobuf.Struct", r#"{"a":1,"a":2}"#, r#"1:8: ["a"]: this key is given twice"#),
        ("google.protobuf.Value", "[1e999]", "1:6: [0]: a number that no double holds"),
        (
            "google.protobuf.Int32Value",
            "null",
            "1:1: found null, a whole number from -2147483648 to 2147483647 is needed",
        ),
        (
            "google.protobuf.Any",
            r#"{"a": 1}"#,
            r#"1:1: an object with "@type" is needed for an Any"#,
        ),
        (
            "google.protobuf.Any",
            r#"{"@type": "Empty"}"#,
            r#"1:11: @type: found the string "Empty", a name as "type.googleapis.com/full.Name" is needed"#,
        ),
        (
            "google.protobuf.Any",
            r#"{"@type": "a/b.C"}"#,
            r#"1:11: @type: unknown type "b.C"; only messages of the schema are read"#,
        ),
        (
            "google.protobuf.Any",
            r#"{"@type": "a/google.protobuf.Value"}"#,
            r#"1:1: an Any of google.protobuf.Value needs "value""#,
        ),
        (
            "google.protobuf.Any",
            r#"{"@type": "a/google.protobuf.Empty", "x": 1}"#,
            r#"1:38: x: unknown field "x" of google.protobuf.Empty"#,
        ),
    ];
    let wrong = not_as_expected(&schema, cases);
    assert!(wrong.is_empty(), "{wrong}");
    for (name, bytes, expected) in [
        (
            "Timestamp",
            &b"\x10\x80\x94\xeb\xdc\x03"[..],
            "1000000000 nanoseconds: 0 to 999999999 are allowed, so that this has no form in JSON",
        ),
        (
            "Duration",
            b"\x08\x01\x10\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01",
            "1 seconds and -1 nanoseconds differ in sign, so that this has no form in JSON",
        ),
        (
            "FieldMask",
            b"\x0a\x06fooBar",
            r#"the path "fooBar" has no form in JSON: it would not come back"#,
        ),
        ("Value", b"", "a Value that holds nothing has no form in JSON"),
        (
            "Value",
            b"\x11\x00\x00\x00\x00\x00\x00\xf0\x7f",
            "a Value that is not finite has no form in JSON",
        ),
        (
            "ListValue",
            b"\x0a\x02\x20\x01\x0a\x00",
            "values[1]: a Value that holds nothing has no form in JSON",
        ),
        (
            "Any",
            b"\x0a\x1da/google.protobuf.StringValue\x12\x01\x0a",
            "the length of a field needs 1 bytes, 0 left",
        ),
    ] {
        let name = format!("google.protobuf.{name}");
        let message = decoded(&schema, &name, bytes.to_vec());
        let error = written(&message, &COMPACT).unwrap_err().to_string();
        assert!(error.ends_with(expected), "{name}: {error}");
    }
}
