//! Reads values of JSON reports, each with its place in the text, which errors name.

use std::borrow::Cow;
use std::fmt::{self, Display};

use serde::Deserializer as _;
use serde::de::{Error as _, SeqAccess, Visitor};
use serde_json::Deserializer;
use serde_json::value::RawValue;

use crate::error::{Error, Location, Result, shortened};

/// A value in a report. The whole report is known to be JSON; of its values, only those that are asked for are looked at.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Json<'r> {
    value: &'r RawValue,
    /// The text of the whole report, in which the value is.
    report: &'r str,
    /// Whether `null` was possible too.
    or_null: bool,
}

/// A value that a report can have.
pub(crate) trait Read<'r>: Sized {
    /// Reads it.
    ///
    /// # Errors
    /// If it is something else; the error has its location, and the path inside of it.
    fn read(json: Json<'r>) -> Result<Self>;
}

/// `null` is none.
impl<'r, T: Read<'r>> Read<'r> for Option<T> {
    fn read(json: Json<'r>) -> Result<Self> {
        json.optional(T::read)
    }
}

impl<'r, T: Read<'r>> Read<'r> for Vec<T> {
    fn read(json: Json<'r>) -> Result<Self> {
        let mut items = Self::new();
        json.each(|item| {
            items.push(T::read(item)?);
            Ok(())
        })?;
        Ok(items)
    }
}

impl<'r> Json<'r> {
    /// A value inside the text of a report.
    pub(crate) fn new(value: &'r RawValue, report: &'r str) -> Self {
        Self { value, report, or_null: false }
    }

    /// Another value of the same report.
    pub(super) fn with(self, value: &'r RawValue) -> Self {
        Self::new(value, self.report)
    }

    /// The text of the value.
    pub(super) fn text(self) -> &'r str {
        self.value.get()
    }

    /// The value, by `read`; `None` for `null`.
    ///
    /// # Errors
    /// The error of `read`.
    pub(crate) fn optional<T>(self, read: impl FnOnce(Self) -> Result<T>) -> Result<Option<T>> {
        match self.text() {
            "null" => Ok(None),
            _ => read(Self { or_null: true, ..self }).map(Some),
        }
    }

    /// An error about the value.
    pub(crate) fn error(self, why: impl Into<String>) -> Error {
        let offset = self.text().as_ptr().addr().saturating_sub(self.report.as_ptr().addr());
        Error::syntax(why).at_location(Location::of(self.report.as_bytes(), offset))
    }

    /// The error for a value other than the expected one, a noun phrase.
    pub(crate) fn unexpected(self, expected: impl Display) -> Error {
        let or_null = if self.or_null { " or null" } else { "" };
        self.error(format!("expected {expected}{or_null}, found {}", shortened(self.text())))
    }

    /// An error of something that the value was given to, at the value.
    pub(crate) fn refused(self, error: &Error) -> Error {
        self.error(error.to_string())
    }

    /// A value of a type that serde knows to read.
    ///
    /// # Errors
    /// If it is something else.
    pub(crate) fn deserialize<T: serde::Deserialize<'r>>(self) -> Result<T> {
        serde_json::from_str(self.text()).map_err(|error| {
            let mut why = error.to_string();
            // The place is that in the text of the value.
            why.truncate(why.rfind(" at line ").unwrap_or(why.len()));
            self.error(why)
        })
    }

    /// A string.
    ///
    /// # Errors
    /// If the value is none.
    pub(crate) fn string(self) -> Result<Cow<'r, str>> {
        #[derive(serde::Deserialize)]
        #[serde(transparent)]
        struct Text<'r>(#[serde(borrow)] Cow<'r, str>);
        let text = serde_json::from_str::<Text<'r>>(self.text());
        text.map(|text| text.0).map_err(|_| self.unexpected("a string"))
    }

    /// One of some values, by its name.
    ///
    /// # Errors
    /// If there is none with this name.
    pub(crate) fn one_of<T: Copy>(self, all: &[T], name: impl Fn(T) -> &'static str) -> Result<T> {
        let text = self.string().unwrap_or_default();
        let found = all.iter().copied().find(|value| name(*value) == text);
        found.ok_or_else(|| {
            let names: Vec<_> = all.iter().map(|value| format!("{:?}", name(*value))).collect();
            self.unexpected(names.join(" or "))
        })
    }

    /// Calls `f` with each item of an array.
    ///
    /// # Errors
    /// If the value is none, and the first error of `f`.
    pub(crate) fn each(self, f: impl FnMut(Self) -> Result<()>) -> Result<()> {
        let mut failed = None;
        let items = Items { array: self, f, failed: &mut failed };
        let read = Deserializer::from_str(self.text()).deserialize_seq(items);
        match (failed, read) {
            (Some(error), _) => Err(error),
            (None, Err(_)) => Err(self.unexpected("an array")),
            (None, Ok(())) => Ok(()),
        }
    }
}

/// The items of an array, one after the other: all at once could take far more memory than their text.
struct Items<'e, 'r, F> {
    array: Json<'r>,
    f: F,
    failed: &'e mut Option<Error>,
}

impl<'r, F: FnMut(Json<'r>) -> Result<()>> Visitor<'r> for Items<'_, 'r, F> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an array")
    }

    fn visit_seq<A: SeqAccess<'r>>(mut self, mut items: A) -> Result<(), A::Error> {
        let mut index = 0u64;
        while let Some(value) = items.next_element::<&RawValue>()? {
            if let Err(error) = (self.f)(self.array.with(value)) {
                *self.failed = Some(error.in_field(&format!("[{index}]")));
                return Err(A::Error::custom(""));
            }
            index += 1;
        }
        Ok(())
    }
}
