//! Parsing of numbers, bools and enum values from their exact source text.

use std::borrow::Cow;

use serde::de;

use super::reader::Reader;
use crate::error::shortened;
use crate::json::number::{integer, is_number};
use crate::message::{Value, integer_range, integer_value};
use crate::schema::{EnumId, Kind, MessageId, WellKnown};
use crate::suggestion;

impl Reader<'_, '_> {
    /// Converts a JSON token to a value of a field of this kind; `None` for an unknown enum value that was dropped.
    #[inline]
    pub(super) fn scalar<E: de::Error>(
        &mut self,
        kind: Kind,
        token: &str,
    ) -> Result<Option<Value<'static>>, E> {
        let value = match kind {
            Kind::Bool => match token {
                "true" => Some(Value::Varint(1)),
                "false" => Some(Value::Varint(0)),
                _ => None,
            },
            Kind::Double => double(token).map(|value| Value::Fixed64(value.to_bits())),
            Kind::Float => float(token).map(|value| Value::Fixed32(value.to_bits())),
            Kind::Enum(id) => return self.enum_value(id, token),
            kind => {
                let number = integer(unquoted(token).as_bytes());
                number.and_then(|number| integer_value(kind, number))
            }
        };
        match value {
            Some(value) => Ok(Some(value)),
            None => Err(self.refuse(&range(kind))),
        }
    }

    fn enum_value<E: de::Error>(
        &mut self,
        id: EnumId,
        token: &str,
    ) -> Result<Option<Value<'static>>, E> {
        let ty = &self.schema[id];
        let written = |number: i32| Some(Value::Varint(i64::from(number).cast_unsigned()));
        if token.starts_with('"') {
            let name = unquoted(token);
            return match ty.number(name.as_bytes()) {
                Some(number) => Ok(written(number)),
                None => self.drop_enum(|| {
                    let hint = suggestion::hint(name.as_bytes(), ty.names());
                    let name = shortened(&name);
                    format!("unknown value {name:?} of {}{hint}", ty.full_name)
                }),
            };
        }
        if token == "null" && ty.is_null_value() {
            return Ok(written(0));
        }
        match integer(token.as_bytes()).and_then(|number| i32::try_from(number).ok()) {
            Some(number) if ty.is_closed && ty.value_name(number).is_none() => {
                self.drop_enum(|| format!("unknown value {number} of {}", ty.full_name))
            }
            Some(number) => Ok(written(number)),
            None => Err(self.refuse(&format!("a name or a number of {}", ty.full_name))),
        }
    }

    fn drop_enum<E: de::Error>(
        &mut self,
        message: impl FnOnce() -> String,
    ) -> Result<Option<Value<'static>>, E> {
        self.drop_unknown(None, message).map(|()| None)
    }

    /// Returns whether the type is `google.protobuf.Value`.
    pub(super) fn is_value(&self, id: MessageId) -> bool {
        self.schema[id].well_known == Some(WellKnown::Value)
    }
}

/// Returns the content of a token without quotes and escapes.
#[inline]
fn unquoted(token: &str) -> Cow<'_, str> {
    match token.strip_prefix('"').and_then(|token| token.strip_suffix('"')) {
        None => Cow::Borrowed(token),
        Some(inside) if !inside.contains('\\') => Cow::Borrowed(inside),
        // A string that cannot be unescaped is neither a number nor a name.
        Some(_) => Cow::Owned(serde_json::from_str(token).unwrap_or_default()),
    }
}

fn double(token: &str) -> Option<f64> {
    if !token.starts_with('"') {
        return finite(token);
    }
    match &*unquoted(token) {
        "NaN" => Some(f64::NAN),
        "Infinity" => Some(f64::INFINITY),
        "-Infinity" => Some(f64::NEG_INFINITY),
        text if is_number(text.as_bytes()) => finite(text),
        _ => None,
    }
}

/// Parses through a double, as C++ and Python do; the last bit sometimes depends on that.
#[expect(clippy::cast_possible_truncation, reason = "rounds, and what is out of range is refused")]
fn float(token: &str) -> Option<f32> {
    let double = double(token)?;
    let float = double as f32;
    (float.is_finite() || !double.is_finite()).then_some(float)
}

fn finite(text: &str) -> Option<f64> {
    text.parse::<f64>().ok().filter(|value| value.is_finite())
}

/// The values that a field of this kind accepts, for an error message.
pub(super) fn range(kind: Kind) -> Cow<'static, str> {
    Cow::Borrowed(match kind {
        Kind::Bool => "true or false",
        Kind::Double => r#"a number in the range of a double, "NaN", "Infinity" or "-Infinity""#,
        Kind::Float => r#"a number in the range of a float, "NaN", "Infinity" or "-Infinity""#,
        _ => return format!("a whole number from {}", integer_range(kind)).into(),
    })
}
