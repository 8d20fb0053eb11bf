//! `ckdiff LHS RHS`: compares two artifacts.

use std::mem::ManuallyDrop;
use std::path::Path;
use std::sync::Arc;

use crate::artifact::{Artifact, ReadOptions};
use crate::diff::{Lists, Only, TextView, diff};
use crate::error::Error;
use crate::report::{self, Format, Judged, Report, Verbosity};
use crate::rules::Rules;

use crate::command::Exit;
use crate::command::args::{DiffArgs, explain_missing, only_checkpoint};
use crate::command::config;
use crate::command::diagnostics::{Diagnostics, warn, warn_of_unused};
use crate::command::output;
use crate::command::progress::Bar;
use crate::command::schema::Loaded;
use crate::command::state_file;

/// Compares two artifacts, writes the reports, and returns the verdict.
///
/// # Errors
/// If a side cannot be opened, nothing can be compared, or the report cannot be written.
pub(crate) fn run(args: &DiffArgs) -> Result<Exit, Diagnostics> {
    let lists = Lists { as_set: args.lists.as_set.clone(), keyed: args.lists.key.clone() };
    let device = args.device.device.open()?;
    let rules = rules(args)?;
    output::check(&args.report)?;
    let is_verbose = args.verbosity.verbosity() == Verbosity::Everything;
    let has_pictures = output::formats(&args.report, args.quiet)
        .any(|format| format.has_pictures || (is_verbose && format.is_for_people));
    let histogram = args.histogram || has_pictures;
    let mut options = args.what.options(histogram, &args.jobs, rules.as_ref())?;
    (options.lists, options.device) = (lists, device);
    options.mismatch_map = args.mismatch_map || has_pictures;
    for (glob, count) in &args.elements {
        options.listed.add(glob, *count)?;
    }
    if [&args.lhs, &args.rhs].iter().all(|path| path.as_os_str() == "-") {
        let why = "standard input cannot be both sides";
        return Err(Error::usage(why).into());
    }
    if let Some(message) = misused(args) {
        return Err(Error::usage(message).into());
    }
    let schema = Loaded::new(&args.schema)?;
    let sides = match open(args, &schema) {
        // The process ends soon, and freeing a million small allocations first would take time.
        (Ok(lhs), Ok(rhs)) => ManuallyDrop::new([lhs, rhs]),
        (lhs, rhs) => return Err([lhs.err(), rhs.err()].into_iter().flatten().collect()),
    };
    let [lhs, rhs] = &*sides;
    state_file::warn_of([lhs, rhs]);
    let bar = Bar::new(args.quiet);
    let diff = ManuallyDrop::new(diff(lhs, rhs, &options, &bar)?);
    drop(bar);
    if let Some(failure) = &diff.work.failure {
        warn(&format!("{failure}; the CPU compared the rest; the results are the same"));
    }
    warn_of_unused(&diff.unused);
    let shows_texts = |format: &Format| {
        format.is_for_people && (args.text.unified.is_some() || format.has_pictures)
    };
    let has_texts = output::formats(&args.report, args.quiet).any(shows_texts);
    let texts = has_texts.then(|| TextView::new(&diff, lhs, rhs)).transpose()?;
    let judge = |rules: &Arc<Rules>| {
        config::judge(rules, &diff, args.show_passed, args.what.filter.deny_unused)
    };
    let judgement = rules.as_ref().map(judge).transpose()?;
    let judged = rules.as_deref().zip(judgement.as_ref());
    let judged = judged.map(|(rules, judgement)| Judged { diff: &diff, rules, judgement });
    output::write(&args.report, args.quiet, |format, look, out| {
        let texts = texts.as_ref().filter(|_| shows_texts(&format));
        let shown = match &judged {
            Some(judged) => Report::Judged(judged, texts),
            None => Report::Diff(&diff, texts),
        };
        let options = report::ReportOptions {
            context: args.text.context(),
            // They may be counted for another report.
            histograms: args.histogram,
            sort: args.sort,
            verbosity: args.verbosity.verbosity(),
            ..look.options(args.max_diffs)
        };
        report::write(&shown, format, &options, out).map(drop)
    })?;
    output::print_unseen("diff", &args.report, args.quiet, diff.errors());
    Ok(judgement.map_or_else(|| diff.verdict(), |judgement| judgement.verdict()).into())
}

/// The rules, with the tolerances of the command line after those of the file.
fn rules(args: &DiffArgs) -> Result<Option<Arc<Rules>>, Error> {
    let Some(mut rules) = config::rules(&args.rules)? else { return Ok(None) };
    rules.add_tolerances(&args.what.closeness.tolerances())?;
    Ok(Some(Arc::new(rules)))
}

/// Explains a misspelled command, or two files of one checkpoint, given in place of two artifacts.
fn misused(args: &DiffArgs) -> Option<String> {
    let paths = [&args.lhs, &args.rhs];
    let checkpoint =
        || only_checkpoint(&paths).filter(|_| args.lhs != args.rhs && !args.schema.is_given());
    let same = || {
        let checkpoint = checkpoint()?;
        Some(format!(
            "both paths are files of one checkpoint; compare it with another: ckdiff {checkpoint} OTHER"
        ))
    };
    explain_missing(&args.lhs).or_else(same)
}

/// Opens both sides. A side is a message if a schema is given or if it is standard input.
fn open<'s>(
    args: &DiffArgs,
    schema: &'s Loaded,
) -> (Result<Artifact<'s>, Error>, Result<Artifact<'s>, Error>) {
    let is_message = |path: &Path| args.schema.is_given() || path == Path::new("-");
    let open = |path: &Path| match is_message(path) {
        true => schema.read(path, ReadOptions::default()).map(Artifact::from),
        false => Artifact::open(path),
    };
    let (lhs, rhs) = (&args.lhs, &args.rhs);
    // Where only tensors are compared, errors in the siblings' meta graphs do not matter.
    if is_message(lhs) || is_message(rhs) || args.what.only == Some(Only::Tensors) {
        return (open(lhs), open(rhs));
    }
    Artifact::open_both(lhs, rhs, args.jobs.jobs.into())
}
