//! The header of a file: JSON that lists the tensors.

use std::collections::{BTreeMap, BTreeSet};

use serde::Deserialize;
use serde_json::value::RawValue;

use crate::bytes::ReadAt;
use crate::error::{Error, Result, shortened};
use crate::limits::Limits;
use crate::tensor::{Name, Shape};

use super::json::{self, Members};
use super::types::Type;
use crate::probe::Probe;

/// The maximum number of bytes of a header; the library's limit.
pub(super) const MAX_BYTES: u64 = 100_000_000;

/// The name of the metadata in a header.
pub(super) const METADATA: &str = "__metadata__";

/// The maximum number of bytes of JSON per tensor; a shape of 254 dimensions takes 5 KB.
const MAX_ENTRY_BYTES: usize = 1 << 16;

/// The maximum number of damaged entries. A header with more is refused, since their errors would take more memory than the header.
const MAX_DAMAGED: usize = 100_000;

/// A parsed header.
pub(super) struct Header {
    /// The metadata, in order.
    pub(super) metadata: Vec<(String, String)>,
    pub(super) tensors: BTreeMap<Name, Result<HeaderEntry>>,
    /// Damage that does not belong to a single tensor.
    pub(super) damage: Vec<Error>,
}

/// The type, shape and location of a tensor.
pub(super) struct HeaderEntry {
    pub(super) ty: &'static Type,
    pub(super) shape: Shape,
    /// The offset of the content in the file.
    pub(super) start: u64,
    /// The offset of the byte after the content.
    pub(super) end: u64,
}

/// The JSON value of a tensor. Other fields are skipped.
#[derive(Deserialize)]
#[serde(expecting = "an object with `dtype`, `shape` and `data_offsets`")]
struct Fields {
    dtype: String,
    shape: Vec<u64>,
    data_offsets: Vec<u64>,
}

impl Header {
    /// Reads the header of `file` and checks that the tensors follow each other to the end of the file.
    ///
    /// # Errors
    /// If the header is not a JSON object, is too long, or has too many damaged entries.
    pub(super) fn read(file: &dyn ReadAt, limits: &Limits) -> Result<Self> {
        let bytes = bytes(file)?;
        let mut text = vec![0; usize::try_from(bytes).unwrap_or(usize::MAX)];
        file.read_at(8, &mut text)?;
        let text = json::text(&text, 8)?;
        let members: Members<&RawValue> = json::parse(text, 8)?;
        let data = Data { start: 8 + bytes, end: file.len(), most_dims: limits.rank };
        let mut header =
            Self { metadata: Vec::new(), tensors: BTreeMap::new(), damage: Vec::new() };
        let mut damaged = 0;
        let mut has_metadata = false;
        for (key, value) in members.0 {
            // Both slices belong to the same text.
            let at = 8 + (value.get().as_ptr().addr() - text.as_ptr().addr()) as u64;
            if key == METADATA {
                let first = !std::mem::replace(&mut has_metadata, true);
                match metadata(value.get(), at, first) {
                    Ok(pairs) => header.metadata = pairs,
                    Err(error) => header.damage.push(error.in_field(METADATA).at(at)),
                }
                continue;
            }
            let name = Name::from(&key);
            let entry = match header.tensors.contains_key(&name) {
                true => Err(Error::duplicate("name", name.printable())),
                false => data.entry(value.get(), at),
            };
            damaged += usize::from(entry.is_err());
            if damaged > MAX_DAMAGED {
                let expected = format!("at most {MAX_DAMAGED}");
                return Err(Error::unexpected("number of damaged tensors", damaged, expected));
            }
            header.tensors.insert(name, entry.map_err(|error| error.at(at)));
        }
        header.damage.extend(data.check_overlaps(&mut header.tensors));
        Ok(header)
    }
}

/// Whether a file begins like a header, and is long enough for it.
pub(super) fn is_likely(probe: &Probe) -> bool {
    let Some((length, json)) = probe.head().split_first_chunk() else { return false };
    // The length of a stream is not known.
    let have = probe.file().map_or(u64::MAX, |file| file.len().saturating_sub(8));
    json.trim_ascii_start().first() == Some(&b'{')
        && checked_length(u64::from_le_bytes(*length), have).is_ok()
}

/// The length of the header, which the file is long enough for.
fn bytes(file: &dyn ReadAt) -> Result<u64> {
    let have = file.len().checked_sub(8);
    let have = have.ok_or_else(|| Error::truncated("the length of the header", 8, file.len()))?;
    let mut bytes = [0; 8];
    file.read_at(0, &mut bytes)?;
    checked_length(u64::from_le_bytes(bytes), have)
}

/// The length of a header, of a file that has `have` bytes after it.
fn checked_length(bytes: u64, have: u64) -> Result<u64> {
    if bytes > MAX_BYTES {
        let expected = format!("at most {MAX_BYTES}");
        return Err(Error::unexpected("length of the header", bytes, expected).at(0));
    }
    if bytes > have {
        return Err(Error::truncated("the header", bytes, have).at(8));
    }
    Ok(bytes)
}

