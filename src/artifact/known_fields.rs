//! How much of a message a type knows: a number from 0 for nothing to 1 for all of its fields.
//!
//! A field is known if the type has it and its value can be one of that field. A field with a message counts as much as is
//! known of that message, so that the outermost fields count most.

use std::iter::Peekable;

use crate::bytes::varint;
use crate::message::{Fit, Form, Packed, Record, Records, Token, Tokens, Value, int32};
use crate::schema::{Field, Kind, MessageType, Schema, WireType};

type Source<'a> = Peekable<Tokens<'a>>;

/// The most fields that are looked at.
const FIELDS: usize = 2_000;

/// The most levels that are looked into.
const DEPTH: usize = 16;

/// A walk through the fields of a message as if it were of some type.
struct Walk<'s> {
    schema: &'s Schema,
    form: Form,
    left: usize,
}

/// How much `ty` knows of a message in this form that begins with `bytes`.
pub(super) fn of(schema: &Schema, ty: &MessageType, form: Form, bytes: &[u8]) -> f64 {
    let mut walk = Walk { schema, form, left: FIELDS };
    if form == Form::Binary {
        return walk.binary(ty, bytes, 0, End::Cut).unwrap_or_default();
    }
    let mut tokens = Tokens::new(bytes).peekable();
    // The outermost message of JSON stands in braces.
    tokens.next_if_eq(&Token::Mark(b'{'));
    walk.message(Names::Fields(ty), &mut tokens, 0)
}

/// How the bytes of a message end.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum End {
    Complete,
    /// The file may be cut short here.
    Cut,
}

/// The mean of what is known of each field; 1 for a message without fields.
#[derive(Default)]
struct Mean {
    sum: f64,
    count: f64,
}

impl Mean {
    fn add(&mut self, known: f64) {
        self.sum += known;
        self.count += 1.0;
    }

    /// Adds a field of a binary message whose number the type does not have. It says little, for a later version of the type
    /// may have it.
    fn add_unknown_number(&mut self) {
        self.count += 1.0 / 16.0;
    }

    fn value(&self) -> f64 {
        if self.count == 0.0 { 1.0 } else { self.sum / self.count }
    }
}

/// Binary messages.
impl Walk<'_> {
    /// How much is known of `bytes`; `None` where they are no message.
    fn binary(&mut self, ty: &MessageType, bytes: &[u8], depth: usize, end: End) -> Option<f64> {
        let mut mean = Mean::default();
        let (mut read, mut last) = (0, 0);
        for record in Records::new(bytes, 0) {
            if self.left == 0 || depth == DEPTH {
                break;
            }
            self.left -= 1;
            let known = match record {
                // Allowed, but no writer repeats a field that is not a list.
                Ok(record) if record.number == last && !is_list(ty, last) => None,
                Ok(Record { number, value: Value::Len(bytes), .. }) => {
                    self.bytes(ty, number, bytes, depth, End::Complete)
                }
                Ok(record) => self.number(ty, &record),
                Err(_) if end == End::Complete => return None,
                Err(_) => self.cut(ty, bytes.get(read..)?, depth),
            };
            match &record {
                Ok(record) if ty.field(record.number).is_none() => mean.add_unknown_number(),
                _ => mean.add(known.unwrap_or_default()),
            }
            let Ok(record) = record else { break };
            (read, last) = (read + record.bytes.len(), record.number);
        }
        Some(mean.value())
    }

    /// How much is known of the last record of a file that is cut short.
    fn cut(&mut self, ty: &MessageType, record: &[u8], depth: usize) -> Option<f64> {
        let (tag, tag_len) = varint::read(record)?;
        let (_, len_len) = varint::read(record.get(tag_len..)?)?;
        let bytes = record.get(tag_len + len_len..).filter(|_| tag & 7 == 2)?;
        self.bytes(ty, u32::try_from(tag >> 3).ok()?, bytes, depth, End::Cut)
    }

    /// How much is known of a message, a string, bytes, or packed numbers.
    fn bytes(
        &mut self,
        ty: &MessageType,
        number: u32,
        bytes: &[u8],
        depth: usize,
        end: End,
    ) -> Option<f64> {
        let field = ty.field(number)?;
        let schema = self.schema;
        match (Fit::of(WireType::Len, field), field.kind) {
            (Fit::Not, _) => None,
            (Fit::Packed, kind) => {
                known(end == End::Cut || Packed::new(kind, bytes, 0).all(|number| number.is_ok()))
            }
            (_, Kind::Message(id)) => self.binary(&schema[id], bytes, depth + 1, end),
            (_, Kind::String) => match std::str::from_utf8(bytes) {
                Ok(text) => string(&ty.full_name, &field.name, text),
                Err(error) => known(end == End::Cut && error.error_len().is_none()),
            },
            _ => Some(1.0),
        }
    }

    fn number(&self, ty: &MessageType, record: &Record<'_>) -> Option<f64> {
        let field = ty.field(record.number)?;
        match (Fit::of(record.value.wire_type(), field), field.kind, record.value) {
            (Fit::Not, ..) => None,
            (_, Kind::Enum(id), Value::Varint(bits)) => {
                known(self.schema[id].value_name(int32(bits)).is_some())
            }
            // A fingerprint has hashes where other messages have small numbers.
            (_, Kind::Uint64, Value::Varint(bits)) if ty.name() == "FingerprintDef" => {
                known(bits > u64::from(u32::MAX))
            }
            _ => Some(1.0),
        }
    }
}

fn known(is_known: bool) -> Option<f64> {
    is_known.then_some(1.0)
}

fn is_list(ty: &MessageType, number: u32) -> bool {
    ty.field(number).is_some_and(Field::is_repeated)
}

