//! Changes that are reported together.

/// Whether reports put changes together.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Grouping {
    /// Equal edits are one change, with what follows from it.
    #[default]
    ByCause,
    /// Each change stands for itself.
    Off,
}

/// Changes that are reported as one: equal edits, and what follows from them.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct ChangeGroup {
    /// The positions of the equal edits in [`Diff::changes`](super::Diff::changes). The first stands for all of them; the others
    /// ascend.
    pub members: Vec<usize>,
    /// The positions of the changes that follow from these, ascending.
    pub follows: Vec<usize>,
}

impl ChangeGroup {
    /// A group of one change.
    pub(super) fn of(at: usize) -> Self {
        Self { members: vec![at], follows: Vec::new() }
    }
}
