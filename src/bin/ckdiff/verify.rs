//! `ckdiff verify PATH…`: whether everything can be read.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use ckdiff::Error;
use ckdiff::artifact::Artifact;
use ckdiff::checkpoint::Checkpoint;
use ckdiff::report::{human, json};
use ckdiff::verify::{Verification, verify};

use crate::Exit;
use crate::args::{Format, VerifyArgs};
use crate::beside;
use crate::output;
use crate::progress::Bar;
use crate::trouble::Trouble;

/// Errors listed for one checkpoint.
const LISTED: usize = 20;

/// Verifies each checkpoint once, and reports.
///
/// # Errors
/// When the report cannot be written.
pub(crate) fn run(args: &VerifyArgs) -> Result<Exit, Trouble> {
    let Opened { artifacts, notes } = open(&args.paths);
    let bar = Bar::new(args.quiet);
    let results: Vec<(PathBuf, Result<Verification, Error>)> = artifacts
        .into_iter()
        .map(|(path, artifact)| {
            let verified = artifact
                .and_then(|artifact| verify(&artifact, args.jobs.jobs.into(), &bar))
                .map(|verified| Verification { path: path.clone(), ..verified });
            (path, verified)
        })
        .collect();
    drop(bar);
    output::write(&args.report, args.quiet, |format, palette, out| match format {
        Format::Json => json::verifications(&results, out),
        Format::Human => {
            let view = human::View { palette, max_diffs: LISTED };
            results.iter().try_for_each(|(_, result)| human::verification(result, &view, out))?;
            notes.iter().try_for_each(|note| writeln!(out, "{note}"))
        }
    })?;
    // A person who reads the report has seen its errors there.
    if args.quiet || !output::is_seen(&args.report) {
        results.iter().flat_map(|(_, result)| errors(result)).collect::<Trouble>().tell();
    }
    let sound = results.iter().all(|(_, result)| result.as_ref().is_ok_and(Verification::is_sound));
    Ok(if sound { Exit::Same } else { Exit::Trouble })
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

/// What the paths name.
#[derive(Debug)]
struct Opened {
    /// Each checkpoint once, under its prefix, and each path that cannot be opened.
    artifacts: Vec<(PathBuf, Result<Artifact, Error>)>,
    /// What is told of the other paths.
    notes: Vec<String>,
}

/// Opens each checkpoint once, by whichever of its files it is named.
fn open(paths: &[PathBuf]) -> Opened {
    let prefixes = beside::prefixes(paths);
    // A state file is passed over beside others only: alone, it leaves nothing to verify.
    let has_others = paths.iter().any(|path| !beside::is_state(path));
    let mut files = BTreeSet::<Vec<PathBuf>>::new();
    let mut failures = BTreeSet::<String>::new();
    let (mut artifacts, mut metas, mut states) = (Vec::new(), Vec::new(), Vec::new());
    for path in paths {
        let artifact = match Checkpoint::open(path).map(Artifact::from) {
            Err(_) if beside::is_state(path) && has_others => {
                states.push(path.clone());
                continue;
            }
            Err(_) if beside::is_meta(path) && prefixes.contains(&beside::of_meta(path)) => {
                metas.push(path.clone());
                continue;
            }
            // Which message it is instead.
            Err(_) if path.is_file() => Artifact::open(path),
            artifact => artifact,
        };
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
    Opened { artifacts, notes: beside::notes(&metas, &states) }
}

/// The prefix of a V2 checkpoint, by whichever of its files it was opened; of any other its own path.
fn name(path: &Path, artifact: &Result<Artifact, Error>) -> PathBuf {
    let checkpoint = artifact.as_ref().ok().and_then(Artifact::checkpoint);
    let Some(checkpoint) = checkpoint else { return path.to_path_buf() };
    let index = checkpoint.files().first().filter(|_| checkpoint.format().name() == "V2");
    index.map_or_else(|| checkpoint.path().to_path_buf(), |index| index.with_extension(""))
}

/// The files in a form that is the same for `./a` and `a`; as given where a file is missing.
fn resolved(files: &[PathBuf]) -> Vec<PathBuf> {
    let resolve = |file: &PathBuf| file.canonicalize().unwrap_or_else(|_| Path::to_path_buf(file));
    files.iter().map(resolve).collect()
}
