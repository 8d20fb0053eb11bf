//! Properties of the differences between any two messages.

use std::collections::BTreeMap;

use ckdiff::diff::{Change, ChangeKind, MessageOptions, Step, messages};
use ckdiff::message::{Message, Records, Value, WireMatch, Writer};
use ckdiff::schema::{Kind, MessageType, Schema, WellKnown, WireType};
use proptest::prop_assert;

use crate::support::Random;
use crate::support::everything;
use crate::support::property::{PropertyResult, for_every_type};
use crate::support::random_message::{self, Habit};

fn drawn(
    schema: &'static Schema,
    ty: &'static MessageType,
    habit: Habit,
    random: &mut Random,
) -> ckdiff::Result<Message<'static>> {
    Message::decode(schema, ty, random_message::message(schema, ty, habit, random).0)
}

fn diff(lhs: &Message<'_>, rhs: &Message<'_>) -> Vec<Change> {
    messages(lhs, rhs, &MessageOptions::default()).unwrap()
}

/// A change without the positions in its path, with its sides swapped on request.
fn mirrored(
    change: &Change,
    is_swapped: bool,
) -> (Vec<Step>, ChangeKind, Option<String>, Option<String>) {
    let steps = change.path.steps().into_iter();
    let steps = steps.filter(|step| !matches!(step, Step::Index(_))).cloned().collect();
    let (lhs, rhs) = (change.lhs.clone(), change.rhs.clone());
    match (change.kind, is_swapped) {
        (kind, false) => (steps, kind, lhs, rhs),
        (ChangeKind::Added, true) => (steps, ChangeKind::Removed, rhs, lhs),
        (ChangeKind::Removed, true) => (steps, ChangeKind::Added, rhs, lhs),
        (kind, true) => (steps, kind, rhs, lhs),
    }
}

fn all_mirrored(changes: &[Change], is_swapped: bool) -> Vec<impl Ord + std::fmt::Debug + use<>> {
    let mut all: Vec<_> = changes.iter().map(|change| mirrored(change, is_swapped)).collect();
    all.sort();
    all
}

/// The properties that hold for any pair.
fn holds(lhs: &Message<'_>, rhs: &Message<'_>) -> PropertyResult {
    let changes = diff(lhs, rhs);
    let is_same = lhs.bytes() == rhs.bytes();
    prop_assert!(changes.is_empty() == is_same, "{is_same} {changes:?}");
    prop_assert!(diff(lhs, lhs).is_empty() && diff(rhs, rhs).is_empty());
    let back = diff(rhs, lhs);
    let (there, back) = (all_mirrored(&changes, false), all_mirrored(&back, true));
    prop_assert!(there == back, "{there:#?}\n{back:#?}");
    for change in &changes {
        let (lhs, rhs) = (change.lhs.is_some(), change.rhs.is_some());
        let expected = match change.kind {
            ChangeKind::Added => (false, true),
            ChangeKind::Removed => (true, false),
            _ => (true, true),
        };
        prop_assert!((lhs, rhs) == expected, "{change:?}");
    }
    Ok(())
}

#[test]
fn messages_differ_exactly_where_their_bytes_do() {
    for_every_type(Schema::tensorflow(), |ty, tape| {
        let mut random = Random::of_tape(tape);
        let schema = Schema::tensorflow();
        let lhs = drawn(schema, ty, Habit::Tidy, &mut random)?;
        holds(&lhs, &drawn(schema, ty, Habit::Tidy, &mut random)?)
    });
}

#[test]
fn the_properties_of_diffs_hold_for_every_kind_of_field() {
    for_every_type(everything::schema(), |ty, tape| {
        let mut random = Random::of_tape(tape);
        let schema = everything::schema();
        let lhs = drawn(schema, ty, Habit::Tidy, &mut random)?;
        holds(&lhs, &drawn(schema, ty, Habit::Tidy, &mut random)?)
    });
}

/// The properties also hold for unknown fields, except that their order may differ.
#[test]
fn unknown_fields_are_the_only_difference_from_a_message_without_them() {
    for_every_type(Schema::tensorflow(), |ty, tape| {
        let schema = Schema::tensorflow();
        let lhs = drawn(schema, ty, Habit::Unknown, &mut Random::of_tape(tape))?;
        let rhs = drawn(schema, ty, Habit::Known, &mut Random::of_tape(tape))?;
        holds(&lhs, &rhs)
    });
}

/// A message with one changed leaf, and the path of the leaf.
struct Edit<'r> {
    schema: &'static Schema,
    random: &'r mut Random,
    path: Vec<String>,
}

