//! An open checkpoint.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::management::{META_GRAPH_SUFFIX, meta_graph_filename};
use super::state::CheckpointState;
use super::state_file;
use crate::error::{Error, Result};
use crate::formats::shard_name::with_suffix;
use crate::formats::{Contents, Entry, FORMATS, Format, MEMORY};
use crate::limits::Limits;
use crate::probe::Probe;
use crate::schema::tensorflow::DataType;
use crate::schema::tensorflow::saver_def::CheckpointFormatVersion;
use crate::sniff::FileKind;
use crate::sniff::Sniffed;
use crate::suggestion;
use crate::tensor::{DType, Name, Shape, Tensor, TensorSource};

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
    pub(super) path: PathBuf,
    pub(super) format: &'static Format,
    pub(super) contents: Contents,
    pub(super) limits: Limits,
    pub(super) state: Option<CheckpointState>,
}

impl Checkpoint {
    /// The file with the meta graph, if it exists, even if it cannot be opened: `P.meta`.
    pub fn meta_graph(&self) -> Option<PathBuf> {
        self.find_meta_graph().map(|found| found.path().to_path_buf())
    }

    /// The file with the meta graph, and its kind.
    pub(crate) fn find_meta_graph(&self) -> Option<Sniffed> {
        let prefix = self.prefix();
        // The meta graph of `P-?????-of-00002` is `P.meta`.
        let own = with_suffix(prefix, &format!(".{META_GRAPH_SUFFIX}"));
        let mut paths = vec![own, meta_graph_filename(prefix, META_GRAPH_SUFFIX)];
        paths.dedup();
        let mut probes = paths.iter().map(|path| Probe::new(path));
        Some(Sniffed::of_probe(Arc::new(probes.find(Probe::exists)?)))
    }

    /// Opens the checkpoint that `path` names: the prefix `P` of a V2 checkpoint (or `P.index`, or one of its shards); the file
    /// of a V1 checkpoint, or for several shards `P-?????-of-00002` or one of them; a safetensors file, or the index of several
    /// or one of its shards. For a directory: the latest checkpoint of its state file, or its safetensors model.
    ///
    /// ```
    /// # use ckdiff::checkpoint::Checkpoint;
    /// let checkpoint = Checkpoint::open("tests/data/demo/model.ckpt")?;
    /// assert_eq!(checkpoint.format().to_string(), "V2");
    /// # Ok::<(), ckdiff::Error>(())
    /// ```
    /// # Errors
    /// If there is no checkpoint, or nothing of it can be read.
    pub fn open(path: impl AsRef<Path>) -> Result<Self> {
        Self::open_with(path, &Limits::default())
    }

    /// As [`open`](Self::open), within `limits`.
    ///
    /// # Errors
    /// As [`open`](Self::open); also if the checkpoint exceeds the limits.
    pub fn open_with(path: impl AsRef<Path>, limits: &Limits) -> Result<Self> {
        Self::of(Sniffed::of_path(path), limits)
    }

    /// A checkpoint of tensors in memory. Reports call it `path`, which need not exist.
    ///
    /// ```
    /// use ckdiff::artifact::Artifact;
    /// use ckdiff::checkpoint::Checkpoint;
    /// use ckdiff::diff::{DiffOptions, Verdict, diff};
    /// use ckdiff::progress::Silent;
    /// use ckdiff::tensor::{DType, Shape, Tensor, TensorSource};
    ///
    /// let v1 = Tensor::new(DType::F32, Shape::new(&[3])?, 1.5f32.to_le_bytes().repeat(3))?;
    /// let tensors = [("v1".into(), Box::new(v1) as Box<dyn TensorSource>)];
    /// let memory = Artifact::from(Checkpoint::in_memory("variables", tensors)?);
    /// let file = Artifact::open("tests/data/demo/model.ckpt")?;
    /// assert_eq!(diff(&file, &memory, &DiffOptions::default(), &Silent)?.verdict(), Verdict::Different);
    /// # Ok::<(), ckdiff::Error>(())
    /// ```
    /// # Errors
    /// If two tensors have one name.
    pub fn in_memory(
        path: impl Into<PathBuf>,
        tensors: impl IntoIterator<Item = (Name, Box<dyn TensorSource>)>,
    ) -> Result<Self> {
        let path = path.into();
        let entries = tensors.into_iter().map(|(name, source)| Entry::new(name, Ok(source)));
        let contents = Contents::in_memory(path.clone(), entries.collect())?;
        Ok(Self { path, format: &MEMORY, contents, limits: Limits::default(), state: None })
    }

