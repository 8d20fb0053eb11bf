//! Imports nodes: gives them new names, inputs, devices and another order.

use std::borrow::Cow;
use std::cell::RefCell;
use std::collections::{BTreeSet, VecDeque};

use super::input_map::InputMap;
use super::names::{ImportScope, Rename};
use super::node::{self, Edit};
use crate::error::{Error, Result, shortened};
use crate::graph::{COLOCATION, Graph, Node, attrs};
use crate::message::{Writer, records};
use crate::schema::field::graph_def;

/// The new devices of nodes. A node that is colocated with others gets the first device that one of them has.
pub(super) fn devices<'m>(graph: &Graph<'m>, order: &[usize], clear: bool) -> Vec<&'m str> {
    let nodes = graph.nodes();
    if clear {
        return vec![""; nodes.len()];
    }
    let own = |node: &Node<'m>| if colocated(node).next().is_some() { "" } else { node.device };
    let mut devices: Vec<_> = nodes.iter().map(own).collect();
    for &position in order {
        let others = nodes.get(position).into_iter().flat_map(colocated);
        let of = |name| devices.get(graph.find(name)?.position()).copied();
        let found = others.filter_map(of).find(|device| !device.is_empty());
        if let (Some(found), Some(device)) = (found, devices.get_mut(position)) {
            *device = found;
        }
    }
    devices
}

/// The nodes that a node is colocated with.
fn colocated<'m>(node: &Node<'m>) -> impl Iterator<Item = &'m str> + use<'m> {
    let name = node.name;
    let classes = attrs::texts(node.attr("_class").unwrap_or_default());
    classes.filter_map(|class| class.strip_prefix(COLOCATION)).filter(move |other| *other != name)
}

/// The import of nodes.
pub(super) struct ImportedNodes<'a> {
    graph: &'a Graph<'a>,
    placed: &'a ImportScope<'a>,
    bound: &'a InputMap<'a>,
    devices: Vec<&'a str>,
    /// The device of the node.
    device: &'a str,
    /// The new control inputs of the node that are not written yet, in order.
    controls: VecDeque<String>,
    /// A missing node that another one is colocated with.
    missing: RefCell<Option<String>>,
}

impl<'a> ImportedNodes<'a> {
    /// The import with these names, inputs and devices.
    pub(super) fn new(
        graph: &'a Graph<'a>,
        placed: &'a ImportScope<'a>,
        bound: &'a InputMap<'a>,
        devices: Vec<&'a str>,
    ) -> Self {
        let (controls, missing) = Default::default();
        Self { graph, placed, bound, devices, device: "", controls, missing }
    }

    /// The `GraphDef` with its nodes in their new order.
    ///
    /// # Errors
    /// If a node is colocated with a missing one.
    pub(super) fn graph(mut self, bytes: &[u8], order: &[usize]) -> Result<Vec<u8>> {
        let mut out = Writer::default();
        for &position in order {
            let Some(node) = self.graph.nodes().get(position) else { continue };
            self.device = self.devices.get(position).copied().unwrap_or_default();
            self.controls = self.new_controls(node);
            out.put_message(graph_def::NODE, |out| node::rewrite(node.bytes, &mut self, out));
        }
        let others = records(bytes).filter(|record| record.number != graph_def::NODE);
        others.for_each(|record| out.raw(record.bytes));
        match self.missing.take() {
            None => Ok(out.finish()),
            Some(node) => Err(Error::not_found(format!(
                "_class names {}, which is not in the graph",
                shortened(&node)
            ))),
        }
    }

    /// The new control inputs of a node. If one of them is replaced, they are unique and sorted by name, as TensorFlow writes those of every
    /// node; otherwise they keep their order.
    fn new_controls(&self, node: &Node<'_>) -> VecDeque<String> {
        let inputs = || self.graph.inputs(node).iter().filter(|input| input.is_control);
        let new = inputs().map(|input| match self.bound.of(input.text) {
            Some(new) => new.to_string(),
            None => self.placed.rename(input.text).into_owned(),
        });
        match inputs().any(|input| self.bound.of(input.text).is_some()) {
            true => new.collect::<BTreeSet<_>>().into_iter().collect(),
            false => new.collect(),
        }
    }
}

impl Edit for ImportedNodes<'_> {
    fn name<'n>(&self, name: &'n str) -> Cow<'n, str> {
        self.placed.rename(name)
    }

    fn input<'n>(&mut self, input: &'n str) -> Option<Cow<'n, str>> {
        if input.starts_with('^') {
            return self.controls.pop_front().map(Cow::Owned);
        }
        let Some(new) = self.bound.of(input) else { return Some(self.placed.rename(input)) };
        Some(Cow::Owned(new.strip_suffix(":0").unwrap_or(new).to_owned()))
    }

    fn frame<'n>(&self, frame: &'n str) -> Cow<'n, str> {
        self.placed.below(frame)
    }

    fn colocation<'n>(&self, class: &'n str) -> Option<Cow<'n, str>> {
        let Some(node) = class.strip_prefix(COLOCATION) else { return Some(Cow::Borrowed(class)) };
        if self.graph.find(node).is_none() {
            self.missing.borrow_mut().get_or_insert_with(|| node.to_owned());
        }
        Some(self.placed.rename(class))
    }

    fn device<'n>(&'n self, _: &'n str) -> &'n str {
        self.device
    }
}
