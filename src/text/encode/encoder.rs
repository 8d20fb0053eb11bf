//! Encodes fields, lists and messages, one token after the other.

use super::frame::{Container, End, Frame, SetField};
use super::name::{self, NameLookup, Target};
use super::scalar::{self, Token};
use crate::message::{Losses, MAX_GROUPS, Message, Writer};
use crate::schema::field::any;
use crate::schema::{Field, Kind, MessageType, Schema, WireType};
use crate::text::syntax::{Name, NameKind, Refusal};
use crate::text::{ParseOptions, Repeated};

/// Encodes the fields of a text, or of a part of a text.
#[derive(Debug)]
pub(in crate::text) struct Encoder<'s> {
    pub(super) schema: &'s Schema,
    pub(super) options: ParseOptions,
    /// The open messages and lists, outermost first; never empty.
    pub(super) frames: Vec<Frame<'s>>,
    pub(super) out: Writer,
    pub(super) set_fields: Vec<SetField>,
    /// Whether the absorbed parts, in their order, are in canonical form.
    pub(super) is_canonical: bool,
    pub(super) losses: Losses,
}

impl<'s> Encoder<'s> {
    /// An encoder of fields or elements in `container`.
    pub(in crate::text) fn new(
        schema: &'s Schema,
        container: Container<'s>,
        options: ParseOptions,
    ) -> Self {
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

    /// Looks up `name` in the open message.
    #[inline]
    fn target(&mut self, name: Name<'_>) -> Result<Target<'s>, Refusal> {
        let Container::Message(ty) = self.container() else { return Ok(Target::Skipped) };
        if name.kind == NameKind::Field
            && let Some(field) = ty.field_by_name(name.text)
        {
            return Ok(Target::Field(field));
        }
        let (schema, options, losses) = (self.schema, self.options, &mut self.losses);
        NameLookup { schema, options, losses }.target(ty, name)
    }

    /// Encodes a field with one value, `name: value`.
    pub(super) fn scalar(&mut self, name: Name<'_>, value: Token<'_, '_>) -> Result<(), Refusal> {
        match self.target(name)? {
            Target::Field(field) => {
                self.set_once(field, name.at)?;
                self.value(field, value)
            }
            Target::Any(_) => {
                Err(Refusal::new(value.at(), "expected '{': the content of an Any is a message"))
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
                    return Err(Refusal::new(name.at, why));
                }
                if !has_colon && field.kind.message().is_none() {
                    return Err(Refusal::new(
                        name.at,
                        format!("expected ':' after {}", field.name),
                    ));
                }
                Container::List(field, ty)
            }
            (Target::Any(_), _) => {
                return Err(Refusal::new(name.at, "an Any contains one message, not a list"));
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
                let content = content
                    .map_err(|error| Refusal::new(at, error.without_offset().to_string()))?;
                self.out.put_bytes(any::VALUE, content.bytes());
            }
        }
        Ok(())
    }

    /// Notes that records with field numbers from `first` to `last` follow in the open message.
    pub(super) fn follows(&mut self, first: u32, last: u32) {
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
            return Err(Refusal::new(at, why));
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
        Err(Refusal::new(at, format!("groups are nested more than {MAX_GROUPS} deep")))
    }

    /// Begins the content of an `Any`.
    fn begin_any(&mut self, ty: &'s MessageType, name: Name<'_>) -> Result<(), Refusal> {
        let Container::Message(around) = self.container() else { return Ok(()) };
        for number in [any::TYPE_URL, any::VALUE] {
            if let Some(field) = around.field(number) {
                self.set_once(field, name.at)?;
            }
        }
        self.end_packed();
        self.out.put_bytes(any::TYPE_URL, &name::cleaned(name.text));
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
                self.out.begin(field.number);
            }
        }
        if !field.is_packed {
            self.out.tag(field.number, field.wire_type);
        }
        scalar::write(self.schema, field, value, &mut self.out)
    }

    /// Ends the packed numbers that are being written.
    pub(super) fn end_packed(&mut self) {
        if self.message_frame().is_some_and(|frame| frame.packed.take().is_some()) {
            self.out.close();
        }
    }

    /// Notes that a field is set; refuses a second value of a field that is not repeated.
    #[inline]
    pub(super) fn set_once(&mut self, field: &Field, at: usize) -> Result<(), Refusal> {
        if field.is_repeated() {
            return Ok(());
        }
        let is_outermost = self.frames.len() == 1;
        let Some(frame) = self.frames.last_mut() else { return Ok(()) };
        let Container::Message(ty) = frame.container else { return Ok(()) };
        if !frame.see(field.position) {
            if self.options.repeated == Repeated::Last {
                self.is_canonical = false;
                self.losses.name(|| field.text_name.to_string());
                self.losses.overridden += 1;
                return Ok(());
            }
            return Err(Refusal::new(at, format!("{} is given twice", field.text_name)));
        }
        if let Some(oneof) = field.oneof.and_then(|oneof| ty.oneofs.get(usize::from(oneof))) {
            let mut others = oneof.fields.iter().filter(|&&other| other != field.position);
            if let Some(other) = others.find(|&&other| frame.has_seen(other))
                && let Some(other) = ty.fields.get(usize::from(*other))
            {
                let (name, other) = (&field.text_name, &other.text_name);
                let most = format!("oneof {} has at most one field", oneof.name);
                let why = format!("{name} cannot be set: {other} is set, and {most}");
                return Err(Refusal::new(at, why));
            }
        }
        if is_outermost {
            self.set_fields.push(SetField { position: field.position, at });
        }
        Ok(())
    }
}
