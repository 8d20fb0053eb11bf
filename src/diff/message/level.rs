//! One level of two messages: what differs in it, and what has to be looked into.

use std::borrow::Cow;

use super::entry::{Entry, Inside, Spot};
use super::fields::{Fields, numbers};
use super::item::{Item, Source, default_of};
use super::messages::{Messages, change};
use super::rules::{ListAs, Rules, Treatment};
use super::{any, keyed, list, map, set, unknown};
use crate::compare;
use crate::diff::path::Trail;
use crate::diff::{ChangeKind, Path, Weight};
use crate::message::{Records, Value};
use crate::schema::{Field, Kind, MessageType, Schema, WellKnown, WireType};
use crate::text::{BriefValue, brief};

/// One level of two messages while it is compared.
pub(super) struct Level<'a, 'w> {
    pub(super) messages: &'a Messages<'a>,
    pub(super) ty: &'a MessageType,
    pub(super) at: &'w Trail<'w>,
    /// What the way here leaves of the weight of changes.
    pub(super) weight: Weight,
    pub(super) entries: Vec<Entry<'a>>,
    pub(super) findings: &'w mut Vec<(Path, String)>,
}

/// What differs at the level of two messages, the pairs inside among it.
#[inline(never)]
pub(super) fn entries<'a, 'w>(
    messages: &'a Messages<'a>,
    (ty, lhs, rhs): (&'a MessageType, &'a [u8], &'a [u8]),
    (at, weight): (&'w Trail<'w>, Weight),
    findings: &'w mut Vec<(Path, String)>,
) -> Vec<Entry<'a>> {
    let mut level = Level { messages, ty, at, weight, entries: Vec::new(), findings };
    let (lhs, rhs) = (Fields::of(messages.schema, ty, lhs), Fields::of(messages.schema, ty, rhs));
    if ty.well_known != Some(WellKnown::Any) || !any::compare(&mut level, &lhs, &rhs) {
        level.known(&lhs, &rhs);
    }
    let weight = level.weight;
    unknown::compare(&mut level, weight, &lhs.unknown, &rhs.unknown);
    level.entries
}

