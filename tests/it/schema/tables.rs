//! The flat tables built from descriptors: the effects of syntax and editions, and linking errors.

use ckdiff::message::Writer;
use ckdiff::schema::{Cardinality, Kind, Schema, WireType};

/// Builds a message of the descriptors, or of their features.
#[derive(Default)]
struct Build(Writer);

impl Build {
    fn string(mut self, number: u32, text: &str) -> Self {
        self.0.tag(number, WireType::Len);
        self.0.len_prefixed(text.as_bytes());
        self
    }

    fn int(mut self, number: u32, value: u64) -> Self {
        self.0.tag(number, WireType::Varint);
        self.0.varint(value);
        self
    }

    fn message(mut self, number: u32, inside: Self) -> Self {
        self.0.tag(number, WireType::Len);
        self.0.len_prefixed(&inside.0.finish());
        self
    }
}

/// A field: name, number, label (1 optional, 2 required, 3 repeated), type, type name.
fn field(name: &str, number: u64, label: u64, code: u64, type_name: &str) -> Build {
    let field = Build::default().string(1, name).int(3, number).int(4, label).int(5, code);
    if type_name.is_empty() { field } else { field.string(6, type_name) }
}

/// Field options with one feature set.
fn with_feature(field: Build, feature: u32, value: u64) -> Build {
    field.message(8, Build::default().message(21, Build::default().int(feature, value)))
}

fn message(name: &str, fields: Vec<Build>) -> Build {
    fields.into_iter().fold(Build::default().string(1, name), |m, field| m.message(2, field))
}

/// A descriptor set with one file of these messages.
fn linked(syntax: &str, edition: u64, messages: Vec<Build>) -> ckdiff::Result<Schema> {
    let file = Build::default().string(1, "t.proto").string(2, "t").string(12, syntax);
    let values = Build::default().message(2, Build::default().string(1, "A").int(2, 3));
    let file = file.int(14, edition).message(5, values.string(1, "E"));
    let file = messages.into_iter().fold(file, |file, message| file.message(4, message));
    Schema::from_descriptor_set(&Build::default().message(1, file).0.finish())
}

fn fields() -> Vec<Build> {
    vec![
        field("int", 1, 1, 5, ""),
        field("ints", 2, 3, 5, ""),
        field("text", 3, 1, 9, ""),
        field("choice", 4, 1, 14, ".t.E"),
        field("m", 5, 1, 11, ".t.M"),
    ]
}

#[test]
fn syntax_and_edition_decide_presence_packing_utf8_and_closed_enums() {
    for (syntax, edition, [presence, packed, utf8, closed]) in [
        ("proto2", 0, [true, false, false, true]),
        ("proto3", 0, [false, true, true, false]),
        ("editions", 1000, [true, true, true, false]),
        ("editions", 1001, [true, true, true, false]),
    ] {
        let schema = linked(syntax, edition, vec![message("M", fields())]).unwrap();
        let ty = schema.message("t.M").unwrap();
        let named = |name: &str| ty.field_by_name(name.as_bytes()).unwrap();
        assert_eq!(named("int").has_presence, presence, "{syntax}");
        assert_eq!(named("ints").is_packed, packed, "{syntax}");
        assert_eq!(named("text").is_utf8, utf8, "{syntax}");
        let Kind::Enum(id) = named("choice").kind else { panic!("{:?}", named("choice")) };
        assert_eq!((schema[id].is_closed, schema[id].default), (closed, 3), "{syntax}");
        assert!(named("m").has_presence, "message fields always have presence");
    }
}

#[test]
fn an_error_deep_in_a_descriptor_set_is_short() {
    let mut nested = Build::default().string(1, "M");
    for _ in 0..300 {
        nested = Build::default().string(1, "M").message(3, nested);
    }
    let file = Build::default().string(1, "t.proto").message(4, nested);
    let error = Schema::from_descriptor_set(&Build::default().message(1, file).0.finish());
    let error = error.unwrap_err().to_string();
    assert!(error.contains("this is not a FileDescriptorSet") && error.len() < 300, "{error}");
}

