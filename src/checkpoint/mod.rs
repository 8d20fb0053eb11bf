//! Checkpoints: names, and a [`TensorSource`] for each.
//!
//! A format is a row of [`FORMATS`]; everything else here is the same for all. Damage to one tensor is that
//! [`Entry`]'s, and the others can still be read; what cannot be said of a tensor is [`Checkpoint::damage`].

mod backup;
mod draft;
mod elements;
mod format;
mod framing;
mod management;
mod overlap;
mod partitioned;
mod probe;
mod publish;
mod runs;
mod shard_name;
mod shards;
mod slice_key;
mod state;
mod unread;
mod v1;
mod v2;
mod wire;

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::fmt;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::sync::Arc;

pub use draft::Draft;
pub use format::{FORMATS, Format, Role};
pub use management::{exists, meta_graph_filename, mtimes, remove};
pub(crate) use partitioned::{Part, Partitioned};
use probe::Probe;
pub(crate) use publish::{check_folder, publish as publish_files};
pub use shard_name::ShardName;
use shard_name::with_suffix;
pub(crate) use state::file_name as state_file_name;
pub use state::{CheckpointState, StateOptions};
pub(crate) use unread::foreign;
pub(crate) use v2::{MergedPart, prepare_merge};
pub use v2::{Parts, merge};

use crate::bytes::{Limits, suggestion};
use crate::error::{Error, ErrorKind, Result};
pub use crate::files::Existing;
use crate::table::Table;
use crate::tensor::{DType, Name, Shape, Tensor, TensorSource};

/// What a format reads.
struct Contents {
    /// The path that names the whole checkpoint, without what one file's name adds.
    prefix: PathBuf,
    files: Vec<PathBuf>,
    /// Sorted by name, each name once.
    entries: Vec<Entry>,
    damage: Vec<Error>,
    has_data: bool,
    /// Tables that opening has not read in full.
    tables: Vec<(PathBuf, Arc<Table>)>,
}

/// A name in a checkpoint, and what stands under it.
#[derive(Debug)]
pub struct Entry {
    /// The tensor's name.
    pub name: Name,
    /// The tensor, or why nothing can be said of it.
    pub source: Result<Box<dyn TensorSource>>,
}

/// An open checkpoint.
///
/// ```
/// use ckdiff::checkpoint::Checkpoint;
///
/// let checkpoint = Checkpoint::open("tests/data/demo/model.ckpt")?;
/// for entry in checkpoint.tensors() {
///     let source = entry.source.as_ref().map_err(Clone::clone)?;
///     println!("{} is {} of shape {}", entry.name, source.dtype(), source.shape());
/// }
/// # Ok::<(), ckdiff::Error>(())
/// ```
#[derive(Debug)]
pub struct Checkpoint {
    path: PathBuf,
    format: &'static Format,
    contents: Contents,
    limits: Limits,
}

impl fmt::Debug for Contents {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} entries of {:?}, damage {:?}", self.entries.len(), self.files, self.damage)
    }
}

impl Checkpoint {
    /// The file beside it that holds its meta graph, where there is one: `P.meta`.
    pub fn meta_graph(&self) -> Option<PathBuf> {
        let prefix = self.prefix();
        // The meta graph of `P-?????-of-00002` is `P.meta`.
        let names = [with_suffix(prefix, ".meta"), meta_graph_filename(prefix, "meta")];
        names.into_iter().find(|name| name.is_file())
    }

    /// Opens the checkpoint that `path` names: the prefix `P` of a V2 checkpoint (or `P.index`, or a file of its
    /// data), the file of a V1 checkpoint, or of a sharded one `P-?????-of-00002` or any of its files; of a directory,
    /// the latest that its state file names.
    ///
    /// ```
    /// # use ckdiff::checkpoint::Checkpoint;
    /// let checkpoint = Checkpoint::open("tests/data/demo/model.ckpt")?;
    /// assert_eq!(checkpoint.format().to_string(), "V2");
    /// # Ok::<(), ckdiff::Error>(())
    /// ```
    /// # Errors
    /// When there is none, or nothing of it can be read.
    pub fn open(path: impl AsRef<Path>) -> Result<Self> {
        Self::open_with(path, &Limits::default())
    }

    /// As [`open`](Self::open), with limits of one's own.
    ///
    /// # Errors
    /// When there is none, nothing of it can be read, or it passes the limits.
    pub fn open_with(path: impl AsRef<Path>, limits: &Limits) -> Result<Self> {
        let path = latest(path.as_ref())?;
        let probe = Probe::new(&path);
        if let Some((format, located)) = format::locate(&probe) {
            let contents = (format.read)(&probe, &located, limits)?;
            return Ok(Self { path: path.into_owned(), format, contents, limits: limits.clone() });
        }
        if let Some(known) = unread::known(&path) {
            return Err(known);
        }
        if probe.exists() && !probe.is_directory() {
            probe.open()?;
        }
        Err(unread::nothing(&path))
    }

