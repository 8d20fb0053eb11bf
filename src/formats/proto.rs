//! Messages of both V1 and V2: shapes, slices and versions.

use prost::Message as _;

use crate::error::{Error, Result, shortened};
use crate::limits::Limits;
use crate::message::{Record, int32, numbers};
use crate::schema::Kind;
use crate::schema::field::tensor_shape_proto::{self, dim};
use crate::schema::field::version_def;
use crate::schema::tensorflow::tensor_shape_proto::Dim;
use crate::schema::tensorflow::tensor_slice_proto::{Extent, extent::HasLengthHack};
use crate::schema::tensorflow::{TensorShapeProto, TensorSliceProto, VersionDef};
use crate::tensor::{Name, Shape};

/// The version that is written and read.
const VERSION: i32 = 1;

/// The extents of a `TensorSliceProto`: start and length per dimension; the length -1 is the full dimension.
pub(super) type Extents = Box<[(i64, i64)]>;

/// Appends the dimensions of a `TensorShapeProto` to `dims`, since protobuf merges repeated occurrences of a message.
///
/// Reads records directly, since an index may have 20,000 entries.
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
                let error = Error::unexpected("rank", "unknown_rank", "a known rank");
                return Err(error.at(record.offset));
            }
            _ => {}
        }
    }
    Ok(())
}

/// The error for the first key of a table, which must be empty; `None` if the table has no keys.
pub(super) fn wrong_first_key(found: Option<&[u8]>, content: &str) -> Error {
    let quoted = |key| format!("\"{}\"", shortened(&Name::from(key).printable()));
    let found = found.map_or_else(|| "no key".to_owned(), quoted);
    Error::unexpected("first key", found, format!("\"\", that of {content}"))
}

/// Appends a `TensorSliceProto` to the slices of a tensor.
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
        .map_err(|error| Error::malformed("slice", "a TensorSliceProto", error))?;
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
    let expected = format!("at most {most} {items}");
    Error::unexpected(what, "more", expected)
}

/// The `TensorShapeProto` of a shape.
pub(super) fn shape_proto(shape: &Shape) -> TensorShapeProto {
    let dim = |&size: &u64| Dim { size: size.cast_signed(), name: String::new() };
    TensorShapeProto { dim: shape.dims().iter().map(dim).collect(), unknown_rank: false }
}

/// The `TensorSliceProto` of a slice.
pub(super) fn slice_proto(extents: &[(i64, i64)]) -> TensorSliceProto {
    // A length of 0 is written too, since a missing one is the full dimension.
    let extent = |&(start, len): &(i64, i64)| Extent {
        start,
        has_length_hack: (len >= 0).then_some(HasLengthHack::Length(len)),
    };
    TensorSliceProto { extent: extents.iter().map(extent).collect() }
}

/// The `VersionDef` of a new checkpoint.
pub(super) fn versions() -> VersionDef {
    VersionDef { producer: VERSION, ..VersionDef::default() }
}

/// Checks that a checkpoint with this `VersionDef` may be read.
pub(super) fn check_versions(field: &Record<'_>) -> Result<()> {
    for record in field.message("versions")? {
        let record = record?;
        let refuse = |what, found: i32, expected| {
            Err(Error::unexpected(what, found, expected).at(record.offset))
        };
        match record.number {
            version_def::PRODUCER => {
                let producer = record.int32("producer")?;
                if producer < 0 {
                    return refuse("producer", producer, "at least 0");
                }
            }
            version_def::MIN_CONSUMER => {
                let least = record.int32("min_consumer")?;
                if least > VERSION {
                    return refuse("min_consumer", least, "at most 1, the version of this reader");
                }
            }
            version_def::BAD_CONSUMERS => {
                let mut bad = numbers(record.bytes, version_def::BAD_CONSUMERS, Kind::Int32);
                if bad.any(|version| int32(version) == VERSION) {
                    return refuse(
                        "bad_consumers",
                        VERSION,
                        "a list without 1, the version of this reader",
                    );
                }
            }
            _ => {}
        }
    }
    Ok(())
}

/// The maximum number of bytes of all keys together in a table of `file_bytes`.
///
/// A key is stored without the prefix that it shares with the previous key. The limit is far above what real names need, and
/// prevents a small file from expanding to gigabytes.
pub(super) fn key_bytes(file_bytes: u64) -> u64 {
    (1 << 20) + file_bytes.saturating_mul(16)
}
