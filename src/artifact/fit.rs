//! How well wire bytes fit a message type.
//!
//! Nearly any bytes can be read as nearly any message, since unknown fields are no error. What tells types apart is what
//! real messages are like: fields that are known, text that is text, names that look like names.

use crate::bytes::varint;
use crate::message::{Fit, Packed, Record, Records, Value, int32};
use crate::schema::{Field, Kind, MessageType, Schema};

/// Records that are looked at, for one type.
const RECORDS: u32 = 2_000;

/// Levels that are looked into.
const DEPTH: usize = 16;

/// What a string scores that is like no other in its place.
const STRANGE: f64 = -0.25;

/// What is taken from a score for each type that the bytes cannot be.
const CONTRADICTED: f64 = 2.0;

/// How well `bytes` fit `ty`: up to 1; below -1 where something in them cannot be of it, however well the rest fits. Linear
/// in the records looked at, which are limited.
pub(super) fn fit(schema: &Schema, ty: &MessageType, bytes: &[u8]) -> f64 {
    let mut look = Look { schema, left: RECORDS, contradicted: false };
    let score = look.message(ty, bytes, 0, Ending::MayBeCut).unwrap_or(0.0);
    if look.contradicted { score - CONTRADICTED } else { score }
}

struct Look<'s> {
    schema: &'s Schema,
    left: u32,
    /// Whether a message is none, a string no text, or a value none of its field's.
    contradicted: bool,
}

/// Whether a message ends where its bytes do.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Ending {
    Complete,
    /// A file that is cut short is still what it begins as, and so is what it ends in.
    MayBeCut,
}

impl Look<'_> {
    /// The mean over the records, of which long ones count a little more; `None` where there are none.
    fn message(
        &mut self,
        ty: &MessageType,
        bytes: &[u8],
        depth: usize,
        ending: Ending,
    ) -> Option<f64> {
        let (mut sum, mut total) = (0.0, 0.0);
        let (mut last, mut read) = (0, 0);
        for record in Records::new(bytes, 0) {
            let Ok(record) = record else {
                let rest = bytes.get(read..).unwrap_or_default();
                if ending == Ending::Complete {
                    self.contradicted = true;
                    return Some(-1.0);
                }
                let score = self.cut(ty, rest, depth).unwrap_or(-1.0);
                return Some((sum + score) / (total + 1.0));
            };
            read += record.bytes.len();
            let twice = last == record.number;
            last = record.number;
            let weight = (record.bytes.len() as f64).ln_1p();
            match self.record(ty, &record, twice, depth) {
                Some(score) => (sum, total) = (sum + weight * score, total + weight),
                // A later version may have fields that this one does not know.
                None => (sum, total) = (sum - weight / 8.0, total + weight / 2.0),
            }
            self.left = self.left.saturating_sub(1);
            if self.left == 0 {
                break;
            }
        }
        (total > 0.0).then(|| sum / total)
    }

    /// How well a record fits that the end of the file cuts; `None` where it is no message that is known.
    fn cut(&mut self, ty: &MessageType, bytes: &[u8], depth: usize) -> Option<f64> {
        let (tag, tag_len) = varint::read(bytes)?;
        let (_, len_len) = varint::read(bytes.get(tag_len..)?)?;
        let field = ty.field(u32::try_from(tag >> 3).ok()?)?;
        let Kind::Message(id) = field.kind else { return None };
        let inside = bytes.get(tag_len + len_len..).filter(|_| tag & 7 == 2 && depth < DEPTH)?;
        let schema = self.schema;
        self.message(&schema[id], inside, depth + 1, Ending::MayBeCut)
    }

    /// How well a record fits its field; `None` for an unknown one.
    fn record(
        &mut self,
        ty: &MessageType,
        record: &Record<'_>,
        twice: bool,
        depth: usize,
    ) -> Option<f64> {
        let field = ty.field(record.number)?;
        let score = match (Fit::of(record.value.wire_type(), field), record.value) {
            (Fit::Not, _) => {
                self.contradicted = true;
                -1.0
            }
            (Fit::Packed, Value::Len(bytes)) => {
                let mut numbers = Packed::new(field.kind, bytes, 0).take(16);
                if numbers.any(|number| number.is_err()) { -1.0 } else { 1.0 }
            }
            (_, value) => self.value(ty, field, value, depth),
        };
        // Allowed, and nobody writes it.
        Some(if twice && !field.is_repeated() { score.min(-0.5) } else { score })
    }

    fn value(&mut self, ty: &MessageType, field: &Field, value: Value<'_>, depth: usize) -> f64 {
        match (field.kind, value) {
            (Kind::Message(id) | Kind::Group(id), Value::Len(bytes) | Value::Group(bytes)) => {
                if depth == DEPTH {
                    return 0.5;
                }
                let schema = self.schema;
                self.message(&schema[id], bytes, depth + 1, Ending::Complete).unwrap_or(0.5)
            }
            (Kind::String, Value::Len(bytes)) => match std::str::from_utf8(bytes) {
                Ok("") => 0.5,
                Ok(text) => string(&ty.full_name, &field.name, text),
                Err(_) => {
                    self.contradicted = true;
                    -1.0
                }
            },
            (Kind::Bytes, _) => 0.75,
            (Kind::Enum(id), Value::Varint(number)) => {
                if self.schema[id].value_name(int32(number)).is_some() { 1.0 } else { -0.5 }
            }
            (Kind::Bool, Value::Varint(2..)) => -0.5,
            (Kind::Int32, Value::Varint(bits)) if i32::try_from(bits.cast_signed()).is_err() => {
                -0.5
            }
            (Kind::Uint32, Value::Varint(bits)) if u32::try_from(bits).is_err() => -0.5,
            _ => 1.0,
        }
    }
}

