//! Plans of models: nodes refer to each other by number, so a renamed node needs no other change.

use std::collections::BTreeMap;

use ckdiff::schema::tensorflow::{
    AttrValue, DataType, TensorProto, TensorShapeProto, attr_value::Value, tensor_shape_proto::Dim,
};

/// The number of a node in its plan.
pub(crate) type Id = usize;

/// The content of a meta graph.
#[derive(Debug, Clone, Default)]
pub(crate) struct Plan {
    /// The nodes by number; `None` for a removed node.
    pub nodes: Vec<Option<Piece>>,
    pub variables: Vec<Variable>,
    pub functions: Vec<Function>,
    pub loops: Vec<Loop>,
    /// The input and output node of each signature, by name.
    pub signatures: BTreeMap<String, (Id, Id)>,
    /// The nodes of the collection; without a node there is no collection.
    pub update_ops: Vec<Id>,
    pub saver: Option<Saver>,
    /// Whether the meta graph has an op list.
    pub has_op_list: bool,
}

/// A node.
#[derive(Debug, Clone, Default)]
pub(crate) struct Piece {
    pub name: String,
    pub op: &'static str,
    /// The nodes whose outputs are the data inputs, with the index of the output.
    pub inputs: Vec<(Id, usize)>,
    pub controls: Vec<Id>,
    pub attrs: BTreeMap<&'static str, Value>,
    pub device: String,
    /// The node that it is colocated with.
    pub beside: Option<Id>,
    /// The loop whose frame it enters.
    pub enters: Option<usize>,
    /// The function that it calls.
    pub calls: Option<usize>,
}

/// A variable and its nodes.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Variable {
    pub node: Id,
    pub initial: Id,
    pub assign: Id,
    pub read: Id,
    pub is_resource: bool,
    pub is_trainable: bool,
    /// The number of the half that it is, if partitioned.
    pub half: Option<usize>,
}

/// A function that adds a constant.
#[derive(Debug, Clone)]
pub(crate) struct Function {
    pub name: String,
    pub counter: u64,
    pub constant: f32,
}

/// A while loop of TensorFlow 1.
#[derive(Debug, Clone)]
pub(crate) struct Loop {
    pub scope: String,
    pub pivot: Id,
    pub pivot_for_body: Id,
    pub enters: Vec<Id>,
    pub exits: Vec<Id>,
}

#[derive(Debug, Clone, Copy)]
pub(crate) struct Saver {
    pub max_to_keep: i32,
}

impl Plan {
    pub(crate) fn add(&mut self, piece: Piece) -> Id {
        self.nodes.push(Some(piece));
        self.nodes.len() - 1
    }

    /// Adds a node whose inputs are the first outputs of other nodes.
    pub(crate) fn op(&mut self, name: String, op: &'static str, inputs: &[Id]) -> Id {
        let inputs = inputs.iter().map(|&id| (id, 0)).collect();
        let attrs = if op == "NoOp" { BTreeMap::new() } else { [("T", float())].into() };
        self.add(Piece { name, op, inputs, attrs, ..Piece::default() })
    }

    pub(crate) fn constant(&mut self, name: String, tensor: TensorProto) -> Id {
        let attrs = [("dtype", Value::Type(tensor.dtype)), ("value", Value::Tensor(tensor.into()))];
        self.add(Piece { name, op: "Const", attrs: attrs.into(), ..Piece::default() })
    }

    pub(crate) fn node(&self, id: Id) -> &Piece {
        self.nodes[id].as_ref().unwrap()
    }

    pub(crate) fn node_mut(&mut self, id: Id) -> &mut Piece {
        self.nodes[id].as_mut().unwrap()
    }

    /// The nodes that were not removed.
    pub(crate) fn ids(&self) -> Vec<Id> {
        (0..self.nodes.len()).filter(|&id| self.nodes[id].is_some()).collect()
    }

    /// The nodes in a scope, whose name ends with a slash.
    pub(crate) fn inside(&self, scope: &str) -> Vec<Id> {
        let mut ids = self.ids();
        ids.retain(|&id| self.node(id).name.starts_with(scope));
        ids
    }

