//! `ckdiff verify PATH…`: verifies that everything can be read, and that graph and checkpoint fit together.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use ckdiff::Error;
use ckdiff::artifact::{Artifact, ArtifactKind, Document, FileKind, ReadOptions, Sniffed};
use ckdiff::graph::OpTable;
use ckdiff::report::{self, Options, Report};
use ckdiff::schema::Schema;
use ckdiff::verify::{Verdict, Verification, graphs, verify_with};

use crate::Exit;
use crate::args::VerifyArgs;
use crate::diagnostics::Diagnostics;
use crate::output;
use crate::progress::Bar;
use crate::siblings;

/// The maximum number of errors that are listed for one checkpoint.
const MAX_LISTED: usize = 20;

/// Verifies each artifact once, and writes the reports.
///
/// # Errors
/// When the report cannot be written.
pub(crate) fn run(args: &VerifyArgs) -> Result<Exit, Diagnostics> {
    let ops = args.ops.as_deref().map(op_list).transpose()?;
    let Opened { artifacts, graphs, notes } = open(&args.paths);
    let bar = Bar::new(args.quiet);
    let results: Vec<(PathBuf, Result<Verification, Error>)> = artifacts
        .into_iter()
        .map(|(path, artifact)| {
            let verified = artifact.and_then(|artifact| {
                let mut found = verify_with(&artifact, ops.as_ref(), args.jobs.jobs.into(), &bar)?;
                compare_graphs(&artifact, &graphs, ops.as_ref(), &mut found);
                Ok(found)
            });
            let verified = verified.map(|verified| Verification { path: path.clone(), ..verified });
            (path, verified)
        })
        .collect();
    drop(bar);
    output::write(&args.report, args.quiet, |format, palette, out| {
        let options = Options { palette, max_rows: MAX_LISTED, ..Options::default() };
        report::write(&Report::Verifications(&results), format, &options, out)?;
        let notes = notes.iter().filter(|_| format.is_for_people);
        notes.into_iter().try_for_each(|note| writeln!(out, "{note}"))
    })?;
    // A person who reads the report sees the errors in it.
    if args.quiet || !output::is_seen(&args.report) {
        results.iter().flat_map(|(_, result)| errors(result)).collect::<Diagnostics>().print();
    }
    Ok(match Verdict::of_all(results.iter().map(|(_, result)| result)) {
        Verdict::Sound => Exit::Same,
        Verdict::Unfit => Exit::Different,
        Verdict::Trouble => Exit::Trouble,
    })
}

/// The op definitions in a file.
fn op_list(path: &Path) -> Result<OpTable<'static>, Error> {
    let options =
        ReadOptions { message: Some("tensorflow.OpList".into()), ..ReadOptions::default() };
    let document = Document::open(path, Schema::tensorflow(), &options)?;
    OpTable::decode(document.message().bytes().to_vec()).map_err(|error| error.in_file(path))
}

/// Compares the sibling meta graph of a checkpoint, and the graphs `others`, with the checkpoint.
fn compare_graphs(
    artifact: &Artifact<'_>,
    others: &[Artifact<'_>],
    ops: Option<&OpTable<'_>>,
    found: &mut Verification,
) {
    let Some(checkpoint) = artifact.checkpoint().filter(|_| artifact.message().is_none()) else {
        return;
    };
    let meta = checkpoint
        .meta_graph()
        .map(|path| Document::open(path, Schema::tensorflow(), &ReadOptions::default()));
    let own = meta.map(|meta| graphs(&meta?, Some(checkpoint), ops));
    let others = others.iter().filter_map(Artifact::message);
    let others = others.map(|document| graphs(document, Some(checkpoint), ops));
    for result in own.into_iter().chain(others) {
        match result {
            Ok(graphs) => found.graphs.extend(graphs),
            Err(error) => found.damage.push(error),
        }
    }
}

fn errors(result: &Result<Verification, Error>) -> Vec<Error> {
    match result {
        Err(error) => vec![error.clone()],
        Ok(found) => {
            let unsound = found.unsound.iter().map(|(_, error)| error);
            found.damage.iter().chain(unsound).cloned().collect()
        }
    }
}

/// An artifact under its path, or under its prefix if it is a checkpoint; or the error of opening it.
type Named = (PathBuf, Result<Artifact<'static>, Error>);

/// The artifacts that the paths name.
#[derive(Debug)]
struct Opened {
    /// Each artifact once, and each path that cannot be opened.
    artifacts: Vec<Named>,
    /// The graphs that are to be compared with the checkpoints, because they are siblings of none.
    graphs: Vec<Artifact<'static>>,
    /// A note about the other paths.
    notes: Option<String>,
}

/// Opens each artifact once, even if several of its files are given.
fn open(paths: &[PathBuf]) -> Opened {
    let prefixes = siblings::prefixes(paths);
    let mut files = BTreeSet::<Vec<PathBuf>>::new();
    // Several files of one checkpoint fail alike: the same error with the same location.
    let mut failures = BTreeSet::<String>::new();
    let (mut artifacts, mut states) = (Vec::new(), Vec::new());
    for path in paths {
        let found = Sniffed::of_path(path);
        let is_checkpoint = matches!(found.kind(), FileKind::Checkpoint { .. });
        if !is_checkpoint && found.is_state_file() {
            states.push(path.clone());
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
            Err(error) => failures.insert(error.to_string()),
        };
        if is_new {
            artifacts.push((name(path, &artifact), artifact));
        }
    }
    // A state file is skipped only if there are other paths; alone, it is an error.
    if artifacts.is_empty() {
        artifacts.extend(states.drain(..).map(|path| (path.clone(), Artifact::open(path))));
    }
    let (artifacts, graphs) = separate_graphs(artifacts);
    Opened { artifacts, graphs, notes: siblings::notes(&states) }
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
    matches!(artifact.kind(), ArtifactKind::MetaGraph | ArtifactKind::Graph)
}

/// The path that names the whole checkpoint, the path of any other artifact.
fn name(path: &Path, artifact: &Result<Artifact<'_>, Error>) -> PathBuf {
    let checkpoint = artifact.as_ref().ok().and_then(Artifact::checkpoint);
    let is_saved_model = artifact.as_ref().is_ok_and(|artifact| artifact.message().is_some());
    let Some(checkpoint) = checkpoint.filter(|_| !is_saved_model) else {
        return path.to_path_buf();
    };
    checkpoint.prefix().to_path_buf()
}

/// The files in a form that is the same for `./a` and `a`; missing files as given.
fn resolved(files: &[PathBuf]) -> Vec<PathBuf> {
    let resolve = |file: &PathBuf| file.canonicalize().unwrap_or_else(|_| Path::to_path_buf(file));
    files.iter().map(resolve).collect()
}
