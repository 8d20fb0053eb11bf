//! Prints a `google.protobuf.Any` as the message that it contains.

use std::borrow::Cow;

use super::printer::{PathStep, Printer};
use crate::error::Result;
use crate::message::{NESTED_ANY, Records, Value, canonical};
use crate::schema::MessageType;
use crate::schema::field::any;

/// Prints an `Any` as its message, if the options say so and the text can be read back; returns whether it did.
pub(super) fn print(printer: &mut Printer<'_, '_>, bytes: &[u8]) -> Result<bool> {
    if !printer.options.expand_any || printer.any_depth == NESTED_ANY {
        return Ok(false);
    }
    let (mut url, mut payload) = (&[][..], &[][..]);
    let mut unknown = Vec::new();
    for record in Records::new(bytes, 0) {
        let record = record?;
        match (record.number, record.value) {
            (any::TYPE_URL, Value::Len(bytes)) => url = bytes,
            (any::VALUE, Value::Len(bytes)) => payload = bytes,
            _ => unknown.push(record.number),
        }
    }
    let schema = printer.schema;
    let Some((url, ty)) = type_of(url).and_then(|(url, name)| Some((url, schema.message(name)?)))
    else {
        return Ok(false);
    };
    let Ok(payload) = canonical(schema, ty, payload, printer.path.len() + 1) else {
        return Ok(false);
    };
    for number in unknown {
        printer.losses.unknown_fields += 1;
        printer.lost(|| number.to_string());
    }
    if let Cow::Owned(_) = payload {
        printer.losses.any_bytes += 1;
        printer.lost(|| format!("[{}]", ty.full_name));
    }
    print_expanded(printer, url, ty, &payload)?;
    Ok(true)
}

fn print_expanded<'s>(
    printer: &mut Printer<'s, '_>,
    url: &str,
    ty: &'s MessageType,
    payload: &[u8],
) -> Result<()> {
    printer.open(PathStep::Any(ty), &format!("[{url}]"))?;
    printer.any_depth += 1;
    printer.message(ty, payload)?;
    printer.any_depth -= 1;
    printer.close()
}

/// The URL of a type and the name at its end; `None` if text has no form for the URL.
fn type_of(url: &[u8]) -> Option<(&str, &str)> {
    let url = str::from_utf8(url).ok()?;
    let (prefix, name) = url.rsplit_once('/')?;
    let is_written = |c: char| c.is_ascii_alphanumeric() || "-_.~!$&()*+,;=/%".contains(c);
    let is_byte = |escape: &str| {
        escape.get(..2).is_some_and(|digits| digits.bytes().all(|digit| digit.is_ascii_hexdigit()))
    };
    let is_legal = !prefix.is_empty()
        && prefix.chars().all(is_written)
        && prefix.split('%').skip(1).all(is_byte);
    is_legal.then_some((url, name))
}
