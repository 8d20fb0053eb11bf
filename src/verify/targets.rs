//! The artifacts that some paths name, each verified once, and the graphs that are compared with the checkpoints among them.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use super::{Verification, graphs, siblings, verify};
use crate::artifact::{Artifact, ArtifactKind, Document, FileKind, ReadOptions, Sniffed};
use crate::checkpoint::Checkpoint;
use crate::error::Error;
use crate::graph::OpTable;
use crate::progress::Progress;
use crate::schema::{KnownType, Schema};

/// An artifact under its path, or under its prefix if it is a checkpoint; or the error of opening it.
type Named = (PathBuf, Result<Artifact<'static>, Error>);

/// The artifacts that some paths name.
///
/// ```
/// use ckdiff::progress::Silent;
/// use ckdiff::verify::{Targets, Verdict};
///
/// let demo = "tests/data/demo/model.ckpt";
/// let targets = Targets::open(&[demo.into(), format!("{demo}.index").into(), format!("{demo}.meta").into()]);
/// let results = targets.verify(None, 0, &Silent);
/// assert_eq!(results.len(), 1);
/// assert_eq!(Verdict::of_all(results.iter().map(|(_, result)| result)), Verdict::Sound);
/// ```
#[derive(Debug)]
pub struct Targets {
    /// Each artifact once, and each path that cannot be opened.
    artifacts: Vec<Named>,
    /// The graphs that are siblings of no checkpoint, and are compared with all.
    graphs: Vec<Artifact<'static>>,
    skipped: Vec<PathBuf>,
}

impl Targets {
    /// Opens each artifact once, even if several of its files are given.
    pub fn open(paths: &[PathBuf]) -> Self {
        let prefixes = siblings::prefixes(paths);
        let mut files = BTreeSet::<Vec<PathBuf>>::new();
        let mut located = BTreeSet::<(&str, PathBuf)>::new();
        // Several files of one checkpoint fail with an error at the same location.
        let mut failures = BTreeSet::<(Option<PathBuf>, Option<u64>)>::new();
        let (mut artifacts, mut skipped) = (Vec::new(), Vec::new());
        for path in paths {
            let found = Sniffed::of_path(path);
            let is_checkpoint = matches!(found.kind(), FileKind::Checkpoint { .. });
            // Each of a thousand shards names the checkpoint, which opens all of them.
            if let FileKind::Checkpoint { format, located: path } = found.kind()
                && !located.insert((format.name, path.clone()))
            {
                continue;
            }
            if !is_checkpoint && found.is_state_file() {
                skipped.push(path.clone());
                continue;
            }
            let is_sibling = || prefixes.contains(&siblings::of_meta(path));
            if !is_checkpoint && siblings::is_meta(path) && is_sibling() {
                continue;
            }
            let artifact = Artifact::of(found);
            let is_new = match &artifact {
                Ok(artifact) => match artifact.checkpoint() {
                    Some(checkpoint) => files.insert(resolved(checkpoint.files())),
                    None => true,
                },
                Err(error) => {
                    failures.insert((error.file().map(Path::to_path_buf), error.offset()))
                }
            };
            if is_new {
                artifacts.push((name(path, &artifact), artifact));
            }
        }
        // A state file is skipped only if there are other paths; alone, it is an error.
        if artifacts.is_empty() {
            artifacts.extend(skipped.drain(..).map(|path| (path.clone(), Artifact::open(path))));
        }
        let (artifacts, graphs) = separate_graphs(artifacts);
        Self { artifacts, graphs, skipped }
    }

    /// The artifacts that were opened, without the graphs that are only compared with checkpoints.
    pub fn artifacts(&self) -> impl Iterator<Item = &Artifact<'static>> {
        self.artifacts.iter().filter_map(|(_, artifact)| artifact.as_ref().ok())
    }

    /// The state files among the paths; they have nothing to verify.
    pub fn skipped(&self) -> &[PathBuf] {
        &self.skipped
    }

    /// Verifies each artifact: the result, or the error of opening it, under the path that names it.
    ///
    /// Nodes are checked against `ops`, as in [`verify`](verify()).
    pub fn verify(
        &self,
        ops: Option<&OpTable<'_>>,
        threads: usize,
        progress: &dyn Progress,
    ) -> Vec<(PathBuf, Result<Verification, Error>)> {
        let verified = |(path, artifact): &Named| {
            let artifact = artifact.as_ref().map_err(Error::clone)?;
            let mut found = verify(artifact, ops, threads, progress)?;
            self.compare_graphs(artifact, ops, &mut found);
            found.artifact.path.clone_from(path);
            Ok(found)
        };
        self.artifacts.iter().map(|named| (named.0.clone(), verified(named))).collect()
    }

    /// Compares the sibling meta graph of a checkpoint, and the graphs without a checkpoint, with the checkpoint.
    fn compare_graphs(
        &self,
        artifact: &Artifact<'_>,
        ops: Option<&OpTable<'_>>,
        found: &mut Verification,
    ) {
        let Some(checkpoint) = artifact.checkpoint().filter(|_| artifact.message().is_none())
        else {
            return;
        };
        let meta = checkpoint
            .find_meta_graph()
            .map(|found| Document::of(&found, Schema::tensorflow(), &ReadOptions::default()));
        let own = meta.map(|meta| graphs(&meta?, Some(checkpoint), ops));
        let others = self.graphs.iter().filter_map(Artifact::message);
        let others = others.map(|document| graphs(document, Some(checkpoint), ops));
        for result in own.into_iter().chain(others) {
            match result {
                Ok(graphs) => found.graphs.extend(graphs),
                Err(error) => found.damage.push(error),
            }
        }
    }
}

/// Separates the graphs from the rest, if there are checkpoints to compare them with.
fn separate_graphs(all: Vec<Named>) -> (Vec<Named>, Vec<Artifact<'static>>) {
    let is_checkpoint = |artifact: &Artifact<'_>| *artifact.kind() == ArtifactKind::Checkpoint;
    if !all.iter().any(|(_, artifact)| artifact.as_ref().is_ok_and(is_checkpoint)) {
        return (all, Vec::new());
    }
    let (mut artifacts, mut graphs) = (Vec::new(), Vec::new());
    for (path, artifact) in all {
        match artifact {
            Ok(artifact) if is_graph(&artifact) => graphs.push(artifact),
            artifact => artifacts.push((path, artifact)),
        }
    }
    (artifacts, graphs)
}

fn is_graph(artifact: &Artifact<'_>) -> bool {
    matches!(artifact.kind(), ArtifactKind::Known(KnownType::MetaGraphDef | KnownType::GraphDef))
}

/// The path that names the whole checkpoint, the path of any other artifact.
fn name(path: &Path, artifact: &Result<Artifact<'_>, Error>) -> PathBuf {
    let artifact = artifact.as_ref().ok().filter(|artifact| artifact.message().is_none());
    let checkpoint = artifact.and_then(Artifact::checkpoint);
    checkpoint.map_or(path, Checkpoint::prefix).to_path_buf()
}

/// The files in a form that is the same for `./a` and `a`; missing files as given.
fn resolved(files: &[PathBuf]) -> Vec<PathBuf> {
    let resolve = |file: &PathBuf| file.canonicalize().unwrap_or_else(|_| file.clone());
    files.iter().map(resolve).collect()
}
