//! What is in a checkpoint: schema `ckdiff-show/1`.

use std::borrow::Cow;
use std::io::{self, Write};

use serde::Serialize;

use crate::report::{Listing, Row};

use super::layout;
use super::name::{Text, exact};

/// Tells a program what is in a checkpoint.
///
/// # Errors
/// When `out` cannot be written.
pub fn write(listing: &Listing, out: &mut dyn Write) -> io::Result<()> {
    let report = Report {
        schema: "ckdiff-show/1",
        path: listing.path.to_string_lossy(),
        kind: listing.kind,
        format: listing.format,
        summary: Summary {
            tensors: listing.tensors.len(),
            parameters: listing.parameters(),
            bytes: listing.bytes(),
        },
        metadata: listing.metadata.iter().map(|(key, value)| Pair { key, value }).collect(),
        tensors: listing.tensors.iter().map(RowOut::new).collect(),
        damage: listing.damage.iter().map(ToString::to_string).collect(),
    };
    layout::write(&report, out)
}

#[derive(Serialize)]
struct Report<'a> {
    schema: &'static str,
    path: Cow<'a, str>,
    kind: &'static str,
    format: &'static str,
    summary: Summary,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    metadata: Vec<Pair<'a>>,
    tensors: Vec<RowOut<'a>>,
    damage: Vec<String>,
}

/// A pair of texts: shards may have different values for one key.
#[derive(Serialize)]
struct Pair<'a> {
    key: &'a str,
    value: &'a str,
}

#[derive(Serialize)]
struct Summary {
    tensors: usize,
    parameters: u64,
    bytes: u64,
}

#[derive(Serialize)]
pub(super) struct RowOut<'a> {
    name: Text<'a>,
    #[serde(skip_serializing_if = "Option::is_none")]
    name_b64: Option<String>,
    dtype: Option<&'static str>,
    shape: Option<&'a [u64]>,
    bytes: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    sha256: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    error: Option<String>,
}

impl<'a> RowOut<'a> {
    pub(super) fn new(row: &'a Row) -> Self {
        let facts = row.facts.as_ref();
        Self {
            name: Text(&row.name),
            name_b64: exact(&row.name),
            dtype: facts.map(|facts| facts.dtype.name()),
            shape: facts.map(|facts| facts.shape.dims()),
            bytes: row.bytes,
            sha256: row.sha256.as_deref(),
            error: row.error.as_ref().map(ToString::to_string),
        }
    }
}