#[test]
fn features_of_a_field_override_those_of_its_edition() {
    let fields = vec![
        with_feature(field("implicit", 1, 1, 5, ""), 1, 2),
        with_feature(field("required", 2, 1, 5, ""), 1, 3),
        with_feature(field("expanded", 3, 3, 5, ""), 3, 2),
        with_feature(field("bytes_like", 4, 1, 9, ""), 4, 3),
        with_feature(field("group", 5, 1, 11, ".t.M"), 5, 2),
    ];
    let schema = linked("editions", 1000, vec![message("M", fields)]).unwrap();
    let ty = schema.message("t.M").unwrap();
    let field = |number| ty.field(number).unwrap();
    assert!(!field(1).has_presence);
    assert_eq!(field(2).cardinality, Cardinality::Required);
    assert!(!field(3).is_packed && !field(4).is_utf8);
    assert_eq!(field(5).kind, Kind::Group(ty.id));
    assert!(ty.has_required);
}

#[test]
fn values_of_a_map_are_not_groups() {
    let key = field("key", 1, 1, 9, "");
    let value = with_feature(field("value", 2, 1, 11, ".t.M"), 5, 2);
    let is_entry = Build::default().int(7, 1);
    let entry = message("MapEntry", vec![key, value]).message(7, is_entry);
    let map = message("M", vec![field("map", 1, 3, 11, ".t.M.MapEntry")]).message(3, entry);
    let schema = linked("editions", 1000, vec![map]).unwrap();
    let value = schema.message("t.M.MapEntry").unwrap().field(2).unwrap();
    assert_eq!(value.kind, Kind::Message(schema.message("t.M").unwrap().id));
    assert_eq!(value.wire_type, WireType::Len);
}

#[test]
fn default_json_names_are_lower_camel() {
    let names = ["field_0_name6", "__field_name13", "FIELD_name12", "a"];
    let fields = names.iter().zip(1..).map(|(name, number)| field(name, number, 1, 5, ""));
    let schema = linked("proto3", 0, vec![message("M", fields.collect())]).unwrap();
    let ty = schema.message("t.M").unwrap();
    let json: Vec<_> = ty.fields.iter().map(|field| &*field.json_name).collect();
    assert_eq!(json, ["field0Name6", "FieldName13", "FIELDName12", "a"]);
    assert_eq!(ty.field_by_json_name(b"FIELDName12").unwrap().number, 3);
    assert_eq!(ty.field_by_json_name(b"FIELD_name12").unwrap().number, 3);
}

#[test]
fn descriptors_that_cannot_be_linked_are_refused() {
    let one = |field| vec![message("M", vec![field])];
    for (messages, reason) in [
        (
            one(field("m", 1, 1, 11, ".t.Nothing")),
            "type of a field: expected a known message in t.M, found .t.Nothing",
        ),
        (
            one(field("e", 1, 1, 14, ".t.M")),
            "type of a field: expected a known enum in t.M, found .t.M",
        ),
        (one(field("n", 0, 1, 5, "")), "number of a field: expected 1 to 2^29 - 1 in t.M, found 0"),
        (one(field("n", 1, 1, 99, "")), "type of a field: expected 1 to 18 in t.M, found 99"),
        (
            vec![message("M", vec![]), message("M", vec![])],
            "type: expected one definition, found t.M twice",
        ),
        (
            vec![message("M", vec![field("a", 1, 1, 5, ""), field("b", 1, 1, 5, "")])],
            "number of a field: expected a unique number, found one of two fields of t.M",
        ),
    ] {
        assert_eq!(linked("proto3", 0, messages).unwrap_err().to_string(), reason);
    }
    let edition = linked("editions", 9999, vec![]).unwrap_err().to_string();
    assert_eq!(edition, "edition: expected 2023 (1000) or 2024 (1001), found number 9999");
    assert!(Schema::from_descriptor_set(b"\x0a\xff").is_err());
}
