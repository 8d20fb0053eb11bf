//! `ckdiff learn RUN…`: learns rules from good runs.

use std::path::{Path, PathBuf};

use crate::artifact::Artifact;
use crate::compare::CompareOptions;
use crate::diff::{DiffOptions, NameFilter, diff};
use crate::error::Error;
use crate::files::cannot_write;
use crate::progress::Silent;
use crate::report::human::{plural, printable};
use crate::rules::learn::{Against, GoodRuns, LearnedRules, MIN_RUNS, Observed, learn};
use crate::series::Checkpoints;

use crate::command::Exit;
use crate::command::args::LearnArgs;
use crate::command::diagnostics::{Diagnostics, warn};
use crate::command::output;

/// The most runs of which every pair is compared; of more, each is compared with the next few.
const ALL_PAIRS: usize = 10;
const NEXT: usize = 4;

/// Compares the runs, writes the rules, and says which run would break rules that are learned from the others.
///
/// # Errors
/// If there are too few runs, one cannot be read or is of another model, or the file cannot be written.
pub(crate) fn run(args: &LearnArgs) -> Result<Exit, Diagnostics> {
    output::refuse_existing(&args.output, args.overwrite)?;
    let runs = gather(args)?;
    let learned = learn(&runs, args.margin)?;
    output::to_path(&args.output, |out| {
        out.write_all(learned.text.as_bytes()).map_err(cannot_write)
    })?;
    if !output::is_stdout(&args.output) {
        output::to_stdout(|out| write!(out, "{}", summary(&runs, &learned, &args.output)))?;
    }
    Ok(Exit::Same)
}

/// Compares the runs.
fn gather(args: &LearnArgs) -> Result<GoodRuns, Diagnostics> {
    let (paths, is_history) = paths(args)?;
    if paths.len() < MIN_RUNS {
        let why =
            format!("expected at least {MIN_RUNS} good runs to learn from, found {}", paths.len());
        return Err(Error::usage(why).into());
    }
    let against = match (&args.baseline, is_history) {
        (Some(_), _) => Against::Baseline,
        (None, true) => Against::Previous,
        (None, false) => Against::EachOther,
    };
    let options = DiffOptions {
        compare: CompareOptions {
            values: true,
            threads: args.jobs.jobs.into(),
            ..CompareOptions::default()
        },
        names: NameFilter::new(&args.filter.include, &args.filter.exclude, &[])?,
        deny_unused: args.filter.deny_unused,
        ..DiffOptions::default()
    };
    let mut pairs = Vec::new();
    for (lhs, rhs) in numbers(paths.len(), against) {
        let path = |run: usize| paths.get(run).cloned().unwrap_or_default();
        let baseline = lhs.map_or_else(|| args.baseline.clone().unwrap_or_default(), path);
        pairs.push((lhs, rhs, observe(&baseline, &path(rhs), &options)?));
    }
    let name = |path: &PathBuf| path.display().to_string();
    let names = paths.iter().map(name).collect();
    Ok(GoodRuns { names, baseline: args.baseline.as_ref().map(name), against, pairs })
}

/// The paths of the runs, and whether they are the history of one directory.
fn paths(args: &LearnArgs) -> Result<(Vec<PathBuf>, bool), Error> {
    let are_models =
        |paths: &[PathBuf]| paths.iter().all(|path| path.join("saved_model.pb").exists());
    match args.runs.as_slice() {
        [only] if !only.is_dir() => Ok((vec![only.clone()], false)),
        runs if runs.len() > 1 && are_models(runs) => Ok((runs.to_vec(), false)),
        runs => {
            let found = Checkpoints::find(runs, args.jobs.jobs.into())?;
            for ignored in found.ignored() {
                let path = ignored.path.display().to_string();
                warn(&format!("{path}: not a run: {}", ignored.why));
            }
            let paths = found.members().iter().map(|member| member.path.clone()).collect();
            Ok((paths, runs.len() == 1))
        }
    }
}

/// The pairs of so many runs.
fn numbers(runs: usize, against: Against) -> Vec<(Option<usize>, usize)> {
    match against {
        Against::Baseline => (0..runs).map(|run| (None, run)).collect(),
        Against::Previous => (1..runs).map(|run| (Some(run - 1), run)).collect(),
        Against::EachOther if runs <= ALL_PAIRS => {
            let with = |lhs: usize| (lhs + 1..runs).map(move |rhs| (Some(lhs), rhs));
            (0..runs).flat_map(with).collect()
        }
        Against::EachOther => {
            let with = |lhs: usize| (1..=NEXT).map(move |next| (Some(lhs), (lhs + next) % runs));
            (0..runs).flat_map(with).collect()
        }
    }
}

fn observe(lhs: &Path, rhs: &Path, options: &DiffOptions) -> Result<Observed, Diagnostics> {
    let (lhs, rhs) = match Artifact::open_both(lhs, rhs, options.compare.threads) {
        (Ok(lhs), Ok(rhs)) => (lhs, rhs),
        (lhs, rhs) => return Err([lhs.err(), rhs.err()].into_iter().flatten().collect()),
    };
    Ok(Observed::new(&diff(&lhs, &rhs, options, &Silent)?)?)
}

/// What was learned, in a few lines.
fn summary(runs: &GoodRuns, learned: &LearnedRules, file: &Path) -> String {
    let passed = learned.left_out.iter().filter(|broken| broken.is_empty()).count();
    let mut text = format!(
        "Learned {} from {} good runs: {}\nLeave-one-out: {passed} of {} runs keep to the rules learned from the others.\n",
        plural(learned.rules as u64, "rule"),
        runs.names.len(),
        printable(&file.display().to_string()),
        runs.names.len(),
    );
    for (name, broken) in runs.names.iter().zip(&learned.left_out) {
        if let Some((tensor, gate)) = broken.first() {
            let more = match broken.len() - 1 {
                0 => String::new(),
                n => format!(", and {}", plural(n as u64, "more tensor")),
            };
            text +=
                &format!("  {} breaks {gate} of {}{more}\n", printable(name), tensor.printable());
        }
    }
    text
}
