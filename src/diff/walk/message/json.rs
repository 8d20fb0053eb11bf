//! Compares strings that contain JSON, by the values in it.
//!
//! Members of objects are paired by name in any order; of a member that is given twice the last one counts, as in Python. Items of arrays
//! are aligned: first equal ones, then objects of one class and name, then the others in order. A text that is no JSON, is too long or is
//! nested too deep is compared as a string.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::ops::Range;

use serde_json::value::RawValue;

use super::align::align;
use super::difference::{Difference, FieldLocation};
use super::item::Item;
use super::level::Level;
use crate::compare;
use crate::diff::counters::unnumbered;
use crate::diff::join::join;
use crate::diff::path::PathBuilder;
use crate::diff::{Change, Weight};
use crate::message::Value;
use crate::text::cut;

/// The longest JSON that is read, in bytes: each level of nesting is read once more.
const MAX_BYTES: usize = 16 << 20;

/// The deepest nesting that is read, as in most readers of JSON.
const MAX_DEPTH: usize = 128;

/// The longest array whose items are aligned. Longer ones are compared as a whole.
const MAX_ITEMS: usize = 50_000;

/// How many bytes may be read to align the items of arrays. Arrays that are left after that are compared as a whole.
const MAX_ALIGNED: usize = 64 << 20;

/// The members that identify an object in an array.
const CLASS: &str = "class_name";
const CONFIG: &str = "config";
const NAME: &str = "name";

type Object<'t> = BTreeMap<Cow<'t, str>, &'t RawValue>;

/// Compares two strings as JSON; the members named `cosmetic` do not matter. `false` if they cannot be compared as JSON.
pub(super) fn compare(
    level: &mut Level<'_, '_>,
    location: &FieldLocation<'_>,
    cosmetic: &[&str],
    (lhs, rhs): (&[u8], &[u8]),
) -> bool {
    let (Some(lhs), Some(rhs)) = (read(lhs), read(rhs)) else { return false };
    let field = level.at.field(&location.name);
    let at = location.selector.path_in(&field);
    Differ { level, cosmetic, left: MAX_ALIGNED }.values(
        &at,
        location.weight,
        (lhs, rhs),
        MAX_DEPTH,
    );
    true
}

/// The JSON in a string.
fn read(text: &[u8]) -> Option<&RawValue> {
    serde_json::from_slice(text).ok().filter(|_| text.len() <= MAX_BYTES)
}

/// The comparison of two values.
struct Differ<'d, 'a, 'w> {
    level: &'d mut Level<'a, 'w>,
    cosmetic: &'d [&'d str],
    /// How many bytes may still be read to align items.
    left: usize,
}

