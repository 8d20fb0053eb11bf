//! The variables of a graph, and those that a saver saves by default.

use prost::Message as _;

use crate::error::{Error, Result};
use crate::graph::{Graph, Node, node_of};
use crate::message::Message;
use crate::meta_graph::{Collections, Item, graph_of};
use crate::saver::VariableKind;
use crate::schema::KnownType;
use crate::schema::tensorflow::{SaveSliceInfoDef, VariableDef};
use crate::tensor::DType;

/// A variable, as a saver needs it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Variable {
    /// The name of its node.
    pub name: String,
    /// The kind of variable.
    pub kind: VariableKind,
    /// The dtype.
    pub dtype: DType,
    /// The declared shape; `None` stands for any dimension, or any shape.
    pub shape: Option<Vec<Option<u64>>>,
    /// The device of its node.
    pub device: String,
    /// The tensor with its value, such as `v/read:0` or `v/Read/ReadVariableOp:0`: the saved tensor of a whole resource variable, and of a
    /// slice that is a reference variable.
    pub snapshot: String,
    /// The device of that tensor's node.
    pub snapshot_device: String,
    /// The slice of a partitioned variable; `None` for a whole variable.
    pub slice: Option<SliceOf>,
}

/// A slice of a partitioned variable.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SliceOf {
    /// The name of the partitioned variable.
    pub full_name: String,
    /// The shape of the partitioned variable.
    pub full_shape: Vec<i64>,
    /// The start of the slice.
    pub var_offset: Vec<i64>,
    /// The shape of the slice.
    pub var_shape: Vec<i64>,
}

impl SliceOf {
    /// The form in savers: `4 2 0,2:0,2`.
    pub fn spec(&self) -> String {
        let full: String = self.full_shape.iter().map(|dim| format!("{dim} ")).collect();
        let extents = self.var_offset.iter().zip(&self.var_shape);
        let extents: Vec<String> = extents.map(|(from, len)| format!("{from},{len}")).collect();
        full + &extents.join(":")
    }
}

impl From<SaveSliceInfoDef> for SliceOf {
    fn from(slice: SaveSliceInfoDef) -> Self {
        let SaveSliceInfoDef { full_name, full_shape, var_offset, var_shape } = slice;
        Self { full_name, full_shape, var_offset, var_shape }
    }
}

/// The largest number of nodes between a cached value and the node that reads the variable.
const STEPS: usize = 64;

impl Variable {
    /// The whole variable with this name, with the snapshot that TensorFlow creates.
    ///
    /// # Errors
    /// If the graph has no such node, or it is not a variable.
    pub fn find(graph: &Graph<'_>, name: &str) -> Result<Self> {
        let node = find(graph, name)?;
        let kind = kind(node)?;
        let snapshot = match kind {
            VariableKind::Reference => format!("{name}/read:0"),
            VariableKind::Resource => format!("{name}/Read/ReadVariableOp:0"),
        };
        let snapshot_device = graph.find(node_of(&snapshot)).map(|id| graph.node(id).device);
        let snapshot_device = snapshot_device.unwrap_or_default().to_owned();
        Self::new(node, kind, snapshot, snapshot_device)
    }

    /// All variables of a graph without collections, each whole, in the order of the nodes.
    ///
    /// # Errors
    /// If one has no known dtype.
    pub fn all_in(graph: &Graph<'_>) -> Result<Vec<Self>> {
        let variables = graph.nodes().iter().filter(|node| kind(node).is_ok());
        variables.map(|node| Self::find(graph, node.name)).collect()
    }

    /// The variable that a `VariableDef` describes.
    ///
    /// # Errors
    /// If the graph lacks the node or its snapshot, or the node is not a variable.
    pub fn described(graph: &Graph<'_>, def: VariableDef) -> Result<Self> {
        let name = node_of(&def.variable_name);
        if def.snapshot_name.is_empty() {
            return Ok(Self {
                slice: def.save_slice_info_def.map(Into::into),
                ..Self::find(graph, name)?
            });
        }
        let node = find(graph, name)?;
        let kind = kind(node)?;
        let mut snapshot = def.snapshot_name;
        let mut read = find(graph, node_of(&snapshot))?;
        if kind == VariableKind::Resource {
            // A cached value comes from the node that reads the variable.
            for _ in 0..STEPS {
                let source = graph.inputs(read).first().filter(|_| read.op != "ReadVariableOp");
                let Some(source) = source else { break };
                snapshot = source.text.to_owned();
                read = find(graph, source.source_name())?;
            }
            if read.op != "ReadVariableOp" {
                return Err(Error::unexpected(
                    "snapshot of a variable",
                    snapshot,
                    "the output of a ReadVariableOp",
                ));
            }
        }
        let slice = def.save_slice_info_def.map(Into::into);
        Ok(Self { slice, ..Self::new(node, kind, snapshot, read.device.to_owned())? })
    }

    fn new(
        node: &Node<'_>,
        kind: VariableKind,
        snapshot: String,
        snapshot_device: String,
    ) -> Result<Self> {
        let name = node.name.to_owned();
        let code = node.types("dtype").first().copied().unwrap_or_default();
        let dtype = DType::stored("dtype", code).map_err(|error| error.in_field(&name))?;
        let (shape, device) = (node.declared_shape(), node.device.to_owned());
        let slice = None;
        Ok(Self { name, kind, dtype, shape, device, snapshot, snapshot_device, slice })
    }
}

fn find<'g, 'm>(graph: &'g Graph<'m>, name: &str) -> Result<&'g Node<'m>> {
    let id = graph.find(name).ok_or_else(|| {
        let shown = crate::error::shortened(name);
        Error::not_found(format!("the graph has no node {shown}"))
    })?;
    Ok(graph.node(id))
}

fn kind(node: &Node<'_>) -> Result<VariableKind> {
    VariableKind::of_op(node.op).ok_or_else(|| {
        let found = format!("{} ({})", crate::error::shortened(node.name), node.op);
        Error::unexpected("variable to save", found, "a VariableV2, Variable or VarHandleOp")
    })
}

/// The variables that a saver saves by default: those in the collections `variables` and `saveable_objects` of a `MetaGraphDef`; a `GraphDef`
/// has none.
///
/// # Errors
/// If a collection has other items, or the graph lacks a variable. Other objects in `saveable_objects`, such as tables, are not supported.
pub fn all_saveable(message: &Message<'_>) -> Result<Vec<Variable>> {
    let graph = Graph::new(graph_of(message)?)?;
    let mut found = Vec::new();
    if message.ty().known != Some(KnownType::MetaGraphDef) {
        return Ok(found);
    }
    let collections = Collections::of(message)?;
    for name in ["variables", "saveable_objects"] {
        const ITEM: &str = "item of a collection";
        const EXPECTED: &str = "a VariableDef";
        for item in collections.items(name) {
            found.push(match item {
                Item::Bytes(bytes) => {
                    let malformed = |error| Error::malformed(ITEM, EXPECTED, error).in_field(name);
                    Variable::described(&graph, VariableDef::decode(bytes).map_err(malformed)?)?
                }
                Item::Node(tensor) => Variable::find(&graph, node_of(tensor))?,
                other => {
                    let found = other.described();
                    return Err(Error::unexpected(ITEM, found, EXPECTED).in_field(name));
                }
            });
        }
    }
    Ok(found)
}
