//! The text of a report on a file, as git shows it.

use std::io::{self, Write};

use crate::artifact::Artifact;
use crate::checkpoint::Listing;
use crate::diff::TextView;
use crate::error::Error;
use crate::overview::Overview;
use crate::report::human::{plural, printable};
use crate::report::{self, Format, Report, ReportOptions};

use super::file_report::FileReport;
use super::request::DriverArguments;
use crate::command::git_file::{GitFile, without_name};
use crate::command::lfs_pointer::Pointer;

/// The output, and how reports look in it.
pub(super) struct DriverOutput<'o> {
    pub(super) request: &'o DriverArguments,
    pub(super) options: &'o ReportOptions,
    pub(super) out: &'o mut dyn Write,
}

impl DriverOutput<'_> {
    /// Writes a report, with the texts of its diff if they are requested; nothing if only the object differs.
    pub(super) fn write(
        &mut self,
        report: &FileReport,
        texts: Option<&TextView<'_>>,
    ) -> io::Result<()> {
        let request = self.request;
        if matches!(report, FileReport::Equal) && !request.is_renamed() && !request.is_other_mode()
        {
            return Ok(());
        }
        let heading = self.options.palette.heading;
        writeln!(self.out, "{heading}{}{heading:#}", request.title())?;
        match report {
            FileReport::Equal => {}
            FileReport::Unmerged => writeln!(self.out, "unmerged: its versions are in conflict")?,
            FileReport::Diff(found) => self.human(&Report::Diff(&found.diff, texts))?,
            FileReport::OneSide(file) => self.one_side(file)?,
            FileReport::TwoSides(old, new) => self.two_sides(old, new)?,
            FileReport::Links(targets) => {
                for (what, target) in ["lhs", "rhs"].iter().zip(targets) {
                    if let Some(target) = target {
                        writeln!(self.out, "  {what}  symbolic link to {}", printable(target))?;
                    }
                }
            }
            FileReport::Failed(error) => self.error(error)?,
        }
        writeln!(self.out)
    }

    /// Writes the content of a file that was added or deleted.
    fn one_side(&mut self, file: &GitFile) -> io::Result<()> {
        match file {
            GitFile::Artifact(artifact) => self.artifact(artifact),
            GitFile::Pointer(pointer) => {
                writeln!(self.out, "{}", described(pointer))?;
                self.how_to_fetch()
            }
            GitFile::Shard(content) => writeln!(self.out, "binary shard: {}", size(content.bytes)),
            GitFile::Text(content) => writeln!(self.out, "text: {}", size(content.bytes)),
            GitFile::Unreadable(error, _) => self.error(error),
        }
    }

    /// Describes two sides that cannot be compared.
    fn two_sides(&mut self, old: &GitFile, new: &GitFile) -> io::Result<()> {
        if let (GitFile::Shard(old), GitFile::Shard(new)) = (old, new) {
            let (old, new) = (size(old.bytes), size(new.bytes));
            return writeln!(self.out, "binary shard: {old} → {new}; the index says what changed");
        }
        let mut all_readable = true;
        for (what, file) in [("lhs", old), ("rhs", new)] {
            if let GitFile::Unreadable(error, _) = file {
                all_readable = false;
                let name = if what == "lhs" { &self.request.path } else { self.request.new_name() };
                let bad = self.options.palette.bad;
                let message = without_name(error, name);
                writeln!(self.out, "{bad}Error: {what} cannot be read: {message}{bad:#}")?;
            }
        }
        if !all_readable {
            writeln!(self.out)?;
        }
        for (what, file) in [("lhs", old), ("rhs", new)] {
            let description = match file {
                GitFile::Artifact(artifact) => format!("{} {}", artifact.kind(), artifact.format()),
                GitFile::Pointer(pointer) => described(pointer),
                GitFile::Shard(content) => format!("binary shard, {}", size(content.bytes)),
                GitFile::Text(content) => format!("text, {}", size(content.bytes)),
                GitFile::Unreadable(_, content) => format!("unreadable, {}", size(content.bytes)),
            };
            writeln!(self.out, "  {what}  {description}")?;
        }
        match (old, new) {
            (GitFile::Pointer(old), GitFile::Pointer(new)) if old.oid == new.oid => {
                writeln!(self.out, "\nBoth are pointers to the same file.")
            }
            (GitFile::Pointer(_), _) | (_, GitFile::Pointer(_)) => self.how_to_fetch(),
            _ => Ok(()),
        }
    }

    fn error(&mut self, error: &Error) -> io::Result<()> {
        let bad = self.options.palette.bad;
        let name =
            if self.request.old.is_some() { &self.request.path } else { self.request.new_name() };
        writeln!(self.out, "{bad}Error: {}{bad:#}", without_name(error, name))
    }

    /// Writes a report for people.
    fn human(&mut self, report: &Report<'_>) -> io::Result<()> {
        report::write(report, Format::HUMAN, self.options, self.out).map(drop)
    }

    /// Writes an artifact as `show` does, in no more rows than a diff.
    fn artifact(&mut self, artifact: &Artifact<'_>) -> io::Result<()> {
        match (artifact.checkpoint(), artifact.message()) {
            (Some(checkpoint), _) => {
                self.human(&Report::Listing(&Listing::new(checkpoint, |_| true), None))
            }
            (None, Some(document)) => match Overview::new(document) {
                Ok(overview) => self.human(&Report::Overview(&overview)),
                Err(error) => writeln!(self.out, "{}", without_name(&error, document.path())),
            },
            (None, None) => Ok(()),
        }
    }

    /// Writes how to fetch the file of a pointer.
    fn how_to_fetch(&mut self) -> io::Result<()> {
        let command = self.options.palette.command;
        writeln!(
            self.out,
            "\nThe file itself is missing. {command}git lfs pull{command:#} fetches the files of the checkout, \
             {command}git lfs fetch --all{command:#} all files."
        )
    }
}

fn described(pointer: &Pointer) -> String {
    format!("Git LFS pointer, oid {}, {}", printable(&pointer.oid), size(pointer.size))
}

/// For example `1,234 bytes`.
fn size(bytes: u64) -> String {
    plural(bytes, "byte")
}
