//! Random messages of any type. Zeros as random numbers give the smallest message.

use ckdiff::message::{Message, Writer};
use ckdiff::schema::{Cardinality, Field, Kind, MessageType, Schema, WellKnown, WireType};

use crate::support::Random;
use crate::support::random_value as value;

/// The way in which a message is encoded.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Habit {
    /// In canonical form: fields in order, singular fields once.
    Tidy,
    /// As other encoders may write it: repeated singular fields, several members of a oneof, packed and unpacked numbers,
    /// varints that are longer than necessary.
    Untidy,
    /// With unknown fields in between.
    Unknown,
    /// The same message without its unknown fields.
    Known,
}

/// A message of this type, and the number of its unknown fields.
pub(crate) fn message(
    schema: &Schema,
    ty: &MessageType,
    habit: Habit,
    random: &mut Random,
) -> (Vec<u8>, u64) {
    let mut author = Author { schema, habit, random, unknown: 0 };
    let bytes = author.records(ty, 0).concat();
    (bytes, author.unknown)
}

/// The records of a tidy message, one by one.
pub(crate) fn records(schema: &Schema, ty: &MessageType, random: &mut Random) -> Vec<Vec<u8>> {
    Author { schema, habit: Habit::Tidy, random, unknown: 0 }.records(ty, 0)
}

struct Author<'s, 'r> {
    schema: &'s Schema,
    habit: Habit,
    random: &'r mut Random,
    /// The number of unknown fields.
    unknown: u64,
}

impl Author<'_, '_> {
    fn is_untidy(&self) -> bool {
        self.habit == Habit::Untidy
    }

    fn records(&mut self, ty: &MessageType, depth: u64) -> Vec<Vec<u8>> {
        if ty.well_known == Some(WellKnown::Any) {
            return self.any(depth);
        }
        let mut records = Vec::new();
        let chosen: Vec<u64> = ty
            .oneofs
            .iter()
            .map(|oneof| self.random.below(oneof.fields.len().max(1) as u64))
            .collect();
        for field in &ty.fields {
            if let Some(oneof) = field.oneof.map(usize::from) {
                let place = ty.oneofs[oneof].fields.iter().position(|&at| at == field.position);
                let is_chosen = place.map(|place| place as u64) == Some(chosen[oneof]);
                let is_second = self.is_untidy() && self.random.below(8) == 7;
                if !is_chosen && !is_second {
                    continue;
                }
            }
            let most = match (field.kind.message().is_some(), field.is_repeated()) {
                (true, _) if depth > 3 => 0,
                (_, true) => 3,
                _ if self.is_untidy() => 2,
                _ => 1,
            };
            let is_required = field.cardinality == Cardinality::Required;
            for _ in 0..most {
                if self.random.below(2) == 1 || is_required {
                    self.unknown_fields(ty, &mut records);
                    records.push(self.record(field, depth));
                }
            }
        }
        self.unknown_fields(ty, &mut records);
        if self.is_untidy() && !records.is_empty() {
            let at = self.random.below(records.len() as u64) as usize;
            records.rotate_left(at);
        }
        records
    }

    fn record(&mut self, field: &Field, depth: u64) -> Vec<u8> {
        let mut out = Writer::default();
        let wire_type = field.kind.wire_type();
        let is_number = !matches!(wire_type, WireType::Len | WireType::Start);
        if self.is_untidy() && is_number && field.is_repeated() && self.random.below(3) > 0 {
            let mut packed = Writer::default();
            for _ in 0..self.random.below(4) {
                self.value(field, depth, &mut packed);
            }
            out.tag(field.number, WireType::Len);
            out.len_prefixed(&packed.finish());
        } else {
            out.tag(field.number, wire_type);
            self.value(field, depth, &mut out);
        }
        out.finish()
    }

    fn value(&mut self, field: &Field, depth: u64, out: &mut Writer) {
        match field.kind {
            Kind::Message(id) => {
                let inside = self.records(&self.schema[id], depth + 1).concat();
                out.len_prefixed(&inside);
            }
            Kind::Group(id) => {
                out.raw(&self.records(&self.schema[id], depth + 1).concat());
                out.tag(field.number, WireType::End);
            }
            Kind::String => out.len_prefixed(value::string(self.random).as_bytes()),
            Kind::Bytes => out.len_prefixed(&value::bytes(self.random)),
            // Untidy messages are compared with prost, which takes -0 for the default value.
            Kind::Double => {
                let double = value::double(self.random);
                let is_zero = self.is_untidy() && double == 0.0;
                out.raw(&if is_zero { 0.0 } else { double }.to_le_bytes());
            }
            Kind::Float => {
                let float = value::float(self.random);
                let is_zero = self.is_untidy() && float == 0.0;
                out.raw(&if is_zero { 0.0 } else { float }.to_le_bytes());
            }
            Kind::Enum(id) => {
                let number = value::number_of(&self.schema[id], self.random);
                self.varint(i64::from(number) as u64, out);
            }
            kind => {
                let bits = value::bits(self.random);
                match kind.wire_type() {
                    WireType::Fixed64 => out.raw(&bits.to_le_bytes()),
                    WireType::Fixed32 => out.raw(&(bits as u32).to_le_bytes()),
                    _ => self.varint(bits, out),
                }
            }
        }
    }

    fn varint(&mut self, value: u64, out: &mut Writer) {
        if value < 1 << 14 && self.is_untidy() && self.random.below(8) == 7 {
            out.raw(&[value as u8 | 0x80, (value >> 7) as u8 | 0x80, 0x80, 0]);
        } else {
            out.varint(value);
        }
    }

    /// Adds unknown fields, or only draws them if they are to be left out.
    fn unknown_fields(&mut self, ty: &MessageType, records: &mut Vec<Vec<u8>>) {
        if !matches!(self.habit, Habit::Unknown | Habit::Known) || self.random.below(6) < 5 {
            return;
        }
        let mut number = value::field_number(self.random);
        while ty.field(number).is_some() {
            number += 1;
        }
        let mut out = Writer::default();
        value::unknown(number, self.random, 0, &mut out);
        if self.habit == Habit::Unknown {
            self.unknown += 1;
            records.push(out.finish());
        }
    }

    /// An `Any` with a known type.
    fn any(&mut self, depth: u64) -> Vec<Vec<u8>> {
        if self.random.one_in(4) {
            return Vec::new();
        }
        let types = || self.schema.messages().filter(|ty| !ty.is_map_entry);
        let number = self.random.below(types().count() as u64) as usize;
        let ty = types().nth(number).unwrap();
        let mut inside = self.records(ty, depth + 1).concat();
        if !self.is_untidy() {
            inside = Message::decode(self.schema, ty, inside).unwrap().into_bytes();
        }
        let part = |number, bytes: &[u8]| {
            let mut out = Writer::default();
            out.tag(number, WireType::Len);
            out.len_prefixed(bytes);
            out.finish()
        };
        let url = format!("type.googleapis.com/{}", ty.full_name);
        vec![part(1, url.as_bytes()), part(2, &inside)]
    }
}
