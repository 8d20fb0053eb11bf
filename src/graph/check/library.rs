//! The functions of a graph with their signatures.

use std::collections::btree_map::Entry;
use std::collections::{BTreeMap, BTreeSet};

use prost::Message as _;

use crate::graph::{self, Graph};
use crate::message::nested;
use crate::schema::field::function_def;
use crate::schema::tensorflow::OpDef;

/// The functions that nodes may call.
#[derive(Debug)]
pub(super) struct Library<'a> {
    /// The functions in the order of the graph; of several with one name, the first.
    pub(super) functions: Vec<Function<'a>>,
    /// The names of later functions that differ from the first of their name, once each.
    pub(super) conflicts: BTreeSet<&'a str>,
    /// Positions in `functions`, by name.
    order: Vec<usize>,
}

/// A function.
#[derive(Debug)]
pub(super) struct Function<'a> {
    /// The `FunctionDef`.
    pub(super) bytes: &'a [u8],
    pub(super) signature: OpDef,
    pub(super) body: Graph<'a>,
}

impl<'a> Library<'a> {
    /// Reads the functions of a library; skips those whose signature is nested too deeply.
    pub(super) fn new(library: &graph::Library<'a>) -> Self {
        let function = |bytes| {
            let signature = OpDef::decode(nested(bytes, function_def::SIGNATURE)).ok()?;
            Some(Function { bytes, signature, body: Graph::of_function(bytes).ok()? })
        };
        let (mut first, mut conflicts) = (BTreeMap::new(), BTreeSet::new());
        let mut functions = Vec::new();
        for found in &library.functions {
            match first.entry(found.name) {
                Entry::Vacant(entry) => {
                    entry.insert(found.bytes);
                    functions.extend(function(found.bytes));
                }
                Entry::Occupied(known) if *known.get() != found.bytes => {
                    conflicts.insert(found.name);
                }
                Entry::Occupied(_) => {}
            }
        }
        let mut order: Vec<_> = (0..functions.len()).collect();
        order.sort_by_key(|at| functions.get(*at).map(|function| &function.signature.name));
        Self { functions, conflicts, order }
    }

    /// The position of the first function with this name.
    pub(super) fn position(&self, name: &str) -> Option<usize> {
        let name_at = |at: &usize| self.functions.get(*at).map(|f| &*f.signature.name);
        let first = self.order.partition_point(|at| name_at(at) < Some(name));
        self.order.get(first).copied().filter(|at| name_at(at) == Some(name))
    }

    pub(super) fn signature(&self, name: &str) -> Option<&OpDef> {
        self.functions.get(self.position(name)?).map(|function| &function.signature)
    }

    pub(super) fn names(&self) -> impl Iterator<Item = &str> + Clone {
        self.functions.iter().map(|function| &*function.signature.name)
    }
}
