//! Error messages for refused text, and their locations.

use serde::de;

use super::locate::{Spot, describe, locate};
use super::reader::Reader;
use crate::error::{Error, Location};

impl Reader<'_, '_> {
    /// Records an error at the current path and returns an error value that stops serde.
    #[cold]
    pub(super) fn fail<E: de::Error>(&mut self, spot: Spot, message: impl Into<String>) -> E {
        let found = locate(self.input, &self.path);
        let offset = if spot == Spot::Key { found.key } else { found.value };
        self.failure.get_or_insert_with(|| {
            let error = Error::syntax(message);
            located(error, self.input, offset, &found.path)
        });
        E::custom("")
    }

    /// Records an error about the type or range of the current value: "expected a string, found null".
    #[cold]
    pub(super) fn refuse<E: de::Error>(&mut self, expected: &str) -> E {
        let found = locate(self.input, &self.path);
        let found = describe(self.input, found.value);
        self.fail(Spot::Value, format!("expected {expected}, found {found}"))
    }

    /// Records serde's error about `text`, a part of the input, unless the reader has recorded its own.
    #[cold]
    pub(super) fn record_serde_error(&mut self, error: &serde_json::Error, text: &str) {
        if self.failure.is_some() {
            return;
        }
        let said = error.to_string();
        if error.is_data() {
            let said = said.rsplit_once(" at line ").map_or(&*said, |(said, _)| said);
            let expected = said.rsplit_once(", expected ").map_or(said, |(_, expected)| expected);
            self.refuse::<serde_json::Error>(expected);
            return;
        }
        let base = text.as_ptr().addr().saturating_sub(self.input.as_ptr().addr());
        let offset = base + offset_of(error.line(), error.column(), text);
        let message = in_plain_words(&said, self.input, offset);
        let path = locate(self.input, &self.path).path;
        let error = Error::syntax(message);
        self.failure = Some(located(error, self.input, offset, &path));
    }
}

/// Adds the location and the field to an error.
pub(super) fn located(error: Error, input: &str, offset: usize, path: &str) -> Error {
    let error = error.at_location(Location::of(input.as_bytes(), offset));
    if path.is_empty() { error } else { error.in_field(path) }
}

/// Converts serde's line and column, both from 1, to an offset; column 0 is the preceding line break.
fn offset_of(line: usize, column: usize, text: &str) -> usize {
    let breaks = text.bytes().enumerate().filter(|(_, byte)| *byte == b'\n').map(|(at, _)| at + 1);
    let start = std::iter::once(0).chain(breaks).nth(line.saturating_sub(1)).unwrap_or(0);
    (start + column).saturating_sub(1)
}

/// Rewrites serde's message about a syntax error as what was found and what is allowed.
fn in_plain_words(said: &str, input: &str, offset: usize) -> String {
    let said = said.rsplit_once(" at line ").map_or(said, |(said, _)| said);
    let rest = input.as_bytes().get(offset..).map(String::from_utf8_lossy).unwrap_or_default();
    let found = match rest.chars().next() {
        Some(c @ ('"' | '\'')) => format!("`{c}`"),
        Some(c) => format!("`{}`", c.escape_debug()),
        None => "the end".to_owned(),
    };
    match said {
        "EOF while parsing a list" => "the text ends inside a list".to_owned(),
        "EOF while parsing an object" => "the text ends inside an object".to_owned(),
        "EOF while parsing a string" => "the text ends inside a string".to_owned(),
        "EOF while parsing a value" => "expected a value, found the end".to_owned(),
        "expected value" | "expected ident" => format!("expected a value, found {found}"),
        "key must be a string" => format!("expected a name in double quotes, found {found}"),
        "trailing comma" => "a trailing comma".to_owned(),
        "trailing characters" => format!("expected the end, found {found}"),
        "invalid number" => {
            format!("found {found} in a number, which is not in the notation of JSON")
        }
        "number out of range" => "a number out of the range of a double".to_owned(),
        "invalid escape" => {
            r#"an escape that JSON does not have; it allows \" \\ \/ \b \f \n \r \t \uXXXX"#
                .to_owned()
        }
        "lone leading surrogate in hex escape" | "unexpected end of hex escape" => {
            "expected both escapes of a surrogate pair, the leading one first".to_owned()
        }
        said if said.starts_with("control character") => {
            format!("found {found} in a string, where control characters need an escape")
        }
        said => match said.strip_prefix("expected ") {
            Some(expected) => format!("expected {expected}, found {found}"),
            None => said.to_owned(),
        },
    }
}
