//! The kernels against the definition, and the functions that collect a part of the statistics against those that collect all.
#![expect(
    clippy::cast_possible_truncation,
    reason = "random numbers are truncated to bytes and indices"
)]

use bytemuck::cast_slice_mut;

use crate::compare::{CompareOptions, Comparison, NanPolicy, Tolerance};
use crate::tensor::{DType, Kind};

use super::*;
use crate::compare::grid::CELL;
use crate::compare::tensor_pair::PairKind;

#[path = "../../../tests/it/support/tolerances.rs"]
mod tolerances;

use tolerances::tolerances;

/// Collects statistics pair by pair.
struct Definition<'a>(Chunk<'a>, Collect);

impl Visit for Definition<'_> {
    type Out = ();

    fn number<T: Number>(self) {
        let Self(Chunk { lhs, rhs, tally, .. }, collect) = self;
        let (lhs, rhs) = (bytemuck::cast_slice::<u8, T>(lhs), bytemuck::cast_slice::<u8, T>(rhs));
        let scalars = |i: usize| (lhs[i].scalar(), rhs[i].scalar());
        pairs::numbers((lhs, rhs), collect, tally, scalars);
    }

    fn complex<T: ComplexNumber>(self) {
        let Self(Chunk { lhs, rhs, tally, .. }, collect) = self;
        let (lhs, rhs) = (bytemuck::cast_slice::<u8, T>(lhs), bytemuck::cast_slice::<u8, T>(rhs));
        pairs::complex(lhs, rhs, collect, tally);
    }

    fn boolean(self) {
        let Self(Chunk { lhs, rhs, tally, .. }, collect) = self;
        if collect == Collect::Relative {
            return;
        }
        pairs::booleans::<Bool>(bytemuck::cast_slice(lhs), bytemuck::cast_slice(rhs), tally);
    }

    fn bytes(self) {}
}

/// Random numbers (SplitMix64).
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let z = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    fn below(&mut self, bound: u64) -> u64 {
        self.next() % bound
    }
}

/// Bytes of whole elements, aligned for any.
struct Content(Vec<u64>, usize);

impl Content {
    fn new(len: usize) -> Self {
        Self(vec![0; len.div_ceil(8)], len)
    }

    fn bytes(&self) -> &[u8] {
        &bytemuck::cast_slice(&self.0)[..self.1]
    }

    fn bytes_mut(&mut self) -> &mut [u8] {
        &mut cast_slice_mut(&mut self.0)[..self.1]
    }
}

/// How rhs is derived from lhs.
#[derive(Clone, Copy, Debug, PartialEq)]
enum RhsContent {
    Same,
    AFewChanged,
    AllNudged,
    Random,
    /// Numbers that are a hundred times as large.
    MuchLarger,
}
const RHS_CONTENTS: [RhsContent; 5] = [
    RhsContent::Same,
    RhsContent::AFewChanged,
    RhsContent::AllNudged,
    RhsContent::Random,
    RhsContent::MuchLarger,
];

/// The numbers of a side.
#[derive(Clone, Copy, Debug)]
enum Numbers {
    /// Of similar magnitude.
    Ordinary,
    /// The same, except for a few random bit patterns.
    Mostly,
    /// Every fourth is a NaN, an infinity or a zero, the first too.
    NotFinite,
    /// NaN.
    AllNan,
    /// Close to each other, and far from 0.
    Offset,
    /// The same, except for a few random bit patterns.
    MostlyOffset,
    /// Up to 2^53 and beyond, so that differences of integers are exact only in their type.
    Large,
    /// Random bit patterns, which are mostly extreme floats.
    Bits,
}
const NUMBERS: [Numbers; 8] = [
    Numbers::Ordinary,
    Numbers::Mostly,
    Numbers::NotFinite,
    Numbers::AllNan,
    Numbers::Offset,
    Numbers::MostlyOffset,
    Numbers::Large,
    Numbers::Bits,
];

