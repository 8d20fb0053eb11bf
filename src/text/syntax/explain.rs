//! Explains why the grammar refuses a text.
//!
//! The compiled matcher knows at which byte it failed and which token it read last. From that token on, the text is
//! parsed again by the parser that pest derives from the same grammar, and pest's error becomes the message: its
//! position, the rules that it expected, under the names of [`symbol`], and the text at the position.
//!
//! pest reads only the bytes from the last token to the failure, so an error costs the same in a text of any size and
//! depth. They follow the shortest text that brings the grammar to the same state: the innermost open bracket and a token
//! like the last one. A test compares the result with pest's error for the whole text.

use std::borrow::Cow;

use pest::Parser;
use pest::error::{ErrorVariant, InputLocation};

use super::matcher::{Mark, Rule as Token, StartRule};
use super::space::after_spaces;
use crate::error::shortened;

/// The parser that pest derives from the grammar.
mod derived {
    #[derive(Debug, pest_derive::Parser)]
    #[grammar = "grammar/textproto.pest"]
    pub(super) struct Textproto;
}

use derived::{Rule, Textproto};

/// The maximum number of bytes that pest parses. An error in a longer token, such as a NUL byte in a long string, is reported without
/// the expected rules.
const MAX_BYTES: usize = 64 << 10;

/// A failure of the compiled matcher.
#[derive(Clone, Copy, Debug)]
pub(super) struct Failure {
    /// The byte.
    pub(super) at: usize,
    /// The first byte after the last token.
    pub(super) after: usize,
    /// That token; `None` at the start of a part.
    pub(super) token: Option<Mark>,
    /// The rule that the part should have matched.
    pub(super) entry: StartRule,
    /// The innermost bracket that is open at `after`.
    pub(super) bracket: Option<u8>,
}

/// The first byte after a token, or inside a message, a list or a part that begins with it.
pub(super) fn after(token: Mark) -> usize {
    let is_bracket = matches!(token.rule(), Token::Message | Token::List | Token::Messages);
    token.position() + usize::from(is_bracket && !token.is_end())
}

/// Returns the byte of the error and its message. All positions are bytes of `bytes`.
pub(super) fn explain(bytes: &[u8], failure: Failure) -> (usize, String) {
    let end = bytes.len().min(failure.at + 1);
    let start = after_spaces(bytes, failure.after).min(failure.at);
    if end - start > MAX_BYTES {
        return (failure.at, format!("unexpected {}", found(bytes, failure.at)));
    }
    let before = state(failure);
    let text = format!("{before} {}", utf8(bytes.get(start..end).unwrap_or_default()));
    let Err(error) = Textproto::parse(Rule::file, &text) else {
        return (failure.at, DISAGREEMENT.to_owned());
    };
    let (InputLocation::Pos(at) | InputLocation::Span((at, _))) = error.location;
    let at = (start + at).saturating_sub(before.len() + 1).max(start);
    (at, message(error.variant, &found(bytes, at)))
}

fn message(error: ErrorVariant<Rule>, found: &str) -> String {
    match error {
        ErrorVariant::ParsingError { positives, .. } => match list(&positives) {
            Some(expected) => format!("expected {expected}, found {found}"),
            None => format!("unexpected {found}"),
        },
        ErrorVariant::CustomError { message } => message,
    }
}

const DISAGREEMENT: &str = "the compiled grammar refuses this text, and pest's own parser accepts it: \
                            this is a bug in ckdiff, please report it";

/// The shortest text that brings the grammar to the state after the last token.
fn state(failure: Failure) -> String {
    let in_list = failure.bracket == Some(b'[');
    let in_field = if in_list { "" } else { "x:" };
    let (field, text) = match failure.token.map(|mark| (mark.rule(), mark.is_end())) {
        None | Some((Token::FieldsPart | Token::MessagesPart | Token::ScalarsPart, _)) => {
            // A part that begins in a list begins after a comma.
            match failure.entry {
                StartRule::Scalars if in_list => ("", "0,"),
                StartRule::Messages if in_list => ("", "{},"),
                _ => ("", ""),
            }
        }
        Some((Token::Messages, false) | (Token::MessagesOpening, _)) => return "m[".to_owned(),
        Some((Token::Message | Token::List, false) | (Token::Opening | Token::ListOpening, _)) => {
            ("", "")
        }
        Some((Token::Message, true) | (Token::Closing, _)) => (in_field, "{}"),
        Some((Token::List | Token::Messages, true) | (Token::ListClosing, _)) => (in_field, "[]"),
        Some((Token::FieldName | Token::FieldNumber | Token::Extension | Token::AnyType, _)) => {
            ("", "x")
        }
        Some((Token::String, _)) => (in_field, "''"),
        Some((Token::Minus, _)) => (in_field, "-"),
        Some((Token::Identifier, _)) => (in_field, "x"),
        Some((Token::Decimal | Token::Float | Token::Octal | Token::Hexadecimal, _)) => {
            (in_field, "0")
        }
        Some((Token::Comma, _)) => ("", "0,"),
    };
    let bracket = match failure.bracket {
        Some(b'[') => "x:[",
        Some(b'<') => "m<",
        Some(_) => "m{",
        None => "",
    };
    format!("{bracket}{field}{text}")
}

