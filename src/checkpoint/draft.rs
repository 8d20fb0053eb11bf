//! What a checkpoint is to hold, before it is written.

use std::collections::BTreeMap;
use std::collections::btree_map::Entry as MapEntry;
use std::path::{Path, PathBuf};

use super::{Checkpoint, Format, Metadata, overlap, publish, state};
use crate::error::{Error, ErrorKind, Result};
use crate::files::{Complete, Existing};
use crate::progress::Progress;
use crate::tensor::{DType, Name, Shape, Slice, TensorSource};

/// Names and slices, and where their content comes from, in the order in which they are to be stored.
///
/// Nothing is read before it is written, and then it is read in pieces: a draft of any size takes little memory.
///
/// ```
/// use ckdiff::checkpoint::{Checkpoint, Draft, Existing, FORMATS};
/// use ckdiff::progress::Silent;
/// use ckdiff::tensor::{DType, Shape, Tensor};
///
/// let content: Vec<u8> = [1.0f32, 2.0].iter().flat_map(|x| x.to_le_bytes()).collect();
/// let weights = Tensor::new(DType::F32, Shape::new(&[2])?, content)?;
/// let mut draft = Draft::default();
/// draft.add("weights", &weights)?;
///
/// let folder = tempfile::tempdir().unwrap();
/// let path = folder.path().join("model.ckpt");
/// draft.write(&path, FORMATS[0], Existing::Refuse, &Silent)?;
/// assert_eq!(Checkpoint::open(&path)?.get_tensor("weights")?, weights);
/// # Ok::<(), ckdiff::Error>(())
/// ```
#[derive(Debug, Clone)]
pub struct Draft<'a> {
    shards: Vec<Shard<'a>>,
    tensors: BTreeMap<Name, Known>,
    metadata: Metadata,
}

/// One of no tensors, and of one shard.
impl Default for Draft<'_> {
    fn default() -> Self {
        Self { shards: vec![Vec::new()], tensors: BTreeMap::new(), metadata: Metadata::new() }
    }
}

/// What one file of content is to hold, in its order.
pub(super) type Shard<'a> = Vec<Piece<'a>>;

/// The number of shards.
///
/// # Errors
/// When file names have no room for it.
pub(super) fn count(shards: &[Shard<'_>]) -> Result<u32> {
    let allowed = format!("1 to {MOST_SHARDS} is allowed");
    let count = u32::try_from(shards.len()).ok().filter(|count| *count <= MOST_SHARDS);
    count.ok_or_else(|| Error::unexpected("number of shards", shards.len(), allowed))
}

/// A tensor, or a slice of one.
#[derive(Debug, Clone)]
pub(super) struct Piece<'a> {
    pub(super) name: Name,
    /// The shape of all of the tensor.
    pub(super) shape: Shape,
    /// `None` for all of it.
    pub(super) slice: Option<Slice>,
    pub(super) source: &'a dyn TensorSource,
    /// All of the tensor; `None` for a slice that was added without the others.
    pub(super) whole: Option<&'a dyn TensorSource>,
}

/// What was said of a tensor.
#[derive(Debug, Clone)]
struct Known {
    dtype: DType,
    shape: Shape,
    /// None where it was given whole.
    slices: Vec<Slice>,
}

impl<'a> Draft<'a> {
    /// What `checkpoint` holds, in its order, its slices and its shards.
    ///
    /// # Errors
    /// When it is damaged, or has no data.
    pub fn of(checkpoint: &'a Checkpoint) -> Result<Self> {
        Self::select(checkpoint, |name| Some(name.clone()))
    }

