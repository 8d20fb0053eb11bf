//! One piece of a text, by itself: what stands in the messages around it, and which of them it begins and ends.
//!
//! What a piece holds is encoded on any thread. Its steps at the messages around it are few, and are done in order,
//! on the message as a whole.

use super::{Encoded, Encoder, Name, Outer, Refusal, Token};
use crate::schema::Schema;
use crate::text::ParseOptions;
use crate::text::syntax::{Join, Literals, Number, Sink, Word};

/// What a piece does to the message as a whole.
#[derive(Debug)]
pub(in super::super) enum Step<'t> {
    /// Fields, or elements of a list.
    Content(Encoded),
    /// A message begins: a field of this name, or an element.
    Open(Option<Name<'t>>, usize),
    /// A list begins.
    List(Name<'t>),
    /// The message or list that was begun last ends.
    Close(usize),
}

/// What is open around a piece: the message as a whole first.
pub(in super::super) type Context<'s> = Vec<Outer<'s>>;

impl<'s> Encoder<'s> {
    /// Changes `context` as a piece does that is not encoded yet. A name that means nothing is for
    /// [`PieceEncoder`] to refuse.
    pub(in super::super) fn follow(
        schema: &'s Schema,
        options: ParseOptions,
        context: &mut Context<'s>,
        join: &Join<'_>,
    ) {
        let outer = context.last().copied().unwrap_or(Outer::Nothing);
        let mut probe = Encoder::new(schema, outer, options);
        let began = match join {
            Join::Close => {
                context.pop();
                return;
            }
            Join::Open(name) => match (outer, name) {
                (Outer::Message(_), Some(name)) => probe.open(*name),
                _ => probe.open_element(0),
            },
            Join::List(Some(name)) => probe.open_list(*name, true),
            Join::List(None) => return,
        };
        context.push(began.map_or(Outer::Nothing, |()| probe.outer()));
    }

    /// Takes a step of the next piece.
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
        let outer = context.last().copied().unwrap_or(Outer::Nothing);
        let encoder = Encoder::new(schema, outer, options);
        Self { schema, options, context, encoder, name: None, steps: Vec::new() }
    }

    /// What the piece does, in order.
    ///
    /// # Errors
    /// When what it holds is no message of the `Any` it is for.
    pub(in super::super) fn finish(mut self) -> Result<Vec<Step<'t>>, Refusal> {
        self.flush()?;
        Ok(self.steps)
    }

    /// Ends what stands together in one message around the piece.
    fn flush(&mut self) -> Result<(), Refusal> {
        let outer = self.context.last().copied().unwrap_or(Outer::Nothing);
        let next = Encoder::new(self.schema, outer, self.options);
        let encoded = std::mem::replace(&mut self.encoder, next).finish()?;
        self.steps.push(Step::Content(encoded));
        Ok(())
    }

    fn join(&mut self, join: &Join<'t>, step: Step<'t>) -> Result<(), Refusal> {
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
            None => Err(Refusal { at, what: "a list cannot stand in a list".into() }),
        }
    }

    fn end_list(&mut self, at: usize) -> Result<(), Refusal> {
        self.encoder.close(at)
    }

    fn leave_open(&mut self, at: usize) -> Result<(), Refusal> {
        let name = self.name.take();
        self.join(&Join::Open(name), Step::Open(name, at))
    }

    fn close_outer(&mut self, at: usize) -> Result<(), Refusal> {
        self.join(&Join::Close, Step::Close(at))
    }

    fn leave_list_open(&mut self, at: usize, _colon: bool) -> Result<(), Refusal> {
        match self.name.take() {
            Some(name) => self.join(&Join::List(Some(name)), Step::List(name)),
            None => Err(Refusal { at, what: "a list cannot stand in a list".into() }),
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
