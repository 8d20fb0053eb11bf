//! Compares `google.protobuf.Any` by the messages in them.

use super::difference::FieldLocation;
use super::fields::Fields;
use super::level::Level;
use crate::message::{NESTED_ANY, Records, Value, canonical, type_name};
use crate::schema::field::any;

/// Compares the messages in two `Any`; `false` if they are not of one known type.
pub(super) fn compare<'a>(level: &mut Level<'a, '_>, lhs: &Fields<'a>, rhs: &Fields<'a>) -> bool {
    let (url, lhs) = url_and_payload(lhs);
    let (other, rhs) = url_and_payload(rhs);
    if url != other || level.at.anys() >= NESTED_ANY {
        return false;
    }
    let Ok(url) = str::from_utf8(url) else { return false };
    let ty = type_name(url).and_then(|name| level.schema().message(name));
    let Some(ty) = ty else { return false };
    let depth = level.at.depth() + 1;
    let open = |payload| canonical(level.schema(), ty, payload, depth);
    let (Ok(lhs), Ok(rhs)) = (open(lhs), open(rhs)) else { return false };
    let location = FieldLocation::new(format!("[{url}]"), level.weight);
    level.nested(location, ty, lhs, rhs);
    true
}

/// The URL of the type, and the bytes of the message.
fn url_and_payload<'a>(fields: &Fields<'a>) -> (&'a [u8], &'a [u8]) {
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
