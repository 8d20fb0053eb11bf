//! One artifact against itself: whether everything in it can be read, and every checksum holds.

mod fit;
mod meta_graph;

use std::path::{Path, PathBuf};

pub use fit::{Counts, Fit, Kind, Misfit, Problem, SaverFit, fit};
pub use meta_graph::MetaGraph;

use crate::artifact::Artifact;
use crate::checkpoint::{Checkpoint, Entry};
use crate::error::{Error, ErrorKind};
use crate::progress::Progress;
use crate::tensor::{Name, in_parallel, read_through};

/// What a verification found.
#[derive(Debug, Clone)]
pub struct Verification {
    /// As the user gave it.
    pub path: PathBuf,
    /// What it is, as in `checkpoint`.
    pub kind: &'static str,
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
}

impl Verification {
    /// Whether all is well.
    pub fn is_sound(&self) -> bool {
        self.damage.is_empty() && self.unsound.is_empty()
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
/// When it is no checkpoint. What cannot be read of one is in the verification.
pub fn verify(
    artifact: &Artifact,
    threads: usize,
    progress: &dyn Progress,
) -> Result<Verification, Error> {
    let checkpoint = artifact.tensors("verified")?;
    let mut found = Verification {
        path: checkpoint.path().to_path_buf(),
        kind: artifact.kind(),
        format: checkpoint.format().name(),
        sound: 0,
        bytes: 0,
        damage: checkpoint.damage().to_vec(),
        unsound: Vec::new(),
    };
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
    Ok(found)
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
    if checkpoint.has_data() { read_through(&**source, progress, |_| ()) } else { Ok(0) }
}
