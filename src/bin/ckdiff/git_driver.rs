//! `ckdiff git-driver`: what `git diff` shows of a file.
//!
//! ```text
//! PATH OLD-FILE OLD-HEX OLD-MODE NEW-FILE NEW-HEX NEW-MODE [NEW-PATH SIMILARITY]
//! ```
//! A side that is not there is `/dev/null . .`, a file of the working tree may have a hex of zeros, and a path that is not
//! merged comes alone. Source: git's documentation of `GIT_EXTERNAL_DIFF`. To git, any exit code but 0 is the end of its
//! own work, and 1 as well unless `diff.<driver>.trustExitCode` is set; so what cannot be read is told, and no more.

use std::ffi::{OsStr, OsString};
use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use ckdiff::artifact::Artifact;
use ckdiff::diff::{Diff, Options, TextView, Verdict, diff};
use ckdiff::progress::Silent;
use ckdiff::report::human::{self, View, printable};
use ckdiff::report::{Listing, Overview};
use ckdiff::{Error, ErrorKind};

use crate::Exit;
use crate::args::GitDriverArgs;
use crate::blob::{Blob, Content, same_bytes, without_name};
use crate::diff;
use crate::output;
use crate::pointer::Pointer;
use crate::trouble::Trouble;

/// Digits of an object's name that are shown.
const HEX: usize = 7;

/// The mode of a symbolic link, whose file holds where it points.
const LINK: &str = "120000";

/// Tells what changed in one file of a repository.
///
/// # Errors
/// When the arguments are not those of git, or the report cannot be written.
pub(crate) fn run(args: &GitDriverArgs) -> Result<Exit, Trouble> {
    let request = Request::new(args)?;
    let options = diff::options(&args.what, false, &args.jobs)?;
    let told = request.compare(&options);
    let view = View { palette: output::palette_in_git(args.color), max_diffs: args.max_diffs };
    let texts = match &told {
        Told::Diff(found) => {
            args.text.unified.map(|_| TextView::new(&found.diff, &found.old, &found.new))
        }
        _ => None,
    };
    let texts = texts.transpose()?;
    let texts = texts.as_ref().zip(args.text.unified);
    output::to_stdout(|out| request.write(&told, texts, &view, out))?;
    let differs = request.is_renamed() || request.is_other_mode() || told.is_different();
    Ok(if args.exit_code && differs { Exit::Different } else { Exit::Same })
}

/// What git asks.
#[derive(Debug)]
struct Request {
    path: PathBuf,
    new_path: Option<PathBuf>,
    /// As in `95%`.
    similarity: Option<String>,
    /// Neither of what is not merged.
    old: Option<Side>,
    new: Option<Side>,
}

/// A side as git tells of it.
#[derive(Debug)]
struct Side {
    file: PathBuf,
    hex: String,
    mode: String,
}

/// What is told of a file, below its name.
#[derive(Debug)]
enum Told {
    /// Nothing but its name and modes.
    Nothing,
    /// That there is a conflict.
    Unmerged,
    /// What differs.
    Diff(Box<Compared>),
    /// What came, or what is gone.
    One(Blob),
    /// What the two are, where they cannot be compared.
    Two(Blob, Blob),
    /// Links, by where they point.
    Links([Option<String>; 2]),
    /// Why nothing is known.
    Trouble(Error),
}

/// Two models, and what differs.
#[derive(Debug)]
struct Compared {
    old: Box<Artifact<'static>>,
    new: Box<Artifact<'static>>,
    diff: Diff,
}

impl Told {
    fn is_different(&self) -> bool {
        match self {
            Self::Nothing => false,
            Self::Diff(found) => found.diff.verdict() != Verdict::Same,
            _ => true,
        }
    }
}

impl Side {
    /// `None` for a side that is not there.
    fn new([file, hex, mode]: [&OsString; 3]) -> Option<Self> {
        let text = |value: &OsStr| value.to_string_lossy().into_owned();
        let side = Self { file: file.into(), hex: text(hex), mode: text(mode) };
        (side.mode != "." && side.file != Path::new("/dev/null")).then_some(side)
    }

