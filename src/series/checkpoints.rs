//! The checkpoints of a series, from a directory or from the paths that a shell's glob expands to.

use std::collections::BTreeMap;
use std::ffi::OsStr;
use std::path::{Path, PathBuf};

use super::member::{Found, Member};
use super::order::{self, Order};
use super::step_tensor::step_values;
use crate::artifact::{Artifact, FileKind, Form, Sniffed, Unsupported};
use crate::checkpoint::{Checkpoint, CheckpointState};
use crate::error::{Error, Result};
use crate::files::{entries_of, resolved};
use crate::tensor::in_parallel;

/// The checkpoints of a series, in order.
///
/// ```
/// use ckdiff::series::Checkpoints;
///
/// // The files of one checkpoint count once, in any order.
/// let retrain = "tests/data/retrain";
/// let paths = ["retrained.ckpt.index", "baseline.ckpt.data-00000-of-00001", "baseline.ckpt.index"];
/// let paths = paths.map(|name| format!("{retrain}/{name}").into());
/// let checkpoints = Checkpoints::find(&paths, 0)?;
/// let steps: Vec<_> = checkpoints.members().iter().map(|member| member.step).collect();
/// assert_eq!(steps, [Some(10_000), Some(12_500)]);
/// # Ok::<(), ckdiff::Error>(())
/// ```
#[derive(Debug)]
pub struct Checkpoints {
    members: Vec<Member>,
    order: Order,
    ignored: Vec<Ignored>,
    states: Vec<CheckpointState>,
}

/// A path that is no part of the series.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Ignored {
    /// The path.
    pub path: PathBuf,
    /// Why it is not.
    pub why: String,
}

impl Checkpoints {
    /// Finds the checkpoints in one directory, or those that have the given files; reads their indexes and steps on `threads` threads
    /// (0 for one per core).
    ///
    /// A directory has the checkpoints that its state file lists, and all others in it; where these are fewer than two, also those in
    /// its subdirectories. A checkpoint that cannot be opened is a member with its error.
    ///
    /// # Errors
    /// If a directory cannot be listed, or there are fewer than two checkpoints.
    pub fn find(paths: &[PathBuf], threads: usize) -> Result<Self> {
        let mut gathered = Gathered::default();
        match paths {
            [only] if only.is_dir() => gathered.add_directory(only)?,
            paths => paths.iter().for_each(|path| gathered.add(path)),
        }
        let found: Vec<(PathBuf, Place)> = gathered.found.into_values().collect();
        let found = in_parallel(&found, threads, |(path, place)| scanned(path, place.listed));
        if found.len() < 2 {
            return Err(too_few(paths, found.first().map(|of| &*of.path)));
        }
        let (members, order) = order::sorted(found);
        gathered.ignored.sort();
        Ok(Self { members, order, ignored: gathered.ignored, states: gathered.states })
    }

    /// The checkpoints, in order.
    pub fn members(&self) -> &[Member] {
        &self.members
    }

    /// What decided the order.
    pub fn order(&self) -> Order {
        self.order
    }

    /// The paths that are no part of the series, and entries of the state file without a checkpoint.
    pub fn ignored(&self) -> &[Ignored] {
        &self.ignored
    }

    /// The state files that were read.
    #[doc(hidden)]
    pub fn states(&self) -> &[CheckpointState] {
        &self.states
    }
}

/// The error for a series of fewer than two checkpoints.
fn too_few(paths: &[PathBuf], found: Option<&Path>) -> Error {
    let place = match paths {
        [only] => only.clone(),
        _ => PathBuf::new(),
    };
    let found = found.map_or_else(|| "none".into(), |path| format!("one, {}", path.display()));
    let error = Error::usage(format!("a series needs two checkpoints or more, found {found}"));
    if place.as_os_str().is_empty() { error } else { error.in_file(&place) }
}

/// Opens a checkpoint to read its step.
fn scanned(path: &Path, listed: Option<usize>) -> Found {
    let found =
        Found { path: path.to_path_buf(), listed, values: Vec::new(), bytes: 0, error: None };
    let opened = Artifact::open(path);
    match opened.as_ref().map_err(Error::clone).and_then(|of| of.tensors("compared")) {
        Ok(opened) => Found { values: step_values(opened), bytes: opened.stored_bytes(), ..found },
        Err(error) => Found { error: Some(error), ..found },
    }
}

/// The place of a checkpoint in the state file.
#[derive(Debug, Clone, Copy, Default)]
struct Place {
    listed: Option<usize>,
}

/// What a path is to a series.
enum Part {
    /// A file of the checkpoint that this path opens, and what identifies it.
    Checkpoint { opens: PathBuf, identity: PathBuf },
    /// Nothing that is known, or that can be read; it may be a damaged checkpoint.
    Unknown,
    /// A file beside checkpoints: a meta graph, the state file.
    Sibling,
    /// A directory without a checkpoint of its own.
    Directory,
    /// Something else.
    Other(String),
}

