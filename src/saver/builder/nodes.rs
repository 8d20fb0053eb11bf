//! Adds nodes to a graph, in TensorFlow's order and with its names.

use std::collections::{BTreeMap, BTreeSet};

use prost::Message as _;

use super::TakenNames;
use super::devices::merged;
use super::names::UniqueNames;
use super::value::{Constant, dtype, texts, truth};
use crate::error::Result;
use crate::graph::{COLOCATION, DeviceSpec, Graph, attrs, check_scope};
use crate::message::Writer;
use crate::schema::field::graph_def;
use crate::schema::tensorflow::{AttrValue, FullTypeDef, FullTypeId, NodeDef};
use crate::tensor::DType;

/// The attribute of nodes with outgoing control edges.
const MANUAL: &str = "_has_manual_control_dependencies";

/// The attributes of a node.
pub(super) type Attrs = Vec<(&'static str, AttrValue)>;

/// The nodes of a saver.
pub(super) struct SaverNodes<'g> {
    graph: &'g Graph<'g>,
    names: UniqueNames,
    /// The scope of the nodes, with its `/`; empty for the root.
    scope: String,
    /// The device of new nodes.
    device: DeviceSpec,
    new: Vec<NodeDef>,
    /// The positions of the new nodes by name.
    by_name: BTreeMap<String, usize>,
    /// The sources of control edges.
    awaited: BTreeSet<String>,
}

impl<'g> SaverNodes<'g> {
    /// Opens the scope `name`.
    ///
    /// # Errors
    /// If it is not a valid name of a scope.
    pub(super) fn new(graph: &'g Graph<'g>, name: Option<&str>, taken: TakenNames) -> Result<Self> {
        let name = name.unwrap_or("save");
        check_scope(name)?;
        let base = name.strip_suffix('/').unwrap_or(name);
        let mut names = UniqueNames::new(graph, base, taken);
        let scope = match name {
            "" => String::new(),
            _ if name.ends_with('/') => name.to_owned(),
            _ => names.unique(name) + "/",
        };
        let (device, new) = (DeviceSpec::default(), Vec::new());
        let (by_name, awaited) = (BTreeMap::new(), BTreeSet::new());
        Ok(Self { graph, names, scope, device, new, by_name, awaited })
    }

    /// An unused name in the scope.
    pub(super) fn name(&mut self, name: &str) -> String {
        self.names.unique(&format!("{}{name}", self.scope))
    }

    /// An unused name in the scope of a node.
    pub(super) fn name_in(&mut self, outer: &str, name: &str) -> String {
        self.names.unique(&format!("{outer}/{name}"))
    }

    /// Runs `f`, whose nodes are placed on `device`; its missing parts are those of the current device.
    pub(super) fn on<T>(
        &mut self,
        device: &DeviceSpec,
        f: impl FnOnce(&mut Self) -> Result<T>,
    ) -> Result<T> {
        let inner = merged(device, &self.device);
        let outer = std::mem::replace(&mut self.device, inner);
        let result = f(self);
        self.device = outer;
        result
    }

    /// Adds a node, and returns its name.
    pub(super) fn add(&mut self, op: &str, name: String, inputs: &[&str], attrs: Attrs) -> String {
        self.add_after(op, name, inputs, &[], attrs)
    }

    /// Adds a node that is named by its op.
    pub(super) fn add_named(&mut self, op: &str, inputs: &[&str], attrs: Attrs) -> String {
        let name = self.name(op);
        self.add(op, name, inputs, attrs)
    }

    /// Adds a node with control inputs `after`.
    pub(super) fn add_after(
        &mut self,
        op: &str,
        name: String,
        inputs: &[&str],
        after: &[String],
        attrs: Attrs,
    ) -> String {
        let device = self.device.to_string();
        self.push(op, name, inputs, after, device, attrs)
    }

