//! What a text says, as a flat series of events; no schema, no tree.

use std::slice::Iter;

use super::matcher::{Mark, Rule};
use super::pieces::Refusal;

/// Takes what a text says, in its order.
///
/// A field is [`field`](Self::field) and then one value: a scalar, `open … close`, or `list … end_list` around
/// scalars or messages. A piece that begins inside messages or lists of earlier pieces begins with what comes next
/// there; it may close what it did not open. What a part of a piece leaves open for other parts, and what it closes of
/// theirs, has events of its own, for sinks to which that is a difference.
///
/// Positions are bytes from the start of the piece, for [`Piece::place`](super::Piece::place); text borrowed for
/// `'t` lives as long as the piece.
pub trait Sink<'t> {
    /// A field begins.
    ///
    /// # Errors
    /// What the sink does not accept; so for every event.
    fn field(&mut self, name: Name<'t>) -> Result<(), Refusal>;
    /// A message begins: the field's value, or the next element of the list.
    fn open(&mut self, at: usize) -> Result<(), Refusal>;
    /// The innermost message ends.
    fn close(&mut self, at: usize) -> Result<(), Refusal>;
    /// A list begins. Without a colon it holds messages or nothing, and only a message field may have it.
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
    /// A string: one literal, or several side by side.
    fn string(&mut self, literals: Literals<'_, 't>) -> Result<(), Refusal>;
    /// A number.
    fn number(&mut self, number: Number<'t>) -> Result<(), Refusal>;
    /// A word: the name of an enum value, `true`, `inf` …
    fn identifier(&mut self, word: Word<'t>) -> Result<(), Refusal>;
}

/// A field's name as written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Name<'t> {
    /// How it is written.
    pub kind: NameKind,
    /// The word, the digits, or what stands between the brackets, blanks and comments included.
    pub text: &'t [u8],
    /// Its first byte; for names in brackets the bracket.
    pub at: usize,
}

/// The ways to name a field.
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
    /// How it is written.
    pub kind: NumberKind,
    /// Whether a `-` stands before it.
    pub negative: bool,
    /// The number without the `-`.
    pub text: &'t [u8],
    /// The first byte of the value: the `-` if there is one.
    pub at: usize,
}

/// The ways to write a number.
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
    /// Whether a `-` stands before it.
    pub negative: bool,
    /// The word without the `-`.
    pub text: &'t [u8],
    /// The first byte of the value: the `-` if there is one.
    pub at: usize,
}

/// The literals of one string, at least one.
#[derive(Clone, Debug)]
pub struct Literals<'m, 't> {
    source: Source<'t>,
    marks: Iter<'m, Mark>,
}

/// One literal.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Literal<'t> {
    /// What stands between its quotes, escapes and all. Bytes: it need not be UTF-8.
    pub text: &'t [u8],
    /// Its opening quote.
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

/// Memory that parsing one piece leaves for the next.
#[derive(Debug, Default)]
pub struct Scratch {
    pub(super) marks: Vec<Mark>,
    /// Where each part begins in the piece, and where its marks end.
    pub(super) ends: Vec<(usize, usize)>,
}

impl Scratch {
    pub(super) fn clear(&mut self) {
        self.marks.clear();
        self.ends.clear();
    }
}

/// The bytes of a piece, and where in them the positions of the marks count from.
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

    /// The text of a token without children, and where it begins.
    fn leaf(self, start: Mark, end: Option<&Mark>) -> (usize, &'t [u8]) {
        let from = self.at(start);
        (from, self.text(from, end.map_or(from, |end| self.at(*end))))
    }
}

/// What a part does to what is open around it.
#[derive(Clone, Copy, Debug)]
pub(in crate::text) enum Join<'t> {
    /// A message or list ends that another part began.
    Close,
    /// A message begins that another part ends: of the field named last, or in a list.
    Open(Option<Name<'t>>),
    /// A list begins that another part ends.
    List(Option<Name<'t>>),
}

/// What the tokens between `marks` do to what is open around them.
pub(super) fn joins<'t>(source: Source<'t>, marks: &[Mark], mut each: impl FnMut(Join<'t>)) {
    let mut name = None;
    for (mark, next) in marks.iter().zip(marks.iter().skip(1)).filter(|(mark, _)| !mark.is_end()) {
        let kind = match mark.rule() {
            Rule::FieldName => NameKind::Field,
            Rule::FieldNumber => NameKind::Number,
            Rule::Extension => NameKind::Extension,
            Rule::AnyType => NameKind::Any,
            Rule::Closing | Rule::ListClosing => {
                each(Join::Close);
                continue;
            }
            Rule::Opening => {
                each(Join::Open(name.map(|(kind, mark, next)| named(source, kind, mark, next))));
                continue;
            }
            Rule::ListOpening | Rule::MessagesOpening => {
                each(Join::List(name.map(|(kind, mark, next)| named(source, kind, mark, next))));
                // What a list holds has no name.
                name = None;
                continue;
            }
            // A value of the field named before, whatever it holds.
            _ => {
                name = None;
                continue;
            }
        };
        name = Some((kind, *mark, Some(next)));
    }
}

/// Gives the tokens between `marks` to `sink`.
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
                // A part, or a leaf without an event of its own.
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

/// The string whose first mark was the last that `rest` gave, with the literals that follow at once.
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

/// Where a value begins that may have a `-`, and whether it has.
fn signed(at: usize, minus: &mut Option<usize>) -> (usize, bool) {
    match minus.take() {
        Some(minus) => (minus, true),
        None => (at, false),
    }
}