impl Part {
    fn of(path: &Path) -> Self {
        let found = Sniffed::of_path(path);
        match found.kind() {
            FileKind::Checkpoint { format, located } => {
                let is_inside = located.parent() == Some(path);
                let marker = (format.marker)(located);
                Self::Checkpoint {
                    opens: if is_inside { path } else { located }.to_path_buf(),
                    identity: identity(marker.as_deref().unwrap_or(located)),
                }
            }
            FileKind::SavedModel(_) => {
                Self::Checkpoint { opens: path.to_path_buf(), identity: identity(path) }
            }
            FileKind::StateDirectory => match Checkpoint::open(path) {
                Ok(latest) => Self::of(latest.prefix()),
                Err(_) => Self::Unknown,
            },
            FileKind::Directory => Self::Directory,
            FileKind::Message(Form::Text | Form::Json) | FileKind::PlainText => {
                if found.is_state_file() { Self::Sibling } else { Self::Other("a text".into()) }
            }
            FileKind::Message(Form::Binary) => Self::of_binary(path),
            FileKind::Unsupported(kind) if *kind != Unsupported::LfsPointer => {
                Self::Other(kind.to_string())
            }
            _ => Self::Unknown,
        }
    }

    /// A binary file of no known kind. If its name is that of a checkpoint, it may be a damaged one.
    fn of_binary(path: &Path) -> Self {
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        match path.extension().and_then(OsStr::to_str).unwrap_or_default() {
            "meta" => Self::Sibling,
            _ if name.contains("tfevents") => Self::Other("events for TensorBoard".into()),
            "pb" => Self::Other("a graph".into()),
            _ if order::is_usual(path) => Self::Unknown,
            _ => Self::Other("a file of another kind".into()),
        }
    }
}

/// A path that is the same for every path of one file.
fn identity(path: &Path) -> PathBuf {
    path.canonicalize().unwrap_or_else(|_| resolved(path))
}

/// The checkpoints that some paths name, each once.
#[derive(Debug, Default)]
struct Gathered {
    /// By what identifies them, with the shortest path that opens them.
    found: BTreeMap<PathBuf, (PathBuf, Place)>,
    ignored: Vec<Ignored>,
    states: Vec<CheckpointState>,
}

impl Gathered {
    /// Adds what a path of the command line names.
    fn add(&mut self, path: &Path) {
        match Part::of(path) {
            Part::Checkpoint { opens, identity } => self.insert(opens, identity),
            Part::Sibling => {}
            Part::Unknown => self.insert(path.to_path_buf(), identity(path)),
            Part::Directory => self.ignore(path, "a directory without a checkpoint"),
            Part::Other(what) => self.ignore(path, &what),
        }
    }

    fn ignore(&mut self, path: &Path, why: &str) {
        self.ignored.push(Ignored { path: path.to_path_buf(), why: why.to_owned() });
    }

    fn insert(&mut self, opens: PathBuf, identity: PathBuf) {
        // Any order of the paths gives the same one.
        let key = |path: &Path| (path.as_os_str().len(), path.to_path_buf());
        let (known, _) =
            self.found.entry(identity).or_insert_with(|| (opens.clone(), Place::default()));
        if key(&opens) < key(known) {
            *known = opens;
        }
    }

    /// Adds the checkpoints in a directory. Its other files are no part of any series, so nothing is said of them.
    ///
    /// # Errors
    /// If it cannot be listed.
    fn add_directory(&mut self, directory: &Path) -> Result<()> {
        /// The fewest checkpoints that make the directory itself the place of the series.
        const FEW: usize = 2;
        let mut inside = Vec::new();
        for path in entries_of(directory)? {
            match Part::of(&path) {
                Part::Checkpoint { opens, identity } if path.is_dir() => {
                    inside.push((opens, identity));
                }
                Part::Checkpoint { opens, identity } => self.insert(opens, identity),
                Part::Unknown | Part::Sibling | Part::Directory | Part::Other(_) => {}
            }
        }
        self.add_listed(directory);
        if self.found.len() < FEW {
            inside.into_iter().for_each(|(opens, identity)| self.insert(opens, identity));
        }
        Ok(())
    }

    /// Adds the checkpoints that the state file of a directory lists, if it has one.
    fn add_listed(&mut self, directory: &Path) {
        let state = match CheckpointState::read(directory) {
            Ok(state) => state,
            Err(error) => {
                // A directory needs none.
                if let Some(file) = error.file().filter(|file| *file != directory) {
                    let why = error.clone().without_file().to_string();
                    self.ignored.push(Ignored { path: file.to_path_buf(), why });
                }
                return;
            }
        };
        let latest = std::iter::once(&state.model_checkpoint_path);
        let others = latest.filter(|latest| !state.all_model_checkpoint_paths.contains(latest));
        for (at, path) in state.all_model_checkpoint_paths.iter().chain(others).enumerate() {
            // The directory may have been moved.
            let moved = directory.join(path.file_name().unwrap_or_default());
            let found = [path, &moved].into_iter().find_map(|path| match Part::of(path) {
                Part::Checkpoint { opens, identity } => Some((opens, identity)),
                Part::Unknown if path.exists() => Some((path.clone(), identity(path))),
                _ => None,
            });
            let Some((opens, identity)) = found else {
                self.ignore(path, "the state file lists it, but it does not exist");
                continue;
            };
            self.insert(opens, identity.clone());
            if let Some((_, place)) = self.found.get_mut(&identity) {
                place.listed = Some(at);
            }
        }
        self.states.push(state);
    }
}
