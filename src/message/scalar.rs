//! Scalar values on the wire, in canonical form.

use super::record::Value;
use super::writer::Writer;
use crate::bytes::varint::{int32, to_zigzag};
use crate::schema::{Field, Kind, Schema, WireType};

/// Normalizes a varint for the field's kind: 32-bit kinds keep the low bits, bool is 0 or 1.
#[inline]
pub(crate) fn normal(kind: Kind, value: u64) -> u64 {
    match kind {
        Kind::Int32 | Kind::Enum(_) => i64::from(int32(value)).cast_unsigned(),
        Kind::Uint32 | Kind::Sint32 => value & 0xffff_ffff,
        Kind::Bool => u64::from(value != 0),
        _ => value,
    }
}

/// Returns whether the value is the default of a field without presence: zero bits, or no bytes.
#[inline]
pub(crate) fn is_default(value: Value<'_>) -> bool {
    match value {
        Value::Varint(bits) | Value::Fixed64(bits) => bits == 0,
        Value::Fixed32(bits) => bits == 0,
        Value::Len(bytes) | Value::Group(bytes) => bytes.is_empty(),
    }
}

/// How the encoding of a value matches its field.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum WireMatch {
    /// One value of the field's kind.
    Single,
    /// Packed numbers.
    Packed,
    /// A different encoding: the record is an unknown field.
    Mismatch,
}

impl WireMatch {
    /// Compares a wire type with that of `field`.
    #[inline]
    pub fn of(wire_type: WireType, field: &Field) -> Self {
        let wanted = field.wire_type;
        if wanted == wire_type {
            Self::Single
        } else if wire_type == WireType::Len
            && field.is_repeated()
            && !matches!(wanted, WireType::Len | WireType::Start)
        {
            Self::Packed
        } else {
            Self::Mismatch
        }
    }
}

/// Returns whether `number` is not in a closed enum, which makes the record an unknown field.
#[inline]
pub(super) fn is_foreign(schema: &Schema, kind: Kind, value: Value<'_>) -> bool {
    match (kind, value) {
        (Kind::Enum(id), Value::Varint(number)) => {
            let enum_type = &schema[id];
            enum_type.is_closed && enum_type.value_name(int32(number)).is_none()
        }
        _ => false,
    }
}

/// Writes a scalar value without its tag.
pub(crate) fn write(kind: Kind, value: Value<'_>, out: &mut Writer) {
    match value {
        Value::Varint(bits) => out.varint(normal(kind, bits)),
        Value::Fixed64(bits) => out.raw(&bits.to_le_bytes()),
        Value::Fixed32(bits) => out.raw(&bits.to_le_bytes()),
        Value::Len(bytes) => out.len_prefixed(bytes),
        Value::Group(bytes) => out.raw(bytes),
    }
}

/// The wire value of an integer in a field of this kind; `None` if it is out of range, or the kind is no integer.
#[inline]
pub(crate) fn integer(kind: Kind, number: i128) -> Option<Value<'static>> {
    let signed = |value: i64| Value::Varint(value.cast_unsigned());
    Some(match kind {
        Kind::Int32 | Kind::Enum(_) => signed(i32::try_from(number).ok()?.into()),
        Kind::Int64 => signed(i64::try_from(number).ok()?),
        Kind::Uint32 => Value::Varint(u32::try_from(number).ok()?.into()),
        Kind::Uint64 => Value::Varint(u64::try_from(number).ok()?),
        Kind::Sint32 => Value::Varint(to_zigzag(i32::try_from(number).ok()?.into())),
        Kind::Sint64 => Value::Varint(to_zigzag(i64::try_from(number).ok()?)),
        Kind::Fixed32 => Value::Fixed32(u32::try_from(number).ok()?),
        Kind::Fixed64 => Value::Fixed64(u64::try_from(number).ok()?),
        Kind::Sfixed32 => Value::Fixed32(i32::try_from(number).ok()?.cast_unsigned()),
        Kind::Sfixed64 => Value::Fixed64(i64::try_from(number).ok()?.cast_unsigned()),
        _ => return None,
    })
}

/// The integers that a field of this kind accepts, for error messages.
pub(crate) fn integer_range(kind: Kind) -> &'static str {
    match kind {
        Kind::Int32 | Kind::Sint32 | Kind::Sfixed32 => "-2147483648 to 2147483647",
        Kind::Uint32 | Kind::Fixed32 => "0 to 4294967295",
        Kind::Uint64 | Kind::Fixed64 => "0 to 18446744073709551615",
        _ => "-9223372036854775808 to 9223372036854775807",
    }
}