impl Differ<'_, '_, '_> {
    /// Compares two values, and those inside to the depth `depth`.
    fn values(
        &mut self,
        at: &PathBuilder<'_>,
        weight: Weight,
        (lhs, rhs): (&RawValue, &RawValue),
        depth: usize,
    ) {
        if lhs.get() == rhs.get() {
            return;
        }
        match (Opened::new(lhs, depth), Opened::new(rhs, depth)) {
            (Opened::Object(lhs), Opened::Object(rhs)) => {
                self.objects(at, weight, (&lhs, &rhs), depth - 1);
            }
            (Opened::Array(l), Opened::Array(r))
                if l.len().max(r.len()) <= MAX_ITEMS && self.may_align(lhs, rhs, depth) =>
            {
                self.arrays(at, weight, (&l, &r), depth - 1);
            }
            (l, r) if self.are_equal(&l, &r) => {}
            _ => self.push(at, weight, Some(lhs), Some(rhs)),
        }
    }

    /// Whether the items of two arrays may be aligned, for which the text is read once for each level inside.
    fn may_align(&mut self, lhs: &RawValue, rhs: &RawValue, depth: usize) -> bool {
        let cost = |value: &RawValue| value.get().len() * nesting(value.get()).min(depth);
        let left = self.left.checked_sub(cost(lhs) + cost(rhs));
        self.left = left.unwrap_or(self.left);
        left.is_some()
    }

    /// Whether two values are equal, or are close numbers.
    fn are_equal(&self, lhs: &Opened<'_>, rhs: &Opened<'_>) -> bool {
        match (lhs, rhs) {
            (Opened::String(lhs), Opened::String(rhs)) => lhs == rhs,
            (Opened::Number(lhs), Opened::Number(rhs)) => {
                let tolerance = &self.level.differ.tolerance;
                let are_close = |lhs, rhs| compare::is_close::<f64>(lhs, rhs, tolerance);
                number(lhs) == number(rhs)
                    || !tolerance.is_bits()
                        && finite(lhs).zip(finite(rhs)).is_some_and(|(l, r)| are_close(l, r))
            }
            _ => false,
        }
    }

    fn objects(
        &mut self,
        at: &PathBuilder<'_>,
        weight: Weight,
        (lhs, rhs): (&Object<'_>, &Object<'_>),
        depth: usize,
    ) {
        for (l, r) in join(lhs.iter(), rhs.iter(), |(l, _), (r, _)| l.cmp(r)) {
            let Some((name, _)) = l.or(r) else { continue };
            let at = if is_word(name) { at.field(name) } else { at.key(name) };
            let weight = match self.cosmetic.contains(&&**name) {
                true => Weight::Cosmetic,
                false => weight,
            };
            match (l, r) {
                (Some((_, lhs)), Some((_, rhs))) => self.values(&at, weight, (lhs, rhs), depth),
                _ => self.push(&at, weight, l.map(|(_, l)| *l), r.map(|(_, r)| *r)),
            }
        }
    }

    fn arrays(
        &mut self,
        at: &PathBuilder<'_>,
        weight: Weight,
        (lhs, rhs): (&[&RawValue], &[&RawValue]),
        depth: usize,
    ) {
        for (lhs_at, rhs_at) in self.aligned(lhs, rhs, depth) {
            let l = lhs_at.and_then(|position| lhs.get(position)).copied();
            let r = rhs_at.and_then(|position| rhs.get(position)).copied();
            let place = (lhs_at.or(rhs_at), rhs_at.or(lhs_at));
            let at = at.index_pair(place.0.unwrap_or_default(), place.1.unwrap_or_default());
            match (l, r) {
                (Some(l), Some(r)) => self.values(&at, weight, (l, r), depth),
                _ => self.push(&at, weight, l, r),
            }
        }
    }

    /// The positions of all items, those of both sides in pairs.
    fn aligned(
        &self,
        lhs: &[&RawValue],
        rhs: &[&RawValue],
        depth: usize,
    ) -> Vec<(Option<usize>, Option<usize>)> {
        let texts = |items: &[&RawValue]| -> Vec<String> {
            let text = |item: &&RawValue| {
                let mut text = String::new();
                self.write_canonical(item, depth, &mut text);
                text
            };
            items.iter().map(text).collect()
        };
        let (l, r) = (texts(lhs), texts(rhs));
        let equal = align(&items(&l), &items(&r));
        let mut pairs = Vec::with_capacity(lhs.len().max(rhs.len()));
        for (left, right) in gaps(&equal, lhs.len(), rhs.len()) {
            pair_by_identity((lhs, left.clone()), (rhs, right.clone()), &mut pairs);
            if left.end < lhs.len() {
                pairs.push((Some(left.end), Some(right.end)));
            }
        }
        pairs
    }

    /// Writes a value so that equal values have one text: members by name and without cosmetic ones, strings without the numbers that
    /// TensorFlow appends to names, numbers in one notation.
    fn write_canonical(&self, value: &RawValue, depth: usize, out: &mut String) {
        match Opened::new(value, depth) {
            Opened::Object(members) => {
                out.push('{');
                let kept = members.iter().filter(|(name, _)| !self.cosmetic.contains(&&***name));
                for (name, value) in kept {
                    out.push_str(&format!("{name:?}:"));
                    self.write_canonical(value, depth - 1, out);
                    out.push(',');
                }
                out.push('}');
            }
            Opened::Array(items) => {
                out.push('[');
                for item in items {
                    self.write_canonical(item, depth - 1, out);
                    out.push(',');
                }
                out.push(']');
            }
            // A layer that is numbered anew is the same one.
            Opened::String(text) => out.push_str(&format!("{:?}", unnumbered(&text))),
            Opened::Number(text) => out.push_str(&number(text)),
            Opened::Other(text) => out.push_str(text),
        }
    }

    fn push(
        &mut self,
        at: &PathBuilder<'_>,
        weight: Weight,
        lhs: Option<&RawValue>,
        rhs: Option<&RawValue>,
    ) {
        // Control characters occur between the values only.
        let text = |value: &RawValue| cut(&value.get().replace(['\n', '\r', '\t'], " "));
        let change = Change::new(at.path(), lhs.map(text), rhs.map(text)).with_weight(weight);
        self.level.differences.push(Difference::Change(Box::new(change)));
    }
}

