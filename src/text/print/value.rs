//! Prints numbers, enums and strings.

use super::Style;
use super::escape::{self, OCTAL, UTF8};
use super::printer::Printer;
use crate::error::Result;
use crate::message::{
    Value, double_text, float_text, from_zigzag, int32, is_odd_nan32, is_odd_nan64,
};
use crate::schema::{Field, Kind, MessageType};

/// Whether the values of the field can be printed as a list in brackets.
#[inline]
pub(super) fn is_listed(field: &Field) -> bool {
    let is_primitive =
        !matches!(field.kind, Kind::String | Kind::Bytes | Kind::Message(_) | Kind::Group(_));
    is_primitive && field.is_repeated()
}

/// The name of an extension in a message set: its type, for protoc only if the type declares the extension.
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
                self.out.put(float_text(bits, self.options.style.of_floats()).bytes())
            }
            (Kind::Double, Value::Fixed64(bits)) => {
                if is_odd_nan64(bits) {
                    self.odd_nan(field, index);
                }
                self.out.put(double_text(bits, self.options.style.of_floats()).bytes())
            }
            (_, Value::Varint(bits) | Value::Fixed64(bits)) => self.out.unsigned(bits),
            (_, Value::Fixed32(bits)) => self.out.unsigned(bits.into()),
            // `Printer::message` prints messages.
            (_, Value::Len(_) | Value::Group(_)) => Ok(()),
        }
    }

    #[inline]
    fn string(&mut self, field: &Field, bytes: &[u8]) -> Result<()> {
        self.out.put_array(b"\"")?;
        self.escaped(field, bytes)?;
        self.out.put_array(b"\"")
    }

    /// Prints the content of a string, without quotes.
    #[inline]
    pub(super) fn escaped(&mut self, field: &Field, bytes: &[u8]) -> Result<()> {
        if field.kind == Kind::Bytes || self.options.style == Style::Protoc {
            OCTAL.write(bytes, &mut self.out)
        } else if self.options.printable {
            escape::write_printable(bytes, &mut self.out)
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
