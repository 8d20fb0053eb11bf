//! `google.protobuf.Any` as what it holds.

use std::borrow::Cow;

use super::entry::Spot;
use super::fields::Fields;
use super::level::Level;
use crate::message::{Records, Value, canonical};
use crate::schema::field::any;

/// How many `Any` inside each other are opened, each of which may need a copy of its message.
const NESTED: usize = 16;

/// Compares what two `Any` hold, where they hold messages of one known type; whether it has done so.
pub(super) fn compare<'a>(level: &mut Level<'a, '_>, lhs: &Fields<'a>, rhs: &Fields<'a>) -> bool {
    let (url, lhs) = parts(lhs);
    let (other, rhs) = parts(rhs);
    if url != other || level.at.anys() >= NESTED {
        return false;
    }
    let Ok(url) = str::from_utf8(url) else { return false };
    let full_name = url.rsplit_once('/').filter(|(host, _)| !host.is_empty());
    let ty = full_name.and_then(|(_, full_name)| level.schema().message(full_name));
    let Some(ty) = ty else { return false };
    let depth = level.at.depth() + 1;
    let open = |payload| canonical(level.schema(), ty, payload, depth);
    let (Ok(lhs), Ok(rhs)) = (open(lhs), open(rhs)) else { return false };
    let name = Cow::Owned(format!("[{url}]"));
    level.inside(Spot { name, ..Spot::new("", level.weight) }, ty, lhs, rhs);
    true
}

/// The address of the type, and the message.
fn parts<'a>(fields: &Fields<'a>) -> (&'a [u8], &'a [u8]) {
    let part = |number| {
        let run = fields.known.iter().find(|(field, _)| field.number == number);
        let record = run.and_then(|(_, run)| Records::new(run, 0).next()?.ok());
        match record.map(|record| record.value) {
            Some(Value::Len(bytes)) => bytes,
            _ => &[],
        }
    };
    (part(any::TYPE_URL), part(any::VALUE))
}
