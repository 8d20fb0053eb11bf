//! `ckdiff series DIR | PATH…`: many checkpoints of one training in a row.

use std::sync::Arc;

use crate::diff::{Diff, NameFilter, TensorRules, UnusedPattern};
use crate::error::Error;
use crate::report::human::{plural, reason};
use crate::report::{self, Report};
use crate::rules::Rules;
use crate::series::{
    self, Cache, Checkpoints, Judged, Property, SeriesOptions, Verdict, compare, first,
};

use crate::command::Exit;
use crate::command::args::SeriesArgs;
use crate::command::config;
use crate::command::diagnostics::{Diagnostics, warn_of_unused};
use crate::command::output;
use crate::command::progress::Bar;
use crate::command::state_file;

/// Compares the checkpoints of a series, or searches in it, and writes the reports.
///
/// # Errors
/// If there is no series, nothing can be compared, or the report or the cache cannot be written.
pub(crate) fn run(args: &SeriesArgs) -> Result<Exit, Diagnostics> {
    output::check(&args.report)?;
    let filter = &args.filter;
    let rules = config::rules(&args.rules)?.map(Arc::new);
    if rules.is_none() && args.first == Some(Property::Broken) {
        return Err(Error::usage(config::MISSING).into());
    }
    let renames = rules.as_ref().map(|rules| rules.renames()).unwrap_or_default();
    let source = rules.as_ref().map(|rules| rules.source().to_owned());
    let judge = rules.as_ref().map(Judge::new);
    let judge = judge.as_ref().map(Judge::of_series);
    let options = SeriesOptions {
        against: args.against(),
        names: NameFilter::new(&filter.include, &filter.exclude, &[])?.with_renames(renames)?,
        threads: args.jobs.jobs.into(),
    };
    let mut cache = args.cache.as_deref().map(Cache::open).transpose()?;
    let checkpoints = Checkpoints::find(&args.paths, options.threads)?;
    state_file::warn(checkpoints.states());
    let bar = Bar::new(args.quiet);
    if let Some(property) = args.first {
        let mut search = first(&checkpoints, property, &options, judge, &mut cache, &bar)?;
        drop(bar);
        search.rules = source;
        check_unused(&search.unused, filter.deny_unused)?;
        print(args, &Report::Search(&search), search.errors())?;
        return Ok(exit(search.verdict()));
    }
    let mut series = compare(&checkpoints, &options, judge, &mut cache, &bar)?;
    drop(bar);
    series.rules = source;
    check_unused(&series.unused, filter.deny_unused)?;
    print(args, &Report::Series(&series), series.errors())?;
    Ok(exit(series.verdict()))
}

/// Warns of patterns and rules that match nothing in any comparison.
///
/// # Errors
/// If there is one, and `deny` is set.
fn check_unused(unused: &[UnusedPattern], deny: bool) -> Result<(), Error> {
    match unused.first().filter(|_| deny) {
        Some(first) => Err(first.error()),
        None => {
            warn_of_unused(unused);
            Ok(())
        }
    }
}

/// Judges the comparisons of a series by rules.
struct Judge {
    identity: String,
    rules: Arc<dyn TensorRules>,
    judge: Box<dyn Fn(&Diff) -> Judged>,
}

impl Judge {
    fn new(rules: &Arc<Rules>) -> Self {
        let judging = Arc::clone(rules);
        let judge = Box::new(move |diff: &Diff| {
            let judgement = judging.judge(diff);
            let broken = judgement.failures.split_first().map(|(worst, others)| {
                let more = match others.len() {
                    0 => String::new(),
                    n => format!("; {} more", plural(n as u64, "broken rule")),
                };
                reason(worst) + &more
            });
            Judged { broken, unused: judgement.unused.into_iter().map(Into::into).collect() }
        });
        let (identity, rules) = (rules.fingerprint(), Arc::clone(rules) as Arc<dyn TensorRules>);
        Self { identity, rules, judge }
    }

    fn of_series(&self) -> series::Judge<'_> {
        series::Judge { identity: &self.identity, rules: Some(&self.rules), judge: &*self.judge }
    }
}

/// Writes the reports, and the errors where no report shows them.
fn print<'e>(
    args: &SeriesArgs,
    report: &Report<'_>,
    errors: impl IntoIterator<Item = &'e Error>,
) -> Result<(), Error> {
    output::write(&args.report, args.quiet, |format, look, out| {
        report::write(report, format, &look.options(args.max_rows), out).map(drop)
    })?;
    output::print_unseen("series", &args.report, args.quiet, errors);
    Ok(())
}

fn exit(verdict: Verdict) -> Exit {
    match verdict {
        Verdict::Sound => Exit::Same,
        Verdict::Broken => Exit::Different,
        Verdict::Trouble => Exit::Trouble,
    }
}
