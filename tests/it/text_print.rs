//! Text as it is printed, against what TensorFlow's Python and protoc print.

use std::io::{self, Write};
use std::panic;

use ckdiff::message::{Losses, Message};
use ckdiff::schema::Schema;
use ckdiff::text::{PrintOptions, Style, UnknownFields, print};
use prost::Message as _;
use prost_reflect::prost_types::field_descriptor_proto::{Label, Type};
use prost_reflect::prost_types::{
    DescriptorProto, EnumDescriptorProto, EnumValueDescriptorProto, FieldDescriptorProto,
    FileDescriptorProto, FileDescriptorSet, MessageOptions, descriptor_proto::ExtensionRange,
};
use serde_json::Value;

use crate::support::{Random, base64, oracle, sha256};

const STYLES: [Style; 2] = [Style::TensorFlow, Style::Protoc];

/// The bits of a number, and its text in both styles.
type Spelled<Bits> = (Bits, &'static str, &'static str);

/// Written by protobuf 7.36 for Python and protoc 3.21.12.
const FLOATS: &[Spelled<u32>] = &[
    (0x0000_0000, "0.0", "0"),
    (0x8000_0000, "-0.0", "-0"),
    (0x0000_0001, "1.4013e-45", "1.40129846e-45"),
    (0x8000_0001, "-1.4013e-45", "-1.40129846e-45"),
    (0x007f_ffff, "1.1754942e-38", "1.17549421e-38"),
    (0x0080_0000, "1.1754944e-38", "1.17549435e-38"),
    (0x7f7f_ffff, "3.4028235e+38", "3.40282347e+38"),
    (0x7f80_0000, "inf", "inf"),
    (0xff80_0000, "-inf", "-inf"),
    (0x7fc0_0000, "nan", "nan"),
    (0xffc0_0000, "nan", "nan"),
    (0x3f80_0000, "1.0", "1"),
    (0xbf80_0000, "-1.0", "-1"),
    (0x3dcc_cccd, "0.1", "0.1"),
    (0x3eaa_aaab, "0.33333334", "0.333333343"),
    (0x3f2a_aaab, "0.6666667", "0.666666687"),
    (0x3d2a_c334, "0.041690066", "0.0416900665"),
    (0x38d1_b717, "0.0001", "0.0001"),
    (0x3727_c5ac, "1e-05", "1e-05"),
    (0x3901_742d, "0.00012345678", "0.000123456775"),
    (0x47f1_2000, "123456.0", "123456"),
    (0x4996_b438, "1234567.0", "1234567"),
    (0x4ceb_79a3, "123456790.0", "123456792"),
    (0x4b80_0000, "16777216.0", "16777216"),
    (0x4e6e_6b28, "1000000000.0", "1e+09"),
    (0x5015_02f9, "10000000000.0", "1e+10"),
    (0x5863_5fa9, "1000000000000000.0", "1e+15"),
    (0x5a0e_1bca, "1e+16", "1e+16"),
    (0x5bb1_a2bc, "1e+17", "1e+17"),
    (0x3e99_999a, "0.3", "0.3"),
    (0x3380_0000, "5.9604645e-08", "5.96046448e-08"),
    (0x6c80_0000, "1.23794004e+27", "1.23794004e+27"),
];

