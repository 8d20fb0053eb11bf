//! Encodes scalar values.

use super::{literal, number};
use crate::message::{Writer, integer_range, integer_value, write_value};
use crate::schema::{Field, Kind, Schema};
use crate::suggestion;
use crate::text::syntax::{Literals, Number, NumberKind, Refusal, Word};

/// A scalar value of a text, before its field is known.
#[derive(Debug, Clone)]
pub(in super::super) enum Token<'m, 't> {
    String(Literals<'m, 't>),
    Number(Number<'t>),
    Word(Word<'t>),
}

impl Token<'_, '_> {
    /// The position of its first byte.
    pub(super) fn at(&self) -> usize {
        match self {
            Self::String(literals) => literals.clone().next().map_or(0, |literal| literal.at),
            Self::Number(number) => number.at,
            Self::Word(word) => word.at,
        }
    }

    /// Describes the value in a message.
    fn describe(&self) -> String {
        let (text, negative) = match self {
            Self::String(_) => return "a string".into(),
            Self::Number(number) => (number.text, number.negative),
            Self::Word(word) => (word.text, word.negative),
        };
        let text = str(text);
        let shown: String = text.chars().take(40).collect();
        let dots = if shown.len() < text.len() { "…" } else { "" };
        format!("{}{shown}{dots}", if negative { "-" } else { "" })
    }
}

/// The text of a word or number, which the grammar restricts to ASCII.
fn str(text: &[u8]) -> &str {
    std::str::from_utf8(text).unwrap_or_default()
}

/// Writes `token` as a value of `field`, without a tag.
///
/// # Errors
/// If the field does not accept the value.
pub(super) fn write(
    schema: &Schema,
    field: &Field,
    token: Token<'_, '_>,
    out: &mut Writer,
) -> Result<(), Refusal> {
    match token {
        Token::String(literals) if matches!(field.kind, Kind::String | Kind::Bytes) => {
            write_string(field, literals, out)
        }
        token => {
            write_word(schema, field, &token, out).map_err(|why| Refusal::new(token.at(), why))
        }
    }
}

/// Writes a string with its length. UTF-8 is checked in the whole string, since the bytes of a character may be in several
/// escapes and literals.
fn write_string(
    field: &Field,
    literals: Literals<'_, '_>,
    out: &mut Writer,
) -> Result<(), Refusal> {
    let mut first = None;
    out.open();
    let start = out.position();
    for literal in literals {
        first = first.or(Some(literal.at));
        literal::unescape(literal.text, out.buffer())
            .map_err(|error| Refusal::new(literal.at + 1 + error.at, error.message))?;
    }
    let bytes = out.since(start);
    if field.is_utf8
        && let Err(error) = std::str::from_utf8(bytes)
    {
        let at = error.valid_up_to();
        let byte = bytes.get(at).copied().unwrap_or(0);
        let why = format!("{} must be UTF-8, but its byte {at} is {byte:#04x}", field.name);
        return Err(Refusal::new(first.unwrap_or(0), why));
    }
    out.close();
    Ok(())
}

/// Checks a value of a skipped field.
pub(super) fn skip(token: &Token<'_, '_>) -> Result<(), Refusal> {
    match token {
        Token::Word(word) if word.negative && number::float_word(str(word.text)).is_none() => {
            let why = format!("expected a number after '-', found {}", str(word.text));
            Err(Refusal::new(word.at, why))
        }
        _ => Ok(()),
    }
}

/// Writes a value that is not a string.
fn write_word(
    schema: &Schema,
    field: &Field,
    token: &Token<'_, '_>,
    out: &mut Writer,
) -> Result<(), String> {
    match field.kind {
        Kind::String | Kind::Bytes => return Err(no(field, token, "a string")),
        Kind::Float | Kind::Double => {
            let value = float(token).ok_or_else(|| no(field, token, "a decimal number"))?;
            if field.kind == Kind::Double {
                out.raw(&value.to_le_bytes());
            } else {
                // As in C++: the text is rounded to a double, and the double to a float.
                out.raw(&narrow(value).to_le_bytes());
            }
        }
        Kind::Bool => {
            out.varint(u64::from(boolean(token).ok_or_else(|| no(field, token, "true or false"))?))
        }
        Kind::Enum(id) => {
            let number = match token {
                Token::Word(word) if !word.negative => schema[id].number(word.text),
                Token::Number(_) => integer(token).and_then(|number| i32::try_from(number).ok()),
                _ => None,
            };
            let known = number
                .filter(|&number| !schema[id].is_closed || schema[id].value_name(number).is_some());
            let number = known.ok_or_else(|| no_enum_value(schema, field, token))?;
            out.varint(i64::from(number).cast_unsigned());
        }
        Kind::Message(_) | Kind::Group(_) => {
            return Err(format!("{} is a message: expected '{{' after its name", field.name));
        }
        kind => write_integer(kind, token, out).ok_or_else(|| no_integer(field, token))?,
    }
    Ok(())
}

/// The value of an integer.
fn integer(token: &Token<'_, '_>) -> Option<i128> {
    let Token::Number(number) = token else { return None };
    let magnitude = i128::from(number::integer(str(number.text))?);
    Some(if number.negative { -magnitude } else { magnitude })
}

/// Writes an integer, if the token is one in the range of its kind; a field without negative numbers refuses `-0` too.
fn write_integer(kind: Kind, token: &Token<'_, '_>, out: &mut Writer) -> Option<()> {
    let is_signed = !matches!(kind, Kind::Uint32 | Kind::Uint64 | Kind::Fixed32 | Kind::Fixed64);
    let is_negative = matches!(token, Token::Number(number) if number.negative);
    let number = integer(token).filter(|_| is_signed || !is_negative)?;
    write_value(kind, integer_value(kind, number)?, out);
    Some(())
}

fn float(token: &Token<'_, '_>) -> Option<f64> {
    let (value, negative) = match token {
        // Octal and hexadecimal numbers are integers only.
        Token::Number(number)
            if matches!(number.kind, NumberKind::Octal | NumberKind::Hexadecimal) =>
        {
            return None;
        }
        Token::Number(number) => (number::float(str(number.text))?, number.negative),
        Token::Word(word) => (number::float_word(str(word.text))?, word.negative),
        Token::String(_) => return None,
    };
    Some(if negative { -value } else { value })
}

#[expect(clippy::cast_possible_truncation, reason = "rounds")]
fn narrow(value: f64) -> f32 {
    value as f32
}

fn boolean(token: &Token<'_, '_>) -> Option<bool> {
    match token {
        Token::Word(word) if !word.negative => match word.text {
            b"true" | b"True" | b"t" => Some(true),
            b"false" | b"False" | b"f" => Some(false),
            _ => None,
        },
        Token::Number(number) if !number.negative => match number::integer(str(number.text))? {
            0 => Some(false),
            1 => Some(true),
            _ => None,
        },
        _ => None,
    }
}

fn no(field: &Field, token: &Token<'_, '_>, wanted: &str) -> String {
    let (kind, found) = (field.kind.name(), token.describe());
    format!("{} is of type {kind}: expected {wanted}, found {found}", field.name)
}

fn no_integer(field: &Field, token: &Token<'_, '_>) -> String {
    let is_number = matches!(token, Token::Number(n) if n.kind != NumberKind::Float);
    if is_number {
        let (kind, range) = (field.kind.name(), integer_range(field.kind));
        format!("{} is out of range: {} is of type {kind}, {range}", token.describe(), field.name)
    } else {
        no(field, token, "an integer")
    }
}

fn no_enum_value(schema: &Schema, field: &Field, token: &Token<'_, '_>) -> String {
    let Kind::Enum(id) = field.kind else { return String::new() };
    let name = &schema[id].full_name;
    match token {
        Token::Word(word) => {
            let hint = suggestion::hint(word.text, schema[id].names());
            format!("{} is not a value of {name}{hint}", token.describe())
        }
        _ => no(field, token, &format!("a value of {name}")),
    }
}