    /// Renames a scope; both names end with a slash.
    pub(crate) fn rename_scope(&mut self, from: &str, to: &str) {
        let names = self.nodes.iter_mut().flatten().map(|piece| &mut piece.name);
        for name in names.chain(self.loops.iter_mut().map(|found| &mut found.scope)) {
            if let Some(rest) = name.strip_prefix(from) {
                *name = format!("{to}{rest}");
            }
        }
    }

    /// The nodes with a data input from this node, and the index of that input.
    pub(crate) fn consumers(&self, id: Id) -> Vec<(Id, usize)> {
        let takes = |by: Id| {
            let inputs = self.node(by).inputs.iter().enumerate();
            inputs.filter(move |(_, input)| input.0 == id).map(move |(slot, _)| (by, slot))
        };
        self.ids().into_iter().flat_map(takes).collect()
    }

    /// Whether anything besides data inputs refers to a node.
    pub(crate) fn is_named(&self, id: Id) -> bool {
        let nodes = self.nodes.iter().flatten();
        nodes.clone().any(|piece| piece.controls.contains(&id) || piece.beside == Some(id))
            || self.variables.iter().any(|v| [v.node, v.initial, v.assign, v.read].contains(&id))
            || self.loops.iter().any(|found| {
                let ends = [found.pivot, found.pivot_for_body];
                ends.contains(&id) || found.enters.contains(&id) || found.exits.contains(&id)
            })
            || self.signatures.values().any(|&(a, b)| a == id || b == id)
            || self.update_ops.contains(&id)
    }

    /// Whether the first output is a float tensor that any node can use.
    pub(crate) fn gives_floats(&self, id: Id) -> bool {
        let piece = self.node(id);
        let is_loop = matches!(
            piece.op,
            "Enter" | "Merge" | "Switch" | "NextIteration" | "LoopCond" | "Less" | "Exit"
        );
        let is_inner = self.loops.iter().any(|found| piece.name.starts_with(&found.scope));
        let is_float = piece.attrs.get("T").or(piece.attrs.get("dtype")) == Some(&float());
        is_float && !is_loop && !is_inner && !piece.op.contains("Var") && piece.op != "Assign"
    }
}

pub(crate) fn float() -> Value {
    Value::Type(DataType::DtFloat as i32)
}

pub(crate) fn shape(dims: &[i64]) -> TensorShapeProto {
    let dim = dims.iter().map(|&size| Dim { size, name: String::new() }).collect();
    TensorShapeProto { dim, unknown_rank: false }
}

/// A tensor of floats in one of three encodings: bytes, a list, or a list without the repeated last elements.
pub(crate) fn floats(values: &[f32], spelling: u64) -> TensorProto {
    let dtype = DataType::DtFloat as i32;
    let tensor_shape = Some(shape(&[values.len() as i64]));
    let mut tensor = TensorProto { dtype, tensor_shape, ..TensorProto::default() };
    match spelling % 3 {
        0 => tensor.tensor_content = values.iter().flat_map(|value| value.to_le_bytes()).collect(),
        1 => tensor.float_val = values.to_vec(),
        _ => {
            tensor.float_val = values.to_vec();
            let last = values.last().map(|value| value.to_bits());
            while let [.., a, _] = tensor.float_val[..]
                && Some(a.to_bits()) == last
            {
                tensor.float_val.pop();
            }
        }
    }
    tensor
}

/// The values of a tensor made by [`floats`].
pub(crate) fn values(tensor: &TensorProto) -> Vec<f32> {
    let len = tensor.tensor_shape.as_ref().map_or(0, |shape| shape.dim[0].size as usize);
    let content = tensor.tensor_content.chunks_exact(4);
    let mut values: Vec<f32> = content.map(|b| f32::from_le_bytes(b.try_into().unwrap())).collect();
    values.extend(&tensor.float_val);
    values.resize(len, values.last().copied().unwrap_or_default());
    values
}

pub(crate) fn strings(texts: &[String]) -> TensorProto {
    TensorProto {
        dtype: DataType::DtString as i32,
        tensor_shape: Some(shape(&[texts.len() as i64])),
        string_val: texts.iter().map(|text| text.as_bytes().to_vec()).collect(),
        ..TensorProto::default()
    }
}

pub(crate) fn attr(value: Value) -> AttrValue {
    AttrValue { value: Some(value) }
}
