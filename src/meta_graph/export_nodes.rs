//! Exports nodes: selects those of a scope, and removes the scope from their names.

use std::borrow::Cow;
use std::collections::BTreeSet;

use super::debug_info;
use super::defaults::Defaults;
use super::names::{ExportScope, Rename};
use super::node::{self, Edit};
use super::options::ExportOptions;
use super::replace::Replacements;
use crate::error::Result;
use crate::graph::UNBOUND;
use crate::message::{Value, Writer, field, records, string};
use crate::schema::field::{graph_def, node_def};

/// The export of nodes.
pub(super) struct ExportedNodes<'a> {
    /// The exported scope.
    pub(super) scope: Option<ExportScope<'a>>,
    /// The options of the export.
    pub(super) options: &'a ExportOptions,
    /// The default values, if they are to be removed.
    pub(super) defaults: Option<&'a Defaults<'a>>,
    /// The inputs from outside the scope.
    pub(super) unbound: &'a mut Vec<String>,
}

impl ExportedNodes<'_> {
    /// The `GraphDef` with the exported nodes, without those in `dropped`.
    ///
    /// # Errors
    /// If the debug information of the graph cannot be decoded.
    pub(super) fn graph(mut self, graph: &[u8], dropped: &BTreeSet<&str>) -> Result<Vec<u8>> {
        let mut out = Writer::default();
        for record in records(graph) {
            match (record.number, record.value) {
                (graph_def::NODE, Value::Len(node)) => {
                    if self.keeps(string(node, node_def::NAME), dropped) {
                        out.put_message(graph_def::NODE, |out| node::rewrite(node, &mut self, out));
                    }
                }
                (graph_def::LIBRARY, Value::Len(library)) => match self.defaults {
                    Some(defaults) => out.put_message(graph_def::LIBRARY, |out| {
                        defaults.strip_library(library, out);
                    }),
                    None => out.raw(record.bytes),
                },
                (graph_def::DEBUG_INFO, Value::Len(info)) => {
                    let name = |node: &str| {
                        self.keeps(node, dropped).then(|| self.name(node).into_owned())
                    };
                    out.put_bytes(graph_def::DEBUG_INFO, &debug_info::of_nodes(info, &name)?);
                }
                _ => out.raw(record.bytes),
            }
        }
        Ok(out.finish())
    }

    fn keeps(&self, node: &str, dropped: &BTreeSet<&str>) -> bool {
        let inside = self.scope.is_none_or(|scope| scope.has(node));
        (inside || node.starts_with(UNBOUND)) && !dropped.contains(node)
    }
}

impl Edit for ExportedNodes<'_> {
    fn name<'n>(&self, name: &'n str) -> Cow<'n, str> {
        self.scope.map_or(Cow::Borrowed(name), |scope| scope.rename(name))
    }

    fn input<'n>(&mut self, input: &'n str) -> Option<Cow<'n, str>> {
        let Some(scope) = self.scope else { return Some(Cow::Borrowed(input)) };
        let name = input.strip_prefix('^');
        let (sign, name) = (if name.is_some() { "^" } else { "" }, name.unwrap_or(input));
        if scope.has(name) {
            return Some(scope.rename(input));
        }
        // Inputs that were unbound before keep that name.
        let unbound = if name.starts_with(UNBOUND) {
            input.to_owned()
        } else {
            format!("{sign}{UNBOUND}{name}")
        };
        self.unbound.push(unbound.clone());
        Some(Cow::Owned(unbound))
    }

    fn frame<'n>(&self, frame: &'n str) -> Cow<'n, str> {
        self.name(frame)
    }

    fn colocation<'n>(&self, class: &'n str) -> Option<Cow<'n, str>> {
        let Some(scope) = self.scope else { return Some(Cow::Borrowed(class)) };
        let node = class.split('@').nth(1);
        node.is_none_or(|node| scope.has(node)).then(|| scope.rename(class))
    }

    fn device<'n>(&'n self, device: &'n str) -> &'n str {
        if self.options.clear_devices { "" } else { device }
    }

    fn keeps_attr(&mut self, op: &str, attr: &str, value: &[u8]) -> bool {
        self.defaults.is_none_or(|defaults| !defaults.has(op, attr, value))
    }
}

/// The graph with a library and versions, which TensorFlow always writes, even if they are empty.
pub(super) fn with_library(graph: Vec<u8>) -> Vec<u8> {
    let mut missing = Replacements::default();
    for number in [graph_def::LIBRARY, graph_def::VERSIONS] {
        if field(&graph, number).is_none() {
            missing.set(number, &[]);
        }
    }
    if missing.is_empty() { graph } else { missing.apply_to(graph_def::MESSAGE_NAME, &graph) }
}
