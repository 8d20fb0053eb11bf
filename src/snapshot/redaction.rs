//! What is taken out of a model before it is printed: one table of redactions.

use crate::serial::named_enum;

named_enum! {
    /// A kind of volatile content that a snapshot leaves out, unless it is kept.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
    #[non_exhaustive]
    pub enum Redaction {
        /// The versions of TensorFlow that wrote the model.
        Versions = "versions",
        /// Op definitions in meta graphs.
        OpDefinitions = "op-definitions",
        /// Attributes that have their default value.
        Defaults = "defaults",
        /// Attributes that only steer how TensorFlow runs a node.
        Hints = "hints",
        /// Attributes that are internal to TensorFlow.
        Internal = "internal",
        /// Where in a program nodes were made.
        DebugInfo = "debug-info",
        /// The object graph.
        Objects = "objects",
        /// The bodies of functions that save and restore.
        SaverFunctions = "saver-functions",
        /// Names that are drawn at random.
        RandomNames = "random-names",
        /// Counters in the names of functions.
        FunctionCounters = "function-counters",
        /// Automatic numbers in names.
        Numbers = "numbers",
        /// Large constants.
        Constants = "constants",
        /// The order of nodes and functions.
        Order = "order",
    }
}

impl Redaction {
    /// The redaction with this name.
    pub fn by_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|redaction| redaction.name() == name)
    }

    /// What is left out, for people.
    pub fn about(self) -> &'static str {
        match self {
            Self::Versions => "the versions of TensorFlow that wrote the model",
            Self::OpDefinitions => "the op definitions that a meta graph carries",
            Self::Defaults => "attributes that have the default value of their op",
            Self::Hints => {
                "attributes that only steer how a node is run: grad_a, grad_b, config_proto"
            }
            Self::Internal => "attributes that begin with _, except _class",
            Self::DebugInfo => "debug information: where in a program the nodes were made",
            Self::Objects => "the object graph, also the copy of it in a constant",
            Self::SaverFunctions => "the bodies and arguments of functions that save and restore",
            Self::RandomNames => "random ids in names, and the shared names of tables",
            Self::FunctionCounters => "the counters in the names of functions",
            Self::Numbers => {
                "automatic numbers in names: dense_3 and dense_4 are dense and dense_1"
            }
            Self::Constants => {
                "the elements of constants with more than 16, or of more than 256 bytes: a digest instead"
            }
            Self::Order => "the order of nodes, functions, control inputs and tags",
        }
    }
}

/// The redactions of a snapshot: all, except those that are kept.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Redactions(Vec<Redaction>);

impl Default for Redactions {
    /// All of them.
    fn default() -> Self {
        Self(Redaction::ALL.to_vec())
    }
}

impl Redactions {
    /// All redactions but those in `kept`.
    ///
    /// ```
    /// use ckdiff::snapshot::{Redaction, Redactions};
    ///
    /// let redactions = Redactions::without(&[Redaction::Versions]);
    /// assert!(!redactions.has(Redaction::Versions) && redactions.has(Redaction::Order));
    /// ```
    pub fn without(kept: &[Redaction]) -> Self {
        Self(Redaction::ALL.into_iter().filter(|redaction| !kept.contains(redaction)).collect())
    }

    /// The redactions in this list, in the order of the table.
    pub(super) fn of(listed: &[Redaction]) -> Self {
        Self(Redaction::ALL.into_iter().filter(|redaction| listed.contains(redaction)).collect())
    }

    /// Whether this redaction applies.
    pub fn has(&self, redaction: Redaction) -> bool {
        self.0.contains(&redaction)
    }

    /// The redactions that apply, in the order of the table.
    pub fn iter(&self) -> impl Iterator<Item = Redaction> {
        self.0.iter().copied()
    }
}