fn fill(bytes: &mut [u8], dtype: DType, kind: Numbers, factor: f64, random: &mut Random) {
    bytes.iter_mut().for_each(|byte| *byte = random.next() as u8);
    let (any, range, offset) = match kind {
        Numbers::Ordinary => (0, 2.0, 0.0),
        Numbers::Mostly => (1, 2.0, 0.0),
        Numbers::NotFinite | Numbers::AllNan => (0, 100.0, 100.5),
        Numbers::Offset => (0, 0.01, 100.0),
        Numbers::MostlyOffset => (1, 0.01, 100.0),
        Numbers::Large => (0, 2e16, 0.0),
        Numbers::Bits => return,
    };
    let mut ordinary = |element: &mut [u8], number: f64| {
        if random.below(200) >= any {
            match (element.len(), dtype.kind()) {
                (1, _) => {}
                (2, Kind::Integer) => element.copy_from_slice(&(number as i16).to_le_bytes()),
                (4, Kind::Integer) => element.copy_from_slice(&(number as i32).to_le_bytes()),
                (_, Kind::Integer) => element.copy_from_slice(&(number as i64).to_le_bytes()),
                (2, _) if dtype == DType::F16 => {
                    element.copy_from_slice(&half::f16::from_f64(number).to_le_bytes());
                }
                (2, _) => element.copy_from_slice(&half::bf16::from_f64(number).to_le_bytes()),
                (4, _) => element.copy_from_slice(&(number as f32).to_le_bytes()),
                _ => element.copy_from_slice(&number.to_le_bytes()),
            }
        }
    };
    let mut numbers = Random(7);
    let size = dtype.size().unwrap();
    for (at, element) in bytes.chunks_exact_mut(size).enumerate() {
        let number = (numbers.below(4000) as f64 / 2000.0 - 1.0) * range + offset;
        let special = [f64::NAN, -0.0, f64::INFINITY, 0.0, f64::NEG_INFINITY];
        let number = match kind {
            Numbers::AllNan => f64::NAN,
            Numbers::NotFinite if at % 4 == 0 => special[numbers.below(5) as usize],
            _ => number,
        };
        let number = number * factor * if dtype.kind() == Kind::Integer { 1000.0 } else { 1.0 };
        match dtype.kind() {
            Kind::Float | Kind::Integer => ordinary(element, number),
            Kind::Complex => element.chunks_exact_mut(size / 2).for_each(|x| ordinary(x, number)),
            _ => {}
        }
    }
}

fn pair_of(
    dtype: DType,
    elements: usize,
    numbers: Numbers,
    content: RhsContent,
    random: &mut Random,
) -> (Content, Content) {
    let size = dtype.size().unwrap();
    let (mut lhs, mut rhs) = (Content::new(elements * size), Content::new(elements * size));
    fill(lhs.bytes_mut(), dtype, numbers, 1.0, random);
    rhs.bytes_mut().copy_from_slice(lhs.bytes());
    let bytes = rhs.bytes_mut();
    match content {
        RhsContent::Same => {}
        RhsContent::AFewChanged => {
            for _ in 0..(1 + elements / 1000).min(bytes.len()) {
                let at = random.below(bytes.len() as u64) as usize;
                bytes[at] ^= 1 << random.below(8);
            }
        }
        RhsContent::AllNudged => {
            for element in bytes.chunks_exact_mut(size) {
                element[0] ^= random.below(4) as u8;
            }
        }
        RhsContent::Random => fill(bytes, dtype, numbers, 1.0, random),
        RhsContent::MuchLarger => fill(bytes, dtype, numbers, 100.0, random),
    }
    (lhs, rhs)
}

