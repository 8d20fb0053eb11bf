//! Counts the values of each side of a unit, for [`ValueHistogram`].
//!
//! The bins of a group of elements are computed first, in a loop that vectorizes, and counted next. Four counters for each bin
//! take turns, so that neighbors of one bin do not wait for each other.

use std::mem;

use pulp::Arch;

use crate::compare::Sides;
use crate::compare::value_histogram::{BELOW_QUARTER, Bin, LEAST_BIN, MOST_BIN, ValueHistogram};
use crate::tensor::{ComplexNumber, DType, Number, Visit};

/// Elements in a group.
const GROUP: usize = 1 << 10;
/// Counters for each bin.
const TURNS: usize = 4;
/// The number of different keys of magnitudes: the exponent and two bits of an `f64`.
const MAGNITUDES: u16 = 1 << 13;
/// The key of zeros. The other keys are the 14 leading bits of an `f64`.
const ZERO: u16 = 2 * MAGNITUDES;
const KEYS: usize = ZERO as usize + 1;

/// Whether values of this dtype are counted: those of real numbers.
pub(in crate::compare) fn has_values(dtype: DType) -> bool {
    dtype.visit(IsNumber)
}

/// The values of both sides of a unit; reused from unit to unit.
#[derive(Default)]
pub(in crate::compare) struct ValueTables {
    /// Values of chunks that are equal on both sides.
    both: Table,
    lhs: Table,
    rhs: Table,
}

impl ValueTables {
    /// Adds chunks of both sides; `equal` says that they are the same bytes.
    pub(in crate::compare) fn add(
        &mut self,
        (lhs_dtype, lhs): (DType, &[u8]),
        (rhs_dtype, rhs): (DType, &[u8]),
        equal: bool,
    ) {
        if equal {
            lhs_dtype.visit(Count { content: lhs, table: &mut self.both });
        } else {
            lhs_dtype.visit(Count { content: lhs, table: &mut self.lhs });
            rhs_dtype.visit(Count { content: rhs, table: &mut self.rhs });
        }
    }

    /// The histograms of both sides. The tables are empty afterwards.
    pub(in crate::compare) fn take(&mut self) -> Sides<ValueHistogram> {
        let both = self.both.take();
        let side = |table: &mut Table| {
            let mut values = table.take();
            values.merge(&both, 1);
            values
        };
        Sides { lhs: side(&mut self.lhs), rhs: side(&mut self.rhs) }
    }
}

/// Counts by key.
struct Table {
    /// Empty until the first value.
    counts: Vec<[u32; TURNS]>,
    /// The number of elements in `counts`.
    len: u32,
    /// The least and the greatest key of a magnitude in `counts`, except for 0.
    least: u16,
    most: u16,
    /// Counts that were taken out of `counts` before they could overflow.
    earlier: ValueHistogram,
}

impl Default for Table {
    fn default() -> Self {
        let earlier = ValueHistogram::default();
        Self { counts: Vec::new(), len: 0, least: u16::MAX, most: 0, earlier }
    }
}

impl Table {
    fn add<T: Number>(&mut self, elements: &[T]) {
        if size_of::<T>() == 1 && elements.len() >= GROUP {
            return self.add_bytes::<T>(bytemuck::cast_slice(elements));
        }
        let mut keys = [0; GROUP];
        let arch = Arch::new();
        for group in elements.chunks(GROUP) {
            let keys = keys.get_mut(..group.len()).unwrap_or_default();
            let (least, most) = arch.dispatch(Keys { elements: group, keys });
            let counts = self.make_room(group.len(), least, most);
            let (whole, rest) = keys.as_chunks::<TURNS>();
            for keys in whole {
                for (turn, &key) in keys.iter().enumerate() {
                    count(counts, key, turn, 1);
                }
            }
            rest.iter().for_each(|&key| count(counts, key, 0, 1));
        }
    }

    /// Counts elements of one byte: first by their bits, of which there are few.
    fn add_bytes<T: Number>(&mut self, elements: &[u8]) {
        let mut of_bits = [[0u32; TURNS]; 256];
        let (whole, rest) = elements.as_chunks::<TURNS>();
        for elements in whole {
            for (turn, &bits) in elements.iter().enumerate() {
                if let Some(n) = of_bits.get_mut(usize::from(bits)).and_then(|n| n.get_mut(turn)) {
                    *n += 1;
                }
            }
        }
        for (bits, n) in (0..=u8::MAX).zip(of_bits) {
            let element: T = bytemuck::pod_read_unaligned(&[bits]);
            let n = n.iter().sum::<u32>() + rest.iter().map(|&b| u32::from(b == bits)).sum::<u32>();
            if n > 0 {
                let (key, magnitude) = key(element);
                let counts = self.make_room(n as usize, magnitude.wrapping_sub(1), magnitude);
                count(counts, key, 0, n);
            }
        }
    }