/// How much is known of `text` as a value of the string `field` of `message`. Types of few fields, most of them strings,
/// differ by what these strings name.
fn string(message: &str, field: &str, text: &str) -> Option<f64> {
    let is_node = |text: &str| !text.contains(|c: char| c.is_whitespace() || c == ':');
    let is_op = |text: &str| {
        let word = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'>');
        text.bytes().all(word) && !text.starts_with(|c: char| c.is_ascii_digit())
    };
    let is_output = |text: &str| {
        let parts = text.rsplit_once(':');
        parts.is_some_and(|(node, output)| is_node(node) && output.parse::<u32>().is_ok())
    };
    let is_name = match (message.strip_prefix("tensorflow."), field) {
        (Some("NodeDef"), "name") => is_node(text),
        (Some("NodeDef"), "op") | (Some("OpDef"), "name") => is_op(text),
        (Some("SaverDef"), "filename_tensor_name" | "save_tensor_name")
        | (Some("VariableDef"), "variable_name") => is_output(text),
        (Some("SaverDef"), "restore_op_name") | (Some("VariableDef"), "initializer_name") => {
            is_node(text)
        }
        _ => true,
    };
    let is_control = |byte: &u8| *byte < b' ' && !matches!(byte, b'\n' | b'\r' | b'\t');
    match text.bytes().filter(is_control).count() {
        _ if !is_name => None,
        0 => Some(1.0),
        few if few * 16 <= text.len() => Some(0.75),
        // The lengths and tags of a message that is taken for a string.
        _ => None,
    }
}

/// The meaning of the names in braces.
#[derive(Debug, Clone, Copy)]
enum Names<'s> {
    /// They are fields of a message.
    Fields(&'s MessageType),
    /// They are keys of a map, whose values may be messages.
    Keys(Option<&'s MessageType>),
    /// They say nothing: the field is not known, or its message has a form of its own.
    Unknown,
}

/// Text and JSON. A word or string is a name before a colon, a word also before a brace; anything else is a value.
impl<'s> Walk<'s> {
    /// How much is known of the fields up to the brace that ends the message.
    fn message(&mut self, names: Names<'s>, tokens: &mut Source<'_>, depth: usize) -> f64 {
        let mut mean = Mean::default();
        // Braces may be nested deeper than the stack is.
        let mut too_deep = 0;
        while let Some(token) = tokens.next() {
            match token {
                Token::Mark(b'{' | b'<') => too_deep += 1,
                Token::Mark(b'}' | b'>') if too_deep > 0 => too_deep -= 1,
                Token::Mark(b'}' | b'>') => break,
                _ if depth == DEPTH => {}
                Token::Word(name) if next_is(tokens, b":{<") => {
                    self.field(names, name, tokens, depth, &mut mean);
                }
                Token::String(name) if next_is(tokens, b":") => {
                    self.field(names, name, tokens, depth, &mut mean);
                }
                // The name of an extension, or of the type of a message in an `Any`.
                Token::Mark(b'[') => {
                    tokens.find(|token| *token == Token::Mark(b']'));
                    self.field(Names::Unknown, b"", tokens, depth, &mut mean);
                }
                _ => {}
            }
        }
        mean.value()
    }

    /// Adds what is known of a field, whose value comes next.
    fn field(
        &mut self,
        names: Names<'s>,
        name: &[u8],
        tokens: &mut Source<'_>,
        depth: usize,
        mean: &mut Mean,
    ) {
        self.left = self.left.saturating_sub(1);
        let says = |known: bool| if known { 1.0 } else { 0.0 };
        tokens.next_if_eq(&Token::Mark(b':'));
        tokens.next_if_eq(&Token::Mark(b'['));
        let is_message = next_is(tokens, b"{<");
        let (inner, known) = self.lookup(names, name, is_message);
        while next_is(tokens, b"{<") {
            tokens.next();
            let share = self.message(inner, tokens, depth + 1);
            if let Some(known) = known.filter(|_| self.left > 0) {
                mean.add(says(known) * share);
            }
            // The next item of a list.
            tokens.next_if_eq(&Token::Mark(b','));
        }
        if let Some(known) = known.filter(|_| !is_message && self.left > 0) {
            mean.add(says(known));
        }
    }

    /// The meaning of the names in a field, and whether the field is known; `None` where its name says nothing.
    fn lookup(&self, names: Names<'s>, name: &[u8], is_message: bool) -> (Names<'s>, Option<bool>) {
        let ty = match names {
            Names::Unknown => return (Names::Unknown, None),
            Names::Keys(value) => return (value.map_or(Names::Unknown, Names::Fields), Some(true)),
            Names::Fields(ty) if ty.well_known.is_some() || name == b"@type" => {
                return (Names::Unknown, None);
            }
            Names::Fields(ty) => ty,
        };
        let is_json = self.form == Form::Json;
        let field = if is_json { ty.field_by_json_name(name) } else { ty.field_by_name(name) };
        let Some(field) = field else { return (Names::Unknown, Some(false)) };
        match field.kind.message().map(|id| &self.schema[id]) {
            None => (Names::Unknown, Some(!is_message)),
            Some(entry) if is_json && field.is_map() => {
                let value = entry.entry().and_then(|(_, value)| value.kind.message());
                (Names::Keys(value.map(|id| &self.schema[id])), Some(true))
            }
            // JSON has null and empty lists for messages, and strings for well-known types.
            Some(inner) => (Names::Fields(inner), Some(is_message || is_json)),
        }
    }
}

fn next_is(tokens: &mut Source<'_>, marks: &[u8]) -> bool {
    matches!(tokens.peek(), Some(Token::Mark(mark)) if marks.contains(mark))
}
