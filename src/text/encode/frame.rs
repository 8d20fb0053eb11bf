//! Open messages and lists.

use crate::message::{FieldSet, Writer};
use crate::schema::{Field, MessageType};

/// What contains the next field or element.
#[derive(Debug, Clone, Copy)]
pub(in super::super) enum Container<'s> {
    /// A message of this type.
    Message(&'s MessageType),
    /// A list of values of this field of a message of this type.
    List(&'s Field, &'s MessageType),
    /// A message or list that is skipped.
    Skipped,
}

/// An open message or list.
#[derive(Debug)]
pub(super) struct Frame<'s> {
    pub(super) container: Container<'s>,
    pub(super) end: End<'s>,
    /// The fields that were set, by position.
    seen: FieldSet,
    /// The number of the field whose packed numbers are being written.
    pub(super) packed: Option<u32>,
    /// The highest field number among the absorbed parts.
    pub(super) last: u32,
}

/// What its closing bracket writes.
#[derive(Debug)]
pub(super) enum End<'s> {
    Nothing,
    /// Its length.
    Length,
    /// The end tag of the group with this number.
    Group(u32),
    /// The content of an `Any`, with this type, to this writer.
    Any(&'s MessageType, Writer),
}

/// A field that may be set once and that a part of a text sets in the message around the part.
#[derive(Debug, Clone, Copy)]
pub(super) struct SetField {
    pub(super) position: u16,
    /// The position of its name, in bytes from the start of the part.
    pub(super) at: usize,
}

impl<'s> Frame<'s> {
    pub(super) fn new(container: Container<'s>, end: End<'s>) -> Self {
        Self { container, end, seen: FieldSet::default(), packed: None, last: 0 }
    }

    /// Notes that the field at `position` is set; returns whether it was not set before.
    #[inline]
    pub(super) fn see(&mut self, position: u16) -> bool {
        self.seen.insert(position)
    }

    /// Whether the field at `position` is set.
    pub(super) fn has_seen(&self, position: u16) -> bool {
        self.seen.contains(position)
    }
}