    /// The counts, with room for `len` more elements, whose keys are in this range; `least` is one less.
    #[inline(always)]
    fn make_room(&mut self, len: usize, least: u16, most: u16) -> &mut [[u32; TURNS]] {
        let len = u32::try_from(len).unwrap_or(u32::MAX);
        if self.len.checked_add(len).is_none() {
            let counted = self.drain();
            self.earlier.merge(&counted, 1);
        }
        self.len += len;
        self.least = self.least.min(least);
        self.most = self.most.max(most);
        if self.counts.is_empty() {
            self.counts = vec![[0; TURNS]; KEYS];
        }
        &mut self.counts
    }

    fn take(&mut self) -> ValueHistogram {
        let mut values = self.drain();
        values.merge(&mem::take(&mut self.earlier), 1);
        values
    }

    /// Takes the counts out of the table.
    fn drain(&mut self) -> ValueHistogram {
        let range = self.least.saturating_add(1)..=self.most;
        let mut take = |key: u16| {
            let counts = self.counts.get_mut(usize::from(key)).map(mem::take).unwrap_or_default();
            counts.iter().map(|&n| u64::from(n)).sum::<u64>()
        };
        let zeros = take(ZERO);
        let (mut negative, mut positive) = (Vec::new(), Vec::new());
        for magnitude in [0].into_iter().chain(range) {
            for (sign, bins) in [(0, &mut positive), (MAGNITUDES, &mut negative)] {
                let n = take(sign | magnitude);
                // The largest keys are those of NaN and infinities.
                let bin = magnitude.cast_signed() + LEAST_BIN;
                if n > 0 && bin <= MOST_BIN {
                    bins.push((bin, n) as Bin);
                }
            }
        }
        (self.len, self.least, self.most) = (0, u16::MAX, 0);
        ValueHistogram::new(zeros, negative, positive)
    }
}

#[inline(always)]
fn count(counts: &mut [[u32; TURNS]], key: u16, turn: usize, n: u32) {
    if let Some(count) = counts.get_mut(usize::from(key)).and_then(|turns| turns.get_mut(turn)) {
        *count += n;
    }
}

/// The key of an element, and that of its magnitude.
#[inline(always)]
fn key<T: Number>(element: T) -> (u16, u16) {
    let bits = element.to_f64().to_bits();
    let leading = (bits >> BELOW_QUARTER) as u16;
    (if bits << 1 == 0 { ZERO } else { leading }, leading % MAGNITUDES)
}

/// Computes the keys of a group; returns one less than the least key of a magnitude other than 0, and the greatest.
struct Keys<'a, T> {
    elements: &'a [T],
    keys: &'a mut [u16],
}

impl<T: Number> pulp::NullaryFnOnce for Keys<'_, T> {
    type Output = (u16, u16);

    #[inline(always)]
    fn call(self) -> (u16, u16) {
        let (mut least, mut most) = (u16::MAX, 0);
        for (&element, at) in self.elements.iter().zip(self.keys) {
            let (key, magnitude) = key(element);
            *at = key;
            // 0 wraps around to the greatest.
            least = least.min(magnitude.wrapping_sub(1));
            most = most.max(magnitude);
        }
        (least, most)
    }
}

/// Counts the values of one chunk.
struct Count<'a> {
    content: &'a [u8],
    table: &'a mut Table,
}

impl Visit for Count<'_> {
    type Out = ();

    fn number<T: Number>(self) {
        self.table.add::<T>(bytemuck::cast_slice(self.content));
    }

    fn complex<T: ComplexNumber>(self) {
        // Complex numbers have no order.
    }

    fn boolean(self) {
        // Truth values have no magnitude.
    }

    fn bytes(self) {
        // Elements of variable length are no numbers.
    }
}

struct IsNumber;

impl Visit for IsNumber {
    type Out = bool;

    fn number<T: Number>(self) -> bool {
        true
    }

    fn complex<T: ComplexNumber>(self) -> bool {
        false
    }

    fn boolean(self) -> bool {
        false
    }

    fn bytes(self) -> bool {
        false
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counters_are_emptied_before_they_overflow() {
        let mut table = Table::default();
        table.add(&[1.0f32, -3.0, 0.0]);
        table.len = u32::MAX - 1;
        table.add(&[1.0f32, 5e-40]);
        assert_eq!(table.len, 2);
        let expected = [1.0, -3.0, 0.0, 1.0, f64::from(5e-40f32)].into_iter().collect();
        assert_eq!(table.take(), expected);
        assert_eq!(table.take(), ValueHistogram::default());
    }
}
