//! Checks whether bytes are a message of a type, and whether they are in canonical form.
//!
//! Nearly all messages in files are canonical and need not be copied. A doubtful message counts as not canonical.

use std::ops::Range;

use super::packed::Packed;
use super::record::{Record, Value};
use super::scalar::{self, WireMatch};
use super::wire::{Records, too_deep};
use super::{MAX_DEPTH, MAX_GROUPS, map, message_set};
use crate::bytes::varint;
use crate::error::{Error, Result};
use crate::schema::{Field, Kind, MessageType, Schema};

/// The result of checking a message.
#[derive(Debug)]
pub(super) struct CheckResult<'s> {
    /// Whether the message is in canonical form, except for the order of the maps in `unsorted`.
    pub(super) canonical: bool,
    /// Maps whose entries are not sorted; nested maps before the enclosing ones.
    pub(super) unsorted: Vec<Run<'s>>,
    /// The number of open groups that the schema has.
    groups: usize,
}

impl CheckResult<'_> {
    /// Sorts in place the maps that the check found unsorted; returns whether `bytes`, the checked message, is canonical now.
    pub(super) fn sort_maps(&self, bytes: &mut [u8]) -> bool {
        self.canonical
            && self.unsorted.iter().all(|run| {
                let entries = bytes.get_mut(run.bytes.clone());
                entries.is_some_and(|entries| map::sort(run.entry, entries))
            })
    }
}

/// The consecutive entries of one map.
#[derive(Debug)]
pub(super) struct Run<'s> {
    entry: &'s MessageType,
    bytes: Range<usize>,
}

/// Checks `bytes`, a message of type `ty` at nesting depth `depth`.
///
/// # Errors
/// If the bytes are not such a message, a proto3 string is not UTF-8, or messages are nested too deeply.
pub(super) fn check<'s>(
    schema: &'s Schema,
    ty: &'s MessageType,
    bytes: &[u8],
    depth: usize,
) -> Result<CheckResult<'s>> {
    let mut result = CheckResult { canonical: true, unsorted: Vec::new(), groups: 0 };
    check_message(schema, ty, bytes, 0, depth, &mut result)?;
    Ok(result)
}

/// Checks a message at offset `base` of the outermost message and at nesting depth `depth`.
fn check_message<'s>(
    schema: &'s Schema,
    ty: &'s MessageType,
    bytes: &[u8],
    base: u64,
    depth: usize,
    result: &mut CheckResult<'s>,
) -> Result<()> {
    if depth > MAX_DEPTH {
        return Err(too_deep().at(base));
    }
    if ty.is_message_set {
        result.canonical = false;
        return check_message_set(schema, ty, bytes, base, depth, result);
    }
    let mut level = Level {
        schema,
        ty,
        depth,
        result,
        canonical: true,
        last: 0,
        index: 0,
        fields: 0,
        oneofs: 0,
        map: None,
    };
    let mut records = Records::new(bytes, base);
    while let Some(record) = records.next() {
        match record {
            Ok(record) => level.record(record)?,
            Err(error) => return Err(level.in_field(error, records.broken())),
        }
    }
    level.end_map();
    // In canonical form a map entry has both fields.
    let complete = !ty.is_map_entry || level.fields == 2;
    level.result.canonical &= level.canonical && complete;
    Ok(())
}

/// Checks the extensions' messages of a message set.
fn check_message_set<'s>(
    schema: &'s Schema,
    ty: &MessageType,
    bytes: &[u8],
    base: u64,
    depth: usize,
    result: &mut CheckResult<'s>,
) -> Result<()> {
    for record in Records::new(bytes, base) {
        if let Some((number, message, content)) = message_set::located(&record?)?
            && let Some(field) = ty.field(number)
            && let Some(id) = field.kind.message()
        {
            check_message(schema, &schema[id], message, content, depth + 1, result)
                .map_err(|error| error.in_field(&field.text_name))?;
        }
    }
    Ok(())
}

struct Level<'a, 's> {
    schema: &'s Schema,
    ty: &'s MessageType,
    depth: usize,
    result: &'a mut CheckResult<'s>,
    canonical: bool,
    /// The number of the last record; above all numbers after an unknown field.
    last: u32,
    /// The index of the current record among those of its field.
    index: usize,
    /// The number of known fields so far.
    fields: usize,
    /// The oneofs with a field so far, one bit each.
    oneofs: u64,
    map: Option<Map<'a, 's>>,
}

/// The map of the last record.
struct Map<'a, 's> {
    run: Run<'s>,
    /// The key of the map's last entry.
    key: Option<map::Key<'a>>,
    sorted: bool,
}

impl<'a, 's> Level<'a, 's> {
    #[inline(always)]
    fn record(&mut self, record: Record<'a>) -> Result<()> {
        let known =
            self.ty.field(record.number).map(|f| (f, WireMatch::of(record.value.wire_type(), f)));
        let Some((field, wire_match)) =
            known.filter(|(_, wire_match)| *wire_match != WireMatch::Mismatch)
        else {
            // In canonical form unknown fields come last.
            self.end_map();
            self.last = u32::MAX;
            return Ok(());
        };
        if record.number == self.last {
            self.index += 1;
            // Packed numbers are one record; other repeated values are consecutive records.
            self.canonical &= field.is_repeated() && wire_match == WireMatch::Single;
        } else {
            self.begin(field);
        }
        self.canonical &= (wire_match == WireMatch::Packed) == field.is_packed;
        self.canonical &= record.is_shortest();
        self.value(field, wire_match, record)
            .map_err(|error| error.in_field(&field.step(self.index)))
    }

