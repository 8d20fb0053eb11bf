//! The bytes of files: bounds-checked cursors, positional reads, varints, ordered code, checksums.
//!
//! Nothing here knows what the bytes mean. Nothing here allocates by a length it read from a file.

pub(crate) mod base64;
mod checksum;
mod crc32c;
mod cursor;
mod file;
mod limits;
pub(crate) mod near;
pub mod ordered_code;
mod stream;
pub mod varint;

pub use checksum::{Checksum, ChecksumKind};
pub use crc32c::Crc32c;
pub use cursor::Cursor;
pub use file::{File, Memory, ReadAt};
pub use limits::Limits;
pub use stream::Stream;
