//! The list of tensors in the first entry of a V1 file.

use crate::error::{Error, Result};
use crate::limits::Limits;
use crate::message::{Record, Records};
use crate::schema::field::{saved_slice_meta, saved_tensor_slice_meta, saved_tensor_slices};
use crate::table::{Entries, Table};
use crate::tensor::{DType, Name, Shape};

use super::super::proto::{self, Extents};

/// A `SavedSliceMeta`: a tensor as a file lists it.
pub(super) struct SavedMeta {
    pub(super) dtype: DType,
    pub(super) shape: Shape,
    /// The slices of the tensor in this file.
    pub(super) slices: Vec<Extents>,
}

/// A `SavedTensorSliceMeta`: the list of tensors.
pub(super) struct Meta {
    pub(super) tensors: Vec<(Name, Result<SavedMeta>)>,
    pub(super) damage: Vec<Error>,
}

/// Reads the list of tensors of a file.
///
/// # Errors
/// If the list is missing, invalid, or of a version that cannot be read.
pub(super) fn read(table: &Table, limits: &Limits) -> Result<Meta> {
    let wrong_key = |found| proto::wrong_first_key(found, "the list of tensors");
    let mut blocks = table.blocks();
    let handle = blocks.next().ok_or_else(|| wrong_key(None))??;
    let block = table.block(handle)?;
    let mut entries = Entries::new(&block, limits);
    let value = match entries.next()? {
        Some(([], value)) => value,
        other => return Err(wrong_key(other.map(|(key, _)| key)).at(handle.offset)),
    };
    let bytes = value.bytes(limits.entry_bytes)?;
    let mut meta = Meta { tensors: Vec::new(), damage: Vec::new() };
    let mut found = false;
    for record in Records::new(&bytes, value.offset()) {
        let record = record?;
        if record.number == saved_tensor_slices::META {
            found = true;
            tensors(&record, &mut meta.tensors, limits)?;
        }
    }
    if !found {
        return Err(Error::not_found("the list of tensors is missing").at(value.offset()));
    }
    if meta.tensors.is_empty() && (!matches!(entries.next(), Ok(None)) || blocks.next().is_some()) {
        let expected = "the tensors whose content is stored";
        let error = Error::unexpected("list of tensors", "none", expected);
        meta.damage.push(error.at(value.offset()));
    }
    Ok(meta)
}

fn tensors(
    meta: &Record<'_>,
    tensors: &mut Vec<(Name, Result<SavedMeta>)>,
    limits: &Limits,
) -> Result<()> {
    for record in meta.message("meta")? {
        let record = record?;
        match record.number {
            saved_tensor_slice_meta::TENSOR => {
                let mut name = Name::from("");
                let listed = listed(&record, &mut name, limits);
                tensors.push((name, listed));
            }
            saved_tensor_slice_meta::VERSIONS => proto::check_versions(&record)?,
            _ => {}
        }
    }
    Ok(())
}

fn listed(meta: &Record<'_>, name: &mut Name, limits: &Limits) -> Result<SavedMeta> {
    let (mut dims, mut slices, mut dtype) = (Vec::new(), Vec::new(), 0);
    let at = meta.content;
    for record in meta.message("tensor")? {
        let record = record?;
        match record.number {
            saved_slice_meta::NAME => {
                let bytes = record.len_delimited("name")?;
                if bytes.len() > limits.key_bytes {
                    let expected = format!("at most {}", limits.key_bytes);
                    return Err(Error::unexpected("bytes of a name", bytes.len(), expected).at(at));
                }
                *name = Name::from(bytes);
            }
            saved_slice_meta::SHAPE => proto::read_shape(&record, &mut dims, limits)?,
            saved_slice_meta::TYPE => dtype = record.int32("type")?,
            saved_slice_meta::SLICE => proto::read_slice(&record, &mut slices, limits)?,
            _ => {}
        }
    }
    Ok(SavedMeta {
        dtype: DType::stored("dtype", dtype).map_err(|error| error.at(at))?,
        shape: Shape::new(&dims).map_err(|error| error.at(at))?,
        slices,
    })
}
