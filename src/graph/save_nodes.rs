//! Save and restore nodes: the keys of a checkpoint that they name, and the variables for these.
//!
//! Names and slices are string constants. Source: the graphs of TensorFlow's savers.

use super::save_op::{Action, NAMES, SLICES, SaveOp};
use super::{Constant, Graph, Input, Node, NodeId, attrs, is_constant};

/// The largest number of nodes between a save node and a variable.
const STEPS: usize = 8;

/// A node that saves or restores tensors.
#[derive(Debug, Clone)]
pub struct SaveNode {
    /// The number of the node.
    pub node: NodeId,
    /// Whether the node saves or restores.
    pub action: Action,
    /// The tensors in the order of the node; `None` if their names are not constant, or the numbers of names, slices and dtypes
    /// differ.
    pub tensors: Option<Vec<SavedTensor>>,
    /// The constants with the names and slices.
    pub constants: Vec<NodeId>,
}

/// A tensor of a checkpoint, as a node names it.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct SavedTensor {
    /// The key in the checkpoint.
    pub key: String,
    /// The full shape and the slice, such as `7 2 0,3:0,2`; empty for the whole tensor.
    pub slice: String,
    /// The number of the dtype, if the node has it.
    pub dtype: i32,
    /// The variable that is saved or restored, if it can be found; otherwise the node that is saved, or that receives the value.
    pub variable: Option<NodeId>,
    /// The output of that node that is saved; empty for a restore node.
    pub output: String,
}

/// A variable that receives a restored tensor.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Target {
    /// The restore node.
    pub(crate) restore: NodeId,
    /// The output of the restore node.
    pub(crate) output: u64,
    /// The variable.
    pub(crate) variable: NodeId,
    /// The node that assigns the value.
    pub(crate) assign: NodeId,
    /// Whether the tensor is reshaped to the shape of the variable.
    pub(crate) is_reshaped: bool,
}

/// The limit on copies of shared constants, as a multiple of the size of the graph.
const SHARED: usize = 16;

/// The tensors that a node lists, and the constants with their names.
struct ListedTensors {
    names: Vec<String>,
    slices: Vec<String>,
    dtypes: Vec<i32>,
    constants: Vec<NodeId>,
}

impl<'m> Graph<'m> {
    /// The save and restore nodes in the order of the graph. Takes linear time.
    pub fn save_nodes(&self) -> Vec<SaveNode> {
        let found: Vec<_> =
            self.iter().filter_map(|(id, node)| Some((id, node, SaveOp::of(node.op)?))).collect();
        if found.is_empty() {
            return Vec::new();
        }
        let restored = self.targets();
        let mut room = SHARED * self.nodes().iter().map(|node| node.bytes.len()).sum::<usize>();
        let save_node = |(id, node, op): &(NodeId, &Node<'m>, &SaveOp)| {
            let listed = self.listed(node, op, &mut room);
            let constants = listed.iter().flat_map(|listed| listed.constants.clone()).collect();
            let tensors = listed.map(|listed| self.tensors((*id, node), op, listed, &restored));
            SaveNode { node: *id, action: op.action, tensors, constants }
        };
        found.iter().map(save_node).collect()
    }

    /// The tensors that a node lists, if their names are constant and TensorFlow would accept them.
    fn listed(&self, node: &Node<'m>, op: &SaveOp, room: &mut usize) -> Option<ListedTensors> {
        let dtypes = node.types(op.dtypes);
        let inputs = self.inputs(node);
        let (id, names) = self.strings(inputs.get(NAMES), room)?;
        let data = inputs.iter().skip(op.data()).filter(|input| !input.is_control).count();
        let expected = if op.action == Action::Save { names.len() } else { 0 };
        if names.len() != dtypes.len() || data != expected {
            return None;
        }
        let mut constants = vec![id];
        let slices = match op.slices {
            Some(_) => {
                let (id, slices) = self.strings(inputs.get(SLICES), room)?;
                constants.push(id);
                slices
            }
            None => vec![String::new(); names.len()],
        };
        (slices.len() == names.len()).then_some(ListedTensors { names, slices, dtypes, constants })
    }

    fn tensors(
        &self,
        (id, node): (NodeId, &Node<'m>),
        op: &SaveOp,
        listed: ListedTensors,
        restored: &[Target],
    ) -> Vec<SavedTensor> {
        let ListedTensors { names, slices, dtypes, .. } = listed;
        let all = names.into_iter().zip(slices).zip(dtypes).enumerate();
        all.map(|(position, ((key, slice), dtype))| {
            let (variable, output) = match op.action {
                Action::Save => {
                    let input = self.inputs(node).get(op.data() + position);
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

    /// The strings of the constant that is the source of an input, if there is room for them.
    fn strings(
        &self,
        input: Option<&Input<'m>>,
        room: &mut usize,
    ) -> Option<(NodeId, Vec<String>)> {
        let id = input?.source?;
        let node = self.node(id);
        let value = node.attr("value").filter(|_| is_constant(node.op))?;
        *room = room.checked_sub(value.len())?;
        let constant = Constant::parse(attrs::tensor(value)?).ok()?;
        let strings = constant.byte_elements()?.into_iter();
        let strings = strings.map(|text| String::from_utf8_lossy(text).into_owned()).collect();
        // A list of names never repeats its last element.
        (constant.tail() == 0).then_some((id, strings))
    }

    /// The variable whose value an input has, or else the source node; and the output.
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

    /// The variables that restore nodes assign, sorted.
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

    /// The restore node and output that a value comes from, and whether it is reshaped.
    fn restore_behind(&self, value: &Input<'m>) -> Option<(NodeId, u64, bool)> {
        let mut input = *value;
        let mut is_reshaped = false;
        for _ in 0..STEPS {
            let id = input.source?;
            let node = self.node(id);
            if SaveOp::is(node.op, Action::Restore) {
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
        input.source.is_some_and(|id| SaveOp::is(self.node(id).op, Action::Restore))
    }

    /// The nodes between the restore nodes among `nodes` and their variables, sorted.
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

    /// The input that a node assigns or forwards.
    pub(crate) fn passed_on(&self, id: NodeId) -> Option<&Input<'m>> {
        let node = self.node(id);
        self.inputs(node).get(usize::from(is_assign(node.op)))
    }
}

/// The tensor at an output of a restore node, if it is known.
pub(crate) fn restored(nodes: &[SaveNode], restore: NodeId, output: u64) -> Option<&SavedTensor> {
    let at = nodes.binary_search_by_key(&restore, |node| node.node).ok()?;
    nodes.get(at)?.tensors.as_ref()?.get(usize::try_from(output).ok()?)
}

/// The number of the output that is the source of an input: `0`, in functions `tensors:0`.
pub(crate) fn output_number(input: &Input<'_>) -> Option<u64> {
    input.port.rsplit(':').next()?.parse().ok()
}

fn is_assign(op: &str) -> bool {
    matches!(op, "Assign" | "AssignVariableOp")
}

/// The targets, of the sorted `targets`, that receive this output of a node.
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
