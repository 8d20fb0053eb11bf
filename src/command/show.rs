//! `ckdiff show PATH`: lists the tensors of a checkpoint, or summarizes a message.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::ffi::OsStr;
use std::path::Path;

use crate::artifact::{Artifact, Document, ReadOptions, SavedModelPart};
use crate::checkpoint::{Checkpoint, Entry, Listing};
use crate::diff::NameFilter;
use crate::error::Error;
use crate::files::cannot_write;
use crate::overview::Overview;
use crate::picture::Picture;
use crate::progress::Silent;
use crate::report::{self, Report, ShownTensor, Subject};
use crate::summary::distribution;
use crate::tensor::{Name, TensorSource, TensorValues, read_through};

use crate::command::Exit;
use crate::command::args::ShowArgs;
use crate::command::diagnostics::{Diagnostics, check_patterns};
use crate::command::losses;
use crate::command::output;
use crate::command::progress::Bar;
use crate::command::schema::Loaded;
use crate::command::state_file;

/// Lists the tensors of a checkpoint, prints one of them, or summarizes a message. For a SavedModel, options about tensors show its
/// variables.
///
/// # Errors
/// If PATH cannot be opened, the tensor is missing or cannot be read, or the output cannot be written.
pub(crate) fn run(args: &ShowArgs) -> Result<Exit, Diagnostics> {
    output::check(&args.report)?;
    if args.schema.is_given() || args.path == Path::new("-") {
        let loaded = Loaded::new(&args.schema)?;
        let document = loaded.read(&args.path, ReadOptions::default())?;
        return message(&document, args, || {
            Overview::new(&document).map_err(|error| error.in_file(document.path()))
        });
    }
    let artifact = Artifact::open_readable(&args.path)?;
    state_file::warn_of([&artifact]);
    let of_variables = wants_tensors(args) && artifact.checkpoint().is_some();
    if let Some(document) = artifact.message().filter(|_| !of_variables) {
        let failed =
            artifact.failed_parts().iter().find(|(part, _)| *part == SavedModelPart::Variables);
        return match failed {
            Some((_, error)) if wants_tensors(args) => Err(error.clone().into()),
            _ => message(document, args, || Overview::of_artifact(&artifact)),
        };
    }
    args.report.check(Subject::Checkpoint)?;
    let checkpoint = artifact.tensors("shown")?;
    let name = args.tensor.as_deref();
    match name.map(|name| find(checkpoint, name)).transpose()? {
        Some(entry) if args.raw => raw(entry),
        only => list(checkpoint, only, args),
    }
}

/// Whether an option about tensors was given.
fn wants_tensors(args: &ShowArgs) -> bool {
    let filters = !args.filter.include.is_empty() || !args.filter.exclude.is_empty();
    args.tensor.is_some() || args.digest || filters
}

/// Summarizes a message.
fn message<'a>(
    document: &Document<'_>,
    args: &ShowArgs,
    overview: impl FnOnce() -> Result<Overview<'a>, Error>,
) -> Result<Exit, Diagnostics> {
    if wants_tensors(args) {
        let why = format!("expected a checkpoint, found {}, which has no tensors", document.kind());
        return Err(Error::usage(why).in_file(document.path()).into());
    }
    args.report.check(Subject::Picture)?;
    let overview = overview()?;
    let draws = output::formats(&args.report, false).any(|format| !format.has(Subject::Message));
    let picture = draws.then(|| Picture::new(document)).transpose()?;
    let report = match &picture {
        Some(picture) => Report::Picture(&overview, picture),
        None => Report::Overview(&overview),
    };
    // The losses of each requested form.
    let lost = RefCell::new(BTreeMap::new());
    output::write(&args.report, false, |format, look, out| {
        const ROWS: usize = 20;
        let options = report::ReportOptions {
            depth: args.depth,
            ..look.options(Some(args.max_rows.unwrap_or(ROWS)))
        };
        let losses = report::write(&report, format, &options, out)?;
        lost.borrow_mut().insert(format.form.name(), losses);
        Ok(())
    })?;
    for (form, losses) in lost.into_inner() {
        losses::warn(&losses, form, false);
    }
    let errors = overview.errors();
    output::print_unseen("show", &args.report, false, &errors);
    Ok(if errors.is_empty() { Exit::Same } else { Exit::Trouble })
}