/// How much `text` is like what stands in the string `field` of `message`.
fn string(message: &str, field: &str, text: &str) -> f64 {
    let control = |byte: &u8| *byte < b' ' && !matches!(byte, b'\n' | b'\r' | b'\t');
    match text.bytes().filter(control).count() {
        0 => {}
        // Odd, and allowed.
        few if few * 16 <= text.len() => return 0.5,
        // Lengths and tags of a message that is taken for a string.
        _ => return -0.5,
    }
    let fits = match (message, field) {
        ("tensorflow.NodeDef", "name") => is_node(text),
        ("tensorflow.NodeDef", "op") | ("tensorflow.OpDef", "name") => return op(text),
        ("tensorflow.SaverDef", "filename_tensor_name" | "save_tensor_name")
        | ("tensorflow.VariableDef", "variable_name") => is_tensor(text),
        ("tensorflow.SaverDef", "restore_op_name")
        | ("tensorflow.VariableDef", "initializer_name") => is_node(text) && !is_tensor(text),
        _ => true,
    };
    if fits { 1.0 } else { STRANGE }
}

/// The name of a node; what follows the first character depends on who wrote it.
fn is_node(text: &str) -> bool {
    let starts = text.starts_with(|c: char| c.is_ascii_alphanumeric() || matches!(c, '.' | '_'));
    starts && !text.contains(char::is_whitespace)
}

/// The name of an op, or of a function, which may begin with a small letter.
fn op(text: &str) -> f64 {
    let rest = text.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'>'));
    match text.bytes().next() {
        Some(b'A'..=b'Z' | b'_') if rest => 1.0,
        Some(b'a'..=b'z') if rest => 0.75,
        _ => STRANGE,
    }
}

/// The name of a node's output, as `save/Const:0`.
fn is_tensor(text: &str) -> bool {
    text.rsplit_once(':').is_some_and(|(node, output)| {
        is_node(node) && !output.is_empty() && output.bytes().all(|byte| byte.is_ascii_digit())
    })
}
