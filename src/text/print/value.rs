//! What a record means, and single values: numbers, enums, strings.

use super::escape::{self, OCTAL, UTF8};
use super::printer::Printer;
use super::{Style, float};
use crate::error::Result;
use crate::message::{Fit, Record, Records, Value, from_zigzag, int32, is_odd_nan32, is_odd_nan64};
use crate::schema::{Field, Kind, MessageType, Schema};

/// What a record is to its message.
pub(super) enum Meaning<'s> {
    /// A value of this field, or several.
    Known(&'s Field, Fit),
    /// Nothing that the schema knows.
    Unknown,
}

impl<'s> Meaning<'s> {
    #[inline]
    pub(super) fn of(schema: &'s Schema, ty: &'s MessageType, record: &Record<'_>) -> Self {
        let Some(field) = ty.field(record.number) else { return Self::Unknown };
        let fit = Fit::of(record.value.wire_type(), field);
        let is_foreign = match (field.kind, record.value) {
            (kind @ Kind::Enum(_), Value::Varint(bits)) => is_foreign(schema, kind, bits),
            (Kind::Message(id), Value::Len(entry)) if field.is_map() => {
                is_foreign_entry(schema, &schema[id], entry)
            }
            _ => false,
        };
        if is_foreign || fit == Fit::Not { Self::Unknown } else { Self::Known(field, fit) }
    }
}

/// Whether a number is none of its enum's, which is closed.
fn is_foreign(schema: &Schema, kind: Kind, bits: u64) -> bool {
    let Kind::Enum(id) = kind else { return false };
    let ty = &schema[id];
    ty.is_closed && ty.value_name(int32(bits)).is_none()
}

/// Whether the value of a map entry is such a number.
#[inline]
fn is_foreign_entry(schema: &Schema, ty: &MessageType, entry: &[u8]) -> bool {
    let Some((_, field)) = ty.entry().filter(|(_, field)| matches!(field.kind, Kind::Enum(_)))
    else {
        return false;
    };
    Records::new(entry, 0).flatten().any(|record| {
        matches!(record.value, Value::Varint(bits)
            if record.number == field.number && is_foreign(schema, field.kind, bits))
    })
}

/// Whether several values of the field go into brackets.
#[inline]
pub(super) fn is_listed(field: &Field) -> bool {
    let is_primitive =
        !matches!(field.kind, Kind::String | Kind::Bytes | Kind::Message(_) | Kind::Group(_));
    is_primitive && field.is_repeated()
}

/// What an extension in a message set is called: its type, which for protoc must declare it.
pub(super) fn item_name(field: &Field, ty: &MessageType, style: Style) -> String {
    let scope = field.name.rsplit_once('.').map_or("", |(scope, _)| scope);
    if style == Style::TensorFlow || scope == &*ty.full_name {
        format!("[{}]", ty.full_name)
    } else {
        field.text_name.to_string()
    }
}

impl<'s> Printer<'s, '_> {
    /// Prints a value without its name.
    #[inline]
    pub(super) fn scalar(
        &mut self,
        field: &'s Field,
        index: usize,
        value: Value<'_>,
    ) -> Result<()> {
        match (field.kind, value) {
            (Kind::String | Kind::Bytes, Value::Len(bytes)) => self.string(field, bytes),
            (Kind::Enum(id), Value::Varint(bits)) => {
                let number = int32(bits);
                match self.schema[id].value_name(number) {
                    Some(name) => self.out.put(name.as_bytes()),
                    None => self.out.signed(number.into()),
                }
            }
            (Kind::Bool, Value::Varint(bits)) => {
                self.out.put(if bits == 0 { b"false" } else { b"true" })
            }
            (Kind::Int32, Value::Varint(bits)) => self.out.signed(int32(bits).into()),
            (Kind::Int64, Value::Varint(bits)) => self.out.signed(bits.cast_signed()),
            (Kind::Sint32 | Kind::Sint64, Value::Varint(bits)) => {
                self.out.signed(from_zigzag(bits))
            }
            (Kind::Sfixed32, Value::Fixed32(bits)) => self.out.signed(bits.cast_signed().into()),
            (Kind::Sfixed64, Value::Fixed64(bits)) => self.out.signed(bits.cast_signed()),
            (Kind::Float, Value::Fixed32(bits)) => {
                if is_odd_nan32(bits) {
                    self.odd_nan(field, index);
                }
                float::write_float(bits, self.options.style, &mut self.out)
            }
            (Kind::Double, Value::Fixed64(bits)) => {
                if is_odd_nan64(bits) {
                    self.odd_nan(field, index);
                }
                float::write_double(bits, self.options.style, &mut self.out)
            }
            (_, Value::Varint(bits) | Value::Fixed64(bits)) => self.out.unsigned(bits),
            (_, Value::Fixed32(bits)) => self.out.unsigned(bits.into()),
            // Messages are not printed here.
            (_, Value::Len(_) | Value::Group(_)) => Ok(()),
        }
    }

    #[inline]
    fn string(&mut self, field: &Field, bytes: &[u8]) -> Result<()> {
        self.out.put_array(b"\"")?;
        self.escaped(field, bytes)?;
        self.out.put_array(b"\"")
    }

    /// Prints what is between the quotes.
    #[inline]
    pub(super) fn escaped(&mut self, field: &Field, bytes: &[u8]) -> Result<()> {
        if field.kind == Kind::Bytes || self.options.style == Style::Protoc {
            OCTAL.write(bytes, &mut self.out)
        } else if field.is_utf8 {
            UTF8.write(bytes, &mut self.out)
        } else {
            escape::write_lossy(bytes, &mut self.out)
        }
    }

    #[cold]
    fn odd_nan(&mut self, field: &Field, index: usize) {
        self.losses.nan_bits += 1;
        self.lost(|| field.step(index));
    }
}
