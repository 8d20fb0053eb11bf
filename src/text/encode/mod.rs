//! Encodes the tokens of a text as wire bytes, by the schema.
//!
//! The encoder decides what the grammar leaves open: the field of a name, the values of a field, and whether a field may
//! be set twice.

mod frame;
mod literal;
mod name;
mod number;
mod piece;
mod scalar;

use super::syntax::{Name, Refusal};
use super::{FieldNumbers, ParseOptions};
use crate::error::{Error, Result};
use crate::message::{Fragment, Losses, MAX_GROUPS, Message, Unknown, Writer};
use crate::schema::{Field, Kind, MessageType, Schema, WireType};

pub(super) use frame::Container;
use frame::{End, Frame, SetField};
use name::Target;
pub(super) use piece::{Context, PieceEncoder, Step};
pub(super) use scalar::Token;

/// Encodes the fields of a text, or of a part of a text.
#[derive(Debug)]
pub(super) struct Encoder<'s> {
    schema: &'s Schema,
    options: ParseOptions,
    /// The open messages and lists, outermost first; never empty.
    frames: Vec<Frame<'s>>,
    out: Writer,
    set_fields: Vec<SetField>,
    /// Whether the absorbed parts, in their order, are in canonical form.
    is_canonical: bool,
    losses: Losses,
}

/// A finished run of fields in one message.
#[derive(Debug)]
pub(super) struct Encoded {
    part: Fragment,
    set_fields: Vec<SetField>,
    losses: Losses,
}

impl<'s> Encoder<'s> {
    /// An encoder of fields or elements in `container`.
    pub(super) fn new(schema: &'s Schema, container: Container<'s>, options: ParseOptions) -> Self {
        Self {
            schema,
            options,
            frames: vec![Frame::new(container, End::Nothing)],
            out: Writer::default(),
            set_fields: Vec::new(),
            is_canonical: true,
            losses: Losses::default(),
        }
    }

