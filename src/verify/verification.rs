//! The result of a verification, and its verdict.

use super::VerifiedGraph;
use crate::artifact::ArtifactSummary;
use crate::error::Error;
use crate::serial::named_enum;
use crate::tensor::Name;

/// The result of a verification.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Verification {
    /// The artifact.
    pub artifact: ArtifactSummary,
    /// The number of tensors that were read in full, with matching checksums.
    pub sound: u64,
    /// The size of their content in bytes.
    pub bytes: u64,
    /// Damage that belongs to no single tensor.
    pub damage: Vec<Error>,
    /// The tensors that cannot be read, by name, with their errors.
    pub unsound: Vec<(Name, Error)>,
    /// Whether the artifact has tensors; a graph has none.
    pub has_tensors: bool,
    /// The graphs, including those of siblings, that are compared with the tensors.
    pub graphs: Vec<VerifiedGraph>,
}

named_enum! {
    /// The answer of a verification; the later values are worse.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
    pub enum Verdict {
        /// Everything can be read, and the graphs fit.
        Sound = "sound",
        /// Everything can be read, but a graph does not fit the tensors, or its nodes the definitions of their ops.
        Unfit = "unfit",
        /// Something cannot be read.
        Trouble = "trouble",
    }
}

impl Verdict {
    /// The worst verdict of several artifacts; one that could not be opened is [`Verdict::Trouble`].
    pub fn of_all<'a>(results: impl IntoIterator<Item = &'a Result<Verification, Error>>) -> Self {
        let of = |result: &Result<Verification, Error>| match result {
            Ok(found) => found.verdict(),
            Err(_) => Self::Trouble,
        };
        results.into_iter().map(of).max().unwrap_or(Self::Sound)
    }
}

impl Verification {
    /// The answer.
    pub fn verdict(&self) -> Verdict {
        match (self.is_sound(), self.fits()) {
            (true, true) => Verdict::Sound,
            (true, false) => Verdict::Unfit,
            (false, _) => Verdict::Trouble,
        }
    }

    /// Whether everything could be read and every checksum matches.
    pub fn is_sound(&self) -> bool {
        self.damage.is_empty() && self.unsound.is_empty()
    }

    /// Whether the graphs conform to the definitions of their ops, and fit the tensors.
    pub fn fits(&self) -> bool {
        self.graphs.iter().all(VerifiedGraph::passes)
    }

    /// Every error: first the damage, then the errors of tensors.
    pub fn errors(&self) -> impl Iterator<Item = &Error> + Clone {
        self.damage.iter().chain(self.unsound.iter().map(|(_, error)| error))
    }

    /// The number of tensors.
    pub fn tensors(&self) -> u64 {
        self.sound + self.unsound.len() as u64
    }
}
