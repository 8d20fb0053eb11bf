//! Wire bytes → JSON.
//!
//! A message is in canonical form, so that one walk over its records meets the fields in order, the entries of a map
//! sorted, and everything unknown at the end.

mod any;
mod fields;
mod scalar;
mod sheet;
mod value;

use std::io::Write;

use sheet::Sheet;

use super::PrintOptions;
use crate::error::{ErrorKind, Result};
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
        sheet: Sheet::new(options.layout, out),
        losses: Losses::default(),
        any_depth: 0,
    };
    printer.message(message.ty(), message.bytes(), 0)?;
    printer.sheet.flush()?;
    Ok(printer.losses)
}

struct Printer<'p, 'o> {
    schema: &'p Schema,
    options: &'p PrintOptions,
    sheet: Sheet<'o>,
    losses: Losses,
    /// How many `Any` are open.
    any_depth: usize,
}

impl<'p> Printer<'p, '_> {
    /// Writes a message of any type, `depth` levels inside the outermost.
    fn message(&mut self, ty: &'p MessageType, bytes: &[u8], depth: usize) -> Result<()> {
        if depth > MAX_DEPTH {
            return Err(too_deep());
        }
        match ty.well_known {
            None => {
                self.sheet.open(b'{');
                self.fields(ty, bytes, depth)?;
                self.sheet.close(b'}');
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

    /// Leaves out a field that is not known; an error unless that is allowed.
    #[cold]
    fn unknown(&mut self, record: &Record<'_>) -> Result<()> {
        let number = record.number;
        if self.options.unknown == Unknown::Refuse {
            let message = format!(
                "the unknown field {number} has no form in JSON; --drop-unknown leaves it out"
            );
            return Err(ErrorKind::Syntax(message).into());
        }
        self.losses.unknown_fields += 1;
        self.losses.name(|| number.to_string());
        Ok(())
    }

    /// Names a step to where an error or a loss is; `named` is how many losses were named before it.
    #[inline]
    fn placed(
        &mut self,
        named: usize,
        result: Result<()>,
        step: impl FnOnce() -> String,
    ) -> Result<()> {
        if result.is_ok() && named == self.losses.paths.len() {
            return Ok(());
        }
        self.place(named, result, &step())
    }

    #[cold]
    fn place(&mut self, named: usize, result: Result<()>, step: &str) -> Result<()> {
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
