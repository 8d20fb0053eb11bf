//! What a file may ask of us.

/// Bounds on what is read into memory because a file says so; each holds before anything is allocated.
///
/// The defaults are far above what TensorFlow writes and far below what hurts.
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
    /// Bytes of a whole tensor in memory, where one is asked for (`get_tensor`).
    pub tensor_bytes: u64,
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
        }
    }
}
