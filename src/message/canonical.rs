//! The canonical form of a message: the output of protobuf's deterministic serialization.
//!
//! Known fields and extensions are ordered by number, and packed if the schema says so. A repeated singular field keeps its
//! last value, or the merge of its messages; a oneof keeps its last field. A map keeps the last entry of each key, sorted by
//! key, with key and value present. Default values of fields without presence are left out. Unknown fields come last,
//! unchanged. Two equal messages therefore have equal bytes, except for NaN payloads.

use std::borrow::Cow;

use super::check::check;
use super::packed::Packed;
use super::record::Value;
use super::record_kind::RecordKind;
use super::required::check as check_required;
use super::scalar::{self, WireMatch};
use super::wire::Records;
use super::writer::Writer;
use super::{map, message_set};
use crate::error::Result;
use crate::schema::{Field, Kind, MessageType, Schema, WireType};

/// The canonical form of `bytes`, a message of type `ty` at nesting depth `depth`, such as the payload of an `Any`.
///
/// # Errors
/// As [`Message::decode`].
pub(crate) fn canonical<'b>(
    schema: &Schema,
    ty: &MessageType,
    bytes: &'b [u8],
    depth: usize,
) -> Result<Cow<'b, [u8]>> {
    let result = check(schema, ty, bytes, depth)?;
    let bytes = if result.canonical && result.unsorted.is_empty() {
        Cow::Borrowed(bytes)
    } else {
        let mut out = Writer::default();
        rewrite(schema, ty, &[bytes], &mut out)?;
        Cow::Owned(out.finish())
    };
    check_required(schema, ty, &bytes)?;
    Ok(bytes)
}

/// The canonical form of `bytes`, a message of TensorFlow's that has the full name `name`.
///
/// # Errors
/// As [`Message::decode`].
pub(crate) fn canonical_tensorflow<'b>(name: &str, bytes: &'b [u8]) -> Result<Cow<'b, [u8]>> {
    let schema = Schema::tensorflow();
    match schema.message(name) {
        Some(ty) => canonical(schema, ty, bytes, 0),
        None => Ok(bytes.into()),
    }
}

/// Writes a checked message of type `ty` in canonical form; `parts` are its bytes, in one or several pieces.
///
/// # Errors
/// If the bytes are not a message.
pub(super) fn rewrite(
    schema: &Schema,
    ty: &MessageType,
    parts: &[&[u8]],
    out: &mut Writer,
) -> Result<()> {
    if ty.is_message_set {
        return rewrite_message_set(schema, ty, parts, out);
    }
    let mut contents = FieldRuns { schema, ty, known: Vec::new(), unknown: Writer::default() };
    contents.collect(parts)?;
    contents.known.sort_by_key(|run| run.position);
    if ty.is_map_entry {
        contents.write_entry(out)?;
    } else {
        for runs in contents.known.chunk_by(|a, b| a.position == b.position) {
            contents.write_field(runs, out)?;
        }
    }
    out.append(&contents.unknown);
    Ok(())
}

/// Writes a message set: known items by number, merging repeated ones, then unknown items unchanged.
fn rewrite_message_set(
    schema: &Schema,
    ty: &MessageType,
    parts: &[&[u8]],
    out: &mut Writer,
) -> Result<()> {
    let mut known = Vec::new();
    let mut unknown = Vec::new();
    for record in parts.iter().flat_map(|part| Records::new(part, 0)) {
        let record = record?;
        let item = message_set::item(&record)?;
        match item.and_then(|(number, message)| Some((ty.field(number)?, message))) {
            Some((field, message)) => known.push((field.position, message)),
            None => unknown.push(record.bytes),
        }
    }
    known.sort_by_key(|(position, _)| *position);
    for same in known.chunk_by(|(a, _), (b, _)| a == b) {
        let Some(field) = same.first().and_then(|(at, _)| ty.fields.get(usize::from(*at))) else {
            continue;
        };
        let Some(id) = field.kind.message() else { continue };
        let parts: Vec<_> = same.iter().map(|(_, message)| *message).collect();
        message_set::begin_item(field.number, out);
        rewrite(schema, &schema[id], &parts, out)?;
        message_set::end_item(out);
    }
    unknown.into_iter().for_each(|bytes| out.raw(bytes));
    Ok(())
}

