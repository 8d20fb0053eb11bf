//! Checkpoints of the safetensors library: files `M.safetensors`, each with a header and the content of its tensors, or several
//! shards with an index `M.safetensors.index.json`.
//!
//! ```text
//! file   := header length: u64 LE, header: JSON, content of tensors, without gaps
//! header := {"__metadata__": {text: text}, name: {"dtype": "F32", "shape": [2, 3], "data_offsets": [start, end]}, …}
//! index  := {"metadata": …, "weight_map": {name: file name, …}}
//! content: row-major, little-endian; offsets count from the end of the header; two elements of F4 in a byte, low half first
//! ```
//! Source: the documentation of the format and the behavior of the library, version 0.8. The format has no checksums.
//!
//! Files that the library refuses are damaged, or only a tensor in them is if that is possible. There are these differences:
//! repeated names are errors, since readers disagree on which one counts (the library takes the last); an invalid entry affects
//! only its tensor; tensors beyond the limits of this crate (254 dimensions, 2^63 - 1 elements) are errors; unknown fields are
//! skipped.

mod header;
mod index;
mod json;
mod path;
mod read;
mod stored;
mod types;
mod write;

use super::Format;
use super::format::Writer;

/// See [`FORMATS`](super::FORMATS).
pub(super) static FORMAT: Format = Format {
    name: "safetensors",
    option: "safetensors",
    about: "One file of the safetensors library, or several and an index",
    checksum: None,
    version: None,
    role: path::role,
    locate: path::locate,
    files: path::files,
    claimed: index::claimed,
    marker: path::marker,
    prefix: |_| None,
    open_name: path::open_name,
    read: read::read,
    read_file: read::read_file,
    writer: Some(Writer {
        open_path: path::open_path,
        keeps_metadata: true,
        write: write::write,
        merge: None,
    }),
};
