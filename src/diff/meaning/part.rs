//! The parts of a model.

/// A part of a model. Changes in a part may follow from changes in those before it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(in crate::diff) enum Part {
    /// The names of assets.
    Assets,
    /// The options of the saver.
    Saver,
    /// The signatures.
    Signatures,
    /// Layers and other objects from which TensorFlow 2 traces functions.
    Layers,
    /// The nodes of the graph or of a function that compute, and whatever has no other part.
    Model,
    /// Variables, calls and constants around the functions of TensorFlow 2.
    Exported,
    /// Objects that hold the values of layers.
    Variables,
    /// The keys under which a saver saves variables.
    SavedKeys,
    /// The initial values of variables.
    Initializers,
    /// Functions that came or went.
    Functions,
    /// The gradients that TensorFlow derives from the nodes, and the nodes of optimizers.
    Gradients,
    /// The nodes of a saver.
    SaverNodes,
    /// What TensorFlow writes down about other parts: shapes, dtypes and names of arguments, results, captures and collections.
    Records,
}

impl Part {
    /// Whether changes in this part are made by people, rather than by TensorFlow in their wake.
    pub(in crate::diff) fn is_made(self) -> bool {
        self <= Self::Model
    }

    /// Whether changes in this part can follow from another structure anywhere in the model, rather than only nearby.
    pub(in crate::diff) fn follows_from_afar(self) -> bool {
        self != Self::Initializers
    }
}