const DOUBLES: &[Spelled<u64>] = &[
    (0x0000_0000_0000_0000, "0.0", "0"),
    (0x8000_0000_0000_0000, "-0.0", "-0"),
    (0x0000_0000_0000_0001, "5e-324", "4.94065645841247e-324"),
    (0x000f_ffff_ffff_ffff, "2.225073858507201e-308", "2.2250738585072009e-308"),
    (0x0010_0000_0000_0000, "2.2250738585072014e-308", "2.2250738585072014e-308"),
    (0x7fef_ffff_ffff_ffff, "1.7976931348623157e+308", "1.7976931348623157e+308"),
    (0x7ff0_0000_0000_0000, "inf", "inf"),
    (0xfff0_0000_0000_0000, "-inf", "-inf"),
    (0x7ff8_0000_0000_0000, "nan", "nan"),
    (0xfff8_0000_0000_0001, "nan", "nan"),
    (0x3ff0_0000_0000_0000, "1.0", "1"),
    (0xbff8_0000_0000_0000, "-1.5", "-1.5"),
    (0x3fb9_9999_9999_999a, "0.1", "0.1"),
    (0x3fd5_5555_5555_5555, "0.3333333333333333", "0.33333333333333331"),
    (0x3fd3_3333_3333_3334, "0.30000000000000004", "0.30000000000000004"),
    (0x3f1a_36e2_eb1c_432d, "0.0001", "0.0001"),
    (0x3ee4_f8b5_88e3_68f1, "1e-05", "1e-05"),
    (0x419d_6f34_5400_0000, "123456789.0", "123456789"),
    (0x4202_a05f_2000_0000, "10000000000.0", "10000000000"),
    (0x430c_6bf5_2634_0000, "1000000000000000.0", "1e+15"),
    (0x4341_c379_37e0_8000, "1e+16", "1e+16"),
    (0x4376_3457_85d8_a000, "1e+17", "1e+17"),
    (0x437b_69b4_ba63_0f35, "1.2345678901234568e+17", "1.2345678901234568e+17"),
    (0x4340_0000_0000_0000, "9007199254740992.0", "9007199254740992"),
    (0x4284_fad8_6054_a440, "2883450571412.5312", "2883450571412.5312"),
    (0x3e60_0000_0000_0000, "2.9802322387695312e-08", "2.9802322387695312e-08"),
    (0x4580_0000_0000_0000, "6.189700196426902e+26", "6.1897001964269014e+26"),
    (0x4011_6666_6666_6666, "4.35", "4.35"),
    (0x4480_f0cf_064d_d592, "1e+22", "1e+22"),
    (0x44b5_2d02_c7e1_4af6, "1e+23", "1e+23"),
];

/// The text of a message of TensorFlow's, and what it does not carry.
fn printed_all(ty: &str, bytes: &[u8], options: &PrintOptions) -> (String, Losses) {
    printed_with(Schema::tensorflow(), ty, bytes, options)
}

fn printed_with(
    schema: &Schema,
    ty: &str,
    bytes: &[u8],
    options: &PrintOptions,
) -> (String, Losses) {
    let ty = schema.message(ty).unwrap();
    let message = Message::decode_partial(schema, ty, bytes.to_vec()).unwrap();
    let mut text = Vec::new();
    let losses = print(&message, options, &mut text).unwrap();
    (String::from_utf8(text).unwrap(), losses)
}

fn printed(ty: &str, bytes: &[u8], style: Style) -> String {
    printed_all(ty, bytes, &PrintOptions::new(style)).0
}

fn varint(mut value: u64) -> Vec<u8> {
    let mut bytes = Vec::new();
    while value >= 0x80 {
        bytes.push(value as u8 | 0x80);
        value >>= 7;
    }
    bytes.push(value as u8);
    bytes
}

/// A field with a length.
fn len(number: u64, content: &[u8]) -> Vec<u8> {
    [varint(number << 3 | 2), varint(content.len() as u64), content.to_vec()].concat()
}

fn int(number: u64, value: u64) -> Vec<u8> {
    [varint(number << 3), varint(value)].concat()
}

fn group(number: u64, content: &[u8]) -> Vec<u8> {
    [varint(number << 3 | 3), content.to_vec(), varint(number << 3 | 4)].concat()
}

