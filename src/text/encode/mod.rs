//! The tokens of a text become wire bytes, by the schema.
//!
//! What only the schema can say is decided here: which field a name is, what a value may be, what may be given once.

mod frame;
mod literal;
mod name;
mod number;
mod piece;
mod scalar;

use super::syntax::{Name, Refusal};
use super::{Numbers, ParseOptions};
use crate::error::{Error, Result};
use crate::message::{Fragment, Losses, MAX_GROUPS, Message, Unknown, Writer};
use crate::schema::{Field, Kind, MessageType, Schema, WireType};

pub(super) use frame::Outer;
use frame::{Claim, End, Frame};
use name::Target;
pub(super) use piece::{Context, PieceEncoder, Step};
pub(super) use scalar::Token;

/// Writes the fields of a text, or of a part of one.
#[derive(Debug)]
pub(super) struct Encoder<'s> {
    schema: &'s Schema,
    options: ParseOptions,
    /// What is open, outermost first; never empty.
    frames: Vec<Frame<'s>>,
    out: Writer,
    claims: Vec<Claim>,
    /// Whether what was absorbed, and begun for it, is in canonical form.
    is_canonical: bool,
    losses: Losses,
}

/// What stands together in one message has become.
#[derive(Debug)]
pub(super) struct Encoded {
    part: Fragment,
    claims: Vec<Claim>,
    losses: Losses,
}

impl<'s> Encoder<'s> {
    /// An encoder of what stands in `outer`.
    pub(super) fn new(schema: &'s Schema, outer: Outer<'s>, options: ParseOptions) -> Self {
        Self {
            schema,
            options,
            frames: vec![Frame::new(outer, End::Nothing)],
            out: Writer::default(),
            claims: Vec::new(),
            is_canonical: true,
            losses: Losses::default(),
        }
    }

