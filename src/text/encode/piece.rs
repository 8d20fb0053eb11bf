//! Encodes one piece of a text by itself.
//!
//! Any thread encodes the fields of a piece. What the piece does to the messages around it (to begin or end one of them)
//! becomes a few steps, which are done in order on the whole message.

use super::encoded::Encoded;
use super::encoder::Encoder;
use super::frame::Container;
use super::scalar::Token;
use crate::schema::Schema;
use crate::text::ParseOptions;
use crate::text::syntax::{Literals, Name, Number, Refusal, Sink, Unbalanced, Word};

/// A step of a piece on the whole message.
#[derive(Debug)]
pub(in super::super) enum Step<'t> {
    /// Fields, or elements of a list, are added.
    Content(Encoded),
    /// A message begins: a field of this name, or an element.
    Open(Option<Name<'t>>, usize),
    /// A list begins.
    List(Name<'t>),
    /// The innermost message or list ends.
    Close(usize),
}

/// The open messages and lists around a piece, the whole message first.
pub(in super::super) type Context<'s> = Vec<Container<'s>>;

impl<'s> Encoder<'s> {
    /// Updates `context` by a bracket of a piece that is not encoded yet. [`PieceEncoder`] refuses unknown names.
    pub(in super::super) fn follow(
        schema: &'s Schema,
        options: ParseOptions,
        context: &mut Context<'s>,
        join: &Unbalanced<'_>,
    ) {
        let container = context.last().copied().unwrap_or(Container::Skipped);
        let mut probe = Encoder::new(schema, container, options);
        let began = match join {
            Unbalanced::Close => {
                context.pop();
                return;
            }
            Unbalanced::Open(name) => match (container, name) {
                (Container::Message(_), Some(name)) => probe.open(*name),
                _ => probe.open_element(0),
            },
            Unbalanced::List(Some(name)) => probe.open_list(*name, true),
            Unbalanced::List(None) => return,
        };
        context.push(began.map_or(Container::Skipped, |()| probe.container()));
    }

    /// Does a step of the next piece.
    pub(in super::super) fn step(&mut self, step: Step<'_>) -> Result<(), Refusal> {
        match step {
            Step::Content(encoded) => self.absorb(encoded),
            Step::Open(Some(name), _) => self.open(name),
            Step::Open(None, at) => self.open_element(at),
            Step::List(name) => self.open_list(name, true),
            Step::Close(at) => self.close(at),
        }
    }
}

/// Encodes a piece.
#[derive(Debug)]
pub(in super::super) struct PieceEncoder<'s, 't> {
    schema: &'s Schema,
    options: ParseOptions,
    context: Context<'s>,
    encoder: Encoder<'s>,
    name: Option<Name<'t>>,
    steps: Vec<Step<'t>>,
}

impl<'s, 't> PieceEncoder<'s, 't> {
    /// An encoder of a piece that begins in `context`.
    pub(in super::super) fn new(
        schema: &'s Schema,
        options: ParseOptions,
        context: Context<'s>,
    ) -> Self {
        let container = context.last().copied().unwrap_or(Container::Skipped);
        let encoder = Encoder::new(schema, container, options);
        Self { schema, options, context, encoder, name: None, steps: Vec::new() }
    }

    /// Returns the steps of the piece, in order.
    ///
    /// # Errors
    /// If its fields are nested too deeply.
    pub(in super::super) fn finish(mut self) -> Result<Vec<Step<'t>>, Refusal> {
        self.flush()?;
        Ok(self.steps)
    }

    /// Ends a run of fields in one message around the piece.
    fn flush(&mut self) -> Result<(), Refusal> {
        let container = self.context.last().copied().unwrap_or(Container::Skipped);
        let next = Encoder::new(self.schema, container, self.options);
        let encoded = std::mem::replace(&mut self.encoder, next).finish()?;
        self.steps.push(Step::Content(encoded));
        Ok(())
    }

    fn join(&mut self, join: &Unbalanced<'t>, step: Step<'t>) -> Result<(), Refusal> {
        Encoder::follow(self.schema, self.options, &mut self.context, join);
        self.flush()?;
        self.steps.push(step);
        Ok(())
    }

    fn scalar(&mut self, token: Token<'_, 't>) -> Result<(), Refusal> {
        match self.name.take() {
            Some(name) => self.encoder.scalar(name, token),
            None => self.encoder.element(token),
        }
    }
}

impl<'t> Sink<'t> for PieceEncoder<'_, 't> {
    #[inline]
    fn field(&mut self, name: Name<'t>) -> Result<(), Refusal> {
        self.name = Some(name);
        Ok(())
    }

    #[inline]
    fn open(&mut self, at: usize) -> Result<(), Refusal> {
        match self.name.take() {
            Some(name) => self.encoder.open(name),
            None => self.encoder.open_element(at),
        }
    }

    #[inline]
    fn close(&mut self, at: usize) -> Result<(), Refusal> {
        self.encoder.close(at)
    }

    fn list(&mut self, at: usize, colon: bool) -> Result<(), Refusal> {
        match self.name.take() {
            Some(name) => self.encoder.open_list(name, colon),
            None => Err(Refusal::new(at, "a list cannot contain a list")),
        }
    }

    fn end_list(&mut self, at: usize) -> Result<(), Refusal> {
        self.encoder.close(at)
    }

    fn leave_open(&mut self, at: usize) -> Result<(), Refusal> {
        let name = self.name.take();
        self.join(&Unbalanced::Open(name), Step::Open(name, at))
    }

    fn close_outer(&mut self, at: usize) -> Result<(), Refusal> {
        self.join(&Unbalanced::Close, Step::Close(at))
    }

    fn leave_list_open(&mut self, at: usize, _colon: bool) -> Result<(), Refusal> {
        match self.name.take() {
            Some(name) => self.join(&Unbalanced::List(Some(name)), Step::List(name)),
            None => Err(Refusal::new(at, "a list cannot contain a list")),
        }
    }

    fn end_outer_list(&mut self, at: usize) -> Result<(), Refusal> {
        self.close_outer(at)
    }

    fn string(&mut self, literals: Literals<'_, 't>) -> Result<(), Refusal> {
        self.scalar(Token::String(literals))
    }

    fn number(&mut self, number: Number<'t>) -> Result<(), Refusal> {
        self.scalar(Token::Number(number))
    }

    fn identifier(&mut self, word: Word<'t>) -> Result<(), Refusal> {
        self.scalar(Token::Word(word))
    }
}
