//! The function library of a graph.

use prost_reflect::prost::Message as _;

use crate::graph::wire::fields;
use crate::schema::tensorflow::OpDef;

/// The functions that nodes may call.
#[derive(Debug)]
pub(super) struct Library<'a> {
    /// As they stand in the graph.
    pub(super) functions: Vec<Function<'a>>,
    /// Positions in `functions`, by name.
    order: Vec<usize>,
}

/// A function.
#[derive(Debug)]
pub(super) struct Function<'a> {
    /// A `FunctionDef`.
    pub(super) bytes: &'a [u8],
    pub(super) signature: OpDef,
}

impl<'a> Library<'a> {
    /// Finds the functions of a `GraphDef`; those whose signature is nested too deeply to be read are passed over.
    pub(super) fn new(graph: &'a [u8]) -> Self {
        let found = fields(graph, 2).flat_map(|library| fields(library, 1));
        let functions: Vec<_> = found
            .filter_map(|bytes| {
                let signature = fields(bytes, 1).last().unwrap_or_default();
                Some(Function { bytes, signature: OpDef::decode(signature).ok()? })
            })
            .collect();
        let mut order: Vec<_> = (0..functions.len()).collect();
        order.sort_by_key(|at| functions.get(*at).map(|function| &function.signature.name));
        Self { functions, order }
    }

    /// Where the function of this name is; the first one, where there are several.
    pub(super) fn position(&self, name: &str) -> Option<usize> {
        let name_at = |at: &usize| self.functions.get(*at).map(|f| &*f.signature.name);
        let first = self.order.partition_point(|at| name_at(at) < Some(name));
        self.order.get(first).copied().filter(|at| name_at(at) == Some(name))
    }

    pub(super) fn signature(&self, name: &str) -> Option<&OpDef> {
        self.functions.get(self.position(name)?).map(|function| &function.signature)
    }

    pub(super) fn names(&self) -> impl Iterator<Item = &str> {
        self.functions.iter().map(|function| &*function.signature.name)
    }
}
