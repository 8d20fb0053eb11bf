//! Counts the fields of a message that a message type can read.
//!
//! A type can read a field if it has the field and the value is one of the field's type, throughout. The fields of nested messages
//! count too. Later versions of a type may have more fields, so numbers that it does not have count neither way in wire bytes.

use std::iter::Peekable;

use crate::bytes::varint;
use crate::message::{
    Form, Packed, Records, Token, Tokens, Value, WireMatch, int32, normal_varint,
};
use crate::schema::{Field, Kind, KnownType, MessageType, Schema};

/// The maximum number of fields that are examined.
const FIELDS: usize = 2_000;

/// The deepest level of wire bytes that is examined.
const DEPTH: usize = 16;

/// The part of a message that types are counted against.
pub(super) enum Sample<'a> {
    /// Wire bytes.
    Wire(&'a [u8]),
    /// The first tokens of text.
    Text(Vec<Token<'a>>),
    /// The first tokens of JSON.
    Json(Vec<Token<'a>>),
}

impl<'a> Sample<'a> {
    pub(super) fn new(form: Form, bytes: &'a [u8]) -> Self {
        match form {
            Form::Binary => Self::Wire(bytes),
            Form::Text => Self::Text(Tokens::new(bytes).collect()),
            Form::Json => Self::Json(Tokens::new(bytes).collect()),
        }
    }
}

/// The fields of a message by whether a type can read them.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Count {
    /// The fields that the type can read, with those of nested messages.
    pub(super) readable: i64,
    /// The outermost fields that it cannot read.
    pub(super) unreadable: i64,
}

impl Count {
    /// Counts the fields of a message that `ty` can read.
    pub(super) fn of(schema: &Schema, ty: &MessageType, sample: &Sample<'_>) -> Self {
        Self::by(FieldCounter { schema, strict: true, budget: FIELDS }, ty, sample)
    }

    /// Like [`of`](Self::of), but a nested message of which most fields can be read counts as readable.
    pub(super) fn lenient(schema: &Schema, ty: &MessageType, sample: &Sample<'_>) -> Self {
        Self::by(FieldCounter { schema, strict: false, budget: FIELDS }, ty, sample)
    }

    fn by(mut counter: FieldCounter<'_>, ty: &MessageType, sample: &Sample<'_>) -> Self {
        let schema = counter.schema;
        match sample {
            Sample::Wire(bytes) => counter.message(ty, bytes, 0, End::Truncated),
            Sample::Text(tokens) => names(schema, ty, tokens, |ty, name| ty.field_by_name(name)),
            Sample::Json(tokens) => names(schema, ty, tokens, |ty, name| {
                ty.field_by_json_name(name).or_else(|| ty.entry().map(|(_, value)| value))
            }),
        }
    }

    /// The readable fields less the unreadable ones.
    pub(super) fn surplus(self) -> i64 {
        self.readable - self.unreadable
    }

    /// Adds a field with the number of its readable fields; `None` if it cannot be read.
    fn add(&mut self, readable: Option<i64>) {
        match readable {
            Some(fields) => self.readable += fields,
            None => self.unreadable += 1,
        }
    }
}

/// Whether bytes may end within a field.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum End {
    Complete,
    Truncated,
}

/// Counts the readable fields in wire bytes.
struct FieldCounter<'s> {
    schema: &'s Schema,
    /// Whether one field that cannot be read makes the message around it unreadable.
    strict: bool,
    /// The number of fields that may still be examined.
    budget: usize,
}

impl FieldCounter<'_> {
    fn message(&mut self, ty: &MessageType, bytes: &[u8], depth: usize, end: End) -> Count {
        let mut count = Count::default();
        let (mut read, mut last) = (0, 0);
        for record in Records::new(bytes, 0) {
            if self.budget == 0 || depth == DEPTH {
                break;
            }
            self.budget -= 1;
            match record {
                Ok(record) => {
                    // Valid, but no writer repeats a field that is not a list.
                    let is_repeat = record.number == last
                        && ty.field(last).is_some_and(|field| !field.is_repeated());
                    let fields = if is_repeat {
                        None
                    } else {
                        self.field(ty, record.number, record.value, depth, End::Complete)
                    };
                    count.add(fields);
                    (read, last) = (read + record.bytes.len(), record.number);
                }
                Err(_) if end == End::Complete => count.add(None),
                Err(_) => {
                    if let Some((number, content)) = bytes.get(read..).and_then(truncated) {
                        count.add(self.field(ty, number, Value::Len(content), depth, end));
                    }
                }
            }
        }
        count
    }

    /// The number of fields that can be read in a field, itself included; `None` if it cannot be read.
    fn field(
        &mut self,
        ty: &MessageType,
        number: u32,
        value: Value<'_>,
        depth: usize,
        end: End,
    ) -> Option<i64> {
        let Some(field) = ty.field(number) else { return Some(0) };
        let schema = self.schema;
        let is_readable = match (WireMatch::of(value.wire_type(), field), field.kind, value) {
            (WireMatch::Mismatch, ..) => false,
            (WireMatch::Packed, kind, Value::Len(bytes)) => {
                end == End::Truncated || Packed::new(kind, bytes, 0).all(|number| number.is_ok())
            }
            (_, Kind::Message(id), Value::Len(bytes)) => {
                let inside = self.message(&schema[id], bytes, depth + 1, end);
                let is_readable = inside.unreadable == 0 || !self.strict && inside.surplus() > 0;
                return is_readable.then_some(inside.readable + 1);
            }
            (_, Kind::String, Value::Len(bytes)) => {
                is_text(bytes, end) && is_possible_name(ty, field, bytes)
            }
            (_, Kind::Enum(id), Value::Varint(bits))
                if schema[id].value_name(int32(bits)).is_none() =>
            {
                return Some(0);
            }
            // A fingerprint has hashes where other messages have small numbers.
            (_, Kind::Uint64, Value::Varint(bits))
                if ty.known == Some(KnownType::FingerprintDef) =>
            {
                bits > u64::from(u32::MAX)
            }
            (_, kind, Value::Varint(bits)) => normal_varint(kind, bits) == bits,
            _ => true,
        };
        is_readable.then_some(1)
    }
}

