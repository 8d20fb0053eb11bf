//! The graphs of a message: main graphs, and the functions that they call.

use super::names::by_name;
use super::reach;
use crate::artifact::Document;
use crate::error::{Error, Result};
use crate::graph::{Function, Graph, Library, NodeId, OpTable};
use crate::message::{fields, nested, string, strings};
use crate::meta_graph::{Parts, meta_graphs_in};
use crate::overview::Signature;
use crate::schema::field::meta_graph_def::meta_info_def;
use crate::schema::field::{function_def, op_def};
use crate::schema::{KnownType, Schema};

/// The graphs of a message, of which drawings can be made.
#[derive(Debug)]
pub struct Picture<'m> {
    /// Main graphs, each followed by the functions that it calls.
    pub(super) parts: Vec<Part<'m>>,
    /// The op definitions of each meta graph; `None` for the built-in ones.
    ops: Vec<Option<OpTable<'m>>>,
    /// Functions that are not drawn, and how many nodes they have.
    pub(super) other_functions: u64,
    pub(super) other_nodes: u64,
}

/// A main graph or the body of a function.
#[derive(Debug)]
pub(super) struct Part<'m> {
    /// Whether it is a function.
    pub(super) is_function: bool,
    pub(super) name: String,
    pub(super) graph: Graph<'m>,
    /// The `FunctionDef`; empty for a main graph.
    pub(super) function: &'m [u8],
    /// The nodes, sorted by name.
    pub(super) order: Vec<NodeId>,
    /// The calls of functions: the node, and the position of the part; `None` for a function that is no part.
    pub(super) calls: Vec<(NodeId, Option<usize>)>,
    /// The position of its op definitions.
    pub(super) ops: usize,
}

impl<'m> Part<'m> {
    pub(super) fn of_graph(graph: Graph<'m>, name: String, ops: usize) -> Self {
        let order = by_name(&graph);
        let (is_function, function, calls) = (false, &[][..], Vec::new());
        Self { is_function, name, graph, function, order, calls, ops }
    }

    pub(super) fn of_function(function: &Function<'m>, ops: usize) -> Result<Self> {
        let graph = Graph::of_function(function.bytes)?;
        let part = Self::of_graph(graph, function.name.to_owned(), ops);
        Ok(Self { is_function: true, function: function.bytes, ..part })
    }
}

impl<'m> Picture<'m> {
    /// The graphs of a document: a meta graph, a graph, a SavedModel, a function or a function library.
    ///
    /// ```
    /// use ckdiff::artifact::{Document, ReadOptions};
    /// use ckdiff::picture::{Fold, Picture};
    /// use ckdiff::schema::Schema;
    ///
    /// let file = "tests/data/graphs/frozen.pb";
    /// let document = Document::open(file, Schema::tensorflow(), &ReadOptions::default())?;
    /// let drawing = Picture::new(&document)?.fold(Fold::default());
    /// assert!(drawing.edges.iter().any(|edge| edge.tensors == 1));
    /// # Ok::<(), ckdiff::Error>(())
    /// ```
    /// # Errors
    /// If the message has another type, or its graphs cannot be read.
    pub fn new(document: &'m Document<'_>) -> Result<Self> {
        let message = document.message();
        let bytes = message.bytes();
        let mut picture =
            Self { parts: Vec::new(), ops: Vec::new(), other_functions: 0, other_nodes: 0 };
        // A user's schema may define these messages differently.
        let own = std::ptr::eq(message.schema(), Schema::tensorflow());
        match message.ty().known.filter(|_| own) {
            Some(KnownType::MetaGraphDef | KnownType::SavedModel) => {
                for meta_graph in meta_graphs_in(message) {
                    picture.add_meta_graph(meta_graph)?;
                }
            }
            Some(KnownType::GraphDef) => {
                picture.ops.push(None);
                picture.add_graph(bytes, "graph".into(), &[])?;
            }
            Some(KnownType::FunctionDefLibrary) => picture.add_library(Library::new(bytes)?)?,
            Some(KnownType::FunctionDef) => {
                let name = string(nested(bytes, function_def::SIGNATURE), op_def::NAME);
                let functions = vec![Function { name, bytes }];
                picture.add_library(Library { functions, bytes: &[] })?;
            }
            _ => {
                let found = document.kind().with_article();
                let why = format!("expected a graph to draw, found {found}, which has none");
                return Err(Error::usage(why).in_file(document.path()));
            }
        }
        Ok(picture)
    }

