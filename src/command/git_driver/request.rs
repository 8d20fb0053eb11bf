//! A request of git: the file, and its two sides.

use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};

use crate::error::Error;
use crate::report::human::printable;

use crate::command::args::GitDriverArgs;

/// How many digits of an object's hash are shown.
const HASH_DIGITS: usize = 7;

/// The mode of a symbolic link, whose file contains its target.
const LINK: &str = "120000";

/// The arguments of git.
#[derive(Debug)]
pub(super) struct DriverArguments {
    pub(super) path: PathBuf,
    new_path: Option<PathBuf>,
    /// For example `95%`.
    similarity: Option<String>,
    /// An unmerged path has neither side.
    pub(super) old: Option<Side>,
    pub(super) new: Option<Side>,
}

/// One side, as git describes it.
#[derive(Debug)]
pub(super) struct Side {
    pub(super) file: PathBuf,
    pub(super) hex: String,
    mode: String,
}

impl Side {
    /// `None` for a missing side.
    fn new([file, hex, mode]: [&OsString; 3]) -> Option<Self> {
        let text = |value: &OsStr| value.to_string_lossy().into_owned();
        let side = Self { file: file.into(), hex: text(hex), mode: text(mode) };
        (side.mode != "." && side.file != Path::new("/dev/null")).then_some(side)
    }

    /// Whether the file is a symbolic link, and contains its target.
    pub(super) fn is_link(&self) -> bool {
        self.mode == LINK
    }

    /// Whether the file is that of the working tree, which has no hash.
    pub(super) fn is_in_working_tree(&self) -> bool {
        self.hex.bytes().all(|digit| digit == b'0')
    }

    /// The first digits of the object's hash.
    fn object(&self) -> &str {
        if self.is_in_working_tree() {
            return "working tree";
        }
        self.hex.get(..HASH_DIGITS).unwrap_or(&self.hex)
    }
}

impl DriverArguments {
    pub(super) fn new(args: &GitDriverArgs) -> Result<Self, Error> {
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
                let why = format!("found {} arguments; git gives 7 or 9", few.len() + 1);
                return Err(Error::usage(why));
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

    pub(super) fn is_renamed(&self) -> bool {
        self.new_path.is_some()
    }

    pub(super) fn is_other_mode(&self) -> bool {
        let sides = self.old.as_ref().zip(self.new.as_ref());
        sides.is_some_and(|(old, new)| old.mode != new.mode)
    }

    /// The name of the file on the new side.
    pub(super) fn new_name(&self) -> &Path {
        self.new_path.as_ref().unwrap_or(&self.path)
    }

    /// For example `model.ckpt.index (57c21e4 → 9a0b1c2)`.
    pub(super) fn title(&self) -> String {
        let name = |path: &Path| printable(&path.display().to_string());
        let mut title = name(&self.path);
        if let Some(new) = &self.new_path {
            title += &format!(" → {}", name(new));
        }
        let objects = match (&self.old, &self.new) {
            (Some(old), Some(new)) if old.hex == new.hex => None,
            (Some(old), Some(new)) => Some(format!("{} → {}", old.object(), new.object())),
            (Some(old), None) => Some(format!("deleted, {}", old.object())),
            (None, Some(new)) => Some(format!("added, {}", new.object())),
            (None, None) => None,
        };
        let mut facts = Vec::from_iter(objects);
        facts.extend(self.similarity.as_ref().map(|share| format!("{share} similar")));
        if let (true, Some(old), Some(new)) = (self.is_other_mode(), &self.old, &self.new) {
            facts.push(format!("mode {} → {}", old.mode, new.mode));
        }
        if facts.is_empty() { title } else { format!("{title} ({})", facts.join(", ")) }
    }
}
