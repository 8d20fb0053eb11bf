//! The statistics of a tile of 4,096 pairs, as an accelerator returns them; and their definition, which every accelerator is
//! tested against.

use crate::tensor::{ComplexNumber, DType, Kind, Number, Visit};

use super::close::Rule;
use super::counts::Counts;
use super::histogram::{Bins, Histogram};
use super::pair::Pair;
use super::{CompareOptions, NanPolicy, Sides};

/// Elements in a tile. A power of two, so that a cell ends at the end of a tile.
pub const TILE: usize = TILE_U32 as usize;
/// [`TILE`], as the type of an index in a tile.
pub(super) const TILE_U32: u32 = 4096;

/// Elements of one fixed-width dtype, the same number on both sides.
#[derive(Debug, Clone, Copy)]
pub struct Batch<'a> {
    /// The type of the elements.
    pub dtype: DType,
    /// The bytes of the baseline.
    pub lhs: &'a [u8],
    /// The bytes that are compared with it.
    pub rhs: &'a [u8],
    /// What to count.
    pub options: &'a CompareOptions,
    /// For a side that will be compared again: the number of its tensor, and the byte of the tensor at which the batch begins.
    /// Equal pairs of these two numbers stand for equal bytes.
    pub kept: Sides<Option<(u64, u64)>>,
}

impl Batch<'_> {
    /// Elements on each side.
    pub fn elements(&self) -> usize {
        self.dtype.size().map_or(0, |size| self.lhs.len() / size)
    }
}

/// The statistics of a tile. Only the last tile of a batch has fewer than 4,096 pairs.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Tile {
    /// The statistics that count pairs.
    pub counts: Counts,
    /// Finite pairs whose lhs is not 0.
    pub nonzero_lhs: u32,
    /// Finite pairs whose lhs is 0 and whose rhs is not: no `rtol` makes them close.
    pub from_zero: u32,
    /// The index of the first pair that is not close.
    pub first: Option<u32>,
    /// The index of the first pair with the largest `|rhs - lhs|` of finite pairs, and that difference.
    pub worst: Option<(u32, f64)>,
    /// The largest distance of finite floats in representable values.
    pub max_ulp: u64,
    /// An upper bound of `|rhs - lhs| / |lhs|` over finite pairs with lhs ≠ 0. The definition has the maximum itself; an
    /// accelerator may return any value close above it.
    pub relative_bound: f64,
}

/// The statistics of a batch.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Counted {
    /// The tiles, in order.
    pub tiles: Vec<Tile>,
    /// Mismatched pairs under each further tolerance.
    pub further: Vec<u64>,
    /// Differences by magnitude, if requested.
    pub histogram: Option<Histogram>,
}

impl Counted {
    /// Counts a batch pair by pair, as defined.
    pub fn of(batch: &Batch<'_>) -> Self {
        batch.dtype.visit(Count(batch))
    }

    /// Whether it has every statistic that the options request, over this many pairs.
    pub(super) fn is_complete(&self, elements: usize, options: &CompareOptions) -> bool {
        self.tiles.len() == elements.div_ceil(TILE)
            && self.further.len() == options.further.len()
            && self.histogram.is_some() == options.histogram
    }
}

struct Count<'a>(&'a Batch<'a>);

impl Visit for Count<'_> {
    type Out = Counted;

    fn number<T: Number>(self) -> Counted {
        let Self(batch) = self;
        let side = |bytes| bytemuck::pod_collect_to_vec::<u8, T>(bytes);
        self.all(side(batch.lhs).into_iter().zip(side(batch.rhs)).map(|(x, y)| Pair::real(x, y)))
    }

    fn complex<T: ComplexNumber>(self) -> Counted {
        let Self(batch) = self;
        let side = |bytes| bytemuck::pod_collect_to_vec::<u8, T>(bytes);
        self.all(side(batch.lhs).into_iter().zip(side(batch.rhs)).map(|(x, y)| Pair::complex(x, y)))
    }

    fn boolean(self) -> Counted {
        let Self(batch) = self;
        self.all(batch.lhs.iter().zip(batch.rhs).map(|(&x, &y)| Pair::equality(x != y)))
    }

    fn bytes(self) -> Counted {
        // Elements of variable length are not compared in batches.
        Counted::default()
    }
}

impl Count<'_> {
    fn all(&self, pairs: impl Iterator<Item = Pair>) -> Counted {
        let options = self.0.options;
        let equality = self.0.dtype.kind() == Kind::Bool;
        let rule = Rule::new(&options.tolerance, options.nan);
        let further: Vec<_> = options.further.iter().map(|t| Rule::new(t, options.nan)).collect();
        let mut counted = Counted { further: vec![0; further.len()], ..Counted::default() };
        let mut bins = Bins::default();
        for (pair, index) in pairs.zip((0..TILE_U32).cycle()) {
            if index == 0 {
                counted.tiles.push(Tile::default());
            }
            let Some(tile) = counted.tiles.last_mut() else { break };
            let close = |rule: &Rule| if equality { !pair.differs } else { rule.is_close(&pair) };
            tile.add(&pair, index, close(&rule), options.nan);
            for (count, rule) in counted.further.iter_mut().zip(&further) {
                *count += u64::from(!close(rule));
            }
            if !equality {
                bins.count(&pair);
            }
        }
        counted.histogram = options.histogram.then(|| bins.histogram());
        counted
    }
}

impl Tile {
    fn add(&mut self, pair: &Pair, index: u32, is_close: bool, nan: NanPolicy) {
        self.counts.add(pair, is_close, nan);
        if !is_close {
            self.first.get_or_insert(index);
        }
        if !pair.is_finite() {
            return;
        }
        if self.worst.is_none_or(|(_, most)| pair.abs_diff > most) {
            self.worst = Some((index, pair.abs_diff));
        }
        self.max_ulp = self.max_ulp.max(pair.ulps.unwrap_or_default());
        self.nonzero_lhs += u32::from(pair.lhs_magnitude > 0.0);
        self.from_zero += u32::from(pair.lhs_magnitude == 0.0 && pair.abs_diff > 0.0);
        if pair.lhs_magnitude > 0.0 {
            self.relative_bound = self.relative_bound.max(pair.abs_diff / pair.lhs_magnitude);
        }
    }
}