    /// Adds the field to the error of a record.
    #[cold]
    fn in_field(&self, error: Error, number: Option<u32>) -> Error {
        let Some(number) = number else { return error };
        let index = if number == self.last { self.index + 1 } else { 0 };
        match self.ty.field(number) {
            Some(field) => error.in_field(&field.step(index)),
            None => error.in_field(&number.to_string()),
        }
    }

    /// Handles the first record of a field.
    fn begin(&mut self, field: &Field) {
        self.canonical &= field.number > self.last;
        self.last = field.number;
        self.index = 0;
        self.fields += 1;
        self.end_map();
        if let Some(oneof) = field.oneof {
            let bit = 1u64.checked_shl(oneof.into()).unwrap_or(0);
            self.canonical &= bit != 0 && self.oneofs & bit == 0;
            self.oneofs |= bit;
        }
    }

    #[inline(always)]
    fn value(&mut self, field: &Field, wire_match: WireMatch, record: Record<'a>) -> Result<()> {
        let must_differ = !field.has_presence && !field.is_repeated();
        self.canonical &= !(must_differ && scalar::is_default(record.value));
        match record.value {
            Value::Varint(bits) => self.varint(field.kind, bits),
            Value::Fixed64(_) | Value::Fixed32(_) => {}
            Value::Group(bytes) => {
                if self.result.groups == MAX_GROUPS {
                    let expected = format!("at most {MAX_GROUPS} levels of groups");
                    return Err(Error::unexpected("nesting", "more", expected).at(record.offset));
                }
                self.result.groups += 1;
                self.message(field, bytes, record)?;
                self.result.groups -= 1;
            }
            Value::Len(bytes) => match field.kind {
                Kind::Message(_) => self.message(field, bytes, record)?,
                _ if wire_match == WireMatch::Packed => {
                    self.packed(field.kind, bytes, record.content)?
                }
                _ if field.is_utf8 => check_utf8(bytes, record.content)?,
                _ => {}
            },
        }
        Ok(())
    }

    #[inline]
    fn varint(&mut self, kind: Kind, bits: u64) {
        self.canonical &= scalar::normal(kind, bits) == bits
            && !scalar::is_foreign(self.schema, kind, Value::Varint(bits));
    }

    fn packed(&mut self, kind: Kind, bytes: &'a [u8], base: u64) -> Result<()> {
        self.canonical &= !bytes.is_empty();
        let mut shortest = 0;
        for value in Packed::new(kind, bytes, base) {
            let value = value?;
            shortest += match value {
                Value::Varint(bits) => {
                    self.varint(kind, bits);
                    let len = varint::len(bits);
                    let last = bytes.get(shortest + len - 1);
                    self.canonical &= len < varint::MAX_LEN || last == Some(&1);
                    len
                }
                Value::Fixed64(_) => 8,
                _ => 4,
            };
        }
        self.canonical &= shortest == bytes.len();
        Ok(())
    }

    #[inline(always)]
    fn message(&mut self, field: &Field, bytes: &'a [u8], record: Record<'a>) -> Result<()> {
        let Some(id) = field.kind.message() else { return Ok(()) };
        let ty = &self.schema[id];
        let depth = self.depth + 1;
        check_message(self.schema, ty, bytes, record.content, depth, self.result)?;
        if field.is_map() {
            self.entry(ty, record, bytes);
        }
        Ok(())
    }

    /// Handles a map entry.
    fn entry(&mut self, ty: &'s MessageType, record: Record<'a>, bytes: &'a [u8]) {
        // The offset is within bytes in memory, so it fits a usize.
        let start = usize::try_from(record.offset).unwrap_or(usize::MAX);
        let key = map::Key::first(ty, bytes);
        let map = self.map.get_or_insert(Map {
            run: Run { entry: ty, bytes: start..start },
            key: None,
            sorted: true,
        });
        // Sorting detects repeated keys.
        map.sorted &= map.key <= key;
        self.canonical &= key.is_some() && (map.key.is_none() || map.key != key);
        map.key = key;
        map.run.bytes.end = start.saturating_add(record.bytes.len());
    }

    #[inline]
    fn end_map(&mut self) {
        if self.map.is_some()
            && let Some(map) = self.map.take().filter(|map| !map.sorted)
        {
            self.result.unsorted.push(map.run);
        }
    }
}

/// Checks that a string is UTF-8.
fn check_utf8(bytes: &[u8], base: u64) -> Result<()> {
    // Nearly all strings are short ASCII names, which this test handles faster.
    if bytes.is_ascii() {
        return Ok(());
    }
    std::str::from_utf8(bytes).map(|_| ()).map_err(|error| {
        let at = error.valid_up_to();
        let found = format!("{:#04x}", bytes.get(at).copied().unwrap_or(0));
        Error::unexpected("byte of a string", found, "UTF-8").at(base + at as u64)
    })
}
