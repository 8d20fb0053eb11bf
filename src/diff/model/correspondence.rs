//! Who meets whom in two models: nodes, functions, objects, and the names and keys that follow from them.

use std::sync::LazyLock;

use super::object_graph::{KeyPairs, ObjectMatching, TensorTable};
use super::sides::{ModelSides, ObjectGraphPair};
use crate::diff::graph::{FunctionMatching, GraphPair, Renames, SaverFunctions};
use crate::graph::Library;
use crate::schema::Schema;

/// What corresponds to what in two models. It borrows from the sides, and is complete before anything is compared. The bodies of two
/// functions are the exception: their nodes are matched when the functions are compared, so that only those of one pair are in memory.
///
/// The default is that of messages with nothing to match.
#[derive(Debug, Default)]
pub(in crate::diff) struct Correspondence<'a> {
    /// The nodes, if there are graphs.
    pub(super) nodes: Option<GraphPair<'a, 'a>>,
    functions: FunctionMatching<'a, 'a>,
    /// The objects, if both sides have an object graph.
    pub(super) objects: Option<ObjectMatching<'a>>,
    keys: Renames,
    saver_functions: SaverFunctions<'a>,
    /// Of object graphs inside a model, such as those in its constants: the model, whose nodes, functions and keys they name.
    model: Option<&'a Correspondence<'a>>,
}

/// The renames of nothing.
static NONE: LazyLock<Renames> = LazyLock::new(Renames::default);

impl<'a> Correspondence<'a> {
    /// Matches two models, with up to `threads` threads.
    pub(super) fn new(schema: &'a Schema, sides: &'a ModelSides<'a>, threads: usize) -> Self {
        let (lhs, rhs) = &sides.graphs;
        let nodes = GraphPair::new(lhs, rhs, threads);
        let libraries = (lhs.library(), rhs.library());
        let functions = FunctionMatching::new(schema, libraries.0, libraries.1, &nodes.renames);
        let objects = sides.objects.as_ref().map(|objects| {
            let unknown = TensorTable::new();
            ObjectMatching::new(objects, &functions.renames, [&unknown; 2], None)
        });
        let keys = objects.as_ref().map(ObjectMatching::keys).unwrap_or_default();
        let saver_functions = SaverFunctions::new(&functions, &keys);
        let nodes = Some(nodes);
        Self { nodes, functions, objects, keys, saver_functions, model: None }
    }

    /// Matches two function libraries that are in no graph.
    pub(super) fn of_libraries(
        schema: &'a Schema,
        (lhs, rhs): &'a (Library<'a>, Library<'a>),
    ) -> Self {
        let functions = FunctionMatching::new(schema, lhs, rhs, &NONE);
        let saver_functions = SaverFunctions::new(&functions, &NONE);
        Self { functions, saver_functions, ..Self::default() }
    }

    /// Matches two object graphs inside a model; `tensors` has what is known of the tensors of each side.
    pub(in crate::diff) fn of_objects(
        objects: &'a ObjectGraphPair<'a>,
        tensors: [&TensorTable; 2],
        model: &'a Correspondence<'a>,
    ) -> Self {
        let (functions, guide) = (&model.functions().renames, model.objects.as_ref());
        let objects = ObjectMatching::new(objects, functions, tensors, guide);
        let keys = objects.keys();
        Self { objects: Some(objects), keys, model: Some(model), ..Self::default() }
    }

    /// The renames of nodes.
    pub(super) fn renames(&self) -> &Renames {
        match (&self.nodes, self.model) {
            (Some(nodes), _) => &nodes.renames,
            (None, Some(model)) => model.renames(),
            (None, None) => &NONE,
        }
    }

    /// The functions.
    pub(super) fn functions(&self) -> &FunctionMatching<'a, 'a> {
        self.model.map_or(&self.functions, |model| model.functions())
    }

    /// The renames of checkpoint keys. Those of a whole model, if there are any, take precedence.
    pub(super) fn keys(&self) -> &Renames {
        self.model.map(Self::keys).filter(|keys| !keys.is_empty()).unwrap_or(&self.keys)
    }

    /// The keys of matched values, in the object graphs of two checkpoints.
    pub(in crate::diff) fn value_keys(&self) -> KeyPairs {
        self.objects.as_ref().map(ObjectMatching::value_keys).unwrap_or_default()
    }

    /// The functions that save and restore.
    pub(super) fn saver_functions(&self) -> &SaverFunctions<'a> {
        self.model.map_or(&self.saver_functions, |model| model.saver_functions())
    }
}
