//! What the save and restore nodes of a graph name: the keys of a checkpoint, and the variables behind them.
//!
//! ```text
//! Save(filename, tensor_names, data…)                           SaveSlices, SaveV2(…, tensor_names, shapes_and_slices, data…)
//! Restore(file_pattern, tensor_name)   RestoreSlice(…, tensor_name, shape_and_slice)   RestoreV2(…, tensor_names, shape_and_slices)
//! ```
//! Names and slices are string constants. Source: the op definitions, and what TensorFlow's savers wire.

use super::{Constant, Graph, Input, Node, NodeId, bytes_of};
use crate::message::{Packed, Records, Value, int32};
use crate::schema::Kind;

/// Nodes that are passed on the way to a variable.
const STEPS: usize = 8;

/// A node that saves or restores tensors.
#[derive(Debug, Clone)]
pub struct SaveNode {
    /// Its number in the graph.
    pub node: NodeId,
    /// What it does.
    pub action: Action,
    /// What it saves or restores, in its order; `None` where that is no constant.
    pub tensors: Option<Vec<SavedTensor>>,
    /// The constants that say so.
    pub constants: Vec<NodeId>,
}

/// What a node does.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Action {
    /// It writes a checkpoint.
    Save,
    /// It reads one.
    Restore,
}

/// A tensor of a checkpoint, as a node names it.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct SavedTensor {
    /// Its key in the checkpoint.
    pub key: String,
    /// The full shape and the slice of it, as in `7 2 0,3:0,2`; nothing where it is whole.
    pub slice: String,
    /// The number of its dtype, where the node says so.
    pub dtype: i32,
    /// The node that is saved, or that is given what was restored; the variable, where it can be found.
    pub variable: Option<NodeId>,
}

/// A variable that is given what was restored.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Target {
    /// The restore node.
    pub(crate) restore: NodeId,
    /// Which of the tensors that it names.
    pub(crate) output: u64,
    /// The variable.
    pub(crate) variable: NodeId,
    /// The node that assigns it.
    pub(crate) assign: NodeId,
    /// Whether it is given the variable's shape on the way.
    pub(crate) is_reshaped: bool,
}

/// How an op is wired.
struct Wiring {
    action: Action,
    /// Which of its inputs has the slices.
    slices: Option<usize>,
    /// Where its data begins, or which attribute has the dtypes of what it gives.
    data: usize,
    dtypes: &'static str,
}

const NAMES: usize = 1;

fn wiring(op: &str) -> Option<Wiring> {
    let wiring = |action, slices, data, dtypes| Some(Wiring { action, slices, data, dtypes });
    match op {
        "SaveV2" => wiring(Action::Save, Some(2), 3, "dtypes"),
        "SaveSlices" => wiring(Action::Save, Some(2), 3, "T"),
        "Save" => wiring(Action::Save, None, 2, "T"),
        "RestoreV2" => wiring(Action::Restore, Some(2), 3, "dtypes"),
        "RestoreSlice" => wiring(Action::Restore, Some(2), 3, "dt"),
        "Restore" => wiring(Action::Restore, None, 2, "dt"),
        _ => None,
    }
}

/// Whether an op writes tensors to a checkpoint.
pub(crate) fn is_save(op: &str) -> bool {
    wiring(op).is_some_and(|wiring| wiring.action == Action::Save)
}

impl<'m> Graph<'m> {
    /// The nodes that save or restore, in the order of the graph; linear.
    pub fn save_nodes(&self) -> Vec<SaveNode> {
        let found: Vec<_> =
            self.iter().filter_map(|(id, node)| Some((id, node, wiring(node.op)?))).collect();
        if found.is_empty() {
            return Vec::new();
        }
        let restored = self.targets();
        found
            .iter()
            .map(|(id, node, wiring)| self.save_node(*id, node, wiring, &restored))
            .collect()
    }

    fn save_node(
        &self,
        id: NodeId,
        node: &Node<'m>,
        wiring: &Wiring,
        restored: &[Target],
    ) -> SaveNode {
        let inputs = self.inputs(node);
        let names = self.constant(inputs.get(NAMES));
        let slices = wiring.slices.map(|slot| self.constant(inputs.get(slot)));
        let mut constants: Vec<_> = names.iter().map(|(id, _)| *id).collect();
        constants.extend(slices.iter().flatten().map(|(id, _)| *id));
        let dtypes = node.attr(wiring.dtypes).map(types).unwrap_or_default();
        let tensor = |position: usize, key: Vec<u8>| {
            let slice =
                slices.as_ref().and_then(|slices| slices.as_ref()?.1.get(position).cloned());
            let variable = match wiring.action {
                Action::Save => {
                    let input = inputs.get(wiring.data + position);
                    input.and_then(|input| self.variable(input.source?))
                }
                Action::Restore => {
                    targets_of(restored, id, position as u64).first().map(|target| target.variable)
                }
            };
            SavedTensor {
                key: String::from_utf8_lossy(&key).into_owned(),
                slice: String::from_utf8_lossy(&slice.unwrap_or_default()).into_owned(),
                dtype: dtypes.get(position).copied().unwrap_or_default(),
                variable,
            }
        };
        let tensors = names.map(|(_, names)| {
            names.into_iter().enumerate().map(|(position, key)| tensor(position, key)).collect()
        });
        SaveNode { node: id, action: wiring.action, tensors, constants }
    }