/// Parses the metadata, which may be `null`.
fn metadata(text: &str, at: u64, first: bool) -> Result<Vec<(String, String)>> {
    let pairs = json::parse::<Option<Members<String>>>(text, at)?;
    let pairs = pairs.map(|pairs| pairs.0).unwrap_or_default();
    let mut keys = BTreeSet::new();
    let twice = pairs.iter().map(|(key, _)| &**key).find(|key| !keys.insert(*key));
    // Readers disagree on which of two equal keys counts.
    match if first { twice } else { Some(METADATA) } {
        Some(key) => Err(Error::duplicate("key", key)),
        None => Ok(pairs),
    }
}

/// The part of a file after the header.
struct Data {
    start: u64,
    end: u64,
    most_dims: usize,
}

impl Data {
    /// Parses the JSON value of a tensor at byte `at`.
    fn entry(&self, text: &str, at: u64) -> Result<HeaderEntry> {
        if text.len() > MAX_ENTRY_BYTES {
            let expected = format!("at most {MAX_ENTRY_BYTES}");
            return Err(Error::unexpected("bytes of an entry", text.len(), expected));
        }
        let fields: Fields = json::parse(text, at)?;
        let ty = Type::named(&fields.dtype).ok_or_else(|| {
            let found = format!("\"{}\"", shortened(&fields.dtype));
            Error::unexpected("dtype", found, "a dtype of safetensors")
        })?;
        if fields.shape.len() > self.most_dims {
            let expected = format!("at most {}", self.most_dims);
            return Err(Error::unexpected("number of dimensions", fields.shape.len(), expected));
        }
        let dims: Result<Vec<i64>, _> =
            fields.shape.iter().map(|&dim| i64::try_from(dim)).collect();
        let dims = dims.map_err(|_| {
            let found = format!("{:?}", fields.shape);
            Error::unexpected("shape", found, "at most 2^63 - 1 elements")
        })?;
        let shape = Shape::new(&dims)?;
        let [start, end] = *fields.data_offsets else {
            return Err(Error::unexpected("length of data_offsets", fields.data_offsets.len(), 2));
        };
        let (start, end) = self.absolute((start, end))?;
        let bits = u128::from(shape.elements()) * u128::from(ty.bits);
        if bits % 8 != 0 {
            let found = format!("{} {}", shape.elements(), ty.name);
            return Err(Error::unexpected("content", found, "a whole number of bytes"));
        }
        if bits != u128::from(end - start) * 8 {
            let expected = format!("{}, as {} of shape {shape} has", bits / 8, ty.name);
            return Err(Error::unexpected("bytes of content", end - start, expected));
        }
        Ok(HeaderEntry { ty, shape, start, end })
    }

    /// Converts offsets from the start of the data to offsets in the file.
    fn absolute(&self, offsets: (u64, u64)) -> Result<(u64, u64)> {
        let (start, end) = offsets;
        let bytes = end.checked_sub(start).ok_or_else(|| {
            let expected = format!("at least the start, {start}");
            Error::unexpected("end of the content", end, expected)
        })?;
        let have = self.end - self.start;
        if end <= have {
            return Ok((self.start + start, self.start + end));
        }
        Err(match have.checked_sub(start).filter(|have| *have < bytes) {
            Some(left) => Error::truncated("content", bytes, left).at(self.start + start),
            None => {
                let expected = format!("at most {have}, where the content of the file ends");
                Error::unexpected("end of the content", end, expected)
            }
        })
    }

    /// Replaces tensors that share bytes by errors. Returns an error if some bytes belong to no tensor.
    fn check_overlaps(&self, tensors: &mut BTreeMap<Name, Result<HeaderEntry>>) -> Option<Error> {
        let range = |(name, listed): (&Name, &Result<HeaderEntry>)| {
            let listed = listed.as_ref().ok()?;
            Some((listed.start, listed.end, name.clone()))
        };
        let mut order: Vec<_> = tensors.iter().filter_map(range).collect();
        // A tensor with an invalid entry may have these bytes.
        let all_known = order.len() == tensors.len();
        order.sort();
        let (mut end, mut unused, mut first_unused) = (self.start, 0, self.end);
        let mut last: Option<&Name> = None;
        let mut overlaps = Vec::new();
        for (start, tensor_end, name) in &order {
            if let (true, Some(last)) = (*start < end, last) {
                overlaps.push((name, last, start));
                // An empty tensor overlaps no other.
                overlaps.extend((tensor_end > start).then_some((last, name, start)));
            }
            if *start > end {
                unused += start - end;
                first_unused = first_unused.min(end);
            }
            if *tensor_end >= end {
                (end, last) = (*tensor_end, Some(name));
            }
        }
        if end < self.end {
            unused += self.end - end;
            first_unused = first_unused.min(end);
        }
        for (name, other, start) in overlaps {
            let found = format!("content that overlaps tensor {}", shortened(&other.printable()));
            let error = Error::unexpected("content", found, "content that overlaps no other");
            tensors.insert(name.clone(), Err(error.at(*start)));
        }
        (all_known && unused > 0).then(|| {
            let expected = "none";
            Error::unexpected("unused bytes", unused, expected).at(first_unused)
        })
    }
}
