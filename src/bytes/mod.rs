//! The bytes of files: bounds-checked cursors, positional reads, varints, ordered code, checksums.
//!
//! This module does not know the formats of files, and never allocates by a length that it read.

pub(crate) mod base64;
mod bounded;
mod checksum;
mod crc32c;
mod crc_combine;
mod cursor;
mod file;
mod hex;
pub mod ordered_code;
mod stream;
pub mod varint;
mod window;

pub use bounded::read_to_end;
pub use checksum::{Checksum, ChecksumKind};
pub use crc32c::Crc32c;
pub use cursor::Cursor;
pub(crate) use file::check_regular;
pub use file::{File, Memory, ReadAt};
pub use hex::hex;
pub use stream::Stream;
pub use window::ReadWindow;
