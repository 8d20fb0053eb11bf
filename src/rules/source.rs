//! The text of a rules file while it is read: its tables, with the location of each key and value for errors.

use std::ops::Range;
use std::path::Path;

use toml::Spanned;
use toml::de::{DeTable, DeValue};

use crate::error::{Error, Location, Result, shortened};
use crate::suggestion::hint;

/// The maximum size of a rules file in bytes. A rule of one line takes about a hundred.
const MAX_BYTES: usize = 8 << 20;

/// The text of a rules file, and its name.
pub(super) struct Source<'t> {
    text: &'t str,
    file: &'t Path,
    /// The offset of the start of each line.
    lines: Vec<usize>,
}

/// A value and its place in the text.
pub(super) type Item<'d, 't> = &'d Spanned<DeValue<'t>>;

impl<'t> Source<'t> {
    /// The text of `file`.
    ///
    /// # Errors
    /// If the text is too long.
    pub(super) fn new(text: &'t str, file: &'t Path) -> Result<Self> {
        if text.len() > MAX_BYTES {
            let found = format!("{} bytes", text.len());
            let expected = format!("at most {MAX_BYTES} bytes");
            return Err(Error::unexpected("rules file", found, expected).in_file(file));
        }
        let starts = text.match_indices('\n').map(|(at, _)| at + 1);
        Ok(Self { text, file, lines: [0].into_iter().chain(starts).collect() })
    }

    /// The tables of the file.
    ///
    /// # Errors
    /// If the text is not TOML.
    pub(super) fn parse(&self) -> Result<DeTable<'t>> {
        DeTable::parse(self.text).map(Spanned::into_inner).map_err(|error| {
            let at = error.span().unwrap_or_default();
            self.error(at, error.message().lines().collect::<Vec<_>>().join("; "))
        })
    }

    /// An error at a place in the text.
    pub(super) fn error(&self, at: Range<usize>, message: impl Into<String>) -> Error {
        let location = Location::of(self.text.as_bytes(), at.start);
        Error::syntax(message).in_file(self.file).at_location(location)
    }

    /// The error for a value of another kind than expected.
    pub(super) fn unexpected(&self, item: Item<'_, '_>, expected: &str) -> Error {
        let found = self.text.get(item.span()).unwrap_or_default();
        let found = found.lines().next().unwrap_or_default();
        self.error(item.span(), format!("expected {expected}, found {}", shortened(found)))
    }

    /// The line of a place, from 1.
    pub(super) fn line(&self, at: &Range<usize>) -> u64 {
        self.lines.partition_point(|&start| start <= at.start) as u64
    }

    /// The place of the start of a line.
    pub(super) fn start_of(&self, line: u64) -> Range<usize> {
        let at = usize::try_from(line).unwrap_or_default().saturating_sub(1);
        let start = self.lines.get(at).copied().unwrap_or_default();
        start..start
    }

    /// The text of a value.
    pub(super) fn excerpt(&self, item: Item<'_, '_>) -> &'t str {
        self.text.get(item.span()).unwrap_or_default()
    }

    /// The error for a key that is not known in this table.
    pub(super) fn unknown_key(
        &self,
        key: &Spanned<impl AsRef<str>>,
        table: &str,
        known: impl Iterator<Item = &'static str>,
    ) -> Error {
        let name = key.get_ref().as_ref();
        let hint = hint(name.as_bytes(), known);
        self.error(key.span(), format!("{table} has no key {:?}{hint}", shortened(name)))
    }

    /// A string.
    pub(super) fn string<'d>(&self, item: Item<'d, 't>) -> Result<&'d str> {
        item.get_ref().as_str().ok_or_else(|| self.unexpected(item, "a string"))
    }

    /// A string, or a list of strings.
    pub(super) fn strings<'d>(&self, item: Item<'d, 't>) -> Result<Vec<(&'d str, Range<usize>)>> {
        match item.get_ref() {
            DeValue::Array(list) => {
                list.iter().map(|item| Ok((self.string(item)?, item.span()))).collect()
            }
            _ => match item.get_ref().as_str() {
                Some(text) => Ok(vec![(text, item.span())]),
                None => Err(self.unexpected(item, "a string or a list of strings")),
            },
        }
    }

    /// A table.
    pub(super) fn table<'d>(&self, item: Item<'d, 't>) -> Result<&'d DeTable<'t>> {
        item.get_ref().as_table().ok_or_else(|| self.unexpected(item, "a table"))
    }

    /// The tables of an array, as `[[rule]]` writes them.
    pub(super) fn tables<'d>(&self, item: Item<'d, 't>, name: &str) -> Result<Vec<Item<'d, 't>>> {
        let expected = format!("a list of tables, each under [[{name}]]");
        let list = item.get_ref().as_array().ok_or_else(|| self.unexpected(item, &expected))?;
        let tables = list.iter().map(|item| match item.get_ref().is_table() {
            true => Ok(item),
            false => Err(self.unexpected(item, &expected)),
        });
        tables.collect()
    }

    /// A number that is finite.
    pub(super) fn number(&self, item: Item<'_, '_>, expected: &str) -> Result<f64> {
        let text = match item.get_ref() {
            DeValue::Float(float) => float.as_str().replace('_', ""),
            DeValue::Integer(integer) if integer.radix() == 10 => integer.as_str().replace('_', ""),
            _ => return Err(self.unexpected(item, expected)),
        };
        let number = text.parse::<f64>().ok().filter(|number| number.is_finite());
        number.ok_or_else(|| self.unexpected(item, expected))
    }

    /// An integer that is not negative.
    pub(super) fn count(&self, item: Item<'_, '_>) -> Result<u64> {
        let number = match item.get_ref() {
            DeValue::Integer(integer) if integer.radix() == 10 => {
                integer.as_str().replace('_', "").parse().ok()
            }
            _ => None,
        };
        number.ok_or_else(|| self.unexpected(item, "an integer that is not negative"))
    }
}