    /// Reads the one file at `path`, whatever lies beside it: a V1 file, or the index of a V2 checkpoint, whose data is
    /// not looked for. Errors and reports call it `name`, which also tells what it is where its content does not.
    ///
    /// ```
    /// # use ckdiff::checkpoint::Checkpoint;
    /// let file = "tests/data/demo/model.ckpt.index";
    /// let checkpoint = Checkpoint::open_file(file, "model.ckpt.index")?.expect("an index is one");
    /// assert!(!checkpoint.has_data());
    /// # Ok::<(), ckdiff::Error>(())
    /// ```
    /// # Errors
    /// When it cannot be read. `None` when it is no file of a checkpoint.
    pub fn open_file(path: impl AsRef<Path>, name: impl AsRef<Path>) -> Result<Option<Self>> {
        let (name, limits) = (name.as_ref(), Limits::default());
        let probe = Probe::named(path.as_ref(), name);
        probe.open()?;
        let is_readable = |format: &&&Format| (format.role)(&probe) == Some(Role::Readable);
        let Some(format) = FORMATS.iter().find(is_readable) else { return Ok(None) };
        let contents = (format.read_file)(&probe, &limits).map_err(|e| e.in_file(name))?;
        Ok(Some(Self { path: name.to_path_buf(), format, contents, limits }))
    }

    /// The path it was opened by; of a directory, that of the latest checkpoint in it.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// The path that names the whole checkpoint: for V2 its prefix, by whichever of its files it was opened.
    ///
    /// ```
    /// # use ckdiff::checkpoint::Checkpoint;
    /// # use std::path::Path;
    /// let checkpoint = Checkpoint::open("tests/data/demo/model.ckpt.index")?;
    /// assert_eq!(checkpoint.prefix(), Path::new("tests/data/demo/model.ckpt"));
    /// # Ok::<(), ckdiff::Error>(())
    /// ```
    pub fn prefix(&self) -> &Path {
        &self.contents.prefix
    }

