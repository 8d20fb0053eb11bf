//! What an encoder stands in: messages and lists that are open.

use crate::message::{FieldSet, Writer};
use crate::schema::{Field, MessageType};

/// Where fields or elements stand, as far as it matters to what they may be.
#[derive(Debug, Clone, Copy)]
pub(in super::super) enum Outer<'s> {
    /// In a message of this type.
    Message(&'s MessageType),
    /// In a list of values of this field, of a message of this type.
    List(&'s Field, &'s MessageType),
    /// In something that is passed over.
    Nothing,
}

/// A message or list that is open.
#[derive(Debug)]
pub(super) struct Frame<'s> {
    pub(super) outer: Outer<'s>,
    pub(super) end: End<'s>,
    /// The fields that may be given once and are, by position.
    seen: FieldSet,
    /// The field whose packed numbers were written last, as long as none of another field follow.
    pub(super) packed: Option<u32>,
    /// The highest number of a field that came as a part, or began a message for parts.
    pub(super) last: u32,
}

/// What is due when it closes.
#[derive(Debug)]
pub(super) enum End<'s> {
    Nothing,
    /// Its length.
    Length,
    /// The end tag of the group with this number.
    Group(u32),
    /// It is the content of an `Any`: its type, and the writer around it.
    Any(&'s MessageType, Writer),
}

/// A field that a part of a text sets in the message around it and that may be set once.
#[derive(Debug, Clone, Copy)]
pub(super) struct Claim {
    pub(super) position: u16,
    /// The byte of its name, from the start of the part.
    pub(super) at: usize,
}

impl<'s> Frame<'s> {
    pub(super) fn new(outer: Outer<'s>, end: End<'s>) -> Self {
        Self { outer, end, seen: FieldSet::default(), packed: None, last: 0 }
    }

    /// Notes that the field at `position` is given; whether it is for the first time.
    #[inline]
    pub(super) fn see(&mut self, position: u16) -> bool {
        self.seen.insert(position)
    }

    /// Whether the field at `position` is given.
    pub(super) fn has_seen(&self, position: u16) -> bool {
        self.seen.contains(position)
    }
}