/// Lists the tensors that the filters select, or prints the requested one.
fn list(
    checkpoint: &Checkpoint,
    only: Option<&Entry>,
    args: &ShowArgs,
) -> Result<Exit, Diagnostics> {
    let names = NameFilter::new(&args.filter.include, &args.filter.exclude, &[])?;
    let all: Vec<_> = checkpoint.tensors().map(|entry| &entry.name).collect();
    check_patterns(&names, &all, args.filter.deny_unused)?;
    let accepts =
        |name: &Name| only.map_or_else(|| names.accepts(&[name]), |entry| entry.name == *name);
    let bar = Bar::new(false);
    let listing = if args.digest {
        Listing::with_digests(checkpoint, accepts, args.jobs.jobs.into(), &bar)
    } else {
        Listing::new(checkpoint, accepts)
    };
    if listing.tensors.is_empty() && !names.accepts_all() {
        let error = Error::usage("the filters leave no tensor to show");
        return Err(error.in_file(&args.path).into());
    }
    let values = match only {
        Some(entry) if !args.digest => {
            Some(TensorValues::read(&entry.name, source(entry)?, args.max_rows, &bar)?)
        }
        _ => None,
    };
    let histogram = match (only, &values) {
        (Some(entry), Some(values))
            if output::formats(&args.report, false).any(|format| format.is_for_people) =>
        {
            let found = distribution(source(entry)?, values, &bar);
            found.map_err(|error| error.of_tensor(&entry.name))?
        }
        _ => None,
    };
    drop(bar);
    let tensor =
        values.as_ref().map(|values| ShownTensor { values, histogram: histogram.as_ref() });
    output::write(&args.report, false, |format, look, out| {
        let options = look.options(Some(usize::MAX));
        report::write(&Report::Listing(&listing, tensor), format, &options, out).map(drop)
    })?;
    output::print_unseen("show", &args.report, false, listing.errors());
    Ok(if listing.errors().next().is_none() { Exit::Same } else { Exit::Trouble })
}

/// Writes the content of one tensor, after verifying all of it.
fn raw(entry: &Entry) -> Result<Exit, Diagnostics> {
    let source = source(entry)?;
    let of_tensor = |error: Error| error.of_tensor(&entry.name);
    read_through(source, &Silent, |_| Ok(())).map_err(of_tensor)?;
    output::to_path(Path::new("-"), |out| {
        let write = |bytes: &[u8]| out.write_all(bytes).map_err(cannot_write);
        read_through(source, &Silent, write)
    })
    .map_err(of_tensor)?;
    Ok(Exit::Same)
}

fn source(entry: &Entry) -> Result<&dyn TensorSource, Error> {
    match &entry.source {
        Ok(source) => Ok(&**source),
        Err(error) => Err(error.clone().of_tensor(&entry.name)),
    }
}

/// The tensor with this name: the name itself, as reports print it, as terminals show it, or in base 64.
fn find<'a>(checkpoint: &'a Checkpoint, name: &OsStr) -> Result<&'a Entry, Error> {
    let bytes = name.as_encoded_bytes();
    let written_as = |form: fn(&Entry) -> String| {
        checkpoint.tensors().find(|entry| form(entry).as_bytes() == bytes)
    };
    let found = checkpoint
        .tensor(bytes)
        .or_else(|| written_as(|entry| entry.name.to_string()))
        .or_else(|| written_as(|entry| entry.name.printable()))
        .or_else(|| written_as(|entry| report::json::base64(entry.name.as_bytes())));
    found.ok_or_else(|| {
        // This error suggests a similar name.
        let nearest = checkpoint.get_tensor(bytes).err();
        nearest.unwrap_or_else(|| Error::not_found("no such tensor"))
    })
}
