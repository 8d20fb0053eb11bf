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

use std::ffi::{OsStr, OsString};
use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use ckdiff::artifact::Artifact;
use ckdiff::diff::{Diff, Options, TextView, Verdict, diff};
use ckdiff::files::have_same_content;
use ckdiff::progress::Silent;
use ckdiff::report::human::{plural, printable};
use ckdiff::report::{self, Format, Listing, Overview, Report};
use ckdiff::{Error, ErrorKind};

use crate::Exit;
use crate::args::GitDriverArgs;
use crate::diagnostics::Diagnostics;
use crate::diff;
use crate::git_file::{GitFile, without_name};
use crate::lfs_pointer::Pointer;
use crate::output;

/// How many digits of an object's hash are shown.
const HASH_DIGITS: usize = 7;

/// The mode of a symbolic link, whose file contains its target.
const LINK: &str = "120000";

/// Reports the changes of one file of a repository.
///
/// # Errors
/// When the arguments are not git's, or the report cannot be written.
pub(crate) fn run(args: &GitDriverArgs) -> Result<Exit, Diagnostics> {
    let request = Request::new(args)?;
    let options = diff::options(&args.what, false, &args.jobs)?;
    let report = request.compare(&options);
    let palette = output::palette_in_git(args.color);
    let looks = diff::report_options(palette, args.max_diffs, &args.text);
    let texts = match &report {
        FileReport::Diff(found) => {
            args.text.unified.map(|_| TextView::new(&found.diff, &found.old, &found.new))
        }
        _ => None,
    };
    let texts = texts.transpose()?;
    let write = |out: &mut dyn Write| {
        request.write(&report, texts.as_ref(), &mut Page { looks: &looks, out })
    };
    output::to_stdout(write)?;
    let differs = request.is_renamed() || request.is_other_mode() || report.is_different();
    Ok(if args.exit_code && differs { Exit::Different } else { Exit::Same })
}

/// The output, and the looks of reports in it.
struct Page<'o> {
    looks: &'o report::Options,
    out: &'o mut dyn Write,
}

/// The arguments of git.
#[derive(Debug)]
struct Request {
    path: PathBuf,
    new_path: Option<PathBuf>,
    /// For example `95%`.
    similarity: Option<String>,
    /// An unmerged path has neither side.
    old: Option<Side>,
    new: Option<Side>,
}

/// One side, as git describes it.
#[derive(Debug)]
struct Side {
    file: PathBuf,
    hex: String,
    mode: String,
}

/// The content of a report on a file, below its name.
#[derive(Debug)]
enum FileReport {
    /// The content is equal; only name and mode may differ.
    Equal,
    /// The path has a merge conflict.
    Unmerged,
    /// Both sides were compared.
    Diff(Box<Compared>),
    /// The file was added or deleted.
    OneSide(GitFile),
    /// The two sides cannot be compared.
    TwoSides(GitFile, GitFile),
    /// Symbolic links, by their targets.
    Links([Option<String>; 2]),
    /// An error, and no result.
    Failed(Error),
}

/// Two artifacts and their diff.
#[derive(Debug)]
struct Compared {
    old: Box<Artifact<'static>>,
    new: Box<Artifact<'static>>,
    diff: Diff,
}

impl FileReport {
    fn is_different(&self) -> bool {
        match self {
            Self::Equal => false,
            Self::Diff(found) => found.diff.verdict() != Verdict::Same,
            _ => true,
        }
    }
}

impl Side {
    /// `None` for a missing side.
    fn new([file, hex, mode]: [&OsString; 3]) -> Option<Self> {
        let text = |value: &OsStr| value.to_string_lossy().into_owned();
        let side = Self { file: file.into(), hex: text(hex), mode: text(mode) };
        (side.mode != "." && side.file != Path::new("/dev/null")).then_some(side)
    }

    /// The first digits of the object's hash.
    fn object(&self) -> &str {
        if self.hex.bytes().all(|digit| digit == b'0') {
            return "working tree";
        }
        self.hex.get(..HASH_DIGITS).unwrap_or(&self.hex)
    }
}

impl Request {
    fn new(args: &GitDriverArgs) -> Result<Self, Error> {
        let path = args.path.clone();
        let mut request = Self { path, new_path: None, similarity: None, old: None, new: None };
        let rest = match args.sides.as_slice() {
            [] => return Ok(request),
            [old, old_hex, old_mode, new, new_hex, new_mode, rest @ ..] => {
                request.old = Side::new([old, old_hex, old_mode]);
                request.new = Side::new([new, new_hex, new_mode]);
                rest
            }
            few => {
                let kind = format!("found {} arguments; git gives 7 or 9", few.len() + 1);
                return Err(ErrorKind::Usage(kind).into());
            }
        };
        request.new_path = rest.first().map(PathBuf::from).filter(|new| *new != request.path);
        request.similarity = rest.get(1).and_then(|header| {
            let header = header.to_string_lossy();
            let similar = header.lines().find_map(|line| line.strip_prefix("similarity index "));
            similar.map(|share| share.trim().to_owned())
        });
        Ok(request)
    }

