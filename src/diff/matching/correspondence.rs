//! What corresponds to what in two models: nodes, functions, objects, and the names and keys that follow from them.

use std::sync::LazyLock;

use super::graph::{FunctionMatching, GraphPair, Renames, SaverFunctions};
use super::objects::{KeyPairs, ObjectMatching, TensorTable};
use super::sides::{ModelSides, ObjectGraphPair};
use crate::graph::Library;
use crate::schema::Schema;

/// What corresponds to what in two models. It borrows from the sides, and is complete before anything is compared. The bodies of two
/// functions are the exception: their nodes are matched when the functions are compared, so that only those of one pair are in memory.
///
/// The default is that of messages with nothing to match.
#[derive(Debug, Default)]
pub(in crate::diff) struct Correspondence<'a> {
    /// The nodes, if there are graphs.
    pub(in crate::diff) nodes: Option<GraphPair<'a, 'a>>,
    functions: FunctionMatching<'a, 'a>,
    /// The objects, if both sides have an object graph.
    pub(in crate::diff) objects: Option<ObjectMatching<'a>>,
    keys: Renames,
    saver_functions: SaverFunctions<'a>,
    /// Of object graphs inside a model, such as those in its constants: the model, whose nodes, functions and keys they name.
    model: Option<&'a Correspondence<'a>>,
}

/// The renames of nothing.
static NONE: LazyLock<Renames> = LazyLock::new(Renames::default);

impl<'a> Correspondence<'a> {
    /// Matches two models, with up to `threads` threads.
    pub(in crate::diff) fn new(
        schema: &'a Schema,
        sides: &'a ModelSides<'a>,
        threads: usize,
    ) -> Self {
        let (lhs, rhs) = &sides.graphs;
        let nodes = GraphPair::new(lhs, rhs, &NONE, threads);
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
    pub(in crate::diff) fn of_libraries(
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
    pub(in crate::diff) fn renames(&self) -> &Renames {
        match (&self.nodes, self.model) {
            (Some(nodes), _) => &nodes.renames,
            (None, Some(model)) => model.renames(),
            (None, None) => &NONE,
        }
    }

    /// The functions.
    pub(in crate::diff) fn functions(&self) -> &FunctionMatching<'a, 'a> {
        self.model.map_or(&self.functions, |model| model.functions())
    }

    /// The renames of checkpoint keys. Those of a whole model, if there are any, take precedence.
    pub(in crate::diff) fn keys(&self) -> &Renames {
        self.model.map(Self::keys).filter(|keys| !keys.is_empty()).unwrap_or(&self.keys)
    }

    /// The keys of matched values, in the object graphs of two checkpoints.
    pub(in crate::diff) fn value_keys(&self) -> KeyPairs {
        self.objects.as_ref().map(ObjectMatching::value_keys).unwrap_or_default()
    }

    /// The functions that save and restore.
    pub(in crate::diff) fn saver_functions(&self) -> &SaverFunctions<'a> {
        self.model.map_or(&self.saver_functions, |model| model.saver_functions())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::error::Result;
    use crate::graph::{Graph, NodeId};
    use crate::message::Message;
    use crate::text::{ParseOptions, parse};

    fn graph_def(text: &str) -> Result<Message<'static>> {
        let schema = Schema::tensorflow();
        let ty = schema.message("tensorflow.GraphDef").expect("it is one of TensorFlow's messages");
        Ok(parse(schema, ty, text.as_bytes(), &ParseOptions::default())?.0)
    }

    #[test]
    fn two_graphs_say_who_meets_whom() -> Result<()> {
        let text = |scope: &str, function: &str| {
            format!(
                "node {{ name: '{scope}/x' op: 'Placeholder' }}
                 node {{ name: '{scope}/y' op: 'Relu' input: '{scope}/x' }}
                 node {{ name: 'call' op: '{function}' input: '{scope}/y' }}
                 library {{ function {{ signature {{ name: '{function}' }} }} }}"
            )
        };
        let (lhs, rhs) = (
            graph_def(&text("a", "f_12"))?,
            graph_def(&format!("{} node {{ name: 'new' op: 'NoOp' }}", text("b", "f_34")))?,
        );
        let graphs = (Graph::new(lhs.bytes())?, Graph::new(rhs.bytes())?);
        let sides = ModelSides { graphs, objects: None };
        let known = Correspondence::new(Schema::tensorflow(), &sides, 1);
        let matching = &known.nodes.as_ref().expect("there are graphs").matching;
        let name = |graph: &Graph<'_>, id: NodeId| graph.node(id).name.to_owned();
        let pairs = matching.pairs();
        let pairs = pairs.map(|(l, r)| (name(matching.lhs, l), name(matching.rhs, r)));
        let names = |l: &str, r: &str| (l.to_owned(), r.to_owned());
        assert_eq!(
            pairs.collect::<Vec<_>>(),
            [names("a/x", "b/x"), names("a/y", "b/y"), names("call", "call")]
        );
        let added: Vec<_> =
            matching.unmatched_in_rhs().into_iter().map(|r| name(matching.rhs, r)).collect();
        assert_eq!(added, ["new"]);
        assert_eq!(known.renames().new_name("a/z").as_deref(), Some("b/z"));
        assert_eq!(known.functions().renames.new_name("f_12").as_deref(), Some("f_34"));
        assert!(known.objects.is_none() && known.keys().is_empty());
        Ok(())
    }
}
