//! Random values for the fields of messages, and unknown fields.

use ckdiff::message::Writer;
use ckdiff::schema::{EnumType, WireType};

use crate::support::Random;

/// Boundary values, as 64 bits.
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

/// Boundary values of floats; the NaN is the one that every form can represent.
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

/// Characters at the boundaries of UTF-8 and UTF-16 lengths, and characters that programs often confuse.
const CHARS: &[char] = &[
    '\0',
    '\u{7f}',
    '\u{80}',
    '\u{85}',
    '\u{a0}',
    '\u{7ff}',
    '\u{800}',
    '\u{2028}',
    '\u{2029}',
    '\u{d7ff}',
    '\u{e000}',
    '\u{feff}',
    '\u{fffd}',
    '\u{ffff}',
    '\u{10000}',
    '\u{10ffff}',
];

/// Field numbers whose tags have all possible lengths.
const FIELDS: &[u32] = &[1, 15, 16, 2_047, 2_048, 19_000, 262_143, 262_144, 0x1fff_ff00];

fn one<T: Copy>(all: &[T], random: &mut Random) -> T {
    all[random.below(all.len() as u64) as usize]
}

pub(crate) fn bits(random: &mut Random) -> u64 {
    if random.one_in(2) { one(EDGES, random) } else { random.next() >> random.below(64) }
}

/// A boundary value, or a double with random bits that is not a NaN: text and JSON have only one NaN.
pub(crate) fn double(random: &mut Random) -> f64 {
    if random.one_in(2) {
        return one(FLOATS, random);
    }
    let float = f64::from_bits(bits(random));
    if float.is_nan() { 0.5 } else { float }
}

/// A boundary value, or a float with random bits that is not a NaN.
pub(crate) fn float(random: &mut Random) -> f32 {
    if random.one_in(2) {
        return one(FLOATS, random) as f32;
    }
    let float = f32::from_bits(bits(random) as u32);
    if float.is_nan() { 0.5 } else { float }
}

pub(crate) fn bytes(random: &mut Random) -> Vec<u8> {
    let len = random.below(40) as usize;
    random.bytes(len)
}

/// A number of an enum, usually one that has a name.
pub(crate) fn number_of(ty: &EnumType, random: &mut Random) -> i32 {
    if !ty.is_closed && random.below(4) == 3 {
        return bits(random) as i32;
    }
    let numbers: Vec<i32> = (-10..1_000).filter(|n| ty.value_name(*n).is_some()).collect();
    one(&numbers, random)
}

pub(crate) fn string(random: &mut Random) -> String {
    if random.below(2) == 0 {
        return one(STRINGS, random).to_owned();
    }
    let most = one(&[4, 4, 4, 16, 16, 16, 128, 300], random);
    (0..random.below(most + 1)).map(|_| char(random.next())).collect()
}

/// A character for a random number, usually ASCII.
fn char(number: u64) -> char {
    let rest = number / 4;
    match number % 4 {
        0 | 1 => char::from((rest % 128) as u8),
        2 => CHARS[rest as usize % CHARS.len()],
        _ => char::from_u32((rest % 0x11_0000) as u32).unwrap_or('\u{fffd}'),
    }
}

/// A number for an unknown field.
pub(crate) fn field_number(random: &mut Random) -> u32 {
    one(FIELDS, random) + random.below(30) as u32
}

/// Writes an unknown field of any wire type.
pub(crate) fn unknown(number: u32, random: &mut Random, depth: u64, out: &mut Writer) {
    match random.below(if depth < 3 { 5 } else { 4 }) {
        0 => {
            out.tag(number, WireType::Varint);
            out.varint(bits(random));
        }
        1 => {
            out.tag(number, WireType::Fixed64);
            out.raw(&bits(random).to_le_bytes());
        }
        2 => {
            out.tag(number, WireType::Len);
            out.len_prefixed(&bytes(random));
        }
        3 => {
            out.tag(number, WireType::Fixed32);
            out.raw(&(bits(random) as u32).to_le_bytes());
        }
        _ => {
            out.tag(number, WireType::Start);
            for _ in 0..random.below(4) {
                unknown(field_number(random), random, depth + 1, out);
            }
            out.tag(number, WireType::End);
        }
    }
}