/// The number and the content of a truncated length-delimited record.
fn truncated(record: &[u8]) -> Option<(u32, &[u8])> {
    let (tag, tag_len) = varint::read(record)?;
    let (_, len_len) = varint::read(record.get(tag_len..)?)?;
    let content = record.get(tag_len + len_len..).filter(|_| tag & 7 == 2)?;
    Some((u32::try_from(tag >> 3).ok()?, content))
}

/// Whether bytes are a string: UTF-8, and not a message. Most lengths and tags of a message are control characters.
fn is_text(bytes: &[u8], end: End) -> bool {
    let is_utf8 = match std::str::from_utf8(bytes) {
        Ok(_) => true,
        Err(error) => end == End::Truncated && error.error_len().is_none(),
    };
    let is_message =
        || Records::new(bytes, 0).all(|record| record.is_ok() || end == End::Truncated);
    is_utf8 && !(bytes.iter().any(|byte| *byte < b' ') && is_message())
}

/// Whether the value of a name field is a possible name. Some types begin with string fields that differ in this only.
fn is_possible_name(ty: &MessageType, field: &Field, name: &[u8]) -> bool {
    match (ty.known, &*field.name) {
        (Some(KnownType::NodeDef), "op") => {
            name.iter().all(|byte| byte.is_ascii_alphanumeric() || b"_>".contains(byte))
        }
        (Some(KnownType::SaverDef), "save_tensor_name")
        | (Some(KnownType::VariableDef), "variable_name") => {
            let output = name.rsplit(|byte| *byte == b':').next().unwrap_or_default();
            output.len() < name.len() && output.iter().all(u8::is_ascii_digit)
        }
        _ => true,
    }
}

/// Counts the names of fields in text or JSON: words and strings before a colon, and words before a brace.
fn names(
    schema: &Schema,
    ty: &MessageType,
    tokens: &[Token<'_>],
    field_named: impl for<'t> Fn(&'t MessageType, &[u8]) -> Option<&'t Field>,
) -> Count {
    let mut count = Count::default();
    let mut tokens = tokens.iter().copied().peekable();
    // JSON has braces around the outermost message.
    tokens.next_if_eq(&Token::Mark(b'{'));
    // The types of the open messages, each with that of the message in its last field; `None` if not known.
    let mut open = vec![(Some(ty), None)];
    for _ in 0..FIELDS {
        let Some(name) = next_name(&mut tokens, &mut open) else { break };
        let depth = open.len();
        let Some((Some(ty), inner)) = open.last_mut() else { continue };
        let field = field_named(ty, name);
        *inner = field.and_then(|field| field.kind.message()).map(|id| &schema[id]);
        if field.is_some() || depth == 1 {
            count.add(field.map(|_| 1));
        }
    }
    count
}

/// The types of an open message and of the message in its last field.
type Open<'s> = (Option<&'s MessageType>, Option<&'s MessageType>);

/// The next name of a field, after opening and closing the messages before it.
fn next_name<'a>(
    tokens: &mut Peekable<impl Iterator<Item = Token<'a>>>,
    open: &mut Vec<Open<'_>>,
) -> Option<&'a [u8]> {
    loop {
        match tokens.next()? {
            Token::Mark(b'{' | b'<') => {
                let inner = open.last().and_then(|(_, inner)| *inner);
                open.push((inner, None));
            }
            Token::Mark(b'}' | b'>') if open.len() > 1 => drop(open.pop()),
            Token::Word(name) if next_is(tokens, b":{<") => return Some(name),
            Token::String(name) if next_is(tokens, b":") => return Some(name),
            _ => {}
        }
    }
}

fn next_is<'a>(tokens: &mut Peekable<impl Iterator<Item = Token<'a>>>, marks: &[u8]) -> bool {
    matches!(tokens.peek(), Some(Token::Mark(mark)) if marks.contains(mark))
}
