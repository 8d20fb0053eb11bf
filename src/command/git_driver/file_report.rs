//! The comparison of the two sides of a file in a repository.

use crate::artifact::Artifact;
use crate::bytes::File;
use crate::diff::{Diff, DiffOptions, Verdict, diff};
use crate::error::Error;
use crate::files::have_same_content;
use crate::progress::Silent;

use super::request::{DriverArguments, Side};
use crate::command::git_file::GitFile;

/// The longest target of a symbolic link, in bytes; systems allow 4096.
const MAX_LINK: u64 = 64 << 10;

/// The content of a report on a file, below its name.
#[derive(Debug)]
pub(super) enum FileReport {
    /// The content is equal; only name and mode may differ.
    Equal,
    /// The path has a merge conflict.
    Unmerged,
    /// Both sides were compared.
    Diff(Box<Compared>),
    /// The file was added or deleted.
    OneSide(GitFile),
    /// The two sides cannot be compared.
    TwoSides(GitFile, GitFile),
    /// Symbolic links, by their targets.
    Links([Option<String>; 2]),
    /// An error, and no result.
    Failed(Error),
}

/// Two artifacts and their diff.
#[derive(Debug)]
pub(super) struct Compared {
    pub(super) old: Box<Artifact<'static>>,
    pub(super) new: Box<Artifact<'static>>,
    pub(super) diff: Diff,
}

impl FileReport {
    pub(super) fn is_different(&self) -> bool {
        match self {
            Self::Equal => false,
            Self::Diff(found) => found.diff.verdict() != Verdict::Same,
            _ => true,
        }
    }

    /// Compares the two sides of a file.
    pub(super) fn of(request: &DriverArguments, options: &DiffOptions) -> Self {
        match (&request.old, &request.new) {
            (None, None) => Self::Unmerged,
            (Some(old), Some(new)) if old.hex == new.hex && !old.is_in_working_tree() => {
                Self::Equal
            }
            (old, new) if [old, new].into_iter().flatten().any(Side::is_link) => {
                let target = |side: &Option<Side>| {
                    let side = side.as_ref().filter(|side| side.is_link())?;
                    let target =
                        File::open(&side.file).and_then(|file| file.read(MAX_LINK)).ok()?;
                    Some(String::from_utf8_lossy(&target).into_owned())
                };
                Self::Links([target(old), target(new)])
            }
            // A file of the working tree has no hash; perhaps only its mode changed.
            (Some(old), Some(new)) if have_same_content(&old.file, &new.file).unwrap_or(false) => {
                Self::Equal
            }
            (Some(old), Some(new)) => {
                let old = GitFile::read(&old.file, &request.path);
                let new = GitFile::read(&new.file, request.new_name());
                match (old, new) {
                    (Ok(old), Ok(new)) => Self::of_files(old, new, options),
                    (Err(error), _) | (_, Err(error)) => Self::Failed(error),
                }
            }
            (Some(side), None) | (None, Some(side)) => {
                match GitFile::read(&side.file, &request.path) {
                    Ok(file) => Self::OneSide(file),
                    Err(error) => Self::Failed(error),
                }
            }
        }
    }

    fn of_files(old: GitFile, new: GitFile, options: &DiffOptions) -> Self {
        let (old, new) = match (old, new) {
            (GitFile::Artifact(old), GitFile::Artifact(new)) => (old, new),
            (old, new) => return Self::TwoSides(old, new),
        };
        match diff(&old, &new, options, &Silent) {
            Ok(diff) => Self::Diff(Box::new(Compared { old, new, diff })),
            // For example, a graph replaced a checkpoint.
            Err(_) if old.kind() != new.kind() => {
                Self::TwoSides(GitFile::Artifact(old), GitFile::Artifact(new))
            }
            Err(error) => Self::Failed(error),
        }
    }
}
