//! One level of two messages: the changes in it, and the pairs of messages inside.

use std::borrow::Cow;

use super::differ::{MessageDiffer, MessagePair};
use super::difference::{Difference, FieldLocation, Nested};
use super::fields::{Fields, numbers};
use super::item::{Item, ItemReader};
use super::rules::{Rules, Treatment};
use super::{any, json, keyed, list, map, set, unknown};
use crate::compare;
use crate::diff::join::join;
use crate::diff::meaning::ListAs;
use crate::diff::path::PathBuilder;
use crate::diff::{Change, Path, Weight};
use crate::message::{Record, Records, Value, default_of, records};
use crate::schema::{Field, Kind, MessageType, Schema, WellKnown, WireType};
use crate::text::{BriefValue, brief};

/// The state of a comparison of one level.
pub(super) struct Level<'a, 'w> {
    pub(super) differ: &'a MessageDiffer<'a>,
    pub(super) ty: &'a MessageType,
    pub(super) at: &'a PathBuilder<'a>,
    /// The highest weight of a change in the messages.
    pub(super) weight: Weight,
    pub(super) differences: Vec<Difference<'a>>,
    pub(super) findings: &'w mut Vec<(Path, String)>,
}

/// The differences at the level of two messages, including the pairs of messages inside that differ.
#[inline(never)]
pub(super) fn differences<'a>(
    differ: &'a MessageDiffer<'a>,
    &MessagePair { ty, lhs, rhs, at }: &MessagePair<'a>,
    weight: Weight,
    findings: &mut Vec<(Path, String)>,
) -> Vec<Difference<'a>> {
    let mut level = Level { differ, ty, at, weight, differences: Vec::new(), findings };
    let (lhs, rhs) = (Fields::of(differ.schema, ty, lhs), Fields::of(differ.schema, ty, rhs));
    if ty.well_known != Some(WellKnown::Any) || !any::compare(&mut level, &lhs, &rhs) {
        level.known_fields(&lhs, &rhs);
    }
    unknown::compare(&mut level, &lhs.unknown, &rhs.unknown);
    level.differences
}

