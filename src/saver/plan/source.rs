//! A checkpoint as the source of a restore: whether a requested tensor can be restored from it.

use std::cell::Cell;
use std::collections::BTreeMap;

use super::misfit::MisfitReason;
use super::restores::{RequestedTensor, RestoredVariable};
use crate::checkpoint::{Checkpoint, Entry, Partitioned};
use crate::graph::save_op::RESTORE_V2;
use crate::saver::ObjectKeys;
use crate::schema::tensorflow::saver_def::CheckpointFormatVersion;
use crate::tensor::{DType, Name, Shape, Slice, TensorSource, dims_text, slice_spec};

/// The types whose slices TensorFlow cuts and joins when it reads them from V2 checkpoints.
const SLICED: &[DType] = &[
    DType::F32,
    DType::F64,
    DType::I32,
    DType::U8,
    DType::I16,
    DType::I8,
    DType::Complex64,
    DType::I64,
    DType::Bool,
    DType::QI8,
    DType::QU8,
    DType::QI32,
    DType::BF16,
    DType::Complex128,
];

/// The number of stored slices that are looked at for requested ones; some seconds of work.
const STEPS: usize = 1 << 26;

/// The checkpoint that nodes restore from.
pub(crate) struct RestoreSource<'c> {
    checkpoint: &'c Checkpoint,
    /// The entries with non-UTF-8 names, by the lossy name, as nodes may have it.
    non_utf8: BTreeMap<String, &'c Entry>,
    /// Whether every op can restore any slice, as from V1 checkpoints.
    accepts_all: bool,
    /// The keys by requested name, if the names are those of objects.
    keys: Option<ObjectKeys>,
    /// The steps that are left for slices that are not stored as such; without any, they count as restorable.
    steps: Cell<usize>,
}

impl<'c> RestoreSource<'c> {
    pub(crate) fn new(checkpoint: &'c Checkpoint) -> Self {
        let non_utf8 = checkpoint.tensors().filter(|entry| entry.name.as_str().is_none());
        let non_utf8 = non_utf8
            .map(|entry| (String::from_utf8_lossy(entry.name.as_bytes()).into_owned(), entry));
        Self {
            checkpoint,
            non_utf8: non_utf8.collect(),
            accepts_all: checkpoint.format().version == Some(CheckpointFormatVersion::V1),
            keys: None,
            steps: Cell::new(STEPS),
        }
    }

    /// The same source for [`run`](crate::saver::run), which reads both formats and slices of any dtype.
    pub(super) fn for_run(self) -> Self {
        Self { accepts_all: true, ..self }
    }

