//! Prints the records of a message.
//!
//! Each level of nesting is one call, so that the deepest message fits a small stack.

use super::buffer::TextBuffer;
use super::split::{Segment, SegmentContent, StringPart};
use super::value::{is_listed, item_name};
use super::{PrintOptions, Style, UnknownFields, any, unknown};
use crate::error::Result;
use crate::message::{
    Losses, Packed, RecordKind, Records, Value, WireMatch, is_default, message_set_item,
};
use crate::schema::{Field, Kind, MessageType, Schema, WellKnown};

/// Prints to a buffer.
pub(super) struct Printer<'s, 'w> {
    pub(super) schema: &'s Schema,
    pub(super) options: &'s PrintOptions,
    pub(super) out: TextBuffer<'w>,
    pub(super) path: Vec<PathStep<'s>>,
    pub(super) losses: Losses,
    /// The indentation of the line, in levels.
    pub(super) depth: usize,
    /// The number of expanded `Any` around the line.
    pub(super) any_depth: usize,
    /// The end of a field: a line feed or a space.
    end: u8,
}

/// A step of the path to a nested message.
#[derive(Debug, Clone, Copy)]
pub(super) enum PathStep<'s> {
    /// To the value of a field with this index.
    Field(&'s Field, usize),
    /// To the content of an `Any`.
    Any(&'s MessageType),
}

impl PathStep<'_> {
    fn name(&self) -> String {
        match self {
            Self::Field(field, index) => field.step(*index),
            Self::Any(ty) => format!("[{}]", ty.full_name),
        }
    }
}

/// The position of a record among the values of its field.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Position {
    /// The number of the field.
    pub(super) number: u32,
    /// The index of its next value.
    pub(super) index: usize,
}

impl<'s, 'w> Printer<'s, 'w> {
    pub(super) fn new(schema: &'s Schema, options: &'s PrintOptions, out: TextBuffer<'w>) -> Self {
        let end = if options.single_line { b' ' } else { b'\n' };
        let (path, losses) = (Vec::new(), Losses::default());
        Self { schema, options, out, path, losses, depth: 0, any_depth: 0, end }
    }

    pub(super) fn finish(self) -> (TextBuffer<'w>, Losses) {
        (self.out, self.losses)
    }

    /// Prints a segment of a message.
    pub(super) fn segment(&mut self, segment: &Segment<'s>) -> Result<()> {
        self.path.clear();
        self.path.extend_from_slice(&segment.path);
        self.depth = self.path.len();
        match segment.content {
            SegmentContent::Message(ty, bytes) => self.message(ty, bytes),
            SegmentContent::Records(ty, bytes, position) => self.records(ty, bytes, position),
            SegmentContent::Open(field, index) => {
                self.open(PathStep::Field(field, index), &field.text_name)
            }
            SegmentContent::Close => self.close(),
            SegmentContent::String(field, bytes, part) => self.string_part(field, bytes, part),
            SegmentContent::Packed(field, numbers, first) => {
                for (value, index) in Packed::new(field.kind, numbers, 0).zip(first..) {
                    self.value(field, index, value?, &mut false)?;
                }
                Ok(())
            }
        }
    }

    fn string_part(&mut self, field: &'s Field, bytes: &[u8], part: StringPart) -> Result<()> {
        if part.is_first {
            self.indent()?;
            self.out.put(field.text_name.as_bytes())?;
            self.out.put_array(b": \"")?;
        }
        self.escaped(field, bytes)?;
        if part.is_last {
            self.out.put_array(b"\"")?;
            self.end_field()?;
        }
        Ok(())
    }

    /// Prints the fields of a message.
    pub(super) fn message(&mut self, ty: &'s MessageType, bytes: &[u8]) -> Result<()> {
        if ty.well_known == Some(WellKnown::Any) && any::print(self, bytes)? {
            return Ok(());
        }
        if ty.is_message_set {
            return self.message_set(ty, bytes);
        }
        self.records(ty, bytes, Position::default())
    }

