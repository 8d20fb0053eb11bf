//! Limits on the memory that a file can claim.

/// Limits on sizes that files state; each is checked before anything is allocated.
///
/// The defaults are far above what TensorFlow writes.
#[derive(Debug, Clone)]
pub struct Limits {
    /// Bytes of a table key (a tensor name, or a name with its slice).
    pub key_bytes: usize,
    /// Bytes of one index block (about 30 per 256 KiB of table).
    pub index_block_bytes: u64,
    /// Bytes of a `BundleHeaderProto`, `BundleEntryProto` or V1 `SavedTensorSliceMeta`.
    pub entry_bytes: u64,
    /// Dimensions of a tensor; TensorFlow's own limit is 254.
    pub rank: usize,
    /// Slices of one partitioned variable.
    pub slices: usize,
    /// Bytes of a tensor that is read into memory as a whole, as by `get_tensor`.
    pub tensor_bytes: u64,
    /// Bytes of a message that a tensor contains, such as the object graph of a model.
    pub message_bytes: u64,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            key_bytes: 1 << 20,
            index_block_bytes: 1 << 28,
            entry_bytes: 1 << 26,
            rank: 254,
            slices: 1 << 16,
            tensor_bytes: 1 << 40,
            message_bytes: 1 << 28,
        }
    }
}