    fn is_renamed(&self) -> bool {
        self.new_path.is_some()
    }

    fn is_other_mode(&self) -> bool {
        let sides = self.old.as_ref().zip(self.new.as_ref());
        sides.is_some_and(|(old, new)| old.mode != new.mode)
    }

    /// The name of the file on the new side.
    fn new_name(&self) -> &Path {
        self.new_path.as_ref().unwrap_or(&self.path)
    }

    fn compare(&self, options: &Options) -> FileReport {
        match (&self.old, &self.new) {
            (None, None) => FileReport::Unmerged,
            (Some(old), Some(new)) if old.hex == new.hex && old.object() != "working tree" => {
                FileReport::Equal
            }
            (old, new) if [old, new].iter().any(|s| s.as_ref().is_some_and(|s| s.mode == LINK)) => {
                let target = |side: &Option<Side>| {
                    let side = side.as_ref().filter(|side| side.mode == LINK)?;
                    fs::read(&side.file).ok().map(|to| String::from_utf8_lossy(&to).into_owned())
                };
                FileReport::Links([target(old), target(new)])
            }
            // A file of the working tree has no hash; perhaps only its mode changed.
            (Some(old), Some(new)) if have_same_content(&old.file, &new.file).unwrap_or(false) => {
                FileReport::Equal
            }
            (Some(old), Some(new)) => {
                let old = GitFile::read(&old.file, &self.path);
                let new = GitFile::read(&new.file, self.new_name());
                match (old, new) {
                    (Ok(old), Ok(new)) => self.compare_files(old, new, options),
                    (Err(error), _) | (_, Err(error)) => FileReport::Failed(error),
                }
            }
            (Some(side), None) | (None, Some(side)) => {
                match GitFile::read(&side.file, &self.path) {
                    Ok(file) => FileReport::OneSide(file),
                    Err(error) => FileReport::Failed(error),
                }
            }
        }
    }

    fn compare_files(&self, old: GitFile, new: GitFile, options: &Options) -> FileReport {
        let (old, new) = match (old, new) {
            (GitFile::Artifact(old), GitFile::Artifact(new)) => (old, new),
            (old, new) => return FileReport::TwoSides(old, new),
        };
        match diff(&old, &new, options, &Silent) {
            Ok(diff) => FileReport::Diff(Box::new(Compared { old, new, diff })),
            // For example, a graph replaced a checkpoint.
            Err(_) if old.kind() != new.kind() => {
                FileReport::TwoSides(GitFile::Artifact(old), GitFile::Artifact(new))
            }
            Err(error) => FileReport::Failed(error),
        }
    }

    fn write(
        &self,
        report: &FileReport,
        texts: Option<&TextView<'_>>,
        page: &mut Page<'_>,
    ) -> io::Result<()> {
        let is_quiet =
            matches!(report, FileReport::Equal) && !self.is_renamed() && !self.is_other_mode();
        if is_quiet {
            return Ok(());
        }
        let heading = page.looks.palette.heading;
        writeln!(page.out, "{heading}{}{heading:#}", self.title())?;
        match report {
            FileReport::Equal => {}
            FileReport::Unmerged => writeln!(page.out, "unmerged: its versions are in conflict")?,
            FileReport::Diff(found) => human(&Report::Diff(&found.diff, texts), page)?,
            FileReport::OneSide(file) => self.write_one(file, page)?,
            FileReport::TwoSides(old, new) => self.write_two(old, new, page)?,
            FileReport::Links(targets) => {
                for (what, target) in ["lhs", "rhs"].iter().zip(targets) {
                    if let Some(target) = target {
                        writeln!(page.out, "  {what}  symbolic link to {}", printable(target))?;
                    }
                }
            }
            FileReport::Failed(error) => self.write_error(error, page)?,
        }
        writeln!(page.out)
    }

    /// For example `model.ckpt.index (57c21e4 → 9a0b1c2)`.
    fn title(&self) -> String {
        let name = |path: &Path| printable(&path.display().to_string());
        let mut title = name(&self.path);
        if let Some(new) = &self.new_path {
            title += &format!(" → {}", name(new));
        }
        let mut facts = Vec::new();
        match (&self.old, &self.new) {
            (Some(old), Some(new)) if old.hex != new.hex => {
                facts.push(format!("{} → {}", old.object(), new.object()));
            }
            (Some(_), Some(_)) => {}
            (Some(old), None) => facts.push(format!("deleted, {}", old.object())),
            (None, Some(new)) => facts.push(format!("added, {}", new.object())),
            (None, None) => {}
        }
        facts.extend(self.similarity.as_ref().map(|share| format!("{share} similar")));
        if let (true, Some(old), Some(new)) = (self.is_other_mode(), &self.old, &self.new) {
            facts.push(format!("mode {} → {}", old.mode, new.mode));
        }
        if facts.is_empty() { title } else { format!("{title} ({})", facts.join(", ")) }
    }

