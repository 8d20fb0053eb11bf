//! Attributes that say nothing about the model.

use std::collections::{BTreeMap, BTreeSet};

use prost::Message as _;

use crate::diff::is_internal;
use crate::graph::{OpTable, calls_function, default_of};
use crate::schema::tensorflow::{AttrValue, GraphDef};
use crate::snapshot::{Redaction, Redactions};

/// Removes the attributes that the redactions name.
pub(super) fn drop(graph: &mut GraphDef, redactions: &Redactions) {
    let names = super::functions(graph).filter_map(|function| function.signature.as_ref());
    let functions: BTreeSet<String> = names.map(|signature| signature.name.clone()).collect();
    let mut defaults = Defaults::default();
    super::each_node(graph, |node| {
        let op = &*node.op;
        let is_own = functions.contains(op);
        node.attr.retain(|name, value| {
            let is_left_out = redactions.has(Redaction::Internal) && is_internal(name)
                || redactions.has(Redaction::Hints) && is_hint(op, name)
                || redactions.has(Redaction::Defaults) && !is_own && defaults.has(op, name, value);
            !is_left_out
        });
    });
    if redactions.has(Redaction::Internal) {
        for function in super::functions(graph) {
            function.attr.retain(|name, _| !is_internal(name));
            function.arg_attr.retain(|_, attrs| {
                attrs.attr.retain(|name, _| !is_internal(name));
                !attrs.attr.is_empty()
            });
            function.resource_arg_unique_id.clear();
        }
    }
}

/// Whether an attribute only steers how a node is run: `grad_a` and `grad_b` mark the products of gradients, since TensorFlow 2.16, and
/// `config_proto` has the devices of the machine that called a function.
fn is_hint(op: &str, attr: &str) -> bool {
    match attr {
        "grad_a" | "grad_b" => op == "MatMul",
        "grad_x" | "grad_y" => op.starts_with("BatchMatMul"),
        "config_proto" | "config" | "executor_type" => calls_function(op),
        _ => false,
    }
}

/// The default values of attributes, by op.
#[derive(Default)]
struct Defaults(BTreeMap<String, BTreeMap<String, Vec<u8>>>);

impl Defaults {
    /// Whether this is the default of an attribute in TensorFlow's registry.
    fn has(&mut self, op: &str, attr: &str, value: &AttrValue) -> bool {
        if !self.0.contains_key(op) {
            self.0.insert(op.to_owned(), of_op(op));
        }
        let default = self.0.get(op).and_then(|attrs| attrs.get(attr));
        default.is_some_and(|default| *default == value.encode_to_vec())
    }
}

fn of_op(op: &str) -> BTreeMap<String, Vec<u8>> {
    let Some(definition) = OpTable::builtin().definition(op) else { return BTreeMap::new() };
    let names = definition.attr.iter().map(|attr| &attr.name);
    let default =
        |name: &String| Some((name.clone(), default_of(definition, name)?.encode_to_vec()));
    names.filter_map(default).collect()
}
