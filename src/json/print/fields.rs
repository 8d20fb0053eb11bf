//! Printing of a message's fields as the members of an object.

use super::Printer;
use crate::error::{Error, Result};
use crate::json::FieldNames;
use crate::message::{Packed, RecordKind, Records, Value, WireMatch, default_of, message_set_item};
use crate::schema::field::map_entry;
use crate::schema::{Field, Kind, MessageType};

impl<'p> Printer<'p, '_> {
    /// Prints the fields of a message, without the braces.
    pub(super) fn fields(&mut self, ty: &'p MessageType, bytes: &[u8], depth: usize) -> Result<()> {
        if ty.is_message_set {
            return self.set_items(ty, bytes, depth);
        }
        // The open list or map, and the number of its values printed so far.
        let mut open: Option<(&Field, usize)> = None;
        let mut defaults = 0;
        for record in Records::new(bytes, 0) {
            let record = record?;
            let RecordKind::Known(field, wire_match) = RecordKind::of(self.schema, ty, &record)
            else {
                self.unknown(&record)?;
                continue;
            };
            let index = match open {
                Some((same, index)) if same.number == field.number => index,
                _ => {
                    self.end(open.take());
                    self.defaults(ty, &mut defaults, field.position)?;
                    self.name(field)?;
                    if field.is_repeated() {
                        self.tokens.open(if field.is_map() { b'{' } else { b'[' });
                    }
                    0
                }
            };
            let named = self.losses.paths.len();
            let result = match record.value {
                Value::Len(entry) if field.is_map() => self.entry(field, entry, depth + 1),
                Value::Len(numbers) if wire_match == WireMatch::Packed => {
                    self.packed(field.kind, numbers)
                }
                value if field.is_repeated() => self.element(field, value, depth),
                value => self.single(field, value, depth),
            };
            if field.is_map() {
                result?;
            } else {
                self.in_step(named, result, || field.step(index))?;
            }
            open = field.is_repeated().then_some((field, index + 1));
        }
        self.end(open);
        if self.options.defaults {
            self.defaults(ty, &mut defaults, u16::MAX)?;
        }
        Ok(())
    }

    fn end(&mut self, open: Option<(&Field, usize)>) {
        if let Some((field, _)) = open {
            self.tokens.close(if field.is_map() { b'}' } else { b']' });
        }
    }

    #[inline]
    fn name(&mut self, field: &Field) -> Result<()> {
        let name = match self.options.names {
            FieldNames::Original if !field.is_extension => &field.name,
            _ => &field.json_name,
        };
        self.tokens.item()?;
        self.tokens.string(name.as_bytes())?;
        self.tokens.colon();
        Ok(())
    }

    /// Prints the default values of the unset fields from position `from` to `to`, if the options ask for them.
    fn defaults(&mut self, ty: &'p MessageType, from: &mut u16, to: u16) -> Result<()> {
        if !self.options.defaults {
            return Ok(());
        }
        let fields = ty.fields.get(usize::from(*from)..).unwrap_or_default();
        *from = to.saturating_add(1);
        for field in fields.iter().take_while(|field| field.position < to) {
            if field.is_extension || (field.has_presence && !field.is_repeated()) {
                continue;
            }
            self.name(field)?;
            if field.is_map() {
                self.tokens.plain(b"{}");
            } else if field.is_repeated() {
                self.tokens.plain(b"[]");
            } else {
                self.scalar(field, default_of(self.schema, field))?;
            }
        }
        Ok(())
    }

    /// Prints one value.
    fn single(&mut self, field: &'p Field, value: Value<'_>, depth: usize) -> Result<()> {
        match (field.kind, value) {
            (Kind::Message(id) | Kind::Group(id), Value::Len(bytes) | Value::Group(bytes)) => {
                self.message(&self.schema[id], bytes, depth + 1)
            }
            (_, value) => self.scalar(field, value),
        }
    }

    /// Prints one element of a list.
    pub(super) fn element(
        &mut self,
        field: &'p Field,
        value: Value<'_>,
        depth: usize,
    ) -> Result<()> {
        self.tokens.item()?;
        self.single(field, value, depth)
    }

    fn packed(&mut self, kind: Kind, numbers: &[u8]) -> Result<()> {
        for value in Packed::new(kind, numbers, 0) {
            self.tokens.item()?;
            self.number(kind, value?)?;
        }
        Ok(())
    }

    /// Prints a map entry, `depth` levels below the outermost message.
    pub(super) fn entry(&mut self, field: &'p Field, entry: &[u8], depth: usize) -> Result<()> {
        let types = field.kind.message().and_then(|id| self.schema[id].entry());
        let Some((key_field, value_field)) = types else { return Ok(()) };
        let mut key = default_of(self.schema, key_field);
        let named = self.losses.paths.len();
        let mut result = Ok(());
        // In canonical form an entry has a key and a value, in this order.
        for record in Records::new(entry, 0) {
            let record = record?;
            let is_of = |field| WireMatch::of(record.value.wire_type(), field) == WireMatch::Single;
            result = match record.number {
                map_entry::KEY if is_of(key_field) => {
                    key = record.value;
                    self.key(key_field, key)
                }
                map_entry::VALUE if is_of(value_field) => {
                    self.single(value_field, record.value, depth)
                }
                _ => self.unknown(&record),
            };
            if result.is_err() {
                break;
            }
        }
        self.in_step(named, result, || step(field, key))
    }

    fn key(&mut self, field: &Field, key: Value<'_>) -> Result<()> {
        self.tokens.item()?;
        match (field.kind, key) {
            (Kind::String, _) => self.scalar(field, key)?,
            (kind, key) => {
                // 64-bit numbers are quoted already.
                let plain = self.tokens.buffer().len();
                self.number(kind, key)?;
                if self.tokens.buffer().get(plain) != Some(&b'"') {
                    self.tokens.buffer().insert(plain, b'"');
                    self.tokens.plain(b"\"");
                }
            }
        }
        self.tokens.colon();
        Ok(())
    }

    /// Prints the extensions in a message set.
    fn set_items(&mut self, ty: &'p MessageType, bytes: &[u8], depth: usize) -> Result<()> {
        for record in Records::new(bytes, 0) {
            let record = record?;
            let item = message_set_item(&record)?;
            let known = item.and_then(|(number, message)| {
                let field = ty.field(number)?;
                Some((field, field.kind.message()?, message))
            });
            let Some((field, id, message)) = known else {
                self.unknown(&record)?;
                continue;
            };
            self.name(field)?;
            let named = self.losses.paths.len();
            let result = self.message(&self.schema[id], message, depth + 1);
            self.in_step(named, result, || field.text_name.to_string())?;
        }
        Ok(())
    }
}

/// The path step of a map entry: `attr["T"]`.
#[cold]
fn step(field: &Field, key: Value<'_>) -> String {
    let name = &field.text_name;
    match key {
        Value::Len(bytes) => format!("{name}[{:?}]", String::from_utf8_lossy(bytes)),
        Value::Varint(bits) => format!("{name}[{}]", bits.cast_signed()),
        Value::Fixed64(bits) => format!("{name}[{bits}]"),
        Value::Fixed32(bits) => format!("{name}[{bits}]"),
        Value::Group(_) => name.to_string(),
    }
}

/// The error for a schema whose well-known type is not declared as protobuf declares it.
pub(super) fn mismatched_type(what: &'static str) -> Error {
    Error::unexpected(what, "others", "the fields that google.protobuf declares")
}
