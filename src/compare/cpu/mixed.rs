//! Real numbers of two types, which are compared by value.

use bytemuck::{Pod, Zeroable};
use pulp::Arch;

use crate::compare::grid::CELL_LEN;
use crate::compare::tally::Tally;
use crate::tensor::{Bool, ComplexNumber, DType, Element, Encoding, Kind, Number, Scalar, Visit};

use super::cells;
use super::computed::computed_number;
use super::pairs::{self, Collect};

/// Compares elements of two types, at the border of a cell.
pub(super) fn numbers(lhs: (DType, &[u8]), rhs: (DType, &[u8]), tally: &mut Tally) {
    let mut values = [[ByValue(0.0); CELL_LEN]; 2];
    for ((x, y), len) in cells_of(lhs, rhs) {
        let [lhs, rhs] = values.each_mut().map(|side| side.get_mut(..len).unwrap_or_default());
        let excess_bits = fill(x, lhs) | fill(y, rhs);
        let is_float = |(dtype, _): Side<'_>| dtype.kind() == Kind::Float;
        if excess_bits != 0 && !is_float(x) && !is_float(y) {
            // The difference of integers is exact.
            pairs::mixed(x, y, tally);
        } else {
            let scalars = |index| (pairs::scalar(x, index), pairs::scalar(y, index));
            cells::numbers((lhs, rhs), false, Collect::Everything, tally, scalars);
        }
    }
}

/// A dtype, and the bytes of some elements.
pub(super) type Side<'a> = (DType, &'a [u8]);

/// The cells of two sides, and their lengths in elements.
pub(super) fn cells_of<'a>(
    (lhs_dtype, lhs): Side<'a>,
    (rhs_dtype, rhs): Side<'a>,
) -> impl Iterator<Item = ((Side<'a>, Side<'a>), usize)> {
    let bytes = |dtype: DType, len| dtype.size().unwrap_or(1) * len;
    let cells = |dtype, side: &'a [u8]| side.chunks(bytes(dtype, CELL_LEN));
    cells(lhs_dtype, lhs).zip(cells(rhs_dtype, rhs)).map(move |(lhs, rhs)| {
        let len = lhs.len() / bytes(lhs_dtype, 1);
        (((lhs_dtype, lhs), (rhs_dtype, rhs)), len)
    })
}

/// Fills `to` with the values of elements; returns bits that are not 0 if a value was rounded.
fn fill((dtype, from): Side<'_>, to: &mut [ByValue]) -> u64 {
    dtype.visit(Fill { from, to })
}

struct Fill<'a> {
    from: &'a [u8],
    to: &'a mut [ByValue],
}

impl Visit for Fill<'_> {
    type Out = u64;

    fn number<T: Number>(self) -> u64 {
        Arch::new()
            .dispatch(FillNumbers { from: bytemuck::cast_slice::<_, T>(self.from), to: self.to })
    }

    fn complex<T: ComplexNumber>(self) -> u64 {
        // Complex numbers have kernels of their own.
        0
    }

    fn boolean(self) -> u64 {
        for (from, to) in bytemuck::cast_slice::<_, Bool>(self.from).iter().zip(self.to) {
            *to = ByValue(if from.0 == 0 { 0.0 } else { 1.0 });
        }
        0
    }

    fn bytes(self) -> u64 {
        // Elements of variable length are not compared in chunks.
        0
    }
}

struct FillNumbers<'a, T> {
    from: &'a [T],
    to: &'a mut [ByValue],
}

impl<T: Number> pulp::NullaryFnOnce for FillNumbers<'_, T> {
    type Output = u64;

    #[inline(always)]
    fn call(self) -> u64 {
        let mut excess_bits = 0;
        for (from, to) in self.from.iter().zip(self.to) {
            *to = ByValue(from.to_f64());
            excess_bits |= from.excess_bits();
        }
        excess_bits
    }
}

/// A number whose type does not matter.
#[derive(Debug, Clone, Copy, Pod, Zeroable)]
#[repr(transparent)]
struct ByValue(f64);

impl Element for ByValue {
    fn scalar(self) -> Scalar {
        Scalar::Float(self.0)
    }

    #[inline(always)]
    #[expect(clippy::float_cmp, reason = "these are compared by value")]
    fn differs(self, other: Self) -> bool {
        (self.0 != other.0) & !(self.0.is_nan() & other.0.is_nan())
    }
}

computed_number!(ByValue {});
