//! `ckdiff git-driver`: prints the changes of a file for `git diff`.
//!
//! ```text
//! PATH OLD-FILE OLD-HEX OLD-MODE NEW-FILE NEW-HEX NEW-MODE [NEW-PATH SIMILARITY]
//! ```
//! A missing side is `/dev/null . .`, a file of the working tree may have a hex of zeros, and an unmerged path comes alone.
//! Source: git's documentation of `GIT_EXTERNAL_DIFF`.
//!
//! Git stops at any exit code but 0, and at 1 unless `diff.<driver>.trustExitCode` is set. So a file that cannot be read is
//! described in the output, and the exit code is 0; with `--exit-code` it is 1, because git does not accept 2.

mod file_report;
mod page;
mod request;

use crate::diff::TextView;
use crate::report;

use crate::command::Exit;
use crate::command::args::GitDriverArgs;
use crate::command::diagnostics::Diagnostics;
use crate::command::output;
use file_report::FileReport;
use page::DriverOutput;
use request::DriverArguments;

/// Reports the changes of one file of a repository.
///
/// # Errors
/// If the arguments are not git's, or the report cannot be written.
pub(crate) fn run(args: &GitDriverArgs) -> Result<Exit, Diagnostics> {
    let request = DriverArguments::new(args)?;
    let options = args.what.options(false, &args.jobs, None)?;
    let report = FileReport::of(&request, &options);
    let palette = output::palette_in_git(args.color);
    let options = report::ReportOptions {
        palette,
        max_rows: args.max_diffs,
        context: args.text.context(),
        ..report::ReportOptions::default()
    };
    let texts = match &report {
        FileReport::Diff(found) => {
            args.text.unified.map(|_| TextView::new(&found.diff, &found.old, &found.new))
        }
        _ => None,
    };
    let texts = texts.transpose()?;
    output::to_stdout(|out| {
        DriverOutput { request: &request, options: &options, out }.write(&report, texts.as_ref())
    })?;
    let differs = request.is_renamed() || request.is_other_mode() || report.is_different();
    Ok(if args.exit_code && differs { Exit::Different } else { Exit::Same })
}
