//! `ckdiff show PATH`: what is in a checkpoint or a message.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::ffi::OsStr;
use std::path::Path;

use ckdiff::artifact::{Artifact, Document, Form, Part, ReadOptions};
use ckdiff::checkpoint::{Checkpoint, Entry};
use ckdiff::diff::Names;
use ckdiff::files::cannot_write;
use ckdiff::progress::Silent;
use ckdiff::report::{Listing, Overview, Palette, Values, human, json};
use ckdiff::tensor::{Name, TensorSource, read_through};
use ckdiff::{Error, ErrorKind};

use crate::Exit;
use crate::args::{Format, ShowArgs};
use crate::losses;
use crate::output;
use crate::progress::Bar;
use crate::schema::Loaded;
use crate::trouble::Trouble;

/// Lists the tensors of a checkpoint or shows one, or shows a message; of a SavedModel, its variables where tensors are asked
/// for.
///
/// # Errors
/// When it cannot be opened, the tensor is not there or cannot be read, or nothing can be written.
pub(crate) fn run(args: &ShowArgs) -> Result<Exit, Trouble> {
    if args.schema.is_given() || args.path == Path::new("-") {
        let loaded = Loaded::new(&args.schema)?;
        let document = loaded.read(&args.path, ReadOptions::default())?;
        return message(&document, args, || {
            Overview::new(&document).map_err(|error| error.in_file(document.path()))
        });
    }
    let artifact = Artifact::open_readable(&args.path)?;
    let of_variables = wants_tensors(args) && artifact.checkpoint().is_some();
    if let Some(document) = artifact.message().filter(|_| !of_variables) {
        let unread = artifact.unread().iter().find(|(part, _)| *part == Part::Variables);
        return match unread {
            Some((_, error)) if wants_tensors(args) => Err(error.clone().into()),
            _ => message(document, args, || Overview::of_artifact(&artifact)),
        };
    }
    let checkpoint = artifact.tensors("shown")?;
    let name = args.tensor.as_deref();
    match name.map(|name| find(checkpoint, name)).transpose()? {
        Some(entry) if args.raw => raw(entry),
        only => list(checkpoint, only, args),
    }
}

/// Whether something is asked for that only tensors have.
fn wants_tensors(args: &ShowArgs) -> bool {
    let filters = !args.filter.include.is_empty() || !args.filter.exclude.is_empty();
    args.tensor.is_some() || args.digest || filters
}

/// Shows a message at a glance.
fn message<'a>(
    document: &Document<'_>,
    args: &ShowArgs,
    overview: impl FnOnce() -> Result<Overview<'a>, Error>,
) -> Result<Exit, Trouble> {
    if wants_tensors(args) {
        let kind = format!("this is no checkpoint (kind: {}), and has no tensors", document.kind());
        return Err(Error::from(ErrorKind::Usage(kind)).in_file(document.path()).into());
    }
    let overview = overview()?;
    // What each of the forms that were asked for has no place for.
    let lost = RefCell::new(BTreeMap::new());
    output::write(&args.report, false, |format, palette, out| {
        let (form, losses) = match format {
            Format::Json => (Form::Json, json::overview(&overview, out)?),
            Format::Human => {
                let view = human::View { palette, max_diffs: args.max_rows };
                (Form::Text, human::overview(&overview, &view, out)?)
            }
        };
        lost.borrow_mut().insert(form.name(), losses);
        Ok(())
    })?;
    for (form, losses) in lost.into_inner() {
        losses::warn(&losses, form, false);
    }
    let trouble = overview.trouble();
    if trouble.is_empty() {
        return Ok(Exit::Same);
    }
    if !output::is_seen(&args.report) {
        trouble.into_iter().collect::<Trouble>().tell();
    }
    Ok(Exit::Trouble)
}

/// Lists the tensors that the filter lets through, or tells of the one that was asked for.
fn list(checkpoint: &Checkpoint, only: Option<&Entry>, args: &ShowArgs) -> Result<Exit, Trouble> {
    let names = Names::new(&args.filter.include, &args.filter.exclude, &[])?;
    let takes =
        |name: &Name| only.map_or_else(|| names.takes(&[name]), |entry| entry.name == *name);
    let bar = Bar::new(false);
    let listing = if args.digest {
        Listing::with_digests(checkpoint, takes, args.jobs.jobs.into(), &bar)
    } else {
        Listing::new(checkpoint, takes)
    };
    if listing.tensors.is_empty() && !names.takes_all() {
        let kind = ErrorKind::Usage("the filters leave no tensor to show".into());
        return Err(Error::from(kind).in_file(&args.path).into());
    }
    // A person who asks for one tensor wants to see into it.
    let values = match only {
        Some(entry) if !args.digest && output::is_for_person(&args.report) => {
            Some(Values::read(&entry.name, source(entry)?, &bar)?)
        }
        _ => None,
    };
    drop(bar);
    output::write(&args.report, false, |format, palette, out| match (format, &values) {
        (Format::Json, _) => json::listing(&listing, out),
        (Format::Human, None) => human::listing(&listing, &view(palette), out),
        (Format::Human, Some(values)) => human::values(values, &view(palette), out),
    })?;
    if !output::is_seen(&args.report) {
        let errors = listing.tensors.iter().filter_map(|row| row.error.as_ref());
        listing.damage.iter().chain(errors).cloned().collect::<Trouble>().tell();
    }
    Ok(if listing.is_sound() { Exit::Same } else { Exit::Trouble })
}

/// Writes the content of one tensor, once all of it has been verified.
fn raw(entry: &Entry) -> Result<Exit, Trouble> {
    let source = source(entry)?;
    let of_tensor = |error: Error| error.of_tensor(&entry.name);
    read_through(source, &Silent, |_| Ok(())).map_err(of_tensor)?;
    output::to_place(Path::new("-"), |out| {
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

/// The tensor of this name: as it is, as reports print it, as terminals show it, or in base 64.
fn find<'a>(checkpoint: &'a Checkpoint, name: &OsStr) -> Result<&'a Entry, Error> {
    let bytes = name.as_encoded_bytes();
    let spelled = |form: fn(&Entry) -> String| {
        checkpoint.tensors().find(|entry| form(entry).as_bytes() == bytes)
    };
    let found = checkpoint
        .tensor(bytes)
        .or_else(|| spelled(|entry| entry.name.to_string()))
        .or_else(|| spelled(|entry| entry.name.printable()))
        .or_else(|| spelled(|entry| json::base64(entry.name.as_bytes())));
    found.ok_or_else(|| {
        // It names the tensor that is nearest.
        let nearest = checkpoint.get_tensor(bytes).err();
        nearest.unwrap_or_else(|| ErrorKind::NotFound("there is no such tensor".into()).into())
    })
}

fn view(palette: Palette) -> human::View {
    human::View { palette, max_diffs: usize::MAX }
}
