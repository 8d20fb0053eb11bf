//! `ckdiff judge REPORT`: judges a saved report by rules, without the artifacts that it compares.

use std::io;
use std::path::Path;

use crate::bytes::{File, read_to_end};
use crate::diff::Diff;
use crate::error::Error;
use crate::report::{self, Judged, Report, json};

use crate::command::Exit;
use crate::command::args::JudgeArgs;
use crate::command::config;
use crate::command::diagnostics::Diagnostics;
use crate::command::output;

/// The largest report that is read, in bytes. One of a million tensors with every statistic has half of it.
const MAX_BYTES: u64 = 4 << 30;

/// Judges a report, writes the judgement, and returns its verdict.
///
/// # Errors
/// If there are no rules, the report cannot be read or is none, or the judgement cannot be written.
pub(crate) fn run(args: &JudgeArgs) -> Result<Exit, Diagnostics> {
    let rules = config::rules(&args.rules)?.ok_or_else(|| {
        Error::usage(format!("there are no rules to judge by: {}", config::MISSING))
    })?;
    output::check(&args.output)?;
    let mut diff = read(&args.report)?;
    // What the rules of the report said in vain is not about these rules.
    diff.unused.retain(|unused| unused.at.is_none());
    let judgement = config::judge(&rules, &diff, args.show_passed, args.deny_unused)?;
    let judged = Judged { diff: &diff, rules: &rules, judgement: &judgement };
    output::write(&args.output, args.quiet, |format, look, out| {
        let options = look.options(args.max_diffs);
        report::write(&Report::Judged(&judged, None), format, &options, out).map(drop)
    })?;
    output::print_unseen("judge", &args.output, args.quiet, diff.errors());
    Ok(judgement.verdict().into())
}

/// The comparison in a report.
fn read(path: &Path) -> Result<Diff, Error> {
    let (name, bytes) = match path == Path::new("-") {
        true => {
            (Path::new("standard input"), read_to_end(Vec::new(), io::stdin().lock(), MAX_BYTES))
        }
        false => (path, File::open(path).and_then(|file| file.read(MAX_BYTES))),
    };
    bytes.and_then(|bytes| json::read_diff(&bytes)).map_err(|error| error.in_file(name))
}