    /// Whether it is in memory, and has no files.
    pub fn is_in_memory(&self) -> bool {
        std::ptr::eq(self.format, &MEMORY)
    }

    /// Opens a path whose file kind is known; for a directory with a state file, the latest checkpoint.
    pub(crate) fn of(found: Sniffed, limits: &Limits) -> Result<Self> {
        let state = match found.kind() {
            FileKind::StateDirectory => {
                let state = state_file::in_directory(found.path());
                Some(CheckpointState::of_probe(found.at(&state).probe())?)
            }
            _ => None,
        };
        let latest = state.as_ref().map(CheckpointState::find_latest).transpose()?;
        let found = latest.map_or(found, |latest| Sniffed::of_probe(Arc::new(latest)));
        let probe = found.probe();
        let (format, contents) = match found.kind() {
            FileKind::Checkpoint { format, located } => {
                (format, (format.read)(probe, located, limits)?)
            }
            FileKind::CheckpointFile(format) => {
                let contents = (format.read_file)(probe, limits);
                (format, contents.map_err(|error| error.in_file(found.path()))?)
            }
            _ => return Err(found.no_checkpoint()),
        };
        let (path, limits) = (found.path().to_path_buf(), limits.clone());
        Ok(Self { path, format, contents, limits, state })
    }

    /// Opens the checkpoint with exactly this prefix, as TensorFlow's restore ops do: `m.index` does not name the checkpoint `m`, and a shard
    /// of a V1 checkpoint is read alone.
    ///
    /// # Errors
    /// As [`open`](Self::open).
    pub(crate) fn open_prefix(path: &Path) -> Result<Self> {
        let limits = Limits::default();
        let is_there = |format: &&&'static Format| (format.marker)(path).is_some();
        let format = *FORMATS.iter().find(is_there).ok_or_else(|| {
            Error::not_found("there is no checkpoint with this prefix").in_file(path)
        })?;
        let probe = Probe::new(path);
        let is_v1_file =
            format.version == Some(CheckpointFormatVersion::V1) && probe.is_no_directory();
        let contents = if is_v1_file {
            (format.read_file)(&probe, &limits).map_err(|error| error.in_file(path))?
        } else {
            let located = (format.locate)(&probe).unwrap_or_else(|| path.to_path_buf());
            (format.read)(&probe, &located, &limits)?
        };
        Ok(Self { path: path.to_path_buf(), format, contents, limits, state: None })
    }

    /// The state file that named the checkpoint, if it was opened by its directory.
    pub fn state(&self) -> Option<&CheckpointState> {
        self.state.as_ref()
    }

    /// The path that it was opened by; for a directory, the path of its latest checkpoint.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// The path that names the whole checkpoint. For V2 it is the prefix, whichever file it was opened by.
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

    /// The files of the checkpoint.
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

