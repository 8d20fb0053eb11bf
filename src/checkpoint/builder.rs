//! The tensors of a checkpoint that is to be written.

use std::collections::BTreeMap;
use std::collections::btree_map::Entry as MapEntry;
use std::path::{Path, PathBuf};

use super::{Checkpoint, Format, publish, state_file};
use crate::error::{Error, Result};
use crate::files::{CompleteFile, IfExists};
use crate::formats::{Metadata, Shard, StoredTensor, check_overlap, shard_count};
use crate::progress::Progress;
use crate::tensor::{DType, Name, Shape, Slice, TensorSource};

/// Tensors and slices with the sources of their content, in the order of the new checkpoint.
///
/// The content is read in chunks while it is written, so a builder of any size takes little memory.
///
/// ```
/// use ckdiff::checkpoint::{Checkpoint, CheckpointBuilder, IfExists, FORMATS};
/// use ckdiff::progress::Silent;
/// use ckdiff::tensor::{DType, Shape, Tensor};
///
/// let content: Vec<u8> = [1.0f32, 2.0].iter().flat_map(|x| x.to_le_bytes()).collect();
/// let weights = Tensor::new(DType::F32, Shape::new(&[2])?, content)?;
/// let mut builder = CheckpointBuilder::default();
/// builder.add("weights", &weights)?;
///
/// let directory = tempfile::tempdir().unwrap();
/// let path = directory.path().join("model.ckpt");
/// builder.write(&path, FORMATS[0], IfExists::Refuse, &Silent)?;
/// assert_eq!(Checkpoint::open(&path)?.get_tensor("weights")?, weights);
/// # Ok::<(), ckdiff::Error>(())
/// ```
#[derive(Debug, Clone)]
pub struct CheckpointBuilder<'a> {
    shards: Vec<Shard<'a>>,
    tensors: BTreeMap<Name, Known>,
    metadata: Metadata,
}

/// An empty builder with one shard.
impl Default for CheckpointBuilder<'_> {
    fn default() -> Self {
        Self { shards: vec![Vec::new()], tensors: BTreeMap::new(), metadata: Metadata::new() }
    }
}

/// A tensor that was added, whole or in slices.
#[derive(Debug, Clone)]
struct Known {
    dtype: DType,
    shape: Shape,
    /// Empty for a whole tensor.
    slices: Vec<Slice>,
}

impl<'a> CheckpointBuilder<'a> {
    /// Copies a checkpoint, with its order, slices and shards.
    ///
    /// # Errors
    /// If the checkpoint is damaged, or has no data.
    pub fn of(checkpoint: &'a Checkpoint) -> Result<Self> {
        Self::select(checkpoint, |name| Some(name.clone()))
    }

    /// As [`of`](Self::of), with each tensor under the name that `rename` returns. `None` leaves the tensor out.
    ///
    /// # Errors
    /// If the checkpoint or one of these tensors is damaged, it has no data, or two tensors get the same name.
    pub fn select(
        checkpoint: &'a Checkpoint,
        rename: impl Fn(&Name) -> Option<Name>,
    ) -> Result<Self> {
        if let Some(damage) = checkpoint.damage().first() {
            return Err(damage.clone());
        }
        if !checkpoint.has_data() {
            let kind = "the data files are missing; an index alone cannot be saved";
            return Err(Error::not_found(kind).in_file(checkpoint.path()));
        }
        let mut stored = Vec::new();
        for entry in checkpoint.tensors() {
            let Some(name) = rename(&entry.name) else { continue };
            let source = entry.whole_or_slices()?;
            // Slices that do not cover the tensor stay slices in any format.
            let whole = entry.source.is_ok().then_some(source);
            let parts = source.slices();
            if parts.is_empty() {
                stored.push((name, source, whole, None, source));
            } else {
                let part = |(slice, part)| (name.clone(), source, whole, Some(slice), part);
                stored.extend(parts.into_iter().map(part));
            }
        }
        // An empty tensor has the offset of the next one.
        stored.sort_by_cached_key(|(.., part)| (part.stored_at(), part.stored_bytes()));
        let mut builder = Self { metadata: checkpoint.metadata().to_vec(), ..Self::default() };
        let mut shard = 0;
        for (name, source, whole, slice, part) in stored {
            // Empty shards too, since their number is in every file name.
            for _ in shard..part.stored_at().0 {
                builder.next_shard();
            }
            shard = part.stored_at().0;
            match slice {
                None => builder.add(name, part)?,
                Some(slice) => builder.add_part(name, source.shape(), slice, part, whole)?,
            }
        }
        Ok(builder)
    }

