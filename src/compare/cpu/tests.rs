//! The lanes against the definition, and the functions that collect a part of the statistics against those that collect all.
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
        let (lhs, rhs) = (bytemuck::cast_slice::<u8, T>(lhs), bytemuck::cast_slice(rhs));
        pairs::numbers(lhs, rhs, collect, tally);
    }

    fn complex<T: ComplexNumber>(self) {
        SameType { chunk: self.0, collect: self.1 }.complex::<T>();
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
}
const RHS_CONTENTS: [RhsContent; 4] =
    [RhsContent::Same, RhsContent::AFewChanged, RhsContent::AllNudged, RhsContent::Random];

/// The numbers of a side.
#[derive(Clone, Copy, Debug)]
enum Numbers {
    /// Of similar magnitude.
    Ordinary,
    /// The same, except for a few random bit patterns, so that some blocks need the definition.
    Mostly,
    /// Random bit patterns, which are mostly extreme floats.
    Bits,
}
const NUMBERS: [Numbers; 3] = [Numbers::Ordinary, Numbers::Mostly, Numbers::Bits];

fn fill(bytes: &mut [u8], dtype: DType, numbers: Numbers, random: &mut Random) {
    bytes.iter_mut().for_each(|byte| *byte = random.next() as u8);
    let any = match numbers {
        Numbers::Ordinary => 0,
        Numbers::Mostly => 1,
        Numbers::Bits => return,
    };
    let mut ordinary = |element: &mut [u8], number: f64| {
        if random.below(200) >= any {
            match element.len() {
                2 if dtype == DType::F16 => {
                    element.copy_from_slice(&half::f16::from_f64(number).to_le_bytes());
                }
                2 => element.copy_from_slice(&half::bf16::from_f64(number).to_le_bytes()),
                4 => element.copy_from_slice(&(number as f32).to_le_bytes()),
                8 => element.copy_from_slice(&number.to_le_bytes()),
                _ => {}
            }
        }
    };
    let mut numbers = Random(7);
    let size = dtype.size().unwrap();
    for element in bytes.chunks_exact_mut(size) {
        let number = numbers.below(4000) as f64 / 1000.0 - 2.0;
        match dtype.kind() {
            Kind::Float => ordinary(element, number),
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
    fill(lhs.bytes_mut(), dtype, numbers, random);
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
        RhsContent::Random => fill(bytes, dtype, numbers, random),
    }
    (lhs, rhs)
}

/// Runs `over` on the chunks of two tensors, as a unit does.
fn tally(
    (lhs, rhs): (&[u8], &[u8]),
    size: usize,
    options: &CompareOptions,
    over: impl Fn(Chunk<'_>),
) -> Tally {
    let mut tally = Tally::new(options, 0);
    let step = CELL as usize * size;
    for (lhs, rhs) in lhs.chunks(step).zip(rhs.chunks(step)) {
        over(Chunk { lhs, rhs, equal: lhs == rhs, tally: &mut tally });
    }
    tally
}

/// The comparison of a tally, to the bit: as text, since a NaN would not equal itself.
fn finished(mut tally: Tally, dtype: DType) -> String {
    tally.close();
    format!("{:?}", Comparison::new(&tally, PairKind::of(dtype, dtype).unwrap()))
}

fn fixed_width() -> impl Iterator<Item = (DType, usize)> {
    DType::ALL.iter().filter_map(|&dtype| Some((dtype, dtype.size()?)))
}

/// Every dtype, every kind of number and content, at lengths around those of blocks, tiles and stretches.
fn all_pairs(mut check: impl FnMut(DType, usize, &[u8], &[u8], &str)) {
    let mut random = Random(1);
    for (dtype, size) in fixed_width() {
        for numbers in NUMBERS {
            // Integers are always random bit patterns.
            if matches!(dtype.kind(), Kind::Integer | Kind::Bool)
                && !matches!(numbers, Numbers::Bits)
            {
                continue;
            }
            for content in RHS_CONTENTS {
                for elements in [0, 1, 15, 16, 17, 1023, 2100] {
                    let (lhs, rhs) = pair_of(dtype, elements, numbers, content, &mut random);
                    let context = format!("{dtype} {numbers:?} {content:?} {elements}");
                    check(dtype, size, lhs.bytes(), rhs.bytes(), &context);
                }
            }
        }
    }
    for dtype in [DType::F32, DType::F64, DType::BF16, DType::I64] {
        let size = dtype.size().unwrap();
        let elements = CELL as usize + 5000;
        let (lhs, rhs) =
            pair_of(dtype, elements, Numbers::Mostly, RhsContent::AllNudged, &mut random);
        check(dtype, size, lhs.bytes(), rhs.bytes(), &format!("{dtype} of more than a cell"));
    }
}

#[test]
fn the_lanes_say_what_the_definition_says() {
    let further: Vec<_> = tolerances().into_iter().rev().collect();
    all_pairs(|dtype, size, lhs, rhs, context| {
        let check = |options: &CompareOptions| {
            let lanes = tally((lhs, rhs), size, options, |chunk| compare(dtype, dtype, chunk));
            let definition = tally((lhs, rhs), size, options, |chunk| {
                dtype.visit(Definition(chunk, Collect::Everything));
            });
            let (lanes_cell, cell) =
                (format!("{:?}", lanes.cell), format!("{:?}", definition.cell));
            assert_eq!(lanes_cell, cell, "{context} {options:?}");
            assert_eq!(
                finished(lanes, dtype),
                finished(definition, dtype),
                "{context} {options:?}"
            );
        };
        for (i, tolerance) in tolerances().into_iter().enumerate() {
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
fn the_sums_alone_are_those_among_everything() {
    let options =
        CompareOptions { histogram: true, further: tolerances(), ..CompareOptions::default() };
    all_pairs(|dtype, size, lhs, rhs, context| {
        let mut all = tally((lhs, rhs), size, &options, |chunk| compare(dtype, dtype, chunk));
        let mut alone = tally((lhs, rhs), size, &options, |chunk| sums(dtype, chunk));
        let (all_cell, alone_cell) = (format!("{:?}", all.cell), format!("{:?}", alone.cell));
        assert_eq!((alone.position, alone_cell), (all.position, all_cell), "{context}");
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
