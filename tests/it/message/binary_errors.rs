//! Errors of invalid binary messages: the offset, the field, the bytes found.

use ckdiff::json;
use ckdiff::message::{MAX_DEPTH, Message, Writer};
use ckdiff::schema::{Schema, WireType};
use ckdiff::text;
use prost::Message as _;
use prost_reflect::prost_types::field_descriptor_proto::{Label, Type};
use prost_reflect::prost_types::{
    DescriptorProto, FieldDescriptorProto, FileDescriptorProto, FileDescriptorSet,
};

use crate::support::everything;

fn error_of(ty: &str, bytes: &[u8]) -> String {
    let schema = Schema::tensorflow();
    let ty = schema.message(ty).unwrap();
    Message::decode(schema, ty, bytes.to_vec()).unwrap_err().to_string()
}

#[test]
fn truncated_messages_are_reported_with_their_field() {
    // Two nodes; the second ends inside its name, although its length covers the full name.
    let node = b"\x0a\x07\x0a\x05alpha";
    let graph = [&node[..], b"\x0a\x07\x0a\x05al"].concat();
    for (bytes, expected) in [
        (graph.as_slice(), "byte 11: node[1]: a field needs 7 bytes, 4 left"),
        (&graph[..10], "byte 10: node[1]: the length of a field needs 1 byte, 0 left"),
        (b"\x22\x03\x08\x80", "byte 2: versions: a field needs 3 bytes, 2 left"),
        (b"\x22\x02\x08\x80", "byte 3: versions.producer: a field needs 2 bytes, 1 left"),
        (b"\x0a\x04\x0a\x05al", "byte 4: node[0].name: a field needs 5 bytes, 2 left"),
        (b"\xba\x3e\x05a", "byte 3: 999: a field needs 5 bytes, 1 left"),
    ] {
        assert_eq!(error_of("tensorflow.GraphDef", bytes), expected);
    }
}

#[test]
fn a_path_of_a_thousand_levels_is_shortened() {
    let mut bytes = Vec::new();
    for _ in 0..MAX_DEPTH {
        // list_value { values { … } }
        for tag in [&[0x0a][..], &[0x9a, 0x03]] {
            let mut around = Writer::default();
            around.raw(tag);
            around.len_prefixed(&bytes);
            bytes = around.finish();
        }
    }
    let said = error_of("tensorflow.StructuredValue", &bytes);
    assert!(said.ends_with("nesting: expected at most 1000 levels, found more"), "{said}");
    assert!(said.contains("list_value.values[0].list_value") && said.contains('…'), "{said}");
    assert!(said.len() < 400, "{said}");
}

#[test]
fn a_required_field_of_another_encoding_is_missing() {
    let schema = everything::schema();
    let ty = schema.message("everything.All").unwrap();
    let missing = "needs: the required field number of everything.Needs is missing";
    for (needs, expected) in [
        (&b"\x32\x02\x08\x05"[..], None),
        (b"\x32\x00", Some(missing)),
        (b"\x32\x02\x0a\x00", Some(missing)),
        (b"\x32\x05\x0d\0\0\0\0", Some(missing)),
    ] {
        let error = Message::decode(schema, ty, needs.to_vec()).err();
        assert_eq!(error.map(|error| error.to_string()).as_deref(), expected);
    }
}

/// A schema of `message G { optional group Inner = 1 { … } }`, where the group is a G again.
fn groups() -> Schema {
    let field = FieldDescriptorProto {
        name: Some("g".to_owned()),
        number: Some(1),
        r#type: Some(Type::Group.into()),
        label: Some(Label::Optional.into()),
        type_name: Some(".p.G".to_owned()),
        ..Default::default()
    };
    let message =
        DescriptorProto { name: Some("G".to_owned()), field: vec![field], ..Default::default() };
    let file = FileDescriptorProto {
        name: Some("p.proto".to_owned()),
        package: Some("p".to_owned()),
        message_type: vec![message],
        ..Default::default()
    };
    Schema::from_descriptor_set(&FileDescriptorSet { file: vec![file] }.encode_to_vec()).unwrap()
}

#[test]
fn nested_groups_are_read_to_a_hundred_levels() {
    let schema = groups();
    let ty = schema.message("p.G").unwrap();
    let nested = |levels| {
        let mut out = Writer::default();
        (0..levels).for_each(|_| out.tag(1, WireType::Start));
        (0..levels).for_each(|_| out.tag(1, WireType::End));
        out.finish()
    };
    let deepest = Message::decode(&schema, ty, nested(100)).unwrap();
    assert_eq!(deepest.bytes(), nested(100));
    let error = Message::decode(&schema, ty, nested(101)).unwrap_err();
    let expected = "nesting: expected at most 100 levels of groups, found more";
    assert!(error.to_string().ends_with(expected), "{error}");
    // Text and JSON refuse what could not be read back from binary.
    for (levels, is_read) in [(100, true), (101, false), (300, false)] {
        let text = "g { ".repeat(levels) + &"} ".repeat(levels);
        let parsed = text::parse(&schema, ty, text.as_bytes(), &text::ParseOptions::default());
        assert_eq!(parsed.is_ok(), is_read, "{levels}");
        let json = "{\"g\":".repeat(levels) + "{}" + &"}".repeat(levels);
        let parsed = json::parse(&schema, ty, json.as_bytes(), &json::ParseOptions::default());
        assert_eq!(parsed.is_ok(), is_read, "{levels}");
    }
    // Unknown groups are not parsed, so the limit does not apply to them.
    let versions = Schema::tensorflow().message("tensorflow.VersionDef").unwrap();
    let unknown: Vec<u8> = nested(900).iter().map(|byte| byte + (9 << 3) - (1 << 3)).collect();
    let message = Message::decode(Schema::tensorflow(), versions, unknown.clone()).unwrap();
    assert_eq!(message.bytes(), unknown);
}
