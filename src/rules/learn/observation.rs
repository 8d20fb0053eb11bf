//! What one pair of good runs tells about each tensor: a number per gate.

use crate::artifact::ArtifactSummary;
use crate::compare::Sides;
use crate::diff::{Change, Diff, Status, TensorDiff, TensorRole, Weight};
use crate::error::{Error, Result};
use crate::rules::gate::{Gate, Scale};
use crate::rules::measured::Measured;
use crate::tensor::Name;

/// The gates that can be learned. The others follow from these, or have no spread to learn from.
pub(super) const GATES: [Gate; 9] = [
    Gate::RelL2,
    Gate::MaxAbs,
    Gate::Norm,
    Gate::Std,
    Gate::Mean,
    Gate::Ks,
    Gate::Zeros,
    Gate::AbsP50,
    Gate::AbsP99,
];

/// A pair of runs, reduced to what [`learn`](super::learn()) needs of it.
#[derive(Debug, Clone)]
pub struct Observed {
    /// The tensors by name.
    pub(super) tensors: Vec<ObservedTensor>,
    /// Whether the graph, and whether a signature, changed.
    pub(super) graph_changed: bool,
    pub(super) signature_changed: bool,
    pub(super) has_graph: bool,
}

/// A tensor in one pair of runs.
#[derive(Debug, Clone)]
pub(super) struct ObservedTensor {
    pub(super) name: Name,
    pub(super) role: Option<TensorRole>,
    pub(super) elements: u64,
    pub(super) has_changed: bool,
    /// For each of [`GATES`], how far the pair is from equality; `None` where the tensor has no such statistic.
    pub(super) distances: [Option<f64>; GATES.len()],
}

impl Observed {
    /// The observations of a comparison that has the histograms of values.
    ///
    /// # Errors
    /// If the two sides are not runs of one model, a tensor has NaN or infinities, or something could not be read.
    pub fn new(diff: &Diff) -> Result<Self> {
        if let Some(error) = diff.errors().next() {
            return Err(error.clone());
        }
        let tensors = diff.tensors.iter().map(|tensor| observe(tensor, diff));
        let is_semantic = |change: &&Change| change.weight == Weight::Semantic;
        let semantic = diff.changes.iter().filter(is_semantic);
        let (of_signatures, others): (Vec<_>, Vec<_>) =
            semantic.partition(|change| change.is_of_signature());
        let with_graphs = others.iter().any(|change| !change.signatures().is_empty());
        Ok(Self {
            tensors: tensors.collect::<Result<_>>()?,
            graph_changed: !others.is_empty(),
            signature_changed: !of_signatures.is_empty() || with_graphs,
            has_graph: diff.coverage.has_graph(),
        })
    }
}

fn observe(tensor: &TensorDiff, diff: &Diff) -> Result<ObservedTensor> {
    let refuse = |side: &ArtifactSummary, why: String| {
        Err(Error::usage(why).of_tensor(&tensor.name).in_file(&side.path))
    };
    let other = |side: &ArtifactSummary| side.path.display().to_string();
    match tensor.status {
        Status::Added => {
            let why = format!("{} lacks it: the runs are of different models", other(&diff.lhs));
            return refuse(&diff.rhs, why);
        }
        Status::Removed => {
            let why = format!("{} lacks it: the runs are of different models", other(&diff.rhs));
            return refuse(&diff.lhs, why);
        }
        Status::Shape | Status::Dtype => {
            let [lhs, rhs] = [&tensor.lhs, &tensor.rhs].map(|facts| {
                facts
                    .as_ref()
                    .map(|facts| format!("{} {}", facts.dtype, facts.shape))
                    .unwrap_or_default()
            });
            let why = format!(
                "it is {rhs} here, and {lhs} in {}: the runs are of different models",
                other(&diff.lhs)
            );
            return refuse(&diff.rhs, why);
        }
        _ => {}
    }
    let comparison = tensor.comparison.as_deref();
    for (side, is_rhs) in [(&diff.lhs, false), (&diff.rhs, true)] {
        let count =
            |of: Option<Sides<u64>>| of.map_or(0, |of| if is_rhs { of.rhs } else { of.lhs });
        let found = comparison.map_or(0, |of| count(of.nan) + count(of.inf));
        if found > 0 {
            let why = format!("it has {found} NaN or infinities: leave this run out");
            return refuse(side, why);
        }
    }
    let distance = |gate: Gate| comparison.and_then(|of| distance(gate, gate.measure(of)));
    Ok(ObservedTensor {
        name: tensor.name.clone(),
        role: tensor.role,
        elements: tensor.lhs.as_ref().map_or(0, |facts| facts.shape.elements()),
        has_changed: tensor.status != Status::Identical,
        distances: GATES.map(distance),
    })
}

/// The distance from equality: the logarithm of a ratio, whichever side is larger; any other statistic as it is.
fn distance(gate: Gate, measured: Measured) -> Option<f64> {
    let Measured::Within(value, _) = measured else { return None };
    Some(match gate.scale() {
        Scale::Ratio if value > 0.0 => value.ln().abs(),
        Scale::Ratio => f64::INFINITY,
        Scale::Most | Scale::Least => value,
    })
}