    /// As [`of`](Self::of), each tensor under the name that `rename` gives it; without those that it gives none.
    ///
    /// # Errors
    /// When the checkpoint or one of these tensors is damaged, there is no data, or two get one name.
    pub fn select(
        checkpoint: &'a Checkpoint,
        rename: impl Fn(&Name) -> Option<Name>,
    ) -> Result<Self> {
        if let Some(damage) = checkpoint.damage().first() {
            return Err(damage.clone());
        }
        if !checkpoint.has_data() {
            let kind = "there is an index without data; nothing can be saved".into();
            return Err(Error::from(ErrorKind::NotFound(kind)).in_file(checkpoint.path()));
        }
        let mut stored = Vec::new();
        for entry in checkpoint.tensors() {
            let Some(name) = rename(&entry.name) else { continue };
            let source = &**entry.source.as_ref().map_err(Error::clone)?;
            let parts = source.parts();
            if parts.is_empty() {
                stored.push((name, source, None, source));
            } else {
                let part = |(slice, part)| (name.clone(), source, Some(slice), part);
                stored.extend(parts.into_iter().map(part));
            }
        }
        // Empty tensors lie where the next one starts.
        stored.sort_by_cached_key(|(_, _, _, part)| (part.stored_at(), part.stored_bytes()));
        let mut draft = Self { metadata: checkpoint.metadata().to_vec(), ..Self::default() };
        let mut shard = 0;
        for (name, whole, slice, part) in stored {
            // Those that hold nothing too, since their number is in every name.
            for _ in shard..part.stored_at().0 {
                draft.next_shard();
            }
            shard = part.stored_at().0;
            match slice {
                None => draft.add(name, whole)?,
                Some(slice) => draft.add_part(name, whole.shape(), slice, part, Some(whole))?,
            }
        }
        Ok(draft)
    }

    /// Adds a tensor behind those there are.
    ///
    /// # Errors
    /// When the name is empty or taken, or elements of this type cannot be stored.
    pub fn add(&mut self, name: impl Into<Name>, source: &'a dyn TensorSource) -> Result<()> {
        let (name, shape) = (name.into(), source.shape().clone());
        check(&name, source)?;
        let known = Known { dtype: source.dtype(), shape: shape.clone(), slices: Vec::new() };
        match self.tensors.entry(name.clone()) {
            MapEntry::Occupied(_) => return Err(given_twice().of_tensor(&name)),
            MapEntry::Vacant(place) => place.insert(known),
        };
        self.push(Piece { name, shape, slice: None, source, whole: Some(source) });
        Ok(())
    }

