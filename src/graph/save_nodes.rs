//! What the save and restore nodes of a graph name: the keys of a checkpoint, and the variables behind them.
//!
//! ```text
//! Save(filename, tensor_names, data…)                           SaveSlices, SaveV2(…, tensor_names, shapes_and_slices, data…)
//! Restore(file_pattern, tensor_name)   RestoreSlice(…, tensor_name, shape_and_slice)   RestoreV2(…, tensor_names, shape_and_slices)
//! ```
//! Names and slices are string constants. Source: the op definitions, and what TensorFlow's savers wire.

use super::{Constant, Graph, Input, Node, NodeId, attrs};

/// Nodes that are passed on the way to a variable.
const STEPS: usize = 8;

/// A node that saves or restores tensors.
#[derive(Debug, Clone)]
pub struct SaveNode {
    /// Its number in the graph.
    pub node: NodeId,
    /// What it does.
    pub action: Action,
    /// What it saves or restores, in its order; `None` where that is no constant, or names, slices and dtypes are not as many.
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
    /// Which output of that node is saved; nothing where something is restored.
    pub output: String,
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

/// How often the bytes of a graph are copied, if savers share the constants that name what they save.
const SHARED: usize = 16;

/// What a node lists, in one order, and the constants that say so.
struct Listed {
    names: Vec<String>,
    slices: Vec<String>,
    dtypes: Vec<i32>,
    constants: Vec<NodeId>,
}

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
        let mut room = SHARED * self.nodes().iter().map(|node| node.bytes.len()).sum::<usize>();
        let save_node = |(id, node, wiring): &(NodeId, &Node<'m>, Wiring)| {
            let listed = self.listed(node, wiring, &mut room);
            let constants = listed.iter().flat_map(|listed| listed.constants.clone()).collect();
            let tensors = listed.map(|listed| self.tensors((*id, node), wiring, listed, &restored));
            SaveNode { node: *id, action: wiring.action, tensors, constants }
        };
        found.iter().map(save_node).collect()
    }

    /// What a node lists, where all of it is constant and TensorFlow would take it.
    fn listed(&self, node: &Node<'m>, wiring: &Wiring, room: &mut usize) -> Option<Listed> {
        let dtypes = node.attr(wiring.dtypes).map(attrs::types).unwrap_or_default();
        let inputs = self.inputs(node);
        let (id, names) = self.strings(inputs.get(NAMES), room)?;
        let data = inputs.iter().skip(wiring.data).filter(|input| !input.is_control).count();
        let takes = if wiring.action == Action::Save { names.len() } else { 0 };
        if names.len() != dtypes.len() || data != takes {
            return None;
        }
        let mut constants = vec![id];
        let slices = match wiring.slices {
            Some(slot) => {
                let (id, slices) = self.strings(inputs.get(slot), room)?;
                constants.push(id);
                slices
            }
            None => vec![String::new(); names.len()],
        };
        (slices.len() == names.len()).then_some(Listed { names, slices, dtypes, constants })
    }

    fn tensors(
        &self,
        (id, node): (NodeId, &Node<'m>),
        wiring: &Wiring,
        listed: Listed,
        restored: &[Target],
    ) -> Vec<SavedTensor> {
        let Listed { names, slices, dtypes, .. } = listed;
        let all = names.into_iter().zip(slices).zip(dtypes).enumerate();
        all.map(|(position, ((key, slice), dtype))| {
            let (variable, output) = match wiring.action {
                Action::Save => {
                    let input = self.inputs(node).get(wiring.data + position);
                    input.and_then(|input| self.variable(input)).unzip()
                }
                Action::Restore => {
                    let target = targets_of(restored, id, position as u64).first();
                    (target.map(|target| target.variable), None)
                }
            };
            let output = output.unwrap_or_default().to_owned();
            SavedTensor { key, slice, dtype, variable, output }
        })
        .collect()
    }

    /// The strings of the constant that an input comes from, as far as there is room for them.
    fn strings(
        &self,
        input: Option<&Input<'m>>,
        room: &mut usize,
    ) -> Option<(NodeId, Vec<String>)> {
        let id = input?.source?;
        let node = self.node(id);
        let value = node.attr("value").filter(|_| node.op == "Const")?;
        *room = room.checked_sub(value.len())?;
        let constant = Constant::parse(attrs::tensor(value)?).ok()?;
        let strings = constant.byte_elements()?.into_iter();
        let strings = strings.map(|text| String::from_utf8_lossy(text).into_owned()).collect();
        // A repeated name would be no list of names.
        (constant.tail() == 0).then_some((id, strings))
    }

    /// The variable that an input gives the value of, or the node itself; and which of its outputs.
    fn variable(&self, input: &Input<'m>) -> Option<(NodeId, &'m str)> {
        let mut input = *input;
        for _ in 0..STEPS {
            let node = self.node(input.source?);
            match node.op {
                "Identity" | "ReadVariableOp" | "Cast" => input = *self.inputs(node).first()?,
                _ => break,
            }
        }
        Some((input.source?, input.port))
    }

    /// The variables that are assigned from restore nodes, sorted.
    pub(crate) fn targets(&self) -> Vec<Target> {
        let assigned = |(assign, node): (NodeId, &Node<'m>)| {
            if !is_assign(node.op) {
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
                return Some((id, output_number(&input)?, is_reshaped));
            }
            if !is_passed_on(node.op) {
                return None;
            }
            is_reshaped |= node.op == "Reshape";
            input = *self.inputs(node).first()?;
        }
        None
    }

    /// Whether an input comes from a restore node.
    pub(crate) fn is_restored(&self, input: &Input<'m>) -> bool {
        let op = input.source.map(|id| self.node(id).op);
        op.and_then(wiring).is_some_and(|wiring| wiring.action == Action::Restore)
    }

    /// Nodes through which a restored value reaches the variable that [`SavedTensor`] has for it, sorted; `nodes` are those that
    /// save and restore.
    pub(crate) fn restoring(&self, nodes: &[SaveNode]) -> Vec<NodeId> {
        let mut targets = self.targets();
        targets.dedup_by_key(|target| (target.restore, target.output));
        let mut found = Vec::new();
        for target in targets.iter().filter(|t| restored(nodes, t.restore, t.output).is_some()) {
            let mut id = target.assign;
            while id != target.restore {
                found.push(id);
                let Some(source) = self.passed_on(id).and_then(|input| input.source) else { break };
                id = source;
            }
        }
        found.sort_unstable();
        found.dedup();
        found
    }

    /// The input that a node assigns, or passes on.
    pub(crate) fn passed_on(&self, id: NodeId) -> Option<&Input<'m>> {
        let node = self.node(id);
        self.inputs(node).get(usize::from(is_assign(node.op)))
    }
}

/// The tensor that a restore node gives at an output, where it is known.
pub(crate) fn restored(nodes: &[SaveNode], restore: NodeId, output: u64) -> Option<&SavedTensor> {
    let at = nodes.binary_search_by_key(&restore, |node| node.node).ok()?;
    nodes.get(at)?.tensors.as_ref()?.get(usize::try_from(output).ok()?)
}

/// The number of the output that an input comes from: `0`, in functions `tensors:0`.
pub(crate) fn output_number(input: &Input<'_>) -> Option<u64> {
    input.port.rsplit(':').next()?.parse().ok()
}

fn is_assign(op: &str) -> bool {
    matches!(op, "Assign" | "AssignVariableOp")
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