    /// Adds a tensor after the others.
    ///
    /// # Errors
    /// If the name is empty or taken, or elements of this type cannot be stored.
    pub fn add(&mut self, name: impl Into<Name>, source: &'a dyn TensorSource) -> Result<()> {
        let (name, shape) = (name.into(), source.shape().clone());
        check(&name, source)?;
        let known = Known { dtype: source.dtype(), shape: shape.clone(), slices: Vec::new() };
        match self.tensors.entry(name.clone()) {
            MapEntry::Occupied(_) => {
                return Err(Error::duplicate("name", name.printable()).of_tensor(&name));
            }
            MapEntry::Vacant(place) => place.insert(known),
        };
        self.push(StoredTensor { name, shape, slice: None, source, whole: Some(source) });
        Ok(())
    }

    /// Adds a slice of a tensor of this shape. Other slices may follow, or be in a checkpoint that is merged with this one.
    ///
    /// # Errors
    /// As for [`add`](Self::add); also if other slices of the tensor have another dtype or whole shape, or the shape of the
    /// source is not that of the slice.
    pub fn add_slice(
        &mut self,
        name: impl Into<Name>,
        shape: &Shape,
        slice: &Slice,
        source: &'a dyn TensorSource,
    ) -> Result<()> {
        self.add_part(name.into(), shape, slice, source, None)
    }

    fn add_part(
        &mut self,
        name: Name,
        shape: &Shape,
        slice: &Slice,
        source: &'a dyn TensorSource,
        whole: Option<&'a dyn TensorSource>,
    ) -> Result<()> {
        check(&name, source)?;
        if source.shape() != slice.shape() {
            let expected = format!("{}, that of {slice}", slice.shape());
            let error = Error::unexpected("shape of a slice", source.shape(), expected);
            return Err(error.of_tensor(&name));
        }
        let dtype = source.dtype();
        match self.tensors.entry(name.clone()) {
            MapEntry::Vacant(place) => {
                let slices = vec![slice.clone()];
                place.insert(Known { dtype, shape: shape.clone(), slices });
            }
            MapEntry::Occupied(known) if known.get().slices.is_empty() => {
                return Err(Error::duplicate("name", name.printable()).of_tensor(&name));
            }
            MapEntry::Occupied(mut known) => {
                let known = known.get_mut();
                if (known.dtype, &known.shape) != (dtype, shape) {
                    let found = format!("{dtype} of shape {shape}");
                    let expected = format!(
                        "{} of shape {}, that of the other slices",
                        known.dtype, known.shape
                    );
                    return Err(Error::unexpected("slice", found, expected).of_tensor(&name));
                }
                known.slices.push(slice.clone());
            }
        }
        self.push(StoredTensor {
            name,
            shape: shape.clone(),
            slice: Some(slice.clone()),
            source,
            whole,
        });
        Ok(())
    }

    /// Begins another shard, which gets the tensors that are added from here on.
    pub fn next_shard(&mut self) {
        self.shards.push(Vec::new());
    }

