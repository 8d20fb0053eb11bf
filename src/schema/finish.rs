//! The last steps of linking, which need all fields of a message, or all messages.

use super::name_table::NameTable;
use super::types::{Cardinality, Field, MessageType, Schema};
use crate::error::{Error, Result};

/// Field numbers below this are looked up in an array.
const DENSE: usize = 512;

/// Sorts the fields and builds the tables over them.
pub(super) fn finish(message: &mut MessageType) -> Result<()> {
    message.fields.sort_by_key(|field| field.number);
    let mut last = 0;
    for (position, field) in message.fields.iter_mut().enumerate() {
        if field.number == last {
            let found = format!("one of two fields of {}", message.full_name);
            return Err(Error::unexpected("number of a field", found, "a unique number"));
        }
        last = field.number;
        field.position = u16::try_from(position).map_err(|_| {
            let found = format!("more in {}", message.full_name);
            Error::unexpected("number of fields", found, "at most 65,536")
        })?;
        if let Some(oneof) = field.oneof.and_then(|at| message.oneofs.get_mut(usize::from(at))) {
            oneof.fields.push(field.position);
        }
    }
    let own = || message.fields.iter().filter(|field| !field.is_extension);
    let named = |field| -> [(&str, u32); 2] {
        let field: &Field = field;
        [(&field.name, field.position.into()), (&field.text_name, field.position.into())]
    };
    message.by_name = NameTable::new(own().flat_map(named));
    let json = |field| -> [(&str, u32); 2] {
        let field: &Field = field;
        [(&field.json_name, field.position.into()), (&field.name, field.position.into())]
    };
    message.by_json_name = NameTable::new(own().flat_map(json));
    let len = message.fields.iter().map(|field| field.number as usize + 1);
    let mut dense = vec![0; len.filter(|&len| len <= DENSE).max().unwrap_or(0)];
    for (position, field) in (1..).zip(&message.fields) {
        if let Some(slot) = dense.get_mut(field.number as usize) {
            *slot = position;
        }
    }
    message.dense = dense.into();
    Ok(())
}

/// Marks the messages that have required fields, including those of nested messages.
pub(super) fn mark_required(schema: &mut Schema) {
    // For each message, the messages that have it in a field.
    let mut users = vec![Vec::new(); schema.messages.len()];
    let mut due = Vec::new();
    for message in &schema.messages {
        for field in &message.fields {
            let inside = field.kind.message().and_then(|id| users.get_mut(id.0 as usize));
            inside.into_iter().for_each(|users| users.push(message.id));
        }
        if message.fields.iter().any(|field| field.cardinality == Cardinality::Required) {
            due.push(message.id);
        }
    }
    while let Some(id) = due.pop() {
        let message = schema.messages.get_mut(id.0 as usize).filter(|m| !m.has_required);
        if let Some(message) = message {
            message.has_required = true;
            due.extend(users.get(id.0 as usize).into_iter().flatten());
        }
    }
}