impl<'a> Level<'a, '_> {
    pub(super) fn schema(&self) -> &'a Schema {
        self.differ.schema
    }

    pub(super) fn rules(&self) -> &'a dyn Rules {
        self.differ.rules
    }

    fn known_fields(&mut self, lhs: &Fields<'a>, rhs: &Fields<'a>) {
        let (lhs, rhs) = (lhs.known.iter().copied(), rhs.known.iter().copied());
        for (l, r) in join(lhs, rhs, |(l, _), (r, _)| l.number.cmp(&r.number)) {
            let Some((field, _)) = l.or(r) else { continue };
            let (lhs, rhs) = (l.map(|(_, run)| run), r.map(|(_, run)| run));
            if lhs != rhs {
                self.field(field, lhs, rhs);
            }
        }
    }

    fn field(&mut self, field: &'a Field, lhs: Option<&'a [u8]>, rhs: Option<&'a [u8]>) {
        let treatment = self.rules().treatment(self.ty, field, self.at);
        if treatment.skip {
            return;
        }
        let is_empty = |run: Option<&[u8]>| run.is_none_or(is_empty_message);
        let means_none = treatment.empty_is_none && is_empty(lhs) && is_empty(rhs);
        let weight = if means_none { Weight::Cosmetic } else { treatment.weight };
        let weight = self.weight.max(weight);
        if self.ty.is_message_set {
            return self.set_item(field, weight, lhs, rhs);
        }
        let location = FieldLocation::new(&*field.text_name, weight);
        let (l, r) = (lhs.unwrap_or_default(), rhs.unwrap_or_default());
        if field.is_map() {
            return map::compare(self, field, &location, l, r);
        }
        let reader = ItemReader::new(self, field, &treatment);
        if let Some(cosmetic) = treatment.json.filter(|_| !field.is_repeated())
            && json::compare(self, &location, cosmetic, (string(l), string(r)))
        {
            return;
        }
        if !field.is_repeated() {
            let absent = (treatment.empty_is_none && !means_none).then_some(Value::Len(&[]));
            return self.singular(&reader, location, absent, (lhs, rhs));
        }
        if treatment.list == ListAs::List && is_number(field) {
            return self.numbers(field, &location, l, r);
        }
        self.list(&reader, &location, &treatment, (l, r));
    }

    fn list(
        &mut self,
        reader: &ItemReader<'a>,
        location: &FieldLocation<'a>,
        treatment: &Treatment<'_>,
        (lhs, rhs): (&'a [u8], &'a [u8]),
    ) {
        let field = reader.field;
        let lhs = reader.items(lhs, self.findings);
        let rhs = reader.items(rhs, self.findings);
        match treatment.list {
            ListAs::List => list::compare(self, field, location, &lhs, &rhs),
            ListAs::Set => set::compare(self, field, location, &lhs, &rhs),
            ListAs::Keyed(keys) => keyed::compare(self, field, location, keys, (&lhs, &rhs)),
        }
    }

    /// Compares an item of a message set, whose name in text is its type.
    fn set_item(
        &mut self,
        field: &'a Field,
        weight: Weight,
        lhs: Option<&'a [u8]>,
        rhs: Option<&'a [u8]>,
    ) {
        let Some(id) = field.kind.message() else { return };
        let ty = &self.schema()[id];
        let location = FieldLocation::new(format!("[{}]", ty.full_name), weight);
        let item = |bytes| Item::Message(ty, Cow::Borrowed(bytes));
        self.optional_items(field, location, lhs.map(item), rhs.map(item));
    }

    /// Compares a field that is not repeated; a side without it has the value `absent`, if there is one.
    fn singular(
        &mut self,
        reader: &ItemReader<'a>,
        location: FieldLocation<'a>,
        absent: Option<Value<'a>>,
        (lhs, rhs): (Option<&'a [u8]>, Option<&'a [u8]>),
    ) {
        let field = reader.field;
        let default = (!field.has_presence).then(|| default_of(self.schema(), field)).or(absent);
        let mut item = |run: Option<&'a [u8]>| {
            let given = run.and_then(|run| Records::new(run, 0).next()?.ok());
            let value = given.map(|record| record.value).or(default);
            value.map(|value| reader.item(value, 0, self.findings))
        };
        let (lhs, rhs) = (item(lhs), item(rhs));
        self.optional_items(field, location, lhs, rhs);
    }

    /// Compares a value that may be absent on one side.
    fn optional_items(
        &mut self,
        field: &'a Field,
        location: FieldLocation<'a>,
        lhs: Option<Item<'a>>,
        rhs: Option<Item<'a>>,
    ) {
        match (lhs, rhs) {
            (Some(lhs), Some(rhs)) => self.items(field, location, lhs, rhs),
            (Some(lhs), None) => self.removed(&location, self.text(field, &lhs)),
            (None, Some(rhs)) => self.added(&location, self.text(field, &rhs)),
            (None, None) => {}
        }
    }

    /// Compares a value that is present on both sides.
    pub(super) fn items(
        &mut self,
        field: &'a Field,
        location: FieldLocation<'a>,
        lhs: Item<'a>,
        rhs: Item<'a>,
    ) {
        match (lhs, rhs) {
            (Item::Message(ty, lhs), Item::Message(_, rhs)) => self.nested(location, ty, lhs, rhs),
            (lhs, rhs) if self.are_equivalent(field, &lhs, &rhs) => {}
            (lhs, rhs) => {
                let weight = location.weight.max(self.change_weight(field, &lhs, &rhs));
                let (lhs, rhs) = (self.text(field, &lhs), self.text(field, &rhs));
                self.modified(&FieldLocation { weight, ..location }, lhs, rhs);
            }
        }
    }

    fn change_weight(&self, field: &Field, lhs: &Item<'_>, rhs: &Item<'_>) -> Weight {
        match (lhs, rhs) {
            (Item::Scalar(Value::Len(lhs)), Item::Scalar(Value::Len(rhs)))
                if self.rules().is_cosmetic(self.ty, field, lhs, rhs) =>
            {
                Weight::Cosmetic
            }
            _ => Weight::Semantic,
        }
    }

    /// Whether two scalars are equal, close, or equivalent by the rules.
    pub(super) fn are_equivalent(&self, field: &Field, lhs: &Item<'_>, rhs: &Item<'_>) -> bool {
        match (lhs, rhs) {
            (Item::Scalar(lhs), Item::Scalar(rhs)) => self.are_equal(field, *lhs, *rhs),
            _ => false,
        }
    }

    fn are_equal(&self, field: &Field, lhs: Value<'_>, rhs: Value<'_>) -> bool {
        let tolerance = &self.differ.tolerance;
        lhs == rhs
            || match (field.kind, lhs, rhs) {
                (Kind::Float, Value::Fixed32(lhs), Value::Fixed32(rhs)) => {
                    compare::is_close(f32::from_bits(lhs), f32::from_bits(rhs), tolerance)
                }
                (Kind::Double, Value::Fixed64(lhs), Value::Fixed64(rhs)) => {
                    compare::is_close(f64::from_bits(lhs), f64::from_bits(rhs), tolerance)
                }
                (_, Value::Len(lhs), Value::Len(rhs)) => {
                    self.rules().are_equivalent(self.ty, field, lhs, rhs)
                }
                _ => false,
            }
    }

    /// Compares a list of numbers, which is reported as a whole.
    fn numbers(
        &mut self,
        field: &'a Field,
        location: &FieldLocation<'a>,
        lhs: &'a [u8],
        rhs: &'a [u8],
    ) {
        let text = |run: &[u8]| brief(self.schema(), BriefValue::Numbers(self.ty, field, run));
        let optional = |run: &[u8]| (!run.is_empty()).then(|| text(run));
        let (mut l, mut r) = (numbers(field, lhs), numbers(field, rhs));
        let is_equal = loop {
            match (l.next(), r.next()) {
                (Some(x), Some(y)) if self.are_equal(field, x, y) => {}
                (None, None) => break true,
                _ => break false,
            }
        };
        if !is_equal {
            self.push(location, optional(lhs), optional(rhs));
        }
    }

    /// The text of an item in a report.
    pub(super) fn text(&self, field: &Field, item: &Item<'_>) -> String {
        let value = match item {
            Item::Scalar(value) => BriefValue::Value(field, *value),
            Item::Message(ty, bytes) => BriefValue::Message(ty, bytes),
        };
        brief(self.schema(), value)
    }

    pub(super) fn nested(
        &mut self,
        location: FieldLocation<'a>,
        ty: &'a MessageType,
        lhs: Cow<'a, [u8]>,
        rhs: Cow<'a, [u8]>,
    ) {
        if lhs != rhs {
            let nested = Nested { location, ty, lhs, rhs };
            self.differences.push(Difference::Nested(Box::new(nested)));
        }
    }

    pub(super) fn added(&mut self, location: &FieldLocation<'_>, rhs: String) {
        self.push(location, None, Some(rhs));
    }

    pub(super) fn removed(&mut self, location: &FieldLocation<'_>, lhs: String) {
        self.push(location, Some(lhs), None);
    }

    pub(super) fn modified(&mut self, location: &FieldLocation<'_>, lhs: String, rhs: String) {
        self.push(location, Some(lhs), Some(rhs));
    }

    /// Reports a value that differs; a side without a value has none.
    pub(super) fn push(
        &mut self,
        location: &FieldLocation<'_>,
        lhs: Option<String>,
        rhs: Option<String>,
    ) {
        let change = Change::new(location.path(self.at), lhs, rhs).with_weight(location.weight);
        self.differences.push(Difference::Change(Box::new(change)));
    }
}

/// Whether a field has one message without fields.
fn is_empty_message(run: &[u8]) -> bool {
    let mut records = records(run);
    let is_empty = |record: Record<'_>| matches!(record.value, Value::Len([]));
    records.next().is_some_and(is_empty) && records.next().is_none()
}

/// The string in the record of a field; empty if there is none.
fn string(run: &[u8]) -> &[u8] {
    records(run).next().map_or(&[], |record| record.payload())
}

/// Whether the values of a field are numbers or enums, so that a list of them is reported as a whole.
fn is_number(field: &Field) -> bool {
    !matches!(field.wire_type, WireType::Len | WireType::Start)
}
