//! A node, as its bytes have it.

use super::value::Value;
use crate::graph::wire::{entries, string, strings};

/// A node; its fields are read when asked for.
#[derive(Debug, Clone, Copy)]
pub(super) struct Node<'a> {
    bytes: &'a [u8],
    pub(super) name: &'a str,
    pub(super) op: &'a str,
}

impl<'a> Node<'a> {
    /// Reads a `NodeDef`.
    pub(super) fn new(bytes: &'a [u8]) -> Self {
        Self { bytes, name: string(bytes, 1), op: string(bytes, 2) }
    }

    /// The inputs as they are written, in order.
    pub(super) fn inputs(&self) -> impl Iterator<Item = &'a str> {
        strings(self.bytes, 3)
    }

    pub(super) fn device(&self) -> &'a str {
        string(self.bytes, 4)
    }

    /// The attributes, by name.
    pub(super) fn attrs(&self) -> impl Iterator<Item = (&'a str, Value<'a>)> {
        entries(self.bytes, 5).map(|(name, value)| (name, Value::new(value)))
    }

    /// Whether a cycle may go through here to a merge.
    pub(super) fn is_next_iteration(&self) -> bool {
        matches!(self.op, "NextIteration" | "RefNextIteration")
    }

    pub(super) fn is_merge(&self) -> bool {
        matches!(self.op, "Merge" | "RefMerge" | "_XlaMerge")
    }
}

/// Whether TensorFlow takes the name; `is_inner` is for functions, where it makes names of its own.
///
/// Source: what TensorFlow 2.21 imports and refuses: letters, digits and `_./-`, the first a letter, a digit or a dot,
/// also behind each `>`. Python makes and exports nodes with a `\` in their names, but no graph with one is imported.
pub(super) fn is_valid_name(name: &str, is_inner: bool) -> bool {
    let name =
        name.strip_prefix('_').filter(|_| is_inner).map_or(name, |_| name.trim_start_matches('_'));
    let is_part = |part: &str| {
        part.starts_with(|first: char| first.is_ascii_alphanumeric() || first == '.')
            && part.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"_./-".contains(&byte))
    };
    name.split('>').all(is_part)
}
