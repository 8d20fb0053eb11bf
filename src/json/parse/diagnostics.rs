//! Error messages for refused text, and their locations.

use serde::de;

use super::locate::{Spot, describe, locate};
use super::reader::Reader;
use crate::error::{Error, Location};
use crate::json::serde_error::{expected_by, explain, offset_of};

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
        if error.is_data() {
            self.refuse::<serde_json::Error>(&expected_by(error));
            return;
        }
        let base = text.as_ptr().addr().saturating_sub(self.input.as_ptr().addr());
        let offset = base + offset_of(error, text);
        let path = locate(self.input, &self.path).path;
        let error = Error::syntax(explain(error, text));
        self.failure = Some(located(error, self.input, offset, &path));
    }
}

/// Adds the location and the field to an error.
pub(super) fn located(error: Error, input: &str, offset: usize, path: &str) -> Error {
    let error = error.at_location(Location::of(input.as_bytes(), offset));
    if path.is_empty() { error } else { error.in_field(path) }
}
