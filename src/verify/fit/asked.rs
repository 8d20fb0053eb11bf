//! One tensor that a graph asks for, against what a checkpoint holds.

use std::collections::BTreeMap;

use super::misfit::Problem;
use super::restores::{Asked, Taker};
use crate::bytes::near;
use crate::checkpoint::{Checkpoint, Entry};
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
pub(super) struct Held<'c> {
    checkpoint: &'c Checkpoint,
    /// What stands under the names that are no text, as nodes are known to spell them.
    odd: BTreeMap<String, &'c Entry>,
    is_v1: bool,
}

impl<'c> Held<'c> {
    pub(super) fn new(checkpoint: &'c Checkpoint) -> Self {
        let odd = checkpoint.tensors().filter(|entry| entry.name.as_str().is_none());
        let odd =
            odd.map(|entry| (String::from_utf8_lossy(entry.name.as_bytes()).into_owned(), entry));
        Self { checkpoint, odd: odd.collect(), is_v1: checkpoint.format().name() == "V1" }
    }

    /// The tensor under a key.
    fn entry(&self, key: &str) -> Option<&'c Entry> {
        let odd = || self.odd.get(key).copied();
        self.checkpoint.tensor(key).or_else(|| if key.contains('\u{fffd}') { odd() } else { None })
    }

    /// What keeps `asked` from being restored by an op, and the variable that this depends on, where it does on one.
    pub(super) fn problem<'a>(
        &self,
        op: &str,
        asked: &'a Asked,
    ) -> Option<(Problem, Option<&'a str>)> {
        if !self.is_v1 && op != "RestoreV2" {
            return Some((Problem::Format { op: op.to_owned() }, None));
        }
        let Some(entry) = self.entry(&asked.key) else {
            return Some((Problem::Missing { near: None }, None));
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
        if !self.is_v1 && !SLICED.contains(&dtype) && !is_stored(source, wanted.as_ref()) {
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

/// The tensors that nothing restores: one of them may be what was meant.
pub(super) struct Near<'c> {
    left: Vec<&'c Name>,
    search: near::Search,
}

impl<'c> Near<'c> {
    pub(super) fn new(left: &[&'c Name]) -> Self {
        Self { left: left.to_vec(), search: near::Search::default() }
    }

    /// The name most like `key`, where there is time to look for it.
    pub(super) fn to(&mut self, key: &str) -> Option<Name> {
        let names = self.left.iter().map(|name| name.as_bytes());
        self.search.nearest(key.as_bytes(), names).map(Name::from)
    }
}
