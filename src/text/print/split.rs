//! Cuts a large message into segments that can be printed independently.

use std::sync::Arc;

use super::printer::{PathStep, Position};
use super::value::is_listed;
use super::{PrintOptions, Style};
use crate::error::Result;
use crate::message::{Message, RecordKind, Records, Value, WireMatch};
use crate::schema::{Field, Kind, MessageType, Schema, WellKnown, WireType};

/// The approximate length of a segment, in bytes of the message.
pub(super) const LEN: usize = 128 << 10;

/// A segment of a message.
#[derive(Debug)]
pub(super) struct Segment<'a> {
    /// The path to the message that contains it.
    pub(super) path: Arc<[PathStep<'a>]>,
    pub(super) content: SegmentContent<'a>,
}

/// The content of a segment.
#[derive(Debug)]
pub(super) enum SegmentContent<'a> {
    /// A whole message.
    Message(&'a MessageType, &'a [u8]),
    /// Consecutive records, and the position of the first one.
    Records(&'a MessageType, &'a [u8], Position),
    /// The first line of a message.
    Open(&'a Field, usize),
    /// The last line of the message at the path.
    Close,
    /// A part of a string.
    String(&'a Field, &'a [u8], StringPart),
    /// Consecutive numbers of a list, and the index of the first one.
    Packed(&'a Field, &'a [u8], usize),
}

/// The position of a part in its string.
#[derive(Debug, Clone, Copy)]
pub(super) struct StringPart {
    pub(super) is_first: bool,
    pub(super) is_last: bool,
}

/// The segments of a message, in order.
///
/// # Errors
/// None, since a message was checked when it was decoded.
pub(super) fn segments<'a>(
    message: &'a Message<'_>,
    options: &PrintOptions,
) -> Result<Vec<Segment<'a>>> {
    let mut splitter = Splitter { schema: message.schema(), options, segments: Vec::new() };
    splitter.message(message.ty(), message.bytes(), Vec::new().into())?;
    Ok(splitter.segments)
}

struct Splitter<'a, 'o> {
    schema: &'a Schema,
    options: &'o PrintOptions,
    segments: Vec<Segment<'a>>,
}

/// Records of a message that are not in a segment yet.
struct PendingRecords<'a> {
    ty: &'a MessageType,
    bytes: &'a [u8],
    path: Arc<[PathStep<'a>]>,
    start: usize,
    position: Position,
}

impl<'a> PendingRecords<'a> {
    /// Makes a segment of the records up to `end`; the next record is at `position`.
    fn cut(&mut self, end: usize, position: Position, segments: &mut Vec<Segment<'a>>) {
        let bytes = self.bytes.get(self.start..end).unwrap_or_default();
        if !bytes.is_empty() {
            let content = SegmentContent::Records(self.ty, bytes, self.position);
            segments.push(Segment { path: Arc::clone(&self.path), content });
        }
        self.start = end;
        self.position = position;
    }
}

impl<'a> Splitter<'a, '_> {
    fn message(
        &mut self,
        ty: &'a MessageType,
        bytes: &'a [u8],
        path: Arc<[PathStep<'a>]>,
    ) -> Result<()> {
        let is_expanded = self.options.expand_any && ty.well_known == Some(WellKnown::Any);
        if bytes.len() <= LEN || is_expanded || ty.is_message_set {
            self.segments.push(Segment { path, content: SegmentContent::Message(ty, bytes) });
            return Ok(());
        }
        let start = Position::default();
        let mut pending = PendingRecords { ty, bytes, path, start: 0, position: start };
        let (mut position, mut end) = (start, 0);
        for record in Records::new(bytes, 0) {
            let record = record?;
            let start = end;
            end += record.bytes.len();
            let RecordKind::Known(field, wire_match) = RecordKind::of(self.schema, ty, &record)
            else {
                continue;
            };
            if field.number != position.number {
                position = Position { number: field.number, index: 0 };
            }
            let before = position;
            position.index += 1;
            if let Value::Len(inside) | Value::Group(inside) = record.value
                && inside.len() > LEN
                && self.is_cut(field, wire_match)
            {
                pending.cut(start, before, &mut self.segments);
                self.value(field, wire_match, inside, &mut position, &pending.path)?;
                pending.cut_off(end, position);
            } else {
                if let (WireMatch::Packed, Value::Len(numbers)) = (wire_match, record.value) {
                    position.index = before.index + count(field, numbers);
                }
                // A list in brackets is in one segment.
                if end - pending.start >= LEN && !(self.options.short_repeated && is_listed(field))
                {
                    pending.cut(end, position, &mut self.segments);
                }
            }
        }
        pending.cut(end, position, &mut self.segments);
        Ok(())
    }

    /// Whether a large value is cut.
    fn is_cut(&self, field: &Field, wire_match: WireMatch) -> bool {
        match field.kind {
            Kind::Message(_) | Kind::Group(_) | Kind::Bytes => true,
            // A string that may not be UTF-8 is escaped as a whole.
            Kind::String => field.is_utf8 || self.options.style == Style::Protoc,
            _ => wire_match == WireMatch::Packed && !self.options.short_repeated,
        }
    }

    fn value(
        &mut self,
        field: &'a Field,
        wire_match: WireMatch,
        inside: &'a [u8],
        position: &mut Position,
        path: &Arc<[PathStep<'a>]>,
    ) -> Result<()> {
        let mut push = |path: &Arc<[PathStep<'a>]>, content| {
            self.segments.push(Segment { path: Arc::clone(path), content });
        };
        if let Kind::Message(id) | Kind::Group(id) = field.kind {
            let index = position.index - 1;
            push(path, SegmentContent::Open(field, index));
            let step = PathStep::Field(field, index);
            let inner: Arc<[_]> = path.iter().copied().chain([step]).collect();
            self.message(&self.schema[id], inside, Arc::clone(&inner))?;
            self.segments.push(Segment { path: inner, content: SegmentContent::Close });
        } else if wire_match == WireMatch::Packed {
            position.index -= 1;
            let mut rest = inside;
            while !rest.is_empty() {
                let (numbers, behind) = split_numbers(field, rest);
                push(path, SegmentContent::Packed(field, numbers, position.index));
                position.index += count(field, numbers);
                rest = behind;
            }
        } else {
            let mut parts = inside.chunks(LEN).peekable();
            let mut is_first = true;
            while let Some(part) = parts.next() {
                let which = StringPart { is_first, is_last: parts.peek().is_none() };
                push(path, SegmentContent::String(field, part, which));
                is_first = false;
            }
        }
        Ok(())
    }
}

impl PendingRecords<'_> {
    /// Continues at `end`, after a value with segments of its own.
    fn cut_off(&mut self, end: usize, position: Position) {
        self.start = end;
        self.position = position;
    }
}

/// The number of packed numbers.
fn count(field: &Field, numbers: &[u8]) -> usize {
    match field.wire_type {
        WireType::Fixed64 => numbers.len() / 8,
        WireType::Fixed32 => numbers.len() / 4,
        _ => numbers.iter().filter(|byte| **byte < 0x80).count(),
    }
}

/// Splits packed numbers after about [`LEN`] bytes.
fn split_numbers<'a>(field: &Field, numbers: &'a [u8]) -> (&'a [u8], &'a [u8]) {
    let mut len = LEN.min(numbers.len());
    if field.wire_type == WireType::Varint {
        // A varint ends with a byte below 128.
        let rest = numbers.get(len - 1..).unwrap_or_default();
        len += rest.iter().position(|byte| *byte < 0x80).unwrap_or(0);
    }
    numbers.split_at_checked(len).unwrap_or((numbers, &[]))
}
