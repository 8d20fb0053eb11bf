//! `ckdiff verify PATH…`: verifies that everything can be read, and that graph and checkpoint fit together.

use std::path::Path;

use crate::artifact::{Document, ReadOptions};
use crate::error::Error;
use crate::graph::OpTable;
use crate::report::{self, Report};
use crate::schema::Schema;
use crate::verify::{Targets, Verdict};

use crate::command::Exit;
use crate::command::args::VerifyArgs;
use crate::command::diagnostics::Diagnostics;
use crate::command::output;
use crate::command::progress::Bar;
use crate::command::state_file;

/// The maximum number of errors that are listed for one checkpoint.
const MAX_LISTED: usize = 20;

/// Verifies each artifact once, and writes the reports.
///
/// # Errors
/// If the report cannot be written.
pub(crate) fn run(args: &VerifyArgs) -> Result<Exit, Diagnostics> {
    output::check(&args.report)?;
    let ops = args.ops.as_deref().map(op_list).transpose()?;
    let targets = Targets::open(&args.paths);
    state_file::warn_of(targets.artifacts());
    let bar = Bar::new(args.quiet);
    let results = targets.verify(ops.as_ref(), args.jobs.jobs.into(), &bar);
    drop(bar);
    output::write(&args.report, args.quiet, |format, look, out| {
        let options = look.options(Some(MAX_LISTED));
        let report = Report::Verifications(&results, targets.skipped());
        report::write(&report, format, &options, out).map(drop)
    })?;
    let errors = results.iter().flat_map(|(_, result)| match result {
        Err(error) => vec![error],
        Ok(found) => found.errors().collect(),
    });
    output::print_unseen("verify", &args.report, args.quiet, errors);
    Ok(match Verdict::of_all(results.iter().map(|(_, result)| result)) {
        Verdict::Sound => Exit::Same,
        Verdict::Unfit => Exit::Different,
        Verdict::Trouble => Exit::Trouble,
    })
}

/// The op definitions in a file.
fn op_list(path: &Path) -> Result<OpTable<'static>, Error> {
    let options =
        ReadOptions { message: Some("tensorflow.OpList".into()), ..ReadOptions::default() };
    let document = Document::open(path, Schema::tensorflow(), &options)?;
    OpTable::decode(document.message().bytes().to_vec()).map_err(|error| error.in_file(path))
}
