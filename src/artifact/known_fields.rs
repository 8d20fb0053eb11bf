//! The share of a message that a message type knows, from 0 to 1.
//!
//! A type knows a field if it has the field and the value is possible for it. A field with a message counts as the share of that
//! message that is known, so the outermost fields count most.

use std::iter::Peekable;

use crate::bytes::varint;
use crate::message::{Form, Packed, Record, Records, Token, Tokens, Value, WireMatch, int32};
use crate::schema::{Field, Kind, MessageType, Schema, WireType};

type Source<'a> = Peekable<Tokens<'a>>;

/// The maximum number of fields that are examined.
const FIELDS: usize = 2_000;

/// The deepest level that is examined.
const DEPTH: usize = 16;

/// A walk over the fields of a message of an assumed type.
struct Walk<'s> {
    schema: &'s Schema,
    form: Form,
    left: usize,
}

/// The share of a message that `ty` knows, by its first bytes; 0 if these have no field.
pub(super) fn of(schema: &Schema, ty: &MessageType, form: Form, bytes: &[u8]) -> f64 {
    let mut walk = Walk { schema, form, left: FIELDS };
    if form == Form::Binary {
        return walk.binary(ty, bytes, 0, End::Cut).unwrap_or_default();
    }
    let mut tokens = Tokens::new(bytes).peekable();
    // JSON has braces around the outermost message.
    tokens.next_if_eq(&Token::Mark(b'{'));
    let mean = walk.message(Names::Fields(ty), &mut tokens, 0);
    if mean.count == 0.0 { 0.0 } else { mean.value() }
}

/// Whether a message may be cut off.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum End {
    Complete,
    /// The file may be cut off.
    Cut,
}

/// The mean of the shares of all fields; 1 for a message without fields.
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

    /// Adds a field of a binary message that the type does not have. Its weight is small, since a later version of the type may
    /// have the field.
    fn add_unknown_number(&mut self) {
        self.count += 1.0 / 16.0;
    }

    fn value(&self) -> f64 {
        if self.count == 0.0 { 1.0 } else { self.sum / self.count }
    }
}

/// Binary messages.
impl Walk<'_> {
    /// The known share of a binary message; `None` if `bytes` are not a message.
    fn binary(&mut self, ty: &MessageType, bytes: &[u8], depth: usize, end: End) -> Option<f64> {
        let mut mean = Mean::default();
        let (mut read, mut last) = (0, 0);
        for record in Records::new(bytes, 0) {
            if self.left == 0 || depth == DEPTH {
                break;
            }
            self.left -= 1;
            let known = match record {
                // Valid, but no writer repeats a field that is not a list.
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

    /// The known share of the last record of a file that is cut off.
    fn cut(&mut self, ty: &MessageType, record: &[u8], depth: usize) -> Option<f64> {
        let (tag, tag_len) = varint::read(record)?;
        let (_, len_len) = varint::read(record.get(tag_len..)?)?;
        let bytes = record.get(tag_len + len_len..).filter(|_| tag & 7 == 2)?;
        self.bytes(ty, u32::try_from(tag >> 3).ok()?, bytes, depth, End::Cut)
    }

    /// The known share of a message, a string, bytes, or packed numbers.
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
        match (WireMatch::of(WireType::Len, field), field.kind) {
            (WireMatch::Mismatch, _) => None,
            (WireMatch::Packed, kind) => {
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
        match (WireMatch::of(record.value.wire_type(), field), field.kind, record.value) {
            (WireMatch::Mismatch, ..) => None,
            (_, Kind::Enum(id), Value::Varint(bits)) => {
                known(self.schema[id].value_name(int32(bits)).is_some())
            }
            // A fingerprint has hashes in fields where other messages have small numbers.
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

/// The known share of `text` as a value of the string `field` of `message`. Types with few fields, most of them strings, differ
/// in what these strings name.
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
        // Lengths and tags of a message that was taken for a string.
        _ => None,
    }
}

/// The meaning of the names in braces.
#[derive(Debug, Clone, Copy)]
enum Names<'s> {
    /// Fields of a message.
    Fields(&'s MessageType),
    /// Keys of a map, whose values may be messages.
    Keys(Option<&'s MessageType>),
    /// Without a meaning: the field is unknown, or its message has a special form.
    Unknown,
}

/// Text and JSON. A word or string before a colon is a name, and a word before a brace is one too; anything else is a value.
impl<'s> Walk<'s> {
    /// The known share of the fields up to the closing brace of the message.
    fn message(&mut self, names: Names<'s>, tokens: &mut Source<'_>, depth: usize) -> Mean {
        let mut mean = Mean::default();
        // Braces may be nested more deeply than the stack allows.
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
                // The name of an extension, or the type of the message in an `Any`.
                Token::Mark(b'[') => {
                    tokens.find(|token| *token == Token::Mark(b']'));
                    self.field(Names::Unknown, b"", tokens, depth, &mut mean);
                }
                _ => {}
            }
        }
        mean
    }

    /// Adds the known share of a field, whose value follows.
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
            let share = self.message(inner, tokens, depth + 1).value();
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

    /// The meaning of the names in a field, and whether the field is known; `None` if its name has no meaning.
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
