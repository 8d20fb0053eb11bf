//! The list of tensors that a V1 file starts with.

use crate::bytes::Limits;
use crate::error::{Error, ErrorKind, Result};
use crate::schema::field::{saved_slice_meta, saved_tensor_slice_meta, saved_tensor_slices};
use crate::table::{Entries, Table};
use crate::tensor::{DType, Name, Shape};

use super::super::wire::{self, Extents, Fields};

/// What a file's meta says of a tensor: a `SavedSliceMeta`.
pub(super) struct Listed {
    pub(super) dtype: DType,
    pub(super) shape: Shape,
    /// The slices of it in this file.
    pub(super) slices: Vec<Extents>,
}

/// A file's `SavedTensorSliceMeta`.
pub(super) struct Meta {
    pub(super) tensors: Vec<(Name, Result<Listed>)>,
    pub(super) damage: Vec<Error>,
}

/// Reads the meta of a file, which is the first entry of the first block.
///
/// # Errors
/// When it is not there, or is no message, or of a version that we cannot read.
pub(super) fn read(table: &Table, limits: &Limits) -> Result<Meta> {
    let missing = || {
        let kind = "the first key must be empty and have the list of tensors; it is missing";
        Error::from(ErrorKind::NotFound(kind.into()))
    };
    let mut blocks = table.blocks();
    let handle = blocks.next().ok_or_else(missing)??;
    let block = table.block(handle)?;
    let mut entries = Entries::new(&block, limits);
    let value = match entries.next()? {
        Some(([], value)) => value,
        _ => return Err(missing().at(handle.offset)),
    };
    let bytes = value.bytes(limits.entry_bytes)?;
    let mut fields = Fields::new(&bytes, value.offset());
    let mut meta = Meta { tensors: Vec::new(), damage: Vec::new() };
    let mut found = false;
    while let Some(field) = fields.next()? {
        if field.number == saved_tensor_slices::META {
            found = true;
            tensors(field.message("meta")?, &mut meta.tensors, limits)?;
        }
    }
    if !found {
        return Err(missing().at(value.offset()));
    }
    if meta.tensors.is_empty() && (!matches!(entries.next(), Ok(None)) || blocks.next().is_some()) {
        let allowed = "there is content of tensors";
        let error = Error::unexpected("list of tensors", "empty", allowed);
        meta.damage.push(error.at(value.offset()));
    }
    Ok(meta)
}

fn tensors(
    mut fields: Fields<'_>,
    tensors: &mut Vec<(Name, Result<Listed>)>,
    limits: &Limits,
) -> Result<()> {
    while let Some(field) = fields.next()? {
        match field.number {
            saved_tensor_slice_meta::TENSOR => {
                let message = field.message("tensor")?;
                let mut name = Name::from("");
                let listed = listed(message, &mut name, limits);
                tensors.push((name, listed));
            }
            saved_tensor_slice_meta::VERSIONS => wire::check_versions(field.message("versions")?)?,
            _ => {}
        }
    }
    Ok(())
}

fn listed(mut fields: Fields<'_>, name: &mut Name, limits: &Limits) -> Result<Listed> {
    let (mut dims, mut slices, mut dtype) = (Vec::new(), Vec::new(), 0);
    let at = fields.offset();
    while let Some(field) = fields.next()? {
        match field.number {
            saved_slice_meta::NAME => {
                let bytes = field.bytes("name")?;
                if bytes.len() > limits.key_bytes {
                    let allowed = format!("at most {} are allowed", limits.key_bytes);
                    return Err(Error::unexpected("bytes of a name", bytes.len(), allowed).at(at));
                }
                *name = Name::from(bytes);
            }
            saved_slice_meta::SHAPE => wire::shape(field.message("shape")?, &mut dims, limits)?,
            saved_slice_meta::TYPE => dtype = field.int32("type")?,
            saved_slice_meta::SLICE if slices.len() >= limits.slices => {
                let allowed = format!("at most {} are allowed", limits.slices);
                return Err(Error::unexpected(
                    "number of slices",
                    format_args!("over {}", limits.slices),
                    allowed,
                )
                .at(at));
            }
            saved_slice_meta::SLICE => slices.push(wire::extents(field.message("slice")?, limits)?),
            _ => {}
        }
    }
    Ok(Listed {
        dtype: DType::from_code(dtype)
            .ok_or_else(|| Error::unexpected("dtype", dtype, "no such type is known").at(at))?,
        shape: wire::finish_shape(&dims, at)?,
        slices,
    })
}
