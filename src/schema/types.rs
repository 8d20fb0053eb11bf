//! The tables for parsing and printing: messages, fields and enums, which refer to each other by number.
//!
//! A lookup by number or name is an array access, without the reference counts of prost-reflect's descriptors.

use std::ops::Index;

use super::field::map_entry;
use super::known_type::KnownType;
use super::name_table::NameTable;

/// The number of a message type in its [`Schema`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct MessageId(pub(super) u32);

/// The number of an enum in its [`Schema`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct EnumId(pub(super) u32);

/// Message types and enums.
///
/// `&schema[id]` is the type with this number; a number is valid in its own schema only.
#[derive(Debug, Clone, Default)]
pub struct Schema {
    pub(super) messages: Vec<MessageType>,
    pub(super) enums: Vec<EnumType>,
    /// Full names of messages, sorted.
    pub(super) by_name: Vec<(Box<str>, MessageId)>,
    /// Full names of extensions, sorted, with the message that each extends and its number there.
    pub(super) extensions: Vec<(Box<str>, MessageId, u32)>,
}

impl Schema {
    /// The message type of this full name, without a leading dot.
    pub fn message(&self, full_name: &str) -> Option<&MessageType> {
        let found = self.by_name.binary_search_by(|(name, _)| (**name).cmp(full_name)).ok()?;
        self.by_name.get(found).map(|(_, id)| &self[*id])
    }

    /// The extension of `message` with this full name; in a message set, text may also use the name of the extension's type.
    pub fn extension(&self, message: &MessageType, full_name: &str) -> Option<&Field> {
        if message.is_message_set
            && let Some(ty) = self.message(full_name)
        {
            return self[message.id]
                .fields
                .iter()
                .find(|field| field.kind.message() == Some(ty.id));
        }
        let found = self.extensions.binary_search_by(|(name, ..)| (**name).cmp(full_name)).ok()?;
        let (_, extended, number) = self.extensions.get(found)?;
        (*extended == message.id).then(|| self[*extended].field(*number)).flatten()
    }

    /// Every message type, sorted by full name.
    pub fn messages(&self) -> impl Iterator<Item = &MessageType> {
        self.by_name.iter().map(|(_, id)| &self[*id])
    }
}

impl Index<MessageId> for Schema {
    type Output = MessageType;

    #[expect(clippy::indexing_slicing, reason = "an id comes from the schema")]
    fn index(&self, id: MessageId) -> &MessageType {
        &self.messages[id.0 as usize]
    }
}

impl Index<EnumId> for Schema {
    type Output = EnumType;

    #[expect(clippy::indexing_slicing, reason = "an id comes from the schema")]
    fn index(&self, id: EnumId) -> &EnumType {
        &self.enums[id.0 as usize]
    }
}

/// A message type.
#[derive(Debug, Clone)]
pub struct MessageType {
    /// The number in the schema.
    pub id: MessageId,
    /// Package and name, with dots between.
    pub full_name: Box<str>,
    /// The fields and known extensions, by ascending number.
    pub fields: Vec<Field>,
    /// The oneofs in the order of declaration; the synthetic ones of `optional` fields are empty.
    pub oneofs: Vec<Oneof>,
    /// Names of former fields, which text may still use.
    pub reserved_names: Vec<Box<str>>,
    /// Whether this is the entry of a map.
    pub is_map_entry: bool,
    /// Whether this is a message set, a former format of extensions.
    pub is_message_set: bool,
    /// Whether this or a nested message has required fields.
    pub has_required: bool,
    /// The special form in JSON.
    pub well_known: Option<WellKnown>,
    /// The known type of TensorFlow's files that this is.
    pub known: Option<KnownType>,
    /// The positions plus one of fields with small numbers.
    pub(super) dense: Box<[u16]>,
    pub(super) by_name: NameTable,
    pub(super) by_json_name: NameTable,
}

impl MessageType {
    /// The name without the package.
    pub fn name(&self) -> &str {
        self.full_name.rsplit('.').next().unwrap_or_default()
    }

    /// The field with this number.
    #[inline]
    pub fn field(&self, number: u32) -> Option<&Field> {
        match self.dense.get(number as usize) {
            Some(&position) => self.fields.get(usize::from(position).checked_sub(1)?),
            None => {
                let found = self.fields.binary_search_by_key(&number, |field| field.number).ok()?;
                self.fields.get(found)
            }
        }
    }

