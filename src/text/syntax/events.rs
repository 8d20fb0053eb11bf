//! The content of a text as a flat series of events, without a schema and without a tree.

use std::slice::Iter;

use super::matcher::{Mark, Rule};

/// An error of a [`Sink`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Refusal {
    /// The position, in bytes from the start of the piece.
    pub at: usize,
    /// The message.
    pub message: String,
}

impl Refusal {
    /// A refusal at the byte `at` of the piece.
    pub fn new(at: usize, message: impl Into<String>) -> Self {
        Self { at, message: message.into() }
    }
}

/// Receives the events of a text, in the order of the text.
///
/// A field is the event [`field`](Self::field) followed by one value: a scalar, `open … close`, or `list … end_list`
/// around scalars or messages. A piece may begin inside messages and lists of earlier pieces and close them. A message
/// or list of which one part of a piece has only one of the two brackets has events of its own, for sinks that treat it
/// differently.
///
/// Positions are bytes from the start of the piece, as [`Piece::location`](super::Piece::location) takes them. Text with the
/// lifetime `'t` lives as long as the piece.
pub trait Sink<'t> {
    /// A field begins.
    ///
    /// # Errors
    /// A [`Refusal`] if the sink does not accept the event; the same holds for every event.
    fn field(&mut self, name: Name<'t>) -> Result<(), Refusal>;
    /// A message begins: the field's value, or the next element of the list.
    fn open(&mut self, at: usize) -> Result<(), Refusal>;
    /// The innermost message ends.
    fn close(&mut self, at: usize) -> Result<(), Refusal>;
    /// A list begins. Without a colon it contains only messages, and only a message field may have it.
    fn list(&mut self, at: usize, colon: bool) -> Result<(), Refusal>;
    /// The list ends.
    fn end_list(&mut self, at: usize) -> Result<(), Refusal>;
    /// A message begins that another part ends.
    fn leave_open(&mut self, at: usize) -> Result<(), Refusal> {
        self.open(at)
    }
    /// A message ends that another part began.
    fn close_outer(&mut self, at: usize) -> Result<(), Refusal> {
        self.close(at)
    }
    /// A list begins that another part ends.
    fn leave_list_open(&mut self, at: usize, colon: bool) -> Result<(), Refusal> {
        self.list(at, colon)
    }
    /// A list ends that another part began.
    fn end_outer_list(&mut self, at: usize) -> Result<(), Refusal> {
        self.end_list(at)
    }
    /// A string: one literal or several adjacent ones.
    fn string(&mut self, literals: Literals<'_, 't>) -> Result<(), Refusal>;
    /// A number.
    fn number(&mut self, number: Number<'t>) -> Result<(), Refusal>;
    /// A word: the name of an enum value, `true`, `inf` …
    fn identifier(&mut self, word: Word<'t>) -> Result<(), Refusal>;
}

/// A field's name as written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Name<'t> {
    /// The form of the name.
    pub kind: NameKind,
    /// The word, the digits, or the text between the brackets with its white space and comments.
    pub text: &'t [u8],
    /// The position of its first byte; for a name in brackets that of the bracket.
    pub at: usize,
}

/// The forms of a field name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NameKind {
    /// `name`
    Field,
    /// `17`
    Number,
    /// `[package.extension]`
    Extension,
    /// `[domain/package.Type]`
    Any,
}

/// A number as written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Number<'t> {
    /// The form of the number.
    pub kind: NumberKind,
    /// Whether a `-` precedes it.
    pub negative: bool,
    /// The number without the `-`.
    pub text: &'t [u8],
    /// The position of the value, which begins with its `-`.
    pub at: usize,
}

/// The forms of a number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NumberKind {
    /// `17`
    Decimal,
    /// `017`
    Octal,
    /// `0x1f`
    Hexadecimal,
    /// `1.5`, `.5`, `5.`, `1e5`, `1f`
    Float,
}

/// A word as a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Word<'t> {
    /// Whether a `-` precedes it.
    pub negative: bool,
    /// The word without the `-`.
    pub text: &'t [u8],
    /// The position of the value, which begins with its `-`.
    pub at: usize,
}

