//! Printing: wire bytes to JSON.
//!
//! Messages are in canonical form: one pass over the records visits fields in order, map entries sorted by key, and
//! unknown fields last.

mod any;
mod fields;
mod scalar;
mod tokens;
mod value;

use std::fmt::Display;
use std::io::Write;

use tokens::TokenWriter;

use super::PrintOptions;
use crate::error::{Error, Remedy, Result};
use crate::message::{Losses, MAX_DEPTH, Message, Record, Unknown, too_deep};
use crate::schema::{MessageType, Schema, WellKnown};

/// See [`super::print`].
pub(super) fn print(
    message: &Message<'_>,
    options: &PrintOptions,
    out: &mut dyn Write,
) -> Result<Losses> {
    let mut printer = Printer {
        schema: message.schema(),
        options,
        tokens: TokenWriter::new(options.layout, out),
        losses: Losses::default(),
        any_depth: 0,
    };
    printer.message(message.ty(), message.bytes(), 0)?;
    printer.tokens.flush()?;
    Ok(printer.losses)
}

struct Printer<'p, 'o> {
    schema: &'p Schema,
    options: &'p PrintOptions,
    tokens: TokenWriter<'o>,
    losses: Losses,
    /// The number of open `Any` messages.
    any_depth: usize,
}

impl<'p> Printer<'p, '_> {
    /// Prints a message of any type, `depth` levels below the outermost.
    fn message(&mut self, ty: &'p MessageType, bytes: &[u8], depth: usize) -> Result<()> {
        if depth > MAX_DEPTH {
            return Err(too_deep());
        }
        match ty.well_known {
            None => {
                self.tokens.open(b'{');
                self.fields(ty, bytes, depth)?;
                self.tokens.close(b'}');
                Ok(())
            }
            Some(WellKnown::Any) => self.any(bytes, depth),
            Some(WellKnown::Struct) => self.struct_value(ty, bytes, depth),
            Some(WellKnown::Value) => self.value(ty, bytes, depth),
            Some(WellKnown::ListValue) => self.list_value(ty, bytes, depth),
            Some(WellKnown::Wrapper) => self.wrapper(ty, bytes),
            Some(WellKnown::Timestamp) => self.time(bytes, super::time::timestamp_text),
            Some(WellKnown::Duration) => self.time(bytes, super::time::duration_text),
            Some(WellKnown::FieldMask) => self.mask(bytes),
        }
    }

    /// Drops an unknown field, or fails if the options do not allow that.
    #[cold]
    fn unknown(&mut self, record: &Record<'_>) -> Result<()> {
        let number = record.number;
        if self.options.unknown == Unknown::Refuse {
            return Err(unknown(format_args!("the unknown field {number}")));
        }
        self.losses.unknown_fields += 1;
        self.losses.name(|| number.to_string());
        Ok(())
    }

    /// Prefixes `step` to the path of an error and of the losses after the first `named`.
    #[inline]
    fn in_step(
        &mut self,
        named: usize,
        result: Result<()>,
        step: impl FnOnce() -> String,
    ) -> Result<()> {
        if result.is_ok() && named == self.losses.paths.len() {
            return Ok(());
        }
        self.prefix_paths(named, result, &step())
    }

    #[cold]
    fn prefix_paths(&mut self, named: usize, result: Result<()>, step: &str) -> Result<()> {
        for path in self.losses.paths.iter_mut().skip(named) {
            *path = if path.is_empty() || path.starts_with('[') {
                format!("{step}{path}")
            } else {
                format!("{step}.{path}")
            };
        }
        result.map_err(|error| error.in_field(step))
    }
}

/// The error about unknown data, which may be left out.
fn unknown(what: impl Display) -> Error {
    not_in_json(what, "").avoided_by(Remedy::DropUnknown)
}

/// The error about data that has no form in JSON; `end` adds an explanation.
fn not_in_json(what: impl Display, end: &str) -> Error {
    Error::syntax(format!("{what} cannot be represented in JSON{end}"))
}
