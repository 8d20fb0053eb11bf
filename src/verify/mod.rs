//! Checks one artifact: everything in it can be read, every checksum matches, and its graph fits its tensors.

mod fit;
mod graphs;
mod meta_graph;

use std::path::{Path, PathBuf};

pub use fit::{Counts, Fit, Kind, Misfit, Problem, SaverFit, fit};
pub use graphs::{VerifiedGraph, graphs};
pub use meta_graph::MetaGraph;

use crate::artifact::{Artifact, ArtifactKind};
use crate::checkpoint::{Checkpoint, Entry};
use crate::error::{Error, ErrorKind};
use crate::graph::OpTable;
use crate::progress::Progress;
use crate::serial::named_enum;
use crate::tensor::{Name, in_parallel, read_through};

/// The result of a verification.
#[derive(Debug, Clone)]
pub struct Verification {
    /// The path that the user gave.
    pub path: PathBuf,
    /// The kind of artifact.
    pub kind: ArtifactKind,
    /// The format, such as `V2`.
    pub format: &'static str,
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
    /// Whether the format of its tensors has checksums.
    pub has_checksums: bool,
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

    /// Whether no tensor is damaged.
    pub fn is_sound(&self) -> bool {
        self.damage.is_empty() && self.unsound.is_empty()
    }

    /// Whether the graphs conform to the definitions of their ops, and fit the tensors.
    pub fn fits(&self) -> bool {
        self.graphs.iter().all(VerifiedGraph::is_well)
    }

    /// The number of tensors.
    pub fn tensors(&self) -> u64 {
        self.sound + self.unsound.len() as u64
    }
}

/// Reads all of `artifact` on `threads` threads (0 for one per core), and verifies every checksum and bound.
///
/// # Examples
/// ```
/// use ckdiff::artifact::Artifact;
/// use ckdiff::progress::Silent;
/// use ckdiff::verify::verify;
///
/// let artifact = Artifact::open("tests/data/demo/model.ckpt")?;
/// assert!(verify(&artifact, 0, &Silent)?.is_sound());
/// # Ok::<(), ckdiff::Error>(())
/// ```
///
/// # Errors
/// If the artifact has neither tensors nor a graph. Damage to a checkpoint is part of the result.
pub fn verify(
    artifact: &Artifact<'_>,
    threads: usize,
    progress: &dyn Progress,
) -> Result<Verification, Error> {
    verify_with(artifact, None, threads, progress)
}

/// As [`verify`], with the caller's op definitions, such as those of an older TensorFlow.
///
/// # Errors
/// As [`verify`].
pub fn verify_with(
    artifact: &Artifact<'_>,
    ops: Option<&OpTable<'_>>,
    threads: usize,
    progress: &dyn Progress,
) -> Result<Verification, Error> {
    let checkpoint = artifact.checkpoint();
    let graphs = match artifact.message() {
        Some(document) => graphs(document, checkpoint, ops)?,
        None => Vec::new(),
    };
    if graphs.is_empty() {
        artifact.tensors("verified")?;
    }
    let mut found = Verification {
        path: artifact.path().to_path_buf(),
        kind: artifact.kind().clone(),
        format: artifact.format(),
        sound: 0,
        bytes: 0,
        damage: Vec::new(),
        unsound: Vec::new(),
        has_tensors: checkpoint.is_some(),
        has_checksums: checkpoint.is_none_or(|found| found.format().checksum.is_some()),
        graphs,
    };
    if let Some(checkpoint) = checkpoint {
        tensors(checkpoint, threads, progress, &mut found);
    }
    Ok(found)
}

/// Reads all of a checkpoint.
fn tensors(
    checkpoint: &Checkpoint,
    threads: usize,
    progress: &dyn Progress,
    found: &mut Verification,
) {
    found.damage = checkpoint.damage().to_vec();
    if !checkpoint.has_data() {
        let kind =
            ErrorKind::NotFound("the data files are missing; only the index was checked".into());
        found.damage.push(Error::from(kind).in_file(checkpoint.path()));
    }
    let entries: Vec<&Entry> = checkpoint.tensors().collect();
    progress.total(stored_bytes(&entries));
    let results = in_parallel(&entries, threads, |entry| read(checkpoint, entry, progress));
    for (entry, result) in entries.iter().zip(results) {
        match result {
            Ok(bytes) => {
                found.sound += 1;
                found.bytes += bytes;
            }
            Err(error) => found.unsound.push((entry.name.clone(), error.of_tensor(&entry.name))),
        }
    }
    let known = |error: &Error| {
        let reported = found.damage.iter().chain(found.unsound.iter().map(|(_, error)| error));
        reported.map(place).any(|at| at == place(error))
    };
    let rest: Vec<_> = checkpoint.scan().into_iter().filter(|error| !known(error)).collect();
    found.damage.extend(rest);
}

/// The location of an error: damage in one place is reported once.
fn place(error: &Error) -> (Option<&Path>, Option<u64>) {
    (error.file(), error.offset())
}

fn stored_bytes(entries: &[&Entry]) -> u64 {
    entries
        .iter()
        .filter_map(|entry| entry.source.as_ref().ok())
        .fold(0, |sum, source| source.stored_bytes().saturating_add(sum))
}

/// Reads a tensor to its end; without data files, only its entry is checked.
fn read(checkpoint: &Checkpoint, entry: &Entry, progress: &dyn Progress) -> Result<u64, Error> {
    let source = entry.source.as_ref().map_err(Error::clone)?;
    if checkpoint.has_data() { read_through(&**source, progress, |_| Ok(())) } else { Ok(0) }
}