/// The fields of a message, without those of nested messages.
struct FieldRuns<'a> {
    schema: &'a Schema,
    ty: &'a MessageType,
    known: Vec<Run<'a>>,
    unknown: Writer,
}

/// Consecutive records of one known field, as one range of bytes.
#[derive(Debug, Clone, Copy)]
struct Run<'a> {
    position: u16,
    part: &'a [u8],
    start: usize,
    end: usize,
}

impl<'a> Run<'a> {
    fn records(&self) -> Records<'a> {
        Records::new(self.part.get(self.start..self.end).unwrap_or_default(), 0)
    }
}

/// The values in `runs`, in order.
fn values<'a>(runs: &[Run<'a>]) -> impl Iterator<Item = Result<Value<'a>>> {
    runs.iter().flat_map(Run::records).map(|record| Ok(record?.value))
}

impl<'a> FieldRuns<'a> {
    fn collect(&mut self, parts: &[&'a [u8]]) -> Result<()> {
        // The last field of a oneof is set; it clears the others.
        let mut chosen = vec![None; self.ty.oneofs.len()];
        let mut gone = vec![0; if chosen.is_empty() { 0 } else { self.ty.fields.len() }];
        for part in parts {
            let mut start = 0;
            for record in Records::new(part, 0) {
                let record = record?;
                let end = start + record.bytes.len();
                match RecordKind::of(self.schema, self.ty, &record) {
                    RecordKind::Unknown => self.unknown.raw(record.bytes),
                    RecordKind::Known(field, wire_match) => {
                        if wire_match == WireMatch::Packed {
                            self.move_to_unknown(field, record.value)?;
                        }
                        let oneof = field.oneof.and_then(|at| chosen.get_mut(usize::from(at)));
                        if let Some(chosen) = oneof
                            && *chosen != Some(field.position)
                        {
                            let before = chosen.replace(field.position).map(usize::from);
                            if let Some(gone) = before.and_then(|before| gone.get_mut(before)) {
                                *gone = self.known.len();
                            }
                        }
                        self.add(Run { position: field.position, part, start, end });
                    }
                }
                start = end;
            }
        }
        let mut index = 0..;
        self.known.retain(|run| {
            gone.get(usize::from(run.position)).copied().unwrap_or(0) <= index.next().unwrap_or(0)
        });
        Ok(())
    }

    /// Extends the last run by a record, or starts a new run.
    fn add(&mut self, run: Run<'a>) {
        match self.known.last_mut() {
            Some(last)
                if last.position == run.position
                    && last.end == run.start
                    && std::ptr::eq(last.part, run.part) =>
            {
                last.end = run.end;
            }
            _ => self.known.push(run),
        }
    }

    /// Moves the packed numbers that a closed enum does not have to the unknown fields.
    fn move_to_unknown(&mut self, field: &Field, numbers: Value<'a>) -> Result<()> {
        if !matches!(field.kind, Kind::Enum(_)) {
            return Ok(());
        }
        for value in Packed::new(field.kind, content(numbers), 0) {
            let value = value?;
            if let (true, Value::Varint(number)) =
                (scalar::is_foreign(self.schema, field.kind, value), value)
            {
                self.unknown.put_varint(field.number, number);
            }
        }
        Ok(())
    }

    /// Writes both fields of a map entry, whether present or not.
    fn write_entry(&self, out: &mut Writer) -> Result<()> {
        for field in &self.ty.fields {
            let given = self.known.iter().filter(|run| run.position == field.position);
            let runs: Vec<_> = given.copied().collect();
            if !runs.is_empty() {
                self.write_field(&runs, out)?;
                continue;
            }
            match field.kind {
                Kind::Message(id) | Kind::Group(id) => {
                    write_message(self.schema, field, &self.schema[id], &[], out)?;
                }
                kind => {
                    out.tag(field.number, kind.wire_type());
                    scalar::write(kind, map::default_of(self.schema, field), out);
                }
            }
        }
        Ok(())
    }

    /// Writes all values of one field.
    fn write_field(&self, runs: &[Run<'a>], out: &mut Writer) -> Result<()> {
        let position = runs.first().map(|run| usize::from(run.position));
        let Some(field) = position.and_then(|at| self.ty.fields.get(at)) else { return Ok(()) };
        match field.kind {
            Kind::Message(id) | Kind::Group(id) => {
                let ty = &self.schema[id];
                if field.is_map() {
                    self.write_map(field, ty, runs, out)
                } else if field.is_repeated() {
                    values(runs).try_for_each(|value| {
                        write_message(self.schema, field, ty, &[content(value?)], out)
                    })
                } else {
                    // Concatenating the bytes of messages merges them.
                    let parts: Result<Vec<_>> =
                        values(runs).map(|value| value.map(content)).collect();
                    write_message(self.schema, field, ty, &parts?, out)
                }
            }
            kind if field.is_repeated() => self.write_list(field, kind, runs, out),
            kind => {
                let Some(last) = values(runs).last().transpose()? else { return Ok(()) };
                if field.has_presence || !scalar::is_default(normal(kind, last)) {
                    out.tag(field.number, kind.wire_type());
                    scalar::write(kind, last, out);
                }
                Ok(())
            }
        }
    }

    fn write_map(
        &self,
        field: &Field,
        ty: &MessageType,
        runs: &[Run<'a>],
        out: &mut Writer,
    ) -> Result<()> {
        let Some((key, _)) = ty.entry() else { return Ok(()) };
        let mut entries = Vec::new();
        for value in values(runs) {
            let entry = content(value?);
            entries.push((map::Key::of(self.schema, key, entry)?, entry));
        }
        entries.sort_by_key(|(key, _)| *key);
        for same in entries.chunk_by(|(a, _), (b, _)| a == b) {
            if let Some((_, entry)) = same.last() {
                write_message(self.schema, field, ty, &[entry], out)?;
            }
        }
        Ok(())
    }

    fn write_list(
        &self,
        field: &Field,
        kind: Kind,
        runs: &[Run<'a>],
        out: &mut Writer,
    ) -> Result<()> {
        let start = out.position();
        if field.is_packed {
            out.begin(field.number);
        }
        let empty = out.position();
        let mut write = |value| {
            if scalar::is_foreign(self.schema, kind, value) {
                return;
            }
            if !field.is_packed {
                out.tag(field.number, kind.wire_type());
            }
            scalar::write(kind, value, out);
        };
        for value in values(runs) {
            match value? {
                value if WireMatch::of(value.wire_type(), field) == WireMatch::Single => {
                    write(value)
                }
                value => {
                    for value in Packed::new(kind, content(value), 0) {
                        write(value?);
                    }
                }
            }
        }
        if field.is_packed {
            let is_empty = out.position() == empty;
            out.close();
            if is_empty {
                out.truncate(start);
            }
        }
        Ok(())
    }
}

/// Writes a message field with its content in canonical form.
///
/// # Errors
/// If `parts` are not a message.
fn write_message(
    schema: &Schema,
    field: &Field,
    ty: &MessageType,
    parts: &[&[u8]],
    out: &mut Writer,
) -> Result<()> {
    let wire_type = field.wire_type;
    out.tag(field.number, wire_type);
    if wire_type == WireType::Start {
        rewrite(schema, ty, parts, out)?;
        out.tag(field.number, WireType::End);
    } else {
        out.open();
        rewrite(schema, ty, parts, out)?;
        out.close();
    }
    Ok(())
}

fn content(value: Value<'_>) -> &[u8] {
    match value {
        Value::Len(bytes) | Value::Group(bytes) => bytes,
        _ => &[],
    }
}

fn normal(kind: Kind, value: Value<'_>) -> Value<'_> {
    match value {
        Value::Varint(bits) => Value::Varint(scalar::normal(kind, bits)),
        value => value,
    }
}