/// Runs `over` on the chunks of two tensors, as a unit does.
fn tally(
    (lhs, rhs): (&[u8], &[u8]),
    (lhs_size, rhs_size): (usize, usize),
    options: &CompareOptions,
    over: impl Fn(Chunk<'_>),
) -> Tally {
    let mut tally = Tally::new(options, 0);
    let step = 2 * CELL as usize;
    for (lhs, rhs) in lhs.chunks(step * lhs_size).zip(rhs.chunks(step * rhs_size)) {
        over(Chunk { lhs, rhs, equal: lhs == rhs, tally: &mut tally });
    }
    tally
}

/// The comparison of a tally, to the bit: as text, since a NaN would not equal itself.
fn finished(mut tally: Tally, lhs: DType, rhs: DType) -> String {
    tally.close();
    format!("{:?}", Comparison::new(&tally, PairKind::of(lhs, rhs).unwrap()))
}

fn fixed_width() -> impl Iterator<Item = (DType, usize)> {
    DType::ALL.iter().filter_map(|&dtype| Some((dtype, dtype.size()?)))
}

/// Every dtype, every kind of number and content, at lengths around those of blocks and cells.
fn all_pairs(mut check: impl FnMut(DType, usize, &[u8], &[u8], &str)) {
    let mut random = Random(1);
    for (dtype, size) in fixed_width() {
        for numbers in NUMBERS {
            // Types of a byte have every bit pattern.
            if size == 1 && !matches!(numbers, Numbers::Bits) {
                continue;
            }
            for content in RHS_CONTENTS {
                for elements in [0, 1, 16, 17, 2047, 2049] {
                    let (lhs, rhs) = pair_of(dtype, elements, numbers, content, &mut random);
                    let context = format!("{dtype} {numbers:?} {content:?} {elements}");
                    check(dtype, size, lhs.bytes(), rhs.bytes(), &context);
                }
            }
        }
    }
    for dtype in [DType::F32, DType::F64, DType::BF16, DType::I64] {
        let size = dtype.size().unwrap();
        let elements = 3 * CELL as usize + 500;
        let (lhs, rhs) =
            pair_of(dtype, elements, Numbers::Mostly, RhsContent::AllNudged, &mut random);
        check(dtype, size, lhs.bytes(), rhs.bytes(), &format!("{dtype} of several cells"));
    }
}

/// Tolerances that `f32` cannot express, and a whole number.
fn more_tolerances() -> Vec<Tolerance> {
    let pairs = [(1.0, 0.0), (2.5, 0.0), (1e-40, 0.0), (0.0, 1e-45), (1e35, 1e35), (0.0, 1e-30)];
    let tolerance = |(atol, rtol)| Tolerance::new(Some(atol), Some(rtol), None).unwrap();
    tolerances().into_iter().chain(pairs.map(tolerance)).collect()
}

#[test]
fn the_kernels_say_what_the_definition_says() {
    let further: Vec<_> = tolerances().into_iter().rev().collect();
    all_pairs(|dtype, size, lhs, rhs, context| {
        let check = |options: &CompareOptions| {
            let kernels =
                tally((lhs, rhs), (size, size), options, |chunk| compare(dtype, dtype, chunk));
            let definition = tally((lhs, rhs), (size, size), options, |chunk| {
                dtype.visit(Definition(chunk, Collect::Everything));
            });
            assert_eq!(
                finished(kernels, dtype, dtype),
                finished(definition, dtype, dtype),
                "{context} {options:?}"
            );
        };
        for (i, tolerance) in more_tolerances().into_iter().enumerate() {
            for nan in [NanPolicy::Equal, NanPolicy::Differ] {
                let plain = CompareOptions { tolerance, nan, ..CompareOptions::default() };
                check(&plain);
                // Each option alone with some tolerances, both together with all.
                let further = further.clone();
                match i % 3 {
                    0 => check(&CompareOptions { histogram: true, ..plain.clone() }),
                    1 => check(&CompareOptions { further: further.clone(), ..plain.clone() }),
                    _ => {}
                }
                check(&CompareOptions { further, histogram: true, ..plain });
            }
        }
    });
}

#[test]
fn elements_of_two_types_are_compared_by_value_as_defined() {
    let mut random = Random(1);
    for (lhs, lhs_size) in fixed_width() {
        for (rhs, rhs_size) in fixed_width().filter(|&(rhs, _)| rhs != lhs) {
            if PairKind::of(lhs, rhs).is_none() {
                continue;
            }
            for numbers in [Numbers::Mostly, Numbers::MostlyOffset, Numbers::Large] {
                let elements = 2100;
                let content = |dtype, size, random: &mut _| {
                    let mut content = Content::new(elements * size);
                    fill(content.bytes_mut(), dtype, numbers, 1.0, random);
                    content
                };
                let x = content(lhs, lhs_size, &mut random);
                let y = content(rhs, rhs_size, &mut random);
                for (i, tolerance) in more_tolerances().into_iter().enumerate() {
                    let nan = if i % 2 == 0 { NanPolicy::Equal } else { NanPolicy::Differ };
                    let further = if i % 3 == 0 { tolerances() } else { Vec::new() };
                    let histogram = i % 5 == 0;
                    let options = CompareOptions {
                        tolerance,
                        nan,
                        further,
                        histogram,
                        ..CompareOptions::default()
                    };
                    let sizes = (lhs_size, rhs_size);
                    let sides = (x.bytes(), y.bytes());
                    let kernels = tally(sides, sizes, &options, |chunk| compare(lhs, rhs, chunk));
                    let definition = tally(sides, sizes, &options, |chunk| {
                        pairs::mixed((lhs, chunk.lhs), (rhs, chunk.rhs), chunk.tally);
                    });
                    let context = format!("{lhs} {rhs} {numbers:?} {options:?}");
                    let [kernels, definition] =
                        [kernels, definition].map(|tally| finished(tally, lhs, rhs));
                    assert_eq!(kernels, definition, "{context}");
                }
            }
        }
    }
}

#[test]
fn the_sums_alone_are_those_among_everything() {
    let options =
        CompareOptions { histogram: true, further: tolerances(), ..CompareOptions::default() };
    all_pairs(|dtype, size, lhs, rhs, context| {
        let mut all =
            tally((lhs, rhs), (size, size), &options, |chunk| compare(dtype, dtype, chunk));
        let mut alone = tally((lhs, rhs), (size, size), &options, |chunk| sums(dtype, chunk));
        assert_eq!(alone.position, all.position, "{context}");
        all.close();
        alone.close();
        let kind = PairKind::of(dtype, dtype).unwrap();
        let all = Comparison::new(&all, kind);
        let nothing = Comparison::new(&Tally::new(&options, 0), kind);
        let expected = Comparison {
            elements: all.elements,
            rms: all.rms,
            rel_l2: all.rel_l2,
            diff_norm: all.diff_norm,
            norm: all.norm,
            cosine: all.cosine,
            mean: all.mean,
            std: all.std,
            ..nothing
        };
        assert_eq!(
            format!("{:?}", Comparison::new(&alone, kind)),
            format!("{expected:?}"),
            "{context}"
        );
    });
}

#[test]
fn relative_differences_alone_are_those_among_everything() {
    all_pairs(|dtype, _, lhs, rhs, context| {
        let mut alone = Tally::new(&CompareOptions::default(), 0);
        let mut by_pair = alone.clone();
        // Twice, since the second time no maximum changes.
        for _ in 0..2 {
            relative(dtype, lhs, rhs, &mut alone);
            let chunk = Chunk { lhs, rhs, equal: false, tally: &mut by_pair };
            dtype.visit(Definition(chunk, Collect::Relative));
            assert_eq!(format!("{alone:?}"), format!("{by_pair:?}"), "{context}");
        }
    });
}