    /// The same source for nodes that request `names`, which are keys, or names of variables in the object graph.
    ///
    /// TensorFlow looks up all names in the object graph if one of them is not a key. Here they are looked up there only if fewer are
    /// missing, so that a key missing from an object-based checkpoint is reported as such.
    pub(crate) fn for_names<'n>(
        &self,
        known: Option<&ObjectKeys>,
        names: impl Iterator<Item = &'n str>,
    ) -> Self {
        let (mut by_name, mut by_object) = (0, 0);
        for name in names {
            by_name += u64::from(self.entry(name).is_none());
            let is_known = |keys: &ObjectKeys| keys.get(&Name::from(name.as_bytes())).is_some();
            by_object += u64::from(!known.is_some_and(is_known));
        }
        let keys = known.filter(|_| by_object < by_name).cloned();
        Self { keys, non_utf8: self.non_utf8.clone(), steps: Cell::new(STEPS), ..*self }
    }

    /// The keys by requested name, if the names are those of objects.
    pub(crate) fn keys(&self) -> Option<&ObjectKeys> {
        self.keys.as_ref()
    }

    /// The key of the tensor that is requested as `name`.
    pub(crate) fn key(&self, name: &str) -> Option<&'c Name> {
        self.entry(name).map(|entry| &entry.name)
    }

    /// The names that can be requested: the keys, unless names are those of objects, and the names in the object graph.
    pub(crate) fn names<'n>(
        &'n self,
        objects: Option<&'n ObjectKeys>,
    ) -> impl Iterator<Item = &'n Name> {
        let keys = self.checkpoint.tensors().map(|entry| &entry.name);
        let objects = objects.into_iter().flat_map(|keys| keys.iter().map(|(name, _)| name));
        keys.filter(|_| self.keys.is_none()).chain(objects)
    }

    /// The entry that is requested as `key`.
    fn entry(&self, key: &str) -> Option<&'c Entry> {
        if let Some(keys) = &self.keys {
            return self.checkpoint.tensor(keys.get(&Name::from(key.as_bytes()))?);
        }
        let non_utf8 = || self.non_utf8.get(key).copied();
        self.checkpoint
            .tensor(key)
            .or_else(|| if key.contains('\u{fffd}') { non_utf8() } else { None })
    }

    /// The misfit of restoring `requested` by an op, and the variable it concerns, if it is one.
    pub(crate) fn misfit<'a>(
        &self,
        op: &str,
        requested: &'a RequestedTensor,
    ) -> Option<(MisfitReason, Option<&'a str>)> {
        if !self.accepts_all && op != RESTORE_V2.name {
            return Some((MisfitReason::Format { op: op.to_owned() }, None));
        }
        let Some(entry) = self.entry(&requested.key) else {
            return Some((MisfitReason::Missing { suggestion: None }, None));
        };
        // Damage is reported elsewhere; a slice can be there although the rest of its tensor is not.
        let source = entry.whole_or_slices().ok()?;
        if requested.dtype != 0 && requested.dtype != source.dtype().code() {
            let graph = DType::name_of(requested.dtype);
            return Some((MisfitReason::Dtype { graph, checkpoint: source.dtype() }, None));
        }
        let slice = match self.slice(source, requested) {
            Ok(slice) => slice,
            Err(misfit) => return Some((misfit, None)),
        };
        if let Some(slices) = &entry.slices
            && self.lacks(slices, slice.as_ref())
        {
            let spec = requested.slice.clone();
            let reason = "the checkpoint does not have all of it".to_owned();
            return Some((MisfitReason::Slice { spec, reason }, None));
        }
        let shape = slice.as_ref().map_or(source.shape(), Slice::shape);
        let misfit = |variable: &&RestoredVariable| !variable.accepts(shape);
        let variable = requested.variables.iter().find(misfit)?;
        let graph = dims_text(variable.shape.as_deref().unwrap_or_default());
        let is_refused = variable.refuses || variable.is_reshaped;
        Some((
            MisfitReason::Shape { graph, checkpoint: shape.clone(), is_refused },
            Some(&variable.variable),
        ))
    }

    /// Whether slices, which do not cover their tensor, lack some of the requested slice; `None` is the whole tensor.
    fn lacks(&self, slices: &Partitioned, requested: Option<&Slice>) -> bool {
        requested.is_none_or(|slice| {
            slices.slice(slice).is_none() && self.may_cover(slices) && !slices.covers(slice)
        })
    }

    /// Whether enough steps are left to find whether slices cover another one.
    fn may_cover(&self, slices: &Partitioned) -> bool {
        let left = self.steps.get().checked_sub(slices.count());
        self.steps.set(left.unwrap_or_default());
        left.is_some()
    }

    /// The requested slice; `None` for the whole tensor.
    fn slice(
        &self,
        source: &dyn TensorSource,
        requested: &RequestedTensor,
    ) -> Result<Option<Slice>, MisfitReason> {
        let wrong = |reason| MisfitReason::Slice { spec: requested.slice.clone(), reason };
        let wanted = match &*requested.slice {
            "" => None,
            spec => {
                let (shape, slice) = slice_spec::parse(spec).map_err(wrong)?;
                if shape != *source.shape() {
                    let (graph, checkpoint) = (shape.to_string(), source.shape().clone());
                    return Err(MisfitReason::Shape { graph, checkpoint, is_refused: true });
                }
                Some(slice)
            }
        };
        let dtype = source.dtype();
        if !self.accepts_all && !SLICED.contains(&dtype) && !is_stored(source, wanted.as_ref()) {
            return Err(wrong(match wanted {
                Some(_) => {
                    format!("TensorFlow cannot cut slices of {dtype}, and this one is not stored")
                }
                None => format!(
                    "TensorFlow cannot join slices of {dtype}, and no whole tensor is stored"
                ),
            }));
        }
        Ok(wanted)
    }
}

/// Whether a tensor is stored as the slice `wanted`, or whole.
fn is_stored(source: &dyn TensorSource, wanted: Option<&Slice>) -> bool {
    let stored = source.slices();
    match wanted {
        None => stored.is_empty(),
        Some(slice) if stored.is_empty() => slice.shape() == source.shape(),
        Some(slice) => stored.iter().any(|(stored, _)| *stored == slice),
    }
}

impl RestoredVariable {
    /// Whether the variable accepts a tensor of this shape.
    fn accepts(&self, found: &Shape) -> bool {
        let Some(shape) = &self.shape else { return true };
        if self.is_reshaped {
            let known: Option<Vec<u64>> = shape.iter().copied().collect();
            let elements =
                |dims: Vec<u64>| dims.iter().try_fold(1u64, |n, dim| n.checked_mul(*dim));
            return known.is_none_or(|dims| elements(dims) == Some(found.elements()));
        }
        found.is_compatible(shape)
    }
}
