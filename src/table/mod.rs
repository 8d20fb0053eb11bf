//! The immutable sorted table behind `*.index` files and V1 checkpoints.
//!
//! ```text
//! [data block]* [metaindex block] [index block] [footer: 48 bytes]
//! block   := payload, type: u8 (0 raw, 1 snappy), masked crc32c of both: u32 LE
//! payload := entry*, restart offset: u32 LE *, number of restarts: u32 LE
//! entry   := shared, unshared, value length: varints; the key's last `unshared` bytes; value
//! ```
//! The key of an entry is the first `shared` bytes of the key before it, followed by its own `unshared` bytes. The index block has
//! one entry per data block: a separator, which is not less than any key of the block and less than every key of the next, and
//! the handle of the block. Keys ascend bytewise. Source: LevelDB `doc/table_format.md`, and TensorFlow's copy of it.
//!
//! A block is verified before it is used. Damage to a block or an entry is reported, and the others are still read. Large blocks
//! are read through a small buffer.

mod block;
mod builder;
mod entries;
mod format;
mod reader;

pub use block::Block;
pub use builder::Builder;
pub use entries::{Entries, Value};
pub use format::{BlockHandle, FOOTER_LEN, Footer, is_end_of_table};
pub(crate) use reader::{AFTER_PREVIOUS, out_of_order};
pub use reader::{Blocks, Table};
