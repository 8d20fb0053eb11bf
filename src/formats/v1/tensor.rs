//! A tensor of a V1 checkpoint, whose slices may be in several files.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use crate::error::{Error, Result};
use crate::limits::Limits;
use crate::tensor::{DType, Name, Shape, Slice};

use super::super::contents::StoredAs;
use super::super::partitioned::{Partitioned, StoredSlice};
use super::super::proto::Extents;
use super::meta::SavedMeta;
use super::table_file::{ListedSlice, TableFile};
use super::values;
use super::walk::{SliceLocation, SliceSource};

/// A tensor, as all files list it.
pub(super) struct Tensor {
    dtype: DType,
    shape: Shape,
    /// Each slice, the number of its file, and the number of slices that the file lists before it.
    slices: Vec<(Extents, usize, u64)>,
}

/// Merges a tensor that another file lists too, or the same file again.
pub(super) fn merge(
    known: &mut Result<Tensor>,
    listed: Result<Tensor>,
    limits: &Limits,
    name: &Name,
    path: &Path,
) {
    let merged = match (&mut *known, listed) {
        (Err(_), _) => return,
        (Ok(_), Err(error)) => Err(error),
        (Ok(tensor), Ok(listed)) => {
            if (tensor.dtype, &tensor.shape) != (listed.dtype, &listed.shape) {
                let found = format!("{} of shape {}", listed.dtype, listed.shape);
                let expected =
                    format!("{} of shape {}, as in another entry", tensor.dtype, tensor.shape);
                Err(Error::unexpected("tensor", found, expected))
            } else if tensor.slices.len() + listed.slices.len() > limits.slices {
                let expected = format!("at most {}", limits.slices);
                Err(Error::unexpected(
                    "number of slices",
                    tensor.slices.len() + listed.slices.len(),
                    expected,
                ))
            } else {
                tensor.slices.extend(listed.slices);
                Ok(())
            }
        }
    };
    if let Err(error) = merged {
        *known = Err(error.of_tensor(name).in_file(path));
    }
}

impl Tensor {
    /// A tensor as a file lists it, after `before` other slices.
    pub(super) fn of(listed: SavedMeta, file: usize, before: &mut u64) -> Self {
        let numbered = (*before..).zip(listed.slices);
        let slices: Vec<_> = numbered.map(|(n, slice)| (slice, file, n)).collect();
        *before += slices.len() as u64;
        Self { dtype: listed.dtype, shape: listed.shape, slices }
    }

    /// Adds the slices to the lists of their `files`.
    pub(super) fn place(
        mut self,
        name: &Name,
        files: &[PathBuf],
        listed_slices: &mut [Vec<ListedSlice>],
        key_bytes_left: &mut u64,
    ) -> Result<LocatedTensor> {
        values::supported(self.dtype)?;
        let key_bytes = (name.as_bytes().len() as u64).saturating_mul(self.slices.len() as u64);
        *key_bytes_left = key_bytes_left.checked_sub(key_bytes).ok_or_else(|| {
            let expected =
                format!("at most {key_bytes_left}, which are left to a file of this size");
            Error::unexpected("bytes of the keys of slices", key_bytes, expected)
        })?;
        self.slices.sort();
        let mut pairs = self.slices.iter().zip(self.slices.iter().skip(1));
        if let Some(((twice, first, _), (_, second, _))) = pairs.find(|(a, b)| a.0 == b.0) {
            let slice = Slice::new(twice, &self.shape)?;
            return Err(listed_twice(&slice, files.get(*first), files.get(*second)));
        }
        let boxes: Result<Vec<Slice>> =
            self.slices.iter().map(|(extents, ..)| Slice::new(extents, &self.shape)).collect();
        let mut parts = Vec::with_capacity(self.slices.len());
        for (slice, (extents, file, listed)) in boxes?.into_iter().zip(self.slices) {
            let Some(of_file) = listed_slices.get_mut(file) else {
                continue;
            };
            // A checkpoint has far fewer files.
            let number = u32::try_from(file).unwrap_or(u32::MAX);
            parts.push((slice, SliceLocation { file: number, listed, number: of_file.len() }));
            of_file.push(ListedSlice { name: name.clone(), extents });
        }
        Ok(LocatedTensor { dtype: self.dtype, shape: self.shape, parts })
    }
}

/// The error for a slice that two files list, or one file twice.
fn listed_twice(slice: &Slice, first: Option<&PathBuf>, second: Option<&PathBuf>) -> Error {
    let found = match second.filter(|second| Some(*second) != first) {
        Some(second) => format!("{slice}, which {} has too", second.display()),
        None => format!("{slice} twice"),
    };
    let error = Error::unexpected("slices", found, "distinct slices");
    match first {
        Some(first) => error.in_file(first),
        None => error,
    }
}

/// A tensor whose slices are in the lists of their files.
pub(super) struct LocatedTensor {
    dtype: DType,
    shape: Shape,
    parts: Vec<(Slice, SliceLocation)>,
}

impl LocatedTensor {
    pub(super) fn stored(self, tables: &[Arc<TableFile>]) -> Result<StoredAs> {
        let lost = || Error::not_found("its file is missing");
        let mut parts = Vec::with_capacity(self.parts.len());
        let mut listed_in = PathBuf::new();
        for (slice, location) in self.parts {
            let file = Arc::clone(tables.get(location.file as usize).ok_or_else(lost)?);
            if parts.is_empty() {
                listed_in = file.path().to_path_buf();
            }
            let saved = SliceSource::new(file, location, self.dtype, slice.shape().clone());
            parts.push(StoredSlice { slice, source: Box::new(saved) });
        }
        if let [only] = &*parts
            && only.slice.is_given_whole()
            && let Some(only) = parts.pop()
        {
            return Ok(StoredAs::Whole(only.source));
        }
        Ok(StoredAs::Slices(Partitioned::new(self.dtype, self.shape, parts, listed_in)))
    }
}