    /// Where the next field or element stands.
    pub(super) fn outer(&self) -> Outer<'s> {
        self.frames.last().map_or(Outer::Nothing, |frame| frame.outer)
    }

    /// A field with one value, `name: value`.
    pub(super) fn scalar(&mut self, name: Name<'_>, value: Token<'_, '_>) -> Result<(), Refusal> {
        match self.target(name)? {
            Target::Field(field) => {
                self.claim(field, name.at)?;
                self.value(field, value)
            }
            Target::Any(_) => {
                Err(refuse(value.at(), "expected '{': what an Any holds is a message"))
            }
            Target::Nothing => scalar::pass_over(&value),
        }
    }

    /// A value in a list.
    pub(super) fn element(&mut self, value: Token<'_, '_>) -> Result<(), Refusal> {
        match self.outer() {
            Outer::List(field, _) => self.value(field, value),
            _ => scalar::pass_over(&value),
        }
    }

    /// The start of a field that is a message, `name {`.
    pub(super) fn open(&mut self, name: Name<'_>) -> Result<(), Refusal> {
        match self.target(name)? {
            Target::Field(field) => {
                self.claim(field, name.at)?;
                self.begin(field, name.at)
            }
            Target::Any(ty) => self.begin_any(ty, name),
            Target::Nothing => {
                self.frames.push(Frame::new(Outer::Nothing, End::Nothing));
                Ok(())
            }
        }
    }

    /// The start of a message in a list, `{`.
    pub(super) fn open_element(&mut self, at: usize) -> Result<(), Refusal> {
        match self.outer() {
            Outer::List(field, _) => self.begin(field, at),
            _ => {
                self.frames.push(Frame::new(Outer::Nothing, End::Nothing));
                Ok(())
            }
        }
    }

    /// The start of a field that is a list, `name: [` or `name [`.
    pub(super) fn open_list(&mut self, name: Name<'_>, has_colon: bool) -> Result<(), Refusal> {
        let outer = match (self.target(name)?, self.outer()) {
            (Target::Field(field), Outer::Message(ty)) => {
                if !field.is_repeated() {
                    let why = format!("{} is not repeated, so it takes no list", field.name);
                    return Err(refuse(name.at, why));
                }
                if !has_colon && field.kind.message().is_none() {
                    return Err(refuse(name.at, format!("expected ':' after {}", field.name)));
                }
                Outer::List(field, ty)
            }
            (Target::Any(_), _) => {
                return Err(refuse(name.at, "an Any holds one message, no list"));
            }
            _ => Outer::Nothing,
        };
        self.frames.push(Frame::new(outer, End::Nothing));
        Ok(())
    }

    /// The end of the message or list that was begun last; `at` is where.
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

    /// What was written since the start.
    ///
    /// # Errors
    /// When it is nested too deeply.
    fn finish(mut self) -> Result<Encoded, Refusal> {
        self.end_packed();
        let bytes = std::mem::take(&mut self.out).finish();
        let part = match self.frames.first().map(|frame| frame.outer) {
            Some(Outer::Message(ty) | Outer::List(_, ty)) => Fragment::new(self.schema, ty, bytes),
            _ => Ok(Fragment::default()),
        };
        let part = part.map_err(|error| refuse(0, error.without_offset().to_string()))?;
        Ok(Encoded { part, claims: self.claims, losses: self.losses })
    }

    /// Adds what another encoder made of what follows here.
    fn absorb(&mut self, encoded: Encoded) -> Result<(), Refusal> {
        self.end_packed();
        if let Outer::Message(ty) = self.outer() {
            for claim in encoded.claims {
                if let Some(field) = ty.fields.get(usize::from(claim.position)) {
                    self.claim(field, claim.at)?;
                }
            }
        }
        self.follows(encoded.part.first, encoded.part.last);
        self.is_canonical &= encoded.part.is_canonical;
        self.out.absorb(encoded.part.bytes);
        self.losses.add(encoded.losses);
        Ok(())
    }

    /// The message, once all of it is absorbed.
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

    /// Notes that what is open goes on with records from field number `first` to `last`.
    fn follows(&mut self, first: u32, last: u32) {
        let Some(frame) = self.message_frame() else { return };
        let is_next = match frame.outer {
            _ if first == 0 || first > frame.last => true,
            Outer::Message(ty) => ty.field(first).is_some_and(|field| {
                first == frame.last && field.is_repeated() && !field.is_packed && !field.is_map()
            }),
            _ => false,
        };
        frame.last = frame.last.max(last);
        self.is_canonical &= is_next;
    }

    /// The message that is open; that around a list, if one is.
    fn message_frame(&mut self) -> Option<&mut Frame<'s>> {
        let in_list = matches!(self.outer(), Outer::List(..));
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
                // Those that pieces hold are counted when all of the message is checked.
                self.is_canonical = false;
                End::Group(field.number)
            }
            _ => {
                self.out.open();
                End::Length
            }
        };
        self.frames.push(Frame::new(Outer::Message(&self.schema[id]), end));
        Ok(())
    }

    /// Whether one more group may be inside those that are open.
    fn check_groups(&self, at: usize) -> Result<(), Refusal> {
        // What an Any holds is a message of its own.
        let inside =
            self.frames.iter().rev().take_while(|frame| !matches!(frame.end, End::Any(..)));
        if inside.filter(|frame| matches!(frame.end, End::Group(_))).count() < MAX_GROUPS {
            return Ok(());
        }
        Err(refuse(at, format!("groups are nested more than {MAX_GROUPS} deep")))
    }

    /// Begins what an `Any` holds.
    fn begin_any(&mut self, ty: &'s MessageType, name: Name<'_>) -> Result<(), Refusal> {
        let Outer::Message(any) = self.outer() else { return Ok(()) };
        for number in [ANY_TYPE_URL, ANY_VALUE] {
            if let Some(field) = any.field(number) {
                self.claim(field, name.at)?;
            }
        }
        self.end_packed();
        self.out.tag(ANY_TYPE_URL, WireType::Len);
        self.out.len_prefixed(&name::cleaned(name.text));
        let around = std::mem::take(&mut self.out);
        self.frames.push(Frame::new(Outer::Message(ty), End::Any(ty, around)));
        Ok(())
    }

    /// Writes one value of a field that is no message.
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

    /// Ends the packed numbers that were written last.
    fn end_packed(&mut self) {
        if self.message_frame().is_some_and(|frame| frame.packed.take().is_some()) {
            self.out.close();
        }
    }

    /// Notes that a field is given; the second time is refused where there is one value only.
    #[inline]
    fn claim(&mut self, field: &Field, at: usize) -> Result<(), Refusal> {
        if field.is_repeated() {
            return Ok(());
        }
        let is_outermost = self.frames.len() == 1;
        let Some(frame) = self.frames.last_mut() else { return Ok(()) };
        let Outer::Message(ty) = frame.outer else { return Ok(()) };
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
            self.claims.push(Claim { position: field.position, at });
        }
        Ok(())
    }
}

fn refuse(at: usize, what: impl Into<String>) -> Refusal {
    Refusal { at, what: what.into() }
}

const ANY_TYPE_URL: u32 = 1;
const ANY_VALUE: u32 = 2;
