//! The immutable sorted table behind `*.index` files and V1 checkpoints.
//!
//! ```text
//! [data block]* [metaindex block] [index block] [footer: 48 bytes]
//! block   := payload, type: u8 (0 raw, 1 snappy), masked crc32c of both: u32 LE
//! payload := entry*, restart offset: u32 LE *, number of restarts: u32 LE
//! entry   := shared, unshared, value length: varints; the key's last `unshared` bytes; value
//! ```
//! An entry's key is the first `shared` bytes of the key before it and its own `unshared` ones. The index block has one
//! entry per data block: a separator, not less than any key of the block and less than every key of the next, and
//! the block's handle. Keys ascend bytewise. Source: LevelDB `doc/table_format.md`, and TensorFlow's copy of it.
//!
//! Nothing from a block is believed before its checksum holds, except by its length. A block or entry that is damaged is
//! reported and the others are still read. Blocks of more than a mebibyte are read through a small buffer.

mod block;
mod builder;
mod entries;
mod format;
mod reader;

pub use block::Block;
pub use builder::Builder;
pub use entries::{Entries, Value};
pub use format::{BlockHandle, FOOTER_LEN, Footer, is_end_of_table};
pub use reader::{Blocks, Table};
