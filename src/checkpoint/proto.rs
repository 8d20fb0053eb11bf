//! The messages that V1 and V2 checkpoints share: shapes, slices and versions.

use prost_reflect::prost::Message as _;

use crate::bytes::Limits;
use crate::error::{Error, Result};
use crate::message::Record;
use crate::schema::field::tensor_shape_proto::{self, dim};
use crate::schema::tensorflow::tensor_shape_proto::Dim;
use crate::schema::tensorflow::tensor_slice_proto::{Extent, extent::HasLengthHack};
use crate::schema::tensorflow::{TensorShapeProto, TensorSliceProto, VersionDef};
use crate::tensor::Shape;

/// The version of what we write and read, as TensorFlow has it.
const VERSION: i32 = 1;

/// A box of a `TensorSliceProto`: start and length per dimension, -1 for all of it.
pub(super) type Extents = Box<[(i64, i64)]>;

/// Adds the dimensions of the `TensorShapeProto` in `field` to `dims`: protobuf joins the parts of a shape that is given
/// more than once.
///
/// Walked by its records: an index of 20,000 entries is read on every start.
pub(super) fn read_shape(field: &Record<'_>, dims: &mut Vec<i64>, limits: &Limits) -> Result<()> {
    for record in field.message("shape")? {
        let record = record?;
        match record.number {
            tensor_shape_proto::DIM => {
                let mut size = 0;
                for field in record.message("dimension")? {
                    let field = field?;
                    if field.number == dim::SIZE {
                        size = field.int64("size of a dimension")?;
                    }
                }
                if dims.len() >= limits.rank {
                    return Err(too_many("rank", "dimensions", limits.rank).at(record.offset));
                }
                dims.push(size);
            }
            tensor_shape_proto::UNKNOWN_RANK if record.int64("unknown_rank")? != 0 => {
                let allowed = "a stored tensor has a shape";
                return Err(Error::unexpected("rank", "unknown", allowed).at(record.offset));
            }
            _ => {}
        }
    }
    Ok(())
}

/// Adds the `TensorSliceProto` in `field` to the slices of a tensor.
pub(super) fn read_slice(
    field: &Record<'_>,
    slices: &mut Vec<Extents>,
    limits: &Limits,
) -> Result<()> {
    if slices.len() >= limits.slices {
        return Err(too_many("number of slices", "slices", limits.slices).at(field.offset));
    }
    let bytes = field.len_delimited("slice")?;
    slices.push(extents(bytes, limits).map_err(|error| error.at(field.offset))?);
    Ok(())
}

/// Reads a `TensorSliceProto`.
pub(super) fn extents(bytes: &[u8], limits: &Limits) -> Result<Extents> {
    let slice = TensorSliceProto::decode(bytes)
        .map_err(|error| Error::unexpected("slice", error, "it must be a TensorSliceProto"))?;
    if slice.extent.len() > limits.rank {
        return Err(too_many("rank of a slice", "dimensions", limits.rank));
    }
    let extent = |extent: Extent| match extent.has_length_hack {
        Some(HasLengthHack::Length(len)) => (extent.start, len),
        None => (extent.start, -1),
    };
    Ok(slice.extent.into_iter().map(extent).collect())
}

fn too_many(what: &'static str, items: &str, most: usize) -> Error {
    let allowed = format!("at most {most} {items} are allowed");
    Error::unexpected(what, format_args!("over {most}"), allowed)
}

/// The `TensorShapeProto` of a shape.
pub(super) fn shape_proto(shape: &Shape) -> TensorShapeProto {
    let dim = |&size: &u64| Dim { size: size.cast_signed(), name: String::new() };
    TensorShapeProto { dim: shape.dims().iter().map(dim).collect(), unknown_rank: false }
}

/// The `TensorSliceProto` of a slice.
pub(super) fn slice_proto(extents: &[(i64, i64)]) -> TensorSliceProto {
    // A length of 0 is written too: without one the slice has all of the dimension.
    let extent = |&(start, len): &(i64, i64)| Extent {
        start,
        has_length_hack: (len >= 0).then_some(HasLengthHack::Length(len)),
    };
    TensorSliceProto { extent: extents.iter().map(extent).collect() }
}

/// The `VersionDef` of what we write.
pub(super) fn versions() -> VersionDef {
    VersionDef { producer: VERSION, ..VersionDef::default() }
}

/// Checks a `VersionDef` against what we read.
pub(super) fn check_versions(versions: &VersionDef) -> Result<()> {
    let VersionDef { producer, min_consumer, bad_consumers } = versions;
    if *producer < 0 {
        return Err(Error::unexpected("version of the writer", producer, "at least 0 is read"));
    }
    if *min_consumer > VERSION {
        let what = "version a reader must have";
        return Err(Error::unexpected(what, min_consumer, "this reader has 1"));
    }
    if bad_consumers.contains(&VERSION) {
        return Err(Error::unexpected("bad_consumers", VERSION, "this reader has version 1"));
    }
    Ok(())
}

/// The most bytes that the keys of a table of `file_bytes` may have together.
///
/// A key is stored without the bytes that it shares with the one before. This is far more than that saves of real names, and keeps
/// a small file from making gigabytes of them.
pub(super) fn key_bytes(file_bytes: u64) -> u64 {
    (1 << 20) + file_bytes.saturating_mul(16)
}
