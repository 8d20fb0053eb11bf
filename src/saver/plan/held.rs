//! One tensor that a graph asks for, against what a checkpoint holds.

use std::collections::BTreeMap;

use super::problem::Problem;
use super::restores::{Asked, Taker};
use crate::checkpoint::{Checkpoint, Entry};
use crate::saver::ObjectKeys;
use crate::schema::tensorflow::saver_def::CheckpointFormatVersion;
use crate::tensor::{DType, Name, Shape, Slice, TensorSource, slice_spec};

/// The types of which TensorFlow cuts and joins slices of V2 checkpoints.
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

/// A checkpoint, as restore nodes see it.
pub(crate) struct Held<'c> {
    checkpoint: &'c Checkpoint,
    /// What stands under the names that are no text, as nodes are known to spell them.
    odd: BTreeMap<String, &'c Entry>,
    /// Whether every op reads it, in any slices, as all do of V1.
    takes_all: bool,
    /// The keys by the names that nodes ask for, where they are others.
    keys: Option<ObjectKeys>,
}

impl<'c> Held<'c> {
    pub(crate) fn new(checkpoint: &'c Checkpoint) -> Self {
        let odd = checkpoint.tensors().filter(|entry| entry.name.as_str().is_none());
        let odd =
            odd.map(|entry| (String::from_utf8_lossy(entry.name.as_bytes()).into_owned(), entry));
        Self {
            checkpoint,
            odd: odd.collect(),
            takes_all: checkpoint.format().version() == Some(CheckpointFormatVersion::V1),
            keys: None,
        }
    }

    /// As this one, for savers that are run here.
    pub(super) fn by_run(self) -> Self {
        Self { takes_all: true, ..self }
    }

    /// As this one, for nodes that ask for `names`: where these are no keys, what they were called when objects were saved.
    ///
    /// TensorFlow looks for all names in the object graph where one of them is no key. Here that is so only where less are missing
    /// there, so that a key that is missing from a checkpoint of objects is told as that.
    pub(crate) fn of_names<'n>(
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
        Self { keys, odd: self.odd.clone(), ..*self }
    }

    /// The keys by the names that nodes ask for, where they are others.
    pub(crate) fn keys(&self) -> Option<&ObjectKeys> {
        self.keys.as_ref()
    }

    /// The key that a tensor is under, by the name that is asked for.
    pub(crate) fn key(&self, name: &str) -> Option<&'c Name> {
        self.entry(name).map(|entry| &entry.name)
    }

    /// The names that could be asked for: keys, unless names stand for objects, and what the variables of objects were called.
    pub(crate) fn names<'n>(
        &'n self,
        objects: Option<&'n ObjectKeys>,
    ) -> impl Iterator<Item = &'n Name> {
        let keys = self.checkpoint.tensors().map(|entry| &entry.name);
        let objects = objects.into_iter().flat_map(|keys| keys.iter().map(|(name, _)| name));
        keys.filter(|_| self.keys.is_none()).chain(objects)
    }

    /// The tensor of a name.
    fn entry(&self, key: &str) -> Option<&'c Entry> {
        if let Some(keys) = &self.keys {
            return self.checkpoint.tensor(keys.get(&Name::from(key.as_bytes()))?);
        }
        let odd = || self.odd.get(key).copied();
        self.checkpoint.tensor(key).or_else(|| if key.contains('\u{fffd}') { odd() } else { None })
    }

    /// What keeps `asked` from being restored by an op, and the variable that this depends on, where it does on one.
    pub(crate) fn problem<'a>(
        &self,
        op: &str,
        asked: &'a Asked,
    ) -> Option<(Problem, Option<&'a str>)> {
        if !self.takes_all && op != "RestoreV2" {
            return Some((Problem::Format { op: op.to_owned() }, None));
        }
        let Some(entry) = self.entry(&asked.key) else {
            return Some((Problem::Missing { suggestion: None }, None));
        };
        // What is damaged is told as damage.
        let source = &**entry.source.as_ref().ok()?;
        if asked.dtype != 0 && asked.dtype != source.dtype().code() {
            let graph = dtype(asked.dtype);
            return Some((Problem::Dtype { graph, checkpoint: source.dtype() }, None));
        }
        let slice = match self.slice(source, asked) {
            Ok(slice) => slice,
            Err(problem) => return Some((problem, None)),
        };
        let shape = slice.as_ref().map_or(source.shape(), Slice::shape);
        let misfit = |taker: &&Taker| !taker.takes(shape);
        let taker = asked.takers.iter().find(misfit)?;
        let graph = dims(taker.shape.as_deref().unwrap_or_default());
        let is_refused = taker.refuses || taker.is_reshaped;
        Some((
            Problem::Shape { graph, checkpoint: shape.clone(), is_refused },
            Some(&taker.variable),
        ))
    }

    /// The slice that is asked for; `None` where that is all.
    fn slice(&self, source: &dyn TensorSource, asked: &Asked) -> Result<Option<Slice>, Problem> {
        let wrong = |reason| Problem::Slice { spec: asked.slice.clone(), reason };
        let wanted = match &*asked.slice {
            "" => None,
            spec => {
                let (shape, slice) = slice_spec::parse(spec).map_err(wrong)?;
                if shape != *source.shape() {
                    let (graph, checkpoint) = (shape.to_string(), source.shape().clone());
                    return Err(Problem::Shape { graph, checkpoint, is_refused: true });
                }
                Some(slice)
            }
        };
        let dtype = source.dtype();
        if !self.takes_all && !SLICED.contains(&dtype) && !is_stored(source, wanted.as_ref()) {
            let how = if wanted.is_some() { "cuts no slices" } else { "joins no slices" };
            return Err(wrong(format!(
                "TensorFlow {how} of {dtype}, and the checkpoint has others"
            )));
        }
        Ok(wanted)
    }
}

/// Whether a tensor is stored just as it is wanted.
fn is_stored(source: &dyn TensorSource, wanted: Option<&Slice>) -> bool {
    let stored = source.parts();
    match wanted {
        None => stored.is_empty(),
        Some(slice) if stored.is_empty() => slice.shape() == source.shape(),
        Some(slice) => stored.iter().any(|(stored, _)| *stored == slice),
    }
}

impl Taker {
    /// Whether it takes a tensor of this shape.
    fn takes(&self, found: &Shape) -> bool {
        let Some(shape) = &self.shape else { return true };
        if self.is_reshaped {
            let known: Option<Vec<u64>> = shape.iter().copied().collect();
            let elements =
                |dims: Vec<u64>| dims.iter().try_fold(1u64, |n, dim| n.checked_mul(*dim));
            return known.is_none_or(|dims| elements(dims) == Some(found.elements()));
        }
        let fits =
            |(wanted, found): (&Option<u64>, &u64)| wanted.is_none_or(|wanted| wanted == *found);
        shape.len() == found.rank() && shape.iter().zip(found.dims()).all(fits)
    }
}

/// `[?, 3]`.
fn dims(shape: &[Option<u64>]) -> String {
    let dim = |dim: &Option<u64>| dim.map_or_else(|| "?".into(), |dim| dim.to_string());
    format!("[{}]", shape.iter().map(dim).collect::<Vec<_>>().join(", "))
}

/// The name of a type; a number that is none of ours stays one.
fn dtype(code: i32) -> String {
    DType::from_code(code).map_or_else(|| format!("type {code}"), |dtype| dtype.to_string())
}
