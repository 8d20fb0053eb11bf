//! The compiled `proto/`, compared with the facts in `tests/data/schema.tsv`; the structs, compared with both.

use std::collections::BTreeMap;
use std::fmt::Debug;

use ckdiff::schema::{self, google, tensorflow};
use prost::{Message, Name};
use prost_reflect::prost_types::field_descriptor_proto::{Label, Type};
use prost_reflect::{
    DynamicMessage, EnumDescriptor, FieldDescriptor, FileDescriptor, MessageDescriptor, Syntax,
};

const FACTS: &str = include_str!("../../data/schema.tsv");
const COLUMNS: &str = "file\tsyntax\tfull_name\tkind\tfield\tnumber\tlabel\ttype\ttype_name\t\
                       oneof\tpacked\tjson_name\tdefault";

#[test]
fn every_fact_is_in_the_schema_and_nothing_else_is() {
    let (header, facts) = FACTS.split_once('\n').expect("a header line");
    assert_eq!(header, COLUMNS);
    assert!(facts.lines().count() >= 694, "{} facts", facts.lines().count());

    let compiled: Vec<String> = schema::pool().files().flat_map(|file| rows(&file)).collect();
    let report = difference(facts.lines(), compiled.iter().map(String::as_str));
    assert!(report.is_empty(), "tests/data/schema.tsv (-) and proto/ (+) disagree:\n{report}");
}

#[test]
fn a_row_missing_doubled_or_altered_on_either_side_is_reported() {
    for (lhs, rhs, report) in [
        (&["a", "b"][..], &["b", "a"][..], ""),
        (&["a", "b"], &["a"], "- b\n"),
        (&["a"], &["a", "b"], "+ b\n"),
        (&["a", "a"], &["a"], "- a\n"),
        (&["a 1"], &["a 2"], "- a 1\n+ a 2\n"),
    ] {
        assert_eq!(difference(lhs.iter().copied(), rhs.iter().copied()), report);
    }
}

#[test]
fn structs_and_descriptors_agree_on_the_wire() {
    agrees(&tensorflow::BundleEntryProto {
        dtype: tensorflow::DataType::DtFloat.into(),
        offset: 4096,
        size: 16,
        crc32c: 0xa282_ead8,
        ..Default::default()
    });
    agrees(&tensorflow::NodeDef {
        name: "x".to_owned(),
        attr: [("b", false), ("a", true)]
            .map(|(key, b)| {
                let value = Some(tensorflow::attr_value::Value::B(b));
                (key.to_owned(), tensorflow::AttrValue { value })
            })
            .into(),
        ..Default::default()
    });
    agrees(&tensorflow::GraphDebugInfo {
        traces_by_id: [(
            7,
            tensorflow::graph_debug_info::StackTrace {
                frame_id: vec![1, u64::MAX],
                ..Default::default()
            },
        )]
        .into(),
        ..Default::default()
    });
    agrees(&google::protobuf::BoolValue { value: true });
}

/// The rows of `schema.tsv` for one file, in any order.
fn rows(file: &FileDescriptor) -> Vec<String> {
    let mut rows = Vec::new();
    let mut messages: Vec<MessageDescriptor> = file.messages().collect();
    let mut enums: Vec<EnumDescriptor> = file.enums().collect();
    while let Some(message) = messages.pop() {
        messages.extend(message.child_messages());
        enums.extend(message.child_enums());
        let kind = if message.is_map_entry() { "map_entry" } else { "message" };
        let none = [""; 8];
        rows.push(row(file, message.full_name(), kind, none, &reserved(&message)));
        rows.extend(message.fields().map(|field| field_row(file, &message, &field)));
    }
    for descriptor in enums {
        for value in descriptor.values() {
            let number = value.number().to_string();
            let columns = [value.name(), &number, "", "", "", "", "", ""];
            rows.push(row(file, descriptor.full_name(), "enum_value", columns, ""));
        }
    }
    rows
}

fn field_row(
    file: &FileDescriptor,
    message: &MessageDescriptor,
    field: &FieldDescriptor,
) -> String {
    let proto = field.field_descriptor_proto();
    let label = match proto.label() {
        Label::Optional => "optional",
        Label::Required => "required",
        Label::Repeated => "repeated",
    };
    let oneof = field.containing_oneof();
    let packed = proto.options.as_ref().and_then(|options| options.packed);
    let columns = [
        field.name(),
        &field.number().to_string(),
        label,
        type_name(proto.r#type()),
        proto.type_name().trim_start_matches('.'),
        oneof.as_ref().map_or("", |oneof| oneof.name()),
        &packed.map_or_else(String::new, |packed| packed.to_string()),
        field.json_name(),
    ];
    row(file, message.full_name(), "field", columns, proto.default_value())
}

fn row(
    file: &FileDescriptor,
    full_name: &str,
    kind: &str,
    columns: [&str; 8],
    default: &str,
) -> String {
    let syntax = match file.syntax() {
        Syntax::Proto2 => "proto2",
        Syntax::Proto3 => "proto3",
    };
    let columns = columns.join("\t");
    format!("{}\t{syntax}\t{full_name}\t{kind}\t{columns}\t{default}", file.name())
}

/// Reserved numbers, then names, in the format of the last column of a message row.
fn reserved(message: &MessageDescriptor) -> String {
    let numbers = message.reserved_ranges().map(|range| {
        let last = range.end - 1;
        format!("reserved {}-{last}", range.start)
    });
    let names = message.reserved_names().map(|name| format!("reserved {name}"));
    numbers.chain(names).collect::<Vec<_>>().join(";")
}

fn type_name(kind: Type) -> &'static str {
    match kind {
        Type::Double => "double",
        Type::Float => "float",
        Type::Int64 => "int64",
        Type::Uint64 => "uint64",
        Type::Int32 => "int32",
        Type::Fixed64 => "fixed64",
        Type::Fixed32 => "fixed32",
        Type::Bool => "bool",
        Type::String => "string",
        Type::Group => "group",
        Type::Message => "message",
        Type::Bytes => "bytes",
        Type::Uint32 => "uint32",
        Type::Enum => "enum",
        Type::Sfixed32 => "sfixed32",
        Type::Sfixed64 => "sfixed64",
        Type::Sint32 => "sint32",
        Type::Sint64 => "sint64",
    }
}

/// One line for each row that occurs more often on one side: `-` for lhs, `+` for rhs.
fn difference<'a>(
    lhs: impl Iterator<Item = &'a str>,
    rhs: impl Iterator<Item = &'a str>,
) -> String {
    let mut counts = BTreeMap::<&str, i32>::new();
    lhs.for_each(|row| *counts.entry(row).or_default() += 1);
    rhs.for_each(|row| *counts.entry(row).or_default() -= 1);
    let unequal = counts.into_iter().filter(|(_, count)| *count != 0);
    unequal
        .map(|(row, count)| {
            let sign = if count > 0 { '-' } else { '+' };
            format!("{sign} {}\n", row.trim_end())
        })
        .collect()
}

/// Panics unless a message is equal after a round trip through its descriptor.
#[track_caller]
fn agrees<M: Name + Default + PartialEq + Debug>(message: &M) {
    let descriptor = schema::pool().get_message_by_name(&M::full_name()).expect("a descriptor");
    let dynamic = DynamicMessage::decode(descriptor, &message.encode_to_vec()[..]).expect("legal");
    assert_eq!(dynamic.unknown_fields().count(), 0);
    // Messages are compared, not bytes: a DynamicMessage writes maps in hash order.
    assert_eq!(&M::decode(&dynamic.encode_to_vec()[..]).expect("legal"), message);
}
