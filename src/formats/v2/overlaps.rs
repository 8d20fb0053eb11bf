//! Finds tensors that share bytes of a shard. TensorFlow writes each tensor to bytes of its own, so one of two such entries is damaged.

use crate::error::{Error, shortened};
use crate::tensor::Name;

use super::super::slice_key;
use super::entry::BundleEntry;
use super::slices::NamedEntry;

/// The average number of entries per byte of the shards above which entries that share bytes are refused: thousands of entries with
/// the same bytes would let a copy of a small file fill a disk.
const MAX_READS: u64 = 4;

/// The content of an entry: bytes `start..end` of a shard. `at` is the position of the entry in the index.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Content {
    shard: u32,
    start: u64,
    end: u64,
    at: usize,
}

/// An entry whose content starts inside that of another.
struct Overlap {
    content: Content,
    other: Content,
}

/// Returns the damage if entries share bytes. If their bytes would be read too often, the entries become errors as well.
pub(super) fn check(entries: &mut [NamedEntry]) -> Option<Error> {
    let mut contents: Vec<Content> = (0..).zip(&*entries).filter_map(content).collect();
    contents.sort_unstable();
    // The earlier content that ends last.
    let mut last: Option<Content> = None;
    let (mut overlaps, mut covered, mut claimed) = (Vec::new(), 0u64, 0u64);
    for content in contents {
        let other = last.filter(|last| last.shard == content.shard && content.start < last.end);
        overlaps.extend(other.map(|other| Overlap { content, other }));
        let start = other.map_or(content.start, |other| other.end);
        claimed = claimed.saturating_add(content.end - content.start);
        covered = covered.saturating_add(content.end.saturating_sub(start));
        if other.is_none_or(|other| other.end < content.end) {
            last = Some(content);
        }
    }
    let damage = damage(entries, &overlaps)?;
    if claimed > covered.saturating_mul(MAX_READS) {
        let shared = overlaps.iter().flat_map(|overlap| [overlap.content.at, overlap.other.at]);
        for at in shared {
            if let Some((_, entry)) = entries.get_mut(at) {
                *entry = Err(damage.clone());
            }
        }
    }
    Some(damage)
}

/// The content of an entry; `None` for a tensor in slices, whose slices have the content, and for an invalid entry, which is reported
/// elsewhere.
fn content((at, (_, entry)): (usize, &NamedEntry)) -> Option<Content> {
    let BundleEntry { shard, offset, size, ref slices, .. } = *entry.as_ref().ok()?;
    let is_read = size > 0 && slices.is_empty() && entry.as_ref().is_ok_and(|e| e.check().is_ok());
    is_read.then_some(Content { shard, start: offset, end: offset.saturating_add(size), at })
}

fn damage(entries: &[NamedEntry], overlaps: &[Overlap]) -> Option<Error> {
    let (Overlap { content, other }, more) = overlaps.split_first()?;
    let name = |at: usize| entries.get(at).map(|(name, _)| printable(name)).unwrap_or_default();
    let more = match more.len() {
        0 => String::new(),
        more => format!(", and {more} more"),
    };
    let found = format!(
        "{} and {} in bytes {} to {} of shard {}{more}",
        name(other.at),
        name(content.at),
        content.start,
        content.end.min(other.end),
        content.shard,
    );
    Some(Error::unexpected("tensors", found, "tensors that share no bytes"))
}

fn printable(name: &Name) -> String {
    match slice_key::name(name.as_bytes()) {
        Some(parent) => format!("a slice of {}", shortened(&Name::from(&parent).printable())),
        None => shortened(&name.printable()).into_owned(),
    }
}
