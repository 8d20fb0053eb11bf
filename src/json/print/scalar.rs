//! Printing of scalars, and of messages whose JSON form is a scalar.

use serde::Serialize;

use super::fields::mismatched_type;
use super::{Printer, not_in_json};
use crate::error::{Error, Result};
use crate::json::time::Time;
use crate::json::{Enums, mask};
use crate::message::{
    FloatStyle, Records, Value, default_of, double_text, float_text, from_zigzag, int32,
    is_odd_nan32, is_odd_nan64,
};
use crate::schema::{EnumId, Field, Kind, MessageType};

impl Printer<'_, '_> {
    /// Prints a scalar value.
    #[inline]
    pub(super) fn scalar(&mut self, field: &Field, value: Value<'_>) -> Result<()> {
        match (field.kind, value) {
            (Kind::String, Value::Len(text)) => {
                // proto3 strings were checked when the message was decoded.
                if !field.is_utf8 && std::str::from_utf8(text).is_err() {
                    return Err(not_in_json("a string that is not UTF-8", ""));
                }
                self.tokens.string(text)
            }
            (_, Value::Len(bytes)) => self.tokens.base64(bytes),
            (kind, value) => self.number(kind, value),
        }
    }

    /// Prints a number, a bool or an enum value.
    #[inline]
    pub(super) fn number(&mut self, kind: Kind, value: Value<'_>) -> Result<()> {
        match (kind, value) {
            (Kind::Bool, Value::Varint(bits)) => {
                self.tokens.plain(if bits == 0 { b"false" } else { b"true" });
            }
            (Kind::Int32, Value::Varint(bits)) => self.digits(&int32(bits)),
            (Kind::Uint32, Value::Varint(bits)) => self.digits(&(bits & 0xffff_ffff)),
            (Kind::Sint32, Value::Varint(bits)) => self.digits(&from_zigzag(bits & 0xffff_ffff)),
            (Kind::Int64, Value::Varint(bits)) => self.quoted(&bits.cast_signed()),
            (Kind::Sint64, Value::Varint(bits)) => self.quoted(&from_zigzag(bits)),
            (Kind::Enum(id), Value::Varint(bits)) => return self.enum_value(id, int32(bits)),
            (Kind::Sfixed32, Value::Fixed32(bits)) => self.digits(&bits.cast_signed()),
            (Kind::Float, Value::Fixed32(bits)) => self.float(bits),
            (Kind::Sfixed64, Value::Fixed64(bits)) => self.quoted(&bits.cast_signed()),
            (Kind::Double, Value::Fixed64(bits)) => self.double(bits),
            (_, Value::Varint(bits) | Value::Fixed64(bits)) => self.quoted(&bits),
            (_, Value::Fixed32(bits)) => self.digits(&bits),
            (_, Value::Len(_) | Value::Group(_)) => return Err(mismatched_type("a number")),
        }
        Ok(())
    }

    fn digits<T: Serialize>(&mut self, number: &T) {
        // Writing to a Vec cannot fail.
        let _ = serde_json::to_writer(self.tokens.buffer(), number);
    }

    /// 64-bit numbers are printed as strings, because many JSON readers only have doubles.
    fn quoted<T: Serialize>(&mut self, number: &T) {
        self.tokens.plain(b"\"");
        self.digits(number);
        self.tokens.plain(b"\"");
    }

    /// Counts a NaN whose sign or payload is lost; the caller adds its path.
    #[cold]
    fn lose_nan(&mut self) {
        self.losses.nan_bits += 1;
        self.losses.name(String::new);
    }

    fn float(&mut self, bits: u32) {
        let value = f32::from_bits(bits);
        if is_odd_nan32(bits) {
            self.lose_nan();
        }
        if value.abs().to_bits() == f32::MAX.to_bits() {
            // The fewest digits are slightly above the largest float, so Python prints them and then refuses to read them.
            self.double(f64::from(value).to_bits());
        } else if value.is_finite() {
            self.tokens.plain(float_text(bits, FloatStyle::Python).bytes());
        } else {
            self.tokens.plain(not_finite(value.into()));
        }
    }

    fn double(&mut self, bits: u64) {
        let value = f64::from_bits(bits);
        if is_odd_nan64(bits) {
            self.lose_nan();
        }
        if value.is_finite() {
            self.tokens.plain(double_text(bits, FloatStyle::Python).bytes());
        } else {
            self.tokens.plain(not_finite(value));
        }
    }

    fn enum_value(&mut self, id: EnumId, number: i32) -> Result<()> {
        let ty = &self.schema[id];
        let wants_name = self.options.enums == Enums::Names;
        match ty.value_name(number).filter(|_| wants_name) {
            _ if ty.is_null_value() && number == 0 => self.tokens.plain(b"null"),
            Some(name) => self.tokens.string(name.as_bytes())?,
            None => self.digits(&number),
        }
        Ok(())
    }

    /// A wrapper such as `Int64Value`, whose JSON form is the value of its one field.
    pub(super) fn wrapper(&mut self, ty: &MessageType, bytes: &[u8]) -> Result<()> {
        let field = ty.field(1).filter(|field| field.kind.message().is_none());
        let field = field.ok_or_else(|| mismatched_type("a wrapper"))?;
        let mut given = default_of(self.schema, field);
        for record in Records::new(bytes, 0) {
            let record = record?;
            if record.number == 1 && record.value.wire_type() == field.wire_type {
                given = record.value;
            } else {
                self.unknown(&record)?;
            }
        }
        self.scalar(field, given)
    }

    /// A `Timestamp` or a `Duration`.
    pub(super) fn time(
        &mut self,
        bytes: &[u8],
        text: fn(Time) -> Result<String, String>,
    ) -> Result<()> {
        let mut time = Time::default();
        for record in Records::new(bytes, 0) {
            let record = record?;
            match (record.number, record.value) {
                (1, Value::Varint(bits)) => time.seconds = bits.cast_signed(),
                (2, Value::Varint(bits)) => time.nanos = int32(bits),
                _ => self.unknown(&record)?,
            }
        }
        let text = text(time)
            .map_err(|found| Error::syntax(format!("JSON cannot represent this: {found}")))?;
        self.tokens.string(text.as_bytes())
    }

    pub(super) fn mask(&mut self, bytes: &[u8]) -> Result<()> {
        let mut text = String::new();
        for record in Records::new(bytes, 0) {
            let record = record?;
            let (1, Value::Len(path)) = (record.number, record.value) else {
                self.unknown(&record)?;
                continue;
            };
            let path = String::from_utf8_lossy(path);
            let Some(path) =
                mask::to_camel(&path).filter(|path| !path.is_empty() && !path.contains(','))
            else {
                return Err(not_in_json(
                    format_args!("the path {path:?}"),
                    ": it would not round-trip",
                ));
            };
            if !text.is_empty() {
                text.push(',');
            }
            text.push_str(&path);
        }
        self.tokens.string(text.as_bytes())
    }
}

fn not_finite(value: f64) -> &'static [u8] {
    match value {
        f64::INFINITY => br#""Infinity""#,
        f64::NEG_INFINITY => br#""-Infinity""#,
        _ => br#""NaN""#,
    }
}
