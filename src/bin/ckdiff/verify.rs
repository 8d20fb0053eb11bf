//! `ckdiff verify PATH…`: whether everything can be read.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use ckdiff::Error;
use ckdiff::artifact::Artifact;
use ckdiff::report::{human, json};
use ckdiff::verify::{Verification, verify};

use crate::Exit;
use crate::args::{Format, VerifyArgs};
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
    let opened = open(&args.paths);
    let bar = Bar::new(args.quiet);
    let results: Vec<(PathBuf, Result<Verification, Error>)> = opened
        .into_iter()
        .map(|(path, artifact)| {
            (path, artifact.map(|artifact| verify(&artifact, args.jobs.jobs.into(), &bar)))
        })
        .collect();
    drop(bar);
    output::write(&args.report, args.quiet, |format, palette, out| match format {
        Format::Json => json::verifications(&results, out),
        Format::Human => {
            let view = human::View { palette, max_diffs: LISTED };
            results.iter().try_for_each(|(_, result)| human::verification(result, &view, out))
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

/// Opens each checkpoint once, by whichever of its files it is named.
fn open(paths: &[PathBuf]) -> Vec<(PathBuf, Result<Artifact, Error>)> {
    let mut files = BTreeSet::<Vec<PathBuf>>::new();
    let mut failures = BTreeSet::<String>::new();
    let mut opened = Vec::new();
    for path in paths {
        let artifact = Artifact::open(path);
        let is_new = match &artifact {
            Ok(Artifact::Checkpoint(checkpoint)) => files.insert(resolved(checkpoint.files())),
            Ok(_) => true,
            Err(error) => failures.insert(error.to_string()),
        };
        if is_new {
            opened.push((path.clone(), artifact));
        }
    }
    opened
}

/// The files in a form that is the same for `./a` and `a`; as given where a file is missing.
fn resolved(files: &[PathBuf]) -> Vec<PathBuf> {
    let resolve = |file: &PathBuf| file.canonicalize().unwrap_or_else(|_| Path::to_path_buf(file));
    files.iter().map(resolve).collect()
}
