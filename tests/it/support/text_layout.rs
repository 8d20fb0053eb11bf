//! The content of a text without its layout, and the properties of `format`.

use ckdiff::Result;
use ckdiff::text::syntax::{
    Literals, Name, NameKind, Number, PieceOptions, Pieces, Refusal, Scratch, Sink, Word,
};
use ckdiff::text::{LayoutOptions, format};

/// Records the events of a text without their offsets.
#[derive(Default)]
struct Said(Vec<String>);

impl Said {
    fn add(&mut self, event: impl Into<String>) -> Result<(), Refusal> {
        self.0.push(event.into());
        Ok(())
    }
}

impl<'t> Sink<'t> for Said {
    fn field(&mut self, name: Name<'t>) -> Result<(), Refusal> {
        let text = match name.kind {
            NameKind::Field | NameKind::Number => name.text.to_vec(),
            NameKind::Extension | NameKind::Any => compact(name.text),
        };
        self.add(format!("{:?} {}", name.kind, text.escape_ascii()))
    }
    fn open(&mut self, _: usize) -> Result<(), Refusal> {
        self.add("open")
    }
    fn close(&mut self, _: usize) -> Result<(), Refusal> {
        self.add("close")
    }
    fn list(&mut self, _: usize, colon: bool) -> Result<(), Refusal> {
        self.add(if colon { "list" } else { "bare list" })
    }
    fn end_list(&mut self, _: usize) -> Result<(), Refusal> {
        self.add("end")
    }
    fn string(&mut self, literals: Literals<'_, 't>) -> Result<(), Refusal> {
        let literals = literals.map(|literal| format!(" <{}>", literal.text.escape_ascii()));
        self.add(format!("string{}", literals.collect::<String>()))
    }
    fn number(&mut self, number: Number<'t>) -> Result<(), Refusal> {
        let sign = if number.negative { "-" } else { "" };
        self.add(format!("{:?} {sign}{}", number.kind, number.text.escape_ascii()))
    }
    fn identifier(&mut self, word: Word<'t>) -> Result<(), Refusal> {
        let sign = if word.negative { "-" } else { "" };
        self.add(format!("word {sign}{}", word.text.escape_ascii()))
    }
}

/// The content of brackets without blanks and comments.
fn compact(name: &[u8]) -> Vec<u8> {
    let lines = name.split(|byte| *byte == b'\n');
    let code = lines.flat_map(|line| line.split(|byte| *byte == b'#').next().unwrap_or_default());
    code.filter(|byte| !matches!(byte, b' ' | b'\t'..=b'\r')).copied().collect()
}

fn events_of(text: &[u8]) -> Result<Vec<String>> {
    let (mut said, mut scratch) = (Said::default(), Scratch::default());
    for piece in Pieces::new(text, PieceOptions::default()) {
        piece?.events(&mut scratch, &mut said)?;
    }
    Ok(said.0)
}

/// The comments of a legal text, without trailing blanks.
pub(crate) fn comments(text: &[u8]) -> Vec<&[u8]> {
    let (mut comments, mut at) = (Vec::new(), 0);
    while let Some(&byte) = text.get(at) {
        let rest = &text[at..];
        let to = |end: u8| rest.iter().skip(1).position(|byte| *byte == end).map(|at| at + 1);
        match byte {
            b'#' => {
                let end = to(b'\n').unwrap_or(rest.len());
                comments.push(rest[..end].trim_ascii_end());
                at += end;
            }
            b'"' | b'\'' => {
                at += 1;
                while text.get(at).is_some_and(|inner| *inner != byte) {
                    at += if text[at] == b'\\' { 2 } else { 1 };
                }
                at += 1;
            }
            _ => at += 1,
        }
    }
    comments
}

/// [`check_layout_with`] the layout of protobuf.
pub(crate) fn check_layout(text: &[u8]) -> Option<Vec<u8>> {
    check_layout_with(text, LayoutOptions::default())
}

/// Formats a text and checks that events and comments are unchanged and formatting is stable. `None` for an invalid text.
pub(crate) fn check_layout_with(text: &[u8], options: LayoutOptions) -> Option<Vec<u8>> {
    let shown = |text: &[u8]| String::from_utf8_lossy(text).into_owned();
    let (events, laid_out) = match (events_of(text), format(text, &options)) {
        (Ok(events), Ok(laid_out)) => (events, laid_out),
        (Err(wrong), Err(refused)) => {
            assert_eq!(wrong.to_string(), refused.to_string());
            return None;
        }
        (said, laid_out) => panic!("{said:?} | {laid_out:?}\n{}", shown(text)),
    };
    let both = || format!("{}\n--- laid out:\n{}", shown(text), shown(&laid_out));
    assert_eq!(events_of(&laid_out).ok(), Some(events), "{}", both());
    assert_eq!(comments(&laid_out), comments(text), "{}", both());
    let again = format(&laid_out, &options).expect("formatted text is legal");
    assert!(again == laid_out, "{}\n--- again:\n{}", both(), shown(&again));
    let ends_well = laid_out.is_empty() || laid_out.ends_with(b"\n");
    assert!(
        ends_well && !laid_out.starts_with(b"\n") && !laid_out.ends_with(b"\n\n"),
        "{}",
        both()
    );
    let mut lines = laid_out.split(|byte| *byte == b'\n');
    assert!(lines.all(|line| line.trim_ascii_end() == line), "{}", both());
    assert!(!laid_out.windows(3).any(|three| three == b"\n\n\n"), "{}", both());
    Some(laid_out)
}
