//! Says in the language's own words why a text is refused at a byte.
//!
//! The recogniser knows only how far it came. This reads the piece again up to there, token by token, to learn what
//! had to come; it decides nothing.

use crate::error::shortened;

/// An open bracket and its place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Opened {
    pub(super) bracket: u8,
    pub(super) line: u64,
    pub(super) column: u64,
}

impl std::fmt::Display for Opened {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "'{}' opened at {}:{}", char::from(self.bracket), self.line, self.column)
    }
}

/// What had to come at a place.
#[derive(Clone, Copy)]
enum Due {
    /// A field, or the end of the message.
    Field,
    /// What follows the field name in these bytes.
    AfterName(usize, usize),
    /// A value.
    Value,
    /// A number or a word.
    AfterMinus,
    /// The rest of a name in brackets.
    Brackets,
    /// An element of a list.
    Element,
    /// An element of a list without a colon.
    Message,
    /// `,` or `]`.
    AfterElement,
}

/// Where the error is and what it is, for a piece that begins within the brackets `open` and is refused at `at`.
pub(super) fn explain(bytes: &[u8], at: usize, open: Vec<Opened>) -> (usize, String) {
    let mut open: Vec<u8> = open.iter().map(|open| open.bracket).collect();
    let mut due = if open.last() == Some(&b'[') { Due::Element } else { Due::Field };
    let mut from = 0;
    loop {
        from = after_blanks(bytes, from);
        let end = match (due, bytes.get(from)) {
            (Due::Field, Some(b'[')) => bracketed_end(bytes, from),
            _ => token_end(bytes, from),
        };
        // A number the recogniser stopped in or right behind: no token, but the start of a wrong one.
        let number = bytes.get(from..end).filter(|text| is_number(text));
        if let (true, Some(text)) = (from <= at && at <= end && end > from, number)
            && let Some(what) = wrong_number(text)
        {
            return (at, what);
        }
        if from < at && end > at && bytes.get(from) == Some(&b'[') {
            due = Due::Brackets;
        }
        if from >= at || end > at || end == from {
            break;
        }
        due = next(bytes, from, end, due, &mut open);
        from = end;
    }
    match (due, bytes.get(at)) {
        (_, Some(0)) => (at, "a NUL byte cannot stand in a text".to_owned()),
        (_, Some(0xef)) if at == 0 && bytes.starts_with(b"\xef\xbb\xbf") => (
            at,
            "the text begins with a byte order mark, which the format does not allow".to_owned(),
        ),
        (_, Some(0x80..)) => {
            (at, "only strings and comments may hold characters outside ASCII".to_owned())
        }
        // `5` is a field's number by the grammar, and hardly meant as one.
        (Due::AfterName(start, end), _) if bytes.get(start..end).is_some_and(is_number) => {
            (start, format!("expected a field name, found {}", found(bytes, start)))
        }
        (_, Some(b'/'))
            if matches!(bytes.get(at + 1), Some(b'/' | b'*')) && !matches!(due, Due::Brackets) =>
        {
            (at, "comments begin with '#'".to_owned())
        }
        // Either could stand here, were it not for those before it.
        (Due::Element, Some(&first))
            if matches!(first, b'{' | b'<' | b'"' | b'\'') || is_wordy(first) =>
        {
            (at, "a list holds messages or other values, not both".to_owned())
        }
        (due, _) => {
            (at, format!("expected {}, found {}", expected(bytes, due, &open), found(bytes, at)))
        }
    }
}

/// What is due after the token `from..end`.
fn next(bytes: &[u8], from: usize, end: usize, due: Due, open: &mut Vec<u8>) -> Due {
    let value_done = |open: &[u8]| match open.last() {
        Some(b'[') => Due::AfterElement,
        _ => Due::Field,
    };
    match bytes.get(from) {
        Some(b'[') if matches!(due, Due::Field) => Due::AfterName(from, end),
        Some(&byte @ (b'{' | b'<')) => {
            open.push(byte);
            Due::Field
        }
        Some(b'[') => {
            open.push(b'[');
            if matches!(due, Due::AfterName(..)) { Due::Message } else { Due::Element }
        }
        Some(b'}' | b'>' | b']') => {
            open.pop();
            value_done(open)
        }
        Some(b':') => Due::Value,
        Some(b'-') => Due::AfterMinus,
        Some(b',' | b';') if matches!(due, Due::AfterElement) => Due::Element,
        Some(b',' | b';') => Due::Field,
        _ if matches!(due, Due::Field) && !matches!(bytes.get(from), Some(b'"' | b'\'')) => {
            Due::AfterName(from, end)
        }
        _ => value_done(open),
    }
}

fn expected(bytes: &[u8], due: Due, open: &[u8]) -> String {
    match (due, open.last()) {
        (Due::Field, None | Some(b'[')) => "a field name".to_owned(),
        (Due::Field, Some(b'<')) => "a field name or '>'".to_owned(),
        (Due::Field, Some(_)) => "a field name or '}'".to_owned(),
        (Due::AfterName(from, end), _) => {
            let name = String::from_utf8_lossy(bytes.get(from..end).unwrap_or_default());
            let name = name.replace(char::is_control, "");
            format!("':' after the field name \"{}\"", shortened(&name))
        }
        (Due::Value, _) => "a value".to_owned(),
        (Due::AfterMinus, _) => "a number after '-'".to_owned(),
        (Due::Brackets, _) => "[package.extension] or [domain/package.Type]".to_owned(),
        (Due::Element, _) => "an element of the list".to_owned(),
        (Due::Message, _) => "a message (':' stands before a list of other values)".to_owned(),
        (Due::AfterElement, _) => "',' or ']'".to_owned(),
    }
}

