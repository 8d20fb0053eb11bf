//! The state of the compiled grammar: the input, the tokens so far, and the farthest failure.
//!
//! The build script writes one function for each rule of `grammar/textproto.pest`; they call the methods of [`Matcher`].
//! The farthest failure is tracked only in functions with `TRACK`: a text is matched without it, and again with it if it
//! was refused.

pub(super) use grammar::Rule;

/// A token's rule and one of its two ends, in eight bytes: `position << 8 | rule << 1 | end`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Mark(u64);

impl Mark {
    fn new(rule: Rule, position: usize, end: bool) -> Self {
        Self((position as u64) << 8 | (rule as u64) << 1 | u64::from(end))
    }

    /// The position of this end, in bytes.
    #[inline]
    pub(super) fn position(self) -> usize {
        // It was a usize.
        usize::try_from(self.0 >> 8).unwrap_or(usize::MAX)
    }

    /// Whether the token ends here.
    #[inline]
    pub(super) fn is_end(self) -> bool {
        self.0 & 1 == 1
    }

    /// The rule that matched.
    #[inline]
    pub(super) fn rule(self) -> Rule {
        Rule::of((self.0 >> 1 & 0x7f) as u8)
    }
}

/// The rule that a part of a text must match as a whole.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum StartRule {
    /// A part that begins among the fields of a message.
    Fields,
    /// A part that begins in a list of messages.
    Messages,
    /// A part that begins in a list of scalars.
    Scalars,
}

/// The farthest byte at which a match failed.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Farthest {
    pub(super) at: usize,
    /// The last token before that byte.
    pub(super) token: Option<Mark>,
}

/// The input, the tokens found in it, and the farthest failure.
#[derive(Debug)]
pub(super) struct Matcher<'i> {
    input: &'i [u8],
    marks: Vec<Mark>,
    /// The number of marks that belong to earlier inputs.
    earlier: usize,
    farthest: Farthest,
}

impl<'i> Matcher<'i> {
    /// A matcher that adds to `marks`, so that one allocation serves many parts.
    pub(super) fn new(input: &'i [u8], marks: Vec<Mark>) -> Self {
        Self { input, earlier: marks.len(), marks, farthest: Farthest::default() }
    }

    /// Whether the whole input matches `entry`.
    pub(super) fn matches(&mut self, entry: StartRule) -> bool {
        self.run::<false>(entry).is_some()
    }

    /// The farthest failure of an input that does not match `entry`.
    pub(super) fn farthest(&mut self, entry: StartRule) -> Farthest {
        self.marks.truncate(self.earlier);
        // The result is known to be `None`.
        let _refused = self.run::<true>(entry);
        self.farthest
    }

    fn run<const TRACK: bool>(&mut self, entry: StartRule) -> Option<usize> {
        match entry {
            StartRule::Fields => grammar::fields_part::<TRACK>(self, 0),
            StartRule::Messages => grammar::messages_part::<TRACK>(self, 0),
            StartRule::Scalars => grammar::scalars_part::<TRACK>(self, 0),
        }
    }

    /// The tokens, in the order of the text.
    pub(super) fn into_marks(self) -> Vec<Mark> {
        self.marks
    }

    #[inline(always)]
    fn leaf(&mut self, rule: Rule, from: usize, to: usize) {
        self.marks.push(Mark::new(rule, from, false));
        self.marks.push(Mark::new(rule, to, true));
    }

    #[inline(always)]
    fn open(&mut self, rule: Rule, at: usize) {
        self.marks.push(Mark::new(rule, at, false));
    }

    #[inline(always)]
    fn close(&mut self, rule: Rule, at: usize) {
        self.marks.push(Mark::new(rule, at, true));
    }

    #[inline(always)]
    fn kept(&self) -> usize {
        self.marks.len()
    }

    #[inline(always)]
    fn forget(&mut self, kept: usize) {
        self.marks.truncate(kept);
    }

    #[inline(always)]
    fn stop<const TRACK: bool>(&mut self, at: usize) -> Option<usize> {
        if TRACK && at > self.farthest.at {
            let token = self.marks.get(self.earlier..).and_then(<[Mark]>::last).copied();
            self.farthest = Farthest { at, token };
        }
        None
    }

    #[inline(always)]
    fn one<const TRACK: bool>(&mut self, at: usize, test: impl Fn(u8) -> bool) -> Option<usize> {
        match self.input.get(at) {
            Some(&byte) if test(byte) => Some(at + 1),
            _ => self.stop::<TRACK>(at),
        }
    }

    #[inline(always)]
    fn many<const TRACK: bool>(&mut self, at: usize, test: impl Fn(u8) -> bool) -> Option<usize> {
        let rest = self.input.get(at..)?;
        let at = at + rest.iter().position(|&byte| !test(byte)).unwrap_or(rest.len());
        self.stop::<TRACK>(at);
        Some(at)
    }

    #[inline(always)]
    fn any<const TRACK: bool>(&mut self, at: usize) -> Option<usize> {
        let mut end = self.one::<TRACK>(at, |_| true)?;
        // The rest of the character, or stray continuation bytes.
        while let Some(0x80..=0xbf) = self.input.get(end) {
            end += 1;
        }
        Some(end)
    }

    #[inline(always)]
    fn end<const TRACK: bool>(&mut self, at: usize) -> Option<usize> {
        if at == self.input.len() { Some(at) } else { self.stop::<TRACK>(at) }
    }
}

/// One function for each rule of the grammar.
#[allow(unused_parens, unused_braces, clippy::all, reason = "written by the build script")]
mod grammar {
    use super::Matcher;

    include!(concat!(env!("OUT_DIR"), "/textproto.rs"));
}