impl<'a, 'w> Level<'a, 'w> {
    pub(super) fn schema(&self) -> &'a Schema {
        self.messages.schema
    }

    pub(super) fn rules(&self) -> &'a dyn Rules {
        self.messages.rules
    }

    /// Goes along the fields of both sides by number.
    fn known(&mut self, lhs: &Fields<'a>, rhs: &Fields<'a>) {
        let mut l = lhs.known.iter().copied().peekable();
        let mut r = rhs.known.iter().copied().peekable();
        loop {
            let next = match (l.peek(), r.peek()) {
                (Some((x, _)), Some((y, _))) => Some(if x.number <= y.number { *x } else { *y }),
                (Some((x, _)), None) => Some(*x),
                (None, y) => y.map(|(y, _)| *y),
            };
            let Some(field) = next else { break };
            let left = l.next_if(|(x, _)| x.number == field.number).map(|(_, run)| run);
            let right = r.next_if(|(y, _)| y.number == field.number).map(|(_, run)| run);
            if left != right {
                self.field(field, left, right);
            }
        }
    }

    fn field(&mut self, field: &'a Field, lhs: Option<&'a [u8]>, rhs: Option<&'a [u8]>) {
        let treatment = self.messages.rules.treatment(self.ty, field, self.at);
        if treatment.skip {
            return;
        }
        let spot = Spot::new(&field.text_name, self.weight.max(treatment.weight));
        if self.ty.is_message_set {
            return self.set_item(field, spot.weight, lhs, rhs);
        }
        let (l, r) = (lhs.unwrap_or_default(), rhs.unwrap_or_default());
        if field.is_map() {
            return map::compare(self, field, &spot, l, r);
        }
        let source = Source::new(self, field, &treatment);
        if !field.is_repeated() {
            return self.singular(&source, &spot, lhs, rhs);
        }
        if treatment.list == ListAs::List && is_number(field) {
            return self.numbers(field, &spot, l, r);
        }
        self.list(&source, &spot, &treatment, (l, r));
    }

    fn list(
        &mut self,
        source: &Source<'a, 'w>,
        spot: &Spot<'a>,
        treatment: &Treatment<'_>,
        (lhs, rhs): (&'a [u8], &'a [u8]),
    ) {
        let lhs = source.items(lhs, self.findings);
        let rhs = source.items(rhs, self.findings);
        match treatment.list {
            ListAs::List => list::compare(self, source.field, spot, &lhs, &rhs),
            ListAs::Set => set::compare(self, source.field, spot, &lhs, &rhs),
            ListAs::Keyed(keys) => keyed::compare(self, source.field, spot, keys, (&lhs, &rhs)),
        }
    }

    /// An item of a message set, which text knows by the name of its type.
    fn set_item(
        &mut self,
        field: &'a Field,
        weight: Weight,
        lhs: Option<&'a [u8]>,
        rhs: Option<&'a [u8]>,
    ) {
        let Some(id) = field.kind.message() else { return };
        let ty = &self.schema()[id];
        let name = Cow::Owned(format!("[{}]", ty.full_name));
        let spot = Spot { name, ..Spot::new("", weight) };
        let item = |bytes| Item::Message(ty, Cow::Borrowed(bytes));
        self.either(field, spot, lhs.map(item), rhs.map(item));
    }

    fn singular(
        &mut self,
        source: &Source<'a, 'w>,
        spot: &Spot<'a>,
        lhs: Option<&'a [u8]>,
        rhs: Option<&'a [u8]>,
    ) {
        let field = source.field;
        let default = (!field.has_presence).then(|| default_of(field));
        let mut item = |run: Option<&'a [u8]>| {
            let given = run.and_then(|run| Records::new(run, 0).next()?.ok());
            let value = given.map(|record| record.value).or(default);
            value.map(|value| source.item(value, 0, self.findings))
        };
        let (lhs, rhs) = (item(lhs), item(rhs));
        self.either(field, spot.clone(), lhs, rhs);
    }

    /// A value that one side may lack.
    pub(super) fn either(
        &mut self,
        field: &'a Field,
        spot: Spot<'a>,
        lhs: Option<Item<'a>>,
        rhs: Option<Item<'a>>,
    ) {
        match (lhs, rhs) {
            (Some(lhs), Some(rhs)) => self.pair(field, spot, lhs, rhs),
            (Some(lhs), None) => self.removed(&spot, self.text(field, &lhs)),
            (None, Some(rhs)) => self.added(&spot, self.text(field, &rhs)),
            (None, None) => {}
        }
    }

    /// A value that both sides have.
    pub(super) fn pair(&mut self, field: &'a Field, spot: Spot<'a>, lhs: Item<'a>, rhs: Item<'a>) {
        match (lhs, rhs) {
            (Item::Message(ty, lhs), Item::Message(_, rhs)) => self.inside(spot, ty, lhs, rhs),
            (Item::Scalar(lhs), Item::Scalar(rhs)) if self.is_same(field, lhs, rhs) => {}
            (lhs, rhs) => {
                let weight = spot.weight.max(self.weight_of(field, &lhs, &rhs));
                let (lhs, rhs) = (self.text(field, &lhs), self.text(field, &rhs));
                self.modified(&Spot { weight, ..spot }, lhs, rhs);
            }
        }
    }

    /// How much it matters that one value became another.
    fn weight_of(&self, field: &Field, lhs: &Item<'_>, rhs: &Item<'_>) -> Weight {
        match (lhs, rhs) {
            (Item::Scalar(Value::Len(lhs)), Item::Scalar(Value::Len(rhs)))
                if self.rules().spells_the_same(self.ty, field, lhs, rhs) =>
            {
                Weight::Cosmetic
            }
            _ => Weight::Semantic,
        }
    }

    /// Whether two values are the same, or as good as that.
    fn is_same(&self, field: &Field, lhs: Value<'_>, rhs: Value<'_>) -> bool {
        let tolerance = &self.messages.tolerance;
        lhs == rhs
            || match (field.kind, lhs, rhs) {
                (Kind::Float, Value::Fixed32(lhs), Value::Fixed32(rhs)) => {
                    compare::is_close(f32::from_bits(lhs), f32::from_bits(rhs), tolerance)
                }
                (Kind::Double, Value::Fixed64(lhs), Value::Fixed64(rhs)) => {
                    compare::is_close(f64::from_bits(lhs), f64::from_bits(rhs), tolerance)
                }
                (_, Value::Len(lhs), Value::Len(rhs)) => {
                    self.messages.rules.says_the_same(self.ty, field, lhs, rhs)
                }
                _ => false,
            }
    }

    /// Whether two items are the same by the rules, other than by their bytes.
    pub(super) fn says_the_same(&self, field: &Field, lhs: &Item<'_>, rhs: &Item<'_>) -> bool {
        match (lhs, rhs) {
            (Item::Scalar(lhs), Item::Scalar(rhs)) => self.is_same(field, *lhs, *rhs),
            _ => false,
        }
    }

    /// A list of numbers, which is told of as a whole.
    fn numbers(&mut self, field: &'a Field, spot: &Spot<'a>, lhs: &'a [u8], rhs: &'a [u8]) {
        let text = |run| brief(self.schema(), BriefValue::Numbers(self.ty, field, run));
        if lhs.is_empty() {
            return self.added(spot, text(rhs));
        }
        if rhs.is_empty() {
            return self.removed(spot, text(lhs));
        }
        let (mut l, mut r) = (numbers(field, lhs), numbers(field, rhs));
        let is_same = loop {
            match (l.next(), r.next()) {
                (Some(x), Some(y)) if self.is_same(field, x, y) => {}
                (None, None) => break true,
                _ => break false,
            }
        };
        if !is_same {
            let (lhs, rhs) = (text(lhs), text(rhs));
            self.modified(spot, lhs, rhs);
        }
    }

    /// An item as it is told.
    pub(super) fn text(&self, field: &Field, item: &Item<'_>) -> String {
        let shown = match item {
            Item::Scalar(value) => BriefValue::Value(field, *value),
            Item::Message(ty, bytes) => BriefValue::Message(ty, bytes),
        };
        brief(self.schema(), shown)
    }

    pub(super) fn inside(
        &mut self,
        spot: Spot<'a>,
        ty: &'a MessageType,
        lhs: Cow<'a, [u8]>,
        rhs: Cow<'a, [u8]>,
    ) {
        if lhs != rhs {
            let Spot { name, which, weight } = spot;
            self.entries.push(Entry::Inside(Box::new(Inside {
                name,
                which,
                weight,
                ty,
                lhs,
                rhs,
            })));
        }
    }

    pub(super) fn added(&mut self, spot: &Spot<'_>, rhs: String) {
        self.push(spot, ChangeKind::Added, None, Some(rhs));
    }

    pub(super) fn removed(&mut self, spot: &Spot<'_>, lhs: String) {
        self.push(spot, ChangeKind::Removed, Some(lhs), None);
    }

    pub(super) fn modified(&mut self, spot: &Spot<'_>, lhs: String, rhs: String) {
        self.push(spot, ChangeKind::Modified, Some(lhs), Some(rhs));
    }

    fn push(
        &mut self,
        spot: &Spot<'_>,
        kind: ChangeKind,
        lhs: Option<String>,
        rhs: Option<String>,
    ) {
        let mut change = change(spot.path(self.at), kind, lhs, rhs);
        change.weight = spot.weight;
        self.entries.push(Entry::Change(Box::new(change)));
    }
}

/// Whether values of the field are numbers or enums, and a list of them is told of as a whole.
fn is_number(field: &Field) -> bool {
    !matches!(field.wire_type, WireType::Len | WireType::Start)
}
