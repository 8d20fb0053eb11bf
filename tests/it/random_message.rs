//! Random messages of any type, from a seed.

use ckdiff::message::{Message, Writer};
use ckdiff::schema::{Field, Kind, MessageType, Schema, WellKnown, WireType};

use crate::support::Random;

/// Numbers that are at the edge of something, as 64 bits.
const EDGES: &[u64] = &[
    0,
    1,
    127,
    128,
    255,
    0x7fff_ffff,
    0x8000_0000,
    0xffff_ffff,
    0x7fff_ffff_ffff_ffff,
    0x8000_0000_0000_0000,
    u64::MAX,
];

/// Floats likewise; the one NaN that every form has.
const FLOATS: &[f64] = &[
    0.0,
    -0.0,
    1.0,
    -1.5,
    0.1,
    1e10,
    1e-7,
    1e16,
    123_456_789.0,
    f64::MAX,
    f64::MIN_POSITIVE,
    5e-324,
    f32::MAX as f64,
    1.4e-45,
    f64::INFINITY,
    f64::NEG_INFINITY,
    f64::NAN,
];

const STRINGS: &[&str] =
    &["", "a", "conv1/kernel:0", "é😀\u{7f}", "tab\t\"quote\" 'x' \\ \n\r\0", "\u{2028}{}[]<>#"];

/// A message of this type in canonical form, which JSON can carry.
pub(crate) fn message<'s>(
    schema: &'s Schema,
    ty: &'s MessageType,
    random: &mut Random,
) -> Message<'s> {
    Message::decode(schema, ty, records(schema, ty, random, 0).concat()).unwrap()
}

/// The records of a message, each by itself, in the order of the fields.
pub(crate) fn records(
    schema: &Schema,
    ty: &MessageType,
    random: &mut Random,
    depth: u64,
) -> Vec<Vec<u8>> {
    if ty.well_known == Some(WellKnown::Any) {
        return any(schema, random, depth);
    }
    let mut records = Vec::new();
    let chosen: Vec<u64> =
        ty.oneofs.iter().map(|oneof| random.below(oneof.fields.len().max(1) as u64)).collect();
    for field in &ty.fields {
        if let Some(oneof) = field.oneof.map(usize::from) {
            let place = ty.oneofs[oneof].fields.iter().position(|&at| at == field.position);
            if place.map(|place| place as u64) != Some(chosen[oneof]) {
                continue;
            }
        }
        let most = match (field.kind.message().is_some(), field.is_repeated()) {
            (true, _) if depth > 3 => 0,
            (_, true) => 3,
            _ => 1,
        };
        for _ in 0..random.below(most + 1) {
            records.push(record(schema, field, random, depth));
        }
    }
    records
}

fn record(schema: &Schema, field: &Field, random: &mut Random, depth: u64) -> Vec<u8> {
    let mut out = Writer::default();
    out.tag(field.number, field.kind.wire_type());
    value(schema, field, random, depth, &mut out);
    out.finish()
}

fn value(schema: &Schema, field: &Field, random: &mut Random, depth: u64, out: &mut Writer) {
    let edge = EDGES[random.below(EDGES.len() as u64) as usize];
    let bits = if random.one_in(2) { edge } else { random.next() >> random.below(64) };
    let float = FLOATS[random.below(FLOATS.len() as u64) as usize];
    match field.kind {
        Kind::Message(id) | Kind::Group(id) => {
            let inside = records(schema, &schema[id], random, depth + 1).concat();
            if field.kind.wire_type() == WireType::Start {
                out.raw(&inside);
                out.tag(field.number, WireType::End);
            } else {
                out.len_prefixed(&inside);
            }
        }
        Kind::String => {
            out.len_prefixed(STRINGS[random.below(STRINGS.len() as u64) as usize].as_bytes())
        }
        Kind::Bytes => {
            let len = random.below(40) as usize;
            out.len_prefixed(&random.bytes(len));
        }
        Kind::Double if random.one_in(2) => {
            // Any bits but those of a NaN, of which text and JSON have one.
            let float = f64::from_bits(bits);
            out.raw(&if float.is_nan() { 0.5 } else { float }.to_le_bytes());
        }
        Kind::Double => out.raw(&float.to_le_bytes()),
        Kind::Float if random.one_in(2) => {
            let float = f32::from_bits(bits as u32);
            out.raw(&if float.is_nan() { 0.5 } else { float }.to_le_bytes());
        }
        Kind::Float => out.raw(&(float as f32).to_le_bytes()),
        Kind::Enum(id) => {
            let numbers: Vec<i32> =
                (-1..1_000).filter(|n| schema[id].value_name(*n).is_some()).collect();
            let known = numbers[random.below(numbers.len() as u64) as usize];
            let number =
                if random.one_in(4) && !schema[id].is_closed { bits as i32 } else { known };
            out.varint(i64::from(number) as u64);
        }
        kind => match kind.wire_type() {
            WireType::Fixed64 => out.raw(&bits.to_le_bytes()),
            WireType::Fixed32 => out.raw(&(bits as u32).to_le_bytes()),
            _ => out.varint(bits),
        },
    }
}

/// An `Any` of some known type.
fn any(schema: &Schema, random: &mut Random, depth: u64) -> Vec<Vec<u8>> {
    if random.one_in(4) {
        return Vec::new();
    }
    let types =
        ["tensorflow.TensorShapeProto", "tensorflow.VersionDef", "google.protobuf.Int64Value"];
    let ty = schema.message(types[random.below(3) as usize]).unwrap();
    let inside =
        Message::decode(schema, ty, records(schema, ty, random, depth + 1).concat()).unwrap();
    let part = |number, bytes: &[u8]| {
        let mut out = Writer::default();
        out.tag(number, WireType::Len);
        out.len_prefixed(bytes);
        out.finish()
    };
    let url = format!("type.googleapis.com/{}", ty.full_name);
    vec![part(1, url.as_bytes()), part(2, inside.bytes())]
}
