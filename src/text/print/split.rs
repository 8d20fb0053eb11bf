//! Cuts a large message into pieces whose texts follow each other.

use std::sync::Arc;

use super::printer::{Position, Step};
use super::value::is_listed;
use super::{PrintOptions, Style};
use crate::error::Result;
use crate::message::{Fit, Meaning, Message, Records, Value};
use crate::schema::{Field, Kind, MessageType, Schema, WellKnown, WireType};

/// About how many bytes of a message one piece has, where it can be cut.
pub(super) const LEN: usize = 128 << 10;

/// A piece of a message.
#[derive(Debug)]
pub(super) struct Unit<'a> {
    /// The way to the message that it is a piece of.
    pub(super) path: Arc<[Step<'a>]>,
    pub(super) content: Content<'a>,
}

/// What there is in a piece.
#[derive(Debug)]
pub(super) enum Content<'a> {
    /// A whole message.
    Message(&'a MessageType, &'a [u8]),
    /// Records that follow each other, and where the first one stands.
    Records(&'a MessageType, &'a [u8], Position),
    /// The first line of a message.
    Open(&'a Field, usize),
    /// The last line of the message that the path leads to.
    Close,
    /// A part of a string.
    String(&'a Field, &'a [u8], Part),
    /// Some of the numbers of a list, and where the first one stands.
    Packed(&'a Field, &'a [u8], usize),
}

/// Which part of a string it is.
#[derive(Debug, Clone, Copy)]
pub(super) struct Part {
    pub(super) is_first: bool,
    pub(super) is_last: bool,
}

/// The pieces of a message, in order.
///
/// # Errors
/// None, for a message has been checked.
pub(super) fn units<'a>(message: &'a Message<'_>, options: &PrintOptions) -> Result<Vec<Unit<'a>>> {
    let mut splitter = Splitter { schema: message.schema(), options, units: Vec::new() };
    splitter.message(message.ty(), message.bytes(), Vec::new().into())?;
    Ok(splitter.units)
}

struct Splitter<'a, 'o> {
    schema: &'a Schema,
    options: &'o PrintOptions,
    units: Vec<Unit<'a>>,
}

/// Records of a message that were not cut off yet.
struct Run<'a> {
    ty: &'a MessageType,
    bytes: &'a [u8],
    path: Arc<[Step<'a>]>,
    start: usize,
    position: Position,
}

impl<'a> Run<'a> {
    /// The records up to `end`; those behind it begin at `position`.
    fn cut(&mut self, end: usize, position: Position, units: &mut Vec<Unit<'a>>) {
        let bytes = self.bytes.get(self.start..end).unwrap_or_default();
        if !bytes.is_empty() {
            let content = Content::Records(self.ty, bytes, self.position);
            units.push(Unit { path: Arc::clone(&self.path), content });
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
        path: Arc<[Step<'a>]>,
    ) -> Result<()> {
        let is_expanded = self.options.expand_any && ty.well_known == Some(WellKnown::Any);
        if bytes.len() <= LEN || is_expanded || ty.is_message_set {
            self.units.push(Unit { path, content: Content::Message(ty, bytes) });
            return Ok(());
        }
        let start = Position::default();
        let mut run = Run { ty, bytes, path, start: 0, position: start };
        let (mut position, mut end) = (start, 0);
        for record in Records::new(bytes, 0) {
            let record = record?;
            let start = end;
            end += record.bytes.len();
            let Meaning::Known(field, fit) = Meaning::of(self.schema, ty, &record) else {
                continue;
            };
            if field.number != position.number {
                position = Position { number: field.number, index: 0 };
            }
            let before = position;
            position.index += 1;
            if let Value::Len(inside) | Value::Group(inside) = record.value
                && inside.len() > LEN
                && self.is_cut(field, fit)
            {
                run.cut(start, before, &mut self.units);
                self.value(field, fit, inside, &mut position, &run.path)?;
                run.cut_off(end, position);
            } else {
                if let (Fit::Packed, Value::Len(numbers)) = (fit, record.value) {
                    position.index = before.index + count(field, numbers);
                }
                // A list in brackets is in one piece.
                if end - run.start >= LEN && !(self.options.short_repeated && is_listed(field)) {
                    run.cut(end, position, &mut self.units);
                }
            }
        }
        run.cut(end, position, &mut self.units);
        Ok(())
    }

    /// Whether a large value is cut.
    fn is_cut(&self, field: &Field, fit: Fit) -> bool {
        match field.kind {
            Kind::Message(_) | Kind::Group(_) | Kind::Bytes => true,
            // What is not UTF-8 is looked at as a whole.
            Kind::String => field.is_utf8 || self.options.style == Style::Protoc,
            _ => fit == Fit::Packed && !self.options.short_repeated,
        }
    }

    fn value(
        &mut self,
        field: &'a Field,
        fit: Fit,
        inside: &'a [u8],
        position: &mut Position,
        path: &Arc<[Step<'a>]>,
    ) -> Result<()> {
        let mut push = |path: &Arc<[Step<'a>]>, content| {
            self.units.push(Unit { path: Arc::clone(path), content });
        };
        if let Kind::Message(id) | Kind::Group(id) = field.kind {
            let index = position.index - 1;
            push(path, Content::Open(field, index));
            let step = Step::Field(field, index);
            let inner: Arc<[_]> = path.iter().copied().chain([step]).collect();
            self.message(&self.schema[id], inside, Arc::clone(&inner))?;
            self.units.push(Unit { path: inner, content: Content::Close });
        } else if fit == Fit::Packed {
            position.index -= 1;
            let mut rest = inside;
            while !rest.is_empty() {
                let (numbers, behind) = split_numbers(field, rest);
                push(path, Content::Packed(field, numbers, position.index));
                position.index += count(field, numbers);
                rest = behind;
            }
        } else {
            let mut parts = inside.chunks(LEN).peekable();
            let mut is_first = true;
            while let Some(part) = parts.next() {
                let which = Part { is_first, is_last: parts.peek().is_none() };
                push(path, Content::String(field, part, which));
                is_first = false;
            }
        }
        Ok(())
    }
}

impl Run<'_> {
    /// Goes on behind what was cut out.
    fn cut_off(&mut self, end: usize, position: Position) {
        self.start = end;
        self.position = position;
    }
}

/// How many packed numbers there are.
fn count(field: &Field, numbers: &[u8]) -> usize {
    match field.wire_type {
        WireType::Fixed64 => numbers.len() / 8,
        WireType::Fixed32 => numbers.len() / 4,
        _ => numbers.iter().filter(|byte| **byte < 0x80).count(),
    }
}

/// About [`LEN`] bytes of packed numbers, and the others.
fn split_numbers<'a>(field: &Field, numbers: &'a [u8]) -> (&'a [u8], &'a [u8]) {
    let mut len = LEN.min(numbers.len());
    if field.wire_type == WireType::Varint {
        // A varint ends with a byte below 128.
        let rest = numbers.get(len - 1..).unwrap_or_default();
        len += rest.iter().position(|byte| *byte < 0x80).unwrap_or(0);
    }
    numbers.split_at_checked(len).unwrap_or((numbers, &[]))
}
