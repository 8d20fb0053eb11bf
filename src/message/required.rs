//! Required fields of proto2.

use super::message_set;
use super::record::Value;
use super::record_kind::RecordKind;
use super::scalar::WireMatch;
use super::wire::Records;
use crate::error::{Error, Result};
use crate::schema::{Cardinality, Field, MessageType, Schema};

/// Checks that `bytes`, a checked message of type `ty`, and all nested messages have their required fields.
///
/// # Errors
/// If a field is missing; the error names it.
pub(super) fn check(schema: &Schema, ty: &MessageType, bytes: &[u8]) -> Result<()> {
    if !ty.has_required {
        return Ok(());
    }
    let required = |field: &&Field| field.cardinality == Cardinality::Required;
    let mut missing: Vec<_> = ty.fields.iter().filter(required).map(|field| field.number).collect();
    let (mut last, mut index) = (0, 0);
    for record in Records::new(bytes, 0) {
        let record = record?;
        let meaning = RecordKind::of(schema, ty, &record);
        if let RecordKind::Known(field, _) = meaning {
            missing.retain(|number| *number != field.number);
        }
        index = if record.number == last { index + 1 } else { 0 };
        last = record.number;
        let inside = match message_set::item(&record)?.filter(|_| ty.is_message_set) {
            Some((number, message)) => ty.field(number).map(|field| (field, message)),
            None => match (meaning, record.value) {
                (
                    RecordKind::Known(field, WireMatch::Single),
                    Value::Len(inside) | Value::Group(inside),
                ) => Some((field, inside)),
                _ => None,
            },
        };
        if let Some((field, inside)) = inside
            && let Some(id) = field.kind.message()
        {
            check(schema, &schema[id], inside)
                .map_err(|error| error.in_field(&field.step(index)))?;
        }
    }
    match missing.first().and_then(|number| ty.field(*number)) {
        Some(field) => {
            let kind = format!("the required field {} of {} is missing", field.name, ty.full_name);
            Err(Error::syntax(kind))
        }
        None => Ok(()),
    }
}
