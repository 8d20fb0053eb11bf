//! Attributes that have the default value of their op.

use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};

use prost_reflect::prost::Message as _;

use super::node::{self, Edit};
use crate::graph::{Constant, OpTable, attrs};
use crate::message::{Writer, edit_fields};
use crate::schema::field::{function_def, function_def_library};

/// Bytes of a default value that is a tensor, written out.
const MAX_TENSOR: u64 = 1 << 20;

/// The default values of ops, in the binary format.
#[derive(Debug)]
pub(super) struct Defaults<'a> {
    ops: &'a OpTable<'a>,
    /// Functions of the graph: a node that calls one has no defaults.
    functions: BTreeSet<&'a str>,
    /// Those of ops that were met.
    known: RefCell<BTreeMap<String, BTreeMap<String, Vec<u8>>>>,
}

impl<'a> Defaults<'a> {
    /// Those of `ops`.
    pub(super) fn new(ops: &'a OpTable<'a>, functions: BTreeSet<&'a str>) -> Self {
        Self { ops, functions, known: RefCell::default() }
    }

    /// Whether a node of `op` that does not give the attribute would have this value.
    pub(super) fn has(&self, op: &str, attr: &str, value: &[u8]) -> bool {
        if self.functions.contains(op) {
            return false;
        }
        if !self.known.borrow().contains_key(op) {
            self.known.borrow_mut().insert(op.to_owned(), self.of(op));
        }
        let known = self.known.borrow();
        let default = known.get(op).and_then(|defaults| defaults.get(attr));
        default.is_some_and(|default| default == value || is_same_tensor(default, value))
    }

    fn of(&self, op: &str) -> BTreeMap<String, Vec<u8>> {
        let attrs = self.ops.definition(op).into_iter().flat_map(|op| &op.attr);
        attrs
            .filter_map(|attr| {
                Some((attr.name.clone(), attr.default_value.as_ref()?.encode_to_vec()))
            })
            .collect()
    }

    /// The records of a `FunctionDefLibrary` without default values in the nodes of its functions.
    pub(super) fn strip_library(&self, library: &[u8], out: &mut Writer) {
        edit_fields(library, function_def_library::FUNCTION, out, |function, out| {
            edit_fields(function, function_def::NODE_DEF, out, |node, out| {
                node::rewrite(node, &mut Strip(self), out);
            });
        });
    }
}

/// Leaves default values out, and nothing else.
struct Strip<'a>(&'a Defaults<'a>);

impl Edit for Strip<'_> {
    fn keeps_attr(&mut self, op: &str, attr: &str, value: &[u8]) -> bool {
        !self.0.has(op, attr, value)
    }
}

/// Whether both values are tensors that are the same, however they are encoded.
fn is_same_tensor(lhs: &[u8], rhs: &[u8]) -> bool {
    let tensor = |value| {
        let constant = Constant::parse(attrs::tensor(value)?).ok()?;
        let tensor = constant.tensor(MAX_TENSOR).ok()?;
        Some((constant.dtype(), constant.shape().clone(), tensor))
    };
    tensor(lhs).is_some_and(|lhs| Some(lhs) == tensor(rhs))
}