#[test]
fn floats_are_spelled_as_both_programs_do() {
    for (bits, python, protoc) in FLOATS {
        let bytes = [&[5 << 3 | 5][..], &bits.to_le_bytes()].concat();
        for (style, text) in [(Style::TensorFlow, python), (Style::Protoc, protoc)] {
            let expected = format!("float_val: {text}\n");
            assert_eq!(printed("tensorflow.TensorProto", &bytes, style), expected, "{bits:#x}");
        }
    }
    for (bits, python, protoc) in DOUBLES {
        let bytes = [&[6 << 3 | 1][..], &bits.to_le_bytes()].concat();
        for (style, text) in [(Style::TensorFlow, python), (Style::Protoc, protoc)] {
            let expected = format!("double_val: {text}\n");
            assert_eq!(printed("tensorflow.TensorProto", &bytes, style), expected, "{bits:#x}");
        }
    }
}

/// Whatever the digits, they are those of the number.
#[test]
fn random_floats_read_back() {
    let mut random = Random::new(1);
    for style in STYLES {
        let floats: Vec<_> = (0..20_000).map(|_| random.next() as u32).collect();
        let bytes: Vec<_> = floats.iter().flat_map(|bits| bits.to_le_bytes()).collect();
        let text = printed("tensorflow.TensorProto", &len(5, &bytes), style);
        assert_eq!(text.lines().count(), floats.len());
        for (line, bits) in text.lines().zip(floats) {
            let read: f32 = line.strip_prefix("float_val: ").unwrap().parse().unwrap();
            let value = f32::from_bits(bits);
            assert!(read == value || read.is_nan() && value.is_nan(), "{line}: {bits:#x}");
        }
        let doubles: Vec<_> = (0..20_000).map(|_| random.next()).collect();
        let bytes: Vec<_> = doubles.iter().flat_map(|bits| bits.to_le_bytes()).collect();
        let text = printed("tensorflow.TensorProto", &len(6, &bytes), style);
        for (line, bits) in text.lines().zip(doubles) {
            let read: f64 = line.strip_prefix("double_val: ").unwrap().parse().unwrap();
            let value = f64::from_bits(bits);
            assert!(read == value || read.is_nan() && value.is_nan(), "{line}: {bits:#x}");
        }
    }
}

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
    assert!(messages.len() > 30, "{} files", messages.len());
}

