//! Printed text, compared with the output of TensorFlow's Python and of protoc.

use ckdiff::text::{PrintOptions, Style, UnknownFields};
use serde_json::Value;

use crate::support::encoding::{bytes as len, group, int};
use crate::support::proto2::proto2;
use crate::support::text_message::{STYLES, printed, printed_all, printed_with};
use crate::support::{base64, fact, oracle, random_messages, sha256};

#[test]
fn every_file_of_the_corpus_is_printed_byte_for_byte() {
    let oracle = oracle("messages.json");
    let messages = oracle["messages"].as_array().unwrap();
    for facts in messages {
        let path = facts["path"].as_str().unwrap();
        let ty = facts["message"].as_str().unwrap();
        let bytes = std::fs::read(format!("tests/data/{path}")).unwrap();
        for (style, key) in [(Style::TensorFlow, "text_tensorflow"), (Style::Protoc, "text_protoc")]
        {
            let (text, losses) = printed_all(ty, &bytes, &PrintOptions::new(style));
            assert_eq!(text.len() as u64, facts[key]["bytes"], "{path}, {key}");
            assert_eq!(sha256(text.as_bytes()), facts[key]["sha256"], "{path}, {key}");
            if style == Style::TensorFlow {
                assert_eq!(losses.unknown_fields, facts["unknown_fields"], "{path}");
                assert_eq!(losses.nan_bits, facts["nan_payloads"], "{path}");
            }
        }
    }
    assert!(messages.len() >= 41, "{} files", messages.len());
}

#[test]
fn random_messages_of_every_type_are_printed_byte_for_byte() {
    for facts in random_messages() {
        let ty = facts["message"].as_str().unwrap();
        let bytes = base64(facts["binary_b64"].as_str().unwrap());
        for (style, key) in [(Style::TensorFlow, "text"), (Style::Protoc, "text_protoc")] {
            let (text, losses) = printed_all(ty, &bytes, &PrintOptions::new(style));
            match fact(&facts, key) {
                Value::String(expected) => assert_eq!(&text, expected, "{ty}, {key}"),
                digest => assert_eq!(sha256(text.as_bytes()), digest["sha256"], "{ty}, {key}"),
            }
            if style == Style::TensorFlow {
                assert_eq!(losses.nan_bits, facts["nan_payloads"], "{ty}");
            }
        }
    }
}

