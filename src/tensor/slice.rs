//! Slices: boxes inside a tensor, as partitioned variables are stored.

use std::fmt;

use crate::error::{Error, Result};

use super::Shape;

/// A box inside a tensor: where it starts and how long it is in each dimension.
///
/// Two are equal when they are the same box, however that is spelled.
#[derive(Debug, Clone)]
pub struct Slice {
    extents: Box<[(u64, u64)]>,
    shape: Shape,
    spelled: Box<[(i64, i64)]>,
}

impl PartialEq for Slice {
    fn eq(&self, other: &Self) -> bool {
        self.extents == other.extents && self.shape == other.shape
    }
}

impl Eq for Slice {}

impl Slice {
    /// The box with these `(start, length)` extents, inside a tensor of shape `whole`; a length of -1 is the whole
    /// dimension, as `TensorSliceProto` says by leaving it out.
    ///
    /// # Errors
    /// When the ranks differ or the box does not lie inside.
    pub fn new(extents: &[(i64, i64)], whole: &Shape) -> Result<Self> {
        let fail = || {
            Error::unexpected(
                "slice",
                format_args!("{extents:?} (start, length)"),
                format_args!("it must lie inside shape {whole}"),
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
        Ok(Self { shape: Shape::new(&dims)?, extents: inside.into(), spelled: extents.into() })
    }

    /// Start and length in each dimension.
    pub fn extents(&self) -> &[(u64, u64)] {
        &self.extents
    }

    /// Start and length as they were given: a whole dimension as its length, or as -1. Checkpoints have them in their keys.
    pub fn spelled(&self) -> &[(i64, i64)] {
        &self.spelled
    }

    /// Whether it is all of the tensor, and spelled so: every length is -1.
    pub fn is_spelled_whole(&self) -> bool {
        self.spelled.iter().all(|&extent| extent == (0, -1))
    }

    /// The shape of the box.
    pub fn shape(&self) -> &Shape {
        &self.shape
    }
}

/// As TensorFlow's saver writes it: `0,4:8,2`, start and length of each dimension.
impl fmt::Display for Slice {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (i, (start, len)) in self.extents.iter().enumerate() {
            write!(f, "{}{start},{len}", if i == 0 { "" } else { ":" })?;
        }
        Ok(())
    }
}
