//! Reads the elements in the `*_val` field of their type.

use std::ops::RangeInclusive;

use crate::error::{Error, Result};
use crate::message::{Packed, Record, Records, Value};
use crate::schema::field::tensor_proto;
use crate::schema::{Field, Kind, Schema, WireType};
use crate::tensor::{Coding, DType, Shape, ValueField};

use super::head::Head;

/// The numbers of the `*_val` fields of a `TensorProto`.
const LISTS: RangeInclusive<u32> = tensor_proto::FLOAT_VAL..=tensor_proto::FLOAT8_VAL;

/// Reads the elements that are written out, at least one; `shape` must not be empty.
pub(super) fn read(proto: &[u8], dtype: DType, shape: &Shape) -> Result<Head> {
    let mut list = List::new(dtype, shape.elements());
    for record in Records::new(proto, 0) {
        let record = record?;
        if record.number == list.field.number {
            list.take(&record)?;
        } else if let Some(other) = listed(&record) {
            return Err(of_another_type(other, dtype, list.field).at(record.offset));
        }
    }
    Ok(list.finish())
}

/// The `*_val` field of a record, if the record has values.
fn listed(record: &Record<'_>) -> Option<&'static Field> {
    let proto = Schema::tensorflow().message(tensor_proto::MESSAGE_NAME)?;
    let field = proto.field(record.number).filter(|_| LISTS.contains(&record.number))?;
    let one = field.wire_type;
    // An empty list has no values; an empty string is a value.
    let some = match record.value {
        Value::Len([]) => one == WireType::Len && field.is_repeated(),
        Value::Len(_) => one == WireType::Len || field.is_repeated(),
        value => value.wire_type() == one,
    };
    some.then_some(field)
}

fn of_another_type(found: &Field, dtype: DType, wanted: ValueField) -> Error {
    let proto = Schema::tensorflow().message(tensor_proto::MESSAGE_NAME);
    let name = proto.and_then(|proto| proto.field(wanted.number)).map(|field| &*field.name);
    let expected = format!("{}, that of {dtype}", name.unwrap_or("another"));
    Error::unexpected("list of values", &found.name, expected)
}

/// A list of values while it is read.
struct List {
    dtype: DType,
    field: ValueField,
    /// The number of elements of the shape.
    most: u64,
    /// Elements of fixed width.
    numbers: Vec<u8>,
    /// Elements of variable length.
    elements: Head,
}

impl List {
    fn new(dtype: DType, most: u64) -> Self {
        let field = ValueField::of(dtype);
        Self { dtype, field, most, numbers: Vec::new(), elements: Head::default() }
    }

    /// Adds the values of a record; those beyond the shape are ignored.
    fn take(&mut self, record: &Record<'_>) -> Result<()> {
        let bytes = self.field.bytes;
        match (self.field.coding, record.value) {
            (Coding::Fixed, Value::Len(values)) if values.len().is_multiple_of(bytes) => {
                self.extend(values);
            }
            (Coding::Fixed, Value::Fixed32(value)) if bytes == size_of_val(&value) => {
                self.extend(&value.to_le_bytes());
            }
            (Coding::Fixed, Value::Fixed64(value)) if bytes == size_of_val(&value) => {
                self.extend(&value.to_le_bytes());
            }
            (Coding::Varint { .. } | Coding::Wide | Coding::Bool, Value::Varint(value)) => {
                self.varint(value);
            }
            (Coding::Varint { .. } | Coding::Wide | Coding::Bool, Value::Len(values)) => {
                for value in Packed::new(Kind::Uint64, values, record.content) {
                    if self.room() == 0 {
                        break;
                    }
                    if let Value::Varint(value) = value? {
                        self.varint(value);
                    }
                }
            }
            (Coding::Bytes, Value::Len(values)) => {
                // Not a repeated field: the last record counts.
                self.numbers.clear();
                self.extend(values);
            }
            (Coding::Each, Value::Len(element)) if self.elements.count < self.most => {
                self.elements.push(element);
            }
            (Coding::Fixed, Value::Len(values)) => {
                let expected = format!("a multiple of {bytes}");
                let error = Error::unexpected("bytes of a list of values", values.len(), expected);
                return Err(error.at(record.content));
            }
            // A record of another wire type is an unknown field.
            _ => {}
        }
        Ok(())
    }

    /// The number of bytes that the shape still needs.
    fn room(&self) -> usize {
        let all = self.most.saturating_mul(self.dtype.size().unwrap_or_default() as u64);
        usize::try_from(all).unwrap_or(usize::MAX) - self.numbers.len()
    }

    fn extend(&mut self, values: &[u8]) {
        let len = values.len().min(self.room());
        self.numbers.extend(values.get(..len).unwrap_or_default());
    }

    /// Adds the low bits of a value, as TensorFlow does without checking its range.
    fn varint(&mut self, value: u64) {
        let value = if self.field.coding == Coding::Bool { u64::from(value != 0) } else { value };
        self.extend(value.to_le_bytes().get(..self.field.bytes).unwrap_or_default());
    }

    fn finish(self) -> Head {
        let mut head = match self.dtype.size() {
            Some(size) => Head::fixed(self.numbers, size),
            None => self.elements,
        };
        if head.count == 0 {
            return Head::of_nothing(self.dtype);
        }
        if matches!(self.dtype, DType::Resource | DType::Variant) && head.count < self.most {
            head.push(&[]);
        }
        head
    }
}
