//! `ckdiff LHS RHS`: compares two artifacts.

use std::io::{self, Write};

use ckdiff::artifact::{Artifact, ReadOptions};
use ckdiff::compare::{self, Device};
use ckdiff::diff::{Diff, Ignore, Lists, Names, Only, Options, TextView, Verdict, diff};
use ckdiff::report::{human, json};
use ckdiff::{Error, ErrorKind, compare::Tolerance};

use crate::Exit;
use crate::args::{Choice, CompareArgs, DeviceArgs, DiffArgs, Format, Jobs, OnlyPart};
use crate::diagnostics::{Diagnostics, warn};
use crate::output;
use crate::progress::Bar;
use crate::schema::Loaded;

/// Compares two artifacts, writes the reports, and returns the verdict.
///
/// # Errors
/// When a side cannot be opened, nothing can be compared, or the report cannot be written.
pub(crate) fn run(args: &DiffArgs) -> Result<Exit, Diagnostics> {
    let lists = Lists { as_set: args.lists.as_set.clone(), keyed: args.lists.key.clone() };
    let device = device(&args.device)?;
    let options = Options { lists, device, ..options(&args.what, args.histogram, &args.jobs)? };
    if [&args.lhs, &args.rhs].iter().all(|path| path.as_os_str() == "-") {
        let why = "standard input cannot be both sides".into();
        return Err(Error::from(ErrorKind::Usage(why)).into());
    }
    let own = args.schema.is_given().then(|| Loaded::new(&args.schema)).transpose()?;
    let (lhs, rhs) = match open(args, own.as_ref()) {
        (Ok(lhs), Ok(rhs)) => (lhs, rhs),
        (lhs, rhs) => return Err([lhs.err(), rhs.err()].into_iter().flatten().collect()),
    };
    let bar = Bar::new(args.quiet);
    let diff = diff(&lhs, &rhs, &options, &bar)?;
    drop(bar);
    if let Some(failure) = &diff.work.failure {
        warn(&format!("{failure}; the CPU compared the rest, with the same numbers"));
    }
    let texts = args.text.unified.map(|_| TextView::new(&diff, &lhs, &rhs)).transpose()?;
    let texts = texts.as_ref().zip(args.text.unified);
    output::write(&args.report, args.quiet, |format, palette, out| match format {
        Format::Human => {
            let view = human::View { palette, max_diffs: args.max_diffs };
            human(&diff, texts, &view, out)
        }
        Format::Json => json::diff(&diff, out),
    })?;
    // A person who reads the report sees the errors in it.
    if args.quiet || !output::is_seen(&args.report) {
        errors(&diff).collect::<Diagnostics>().print();
    }
    Ok(match diff.verdict() {
        Verdict::Same => Exit::Same,
        Verdict::Different => Exit::Different,
        Verdict::Trouble => Exit::Trouble,
    })
}

/// Opens both sides; if a schema is given, as messages of it.
fn open<'s>(
    args: &DiffArgs,
    own: Option<&'s Loaded>,
) -> (Result<Artifact<'s>, Error>, Result<Artifact<'s>, Error>) {
    let threads = args.jobs.jobs.into();
    let Some(own) = own else {
        return match args.what.only {
            // The siblings' meta graphs are not compared, so errors in them do not matter.
            Some(OnlyPart::Tensors) => (Artifact::open(&args.lhs), Artifact::open(&args.rhs)),
            _ => Artifact::open_both(&args.lhs, &args.rhs, threads),
        };
    };
    let read = |path| own.read(path, ReadOptions::default()).map(Artifact::from);
    (read(&args.lhs), read(&args.rhs))
}

/// Writes the report for a person; with `texts`, changes are shown as lines with that much context.
pub(crate) fn human(
    diff: &Diff,
    texts: Option<(&TextView<'_>, usize)>,
    view: &human::View,
    out: &mut dyn Write,
) -> io::Result<()> {
    match texts {
        Some((texts, context)) => human::diff_as_text(diff, texts, context, view, out),
        None => human::diff(diff, view, out),
    }
}

fn errors(diff: &Diff) -> impl Iterator<Item = Error> {
    let damage = diff.damage.iter().map(|damage| &damage.error);
    damage.chain(diff.tensors.iter().filter_map(|tensor| tensor.error.as_ref())).cloned()
}

/// The requested device; a GPU is opened.
fn device(args: &DeviceArgs) -> Result<Device, Error> {
    match &args.device {
        Choice::Auto => Ok(Device::auto()),
        Choice::Cpu => Ok(Device::cpu()),
        Choice::Gpu(name) => Device::gpu(name.as_deref()),
    }
}

/// The options that the arguments stand for.
///
/// # Errors
/// When a tolerance, a pattern or a rename is invalid.
pub(crate) fn options(what: &CompareArgs, histogram: bool, jobs: &Jobs) -> Result<Options, Error> {
    let close = &what.closeness;
    let kinds: Vec<_> = what.changes.ignore_kind.iter().map(|&kind| kind.into()).collect();
    Ok(Options {
        compare: compare::Options {
            tolerance: Tolerance::new(close.atol, close.rtol, close.ulp)?,
            nan: close.nan.into(),
            further: close.tolerance.clone(),
            histogram,
            threads: jobs.jobs.into(),
            ..compare::Options::default()
        },
        names: Names::new(&what.filter.include, &what.filter.exclude, &what.rename)?,
        only: what.only.map_or(Only::Everything, Into::into),
        lists: Lists::default(),
        ignore: Ignore::new(&what.changes.ignore, &kinds)?,
        strict: what.changes.strict,
        device: Device::cpu(),
    })
}