    /// The tensors, sorted by name.
    pub fn tensors(&self) -> std::slice::Iter<'_, Entry> {
        self.contents.entries.iter()
    }

    /// The tensors, to replace how they are read.
    pub(super) fn tensors_mut(&mut self) -> std::slice::IterMut<'_, Entry> {
        self.contents.entries.iter_mut()
    }

    /// The tensor with this name.
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

    /// The metadata: pairs of texts such as `format` and `pt`. Not every format has any.
    pub fn metadata(&self) -> &[(String, String)] {
        &self.contents.metadata
    }

    /// Damage that does not belong to a single tensor. Names may be missing because of it.
    pub fn damage(&self) -> &[Error] {
        &self.contents.damage
    }

    /// Reads the parts that no tensor depends on, such as unused blocks of a V1 file. Returns their damage.
    pub fn scan(&self) -> Vec<Error> {
        (self.contents.scan)()
    }

    /// Whether the content of tensors can be read. An index without its shards has none.
    pub fn has_data(&self) -> bool {
        self.contents.has_data
    }

    /// The shapes of all tensors, as TensorFlow's `get_variable_to_shape_map`: also of those of which only some slices are stored, but not of
    /// damaged ones.
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
        self.known().map(|(name, source)| (name.clone(), source.shape().clone())).collect()
    }

    /// The dtypes of the tensors in [`shape_map`](Self::shape_map), as TensorFlow's `get_variable_to_dtype_map`.
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
        self.known().map(|(name, source)| (name.clone(), source.dtype())).collect()
    }

    /// Whether a tensor has this name, readable or not.
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

    /// Reads a whole tensor and verifies its checksums.
    ///
    /// ```
    /// # use ckdiff::checkpoint::Checkpoint;
    /// let checkpoint = Checkpoint::open("tests/data/demo/model.ckpt")?;
    /// assert_eq!(checkpoint.get_tensor("v1")?.elements::<f32>(), Some(vec![1.0, 1.0, 1.0]));
    /// # Ok::<(), ckdiff::Error>(())
    /// ```
    /// # Errors
    /// If no tensor has this name (the error suggests one), it cannot be read, or it exceeds the limits.
    pub fn get_tensor(&self, name: impl AsRef<[u8]>) -> Result<Tensor> {
        let name = name.as_ref();
        let entry = self.tensor(name).ok_or_else(|| self.no_such_tensor(name))?;
        let source = entry.source.as_ref().map_err(Error::clone)?;
        Tensor::read(&**source, &self.limits).map_err(|error| error.of_tensor(&entry.name))
    }

    /// Reads a tensor that is a string with a message, such as the object graph of TensorFlow 2; `None` if no tensor has this name.
    ///
    /// # Errors
    /// If it cannot be read, or exceeds the limits.
    pub(crate) fn get_message(&self, name: impl AsRef<[u8]>) -> Result<Option<Tensor>> {
        /// The length of the string, and checksums.
        const FRAME: u64 = 64;
        let Some(entry) = self.tensor(name) else { return Ok(None) };
        let tensor_bytes = self.limits.message_bytes.min(self.limits.tensor_bytes) + FRAME;
        let limits = Limits { tensor_bytes, ..self.limits.clone() };
        let read = entry.source.as_ref().map_err(Error::clone);
        let read = read.and_then(|source| Tensor::read(&**source, &limits));
        read.map(Some).map_err(|error| error.of_tensor(&entry.name))
    }

    /// A line per tensor, as TensorFlow's `debug_string`. A partitioned tensor has one line.
    ///
    /// ```
    /// # use ckdiff::checkpoint::Checkpoint;
    /// let checkpoint = Checkpoint::open("tests/data/demo/model.ckpt")?;
    /// assert_eq!(checkpoint.debug_string(), "v1 (DT_FLOAT) [3]\nv2 (DT_FLOAT) [5]\n");
    /// # Ok::<(), ckdiff::Error>(())
    /// ```
    pub fn debug_string(&self) -> String {
        let mut out = String::new();
        for (name, source) in self.known() {
            let dims: Vec<String> = source.shape().dims().iter().map(u64::to_string).collect();
            let dtype = DataType::try_from(source.dtype().code()).unwrap_or_default();
            out += &format!("{name} ({}) [{}]\n", dtype.as_str_name(), dims.join(","));
        }
        out
    }

    /// The tensors of known dtype and shape.
    fn known(&self) -> impl Iterator<Item = (&Name, &dyn TensorSource)> {
        self.tensors().filter_map(|entry| Some((&entry.name, entry.whole_or_slices().ok()?)))
    }

    fn no_such_tensor(&self, name: &[u8]) -> Error {
        let names = self.tensors().map(|entry| entry.name.as_bytes());
        let suggested = suggestion::closest(name, names, 1);
        let hint = match suggested.first() {
            Some(name) => format!("; did you mean {}?", Name::from(name).printable()),
            None => String::new(),
        };
        let kind = format!("the checkpoint has no tensor {}{hint}", Name::from(name).printable());
        Error::not_found(kind).in_file(&self.path)
    }
}