#[test]
fn random_messages_of_every_type_are_printed_byte_for_byte() {
    let lines = std::fs::read_to_string("tests/data/graphs/random.jsonl").unwrap();
    for line in lines.lines() {
        let facts: Value = serde_json::from_str(line).unwrap();
        let ty = facts["message"].as_str().unwrap();
        let bytes = base64(facts["binary_b64"].as_str().unwrap());
        for (style, key) in [(Style::TensorFlow, "text"), (Style::Protoc, "text_protoc")] {
            let (text, losses) = printed_all(ty, &bytes, &PrintOptions::new(style));
            match &facts[key] {
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
    // Bytes are no characters, even where they could be.
    for style in STYLES {
        let content = printed("tensorflow.TensorProto", &len(4, "é\0".as_bytes()), style);
        assert_eq!(content, "tensor_content: \"\\303\\251\\000\"\n");
    }
}

/// Every byte, at every place of a block, among others that are plain and among others that are not.
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
fn entries_of_maps_are_sorted_and_only_protoc_prints_their_defaults() {
    // attr: "b" -> b: false; "" -> nothing.
    let entry = |key: &[u8], value: &[u8]| len(5, &[len(1, key), len(2, value)].concat());
    let bytes = [entry(b"b", &int(5, 0)), entry(b"", b"")].concat();
    let head = ["attr {\n  value {\n  }\n}\n", "attr {\n  key: \"\"\n  value {\n  }\n}\n"];
    for (style, head) in STYLES.into_iter().zip(head) {
        let tail = "attr {\n  key: \"b\"\n  value {\n    b: false\n  }\n}\n";
        assert_eq!(printed("tensorflow.NodeDef", &bytes, style), format!("{head}{tail}"));
    }
}

#[test]
fn unknown_fields_are_left_out_or_shown_by_number_and_counted() {
    let deep = (0..12).fold(b"x".to_vec(), |inner, _| len(1, &inner));
    let unknown = [
        int(9, u64::MAX),
        [&[10 << 3 | 5][..], b"abcd"].concat(),
        [&[10 << 3 | 1][..], b"abcdefgh"].concat(),
        len(11, &int(1, 1)),
        len(11, b"abc"),
        len(11, b""),
        group(12, &[int(1, 5), group(2, b"")].concat()),
        len(13, &[8, 1, 12]),
        len(13, &[0, 1]),
        len(14, &deep),
    ];
    let bytes = [int(1, 7), unknown.concat()].concat();
    let mut options = PrintOptions::default();
    let (text, losses) = printed_all("tensorflow.VersionDef", &bytes, &options);
    assert_eq!(text, "producer: 7\n");
    assert_eq!(losses.unknown_fields, 10);
    assert_eq!(losses.paths[..3], ["9", "10", "11"]);

    options.unknown_fields = UnknownFields::ByNumber;
    let (text, losses) = printed_all("tensorflow.VersionDef", &bytes, &options);
    assert_eq!(losses.unknown_fields, 10);
    let python = "producer: 7\n9: 18446744073709551615\n10: 1684234849\n\
                  10: 7523094288207667809\n11 {\n  1: 1\n}\n11: \"abc\"\n11 {\n}\n\
                  12 {\n  1: 5\n  2 {\n  }\n}\n13 {\n  1: 1\n}\n13 {\n  0: 1\n}\n14 {\n";
    assert!(text.starts_with(python), "{text}");

    let text = printed("tensorflow.VersionDef", &bytes, Style::Protoc);
    let protoc = "producer: 7\n9: 18446744073709551615\n10: 0x64636261\n\
                  10: 0x6867666564636261\n11 {\n  1: 1\n}\n11: \"abc\"\n11: \"\"\n\
                  12 {\n  1: 5\n  2 {\n  }\n}\n13: \"\\010\\001\\014\"\n13: \"\\000\\001\"\n14 {\n";
    assert!(text.starts_with(protoc), "{text}");
    // The tenth message inside another is a string to protoc.
    assert!(text.contains(&format!("{}1: \"\\n\\003\\n\\001x\"\n", " ".repeat(20))), "{text}");
}

#[test]
fn losses_name_their_places() {
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

/// `google.protobuf.Any` of a `VersionDef`, once more inside, and one of which nothing is known.
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
    // However deep they are, it ends.
    let deep = (0..2_000).fold(versions, |inner, _| any("x/google.protobuf.Any", &inner));
    let text = printed(ty, &deep, Style::TensorFlow);
    assert_eq!(text.matches("[x/google.protobuf.Any]").count(), 16);
}

#[test]
fn a_single_line_and_short_lists_are_as_python_has_them() {
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

/// Proto2: groups, extensions, message sets, closed enums, strings of any bytes.
fn proto2() -> Schema {
    let field =
        |name: &str, number, ty: Type, label: Label, type_name: &str| FieldDescriptorProto {
            name: Some(name.to_owned()),
            number: Some(number),
            r#type: Some(ty.into()),
            label: Some(label.into()),
            type_name: Some(type_name.to_owned()).filter(|name| !name.is_empty()),
            ..Default::default()
        };
    let message = |name: &str, fields: Vec<_>| DescriptorProto {
        name: Some(name.to_owned()),
        field: fields,
        ..Default::default()
    };
    let extension = |extendee: &str, field: FieldDescriptorProto| FieldDescriptorProto {
        extendee: Some(extendee.to_owned()),
        ..field
    };
    let range = |end| ExtensionRange { start: Some(100), end: Some(end), ..Default::default() };
    let (one, many) = (Label::Optional, Label::Repeated);
    let value = |name: &str, number| EnumValueDescriptorProto {
        name: Some(name.to_owned()),
        number: Some(number),
        ..Default::default()
    };
    let color = EnumDescriptorProto {
        name: Some("Color".to_owned()),
        value: vec![value("RED", 1), value("ROT", 1), value("BLUE", -3)],
        ..Default::default()
    };
    let outer = DescriptorProto {
        nested_type: vec![message("Part", vec![field("n", 1, Type::Int32, one, "")])],
        extension_range: vec![range(200)],
        ..message(
            "Outer",
            vec![
                field("text", 1, Type::String, one, ""),
                field("color", 2, Type::Enum, many, ".p.Color"),
                field("part", 3, Type::Group, many, ".p.Outer.Part"),
                field("set", 4, Type::Message, one, ".p.Set"),
                field("last", 300, Type::Sint64, one, ""),
            ],
        )
    };
    let set = DescriptorProto {
        extension_range: vec![range(i32::MAX)],
        options: Some(MessageOptions { message_set_wire_format: Some(true), ..Default::default() }),
        ..message("Set", vec![])
    };
    let item = DescriptorProto {
        extension: vec![extension(".p.Set", field("in_set", 100, Type::Message, one, ".p.Item"))],
        ..message("Item", vec![field("n", 1, Type::Int32, one, "")])
    };
    let file = FileDescriptorProto {
        name: Some("p.proto".to_owned()),
        package: Some("p".to_owned()),
        message_type: vec![outer, set, item],
        enum_type: vec![color],
        extension: vec![
            extension(".p.Outer", field("flag", 150, Type::Bool, one, "")),
            extension(".p.Set", field("elsewhere", 101, Type::Message, one, ".p.Item")),
        ],
        ..Default::default()
    };
    Schema::from_descriptor_set(&FileDescriptorSet { file: vec![file] }.encode_to_vec()).unwrap()
}

#[test]
fn groups_extensions_message_sets_and_closed_enums_are_printed_as_both_programs_do() {
    let schema = proto2();
    let item = |number, message: &[u8]| group(1, &[int(2, number), len(3, message)].concat());
    let set = [item(100, &int(1, 5)), item(101, b""), item(999, &int(1, 8))].concat();
    let bytes = [
        len(1, b"\xe2\x82a\xc3\xa9\xff"),
        int(2, 1),
        int(2, -3_i64 as u64),
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
    // `tensorflow.StructuredValue` of lists of values: two levels each.
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

/// A graph with many small nodes, some large ones, long strings, long lists, unknown fields and odd NaNs.
fn large_graph() -> Vec<u8> {
    // The function is one message as large as all the nodes: its parts are cut in turn.
    [large_nodes(1), len(2, &len(1, &large_nodes(3)))].concat()
}

fn large_nodes(number: u64) -> Vec<u8> {
    let mut random = Random::new(number);
    let mut nodes = Vec::new();
    for i in 0..3_000_u64 {
        let name = format!("node/{i}");
        let mut tensor = int(1, 1);
        let size = if random.one_in(500) { 150_000 } else { random.below(50) };
        match random.below(5) {
            0 => tensor.extend(len(4, &random.bytes(size as usize))),
            1 => tensor.extend(len(5, &random.bytes(size as usize * 4))),
            2 => tensor.extend(len(8, &random.bytes(size as usize))),
            3 => {
                let numbers: Vec<_> = (0..size).flat_map(|_| varint(random.next() >> 32)).collect();
                tensor.extend(len(16, &numbers));
            }
            _ => tensor.extend(int(77, 1)),
        }
        let attr = len(5, &[len(1, b"value"), len(2, &len(8, &tensor))].concat());
        nodes.extend(len(number, &[len(1, name.as_bytes()), attr].concat()));
    }
    nodes
}

#[test]
fn any_number_of_threads_prints_the_same() {
    let graph = large_graph();
    for style in STYLES {
        for short_repeated in [false, true] {
            let one = PrintOptions { short_repeated, ..PrintOptions::new(style) };
            let expected = printed_all("tensorflow.GraphDef", &graph, &one);
            for threads in [2, 3, 8] {
                let options = PrintOptions { threads, ..one.clone() };
                let found = printed_all("tensorflow.GraphDef", &graph, &options);
                // Not `assert_eq`: nobody wants to read both.
                assert!(found.0 == expected.0, "{threads} threads");
                assert_eq!(found.1, expected.1);
            }
        }
    }
}

/// About how many bytes of a message the program prints in one piece.
const PIECE: usize = 128 << 10;

/// `bytes` as a message that is long enough for several threads, with something behind them.
fn between(bytes: &[u8]) -> Vec<u8> {
    let node = len(1, &len(1, &vec![b'n'; PIECE / 4]));
    [node.repeat(5), bytes.to_vec(), node.repeat(5)].concat()
}

/// A field, its content or a message around it is as long as a piece, or a little more or less.
#[test]
fn what_is_about_as_long_as_a_piece_is_printed_whole() {
    for size in (PIECE - 8..=PIECE + 8).chain(2 * PIECE - 8..=2 * PIECE + 8) {
        let text = vec![b'x'; size];
        let attr = |value: &[u8]| len(5, &[len(1, b"v"), len(2, value)].concat());
        let node = |field: &[u8]| between(&len(1, field));
        let tensor = |field: &[u8]| between(&len(1, &attr(&len(8, field))));
        let floats = 1.5_f32.to_le_bytes().repeat(size / 4);
        let graphs = [
            (1, node(&len(1, &text))),
            (1, node(&[len(1, &text), len(2, b"op")].concat())),
            (1, tensor(&len(4, &text))),
            (1, tensor(&len(8, &text))),
            (size, tensor(&len(7, &vec![1; size]))),
            (size / 2, tensor(&len(7, &[0x81, 1].repeat(size / 2)))),
            (size / 4, tensor(&len(5, &floats))),
        ];
        // Lists take long.
        let count = if size % 4 == 0 { 7 } else { 4 };
        for (i, (values, graph)) in graphs.iter().enumerate().take(count) {
            for style in STYLES {
                let one = PrintOptions::new(style);
                let expected = printed_all("tensorflow.GraphDef", graph, &one);
                let whole = match i {
                    0..=3 => format!(": \"{}\"\n", "x".repeat(size)),
                    4 => "int_val: 1\n".to_owned(),
                    5 => "int_val: 129\n".to_owned(),
                    _ => "float_val: 1.5\n".to_owned(),
                };
                assert_eq!(expected.0.matches(&whole).count(), *values, "{size}, graph {i}");
                for threads in [2, 3] {
                    let options = PrintOptions { threads, ..one.clone() };
                    let found = printed_all("tensorflow.GraphDef", graph, &options);
                    // Not `assert_eq`: nobody wants to read both.
                    assert!(found == expected, "{size}, graph {i}, {threads} threads");
                }
            }
        }
    }
}

/// Groups and fields with a length inside each other, known and unknown ones, at the length of a piece.
#[test]
fn groups_about_as_long_as_a_piece_are_printed_whole() {
    let schema = proto2();
    for size in (PIECE - 8..=PIECE + 8).chain([2 * PIECE - 1, 2 * PIECE, 2 * PIECE + 1]) {
        // Two bytes each, and one of three.
        let numbers =
            [int(1, 6).repeat(size / 2 - size % 2), int(1, 200).repeat(size % 2)].concat();
        assert_eq!(numbers.len(), size);
        let part = group(3, &numbers);
        let text = len(1, &[b'x'].repeat(size));
        let bytes = [part.repeat(3), text.clone(), len(99, &text), group(98, &part)].concat();
        for style in STYLES {
            let one = PrintOptions::new(style);
            let expected = printed_with(&schema, "p.Outer", &bytes, &one);
            for threads in [2, 3] {
                let options = PrintOptions { threads, ..one.clone() };
                let found = printed_with(&schema, "p.Outer", &bytes, &options);
                assert!(found == expected, "{size}, {threads} threads");
            }
        }
    }
}

/// Many fields inside many unknown groups are read once, not once for each level.
#[test]
fn fields_deep_inside_unknown_groups_are_printed_in_order() {
    let long = len(1, &vec![0xff; 1 << 18]);
    let inner = [int(1, 5), long, int(2, 6)].concat();
    let groups = (0..990).fold(inner, |inner, _| [int(3, 7), group(4, &inner)].concat());
    for style in STYLES {
        let unknown_fields = UnknownFields::ByNumber;
        let options = PrintOptions { unknown_fields, ..PrintOptions::new(style) };
        let text = printed_all("tensorflow.VersionDef", &len(9, &groups[2..]), &options).0;
        // Python reads only so many groups in what may be a string.
        assert!(text.starts_with("9: \"#\\030"), "{}", &text[..40]);
        let text = printed_all("tensorflow.VersionDef", &group(9, &groups), &options).0;
        assert_eq!(text.matches("3: 7\n").count(), 990);
        assert_eq!(text.lines().count(), 2 + 990 * 3 + 3);
        let last = text.lines().rev().take(992).collect::<Vec<_>>();
        assert_eq!(last[991].trim_start(), "2: 6");
        for (depth, line) in last[..991].iter().enumerate() {
            assert_eq!(**line, format!("{}}}", " ".repeat(2 * depth)));
        }
    }
}

/// In one line, since the indentation alone would be gigabytes.
#[test]
fn many_fields_inside_many_unknown_groups_are_read_once() {
    let inner = int(1, 5).repeat(1 << 20);
    let groups = (0..990).fold(inner, |inner, _| group(4, &inner));
    for style in STYLES {
        let unknown_fields = UnknownFields::ByNumber;
        let single_line = true;
        let options = PrintOptions { unknown_fields, single_line, ..PrintOptions::new(style) };
        let text = printed_all("tensorflow.VersionDef", &groups, &options).0;
        let expected = ["4 { ".repeat(990), "1: 5 ".repeat(1 << 20), "} ".repeat(990)].concat();
        assert!(text == expected.trim_end());
    }
}

/// Takes so many bytes, then panics.
struct Broken(usize);

impl Write for Broken {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0 = self.0.checked_sub(bytes.len()).expect("it is broken");
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// The other threads do not wait for the one that is gone.
#[test]
fn a_panic_is_passed_on() {
    let schema = Schema::tensorflow();
    let ty = schema.message("tensorflow.GraphDef").unwrap();
    let message = Message::decode(schema, ty, large_graph()).unwrap();
    for threads in [1, 3] {
        for room in [0, 1 << 20] {
            let options = PrintOptions { threads, ..PrintOptions::default() };
            let printing = || print(&message, &options, &mut Broken(room));
            assert!(panic::catch_unwind(panic::AssertUnwindSafe(printing)).is_err());
        }
    }
}

/// Takes so many bytes, then none.
struct Full(usize);

impl Write for Full {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        if bytes.len() > self.0 {
            return Err(io::Error::other("it is full"));
        }
        self.0 -= bytes.len();
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

#[test]
fn what_cannot_be_written_is_an_error() {
    let schema = Schema::tensorflow();
    let ty = schema.message("tensorflow.GraphDef").unwrap();
    let message = Message::decode(schema, ty, large_graph()).unwrap();
    for threads in [1, 3] {
        for room in [0, 1, 1 << 20] {
            let options = PrintOptions { threads, ..PrintOptions::default() };
            let error = print(&message, &options, &mut Full(room)).unwrap_err();
            assert_eq!(error.to_string(), "cannot write: it is full");
        }
    }
}