#[test]
fn strings_are_escaped() {
    let text = "a\"b'c\\d\n\r\t\u{7}\u{7f}é\u{80}😀?";
    let expected = [
        (Style::TensorFlow, "\"a\\\"b\\'c\\\\d\\n\\r\\t\\007\\177é\u{80}😀?\""),
        (Style::Protoc, r#""a\"b\'c\\d\n\r\t\007\177\303\251\302\200\360\237\230\200?""#),
    ];
    for (style, escaped) in expected {
        let name = printed("tensorflow.NodeDef", &len(1, text.as_bytes()), style);
        assert_eq!(name, format!("name: {escaped}\n"));
    }
    // A bytes field is never printed as characters, even if it is valid UTF-8.
    for style in STYLES {
        let content = printed("tensorflow.TensorProto", &len(4, "é\0".as_bytes()), style);
        assert_eq!(content, "tensor_content: \"\\303\\251\\000\"\n");
    }
}

/// Tests every byte at every position of a block, surrounded by plain and by escaped bytes.
#[test]
fn every_byte_is_escaped_wherever_it_stands() {
    for around in [b'x', 0xff] {
        for byte in 0..=255 {
            for at in [0, 1, 7, 15, 16, 17, 31, 32, 40] {
                let mut content = vec![around; 41];
                content[at] = byte;
                let expected: String = content.iter().map(|b| escaped(*b)).collect();
                let text = printed("tensorflow.TensorProto", &len(4, &content), Style::Protoc);
                assert_eq!(text, format!("tensor_content: \"{expected}\"\n"));
            }
        }
    }
}

fn escaped(byte: u8) -> String {
    match byte {
        b'\n' => "\\n".to_owned(),
        b'\r' => "\\r".to_owned(),
        b'\t' => "\\t".to_owned(),
        b'"' | b'\'' | b'\\' => format!("\\{}", byte as char),
        b' '..=b'~' => (byte as char).to_string(),
        _ => format!("\\{byte:03o}"),
    }
}

#[test]
fn map_entries_are_sorted_and_only_protoc_prints_their_defaults() {
    // Two entries of attr: "b" with `b: false`, and "" with an empty value.
    let entry = |key: &[u8], value: &[u8]| len(5, &[len(1, key), len(2, value)].concat());
    let bytes = [entry(b"b", &int(5, 0)), entry(b"", b"")].concat();
    let head = ["attr {\n  value {\n  }\n}\n", "attr {\n  key: \"\"\n  value {\n  }\n}\n"];
    for (style, head) in STYLES.into_iter().zip(head) {
        let tail = "attr {\n  key: \"b\"\n  value {\n    b: false\n  }\n}\n";
        assert_eq!(printed("tensorflow.NodeDef", &bytes, style), format!("{head}{tail}"));
    }
}

#[test]
fn losses_name_their_paths() {
    let tensor = [len(5, &0xffc0_0000_u32.to_le_bytes()), int(99, 1)].concat();
    let value = len(8, &tensor);
    let attr = len(5, &[len(1, b"value"), len(2, &value)].concat());
    let nodes = [len(1, b""), len(1, &attr)].concat();
    for style in STYLES {
        let (_, losses) = printed_all("tensorflow.GraphDef", &nodes, &PrintOptions::new(style));
        assert_eq!((losses.unknown_fields, losses.nan_bits), (1, 1));
        assert_eq!(
            losses.paths,
            ["node[1].attr[0].value.tensor.float_val[0]", "node[1].attr[0].value.tensor.99"]
        );
    }
}

/// `google.protobuf.Any` of a `VersionDef`, of an `Any` with a `VersionDef`, and of unknown types.
#[test]
fn any_is_expanded_where_its_type_is_known() {
    let any = |url: &str, value: &[u8]| [len(1, url.as_bytes()), len(2, value)].concat();
    let versions = any("type.googleapis.com/tensorflow.VersionDef", &int(1, 5));
    let twice = any("a/b%20/google.protobuf.Any", &versions);
    let ty = "google.protobuf.Any";
    let inner = "[type.googleapis.com/tensorflow.VersionDef] {\n  producer: 5\n}\n";
    assert_eq!(printed(ty, &versions, Style::TensorFlow), inner);
    let indented: String = inner.lines().map(|line| format!("  {line}\n")).collect();
    let expanded = format!("[a/b%20/google.protobuf.Any] {{\n{indented}}}\n");
    assert_eq!(printed(ty, &twice, Style::TensorFlow), expanded);
    let bytes = "type_url: \"type.googleapis.com/tensorflow.VersionDef\"\nvalue: \"\\010\\005\"\n";
    assert_eq!(printed(ty, &versions, Style::Protoc), bytes);
    let options = PrintOptions { expand_any: true, ..PrintOptions::new(Style::Protoc) };
    assert_eq!(printed_all(ty, &versions, &options).0, inner);
    for (url, value) in [
        ("x/unknown.Type", &[][..]),
        ("tensorflow.VersionDef", &[]),
        ("/tensorflow.VersionDef", &[]),
        ("a b/tensorflow.VersionDef", &[]),
        ("a%/tensorflow.VersionDef", &[]),
        ("x/tensorflow.VersionDef", &[0xff]),
    ] {
        let text = printed(ty, &any(url, value), Style::TensorFlow);
        assert!(text.starts_with(&format!("type_url: \"{url}\"\n")), "{text}");
    }
    // Expansion stops at a fixed depth.
    let deep = (0..2_000).fold(versions, |inner, _| any("x/google.protobuf.Any", &inner));
    let text = printed(ty, &deep, Style::TensorFlow);
    assert_eq!(text.matches("[x/google.protobuf.Any]").count(), 16);
}

#[test]
fn a_single_line_and_short_lists_are_printed_as_python_prints_them() {
    let bytes = [
        int(1, 1),
        len(2, &[len(2, &int(1, 3)), len(2, b"")].concat()),
        len(5, &[1.5_f32.to_le_bytes(), 2_f32.to_le_bytes()].concat()),
        len(7, &[1, 2]),
        len(8, b"x"),
    ]
    .concat();
    let ty = "tensorflow.TensorProto";
    let mut options = PrintOptions { single_line: true, ..PrintOptions::default() };
    let line = "dtype: DT_FLOAT tensor_shape { dim { size: 3 } dim { } } float_val: 1.5 \
                float_val: 2.0 int_val: 1 int_val: 2 string_val: \"x\"";
    assert_eq!(printed_all(ty, &bytes, &options).0, line);
    options.short_repeated = true;
    let line = "dtype: DT_FLOAT tensor_shape { dim { size: 3 } dim { } } \
                float_val: [1.5, 2.0] int_val: [1, 2] string_val: \"x\"";
    assert_eq!(printed_all(ty, &bytes, &options).0, line);
    options.single_line = false;
    let text = "dtype: DT_FLOAT\ntensor_shape {\n  dim {\n    size: 3\n  }\n  dim {\n  }\n}\n\
                float_val: [1.5, 2.0]\nint_val: [1, 2]\nstring_val: \"x\"\n";
    assert_eq!(printed_all(ty, &bytes, &options).0, text);
    assert_eq!(printed_all(ty, b"", &options).0, "");
}

#[test]
fn groups_extensions_message_sets_and_closed_enums_are_printed_in_both_styles() {
    let schema = proto2();
    let item = |number, message: &[u8]| group(1, &[int(2, number), len(3, message)].concat());
    let set = [item(100, &int(1, 5)), item(101, b""), item(999, &int(1, 8))].concat();
    let bytes = [
        len(1, b"\xe2\x82a\xc3\xa9\xff"),
        int(2, 1),
        int(2, -3),
        int(2, 7),
        group(3, &int(1, 6)),
        group(3, b""),
        len(4, &set),
        int(150, 1),
        int(300, 3),
    ]
    .concat();
    let both = "color: RED\ncolor: BLUE\nPart {\n  n: 6\n}\nPart {\n}\nset {\n  [p.Item] {\n    \
                n: 5\n  }\n";
    let (text, losses) = printed_with(&schema, "p.Outer", &bytes, &PrintOptions::default());
    let rest = "  [p.Item] {\n  }\n}\n[p.flag]: true\nlast: -2\n";
    assert_eq!(text, format!("text: \"\\342\\202aé\\377\"\n{both}{rest}"));
    assert_eq!(losses.unknown_fields, 2);
    assert_eq!(losses.paths, ["set.999", "2"]);

    let options = PrintOptions::new(Style::Protoc);
    let (text, losses) = printed_with(&schema, "p.Outer", &bytes, &options);
    let rest =
        "  [p.elsewhere] {\n  }\n  999 {\n    1: 8\n  }\n}\n[p.flag]: true\nlast: -2\n2: 7\n";
    assert_eq!(text, format!("text: \"\\342\\202a\\303\\251\\377\"\n{both}{rest}"));
    assert_eq!(losses.unknown_fields, 2);
}

#[test]
fn the_deepest_message_is_printed_on_a_small_stack() {
    // A `tensorflow.StructuredValue` of nested lists: two levels per list.
    let deep = (0..500).fold(Vec::new(), |inner, _| len(51, &len(1, &inner)));
    let groups = (0..999).fold(Vec::new(), |inner, _| group(1, &inner));
    for threads in [1, 2] {
        for style in STYLES {
            let options = PrintOptions { threads, ..PrintOptions::new(style) };
            let bytes = deep.clone();
            let unknown = group(9, &groups);
            let printing = std::thread::Builder::new().stack_size(1 << 20).spawn(move || {
                let text = printed_all("tensorflow.StructuredValue", &bytes, &options).0;
                assert_eq!(text.lines().count(), 2_000);
                let options = PrintOptions { unknown_fields: UnknownFields::ByNumber, ..options };
                let text = printed_all("tensorflow.StructuredValue", &unknown, &options).0;
                assert_eq!(text.lines().count(), 2_000);
            });
            printing.unwrap().join().unwrap();
        }
    }
}