    /// Distributes all tensors over `count` shards of similar size, in their order.
    ///
    /// # Errors
    /// If `count` is 0, or larger than file names allow.
    pub fn reshard(&mut self, count: usize) -> Result<()> {
        shard_count(count)?;
        let pieces: Vec<_> = std::mem::take(&mut self.shards).into_iter().flatten().collect();
        let bytes = |piece: &StoredTensor<'_>| u128::from(piece.source.stored_bytes());
        let total: u128 = pieces.iter().map(bytes).sum();
        self.shards = vec![Vec::new(); count];
        let (mut before, number) = (0, pieces.len());
        for (i, piece) in pieces.into_iter().enumerate() {
            // A tensor's middle byte determines its shard; if all tensors are empty, its position does.
            let middle = before + bytes(&piece) / 2;
            before += bytes(&piece);
            let share = if total == 0 { (i as u128, number as u128) } else { (middle, total) };
            let shard = usize::try_from(share.0 * count as u128 / share.1).unwrap_or(count);
            if let Some(shard) = self.shards.get_mut(shard.min(count - 1)) {
                shard.push(piece);
            }
        }
        Ok(())
    }

    /// The metadata; only some formats [keep](Format::keeps_metadata) it.
    pub fn metadata(&self) -> &[(String, String)] {
        &self.metadata
    }

    /// The number of tensors; the slices of a tensor count once.
    pub fn len(&self) -> usize {
        self.tensors.len()
    }

    /// Whether there are no tensors.
    pub fn is_empty(&self) -> bool {
        self.tensors.is_empty()
    }

    /// The size of all content in bytes.
    pub fn content_bytes(&self) -> u64 {
        let pieces = self.shards.iter().flatten();
        pieces.fold(0, |n, piece| n.saturating_add(piece.source.stored_bytes()))
    }

    /// Writes all files of a checkpoint or none, and returns the path that opens it: for most formats `path`, for a V1 checkpoint
    /// in several shards `path-?????-of-00002`.
    ///
    /// A checkpoint that is replaced is renamed to `path.ckdiff-previous` until the new one is in place, since several files
    /// cannot be exchanged at once. A state file whose latest checkpoint is replaced names the backup until then. Programs
    /// that write to one path at the same time take turns, and the second one finds the checkpoint of the first.
    ///
    /// # Errors
    /// If something cannot be read or written, slices of a tensor overlap, or an existing checkpoint may not be replaced.
    pub fn write(
        &self,
        path: &Path,
        format: &'static Format,
        existing: IfExists,
        progress: &dyn Progress,
    ) -> Result<PathBuf> {
        self.write_with_state(path, format, existing, &state_file::sibling_of(path), progress)
    }

    /// The path that opens the checkpoint `path` once it is written.
    pub(crate) fn open_path(&self, path: &Path, format: &Format) -> Result<PathBuf> {
        Ok((format.writer()?.open_path)(path, self.shards.len()))
    }

    /// As [`write`](Self::write), for a state file of another name.
    pub(crate) fn write_with_state(
        &self,
        path: &Path,
        format: &'static Format,
        existing: IfExists,
        state: &Path,
        progress: &dyn Progress,
    ) -> Result<PathBuf> {
        let opened = self.open_path(path, format)?;
        publish::check_target(&opened, format, existing)?;
        let files = self.prepare(path, format, progress)?;
        publish::publish(&opened, existing, files, state)?;
        Ok(opened)
    }

    /// Writes the files under temporary names. The marker comes last.
    pub(crate) fn prepare(
        &self,
        path: &Path,
        format: &'static Format,
        progress: &dyn Progress,
    ) -> Result<Vec<CompleteFile>> {
        let writer = format.writer()?;
        for (name, known) in &self.tensors {
            check_overlap(&known.slices).map_err(|error| error.of_tensor(name))?;
        }
        progress.total(self.content_bytes());
        (writer.write)(&self.shards, &self.metadata, path, progress)
    }

    fn push(&mut self, piece: StoredTensor<'a>) {
        // There is always a shard.
        if let Some(shard) = self.shards.last_mut() {
            shard.push(piece);
        }
    }
}

fn check(name: &Name, source: &dyn TensorSource) -> Result<()> {
    if name.as_bytes().is_empty() {
        return Err(Error::usage("a tensor without a name cannot be stored"));
    }
    if source.dtype() == DType::Resource {
        let kind = "a resource has no content that could be stored";
        return Err(Error::unsupported(kind).of_tensor(name));
    }
    Ok(())
}
