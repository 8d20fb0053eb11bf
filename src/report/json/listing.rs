//! The listing of a checkpoint: schema `ckdiff-show/1`.

use std::io::{self, Write};
use std::path::Path;

use serde::Serialize;

use crate::error::Error;
use crate::report::{Listing, Row};
use crate::serial;

use super::layout;

/// Writes the listing of a checkpoint.
///
/// # Errors
/// When `out` cannot be written.
pub fn write(listing: &Listing, out: &mut dyn Write) -> io::Result<()> {
    let report = Report {
        schema: "ckdiff-show/1",
        path: &listing.path,
        kind: listing.kind,
        format: listing.format,
        summary: Summary {
            tensors: listing.tensors.len(),
            parameters: listing.parameters(),
            bytes: listing.bytes(),
        },
        metadata: listing.metadata.iter().map(|(key, value)| Pair { key, value }).collect(),
        tensors: &listing.tensors,
        damage: &listing.damage,
    };
    layout::write(&report, out)
}

#[derive(Serialize)]
struct Report<'a> {
    schema: &'static str,
    #[serde(serialize_with = "serial::path")]
    path: &'a Path,
    kind: &'static str,
    format: &'static str,
    summary: Summary,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    metadata: Vec<Pair<'a>>,
    tensors: &'a [Row],
    damage: &'a [Error],
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
