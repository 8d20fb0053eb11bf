//! Parsing text by a schema: accepted values, errors with their location, and the same result for any pieces.

use ckdiff::message::{Message, Unknown};
use ckdiff::schema::Schema;
use ckdiff::text::{ParseOptions, PrintOptions, parse, print};

use crate::support::named_snapshot;

fn read_with(
    message: &str,
    text: &[u8],
    options: &ParseOptions,
) -> ckdiff::Result<Message<'static>> {
    let schema = Schema::tensorflow();
    let ty = schema.message(&format!("tensorflow.{message}")).unwrap();
    parse(schema, ty, text, options).map(|(message, _)| message)
}

fn read(message: &str, text: &str) -> ckdiff::Result<Message<'static>> {
    read_with(message, text.as_bytes(), &ParseOptions::default())
}

/// The message as text on one line, or the error.
fn seen(message: &str, text: &str) -> String {
    match read(message, text) {
        Ok(message) => {
            let mut out = Vec::new();
            let options = PrintOptions { single_line: true, ..PrintOptions::default() };
            print(&message, &options, &mut out).unwrap();
            String::from_utf8(out).unwrap()
        }
        Err(error) => format!("{error}"),
    }
}

#[test]
fn values_are_read_by_the_type_of_their_field() {
    for (text, means) in [
        ("int_val: 017 int_val: -0x1f int_val: - 5", "int_val: 15 int_val: -31 int_val: -5"),
        ("int_val: -2147483648", "int_val: -2147483648"),
        ("int64_val: -0x8000000000000000", "int64_val: -9223372036854775808"),
        (
            "float_val: 1e39 float_val: -Infinity float_val: NAN",
            "float_val: inf float_val: -inf float_val: nan",
        ),
        (
            "float_val: 5. float_val: .5f float_val: -0",
            "float_val: 5.0 float_val: 0.5 float_val: -0.0",
        ),
        (
            "bool_val: [true, t, 1, 01, 0x1, False, f, 0]",
            "bool_val: true bool_val: true bool_val: true bool_val: true bool_val: true bool_val: false bool_val: false bool_val: false",
        ),
        ("dtype: 1", "dtype: DT_FLOAT"),
        ("dtype: 77", "dtype: 77"),
        (r#"string_val: ["a" 'b', "\x41\102\u0043"]"#, r#"string_val: "ab" string_val: "ABC""#),
        (
            "tensor_shape <dim {size: 2}, dim: <size: 3;>>",
            "tensor_shape { dim { size: 2 } dim { size: 3 } }",
        ),
        ("tensor_shape { dim [{size: 2}, {}] }", "tensor_shape { dim { size: 2 } dim { } }"),
        ("int_val: [] float_val: 1,", "float_val: 1.0"),
    ] {
        assert_eq!(seen("TensorProto", text), means, "{text}");
    }
}

#[test]
fn values_of_the_wrong_type_are_refused_with_a_reason() {
    let mut out = String::new();
    for text in [
        "int_val: 2147483648",
        "int_val: 1.0",
        "int_val: \"1\"",
        "int_val: DT_FLOAT",
        "uint32_val: -0",
        "uint64_val: 18446744073709551616",
        "float_val: 0x1p3",
        "float_val: 017",
        "float_val: \"nan\"",
        "float_val: inff",
        "bool_val: TRUE",
        "bool_val: 2",
        "dtype: DT_FLOT",
        "dtype: \"DT_FLOAT\"",
        "dtype: 1 dtype: 2",
        "dtpye: DT_FLOAT",
        "tensor_shape: 3",
        "tensor_shape { dim { sise: 1 } }",
        "tensor_shape { unknown_rank: true unknown_rank: false }",
        "int_val { }",
        "dtype: [DT_FLOAT]",
        "int_val []",
        "tensor_content: \"\\q\"",
        "tensor_content: \"\\400\"",
        "resource_handle_val { name: \"\\xff\" }",
        "resource_handle_val { name: \"ok\"\n  'a\\xe1' 'b' }",
        "[some.extension]: 1",
        "[type.googleapis.com/tensorflow.NodeDef] {}",
        "4: 1",
        "\"string\"",
    ] {
        out += &format!("{text}\n    {}\n", seen("TensorProto", text));
    }
    for text in ["s: \"a\" i: 1", "list { } list { }", "list { s: 'x' } f: 1"] {
        out += &format!("{text}\n    {}\n", seen("AttrValue", text));
    }
    for text in [
        "[type.googleapis.com/tensorflow.VersionDef] { producer: 1 } type_url: 'x'",
        "[type.googleapis.com/tensorflow.Nothing] { }",
        "[type.googleapis.com/tensorflow.VersionDef] { nothing: 1 }",
        "[type.googleapis.com/tensorflow.VersionDef]: 1",
    ] {
        out += &format!(
            "{text}\n    {}\n",
            seen("CollectionDef", &format!("any_list {{ value {{ {text} }} }}"))
        );
    }
    named_snapshot("text_parse", "refused", &out);
}

#[test]
fn unknown_names_are_dropped_on_request_and_reported() {
    let schema = Schema::tensorflow();
    let ty = schema.message("tensorflow.NodeDef").unwrap();
    let text = "name: 'n' added { in: [1, {}] } op: 'Add' later: [<x: 1>, {}]; other: - inf";
    let options = ParseOptions { unknown: Unknown::Drop, ..ParseOptions::default() };
    assert!(
        parse(schema, ty, text.as_bytes(), &options).is_err(),
        "a list holds one sort of values"
    );
    let text = text.replace("[1, {}]", "[1, 2]");
    let (message, losses) = parse(schema, ty, text.as_bytes(), &options).unwrap();
    assert_eq!(message.bytes(), read("NodeDef", "name: 'n' op: 'Add'").unwrap().bytes());
    assert_eq!(
        (losses.unknown_fields, losses.paths),
        (3, vec!["added".into(), "later".into(), "other".into()])
    );
    let broken = parse(schema, ty, &b"added: -foo"[..], &options);
    assert!(broken.is_err(), "skipped fields must follow the grammar");
}

/// A text that can be cut at every kind of place.
const PIECES: &str = r#"
meta_info_def { tags: "a" tags: 'b' any_info <type_url: "x"> }  # comment { [
graph_def: {
  node { name: "n1" op: "Const" attr { key: "T" value { type: DT_FLOAT } } attr [{ key: "b" value { list { i: [1, 2, 3] } } }, { key: "a" }] }
  node [ { name: "n2" input: ["x", "y" "z"] }, <name: "n3"> ]
  versions < producer: 5 bad_consumers: [1, 2,
    3] bad_consumers: 4 >
  library { }
}
collection_def { key: "z" value { any_list { value { [type.googleapis.com/tensorflow.VersionDef] { producer: 7, bad_consumers: 1 bad_consumers: 2 } } } } }
collection_def { key: "c" value { bytes_list { value: "\001\377" "}" value: '{' } } }
collection_def { key: "z" value { int64_list { value: [-1, 0x7f] value: 3 } } }
"#;

#[test]
fn pieces_of_every_size_and_any_number_of_threads_give_the_same_bytes() {
    let whole = ParseOptions { piece_bytes: usize::MAX, ..ParseOptions::default() };
    let expected = read_with("MetaGraphDef", PIECES.as_bytes(), &whole).unwrap();
    for piece_bytes in (1..80).chain([200, 500, 1_000]) {
        for threads in [1, 2, 3] {
            let options = ParseOptions { piece_bytes, threads, ..ParseOptions::default() };
            let message = read_with("MetaGraphDef", PIECES.as_bytes(), &options);
            let message = message.unwrap_or_else(|error| panic!("{piece_bytes} bytes: {error}"));
            assert!(message.bytes() == expected.bytes(), "{piece_bytes} bytes, {threads} threads");
        }
    }
}

#[test]
fn duplicate_fields_are_detected_across_pieces() {
    let node = "node { name: \"n\" }\n".repeat(50);
    for (text, place) in [
        (format!("graph_def {{ versions {{ }} {node} versions {{ }} }}"), "graph_def"),
        (format!("graph_def {{ {node} }} graph_def {{ }}"), "graph_def is given twice"),
    ] {
        let mut errors = Vec::new();
        for piece_bytes in [usize::MAX, 1, 64, 333] {
            for threads in [1, 2] {
                let options = ParseOptions { piece_bytes, threads, ..ParseOptions::default() };
                let error = read_with("MetaGraphDef", text.as_bytes(), &options).unwrap_err();
                errors.push(error.to_string());
            }
        }
        assert!(errors.iter().all(|error| *error == errors[0]), "{place}: {errors:#?}");
        assert!(errors[0].contains("given twice"), "{}", errors[0]);
    }
}

#[test]
fn the_first_error_of_a_text_is_reported_whatever_the_pieces() {
    let good = "node { name: 'n' }\n".repeat(30);
    let text = format!("{good}node {{ nome: 'x' }}\n{good}node {{ name 'y' }}\n{good}");
    for piece_bytes in [1, 20, 100, 400] {
        for threads in [1, 3] {
            let options = ParseOptions { piece_bytes, threads, ..ParseOptions::default() };
            let error = read_with("GraphDef", text.as_bytes(), &options).unwrap_err();
            assert_eq!(
                error.to_string(),
                "31:8: tensorflow.NodeDef has no field nome; did you mean name?"
            );
        }
    }
}
