//! What the savers of a graph can restore of a checkpoint.

use serde::{Serialize, Serializer};

use super::misfit::{Counts, Misfit};
use crate::serial::{Named, object};
use crate::tensor::Name;

/// Whether the savers of a graph can restore a checkpoint, and what they cannot restore.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Restorability {
    /// All savers, the default one first; none if the graph restores nothing.
    pub savers: Vec<SaverRestorability>,
    /// The first tensors of the checkpoint, by name, that no saver restores; TensorFlow ignores them.
    pub left: Vec<Name>,
    /// The number of tensors that no saver restores.
    pub left_count: u64,
}

/// What one saver can restore of a checkpoint.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct SaverRestorability {
    /// The restore node; for nodes that no saver names, their scope or function.
    pub name: String,
    /// Whether TensorFlow uses this saver by default.
    #[serde(rename = "default")]
    pub is_default: bool,
    /// Whether its names are those of objects in a checkpoint of TensorFlow 2, where TensorFlow 1 looks up names that are not keys.
    #[serde(skip)]
    pub is_by_object: bool,
    /// The number of tensors that it restores.
    pub tensors: u64,
    /// The number of restore nodes whose tensors are not named by constants, and so are unknown.
    pub unknown: u64,
    /// How many misfits there are of each kind.
    pub counts: Counts,
    /// The first misfits of each kind.
    pub misfits: Vec<Misfit>,
    /// The number of misfits that TensorFlow refuses.
    #[serde(skip)]
    pub refused: u64,
}

impl Serialize for Restorability {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let names: Vec<_> = self.left.iter().map(Named).collect();
        let report = object! {
            fits: self.fits(),
            restores: self.restores(),
            savers: &self.savers,
            not_restored: object! { count: self.left_count, names: names },
        };
        report.serialize(serializer)
    }
}

impl SaverRestorability {
    /// Whether there is no misfit.
    pub fn fits(&self) -> bool {
        self.counts.total() == 0
    }
}

impl Restorability {
    /// Whether the default saver fits; without one, whether any saver does, or there is none.
    pub fn fits(&self) -> bool {
        self.judge(SaverRestorability::fits)
    }

    /// Whether TensorFlow restores without an error; it does not check the shapes of resource variables.
    pub fn restores(&self) -> bool {
        self.judge(|saver| saver.refused == 0)
    }

    /// The saver that decides: the default one, or else the one with the fewest misfits.
    pub fn decisive(&self) -> Option<&SaverRestorability> {
        let default = self.savers.first().filter(|saver| saver.is_default);
        default.or_else(|| self.savers.iter().min_by_key(|saver| saver.counts.total()))
    }

    fn judge(&self, passes: impl Fn(&SaverRestorability) -> bool) -> bool {
        match self.savers.first() {
            None => true,
            Some(default) if default.is_default => passes(default),
            _ => self.savers.iter().any(passes),
        }
    }
}