/// The bytes as UTF-8 of the same length: an invalid byte becomes a control character that no token begins with.
fn utf8(bytes: &[u8]) -> Cow<'_, str> {
    if let Ok(text) = std::str::from_utf8(bytes) {
        return text.into();
    }
    let mut text = String::with_capacity(bytes.len());
    for chunk in bytes.utf8_chunks() {
        text.push_str(chunk.valid());
        text.extend(chunk.invalid().iter().map(|_| '\u{1a}'));
    }
    text.into()
}

/// The names of rules: "a, b or c".
fn list(rules: &[Rule]) -> Option<String> {
    let mut names: Vec<_> = rules.iter().filter_map(|rule| symbol(*rule)).collect();
    names.dedup();
    let (last, rest) = names.split_last()?;
    Some(if rest.is_empty() {
        (*last).to_owned()
    } else {
        format!("{} or {last}", rest.join(", "))
    })
}

/// The name of a rule in messages; `None` for rules that pest never reports, and for the end of the text.
fn symbol(rule: Rule) -> Option<&'static str> {
    Some(match rule {
        Rule::name | Rule::field_name | Rule::field_number | Rule::extension | Rule::any_type => {
            "a field name"
        }
        Rule::content => "':' or '{' after the field name",
        Rule::value => "a value",
        Rule::element => "a scalar value",
        Rule::message => "a message",
        Rule::list | Rule::messages => "a list",
        Rule::close_brace => "'}'",
        Rule::close_angle => "'>'",
        Rule::close_list | Rule::close_name => "']'",
        Rule::no_elements => "']' (a list of other values needs ':' before it)",
        Rule::comma | Rule::next_message => "','",
        Rule::name_part => "a name",
        Rule::url => "a domain such as type.googleapis.com",
        Rule::slash => "'/' (a name in brackets is [package.extension] or [domain/package.Type])",
        Rule::string => "a string",
        Rule::identifier => "an identifier",
        Rule::minus => "'-'",
        Rule::negated => "a number after '-'",
        Rule::decimal | Rule::float | Rule::octal | Rule::hexadecimal => "a number",
        Rule::number_end => "the end of the number",
        Rule::fraction => "a digit",
        Rule::exponent => "a digit of the exponent",
        Rule::octal_digit => "an octal digit (0 to 7)",
        Rule::hex_digit => "a hexadecimal digit",
        Rule::double_end => "the closing '\"'",
        Rule::single_end => "the closing \"'\"",
        Rule::any_char => "a character after the backslash",
        // The end of the text is legal after every field at the outermost level.
        Rule::EOI | Rule::file => return None,
        // Only the compiled matcher uses the rules for parts.
        Rule::fields_part
        | Rule::messages_part
        | Rule::scalars_part
        | Rule::more_messages
        | Rule::list_end
        | Rule::left_open
        | Rule::open_scalars
        | Rule::open_messages
        | Rule::opening
        | Rule::closing
        | Rule::list_opening
        | Rule::messages_opening
        | Rule::list_closing => return None,
        // Silent rules.
        Rule::fields
        | Rule::separator
        | Rule::field
        | Rule::elements
        | Rule::word
        | Rule::full_name
        | Rule::url_chars
        | Rule::url_char
        | Rule::scalar
        | Rule::number
        | Rule::integer
        | Rule::double_plain
        | Rule::single_plain
        | Rule::escaped
        | Rule::letter
        | Rule::digit
        | Rule::blank
        | Rule::comment => return None,
    })
}

/// Describes the word, number or character at `at`.
pub(super) fn found(bytes: &[u8], at: usize) -> String {
    let rest = bytes.get(at..).unwrap_or_default();
    match rest {
        [] => "the end of the text".to_owned(),
        [b'"' | b'\'', ..] => "a string".to_owned(),
        [0, ..] => "a NUL byte, which a text cannot contain".to_owned(),
        [0xef, 0xbb, 0xbf, ..] if at == 0 => {
            "a byte order mark, which the format does not allow".to_owned()
        }
        [0x80..=0xff, ..] => {
            let what =
                match rest.utf8_chunks().next().and_then(|chunk| chunk.valid().chars().next()) {
                    Some(character) => format!("'{}'", character.escape_debug()),
                    None => format!("the byte {:#04x}", rest.first().copied().unwrap_or_default()),
                };
            format!("{what}, which only strings and comments may contain")
        }
        [b'/', b'/' | b'*', ..] => "'/' (comments begin with '#')".to_owned(),
        _ => {
            let is_word = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'.');
            let word = rest.iter().take_while(|&&byte| is_word(byte)).count();
            // More than `shortened` keeps, so that it appends dots.
            let text = rest.iter().take(word.clamp(1, 100)).map(|&byte| char::from(byte));
            let text: String = text.flat_map(char::escape_default).collect();
            format!("'{}'", shortened(&text))
        }
    }
}

