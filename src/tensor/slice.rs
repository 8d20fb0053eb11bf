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
