//! `ckdiff LHS RHS`: compares two artifacts.

use ckdiff::artifact::{Artifact, ReadOptions};
use ckdiff::compare::{self, Device};
use ckdiff::diff::{Ignore, Lists, NameFilter, Only, Options, TextView, Verdict, diff};
use ckdiff::report::{self, Palette, Report};
use ckdiff::{Error, compare::Tolerance};

use crate::Exit;
use crate::args::{Choice, CompareArgs, DeviceArgs, DiffArgs, Jobs, Unified};
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
        let why = "standard input cannot be both sides";
        return Err(Error::usage(why).into());
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
        warn(&format!("{failure}; the CPU compared the rest; the results are the same"));
    }
    let texts = args.text.unified.map(|_| TextView::new(&diff, &lhs, &rhs)).transpose()?;
    output::write(&args.report, args.quiet, |format, palette, out| {
        let options = report_options(palette, args.max_diffs, &args.text);
        report::write(&Report::Diff(&diff, texts.as_ref()), format, &options, out).map(drop)
    })?;
    output::print_unseen(&args.report, args.quiet, diff.errors());
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
            Some(Only::Tensors) => (Artifact::open(&args.lhs), Artifact::open(&args.rhs)),
            _ => Artifact::open_both(&args.lhs, &args.rhs, threads),
        };
    };
    let read = |path| own.read(path, ReadOptions::default()).map(Artifact::from);
    (read(&args.lhs), read(&args.rhs))
}

/// How a report on a diff looks.
pub(crate) fn report_options(palette: Palette, max_rows: usize, text: &Unified) -> report::Options {
    let defaults = report::Options::default();
    let context = text.unified.unwrap_or(defaults.context);
    report::Options { palette, max_rows, context }
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
    Ok(Options {
        compare: compare::Options {
            tolerance: Tolerance::new(close.atol, close.rtol, close.ulp)?,
            nan: close.nan,
            further: close.tolerance.clone(),
            histogram,
            threads: jobs.jobs.into(),
            ..compare::Options::default()
        },
        names: NameFilter::new(&what.filter.include, &what.filter.exclude, &what.rename)?,
        only: what.only.unwrap_or_default(),
        lists: Lists::default(),
        ignore: Ignore::new(&what.changes.ignore, &what.changes.ignore_kind)?,
        strict: what.changes.strict,
        device: Device::cpu(),
    })
}