    /// Writes the content of a file that was added or deleted.
    fn write_one(&self, file: &GitFile, page: &mut Page<'_>) -> io::Result<()> {
        match file {
            GitFile::Artifact(artifact) => show(artifact, page),
            GitFile::Pointer(pointer) => {
                writeln!(page.out, "{}", described(pointer))?;
                write_how_to_fetch(page)
            }
            GitFile::Shard(content) => writeln!(page.out, "binary shard: {}", bytes(content.bytes)),
            GitFile::Unreadable(error, _) => self.write_error(error, page),
        }
    }

    /// Describes two sides that cannot be compared.
    fn write_two(&self, old: &GitFile, new: &GitFile, page: &mut Page<'_>) -> io::Result<()> {
        if let (GitFile::Shard(old), GitFile::Shard(new)) = (old, new) {
            let (old, new) = (bytes(old.bytes), bytes(new.bytes));
            return writeln!(page.out, "binary shard: {old} → {new}; the index says what changed");
        }
        let mut all_readable = true;
        for (what, file) in [("lhs", old), ("rhs", new)] {
            if let GitFile::Unreadable(error, _) = file {
                all_readable = false;
                let name = if what == "lhs" { &self.path } else { self.new_name() };
                let bad = page.looks.palette.bad;
                let message = without_name(error, name);
                writeln!(page.out, "{bad}Error: {what} cannot be read: {message}{bad:#}")?;
            }
        }
        if !all_readable {
            writeln!(page.out)?;
        }
        for (what, file) in [("lhs", old), ("rhs", new)] {
            let description = match file {
                GitFile::Artifact(artifact) => format!("{} {}", artifact.kind(), artifact.format()),
                GitFile::Pointer(pointer) => described(pointer),
                GitFile::Shard(content) => format!("binary shard, {}", bytes(content.bytes)),
                GitFile::Unreadable(_, content) => format!("unreadable, {}", bytes(content.bytes)),
            };
            writeln!(page.out, "  {what}  {description}")?;
        }
        match (old, new) {
            (GitFile::Pointer(old), GitFile::Pointer(new)) if old.oid == new.oid => {
                writeln!(page.out, "\nBoth are pointers to the same file.")
            }
            (GitFile::Pointer(_), _) | (_, GitFile::Pointer(_)) => write_how_to_fetch(page),
            _ => Ok(()),
        }
    }

    fn write_error(&self, error: &Error, page: &mut Page<'_>) -> io::Result<()> {
        let bad = page.looks.palette.bad;
        let name = if self.old.is_some() { &self.path } else { self.new_name() };
        writeln!(page.out, "{bad}Error: {}{bad:#}", without_name(error, name))
    }
}

/// Writes a report for people, as git shows it.
fn human(report: &Report<'_>, page: &mut Page<'_>) -> io::Result<()> {
    report::write(report, Format::HUMAN, page.looks, page.out).map(drop)
}

/// Writes an artifact as `show` does, in no more rows than a diff.
fn show(artifact: &Artifact<'_>, page: &mut Page<'_>) -> io::Result<()> {
    match (artifact.checkpoint(), artifact.message()) {
        (Some(checkpoint), _) => {
            let listing = Listing::new(checkpoint, |_| true);
            human(&Report::Listing(&listing, None), page)
        }
        (None, Some(document)) => match Overview::new(document) {
            Ok(overview) => human(&Report::Overview(&overview), page),
            Err(error) => writeln!(page.out, "{}", without_name(&error, document.path())),
        },
        (None, None) => Ok(()),
    }
}

fn described(pointer: &Pointer) -> String {
    format!("Git LFS pointer, oid {}, {}", printable(&pointer.oid), bytes(pointer.size))
}

/// Writes how to fetch the file of a pointer.
fn write_how_to_fetch(page: &mut Page<'_>) -> io::Result<()> {
    let command = page.looks.palette.command;
    writeln!(
        page.out,
        "\nThe file itself is missing. {command}git lfs pull{command:#} fetches the files of the checkout, \
         {command}git lfs fetch --all{command:#} all files."
    )
}

/// For example `1,234 bytes`.
fn bytes(count: u64) -> String {
    plural(count, "byte")
}