/// The literals of one string, at least one.
#[derive(Clone, Debug)]
pub struct Literals<'m, 't> {
    source: Source<'t>,
    marks: Iter<'m, Mark>,
}

/// A string literal.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Literal<'t> {
    /// The text between the quotes, with its escapes. It need not be UTF-8.
    pub text: &'t [u8],
    /// The position of the opening quote.
    pub at: usize,
}

impl<'t> Iterator for Literals<'_, 't> {
    type Item = Literal<'t>;

    fn next(&mut self) -> Option<Literal<'t>> {
        let (start, end) = (*self.marks.next()?, *self.marks.next()?);
        let (at, end) = (self.source.at(start), self.source.at(end));
        Some(Literal { text: self.source.text(at + 1, end - 1), at })
    }
}

/// Memory that is reused from piece to piece.
#[derive(Debug, Default)]
pub struct Scratch {
    pub(super) marks: Vec<Mark>,
    /// For each part its position in the piece and the end of its marks.
    pub(super) ends: Vec<(usize, usize)>,
}

impl Scratch {
    pub(super) fn clear(&mut self) {
        self.marks.clear();
        self.ends.clear();
    }
}

/// The bytes of a piece, and the byte that the positions of its marks are relative to.
#[derive(Clone, Copy, Debug)]
pub(super) struct Source<'t> {
    pub(super) bytes: &'t [u8],
    pub(super) base: usize,
}

impl<'t> Source<'t> {
    fn at(self, mark: Mark) -> usize {
        self.base + mark.position()
    }

    fn text(self, from: usize, to: usize) -> &'t [u8] {
        self.bytes.get(from..to).unwrap_or_default()
    }

    /// The position and text of a token without children.
    fn leaf(self, start: Mark, end: Option<&Mark>) -> (usize, &'t [u8]) {
        let from = self.at(start);
        (from, self.text(from, end.map_or(from, |end| self.at(*end))))
    }
}

