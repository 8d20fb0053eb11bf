//! The memory that a graph may take.

/// The memory that the index of a message may take: what the shortest nodes with a name and an op need, and enough for any small graph.
pub(super) fn budget(message: &[u8]) -> usize {
    const PER_BYTE: usize = 16;
    const LEAST: usize = 16 << 20;
    message.len().saturating_mul(PER_BYTE).saturating_add(LEAST)
}
