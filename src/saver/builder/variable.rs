//! The variables of a graph, and which of them a saver saves by default.

use prost_reflect::prost::Message as _;

use crate::error::{Error, ErrorKind, Result};
use crate::graph::{Graph, Node, attrs, node_of};
use crate::message::Message;
use crate::message::entries;
use crate::saver::VariableKind;
use crate::schema::field::meta_graph_def;
use crate::schema::tensorflow::{CollectionDef, SaveSliceInfoDef, VariableDef, collection_def};
use crate::tensor::DType;

/// A variable, as far as a saver has to know it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Variable {
    /// Its name: that of its node.
    pub name: String,
    /// How the graph holds it.
    pub kind: VariableKind,
    /// The type of its elements.
    pub dtype: DType,
    /// Its shape, as far as its node says: `None` in place of a dimension, or of all of them.
    pub shape: Option<Vec<Option<u64>>>,
    /// The device of its node.
    pub device: String,
    /// The tensor with its value, as in `v/read:0` or `v/Read/ReadVariableOp:0`: what is saved of a resource variable that is whole,
    /// and of a reference variable that is a part.
    pub snapshot: String,
    /// The device of that tensor's node.
    pub snapshot_device: String,
    /// Which part of another variable it is; `None` where it is whole.
    pub slice: Option<SliceOf>,
}

/// The part that a variable is of a partitioned one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SliceOf {
    /// The name of the whole.
    pub full_name: String,
    /// The shape of the whole.
    pub full_shape: Vec<i64>,
    /// Where the part begins.
    pub var_offset: Vec<i64>,
    /// The shape of the part.
    pub var_shape: Vec<i64>,
}

impl SliceOf {
    /// As savers write it: `4 2 0,2:0,2`.
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

/// How many nodes are passed on the way from a cached value to the node that reads the variable.
const STEPS: usize = 64;

impl Variable {
    /// The variable of this name, whole, with the snapshot that TensorFlow gives it.
    ///
    /// # Errors
    /// When the graph has no such node, or it is no variable.
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

    /// All variables of a graph, whole, in the order of its nodes: for a graph that comes without collections.
    ///
    /// # Errors
    /// When one has no known dtype.
    pub fn all_in(graph: &Graph<'_>) -> Result<Vec<Self>> {
        let variables = graph.nodes().iter().filter(|node| kind(node).is_ok());
        variables.map(|node| Self::find(graph, node.name)).collect()
    }

    /// The variable that a `VariableDef` describes.
    ///
    /// # Errors
    /// When the graph has no such node, it is no variable, or the nodes that it names are not there.
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
            // A cached value is passed on from the node that reads.
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
                    "a ReadVariableOp gives it",
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
        let code = node.attr("dtype").map(attrs::types).unwrap_or_default();
        let dtype = code.first().and_then(|&code| DType::from_code(code)).ok_or_else(|| {
            let found = format!("{code:?} of {}", crate::error::shortened(&name));
            Error::unexpected("dtype of a variable", found, "it must be one of types.proto")
        })?;
        let (shape, device) = (node.declared_shape(), node.device.to_owned());
        let slice = None;
        Ok(Self { name, kind, dtype, shape, device, snapshot, snapshot_device, slice })
    }
}

fn find<'g, 'm>(graph: &'g Graph<'m>, name: &str) -> Result<&'g Node<'m>> {
    let id = graph.find(name).ok_or_else(|| {
        let shown = crate::error::shortened(name);
        Error::from(ErrorKind::NotFound(format!("the graph has no node {shown}")))
    })?;
    Ok(graph.node(id))
}

fn kind(node: &Node<'_>) -> Result<VariableKind> {
    match node.op {
        "VariableV2" | "Variable" | "AutoReloadVariable" => Ok(VariableKind::Reference),
        "VarHandleOp" => Ok(VariableKind::Resource),
        op => {
            let found = format!("{} ({op})", crate::error::shortened(node.name));
            Err(Error::unexpected(
                "variable to save",
                found,
                "VariableV2, Variable and VarHandleOp are variables",
            ))
        }
    }
}

/// The variables that a saver saves where it is not told which: those in the collections `variables` and
/// `saveable_objects` of a `MetaGraphDef`; a `GraphDef` has none.
///
/// # Errors
/// When a collection holds something else, or the graph lacks what it describes. Objects in `saveable_objects` that are no
/// variables, such as tables, are not built into savers yet.
pub fn all_saveable(message: &Message<'_>) -> Result<Vec<Variable>> {
    let graph = Graph::new(crate::saver::graph_of(message)?)?;
    let mut found = Vec::new();
    if &*message.ty().full_name != "tensorflow.MetaGraphDef" {
        return Ok(found);
    }
    for name in ["variables", "saveable_objects"] {
        match collection(message, name)? {
            Some(collection_def::Kind::BytesList(list)) => {
                for bytes in list.value {
                    let def = VariableDef::decode(&*bytes).map_err(|error| {
                        Error::unexpected("item of a collection", error, "it must be a VariableDef")
                            .in_field(name)
                    })?;
                    found.push(Variable::described(&graph, def)?);
                }
            }
            Some(collection_def::Kind::NodeList(list)) => {
                for tensor in list.value {
                    found.push(Variable::find(&graph, node_of(&tensor))?);
                }
            }
            Some(_) => {
                let found = format!("a list of another kind in {name}");
                return Err(Error::unexpected("collection", found, "it must hold VariableDefs"));
            }
            None => {}
        }
    }
    Ok(found)
}

/// A collection of a meta graph, where it has anything.
pub(super) fn collection(
    message: &Message<'_>,
    wanted: &str,
) -> Result<Option<collection_def::Kind>> {
    let mut all = entries(message.bytes(), meta_graph_def::COLLECTION_DEF);
    let Some((_, bytes)) = all.find(|(name, _)| *name == wanted) else { return Ok(None) };
    let collection = CollectionDef::decode(bytes)
        .map_err(|error| Error::unexpected("collection", error, "it must be a CollectionDef"))?;
    Ok(collection.kind)
}