/// A bracket whose partner is in another part.
#[derive(Clone, Copy, Debug)]
pub(in crate::text) enum Unbalanced<'t> {
    /// A message or list ends that another part began.
    Close,
    /// A message begins that another part ends: of the field named last, or in a list.
    Open(Option<Name<'t>>),
    /// A list begins that another part ends.
    List(Option<Name<'t>>),
}

/// Calls `each` for the unbalanced brackets among `marks`.
pub(super) fn unbalanced<'t>(
    source: Source<'t>,
    marks: &[Mark],
    mut each: impl FnMut(Unbalanced<'t>),
) {
    let mut name = None;
    for (mark, next) in marks.iter().zip(marks.iter().skip(1)).filter(|(mark, _)| !mark.is_end()) {
        let kind = match mark.rule() {
            Rule::FieldName => NameKind::Field,
            Rule::FieldNumber => NameKind::Number,
            Rule::Extension => NameKind::Extension,
            Rule::AnyType => NameKind::Any,
            Rule::Closing | Rule::ListClosing => {
                each(Unbalanced::Close);
                continue;
            }
            Rule::Opening => {
                each(Unbalanced::Open(
                    name.map(|(kind, mark, next)| named(source, kind, mark, next)),
                ));
                continue;
            }
            Rule::ListOpening | Rule::MessagesOpening => {
                each(Unbalanced::List(
                    name.map(|(kind, mark, next)| named(source, kind, mark, next)),
                ));
                // The elements of a list have no name.
                name = None;
                continue;
            }
            // A value of the last field.
            _ => {
                name = None;
                continue;
            }
        };
        name = Some((kind, *mark, Some(next)));
    }
}

/// Passes the tokens of `marks` to `sink`.
pub(super) fn walk<'t, S: Sink<'t>>(
    source: Source<'t>,
    marks: &[Mark],
    sink: &mut S,
) -> Result<(), Refusal> {
    let mut minus = None;
    let mut rest = marks.iter();
    while let Some(&mark) = rest.next() {
        if mark.is_end() {
            let last = source.at(mark).saturating_sub(1);
            match mark.rule() {
                Rule::Message => sink.close(last)?,
                Rule::List | Rule::Messages => sink.end_list(last)?,
                // A part, or a leaf without an event.
                _ => {}
            }
            continue;
        }
        match mark.rule() {
            Rule::FieldName => field(source, mark, &mut rest, NameKind::Field, sink)?,
            Rule::FieldNumber => field(source, mark, &mut rest, NameKind::Number, sink)?,
            Rule::Extension => field(source, mark, &mut rest, NameKind::Extension, sink)?,
            Rule::AnyType => field(source, mark, &mut rest, NameKind::Any, sink)?,
            Rule::Message => sink.open(source.at(mark))?,
            Rule::Opening => sink.leave_open(source.at(mark))?,
            Rule::List => sink.list(source.at(mark), true)?,
            Rule::ListOpening => sink.leave_list_open(source.at(mark), true)?,
            Rule::Messages => sink.list(source.at(mark), false)?,
            Rule::MessagesOpening => sink.leave_list_open(source.at(mark), false)?,
            Rule::Closing => sink.close_outer(source.at(mark))?,
            Rule::ListClosing => sink.end_outer_list(source.at(mark))?,
            Rule::String => string(source, marks, &mut rest, sink)?,
            Rule::Minus => minus = Some(source.at(mark)),
            Rule::Identifier => {
                let (at, text) = source.leaf(mark, rest.next());
                let (at, negative) = signed(at, &mut minus);
                sink.identifier(Word { negative, text, at })?;
            }
            Rule::Decimal => {
                number(source, mark, &mut rest, NumberKind::Decimal, &mut minus, sink)?
            }
            Rule::Float => number(source, mark, &mut rest, NumberKind::Float, &mut minus, sink)?,
            Rule::Octal => number(source, mark, &mut rest, NumberKind::Octal, &mut minus, sink)?,
            Rule::Hexadecimal => {
                number(source, mark, &mut rest, NumberKind::Hexadecimal, &mut minus, sink)?;
            }
            Rule::Comma | Rule::FieldsPart | Rule::MessagesPart | Rule::ScalarsPart => {}
        }
    }
    Ok(())
}

fn field<'t, S: Sink<'t>>(
    source: Source<'t>,
    mark: Mark,
    rest: &mut Iter<'_, Mark>,
    kind: NameKind,
    sink: &mut S,
) -> Result<(), Refusal> {
    sink.field(named(source, kind, mark, rest.next()))
}

fn named<'t>(source: Source<'t>, kind: NameKind, mark: Mark, end: Option<&Mark>) -> Name<'t> {
    let (at, text) = source.leaf(mark, end);
    let text = match (kind, text) {
        (NameKind::Extension | NameKind::Any, [b'[', inner @ .., b']']) => inner,
        (_, text) => text,
    };
    Name { kind, text, at }
}

/// Passes on a string whose first mark was just taken from `rest`, with its adjacent literals.
fn string<'m, 't, S: Sink<'t>>(
    source: Source<'t>,
    marks: &'m [Mark],
    rest: &mut Iter<'m, Mark>,
    sink: &mut S,
) -> Result<(), Refusal> {
    let first = marks.len() - rest.as_slice().len() - 1;
    let more =
        rest.as_slice().iter().skip(1).take_while(|mark| mark.rule() == Rule::String).count();
    let literals = marks.get(first..first + 2 + more).unwrap_or_default();
    *rest = marks.get(first + 2 + more..).unwrap_or_default().iter();
    sink.string(Literals { source, marks: literals.iter() })
}

fn number<'t, S: Sink<'t>>(
    source: Source<'t>,
    mark: Mark,
    rest: &mut Iter<'_, Mark>,
    kind: NumberKind,
    minus: &mut Option<usize>,
    sink: &mut S,
) -> Result<(), Refusal> {
    let (at, text) = source.leaf(mark, rest.next());
    let (at, negative) = signed(at, minus);
    sink.number(Number { kind, negative, text, at })
}

/// The position of a value with its `-`, and whether it has one.
fn signed(at: usize, minus: &mut Option<usize>) -> (usize, bool) {
    match minus.take() {
        Some(minus) => (minus, true),
        None => (at, false),
    }
}
