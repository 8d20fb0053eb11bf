//! What keeps a tensor of a checkpoint from a graph.

use std::fmt;

use crate::tensor::{DType, Name, Shape};

/// What is wrong with a tensor that a graph restores.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum Problem {
    /// The checkpoint has no tensor of this name.
    Missing {
        /// One that nothing restores, and that has a name much like it.
        suggestion: Option<Name>,
    },
    /// Its shape is another.
    Shape {
        /// In the graph; a dimension that may be any is `?`.
        graph: String,
        /// In the checkpoint.
        checkpoint: Shape,
        /// Whether TensorFlow refuses it. Resource variables take any shape, and what is computed from them fails later.
        is_refused: bool,
    },
    /// Its type is another.
    Dtype {
        /// In the graph.
        graph: String,
        /// In the checkpoint.
        checkpoint: DType,
    },
    /// The slice that is asked for is none, or TensorFlow cannot give it.
    Slice {
        /// As it is spelled.
        spec: String,
        /// What is wrong with it.
        reason: String,
    },
    /// The op reads checkpoints of the first format only, and this is none.
    Format {
        /// The op.
        op: String,
    },
    /// The node by which a saver restores is not in the graph.
    NoSaver,
}

/// The kinds of misfit, the worst first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Kind {
    /// A saver without its node.
    Saver,
    /// An op that cannot read the format.
    Format,
    /// A tensor that is not there.
    Missing,
    /// Another shape.
    Shape,
    /// Another type.
    Dtype,
    /// A slice that is none, or that cannot be given.
    Slice,
}

impl Kind {
    /// Every kind.
    pub const ALL: [Self; 6] =
        [Self::Saver, Self::Format, Self::Missing, Self::Shape, Self::Dtype, Self::Slice];

    /// As reports spell it.
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

impl Problem {
    /// Of which kind it is.
    pub fn kind(&self) -> Kind {
        match self {
            Self::Missing { .. } => Kind::Missing,
            Self::Shape { .. } => Kind::Shape,
            Self::Dtype { .. } => Kind::Dtype,
            Self::Slice { .. } => Kind::Slice,
            Self::Format { .. } => Kind::Format,
            Self::NoSaver => Kind::Saver,
        }
    }

    /// Whether TensorFlow refuses to restore.
    pub fn is_refused(&self) -> bool {
        !matches!(self, Self::Shape { is_refused: false, .. })
    }
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Missing { suggestion: None } => f.write_str("the checkpoint has no such tensor"),
            Self::Missing { suggestion: Some(name) } => {
                write!(f, "the checkpoint has no such tensor; did you mean {name}?")
            }
            Self::Shape { graph, checkpoint, is_refused } => {
                write!(f, "shape {graph} in the graph, {checkpoint} in the checkpoint")?;
                f.write_str(if *is_refused { "" } else { "; restored all the same" })
            }
            Self::Dtype { graph, checkpoint } => {
                write!(f, "{graph} in the graph, {checkpoint} in the checkpoint")
            }
            Self::Slice { spec, reason } => write!(f, "slice {spec:?}: {reason}"),
            Self::Format { op } => write!(f, "{op} reads V1 checkpoints only, and this is none"),
            Self::NoSaver => {
                f.write_str("the saver restores by this node, and the graph has none such")
            }
        }
    }
}