impl Edit<'_> {
    /// Changes one field of the message; `None` if no field can be changed by itself.
    fn message(&mut self, ty: &MessageType, bytes: &[u8]) -> Option<Vec<u8>> {
        if ty.is_message_set || ty.well_known == Some(WellKnown::Any) {
            return None;
        }
        let records: Vec<_> = Records::new(bytes, 0).map(|record| record.unwrap()).collect();
        let first = self.random.below(records.len().max(1) as u64) as usize;
        let order = (0..records.len()).map(|at| (first + at) % records.len());
        for at in order {
            let record = records[at];
            let field = ty.field(record.number)?;
            if ty.is_map_entry && field.number == 1 {
                continue;
            }
            let depth = self.path.len();
            let same = records[..at].iter().filter(|before| before.number == record.number);
            let index = same.count();
            let is_packed = WireMatch::of(record.value.wire_type(), field) == WireMatch::Packed;
            if !ty.is_map_entry {
                self.path.push(field.text_name.to_string());
                let is_number = !matches!(field.kind.wire_type(), WireType::Len | WireType::Start);
                if field.is_map() {
                    let entry = &self.schema[field.kind.message().unwrap()];
                    self.path.push(self.key(entry, record.value));
                } else if field.is_repeated() && !is_number {
                    self.path.push(format!("#{index}"));
                }
            }
            if let Some(value) = self.value(field.kind, record.value, is_packed) {
                let mut out = Writer::default();
                let parts = (&records[..at], &records[at + 1..]);
                parts.0.iter().for_each(|record| out.raw(record.bytes));
                out.tag(record.number, record.value.wire_type());
                match record.value {
                    Value::Len(_) => out.len_prefixed(&value),
                    _ => out.raw(&value),
                }
                if record.value.wire_type() == WireType::Start {
                    out.tag(record.number, WireType::End);
                }
                parts.1.iter().for_each(|record| out.raw(record.bytes));
                return Some(out.finish());
            }
            self.path.truncate(depth);
        }
        None
    }

    fn key(&self, entry: &MessageType, value: Value<'_>) -> String {
        let Value::Len(bytes) = value else { panic!("an entry has a length") };
        let key = Records::new(bytes, 0).next().unwrap().unwrap();
        match (entry.field(1).unwrap().kind, key.value) {
            (Kind::String, Value::Len(text)) => String::from_utf8(text.to_vec()).unwrap(),
            (Kind::Bool, Value::Varint(bits)) => (bits != 0).to_string(),
            (Kind::Uint64 | Kind::Uint32, Value::Varint(bits)) => bits.to_string(),
            (Kind::Sint32 | Kind::Sint64, Value::Varint(bits)) => {
                ckdiff::message::from_zigzag(bits).to_string()
            }
            (_, Value::Varint(bits)) => bits.cast_signed().to_string(),
            (Kind::Sfixed32, Value::Fixed32(bits)) => bits.cast_signed().to_string(),
            (Kind::Sfixed64, Value::Fixed64(bits)) => bits.cast_signed().to_string(),
            (_, Value::Fixed32(bits)) => bits.to_string(),
            (_, Value::Fixed64(bits)) => bits.to_string(),
            (kind, value) => panic!("{kind:?} {value:?}"),
        }
    }

    /// Another value of this kind, without tag and length.
    fn value(&mut self, kind: Kind, value: Value<'_>, is_packed: bool) -> Option<Vec<u8>> {
        let mut out = Writer::default();
        match (kind, value) {
            (Kind::Message(id) | Kind::Group(id), Value::Len(inside) | Value::Group(inside)) => {
                return self.message(&self.schema[id], inside);
            }
            (_, Value::Len(bytes)) if is_packed => {
                // Repeats the last bytes.
                let len = match kind.wire_type() {
                    WireType::Fixed32 => 4,
                    WireType::Fixed64 => 8,
                    _ => 1 + bytes.iter().rev().skip(1).take_while(|byte| **byte >= 0x80).count(),
                };
                out.raw(bytes);
                out.raw(&bytes[bytes.len() - len..]);
            }
            (_, Value::Len(bytes)) => out.raw(&[bytes, b"~"].concat()),
            (Kind::Enum(id), Value::Varint(bits)) => {
                let other = self.schema[id]
                    .names()
                    .map(|name| self.schema[id].number(name.as_bytes()).unwrap());
                let other = other.map(|number| i64::from(number) as u64);
                let mut other = other.filter(|number| *number != bits && *number != 0);
                out.varint(other.next()?);
            }
            // Never the default value, which a field without presence cannot express; 32 bits fit every kind.
            (Kind::Bool, _) => return None,
            (_, Value::Varint(bits)) => out.varint(if bits == 7 { 8 } else { 7 }),
            (_, Value::Fixed32(bits)) => out.raw(&(if bits == 7 { 8u32 } else { 7 }).to_le_bytes()),
            (_, Value::Fixed64(bits)) => out.raw(&(if bits == 7 { 8u64 } else { 7 }).to_le_bytes()),
            _ => return None,
        }
        Some(out.finish())
    }
}

/// The steps of a change's path in the form of [`Edit`].
fn steps(change: &Change) -> Vec<String> {
    let step = |step: &Step| match step {
        Step::Field(name) => name.to_string(),
        Step::Index(index) => format!("#{index}"),
        Step::Key(key) => key.to_string(),
    };
    change.path.steps().into_iter().map(step).collect()
}

#[test]
fn one_edit_is_one_change_at_its_path() {
    let mut counts = BTreeMap::new();
    for schema in [Schema::tensorflow(), everything::schema()] {
        let counts = std::cell::RefCell::new(&mut counts);
        for_every_type(schema, |ty, tape| {
            let mut random = Random::of_tape(tape);
            let lhs = drawn(schema, ty, Habit::Tidy, &mut random)?;
            let mut edit = Edit { schema, random: &mut random, path: Vec::new() };
            let edited = edit.message(ty, lhs.bytes());
            *counts.borrow_mut().entry(edited.is_some()).or_insert(0) += 1;
            let Some(edited) = edited else { return Ok(()) };
            let path = edit.path;
            let rhs = Message::decode(schema, ty, edited)?;
            let changes = diff(&lhs, &rhs);
            let is_right = matches!(&changes[..], [change] if steps(change) == path);
            prop_assert!(is_right, "{path:?}: {changes:#?}");
            Ok(())
        });
    }
    assert!(counts[&true] > 2 * counts[&false], "{counts:?}");
}
