//! A schema of features that TensorFlow's schema lacks: groups, extensions, message sets, closed enums.

use ckdiff::schema::Schema;
use prost::Message as _;
use prost_reflect::prost_types::field_descriptor_proto::{Label, Type};
use prost_reflect::prost_types::{
    DescriptorProto, EnumDescriptorProto, EnumValueDescriptorProto, FieldDescriptorProto,
    FileDescriptorProto, FileDescriptorSet, MessageOptions, descriptor_proto::ExtensionRange,
};

/// A proto2 schema with groups, extensions, message sets, closed enums, and strings that need not be UTF-8.
pub(crate) fn proto2() -> Schema {
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
