//! Finds attributes with the default value of their op.

use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};

use prost::Message as _;

use super::node::{self, Edit};
use crate::graph::{Constant, OpTable, attrs};
use crate::message::{Writer, edit_fields};
use crate::schema::field::{function_def, function_def_library};

/// The size limit of a default value that is a tensor, in bytes.
const MAX_TENSOR: u64 = 1 << 20;

/// The default values of ops, in the binary format.
#[derive(Debug)]
pub(super) struct Defaults<'a> {
    ops: &'a OpTable<'a>,
    /// The functions of the graph; nodes that call one have no defaults.
    functions: BTreeSet<&'a str>,
    /// The defaults of ops that were looked up.
    known: RefCell<BTreeMap<String, BTreeMap<String, Vec<u8>>>>,
}

impl<'a> Defaults<'a> {
    /// The defaults of `ops`.
    pub(super) fn new(ops: &'a OpTable<'a>, functions: BTreeSet<&'a str>) -> Self {
        Self { ops, functions, known: RefCell::default() }
    }

    /// Whether a value is the default of an attribute of `op`.
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

    /// Copies a `FunctionDefLibrary` without default values in the nodes of its functions.
    pub(super) fn strip_library(&self, library: &[u8], out: &mut Writer) {
        edit_fields(library, function_def_library::FUNCTION, out, |function, out| {
            edit_fields(function, function_def::NODE_DEF, out, |node, out| {
                node::rewrite(node, &mut Strip(self), out);
            });
        });
    }
}

/// Removes attributes with default values.
struct Strip<'a>(&'a Defaults<'a>);

impl Edit for Strip<'_> {
    fn keeps_attr(&mut self, op: &str, attr: &str, value: &[u8]) -> bool {
        !self.0.has(op, attr, value)
    }
}

/// Whether both values are the same tensor, in any encoding.
fn is_same_tensor(lhs: &[u8], rhs: &[u8]) -> bool {
    let tensor = |value| {
        let constant = Constant::parse(attrs::tensor(value)?).ok()?;
        let tensor = constant.tensor(MAX_TENSOR).ok()?;
        Some((constant.dtype(), constant.shape().clone(), tensor))
    };
    tensor(lhs).is_some_and(|lhs| Some(lhs) == tensor(rhs))
}
