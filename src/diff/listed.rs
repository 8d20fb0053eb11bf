//! The tensors whose differing elements are listed.

use super::UnusedPattern;
use super::name_filter::Globs;
use crate::error::Result;
use crate::tensor::Name;

/// The tensors whose mismatches are listed, and how many of each.
#[derive(Debug, Clone, Default)]
pub struct ListedTensors(Vec<(Globs, usize)>);

impl ListedTensors {
    /// Lists the first `count` mismatches of the tensors whose names match `glob`.
    ///
    /// # Errors
    /// If the glob is malformed.
    pub fn add(&mut self, glob: &str, count: usize) -> Result<()> {
        self.0.push((Globs::new("elements", &[glob.to_owned()])?, count));
        Ok(())
    }

    /// The globs, each with its count, in the order in which they were added.
    pub fn globs(&self) -> impl Iterator<Item = (&str, usize)> {
        self.0.iter().flat_map(|(globs, count)| globs.patterns().map(move |glob| (glob, *count)))
    }

    /// How many mismatches of the tensor with these names are listed; `None` if no glob matches it.
    pub fn count(&self, names: &[&Name]) -> Option<usize> {
        let is_match = |globs: &Globs| names.iter().any(|name| globs.is_match(name));
        self.0.iter().filter(|(globs, _)| is_match(globs)).map(|(_, count)| *count).max()
    }

    /// The globs that match no name.
    pub(super) fn unused(&self, names: &[&Name]) -> Vec<UnusedPattern> {
        let of = |(globs, _): &(Globs, usize)| globs.unused("elements", names.iter().copied());
        self.0.iter().flat_map(of).collect()
    }
}
