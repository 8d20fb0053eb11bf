//! `ckdiff snapshot write` and `ckdiff snapshot check`: the text of a model's structure, and whether the model still has it.

use std::collections::BTreeMap;
use std::env;
use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use crate::artifact::Artifact;
use crate::bytes::File;
use crate::diff::{Diff, DiffOptions, Ignore, Verdict};
use crate::error::Error;
use crate::files::cannot_write;
use crate::report::human::{printable, shell_quoted};
use crate::report::{self, Report, ReportOptions};
use crate::snapshot::{self, Redactions, Snapshot, file_name};

use crate::command::Exit;
use crate::command::args::{
    SnapshotArgs, SnapshotCheckArgs, SnapshotCommand, SnapshotFiles, SnapshotWriteArgs,
};
use crate::command::diagnostics::{Diagnostics, warn, warn_of_unused};
use crate::command::output;
use crate::command::state_file;

/// The largest snapshot that is read, in bytes.
const MAX_BYTES: u64 = 2 << 30;

/// Runs a command about snapshots.
///
/// # Errors
/// If a model or a snapshot cannot be read, or a file cannot be written.
pub(crate) fn run(args: &SnapshotArgs) -> Result<Exit, Diagnostics> {
    match &args.command {
        SnapshotCommand::Write(args) => write(args),
        SnapshotCommand::Check(args) => check(args),
    }
}

/// Writes the snapshots, all or none.
fn write(args: &SnapshotWriteArgs) -> Result<Exit, Diagnostics> {
    let files = named(&args.files)?;
    let redactions = Redactions::without(&args.keep);
    create(&args.files.dir)?;
    // The files are created before the models are read.
    output::to_paths(files.iter().map(|(model, file)| {
        (&**file, |out: &mut dyn Write| {
            let text = snapshot::text_with(&open(model)?, &redactions)?;
            out.write_all(text.as_bytes()).map_err(cannot_write)
        })
    }))?;
    output::to_stdout(|out| {
        files.iter().try_for_each(|(_, file)| writeln!(out, "{}", shown(file)))
    })?;
    Ok(Exit::Same)
}

/// Each model, with the file of its snapshot.
///
/// # Errors
/// If a path has no name to give to the snapshot, or two snapshots would be one file.
fn named(args: &SnapshotFiles) -> Result<Vec<(PathBuf, PathBuf)>, Error> {
    let mut models: BTreeMap<PathBuf, &PathBuf> = BTreeMap::new();
    let mut named = Vec::new();
    for model in &args.models {
        let name = file_name(model).ok_or_else(|| {
            Error::usage("the path has no name, after which a snapshot is named").in_file(model)
        })?;
        let file = args.dir.join(name);
        if let Some(other) = models.insert(file.clone(), model) {
            let (other, model, file) = (shown(other), shown(model), shown(&file));
            let why = format!("{other} and {model} would have one snapshot, {file}");
            return Err(Error::usage(why));
        }
        named.push((model.clone(), file));
    }
    Ok(named)
}

/// Makes the directory of snapshots.
fn create(dir: &Path) -> Result<(), Error> {
    fs::create_dir_all(dir).map_err(|error| Error::io("create", error).in_file(dir))
}

fn open(model: &Path) -> Result<Artifact<'static>, Error> {
    let artifact = Artifact::open(model)?.with_meta_graph()?;
    state_file::warn_of([&artifact]);
    Ok(artifact)
}

/// A path as it is shown.
fn shown(path: &Path) -> String {
    printable(&path.display().to_string())
}