    /// The field with this name in text: its own, or for a group that of its type; no extensions.
    #[inline]
    pub fn field_by_name(&self, name: &[u8]) -> Option<&Field> {
        self.fields.get(self.by_name.get(name)? as usize)
    }

    /// The field with this name in JSON: lowerCamel, or as declared; no extensions.
    #[inline]
    pub fn field_by_json_name(&self, name: &[u8]) -> Option<&Field> {
        self.fields.get(self.by_json_name.get(name)? as usize)
    }

    /// The names of fields in text, without extensions.
    pub fn field_names(&self) -> impl Iterator<Item = &str> {
        self.by_name.iter()
    }

    /// The key and the value of a map entry.
    pub fn entry(&self) -> Option<(&Field, &Field)> {
        let both = self.field(map_entry::KEY).zip(self.field(map_entry::VALUE));
        both.filter(|_| self.is_map_entry)
    }
}

/// A field, or an extension.
#[derive(Debug, Clone)]
pub struct Field {
    /// The declared name; the full name of an extension.
    pub name: Box<str>,
    /// The name in text: for a group that of its type, for an extension in brackets.
    pub text_name: Box<str>,
    /// The name in JSON; for an extension in brackets.
    pub json_name: Box<str>,
    /// The number.
    pub number: u32,
    /// The type of a value.
    pub kind: Kind,
    /// The wire type of `kind`, for fast access.
    pub wire_type: WireType,
    /// The number of values.
    pub cardinality: Cardinality,
    /// Whether the field is written even if it is set to its default value.
    pub has_presence: bool,
    /// Whether the field is declared without presence; in map entries, which are always written whole, this matters in text.
    pub is_implicit: bool,
    /// Whether the numbers of a repeated field are packed.
    pub is_packed: bool,
    /// Whether a string must be UTF-8.
    pub is_utf8: bool,
    /// Whether this is an extension.
    pub is_extension: bool,
    /// The position of the field's oneof in [`MessageType::oneofs`].
    pub oneof: Option<u16>,
    /// The position in [`MessageType::fields`].
    pub position: u16,
}

impl Field {
    /// Whether this is a list or a map.
    #[inline]
    pub fn is_repeated(&self) -> bool {
        matches!(self.cardinality, Cardinality::Repeated | Cardinality::Map)
    }

    /// The step to its value number `index` in a path through a message.
    pub fn step(&self, index: usize) -> String {
        if self.is_repeated() {
            format!("{}[{index}]", self.text_name)
        } else {
            self.text_name.to_string()
        }
    }

    /// Whether this is a map.
    #[inline]
    pub fn is_map(&self) -> bool {
        self.cardinality == Cardinality::Map
    }
}

/// The number of values of a field.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Cardinality {
    /// One or none.
    Singular,
    /// One (proto2).
    Required,
    /// A list.
    Repeated,
    /// A map: a list of entries; if a key occurs twice, the last entry counts.
    Map,
}

/// The type of a field's values.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[expect(missing_docs, reason = "the names are those of protobuf")]
pub enum Kind {
    Double,
    Float,
    Int64,
    Uint64,
    Int32,
    Fixed64,
    Fixed32,
    Bool,
    String,
    Bytes,
    Uint32,
    Sfixed32,
    Sfixed64,
    Sint32,
    Sint64,
    Enum(EnumId),
    /// A message after its length.
    Message(MessageId),
    /// A message between a start and an end tag.
    Group(MessageId),
}

impl Kind {
    /// The type of the message, if it is one.
    #[inline]
    pub fn message(self) -> Option<MessageId> {
        match self {
            Self::Message(id) | Self::Group(id) => Some(id),
            _ => None,
        }
    }

    /// The encoding of a single value.
    #[inline]
    pub fn wire_type(self) -> WireType {
        match self {
            Self::Double | Self::Fixed64 | Self::Sfixed64 => WireType::Fixed64,
            Self::Float | Self::Fixed32 | Self::Sfixed32 => WireType::Fixed32,
            Self::String | Self::Bytes | Self::Message(_) => WireType::Len,
            Self::Group(_) => WireType::Start,
            _ => WireType::Varint,
        }
    }