    /// Adds a slice of a tensor of this shape. Others of it may follow, here or in a checkpoint that is merged with this one.
    ///
    /// # Errors
    /// As for [`add`](Self::add); also when other slices of it have another type or whole shape, or the source has not the
    /// shape of the slice.
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
            let allowed = format!("its box {slice} has {}", slice.shape());
            let error = Error::unexpected("shape of a slice", source.shape(), allowed);
            return Err(error.of_tensor(&name));
        }
        let dtype = source.dtype();
        match self.tensors.entry(name.clone()) {
            MapEntry::Vacant(place) => {
                let slices = vec![slice.clone()];
                place.insert(Known { dtype, shape: shape.clone(), slices });
            }
            MapEntry::Occupied(known) if known.get().slices.is_empty() => {
                return Err(given_twice().of_tensor(&name));
            }
            MapEntry::Occupied(mut known) => {
                let known = known.get_mut();
                if (known.dtype, &known.shape) != (dtype, shape) {
                    let found = format!("of {dtype} of shape {shape}");
                    let allowed = format!("others are of {} of {}", known.dtype, known.shape);
                    return Err(Error::unexpected("slice", found, allowed).of_tensor(&name));
                }
                known.slices.push(slice.clone());
            }
        }
        self.push(Piece { name, shape: shape.clone(), slice: Some(slice.clone()), source, whole });
        Ok(())
    }

    /// Begins another shard: what is added from here on goes into a file of its own.
    pub fn next_shard(&mut self) {
        self.shards.push(Vec::new());
    }

    /// Spreads what there is over `count` shards, in its order, so that they are of nearly one size.
    ///
    /// # Errors
    /// When `count` is 0, or more than file names count.
    pub fn reshard(&mut self, count: usize) -> Result<()> {
        if !(1..=MOST_SHARDS as usize).contains(&count) {
            let allowed = format!("1 to {MOST_SHARDS} is allowed");
            return Err(Error::unexpected("number of shards", count, allowed));
        }
        let pieces: Vec<_> = std::mem::take(&mut self.shards).into_iter().flatten().collect();
        let bytes = |piece: &Piece<'_>| u128::from(piece.source.stored_bytes());
        let total: u128 = pieces.iter().map(bytes).sum();
        self.shards = vec![Vec::new(); count];
        let (mut before, number) = (0, pieces.len());
        for (i, piece) in pieces.into_iter().enumerate() {
            // Where its middle lies among all bytes; of nothing but empty tensors, among all tensors.
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

    /// The pairs of texts beside the tensors; only formats that [keep](Format::keeps_metadata) them write them.
    pub fn metadata(&self) -> &[(String, String)] {
        &self.metadata
    }

    /// How many tensors there are; slices of one count once.
    pub fn len(&self) -> usize {
        self.tensors.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.tensors.is_empty()
    }

    /// Bytes of all content.
    pub fn content_bytes(&self) -> u64 {
        let pieces = self.shards.iter().flatten();
        pieces.fold(0, |n, piece| n.saturating_add(piece.source.stored_bytes()))
    }

    /// Writes a checkpoint whose files' names start with `path`, all of it or nothing, and returns what it is opened by: `path`,
    /// but of a V1 checkpoint of several shards `path-?????-of-00002`.
    ///
    /// A checkpoint that it replaces is called `path.ckdiff-previous` while the new one gets its name, since files of fixed names
    /// cannot be exchanged all at once; a state file that has it for the latest knows it by that name meanwhile. Nothing keeps two
    /// from writing to one path at a time.
    ///
    /// # Errors
    /// When something cannot be read or written, slices of a tensor overlap, or there is a checkpoint that may not be replaced.
    pub fn write(
        &self,
        path: &Path,
        format: &'static Format,
        existing: Existing,
        progress: &dyn Progress,
    ) -> Result<PathBuf> {
        self.write_beside(path, format, existing, &state::beside(path), progress)
    }

    /// As [`write`](Self::write), with a state file of another name.
    pub(crate) fn write_beside(
        &self,
        path: &Path,
        format: &'static Format,
        existing: Existing,
        state: &Path,
        progress: &dyn Progress,
    ) -> Result<PathBuf> {
        let opened = (format.writer()?.opened_by)(path, self.shards.len());
        publish::check_place(&opened, format, existing)?;
        let files = self.prepare(path, format, progress)?;
        publish::publish(&opened, existing, files, state)?;
        Ok(opened)
    }

    /// Writes the files, which only want their names then; the one that makes the others count is the last.
    pub(crate) fn prepare(
        &self,
        path: &Path,
        format: &'static Format,
        progress: &dyn Progress,
    ) -> Result<Vec<Complete>> {
        let writer = format.writer()?;
        for (name, known) in &self.tensors {
            overlap::check(&known.slices).map_err(|error| error.of_tensor(name))?;
        }
        progress.total(self.content_bytes());
        (writer.write)(&self.shards, &self.metadata, path, progress)
    }

    fn push(&mut self, piece: Piece<'a>) {
        // There is always one.
        if let Some(shard) = self.shards.last_mut() {
            shard.push(piece);
        }
    }
}

/// The most shards that file names count.
const MOST_SHARDS: u32 = 99_999;

fn check(name: &Name, source: &dyn TensorSource) -> Result<()> {
    if name.as_bytes().is_empty() {
        return Err(ErrorKind::Usage("a tensor without a name cannot be stored".into()).into());
    }
    if source.dtype() == DType::Resource {
        let kind = "a resource has no content that could be stored";
        return Err(Error::from(ErrorKind::Unsupported(kind.into())).of_tensor(name));
    }
    Ok(())
}

fn given_twice() -> Error {
    Error::unexpected("name", "given twice", "each tensor is stored once")
}