    /// The number of main graphs.
    pub fn graphs(&self) -> usize {
        self.parts.iter().filter(|part| !part.is_function).count()
    }

    /// The op definitions of a part.
    pub(super) fn ops_of(&self, part: &Part<'m>) -> &OpTable<'m> {
        let own = self.ops.get(part.ops).and_then(Option::as_ref);
        own.unwrap_or_else(|| OpTable::builtin())
    }

    fn add_meta_graph(&mut self, bytes: &'m [u8]) -> Result<()> {
        let parts = Parts::of_bytes(bytes);
        // A damaged op list only leaves types unknown.
        let own = OpTable::decode(nested(parts.info, meta_info_def::STRIPPED_OP_LIST));
        self.ops.push(own.ok().map(|own| own.over(OpTable::builtin())));
        let tags: Vec<_> = strings(parts.info, meta_info_def::TAGS).collect();
        let name = if tags.is_empty() { "graph".into() } else { tags.join(", ") };
        let mut outputs = Vec::new();
        for (name, (_, signature)) in &parts.signatures {
            let signature = Signature::new(name, signature)?;
            outputs.extend(signature.outputs.into_iter().flat_map(|output| output.tensors));
        }
        self.add_graph(parts.graph.unwrap_or_default(), name, &outputs)
    }

    /// Adds a `GraphDef` and the functions that it calls: for the tensors `outputs`, if there are any, else for all nodes.
    fn add_graph(&mut self, bytes: &'m [u8], name: String, outputs: &[String]) -> Result<()> {
        let graph = Graph::new(bytes)?;
        let library = graph.library().clone();
        let called = reach::called_for(&graph, outputs, &library);
        let start = self.parts.len();
        self.parts.push(Part::of_graph(graph, name, self.ops.len().saturating_sub(1)));
        self.add_functions(start, called, &library)
    }

    fn add_library(&mut self, library: Library<'m>) -> Result<()> {
        self.ops.push(None);
        let all = (0..library.functions.len()).collect();
        self.add_functions(self.parts.len(), all, &library)
    }

    /// Adds functions and those that they call. The parts of this library begin at `start`.
    fn add_functions(
        &mut self,
        start: usize,
        called: Vec<usize>,
        library: &Library<'m>,
    ) -> Result<()> {
        let ops = self.ops.len().saturating_sub(1);
        let callees = reach::Functions::new(library);
        let mut part_of = vec![None; library.functions.len()];
        let mut queue: std::collections::VecDeque<usize> = called.into();
        while let Some(at) = queue.pop_front() {
            let Some(function) = library.functions.get(at) else { continue };
            let Some(place @ None) = part_of.get_mut(at) else { continue };
            if self.parts.len() >= MOST_PARTS {
                break;
            }
            *place = Some(self.parts.len());
            let part = Part::of_function(function, ops)?;
            part.graph.nodes().iter().for_each(|node| queue.extend(callees.called_by(node)));
            self.parts.push(part);
        }
        for part in self.parts.iter_mut().skip(start) {
            for (id, node) in part.graph.iter() {
                let called = callees.called_by(node).into_iter();
                part.calls.extend(called.map(|at| (id, part_of.get(at).copied().flatten())));
            }
        }
        for (function, _) in library.functions.iter().zip(&part_of).filter(|(_, of)| of.is_none()) {
            self.other_functions += 1;
            self.other_nodes += fields(function.bytes, function_def::NODE_DEF).count() as u64;
        }
        Ok(())
    }
}

/// The maximum number of graphs and functions that are kept in memory to be drawn.
const MOST_PARTS: usize = 1_000;
