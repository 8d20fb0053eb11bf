//! One artifact against itself: whether everything in it can be read, every checksum holds, and its graph and its
//! tensors go together.

mod fit;
mod graphs;
mod meta_graph;

use std::path::{Path, PathBuf};

pub use fit::{Counts, Fit, Kind, Misfit, Problem, SaverFit, fit};
pub use graphs::{VerifiedGraph, graphs};
pub use meta_graph::MetaGraph;

use crate::artifact::Artifact;
use crate::checkpoint::{Checkpoint, Entry};
use crate::error::{Error, ErrorKind};
use crate::graph::OpTable;
use crate::progress::Progress;
use crate::tensor::{Name, in_parallel, read_through};

/// What a verification found.
#[derive(Debug, Clone)]
pub struct Verification {
    /// As the user gave it.
    pub path: PathBuf,
    /// What it is, as in `checkpoint`.
    pub kind: String,
    /// Its format, as in `V2`.
    pub format: &'static str,
    /// Tensors of which every byte was read and every checksum holds.
    pub sound: u64,
    /// Bytes of content in those.
    pub bytes: u64,
    /// Damage that belongs to no one tensor.
    pub damage: Vec<Error>,
    /// The tensors that cannot be read, by name, and why.
    pub unsound: Vec<(Name, Error)>,
    /// Whether it has tensors at all; a graph has none.
    pub has_tensors: bool,
    /// Whether the format of its tensors has checksums.
    pub has_checksums: bool,
    /// Its graphs, and others that are held against its tensors.
    pub graphs: Vec<VerifiedGraph>,
}

impl Verification {
    /// Whether nothing is damaged.
    pub fn is_sound(&self) -> bool {
        self.damage.is_empty() && self.unsound.is_empty()
    }

    /// Whether its graphs are as the definitions of their ops say, and go together with its tensors.
    pub fn fits(&self) -> bool {
        self.graphs.iter().all(VerifiedGraph::is_well)
    }

    /// How many tensors there are.
    pub fn tensors(&self) -> u64 {
        self.sound + self.unsound.len() as u64
    }
}

/// Reads all of `artifact` on `threads` threads (0 for one per core): every checksum is verified and every bound checked.
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
/// When it has neither tensors nor a graph. What cannot be read of a checkpoint is in the verification.
pub fn verify(
    artifact: &Artifact<'_>,
    threads: usize,
    progress: &dyn Progress,
) -> Result<Verification, Error> {
    verify_with(artifact, None, threads, progress)
}

/// As [`verify`], with op definitions of one's own, such as those of an older TensorFlow.
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
        kind: artifact.kind().to_owned(),
        format: artifact.format(),
        sound: 0,
        bytes: 0,
        damage: Vec::new(),
        unsound: Vec::new(),
        has_tensors: checkpoint.is_some(),
        has_checksums: checkpoint.is_none_or(|found| found.format().checksum().is_some()),
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
            ErrorKind::NotFound("its data is not here: only the index could be checked".into());
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
        let told = found.damage.iter().chain(found.unsound.iter().map(|(_, error)| error));
        told.map(place).any(|at| at == place(error))
    };
    let rest: Vec<_> = checkpoint.scan().into_iter().filter(|error| !known(error)).collect();
    found.damage.extend(rest);
}

/// Where an error is: what is damaged once is told once.
fn place(error: &Error) -> (Option<&Path>, Option<u64>) {
    (error.file(), error.offset())
}

fn stored_bytes(entries: &[&Entry]) -> u64 {
    entries
        .iter()
        .filter_map(|entry| entry.source.as_ref().ok())
        .fold(0, |sum, source| source.stored_bytes().saturating_add(sum))
}

/// Reads a tensor to its end; where there is no data, only its entry can be judged.
fn read(checkpoint: &Checkpoint, entry: &Entry, progress: &dyn Progress) -> Result<u64, Error> {
    let source = entry.source.as_ref().map_err(Error::clone)?;
    if checkpoint.has_data() { read_through(&**source, progress, |_| Ok(())) } else { Ok(0) }
}
