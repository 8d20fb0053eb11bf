//! Compares fields that the schema lacks, by number, wire type and occurrence.

use super::difference::FieldLocation;
use super::level::Level;
use crate::diff::join::join;
use crate::message::Value;
use crate::schema::Schema;
use crate::text::{BriefValue, brief};

/// The maximum number of values of a list in a report.
const MAX_VALUES: usize = 100;

/// The values of a field, by number and wire type.
type UnknownField<'v, 'a> = ((u32, u8), &'v [(u32, Value<'a>)]);

/// Compares the unknown fields of a message. A list of numbers is reported as a whole, as in a known field.
pub(super) fn compare(
    level: &mut Level<'_, '_>,
    lhs: &[(u32, Value<'_>)],
    rhs: &[(u32, Value<'_>)],
) {
    let (lhs, rhs) = (sorted(lhs), sorted(rhs));
    for pair in join(by_field(&lhs), by_field(&rhs), |(l, _), (r, _)| l.cmp(r)) {
        let ((Some(((number, _), _)), _) | (_, Some(((number, _), _)))) = pair else { continue };
        let (l, r) = (pair.0.map_or(&[][..], |(_, l)| l), pair.1.map_or(&[][..], |(_, r)| r));
        let location = FieldLocation::new(number.to_string(), level.weight);
        let is_list = l.len() > 1 || r.len() > 1;
        let are_numbers = !l.iter().chain(r).any(|(_, value)| is_long(value));
        if is_list && are_numbers {
            if l != r {
                let equal = l.iter().zip(r).take_while(|(x, y)| x == y).count();
                let schema = level.schema();
                let text = |values: &[_]| (!values.is_empty()).then(|| list(schema, values, equal));
                let (l, r) = (text(l), text(r));
                level.push(&location, l, r);
            }
            continue;
        }
        for at in 0..l.len().max(r.len()) {
            let (x, y) = (l.get(at), r.get(at));
            if x != y {
                let location = if is_list { location.index(at) } else { location.clone() };
                let schema = level.schema();
                let text = |(_, value): &(u32, Value<'_>)| text(schema, number, *value);
                level.push(&location, x.map(text), y.map(text));
            }
        }
    }
}

fn is_long(value: &Value<'_>) -> bool {
    matches!(value, Value::Len(_) | Value::Group(_))
}

/// The fields by number and wire type; the values of a field stay in order.
fn sorted<'a>(fields: &[(u32, Value<'a>)]) -> Vec<(u32, Value<'a>)> {
    let mut sorted = fields.to_vec();
    sorted.sort_by_key(|(number, value)| (*number, value.wire_type() as u8));
    sorted
}

fn by_field<'v, 'a>(sorted: &'v [(u32, Value<'a>)]) -> impl Iterator<Item = UnknownField<'v, 'a>> {
    let key = |(number, value): &(u32, Value<'_>)| (*number, value.wire_type() as u8);
    let fields = sorted.chunk_by(move |a, b| key(a) == key(b));
    fields.filter_map(move |values| Some((key(values.first()?), values)))
}

fn text(schema: &Schema, number: u32, value: Value<'_>) -> String {
    brief(schema, BriefValue::Unknown(number, value))
}

/// A list of numbers, `[1, 2, 3]`, of which the first `equal` are the same on the other side. Of a long list, the part around the first
/// difference.
fn list(schema: &Schema, values: &[(u32, Value<'_>)], equal: usize) -> String {
    let start = if equal < MAX_VALUES { 0 } else { equal };
    let shown = values.iter().skip(start).take(MAX_VALUES);
    let mut texts: Vec<_> = shown.map(|(number, value)| text(schema, *number, *value)).collect();
    if start > 0 {
        texts.insert(0, format!("… {start} equal values"));
    }
    if values.len() > start + MAX_VALUES {
        texts.push(format!("… {} in all", values.len()));
    }
    format!("[{}]", texts.join(", "))
}
