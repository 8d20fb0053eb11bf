//! Slices: the rectangular parts of a tensor that a partitioned variable is stored in.

use std::fmt;

use crate::error::{Error, Result};

use super::Shape;

/// A rectangular part of a tensor: start and length in each dimension.
///
/// Two slices are equal if they cover the same part, even if one has -1 for the length of a whole dimension.
#[derive(Debug, Clone)]
pub struct Slice {
    extents: Box<[(u64, u64)]>,
    shape: Shape,
    given: Box<[(i64, i64)]>,
}

impl PartialEq for Slice {
    fn eq(&self, other: &Self) -> bool {
        self.extents == other.extents && self.shape == other.shape
    }
}

impl Eq for Slice {}

impl Slice {
    /// The slice with these `(start, length)` extents of a tensor of shape `whole`. A length of -1 is the whole dimension, which
    /// a `TensorSliceProto` expresses by leaving the length out.
    ///
    /// # Errors
    /// If the ranks differ, or the slice is not inside the shape.
    pub fn new(extents: &[(i64, i64)], whole: &Shape) -> Result<Self> {
        let fail = || {
            Error::unexpected(
                "slice",
                format_args!("{extents:?} (start, length)"),
                format_args!("one inside shape {whole}"),
            )
        };
        if extents.len() != whole.rank() {
            return Err(fail());
        }
        let mut inside = Vec::with_capacity(extents.len());
        for (&(start, len), &dim) in extents.iter().zip(whole.dims()) {
            let (start, len) = match (u64::try_from(start), u64::try_from(len)) {
                (Ok(0), Err(_)) if len == -1 => (0, dim),
                (Ok(start), Ok(len)) if start.checked_add(len).is_some_and(|end| end <= dim) => {
                    (start, len)
                }
                _ => return Err(fail()),
            };
            inside.push((start, len));
        }
        let dims: Vec<i64> = inside.iter().map(|&(_, len)| len.cast_signed()).collect();
        Ok(Self { shape: Shape::new(&dims)?, extents: inside.into(), given: extents.into() })
    }

    /// The start and the length in each dimension.
    pub fn extents(&self) -> &[(u64, u64)] {
        &self.extents
    }

    /// The extents as they were given to [`new`](Self::new), with -1 for whole dimensions or not. Keys of checkpoints contain them.
    pub fn given_extents(&self) -> &[(i64, i64)] {
        &self.given
    }

    /// Whether every length was given as -1, for the whole tensor.
    pub fn is_given_whole(&self) -> bool {
        self.given.iter().all(|&extent| extent == (0, -1))
    }

    /// The part that this slice and `other` share, both of one tensor; `None` if they share no element.
    pub(crate) fn intersection(&self, other: &Self) -> Option<Self> {
        let mut shared = Vec::with_capacity(self.extents.len());
        for (&(start, len), &(other_start, other_len)) in self.extents.iter().zip(&other.extents) {
            // Both ends are inside a dimension, so nothing overflows.
            let (first, end) = (start.max(other_start), (start + len).min(other_start + other_len));
            shared.push((first, end.checked_sub(first).filter(|len| *len > 0)?));
        }
        let dims: Vec<i64> = shared.iter().map(|&(_, len)| len.cast_signed()).collect();
        let given = shared.iter().map(|&(first, len)| (first.cast_signed(), len.cast_signed()));
        let given = given.collect();
        Some(Self { shape: Shape::new(&dims).ok()?, given, extents: shared.into() })
    }

    /// The same part as a slice of `outer`, which contains it.
    ///
    /// # Errors
    /// If `outer` does not contain it.
    pub(crate) fn within(&self, outer: &Self) -> Result<Self> {
        let starts = outer.extents.iter().map(|&(start, _)| start);
        let inside = self.extents.iter().zip(starts);
        let inside: Vec<(i64, i64)> = inside
            .map(|(&(first, len), start)| {
                (first.wrapping_sub(start).cast_signed(), len.cast_signed())
            })
            .collect();
        Self::new(&inside, &outer.shape)
    }

    /// The shape of the slice.
    pub fn shape(&self) -> &Shape {
        &self.shape
    }
}

/// The form of TensorFlow's saver: `0,4:8,2`, with start and length of each dimension.
impl fmt::Display for Slice {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (i, (start, len)) in self.extents.iter().enumerate() {
            write!(f, "{}{start},{len}", if i == 0 { "" } else { ":" })?;
        }
        Ok(())
    }
}
