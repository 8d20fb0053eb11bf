//! The histogram of one tensor, with exact counts.

use super::buckets::{Bucket, Buckets, Scale};
use crate::compare::value_histogram;
use crate::error::Result;
use crate::progress::Progress;
use crate::tensor::{
    ComplexNumber, Number, Scalar, TensorSource, TensorValues, Visit, read_through,
};

/// The most buckets.
const MOST: usize = 60;

/// The fewest different values that are drawn; fewer are easier to read as numbers.
const FEWEST: usize = 8;

/// The histogram of a tensor whose values were read before; `None` if they are not real numbers, or if fewer than 8 differ.
///
/// # Errors
/// If the tensor cannot be read, or a checksum does not match.
pub fn distribution(
    source: &dyn TensorSource,
    values: &TensorValues,
    progress: &dyn Progress,
) -> Result<Option<Buckets>> {
    let Some((low, high)) = values.range.and_then(|(low, high, _)| real(low).zip(real(high)))
    else {
        return Ok(None);
    };
    let Some(histogram) = value_histogram(source, progress)? else { return Ok(None) };
    let most = bars(histogram.count());
    let Some(buckets) = Buckets::of_values(&[&histogram], most) else { return Ok(None) };
    if buckets.scale == Scale::Powers {
        return Ok(Some(buckets).filter(|_| histogram.bins().count() >= FEWEST));
    }
    if low >= high {
        return Ok(None);
    }
    let mut linear = Linear { low, high, counts: vec![0; most], different: Vec::new() };
    read_through(source, progress, |bytes| {
        source.dtype().visit(Elements { bytes, linear: &mut linear });
        Ok(())
    })?;
    Ok((linear.different.len() >= FEWEST).then(|| linear.buckets()))
}

/// The number of bars for so many values: the more values, the narrower the bars may be.
fn bars(values: u64) -> usize {
    const FEW: f64 = 8.0;
    let wanted = (2.0 * (values as f64).cbrt()).clamp(FEW, MOST as f64);
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "it was clamped")]
    let bars = wanted as usize;
    bars
}

fn real(scalar: Scalar) -> Option<f64> {
    match scalar {
        Scalar::Float(value) => Some(value),
        Scalar::Integer(value) => Some(value as f64),
        Scalar::Bool(_) | Scalar::Complex(..) => None,
    }
}

/// Counts in buckets of equal width.
struct Linear {
    low: f64,
    high: f64,
    counts: Vec<u64>,
    /// The first different values, up to [`FEWEST`].
    different: Vec<f64>,
}

impl Linear {
    fn add(&mut self, value: f64) {
        if !value.is_finite() {
            return;
        }
        if self.different.len() < FEWEST && !self.different.contains(&value) {
            self.different.push(value);
        }
        let last = self.counts.len().saturating_sub(1);
        let share = (value - self.low) / (self.high - self.low);
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "from 0 to 1")]
        let at = (share * self.counts.len() as f64) as usize;
        if let Some(count) = self.counts.get_mut(at.min(last)) {
            *count += 1;
        }
    }

    fn buckets(self) -> Buckets {
        let len = self.counts.len();
        let border = |at: usize| self.low + (self.high - self.low) * (at as f64 / len as f64);
        let bucket = |(at, count): (usize, &u64)| Bucket {
            low: border(at),
            high: if at + 1 == len { self.high } else { border(at + 1) },
            counts: vec![*count],
        };
        let buckets = self.counts.iter().enumerate().map(bucket).collect();
        Buckets { scale: Scale::Linear, buckets }
    }
}

/// Whole elements of fixed size.
struct Elements<'a> {
    bytes: &'a [u8],
    linear: &'a mut Linear,
}

impl Visit for Elements<'_> {
    type Out = ();

    fn number<T: Number>(self) {
        for element in self.bytes.chunks_exact(size_of::<T>()) {
            self.linear.add(bytemuck::pod_read_unaligned::<T>(element).to_f64());
        }
    }

    fn complex<T: ComplexNumber>(self) {}

    fn boolean(self) {}

    fn bytes(self) {}
}