/// A value, of which one level is read.
enum Opened<'t> {
    Object(Object<'t>),
    Array(Vec<&'t RawValue>),
    String(Cow<'t, str>),
    Number(&'t str),
    /// `true`, `false` and `null`; a value that is nested too deep; strings that are not Unicode.
    Other(&'t str),
}

impl<'t> Opened<'t> {
    fn new(value: &'t RawValue, depth: usize) -> Self {
        let text = value.get();
        let opened = match text.bytes().next() {
            Some(b'{') if depth > 0 => serde_json::from_str(text).ok().map(Self::Object),
            Some(b'[') if depth > 0 => serde_json::from_str(text).ok().map(Self::Array),
            Some(b'"') => serde_json::from_str(text).ok().map(Self::String),
            Some(b'-' | b'0'..=b'9') => Some(Self::Number(text)),
            _ => None,
        };
        opened.unwrap_or(Self::Other(text))
    }
}

/// The number of levels in a JSON text.
fn nesting(text: &str) -> usize {
    let (mut open, mut most) = (0usize, 0);
    let mut bytes = text.bytes();
    while let Some(byte) = bytes.next() {
        match byte {
            b'[' | b'{' => open += 1,
            b']' | b'}' => open = open.saturating_sub(1),
            b'"' => {
                while let Some(inside) = bytes.next().filter(|&inside| inside != b'"') {
                    // An escaped quote does not end the string.
                    if inside == b'\\' {
                        bytes.next();
                    }
                }
            }
            _ => {}
        }
        most = most.max(open);
    }
    most
}

/// Whether a name can stand in a path without quotes.
fn is_word(name: &str) -> bool {
    let is_letter = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'_';
    name.bytes().all(is_letter) && name.starts_with(|c: char| !c.is_ascii_digit())
}

/// The ranges of items before, between and after pairs of equal ones.
fn gaps(equal: &[(usize, usize)], lhs: usize, rhs: usize) -> Vec<(Range<usize>, Range<usize>)> {
    let (mut l, mut r) = (0, 0);
    let ends = equal.iter().copied().chain([(lhs, rhs)]);
    ends.map(|(x, y)| {
        let gap = (l..x, r..y);
        (l, r) = (x + 1, y + 1);
        gap
    })
    .collect()
}

/// Pairs the items of two ranges: objects of one class and name, then those between them in order, unless their classes differ.
fn pair_by_identity(
    (lhs, left): (&[&RawValue], Range<usize>),
    (rhs, right): (&[&RawValue], Range<usize>),
    pairs: &mut Vec<(Option<usize>, Option<usize>)>,
) {
    let identities = |all: &[&RawValue], range: &Range<usize>| -> Vec<Identity> {
        let items = all.get(range.clone()).unwrap_or_default().iter();
        items.map(|item| Identity::of(item)).collect()
    };
    let (l, r) = (identities(lhs, &left), identities(rhs, &right));
    let named = align(&Identity::items(&l, 0), &Identity::items(&r, 1));
    for (x, y) in gaps(&named, l.len(), r.len()) {
        let both = x.len().min(y.len());
        for (i, j) in x.clone().zip(y.clone()) {
            let (i_at, j_at) = (left.start + i, right.start + j);
            match l.get(i).map(|of| &of.class) == r.get(j).map(|of| &of.class) {
                true => pairs.push((Some(i_at), Some(j_at))),
                false => pairs.extend([(Some(i_at), None), (None, Some(j_at))]),
            }
        }
        pairs.extend((x.start + both..x.end).map(|i| (Some(left.start + i), None)));
        pairs.extend((y.start + both..y.end).map(|j| (None, Some(right.start + j))));
        if x.end < l.len() {
            pairs.push((Some(left.start + x.end), Some(right.start + y.end)));
        }
    }
}

/// What makes an object in an array the counterpart of another.
struct Identity {
    /// The text of its class; `None` if it has none.
    class: Option<String>,
    /// The texts of its class and name; empty if it lacks one.
    class_and_name: String,
}

impl Identity {
    fn of(value: &RawValue) -> Self {
        let Opened::Object(members) = Opened::new(value, 1) else {
            return Self { class: None, class_and_name: String::new() };
        };
        let text = |value: &&RawValue| value.get().to_owned();
        let class = members.get(CLASS).map(text);
        let config = members.get(CONFIG).map(|config| Opened::new(config, 1));
        let of_config = match &config {
            Some(Opened::Object(config)) => config.get(NAME).map(text),
            _ => None,
        };
        let name = members.get(NAME).map(text).or(of_config);
        let class_and_name = match (&class, name) {
            (Some(class), Some(name)) => format!("{class} {name}"),
            _ => String::new(),
        };
        Self { class, class_and_name }
    }

    /// The items to align; one without a name has no counterpart on the other side, which has another `side`.
    fn items(all: &[Self], side: u64) -> Vec<Item<'_>> {
        let items = all.iter().zip((side..).step_by(2)).map(|(of, position)| {
            Item::Scalar(match of.class_and_name.is_empty() {
                true => Value::Varint(position),
                false => Value::Len(of.class_and_name.as_bytes()),
            })
        });
        items.collect()
    }
}

fn items(texts: &[String]) -> Vec<Item<'_>> {
    texts.iter().map(|text| Item::Scalar(Value::Len(text.as_bytes()))).collect()
}

/// A number in one notation: `1`, `1.0` and `10e-1` are the same one. An integer keeps all of its digits.
fn number(text: &str) -> Cow<'_, str> {
    let is_integer = text.bytes().all(|byte| byte.is_ascii_digit() || byte == b'-');
    match finite(text) {
        Some(value) if !is_integer => value.to_string().into(),
        _ if text == "-0" => "0".into(),
        _ => text.into(),
    }
}

/// The number, unless it is out of range.
fn finite(text: &str) -> Option<f64> {
    text.parse().ok().filter(|value: &f64| value.is_finite())
}