#[cfg(test)]
mod tests {
    use pest::error::LineColLocation;

    use super::*;
    use crate::text::syntax::{PieceOptions, Pieces, Scratch};

    /// A text with every kind of token.
    const TEXT: &str = "a: 1, b_1: -0.5e3f; c { d < e: 'x' \"y\" > } # z\n\
                        f: [1, 017, - inf] g: [{}, <h: 0x1F>] i [{ j: [] }] k: ['l' 'm', n]\n\
                        [o.p]: 1. [q.r/s%2F/t.U] { } 7: .5 v: \"\\\"\u{e9}\" w []";

    /// The replacements for each byte.
    const CHANGES: &[&str] = &[
        "", "{", "}", "<", ">", "[", "]", ":", ",", ";", "-", ".", "/", "%", "0", "9", "e", "x",
        "@", " 5 ", "\0", "\\", "'", "\"", "#", "\n", "\u{e9}",
    ];

    /// The line and column of an error, and its message.
    fn error(text: &[u8]) -> Option<(String, String)> {
        let mut scratch = Scratch::default();
        for piece in Pieces::new(text, PieceOptions::default()).map_while(Result::ok) {
            let tokens = piece.tokens(std::mem::take(&mut scratch));
            if let Some(error) = tokens.error() {
                let location = error.location().map(ToString::to_string).unwrap_or_default();
                return Some((location, error.kind().to_string()));
            }
            scratch = tokens.into_scratch();
        }
        None
    }

    /// The error of pest for the whole text.
    fn whole(text: &str) -> Option<(String, String)> {
        // After a space, since pest reports only the rule `file` for an error at byte 0.
        let error = Textproto::parse(Rule::file, &format!(" {text}")).err()?;
        let (line, column) = match error.line_col {
            LineColLocation::Pos(at) | LineColLocation::Span(at, _) => at,
        };
        let (InputLocation::Pos(at) | InputLocation::Span((at, _))) = error.location;
        let (at, column) = (at - 1, if line == 1 { column - 1 } else { column });
        Some((format!("{line}:{column}"), message(error.variant, &found(text.as_bytes(), at))))
    }

    #[test]
    fn the_last_token_explains_as_much_as_the_whole_text() {
        assert_eq!(error(TEXT.as_bytes()), None);
        let mut explained = 0;
        for at in (0..=TEXT.len()).filter(|at| TEXT.is_char_boundary(*at)) {
            let (before, after) = TEXT.split_at(at);
            let behind = after.chars().next().map_or(0, char::len_utf8);
            for change in CHANGES {
                for after in [after, after.get(behind..).unwrap_or_default()] {
                    let text = format!("{before}{change}{after}");
                    let (ours, pest) = (error(text.as_bytes()), whole(&text));
                    assert_eq!(ours.is_some(), pest.is_some(), "{text}");
                    // Other messages are about brackets and quotes, which the scan checks.
                    if ours.as_ref().is_some_and(|(_, what)| what.starts_with("expected ")) {
                        assert_eq!(ours, pest, "{text}");
                        explained += 1;
                    }
                }
            }
        }
        assert!(explained > 2_000, "{explained}");
    }

    #[test]
    fn a_text_that_pest_accepts_is_called_a_bug_and_panics_nowhere() {
        let failure =
            Failure { at: 3, after: 0, token: None, entry: StartRule::Fields, bracket: None };
        assert_eq!(explain(b"x: 1", failure), (3, DISAGREEMENT.to_owned()));
    }

    #[test]
    fn bytes_that_are_not_utf8_are_explained_at_their_place() {
        for (text, place, what) in [
            (&b"s: 'a\xff' x: \xff"[..], "1:12", "expected a value, found the byte 0xff, which"),
            (
                b"# \xff\xfe\nx: [1, \xc3",
                "2:8",
                "expected a scalar value, found the byte 0xc3, which",
            ),
            (b"s: 'a\xff\xfe\0'", "1:8", "expected the closing \"'\", found a NUL byte"),
        ] {
            let (found, message) = error(text).unwrap_or_default();
            assert_eq!(found, place, "{message}");
            assert!(message.starts_with(what), "{message}");
        }
    }
}
