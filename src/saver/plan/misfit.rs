//! The reasons why a tensor cannot be restored.

use std::fmt;

use crate::tensor::{DType, Name, Shape};

/// The reason why a tensor cannot be restored as the graph requests it.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum MisfitReason {
    /// The checkpoint has no tensor with this name.
    Missing {
        /// A tensor with a similar name that nothing restores.
        suggestion: Option<Name>,
    },
    /// The shapes differ.
    Shape {
        /// In the graph; `?` stands for any size.
        graph: String,
        /// In the checkpoint.
        checkpoint: Shape,
        /// Whether TensorFlow refuses it. Resource variables accept any shape, and computations with them fail later.
        is_refused: bool,
    },
    /// The dtypes differ.
    Dtype {
        /// In the graph.
        graph: String,
        /// In the checkpoint.
        checkpoint: DType,
    },
    /// The requested slice is invalid, or TensorFlow cannot restore it.
    Slice {
        /// The slice as written; empty for the whole tensor.
        spec: String,
        /// The reason.
        reason: String,
    },
    /// The op reads V1 checkpoints only, and this is another format.
    Format {
        /// The op.
        op: String,
    },
    /// The restore node of the saver is not in the graph.
    NoSaver,
}

/// The kinds of misfit, the worst first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum MisfitKind {
    /// A saver without its node.
    Saver,
    /// An op that cannot read the format.
    Format,
    /// A missing tensor.
    Missing,
    /// Another shape.
    Shape,
    /// Another dtype.
    Dtype,
    /// A slice that is invalid, or cannot be restored.
    Slice,
}

impl MisfitKind {
    /// Every kind.
    pub const ALL: [Self; 6] =
        [Self::Saver, Self::Format, Self::Missing, Self::Shape, Self::Dtype, Self::Slice];

    /// The name in reports.
    pub fn name(self) -> &'static str {
        match self {
            Self::Saver => "saver",
            Self::Format => "format",
            Self::Missing => "missing",
            Self::Shape => "shape",
            Self::Dtype => "dtype",
            Self::Slice => "slice",
        }
    }
}

impl MisfitReason {
    /// The kind of misfit.
    pub fn kind(&self) -> MisfitKind {
        match self {
            Self::Missing { .. } => MisfitKind::Missing,
            Self::Shape { .. } => MisfitKind::Shape,
            Self::Dtype { .. } => MisfitKind::Dtype,
            Self::Slice { .. } => MisfitKind::Slice,
            Self::Format { .. } => MisfitKind::Format,
            Self::NoSaver => MisfitKind::Saver,
        }
    }

    /// Whether TensorFlow refuses to restore.
    pub fn is_refused(&self) -> bool {
        !matches!(self, Self::Shape { is_refused: false, .. })
    }
}

impl fmt::Display for MisfitReason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Missing { suggestion: None } => f.write_str("the checkpoint has no such tensor"),
            Self::Missing { suggestion: Some(name) } => {
                write!(f, "the checkpoint has no such tensor; did you mean {name}?")
            }
            Self::Shape { graph, checkpoint, is_refused } => {
                write!(f, "shape {graph} in the graph, {checkpoint} in the checkpoint")?;
                f.write_str(if *is_refused { "" } else { "; TensorFlow restores it anyway" })
            }
            Self::Dtype { graph, checkpoint } => {
                write!(f, "{graph} in the graph, {checkpoint} in the checkpoint")
            }
            Self::Slice { spec, reason } if spec.is_empty() => f.write_str(reason),
            Self::Slice { spec, reason } => write!(f, "slice {spec:?}: {reason}"),
            Self::Format { op } => {
                write!(f, "{op} reads V1 checkpoints only; this checkpoint has another format")
            }
            Self::NoSaver => {
                f.write_str("the graph has no such node; the saver names it as its restore op")
            }
        }
    }
}