    /// Prints some records of a message, the first of which is at `position`.
    pub(super) fn records(
        &mut self,
        ty: &'s MessageType,
        bytes: &[u8],
        mut position: Position,
    ) -> Result<()> {
        let mut list = false;
        for record in Records::new(bytes, 0) {
            let record = record?;
            let RecordKind::Known(field, wire_match) = RecordKind::of(self.schema, ty, &record)
            else {
                self.end_list(&mut list)?;
                self.unknown(record.number, record.value)?;
                continue;
            };
            if field.number != position.number {
                self.end_list(&mut list)?;
                position = Position { number: field.number, index: 0 };
            }
            match (field.kind, record.value) {
                (
                    Kind::Message(id) | Kind::Group(id),
                    Value::Len(inside) | Value::Group(inside),
                ) => {
                    self.open(PathStep::Field(field, position.index), &field.text_name)?;
                    self.message(&self.schema[id], inside)?;
                    self.close()?;
                }
                (kind, Value::Len(inside)) if wire_match == WireMatch::Packed => {
                    for value in Packed::new(kind, inside, 0) {
                        self.value(field, position.index, value?, &mut list)?;
                        position.index += 1;
                    }
                    continue;
                }
                (_, value) => {
                    // Python leaves defaults out of the entries of maps.
                    let is_left_out = self.options.style == Style::TensorFlow
                        && ty.is_map_entry
                        && field.is_implicit
                        && is_default(value);
                    if !is_left_out {
                        self.value(field, position.index, value, &mut list)?;
                    }
                }
            }
            position.index += 1;
        }
        self.end_list(&mut list)
    }

    fn message_set(&mut self, ty: &'s MessageType, bytes: &[u8]) -> Result<()> {
        for record in Records::new(bytes, 0) {
            let record = record?;
            let Some((number, inside)) = message_set_item(&record)? else {
                self.unknown(record.number, record.value)?;
                continue;
            };
            match ty.field(number).and_then(|field| Some((field, field.kind.message()?))) {
                Some((field, id)) => {
                    let inner = &self.schema[id];
                    let name = item_name(field, inner, self.options.style);
                    self.open(PathStep::Field(field, 0), &name)?;
                    self.message(inner, inside)?;
                    self.close()?;
                }
                None => self.unknown(number, Value::Len(inside))?,
            }
        }
        Ok(())
    }

    /// Prints the first line of a message.
    pub(super) fn open(&mut self, step: PathStep<'s>, name: &str) -> Result<()> {
        self.path.push(step);
        self.indent()?;
        self.out.put(name.as_bytes())?;
        self.out.put_array(b" {")?;
        self.end_field()?;
        self.depth += 1;
        Ok(())
    }

    /// Prints the last line of a message.
    pub(super) fn close(&mut self) -> Result<()> {
        self.path.pop();
        self.depth -= 1;
        self.indent()?;
        self.out.put_array(b"}")?;
        self.end_field()
    }

    #[inline]
    pub(super) fn indent(&mut self) -> Result<()> {
        if self.options.single_line { Ok(()) } else { self.out.spaces(2 * self.depth) }
    }

    #[inline]
    pub(super) fn end_field(&mut self) -> Result<()> {
        let end = self.end;
        self.out.put_array(&[end])
    }

    /// Prints a number, an enum or a string.
    #[inline]
    fn value(
        &mut self,
        field: &'s Field,
        index: usize,
        value: Value<'_>,
        list: &mut bool,
    ) -> Result<()> {
        let is_short = self.options.short_repeated && is_listed(field);
        if *list {
            self.out.put_array(b", ")?;
        } else {
            self.indent()?;
            self.out.put(field.text_name.as_bytes())?;
            self.out.put_array(b": ")?;
            if is_short {
                self.out.put_array(b"[")?;
                *list = true;
            }
        }
        self.scalar(field, index, value)?;
        if is_short { Ok(()) } else { self.end_field() }
    }

    fn end_list(&mut self, list: &mut bool) -> Result<()> {
        if std::mem::take(list) {
            self.out.put_array(b"]")?;
            self.end_field()?;
        }
        Ok(())
    }

    /// Counts an unknown field, and prints it if the options say so.
    fn unknown(&mut self, number: u32, value: Value<'_>) -> Result<()> {
        self.losses.unknown_fields += 1;
        self.lost(|| number.to_string());
        match self.options.unknown_fields {
            UnknownFields::LeaveOut => Ok(()),
            UnknownFields::ByNumber => unknown::print(self, number, value),
        }
    }

    /// Names a field of which the text loses something.
    #[cold]
    pub(super) fn lost(&mut self, last: impl FnOnce() -> String) {
        let path = &self.path;
        self.losses.name(|| {
            let mut steps: Vec<_> = path.iter().map(PathStep::name).collect();
            steps.push(last());
            steps.join(".")
        });
    }
}
