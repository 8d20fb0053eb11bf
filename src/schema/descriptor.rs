//! The part of `google/protobuf/descriptor.proto` that parsing and printing need.
//!
//! Written by hand because prost-types does not support editions: its structs have no features, which decide about presence,
//! packing and UTF-8. Field numbers: protobuf 35.1.

use prost::Message;

/// Files, with all files that they import.
#[derive(Clone, PartialEq, Message)]
pub(super) struct FileDescriptorSet {
    #[prost(message, repeated, tag = "1")]
    pub(super) file: Vec<File>,
}

#[derive(Clone, PartialEq, Message)]
pub(super) struct File {
    #[prost(string, tag = "1")]
    pub(super) name: String,
    #[prost(string, tag = "2")]
    pub(super) package: String,
    #[prost(message, repeated, tag = "4")]
    pub(super) message_type: Vec<MessageType>,
    #[prost(message, repeated, tag = "5")]
    pub(super) enum_type: Vec<EnumType>,
    #[prost(message, repeated, tag = "7")]
    pub(super) extension: Vec<Field>,
    #[prost(message, optional, tag = "8")]
    pub(super) options: Option<FileOptions>,
    #[prost(string, tag = "12")]
    pub(super) syntax: String,
    #[prost(int32, tag = "14")]
    pub(super) edition: i32,
}

#[derive(Clone, PartialEq, Message)]
pub(super) struct FileOptions {
    #[prost(message, optional, tag = "50")]
    pub(super) features: Option<FeatureSet>,
}

#[derive(Clone, PartialEq, Message)]
pub(super) struct MessageType {
    #[prost(string, tag = "1")]
    pub(super) name: String,
    #[prost(message, repeated, tag = "2")]
    pub(super) field: Vec<Field>,
    #[prost(message, repeated, tag = "3")]
    pub(super) nested_type: Vec<MessageType>,
    #[prost(message, repeated, tag = "4")]
    pub(super) enum_type: Vec<EnumType>,
    #[prost(message, repeated, tag = "6")]
    pub(super) extension: Vec<Field>,
    #[prost(message, optional, tag = "7")]
    pub(super) options: Option<MessageOptions>,
    #[prost(message, repeated, tag = "8")]
    pub(super) oneof_decl: Vec<Oneof>,
    #[prost(string, repeated, tag = "10")]
    pub(super) reserved_name: Vec<String>,
}

#[derive(Clone, PartialEq, Message)]
pub(super) struct MessageOptions {
    #[prost(bool, tag = "1")]
    pub(super) message_set_wire_format: bool,
    #[prost(bool, tag = "7")]
    pub(super) map_entry: bool,
    #[prost(message, optional, tag = "12")]
    pub(super) features: Option<FeatureSet>,
}

#[derive(Clone, PartialEq, Message)]
pub(super) struct Oneof {
    #[prost(string, tag = "1")]
    pub(super) name: String,
    #[prost(message, optional, tag = "2")]
    pub(super) options: Option<OneofOptions>,
}

#[derive(Clone, PartialEq, Message)]
pub(super) struct OneofOptions {
    #[prost(message, optional, tag = "1")]
    pub(super) features: Option<FeatureSet>,
}

#[derive(Clone, PartialEq, Message)]
pub(super) struct Field {
    #[prost(string, tag = "1")]
    pub(super) name: String,
    /// The message that an extension extends.
    #[prost(string, tag = "2")]
    pub(super) extendee: String,
    #[prost(int32, tag = "3")]
    pub(super) number: i32,
    #[prost(int32, tag = "4")]
    pub(super) label: i32,
    #[prost(int32, tag = "5")]
    pub(super) r#type: i32,
    #[prost(string, tag = "6")]
    pub(super) type_name: String,
    #[prost(message, optional, tag = "8")]
    pub(super) options: Option<FieldOptions>,
    #[prost(int32, optional, tag = "9")]
    pub(super) oneof_index: Option<i32>,
    #[prost(string, optional, tag = "10")]
    pub(super) json_name: Option<String>,
    #[prost(bool, tag = "17")]
    pub(super) proto3_optional: bool,
}

#[derive(Clone, PartialEq, Message)]
pub(super) struct FieldOptions {
    #[prost(bool, optional, tag = "2")]
    pub(super) packed: Option<bool>,
    #[prost(message, optional, tag = "21")]
    pub(super) features: Option<FeatureSet>,
}

#[derive(Clone, PartialEq, Message)]
pub(super) struct EnumType {
    #[prost(string, tag = "1")]
    pub(super) name: String,
    #[prost(message, repeated, tag = "2")]
    pub(super) value: Vec<EnumValue>,
    #[prost(message, optional, tag = "3")]
    pub(super) options: Option<EnumOptions>,
}

#[derive(Clone, PartialEq, Message)]
pub(super) struct EnumValue {
    #[prost(string, tag = "1")]
    pub(super) name: String,
    #[prost(int32, tag = "2")]
    pub(super) number: i32,
}

#[derive(Clone, PartialEq, Message)]
pub(super) struct EnumOptions {
    #[prost(message, optional, tag = "7")]
    pub(super) features: Option<FeatureSet>,
}

/// The features that files, messages and fields can set; 0 inherits the value of the parent.
#[derive(Clone, PartialEq, Message)]
pub(super) struct FeatureSet {
    #[prost(int32, tag = "1")]
    pub(super) field_presence: i32,
    #[prost(int32, tag = "2")]
    pub(super) enum_type: i32,
    #[prost(int32, tag = "3")]
    pub(super) repeated_field_encoding: i32,
    #[prost(int32, tag = "4")]
    pub(super) utf8_validation: i32,
    #[prost(int32, tag = "5")]
    pub(super) message_encoding: i32,
}