    /// The format.
    pub fn format(&self) -> &'static Format {
        self.format
    }

    /// The files that make it up.
    ///
    /// ```
    /// # use ckdiff::checkpoint::Checkpoint;
    /// let checkpoint = Checkpoint::open("tests/data/demo/model.ckpt")?;
    /// assert_eq!(checkpoint.files().len(), 2);
    /// # Ok::<(), ckdiff::Error>(())
    /// ```
    pub fn files(&self) -> &[PathBuf] {
        &self.contents.files
    }

    /// Every tensor, sorted by name.
    pub fn tensors(&self) -> std::slice::Iter<'_, Entry> {
        self.contents.entries.iter()
    }

    /// The tensor of this name.
    ///
    /// ```
    /// # use ckdiff::checkpoint::Checkpoint;
    /// let checkpoint = Checkpoint::open("tests/data/demo/model.ckpt")?;
    /// assert!(checkpoint.tensor("v1").is_some_and(|entry| entry.source.is_ok()));
    /// # Ok::<(), ckdiff::Error>(())
    /// ```
    pub fn tensor(&self, name: impl AsRef<[u8]>) -> Option<&Entry> {
        let entries = &self.contents.entries;
        let by_name = |entry: &Entry| entry.name.as_bytes().cmp(name.as_ref());
        entries.binary_search_by(by_name).ok().and_then(|i| entries.get(i))
    }

    /// What is damaged in the checkpoint itself, so that names may be missing.
    pub fn damage(&self) -> &[Error] {
        &self.contents.damage
    }

    /// Reads all that opening leaves unread and no tensor may need, such as every block of a V1 file; returns what is
    /// damaged there.
    pub fn scan(&self) -> Vec<Error> {
        let scan = |(path, table): &(PathBuf, Arc<Table>)| {
            let damage = table.scan(&mut |_, _| ControlFlow::Continue(()));
            damage.into_iter().map(|error| error.in_file(path)).collect::<Vec<_>>()
        };
        self.contents.tables.iter().flat_map(scan).collect()
    }

    /// Whether there is content to read: not when the path is a V2 index that stands alone.
    pub fn has_data(&self) -> bool {
        self.contents.has_data
    }

    /// The shape of each tensor that can be read, as TensorFlow's `get_variable_to_shape_map`.
    ///
    /// ```
    /// # use ckdiff::checkpoint::Checkpoint;
    /// use ckdiff::tensor::Name;
    ///
    /// let shapes = Checkpoint::open("tests/data/demo/model.ckpt")?.shape_map();
    /// assert_eq!(shapes[&Name::from("v1")].dims(), [3]);
    /// # Ok::<(), ckdiff::Error>(())
    /// ```
    pub fn shape_map(&self) -> BTreeMap<Name, Shape> {
        self.readable().map(|(name, source)| (name.clone(), source.shape().clone())).collect()
    }

    /// The type of each tensor that can be read, as TensorFlow's `get_variable_to_dtype_map`.
    ///
    /// ```
    /// # use ckdiff::checkpoint::Checkpoint;
    /// use ckdiff::tensor::{DType, Name};
    ///
    /// let dtypes = Checkpoint::open("tests/data/demo/model.ckpt")?.dtype_map();
    /// assert_eq!(dtypes[&Name::from("v2")], DType::F32);
    /// # Ok::<(), ckdiff::Error>(())
    /// ```
    pub fn dtype_map(&self) -> BTreeMap<Name, DType> {
        self.readable().map(|(name, source)| (name.clone(), source.dtype())).collect()
    }

    /// Whether there is a tensor of this name, readable or not.
    ///
    /// ```
    /// # use ckdiff::checkpoint::Checkpoint;
    /// let checkpoint = Checkpoint::open("tests/data/demo/model.ckpt")?;
    /// assert!(checkpoint.has_tensor("v1") && !checkpoint.has_tensor("v3"));
    /// # Ok::<(), ckdiff::Error>(())
    /// ```
    pub fn has_tensor(&self, name: impl AsRef<[u8]>) -> bool {
        self.tensor(name).is_some()
    }

    /// The whole tensor of this name, its checksums verified.
    ///
    /// ```
    /// # use ckdiff::checkpoint::Checkpoint;
    /// let checkpoint = Checkpoint::open("tests/data/demo/model.ckpt")?;
    /// assert_eq!(checkpoint.get_tensor("v1")?.elements::<f32>(), Some(vec![1.0, 1.0, 1.0]));
    /// # Ok::<(), ckdiff::Error>(())
    /// ```
    /// # Errors
    /// When there is none of this name (the error names near ones), it cannot be read, or it is larger than the limits
    /// allow.
    pub fn get_tensor(&self, name: impl AsRef<[u8]>) -> Result<Tensor> {
        let name = name.as_ref();
        let entry = self.tensor(name).ok_or_else(|| self.no_such_tensor(name))?;
        let source = entry.source.as_ref().map_err(Error::clone)?;
        Tensor::read(&**source, &self.limits).map_err(|error| error.of_tensor(&entry.name))
    }

    /// A line per tensor, as TensorFlow's `debug_string`; a partitioned one is one tensor.
    ///
    /// ```
    /// # use ckdiff::checkpoint::Checkpoint;
    /// let checkpoint = Checkpoint::open("tests/data/demo/model.ckpt")?;
    /// assert_eq!(checkpoint.debug_string(), "v1 (DT_FLOAT) [3]\nv2 (DT_FLOAT) [5]\n");
    /// # Ok::<(), ckdiff::Error>(())
    /// ```
    pub fn debug_string(&self) -> String {
        let mut out = String::new();
        for (name, source) in self.readable() {
            let dims: Vec<String> = source.shape().dims().iter().map(u64::to_string).collect();
            let dtype = match source.dtype() {
                DType::F16 => "HALF".into(),
                DType::F32 => "FLOAT".into(),
                DType::F64 => "DOUBLE".into(),
                other => other.name().to_uppercase(),
            };
            out += &format!("{name} (DT_{dtype}) [{}]\n", dims.join(","));
        }
        out
    }

    fn readable(&self) -> impl Iterator<Item = (&Name, &dyn TensorSource)> {
        self.tensors().filter_map(|entry| Some((&entry.name, &**entry.source.as_ref().ok()?)))
    }

    fn no_such_tensor(&self, name: &[u8]) -> Error {
        let names = self.tensors().map(|entry| entry.name.as_bytes());
        let near = suggestion::closest(name, names, 1);
        let hint = match near.first() {
            Some(near) => format!("; did you mean {}?", Name::from(near).printable()),
            None => String::new(),
        };
        let kind = format!("there is no tensor {}{hint}", Name::from(name).printable());
        Error::from(ErrorKind::NotFound(kind)).in_file(&self.path)
    }
}

/// The path itself; for a directory with a state file, the latest checkpoint.
fn latest(path: &Path) -> Result<Cow<'_, Path>> {
    let probe = Probe::new(path);
    if !probe.is_directory()
        || format::locate(&probe).is_some()
        || unread::known(path).is_some()
        || !state::is_in(path)
    {
        return Ok(Cow::Borrowed(path));
    }
    CheckpointState::read(path)?.latest().map(Cow::Owned)
}

/// Whether the file at `path` belongs to a checkpoint.
pub(crate) fn is_file_of_one(path: &Path) -> bool {
    let probe = Probe::new(path);
    probe.is_table() || FORMATS.iter().any(|format| (format.role)(&probe) == Some(Role::Content))
}