    /// The object's name, cut short.
    fn object(&self) -> &str {
        if self.hex.bytes().all(|digit| digit == b'0') {
            return "working tree";
        }
        self.hex.get(..HEX).unwrap_or(&self.hex)
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
                let kind =
                    format!("{} arguments are no call of git, which has 7 or 9", few.len() + 1);
                return Err(ErrorKind::Usage(kind).into());
            }
        };
        request.new_path = rest.first().map(PathBuf::from).filter(|new| *new != request.path);
        request.similarity = rest.get(1).and_then(|said| {
            let said = said.to_string_lossy();
            let similar = said.lines().find_map(|line| line.strip_prefix("similarity index "));
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

    /// What the file is called on the other side.
    fn new_name(&self) -> &Path {
        self.new_path.as_ref().unwrap_or(&self.path)
    }

    fn compare(&self, options: &Options) -> Told {
        match (&self.old, &self.new) {
            (None, None) => Told::Unmerged,
            (Some(old), Some(new)) if old.hex == new.hex && old.object() != "working tree" => {
                Told::Nothing
            }
            (old, new) if [old, new].iter().any(|s| s.as_ref().is_some_and(|s| s.mode == LINK)) => {
                let target = |side: &Option<Side>| {
                    let side = side.as_ref().filter(|side| side.mode == LINK)?;
                    fs::read(&side.file).ok().map(|to| String::from_utf8_lossy(&to).into_owned())
                };
                Told::Links([target(old), target(new)])
            }
            // A file of the working tree has no hex; its mode may be all that is new.
            (Some(old), Some(new)) if same_bytes(&old.file, &new.file).unwrap_or(false) => {
                Told::Nothing
            }
            (Some(old), Some(new)) => {
                let old = Blob::read(&old.file, &self.path);
                let new = Blob::read(&new.file, self.new_name());
                match (old, new) {
                    (Ok(old), Ok(new)) => self.both(old, new, options),
                    (Err(error), _) | (_, Err(error)) => Told::Trouble(error),
                }
            }
            (Some(side), None) | (None, Some(side)) => match Blob::read(&side.file, &self.path) {
                Ok(blob) => Told::One(blob),
                Err(error) => Told::Trouble(error),
            },
        }
    }

    fn both(&self, old: Blob, new: Blob, options: &Options) -> Told {
        let (old, new) = match (old, new) {
            (Blob::Model(old), Blob::Model(new)) => (old, new),
            (old, new) => return Told::Two(old, new),
        };
        match diff(&old, &new, options, &Silent) {
            Ok(diff) => Told::Diff(Box::new(Compared { old, new, diff })),
            // Such as a graph where a checkpoint was.
            Err(_) if old.kind() != new.kind() => Told::Two(Blob::Model(old), Blob::Model(new)),
            Err(error) => Told::Trouble(error),
        }
    }

    fn write(
        &self,
        told: &Told,
        texts: Option<(&TextView<'_>, usize)>,
        view: &View,
        out: &mut dyn Write,
    ) -> io::Result<()> {
        let is_quiet = matches!(told, Told::Nothing) && !self.is_renamed() && !self.is_other_mode();
        if is_quiet {
            return Ok(());
        }
        let heading = view.palette.heading;
        writeln!(out, "{heading}{}{heading:#}", self.title())?;
        match told {
            Told::Nothing => {}
            Told::Unmerged => writeln!(out, "not merged yet: its versions are in conflict")?,
            Told::Diff(found) => diff::human(&found.diff, texts, view, out)?,
            Told::One(blob) => self.one(blob, view, out)?,
            Told::Two(old, new) => self.two(old, new, view, out)?,
            Told::Links(targets) => {
                for (what, target) in ["lhs", "rhs"].iter().zip(targets) {
                    if let Some(target) = target {
                        writeln!(out, "  {what}  symbolic link to {}", printable(target))?;
                    }
                }
            }
            Told::Trouble(error) => self.trouble(error, view, out)?,
        }
        writeln!(out)
    }

    /// As in `model.ckpt.index (57c21e4 → 9a0b1c2)`.
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

    /// Tells what is in a file that came, or is gone.
    fn one(&self, blob: &Blob, view: &View, out: &mut dyn Write) -> io::Result<()> {
        match blob {
            Blob::Model(artifact) => show(artifact, view, out),
            Blob::Pointer(pointer) => {
                writeln!(out, "{}", described(pointer))?;
                fetch(view, out)
            }
            Blob::Shard(content) => writeln!(out, "binary shard: {}", bytes(content)),
            Blob::Unread(error, _) => self.trouble(error, view, out),
        }
    }

    /// Tells what the two sides are, where they cannot be compared.
    fn two(&self, old: &Blob, new: &Blob, view: &View, out: &mut dyn Write) -> io::Result<()> {
        if let (Blob::Shard(old), Blob::Shard(new)) = (old, new) {
            let (old, new) = (bytes(old), bytes(new));
            return writeln!(out, "binary shard: {old} → {new}; the index tells what changed");
        }
        let mut is_sound = true;
        for (what, blob) in [("lhs", old), ("rhs", new)] {
            if let Blob::Unread(error, _) = blob {
                is_sound = false;
                let name = if what == "lhs" { &self.path } else { self.new_name() };
                let bad = view.palette.bad;
                let said = without_name(error, name);
                writeln!(out, "{bad}Trouble: {what} cannot be read: {said}{bad:#}")?;
            }
        }
        if !is_sound {
            writeln!(out)?;
        }
        for (what, blob) in [("lhs", old), ("rhs", new)] {
            let said = match blob {
                Blob::Model(artifact) => format!("{} {}", artifact.kind(), artifact.format()),
                Blob::Pointer(pointer) => described(pointer),
                Blob::Shard(content) => format!("binary shard, {}", bytes(content)),
                Blob::Unread(_, content) => format!("unreadable, {}", bytes(content)),
            };
            writeln!(out, "  {what}  {said}")?;
        }
        match (old, new) {
            (Blob::Pointer(old), Blob::Pointer(new)) if old.oid == new.oid => {
                writeln!(out, "\nBoth stand for the same file.")
            }
            (Blob::Pointer(_), _) | (_, Blob::Pointer(_)) => fetch(view, out),
            _ => Ok(()),
        }
    }

    fn trouble(&self, error: &Error, view: &View, out: &mut dyn Write) -> io::Result<()> {
        let bad = view.palette.bad;
        let name = if self.old.is_some() { &self.path } else { self.new_name() };
        writeln!(out, "{bad}Trouble: {}{bad:#}", without_name(error, name))
    }
}

/// As `show` has it, in no more rows than a diff has.
fn show(artifact: &Artifact<'_>, view: &View, out: &mut dyn Write) -> io::Result<()> {
    match (artifact.checkpoint(), artifact.message()) {
        (Some(checkpoint), _) => human::listing(&Listing::new(checkpoint, |_| true), view, out),
        (None, Some(document)) => match Overview::new(document) {
            Ok(overview) => human::overview(&overview, view, out).map(drop),
            Err(error) => writeln!(out, "{}", without_name(&error, document.path())),
        },
        (None, None) => Ok(()),
    }
}

fn described(pointer: &Pointer) -> String {
    let size = Content { bytes: pointer.size, sha256: String::new() };
    format!("Git LFS pointer, oid {}, {}", printable(&pointer.oid), bytes(&size))
}

/// Says how to get what a pointer stands for.
fn fetch(view: &View, out: &mut dyn Write) -> io::Result<()> {
    let command = view.palette.command;
    writeln!(
        out,
        "\nThe file itself is not here. {command}git lfs pull{command:#} fetches what is checked out, \
         {command}git lfs fetch --all{command:#} all."
    )
}

/// As in `1,234 bytes`.
fn bytes(content: &Content) -> String {
    let digits = content.bytes.to_string();
    let mut grouped = String::new();
    for (i, digit) in digits.chars().enumerate() {
        if i > 0 && (digits.len() - i).is_multiple_of(3) {
            grouped.push(',');
        }
        grouped.push(digit);
    }
    format!("{grouped} byte{}", if content.bytes == 1 { "" } else { "s" })
}