    /// The name in protobuf.
    pub fn name(self) -> &'static str {
        match self {
            Self::Enum(_) => "enum",
            Self::Message(_) => "message",
            Self::Group(_) => "group",
            scalar => SCALARS.iter().find(|(.., kind)| *kind == scalar).map_or("", |known| known.1),
        }
    }
}

/// The kinds without types of their own: code in descriptors, name, kind.
pub(super) static SCALARS: [(i32, &str, Kind); 15] = [
    (1, "double", Kind::Double),
    (2, "float", Kind::Float),
    (3, "int64", Kind::Int64),
    (4, "uint64", Kind::Uint64),
    (5, "int32", Kind::Int32),
    (6, "fixed64", Kind::Fixed64),
    (7, "fixed32", Kind::Fixed32),
    (8, "bool", Kind::Bool),
    (9, "string", Kind::String),
    (12, "bytes", Kind::Bytes),
    (13, "uint32", Kind::Uint32),
    (15, "sfixed32", Kind::Sfixed32),
    (16, "sfixed64", Kind::Sfixed64),
    (17, "sint32", Kind::Sint32),
    (18, "sint64", Kind::Sint64),
];

/// The encoding of a value: the low three bits of its tag.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(u8)]
pub enum WireType {
    /// A base-128 varint.
    Varint = 0,
    /// Eight bytes, little-endian.
    Fixed64 = 1,
    /// A length, and the bytes.
    Len = 2,
    /// The start of a group.
    Start = 3,
    /// The end of a group.
    End = 4,
    /// Four bytes, little-endian.
    Fixed32 = 5,
}

/// Fields of which at most one can be set.
#[derive(Debug, Clone)]
pub struct Oneof {
    /// The name.
    pub name: Box<str>,
    /// The positions of its fields in [`MessageType::fields`].
    pub fields: Vec<u16>,
}

/// An enum.
#[derive(Debug, Clone)]
pub struct EnumType {
    /// Package and name, with dots between.
    pub full_name: Box<str>,
    /// Whether undeclared numbers are unknown fields.
    pub is_closed: bool,
    /// The first declared number.
    pub default: i32,
    /// Each number with its first name, by ascending number.
    pub(super) values: Vec<(i32, Box<str>)>,
    pub(super) by_name: NameTable,
    /// The numbers of all names, including aliases.
    pub(super) numbers: Vec<i32>,
}

impl EnumType {
    /// The name of a number; the first of several.
    #[inline]
    pub fn value_name(&self, number: i32) -> Option<&str> {
        // Most enums count from 0.
        let guess = usize::try_from(number).ok().and_then(|at| self.values.get(at));
        if let Some((_, name)) = guess.filter(|(known, _)| *known == number) {
            return Some(name);
        }
        let found = self.values.binary_search_by_key(&number, |(known, _)| *known).ok()?;
        self.values.get(found).map(|(_, name)| &**name)
    }

    /// The number of a name.
    #[inline]
    pub fn number(&self, name: &[u8]) -> Option<i32> {
        self.numbers.get(self.by_name.get(name)? as usize).copied()
    }

    /// All names, in the order of declaration.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.by_name.iter()
    }

    /// Whether this is `google.protobuf.NullValue`, which is null in JSON.
    pub fn is_null_value(&self) -> bool {
        &*self.full_name == "google.protobuf.NullValue"
    }
}

/// Messages with a special form in JSON.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[expect(missing_docs, reason = "the names are those of google.protobuf")]
pub enum WellKnown {
    Any,
    Duration,
    Timestamp,
    FieldMask,
    Struct,
    Value,
    ListValue,
    /// `BoolValue` and similar types: one field, with number 1.
    Wrapper,
}

impl WellKnown {
    pub(super) fn of(full_name: &str) -> Option<Self> {
        Some(match full_name.strip_prefix("google.protobuf.")? {
            "Any" => Self::Any,
            "Duration" => Self::Duration,
            "Timestamp" => Self::Timestamp,
            "FieldMask" => Self::FieldMask,
            "Struct" => Self::Struct,
            "Value" => Self::Value,
            "ListValue" => Self::ListValue,
            "DoubleValue" | "FloatValue" | "Int64Value" | "UInt64Value" | "Int32Value"
            | "UInt32Value" | "BoolValue" | "StringValue" | "BytesValue" => Self::Wrapper,
            _ => return None,
        })
    }
}