    /// The container of the next field or element.
    pub(super) fn container(&self) -> Container<'s> {
        self.frames.last().map_or(Container::Skipped, |frame| frame.container)
    }

    /// Encodes a field with one value, `name: value`.
    pub(super) fn scalar(&mut self, name: Name<'_>, value: Token<'_, '_>) -> Result<(), Refusal> {
        match self.target(name)? {
            Target::Field(field) => {
                self.set_once(field, name.at)?;
                self.value(field, value)
            }
            Target::Any(_) => {
                Err(refuse(value.at(), "expected '{': the content of an Any is a message"))
            }
            Target::Skipped => scalar::skip(&value),
        }
    }

    /// Encodes a value in a list.
    pub(super) fn element(&mut self, value: Token<'_, '_>) -> Result<(), Refusal> {
        match self.container() {
            Container::List(field, _) => self.value(field, value),
            _ => scalar::skip(&value),
        }
    }

    /// Begins a field that is a message, `name {`.
    pub(super) fn open(&mut self, name: Name<'_>) -> Result<(), Refusal> {
        match self.target(name)? {
            Target::Field(field) => {
                self.set_once(field, name.at)?;
                self.begin(field, name.at)
            }
            Target::Any(ty) => self.begin_any(ty, name),
            Target::Skipped => {
                self.frames.push(Frame::new(Container::Skipped, End::Nothing));
                Ok(())
            }
        }
    }

    /// Begins a message in a list, `{`.
    pub(super) fn open_element(&mut self, at: usize) -> Result<(), Refusal> {
        match self.container() {
            Container::List(field, _) => self.begin(field, at),
            _ => {
                self.frames.push(Frame::new(Container::Skipped, End::Nothing));
                Ok(())
            }
        }
    }

    /// Begins a field that is a list, `name: [` or `name [`.
    pub(super) fn open_list(&mut self, name: Name<'_>, has_colon: bool) -> Result<(), Refusal> {
        let container = match (self.target(name)?, self.container()) {
            (Target::Field(field), Container::Message(ty)) => {
                if !field.is_repeated() {
                    let why = format!("{} is not repeated and cannot be a list", field.name);
                    return Err(refuse(name.at, why));
                }
                if !has_colon && field.kind.message().is_none() {
                    return Err(refuse(name.at, format!("expected ':' after {}", field.name)));
                }
                Container::List(field, ty)
            }
            (Target::Any(_), _) => {
                return Err(refuse(name.at, "an Any contains one message, not a list"));
            }
            _ => Container::Skipped,
        };
        self.frames.push(Frame::new(container, End::Nothing));
        Ok(())
    }

    /// Ends the innermost message or list at the byte `at`.
    pub(super) fn close(&mut self, at: usize) -> Result<(), Refusal> {
        let Some(frame) = self.frames.pop() else { return Ok(()) };
        if frame.packed.is_some() {
            self.out.close();
        }
        match frame.end {
            End::Nothing => {}
            End::Length => drop(self.out.close()),
            End::Group(number) => self.out.tag(number, WireType::End),
            End::Any(ty, around) => {
                let content = std::mem::replace(&mut self.out, around).finish();
                let content = if self.options.partial {
                    Message::decode_partial(self.schema, ty, content)
                } else {
                    Message::decode(self.schema, ty, content)
                };
                let content =
                    content.map_err(|error| refuse(at, error.without_offset().to_string()))?;
                self.out.tag(ANY_VALUE, WireType::Len);
                self.out.len_prefixed(content.bytes());
            }
        }
        Ok(())
    }

    /// Returns the encoded fields.
    ///
    /// # Errors
    /// If they are nested too deeply.
    fn finish(mut self) -> Result<Encoded, Refusal> {
        self.end_packed();
        let bytes = std::mem::take(&mut self.out).finish();
        let part = match self.frames.first().map(|frame| frame.container) {
            Some(Container::Message(ty) | Container::List(_, ty)) => {
                Fragment::new(self.schema, ty, bytes)
            }
            _ => Ok(Fragment::default()),
        };
        let part = part.map_err(|error| refuse(0, error.without_offset().to_string()))?;
        Ok(Encoded { part, set_fields: self.set_fields, losses: self.losses })
    }

    /// Appends the result of the encoder of the next fields.
    fn absorb(&mut self, encoded: Encoded) -> Result<(), Refusal> {
        self.end_packed();
        if let Container::Message(ty) = self.container() {
            for set in encoded.set_fields {
                if let Some(field) = ty.fields.get(usize::from(set.position)) {
                    self.set_once(field, set.at)?;
                }
            }
        }
        self.follows(encoded.part.first, encoded.part.last);
        self.is_canonical &= encoded.part.is_canonical;
        self.out.absorb(encoded.part.bytes);
        self.losses.add(encoded.losses);
        Ok(())
    }

    /// Returns the message, of which all parts were absorbed.
    pub(super) fn into_message(mut self, ty: &'s MessageType) -> Result<(Message<'s>, Losses)> {
        self.end_packed();
        let bytes = self.out.finish();
        let message = if self.is_canonical {
            Message::from_canonical(self.schema, ty, bytes)
        } else {
            Message::decode_partial(self.schema, ty, bytes).map_err(Error::without_offset)?
        };
        if !self.options.partial {
            message.check_required()?;
        }
        Ok((message, self.losses))
    }

    /// Notes that records with field numbers from `first` to `last` follow in the open message.
    fn follows(&mut self, first: u32, last: u32) {
        let Some(frame) = self.message_frame() else { return };
        let is_next = match frame.container {
            _ if first == 0 || first > frame.last => true,
            Container::Message(ty) => ty.field(first).is_some_and(|field| {
                first == frame.last && field.is_repeated() && !field.is_packed && !field.is_map()
            }),
            _ => false,
        };
        frame.last = frame.last.max(last);
        self.is_canonical &= is_next;
    }

    /// The innermost open message.
    fn message_frame(&mut self) -> Option<&mut Frame<'s>> {
        let in_list = matches!(self.container(), Container::List(..));
        let level = self.frames.len().saturating_sub(1 + usize::from(in_list));
        self.frames.get_mut(level)
    }

    /// Begins a message of `field`.
    fn begin(&mut self, field: &'s Field, at: usize) -> Result<(), Refusal> {
        let Some(id) = field.kind.message() else {
            let kind = field.kind.name();
            let why = format!("{} is of type {kind}: expected ':' and a value", field.name);
            return Err(refuse(at, why));
        };
        self.end_packed();
        self.follows(field.number, field.number);
        self.out.tag(field.number, field.wire_type);
        let end = match field.kind {
            Kind::Group(_) => {
                self.check_groups(at)?;
                // Groups inside of pieces are counted when the whole message is decoded.
                self.is_canonical = false;
                End::Group(field.number)
            }
            _ => {
                self.out.open();
                End::Length
            }
        };
        self.frames.push(Frame::new(Container::Message(&self.schema[id]), end));
        Ok(())
    }

    /// Refuses another group inside of too many open groups.
    fn check_groups(&self, at: usize) -> Result<(), Refusal> {
        // The content of an Any is a message of its own.
        let inside =
            self.frames.iter().rev().take_while(|frame| !matches!(frame.end, End::Any(..)));
        if inside.filter(|frame| matches!(frame.end, End::Group(_))).count() < MAX_GROUPS {
            return Ok(());
        }
        Err(refuse(at, format!("groups are nested more than {MAX_GROUPS} deep")))
    }

    /// Begins the content of an `Any`.
    fn begin_any(&mut self, ty: &'s MessageType, name: Name<'_>) -> Result<(), Refusal> {
        let Container::Message(any) = self.container() else { return Ok(()) };
        for number in [ANY_TYPE_URL, ANY_VALUE] {
            if let Some(field) = any.field(number) {
                self.set_once(field, name.at)?;
            }
        }
        self.end_packed();
        self.out.tag(ANY_TYPE_URL, WireType::Len);
        self.out.len_prefixed(&name::cleaned(name.text));
        let around = std::mem::take(&mut self.out);
        self.frames.push(Frame::new(Container::Message(ty), End::Any(ty, around)));
        Ok(())
    }

    /// Writes one value of a scalar field.
    fn value(&mut self, field: &Field, value: Token<'_, '_>) -> Result<(), Refusal> {
        let run = field.is_packed.then_some(field.number);
        // The packed numbers of a list belong to the message around it.
        let before = match self.message_frame() {
            Some(frame) => std::mem::replace(&mut frame.packed, run),
            None => None,
        };
        if before != run {
            if before.is_some() {
                self.out.close();
            }
            if run.is_some() {
                self.out.tag(field.number, WireType::Len);
                self.out.open();
            }
        }
        if !field.is_packed {
            self.out.tag(field.number, field.wire_type);
        }
        scalar::write(self.schema, field, value, &mut self.out)
    }

    /// Ends the packed numbers that are being written.
    fn end_packed(&mut self) {
        if self.message_frame().is_some_and(|frame| frame.packed.take().is_some()) {
            self.out.close();
        }
    }

    /// Notes that a field is set; refuses a second value of a field that is not repeated.
    #[inline]
    fn set_once(&mut self, field: &Field, at: usize) -> Result<(), Refusal> {
        if field.is_repeated() {
            return Ok(());
        }
        let is_outermost = self.frames.len() == 1;
        let Some(frame) = self.frames.last_mut() else { return Ok(()) };
        let Container::Message(ty) = frame.container else { return Ok(()) };
        if !frame.see(field.position) {
            return Err(refuse(at, format!("{} is given twice", field.text_name)));
        }
        if let Some(oneof) = field.oneof.and_then(|oneof| ty.oneofs.get(usize::from(oneof))) {
            let mut others = oneof.fields.iter().filter(|&&other| other != field.position);
            if let Some(other) = others.find(|&&other| frame.has_seen(other))
                && let Some(other) = ty.fields.get(usize::from(*other))
            {
                let (name, other) = (&field.text_name, &other.text_name);
                let why =
                    format!("{name} after {other}: only one of oneof {} can be set", oneof.name);
                return Err(refuse(at, why));
            }
        }
        if is_outermost {
            self.set_fields.push(SetField { position: field.position, at });
        }
        Ok(())
    }
}

fn refuse(at: usize, message: impl Into<String>) -> Refusal {
    Refusal { at, message: message.into() }
}

const ANY_TYPE_URL: u32 = 1;
const ANY_VALUE: u32 = 2;