    /// Adds a node that is colocated with the node `other`.
    pub(super) fn add_colocated(
        &mut self,
        other: &str,
        op: &str,
        name: String,
        inputs: &[&str],
        after: &[String],
        mut attrs: Attrs,
    ) -> String {
        let (device, groups) = self.placement(other);
        attrs.push(("_class", texts(&groups)));
        self.push(op, name, inputs, after, device, attrs)
    }

    /// Adds a constant.
    pub(super) fn constant(&mut self, name: &str, constant: Constant) -> String {
        let name = self.name(name);
        self.add_constant(name, constant)
    }

    /// Adds a constant in the scope of a node.
    pub(super) fn constant_in(&mut self, outer: &str, name: &str, constant: Constant) -> String {
        let name = self.name_in(outer, name);
        self.add_constant(name, constant)
    }

    fn add_constant(&mut self, name: String, Constant(ty, value): Constant) -> String {
        self.add("Const", name, &[], vec![("dtype", dtype(ty)), ("value", value)])
    }

    /// The device of a node, and the `_class` of nodes that are colocated with it.
    fn placement(&self, name: &str) -> (String, Vec<String>) {
        let own = || vec![format!("{COLOCATION}{name}")];
        if let Some(node) = self.by_name.get(name).and_then(|&at| self.new.get(at)) {
            return (node.device.clone(), own());
        }
        let Some(node) = self.graph.find(name).map(|id| self.graph.node(id)) else {
            return (String::new(), own());
        };
        let groups = attrs::texts(node.attr("_class").unwrap_or_default());
        let groups: BTreeSet<_> =
            groups.filter(|group| group.starts_with(COLOCATION)).map(str::to_owned).collect();
        let groups = if groups.is_empty() { own() } else { groups.into_iter().collect() };
        (node.device.to_owned(), groups)
    }

    fn push(
        &mut self,
        op: &str,
        name: String,
        inputs: &[&str],
        after: &[String],
        device: String,
        attrs: Attrs,
    ) -> String {
        let mut input: Vec<String> = inputs.iter().map(|&input| input.to_owned()).collect();
        let after: BTreeSet<&String> = after.iter().collect();
        input.extend(after.iter().map(|name| format!("^{name}")));
        self.awaited.extend(after.into_iter().cloned());
        let attr = attrs.into_iter().map(|(name, value)| (name.to_owned(), value)).collect();
        self.by_name.insert(name.clone(), self.new.len());
        let op = op.to_owned();
        self.new.push(NodeDef {
            name: name.clone(),
            op,
            input,
            device,
            attr,
            ..NodeDef::default()
        });
        name
    }

    /// Adds a node that returns the shape of a tensor as int32, with its full type, as TensorFlow does.
    pub(super) fn add_shape(&mut self, tensor: &str, ty: DType) -> String {
        let attrs = vec![("T", dtype(ty)), ("out_type", dtype(DType::I32))];
        let name = self.add_named("Shape", &[tensor], attrs);
        let full = |id: FullTypeId, args| FullTypeDef { type_id: id.into(), args, attr: None };
        let element = full(FullTypeId::TftInt32, Vec::new());
        let shape = full(FullTypeId::TftShapeTensor, vec![element]);
        if let Some(node) = self.by_name.get(&name).and_then(|&at| self.new.get_mut(at)) {
            node.experimental_type = Some(full(FullTypeId::TftProduct, vec![shape]));
        }
        name
    }

    /// The device of a new node.
    pub(super) fn device_of(&self, name: &str) -> &str {
        let node = self.by_name.get(name).and_then(|&at| self.new.get(at));
        node.map_or("", |node| &node.device)
    }

    /// Encodes the nodes as records of a graph.
    pub(super) fn encode(self) -> Vec<u8> {
        let mut out = Writer::default();
        for mut node in self.new {
            if self.awaited.contains(&node.name) {
                node.attr.insert(MANUAL.to_owned(), truth(true));
            }
            out.put_bytes(graph_def::NODE, &node.encode_to_vec());
        }
        out.finish()
    }
}
