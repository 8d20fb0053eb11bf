//! The flat tables that parsing and printing go by: messages, fields and enums as numbers into lists.
//!
//! One lookup by number or name is an array access; nothing is counted or cloned on the way, as it is with
//! descriptors that hold on to their pool.

use super::field::map_entry;
use std::ops::Index;

use super::names::Names;

/// The number of a message type in its [`Schema`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct MessageId(pub(super) u32);

/// The number of an enum in its [`Schema`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct EnumId(pub(super) u32);

/// Message types and enums that know each other.
///
/// `&schema[id]` is the type with this number; numbers hold for the schema that gave them.
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

    /// The extension of `message` with this full name; in a message set, text knows it by its message's name as well.
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

    #[expect(clippy::indexing_slicing, reason = "only the schema makes its numbers")]
    fn index(&self, id: MessageId) -> &MessageType {
        &self.messages[id.0 as usize]
    }
}

impl Index<EnumId> for Schema {
    type Output = EnumType;

    #[expect(clippy::indexing_slicing, reason = "only the schema makes its numbers")]
    fn index(&self, id: EnumId) -> &EnumType {
        &self.enums[id.0 as usize]
    }
}

/// A message type.
#[derive(Debug, Clone)]
pub struct MessageType {
    /// Its number.
    pub id: MessageId,
    /// Package and name, with dots between.
    pub full_name: Box<str>,
    /// Its fields and the extensions known of it, by ascending number.
    pub fields: Vec<Field>,
    /// Its oneofs in the order of declaration; those that only say that a field is `optional` are empty.
    pub oneofs: Vec<Oneof>,
    /// Names that text may use and that mean nothing any more.
    pub reserved_names: Vec<Box<str>>,
    /// Whether it is the entry of a map.
    pub is_map_entry: bool,
    /// Whether it is written in the old format of message sets.
    pub is_message_set: bool,
    /// Whether it or anything in it has required fields.
    pub has_required: bool,
    /// What JSON makes of it.
    pub well_known: Option<WellKnown>,
    /// Position plus one of the field with a small number.
    pub(super) dense: Box<[u16]>,
    pub(super) by_name: Names,
    pub(super) by_json_name: Names,
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

    /// The field of this name in text: its own, or that of its type where it is a group; no extensions.
    #[inline]
    pub fn field_by_name(&self, name: &[u8]) -> Option<&Field> {
        self.fields.get(self.by_name.get(name)? as usize)
    }

    /// The field of this name in JSON: lowerCamel, or its own; no extensions.
    #[inline]
    pub fn field_by_json_name(&self, name: &[u8]) -> Option<&Field> {
        self.fields.get(self.by_json_name.get(name)? as usize)
    }

    /// The names that text knows the fields by, no extensions.
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
    /// Its name as declared; of an extension, its full name.
    pub name: Box<str>,
    /// Its name in text: the type's where it is a group, in brackets where it is an extension.
    pub text_name: Box<str>,
    /// Its name in JSON, in brackets where it is an extension.
    pub json_name: Box<str>,
    /// Its number.
    pub number: u32,
    /// What it holds.
    pub kind: Kind,
    /// How one of it is encoded: that of `kind`, for readers that ask at every value.
    pub wire_type: WireType,
    /// How many of that.
    pub cardinality: Cardinality,
    /// Whether it is always written, also with the default value, once it is set.
    pub has_presence: bool,
    /// Whether it has no presence as it is declared: in map entries, which are always written whole, text cares.
    pub is_implicit: bool,
    /// Whether numbers of a repeated field are written in one piece.
    pub is_packed: bool,
    /// Whether a string must be UTF-8.
    pub is_utf8: bool,
    /// Whether it is an extension.
    pub is_extension: bool,
    /// The oneof it is in: its position in [`MessageType::oneofs`].
    pub oneof: Option<u16>,
    /// Its position in [`MessageType::fields`].
    pub position: u16,
}

impl Field {
    /// Whether it may be given more than once: a list or a map.
    #[inline]
    pub fn is_repeated(&self) -> bool {
        matches!(self.cardinality, Cardinality::Repeated | Cardinality::Map)
    }

    /// The name that a path through a message gives to its value number `index`.
    pub fn step(&self, index: usize) -> String {
        if self.is_repeated() {
            format!("{}[{index}]", self.text_name)
        } else {
            self.text_name.to_string()
        }
    }

    /// Whether it is a map.
    #[inline]
    pub fn is_map(&self) -> bool {
        self.cardinality == Cardinality::Map
    }
}

/// How many values a field has.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Cardinality {
    /// One or none.
    Singular,
    /// One (proto2).
    Required,
    /// A list.
    Repeated,
    /// A map: a list of entries, of which the last of a key counts.
    Map,
}

/// What a field holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[expect(missing_docs, reason = "the names are those of the language")]
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
    /// A message with its length before it.
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

    /// How a single value is encoded.
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

    /// What the language calls it.
    pub fn name(self) -> &'static str {
        match self {
            Self::Double => "double",
            Self::Float => "float",
            Self::Int64 => "int64",
            Self::Uint64 => "uint64",
            Self::Int32 => "int32",
            Self::Fixed64 => "fixed64",
            Self::Fixed32 => "fixed32",
            Self::Bool => "bool",
            Self::String => "string",
            Self::Bytes => "bytes",
            Self::Uint32 => "uint32",
            Self::Sfixed32 => "sfixed32",
            Self::Sfixed64 => "sfixed64",
            Self::Sint32 => "sint32",
            Self::Sint64 => "sint64",
            Self::Enum(_) => "enum",
            Self::Message(_) => "message",
            Self::Group(_) => "group",
        }
    }
}

/// How a value is encoded: the low three bits of its tag.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(u8)]
pub enum WireType {
    /// A base-128 varint.
    Varint = 0,
    /// Eight bytes, little-endian.
    Fixed64 = 1,
    /// A length and so many bytes.
    Len = 2,
    /// The start of a group.
    Start = 3,
    /// The end of a group.
    End = 4,
    /// Four bytes, little-endian.
    Fixed32 = 5,
}

/// Fields of which at most one is set.
#[derive(Debug, Clone)]
pub struct Oneof {
    /// Its name.
    pub name: Box<str>,
    /// The positions of its fields in [`MessageType::fields`].
    pub fields: Vec<u16>,
}

/// An enum.
#[derive(Debug, Clone)]
pub struct EnumType {
    /// Package and name, with dots between.
    pub full_name: Box<str>,
    /// Whether numbers that it does not declare are unknown fields.
    pub is_closed: bool,
    /// The number that is declared first.
    pub default: i32,
    /// Numbers with the name declared first for each, by ascending number.
    pub(super) values: Vec<(i32, Box<str>)>,
    pub(super) by_name: Names,
    /// The numbers of the names, aliases too.
    pub(super) numbers: Vec<i32>,
}

impl EnumType {
    /// The name of a number; the one declared first, if it has several.
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

    /// Every name, in the order of declaration.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.by_name.iter()
    }

    /// Whether it is `google.protobuf.NullValue`, which JSON writes as null.
    pub fn is_null_value(&self) -> bool {
        &*self.full_name == "google.protobuf.NullValue"
    }
}

/// Messages that JSON has forms of their own for.
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
    /// `BoolValue` and its like: one field, number 1.
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
