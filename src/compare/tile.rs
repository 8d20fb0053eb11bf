//! What is counted of a tile of 4,096 pairs; and the plain way to count it, which every accelerator is held against.

use crate::tensor::{ComplexNumber, Kind, Number, Visit};

use super::accelerator::Chunk;
use super::close::{Pair, Rule};
use super::cpu::Bins;
use super::{Histogram, NanPolicy, Options, Sides, cpu};

/// Elements in a tile. A power of two, so that cells end where tiles do.
pub const TILE: usize = PLACES as usize;
/// The same, as places in a tile are counted.
pub(super) const PLACES: u32 = 4096;

/// What is counted of the pairs of a tile; fewer than 4,096 only at the end of a chunk.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Tile {
    /// Pairs of unequal bits.
    pub differing: u32,
    /// Pairs that are not close.
    pub mismatched: u32,
    /// The first of them.
    pub first: Option<u32>,
    /// NaN on each side.
    pub nan: Sides<u32>,
    /// Infinities on each side.
    pub inf: Sides<u32>,
    /// NaN where lhs had a number.
    pub nan_new: u32,
    /// Differing pairs that are equal but for the sign of a zero.
    pub zero_sign: u32,
    /// Differing pairs that are both NaN.
    pub nan_payload: u32,
    /// Differing pairs whose lhs is 0.
    pub zero_lhs: u32,
    /// Pairs that no tolerance makes close: one is not finite.
    pub hopeless: u32,
    /// Finite pairs whose lhs is not 0.
    pub nonzero_lhs: u32,
    /// Finite pairs that are apart, and lhs is 0: no `rtol` makes them close.
    pub from_zero: u32,
    /// The largest `|rhs - lhs|` of finite pairs, and the first pair where it is reached.
    pub worst: Option<(u32, f64)>,
    /// The largest distance of finite floats in representable values.
    pub max_ulp: u64,
    /// No `|rhs - lhs| / |lhs|` of finite pairs with lhs ≠ 0 is larger; an accelerator may give any that is close above it.
    pub relative_bound: f64,
}

/// What is counted of a chunk.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Counted {
    /// Tile by tile.
    pub tiles: Vec<Tile>,
    /// Mismatched pairs under each further tolerance.
    pub further: Vec<u64>,
    /// Differences by magnitude, when asked for.
    pub histogram: Option<Histogram>,
}

impl Counted {
    /// Counts pair by pair, by the definition.
    pub fn of(chunk: &Chunk<'_>) -> Self {
        chunk.dtype.visit(Count(chunk))
    }

    /// Whether it says of so many pairs all that the options ask.
    pub(super) fn is_whole(&self, elements: usize, options: &Options) -> bool {
        self.tiles.len() == elements.div_ceil(TILE)
            && self.further.len() == options.further.len()
            && self.histogram.is_some() == options.histogram
    }
}

struct Count<'a>(&'a Chunk<'a>);

impl Visit for Count<'_> {
    type Out = Counted;

    fn number<T: Number>(self) -> Counted {
        let Self(chunk) = self;
        let side = |bytes| bytemuck::pod_collect_to_vec::<u8, T>(bytes);
        self.all(side(chunk.lhs).into_iter().zip(side(chunk.rhs)).map(|(x, y)| cpu::pair(x, y)))
    }

    fn complex<T: ComplexNumber>(self) -> Counted {
        let Self(chunk) = self;
        let side = |bytes| bytemuck::pod_collect_to_vec::<u8, T>(bytes);
        let pairs = side(chunk.lhs).into_iter().zip(side(chunk.rhs));
        self.all(pairs.map(|(x, y)| cpu::complex_pair(x.parts(), y.parts(), x.differs(y))))
    }

    fn boolean(self) -> Counted {
        let Self(chunk) = self;
        self.all(chunk.lhs.iter().zip(chunk.rhs).map(|(&x, &y)| cpu::equality(x != y)))
    }

    fn bytes(self) -> Counted {
        // Elements of any length never come in chunks.
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
        for (pair, place) in pairs.zip((0..PLACES).cycle()) {
            if place == 0 {
                counted.tiles.push(Tile::default());
            }
            let Some(tile) = counted.tiles.last_mut() else { break };
            let close = |rule: &Rule| if equality { !pair.differs } else { rule.is_close(&pair) };
            tile.add(&pair, place, close(&rule), options.nan);
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
    fn add(&mut self, pair: &Pair, place: u32, close: bool, nan: NanPolicy) {
        let (lhs_nan, rhs_nan) = (pair.lhs.is_nan(), pair.rhs.is_nan());
        self.differing += u32::from(pair.differs);
        if !close {
            self.mismatched += 1;
            self.first.get_or_insert(place);
        }
        self.nan.lhs += u32::from(lhs_nan);
        self.nan.rhs += u32::from(rhs_nan);
        self.nan_new += u32::from(rhs_nan && !lhs_nan);
        self.nan_payload += u32::from(pair.differs && lhs_nan && rhs_nan);
        self.inf.lhs += u32::from(pair.lhs.is_infinite());
        self.inf.rhs += u32::from(pair.rhs.is_infinite());
        self.zero_lhs += u32::from(pair.differs && pair.size == 0.0);
        if !pair.is_finite() {
            self.hopeless += u32::from(!Rule::any(nan).is_close(pair));
            return;
        }
        let apart = pair.gap > 0.0;
        self.zero_sign += u32::from(pair.differs && !apart);
        self.nonzero_lhs += u32::from(pair.size > 0.0);
        self.from_zero += u32::from(apart && pair.size == 0.0);
        if self.worst.is_none_or(|(_, most)| pair.gap > most) {
            self.worst = Some((place, pair.gap));
        }
        self.max_ulp = self.max_ulp.max(pair.ulps.unwrap_or_default());
        if pair.size > 0.0 {
            self.relative_bound = self.relative_bound.max(pair.gap / pair.size);
        }
    }
}
