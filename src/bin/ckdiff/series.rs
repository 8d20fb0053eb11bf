//! `ckdiff series DIR | PATH…`: many checkpoints of one training in a row.

use std::sync::Arc;

use ckdiff::Error;
use ckdiff::diff::{Diff, NameFilter, TensorRules};
use ckdiff::report::human::{plural, reason};
use ckdiff::report::{self, Report};
use ckdiff::rules::Rules;
use ckdiff::series::{self, Cache, Checkpoints, Property, SeriesOptions, Verdict, compare, first};

use crate::Exit;
use crate::args::SeriesArgs;
use crate::config;
use crate::diagnostics::{Diagnostics, warn_of_unused};
use crate::output;
use crate::progress::Bar;
use crate::state_file;

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
        print(args, &Report::Search(&search), search.errors())?;
        return Ok(exit(search.verdict()));
    }
    let mut series = compare(&checkpoints, &options, judge, &mut cache, &bar)?;
    drop(bar);
    series.rules = source;
    if let Some(unused) = series.unused.first().filter(|_| filter.deny_unused) {
        return Err(unused.error().into());
    }
    warn_of_unused(&series.unused);
    print(args, &Report::Series(&series), series.errors())?;
    Ok(exit(series.verdict()))
}

/// Judges the comparisons of a series by rules.
struct Judge {
    identity: String,
    rules: Arc<dyn TensorRules>,
    judge: Box<Reason>,
}

/// Why a comparison breaks a rule.
type Reason = dyn Fn(&Diff) -> Option<String>;

impl Judge {
    fn new(rules: &Arc<Rules>) -> Self {
        let judging = Arc::clone(rules);
        let judge = Box::new(move |diff: &Diff| {
            let judgement = judging.judge(diff);
            let (worst, others) = judgement.failures.split_first()?;
            let more = match others.len() {
                0 => String::new(),
                n => format!("; {} more", plural(n as u64, "broken rule")),
            };
            Some(reason(worst) + &more)
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
    output::print_unseen(&args.report, args.quiet, errors);
    Ok(())
}

fn exit(verdict: Verdict) -> Exit {
    match verdict {
        Verdict::Sound => Exit::Same,
        Verdict::Broken => Exit::Different,
        Verdict::Trouble => Exit::Trouble,
    }
}