/// Checks each model in turn; the worst result counts.
fn check(args: &SnapshotCheckArgs) -> Result<Exit, Diagnostics> {
    let files = named(&args.files)?;
    if args.update && is_ci() {
        let why =
            "--update: CI is set, and a check changes no file there; `ckdiff snapshot write` does";
        return Err(Error::usage(why).into());
    }
    if files.len() > 1 && !args.report.output.is_empty() {
        let why = "--output: a file takes the report of one model, found several models";
        return Err(Error::usage(why).into());
    }
    if args.update {
        create(&args.files.dir)?;
    }
    let mut worst = Exit::Same;
    for (position, (model, file)) in files.iter().enumerate() {
        if position > 0 && !args.quiet && args.report.format.is_for_people {
            output::to_stdout(|out| writeln!(out))?;
        }
        let exit = one(model, file, args).unwrap_or_else(|diagnostics| {
            diagnostics.print("snapshot");
            Exit::Trouble
        });
        if exit as u8 > worst as u8 {
            worst = exit;
        }
    }
    Ok(worst)
}

/// Whether this is a build on a server, where nothing is written: as insta and jest decide it.
fn is_ci() -> bool {
    let is_set = |value: &str| !matches!(value, "" | "0" | "false");
    let ci = env::var_os("CI").is_some_and(|value| is_set(&value.to_string_lossy()));
    ci || env::var_os("TF_BUILD").is_some()
}

/// Checks one model.
fn one(model: &Path, file: &Path, args: &SnapshotCheckArgs) -> Result<Exit, Diagnostics> {
    let artifact = open(model)?;
    let is_missing =
        fs::symlink_metadata(file).is_err_and(|error| error.kind() == io::ErrorKind::NotFound);
    if is_missing && args.update {
        replace(file, &snapshot::text(&artifact)?, args)?;
        return Ok(Exit::Same);
    }
    if is_missing {
        warn(&missing(model, file, args));
        return Ok(Exit::Different);
    }
    let text = Arc::new(File::open(file)?).read(MAX_BYTES).map_err(|error| error.in_file(file))?;
    let saved = snapshot::parse(&text).map_err(|error| error.in_file(file))?;
    let new = Snapshot::new(&artifact, &saved.redactions)?;
    let diff = snapshot::compare(&saved, file, (&new, &artifact), &options(args)?)?;
    report(&diff, args)?;
    let new = new.text()?;
    let is_stale = new.as_bytes() != text;
    match diff.verdict() {
        Verdict::Trouble => return Ok(Exit::Trouble),
        _ if args.update && is_stale => {
            replace(file, &new, args)?;
            return Ok(Exit::Same);
        }
        Verdict::Same if is_stale => {
            let why = "has another text of the same structure; --update writes the new one";
            warn(&format!("{} {why}", shown(file)));
        }
        _ => {}
    }
    Ok(diff.verdict().into())
}

/// Says that a snapshot is missing, and how to make it.
fn missing(model: &Path, file: &Path, args: &SnapshotCheckArgs) -> String {
    let word = |path: &Path| shell_quoted(&shown(path));
    let command = format!("ckdiff snapshot write {} --dir {}", word(model), word(&args.files.dir));
    format!("{}: there is no such snapshot; make it: {command}", shown(file))
}

/// Writes the new text of a snapshot, and says so.
fn replace(file: &Path, text: &str, args: &SnapshotCheckArgs) -> Result<(), Error> {
    output::to_path(file, |out| out.write_all(text.as_bytes()).map_err(cannot_write))?;
    if args.quiet || !args.report.format.is_for_people {
        return Ok(());
    }
    output::to_stdout(|out| writeln!(out, "updated {}", shown(file)))
}

fn options(args: &SnapshotCheckArgs) -> Result<DiffOptions, Error> {
    Ok(DiffOptions {
        ignore: Ignore::new(&args.changes.ignore, &args.changes.ignore_kind)?,
        strict: args.changes.strict,
        grouping: args.changes.grouping(),
        ..DiffOptions::default()
    })
}

/// Writes the report of one model.
fn report(diff: &Diff, args: &SnapshotCheckArgs) -> Result<(), Error> {
    warn_of_unused(&diff.unused);
    output::write(&args.report, args.quiet, |format, look, out| {
        let options =
            ReportOptions { verbosity: args.verbosity.verbosity(), ..look.options(args.max_diffs) };
        report::write(&Report::Diff(diff, None), format, &options, out).map(drop)
    })?;
    output::print_unseen("snapshot", &args.report, args.quiet, diff.errors());
    Ok(())
}