    /// The strings of the constant that an input comes from.
    fn constant(&self, input: Option<&Input<'m>>) -> Option<(NodeId, Vec<Vec<u8>>)> {
        let id = input?.source?;
        let node = self.node(id);
        let value = node.attr("value").filter(|_| node.op == "Const")?;
        let record =
            Records::new(value, 0).map_while(Result::ok).find(|record| record.number == 8)?;
        let constant = Constant::parse(bytes_of(&record)).ok()?;
        let strings = constant.byte_elements()?.into_iter().map(<[u8]>::to_vec);
        // A repeated name would be no list of names.
        (constant.tail() == 0).then(|| (id, strings.collect()))
    }

    /// The variable that a node gives the value of, or the node itself.
    fn variable(&self, mut id: NodeId) -> Option<NodeId> {
        for _ in 0..STEPS {
            let node = self.node(id);
            match node.op {
                "Identity" | "ReadVariableOp" | "Cast" => {
                    id = self.inputs(node).first()?.source?;
                }
                _ => break,
            }
        }
        Some(id)
    }

    /// The variables that are assigned from restore nodes, sorted.
    pub(crate) fn targets(&self) -> Vec<Target> {
        let assigned = |(assign, node): (NodeId, &Node<'m>)| {
            if !matches!(node.op, "Assign" | "AssignVariableOp") {
                return None;
            }
            let [target, value, ..] = self.inputs(node) else { return None };
            let (restore, output, is_reshaped) = self.restore_behind(value)?;
            Some(Target { restore, output, variable: target.source?, assign, is_reshaped })
        };
        let mut targets: Vec<_> = self.iter().filter_map(assigned).collect();
        targets.sort_unstable();
        targets
    }

    /// The restore node, and which of its outputs, that a value comes from; whether it is reshaped on the way.
    fn restore_behind(&self, value: &Input<'m>) -> Option<(NodeId, u64, bool)> {
        let mut input = *value;
        let mut is_reshaped = false;
        for _ in 0..STEPS {
            let id = input.source?;
            let node = self.node(id);
            if wiring(node.op).is_some_and(|wiring| wiring.action == Action::Restore) {
                // `0`, in functions `tensors:0`.
                let output = input.port.rsplit(':').next()?.parse().ok()?;
                return Some((id, output, is_reshaped));
            }
            if !is_passed_on(node.op) {
                return None;
            }
            is_reshaped |= node.op == "Reshape";
            input = *self.inputs(node).first()?;
        }
        None
    }

    /// The node and output that an input comes from, where that is a restore node.
    pub(crate) fn is_restored(&self, input: &Input<'m>) -> bool {
        let op = input.source.map(|id| self.node(id).op);
        op.and_then(wiring).is_some_and(|wiring| wiring.action == Action::Restore)
    }

    /// Nodes through which a restored value reaches its variable; in the order of the graph.
    pub(crate) fn restoring(&self) -> Vec<NodeId> {
        let is = |(id, node): (NodeId, &Node<'m>)| {
            let slot = usize::from(matches!(node.op, "Assign" | "AssignVariableOp"));
            let value = self.inputs(node).get(slot)?;
            let passes = slot == 1 || is_passed_on(node.op);
            (passes && self.restore_behind(value).is_some()).then_some(id)
        };
        self.iter().filter_map(is).collect()
    }
}

/// Those of the sorted `targets` that are given this output of a node.
pub(crate) fn targets_of(targets: &[Target], restore: NodeId, output: u64) -> &[Target] {
    let first =
        targets.partition_point(|target| (target.restore, target.output) < (restore, output));
    let rest = targets.get(first..).unwrap_or_default();
    let len = rest.partition_point(|target| (target.restore, target.output) == (restore, output));
    rest.get(..len).unwrap_or_default()
}

fn is_passed_on(op: &str) -> bool {
    matches!(op, "Identity" | "Reshape" | "Cast")
}

/// The types in an attribute: one, or a list.
fn types(value: &[u8]) -> Vec<i32> {
    let mut types = Vec::new();
    for record in Records::new(value, 0).map_while(Result::ok) {
        match (record.number, record.value) {
            (6, Value::Varint(code)) => types.push(int32(code)),
            (1, Value::Len(list)) => {
                for record in Records::new(list, 0).map_while(Result::ok) {
                    match (record.number, record.value) {
                        (6, Value::Varint(code)) => types.push(int32(code)),
                        (6, Value::Len(packed)) => {
                            for value in Packed::new(Kind::Uint64, packed, 0).map_while(Result::ok)
                            {
                                if let Value::Varint(code) = value {
                                    types.push(int32(code));
                                }
                            }
                        }
                        _ => {}
                    }
                }
            }
            _ => {}
        }
    }
    types
}