/// What stands at `at`: a word, a number, a character.
pub(super) fn found(bytes: &[u8], at: usize) -> String {
    let Some(&first) = bytes.get(at) else { return "the end of the text".to_owned() };
    match first {
        b'"' | b'\'' => "a string".to_owned(),
        b'\n' => "the end of the line".to_owned(),
        _ => {
            let end = if is_wordy(first) { token_end(bytes, at) } else { at + 1 };
            let text = bytes.get(at..end).unwrap_or_default().iter().map(|&byte| char::from(byte));
            // More than is shown, so that what is shown ends in dots.
            let text: String = text.take(100).flat_map(char::escape_default).collect();
            format!("'{}'", shortened(&text.replace("\\'", "'")))
        }
    }
}

/// What is wrong with a number, if it is; `text` is all that touches it.
fn wrong_number(text: &[u8]) -> Option<String> {
    let lower = text.to_ascii_lowercase();
    let digits = |text: &[u8]| text.iter().take_while(|byte| byte.is_ascii_digit()).count();
    let what = match &*lower {
        [b'0', b'x', rest @ ..] => match rest.iter().position(|byte| !byte.is_ascii_hexdigit()) {
            Some(0) => "'0x' must be followed by hexadecimal digits",
            None if rest.is_empty() => "'0x' must be followed by hexadecimal digits",
            None => return None,
            Some(at) if rest.get(at) == Some(&b'.') => {
                "hexadecimal and octal numbers have no fraction"
            }
            Some(_) => "a space must stand between a number and a name",
        },
        [b'0', rest @ ..] if digits(rest) > 0 => {
            match rest.iter().find(|byte| !(b'0'..=b'7').contains(byte)) {
                Some(b'8' | b'9') => {
                    "a number that starts with 0 is octal, and may have the digits 0 to 7 only"
                }
                Some(b'.') => "hexadecimal and octal numbers have no fraction",
                Some(_) => "a space must stand between a number and a name",
                None => return None,
            }
        }
        b"." => "a number must have digits",
        _ => return wrong_decimal(&lower, digits).map(str::to_owned),
    };
    Some(what.to_owned())
}

/// What is wrong with a decimal number or a float.
fn wrong_decimal(text: &[u8], digits: impl Fn(&[u8]) -> usize) -> Option<&'static str> {
    let rest = text.get(digits(text)..)?;
    let (rest, fraction) = match rest {
        [b'.', after @ ..] => (after.get(digits(after)..)?, true),
        rest => (rest, false),
    };
    let rest = match rest {
        [b'e', b'+' | b'-', after @ ..] | [b'e', after @ ..] => match digits(after) {
            0 => return Some("the exponent of a number must have digits"),
            length => after.get(length..)?,
        },
        rest => rest,
    };
    match rest {
        [] | [b'f'] => None,
        [b'.', ..] if fraction => Some("a number has one decimal point"),
        [b'.', ..] => Some("an exponent has no decimal point"),
        _ => Some("a space must stand between a number and a name"),
    }
}

fn is_number(text: &[u8]) -> bool {
    matches!(text, [b'0'..=b'9' | b'.', ..])
}

fn is_wordy(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'.')
}

pub(in crate::text) fn after_blanks(bytes: &[u8], mut at: usize) -> usize {
    loop {
        match bytes.get(at) {
            Some(b' ' | b'\t'..=b'\r') => at += 1,
            Some(b'#') => {
                let rest = bytes.get(at..).unwrap_or_default();
                at += memchr::memchr(b'\n', rest).unwrap_or(rest.len());
            }
            _ => return at,
        }
    }
}

/// The end of the token at `from`: a word or number with what touches it, a string, a name in brackets, a character.
fn token_end(bytes: &[u8], from: usize) -> usize {
    let rest = bytes.get(from..).unwrap_or_default();
    let length = match rest {
        [] => 0,
        [quote @ (b'"' | b'\''), body @ ..] => string_length(*quote, body) + 1,
        [first, ..] if is_wordy(*first) => {
            let mut exponent = false;
            let number = first.is_ascii_digit() || *first == b'.';
            let hexadecimal = matches!(rest, [b'0', b'x' | b'X', ..]);
            rest.iter()
                .take_while(|&&byte| {
                    let sign = exponent && matches!(byte, b'+' | b'-');
                    exponent = number && !hexadecimal && matches!(byte, b'e' | b'E');
                    is_wordy(byte) || sign
                })
                .count()
        }
        _ => 1,
    };
    from + length
}

/// The end of a name in brackets.
fn bracketed_end(bytes: &[u8], from: usize) -> usize {
    let mut end = from;
    loop {
        end = after_blanks(bytes, end + 1);
        match bytes.get(end) {
            Some(b']') => return end + 1,
            Some(_) => {}
            None => return end,
        }
    }
}

/// The length of a string's body with its closing quote.
pub(in crate::text) fn string_length(quote: u8, body: &[u8]) -> usize {
    let mut escaped = false;
    for (at, &byte) in body.iter().enumerate() {
        match byte {
            b'\n' | 0 => return at,
            _ if escaped => escaped = false,
            b'\\' => escaped = true,
            byte if byte == quote => return at + 1,
            _ => {}
        }
    }
    body.len()
}
