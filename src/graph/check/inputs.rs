//! The inputs of a node: how they are written, what they name, and how many they are.

use super::body;
use super::scope::{Placed, Scope, counted};
use crate::graph::finding::Findings;
use crate::graph::{TensorName, node_of};

/// How inputs start that came from outside of an exported scope.
const UNBOUND: &str = "$unbound_inputs_";

/// What an input names.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Source {
    /// The position of the node; `None` for an argument of the function, or where it is not known.
    pub(super) node: Option<usize>,
    /// How many tensors it gives, where that can be told.
    pub(super) width: Option<u64>,
}

/// Checks the inputs of the node at `at`, and adds the edges that lead to it.
pub(super) fn check<'a>(
    scope: &Scope<'a>,
    at: usize,
    placed: &Placed<'a>,
    edges: &mut Vec<(usize, usize)>,
    findings: &mut Findings,
) {
    let node = placed.node;
    let mut data = Some(0_u64);
    let (mut control, mut back, mut is_entered) = (None, None, false);
    for (position, input) in scope.graph.inputs(node).iter().enumerate() {
        let input = input.text;
        let path = || format!("{}.input[{position}]", scope.path(node.name));
        let found = match input.strip_prefix('^') {
            Some(name) => {
                control = control.or(Some(input));
                controlling(scope, name)
            }
            None => {
                if let Some(control) = control {
                    findings.add(path, || {
                        format!("data input {input:?} stands behind control input {control:?}")
                    });
                }
                let found = match &scope.function {
                    Some(function) => body::source(scope, function, input),
                    None => output(scope, input),
                };
                let width = found.as_ref().map_or(Some(1), |source| source.width);
                data = data.zip(width).and_then(|(sum, width)| sum.checked_add(width));
                found
            }
        };
        match found {
            Ok(Source { node: Some(from), .. }) if is_back_edge(scope, from, placed) => {
                back = Some((from, at));
            }
            Ok(Source { node, width }) => {
                is_entered |= width != Some(0);
                edges.extend(node.map(|from| (from, at)));
            }
            Err(problem) => findings.add(path, || problem.to_string(scope)),
        }
    }
    // A loop that nothing enters is a cycle like any other.
    edges.extend(back.filter(|_| !is_entered));
    count(scope, placed, data, findings);
}

/// Holds the number of data inputs against what the op takes.
fn count(scope: &Scope<'_>, placed: &Placed<'_>, data: Option<u64>, findings: &mut Findings) {
    let signature = placed.signature.as_ref();
    let wanted = signature.and_then(|signature| signature.inputs.count(&placed.sizes));
    if let (Some(data), Some(wanted)) = (data, wanted)
        && data != wanted
    {
        findings.add(
            || scope.path(placed.node.name),
            || format!("has {}, op {} takes {wanted}", counted(data, "data input"), placed.node.op),
        );
    }
}

/// Whether the edge closes a loop as loops may be closed.
fn is_back_edge(scope: &Scope<'_>, from: usize, to: &Placed<'_>) -> bool {
    let from = scope.nodes.get(from);
    let is_next = |op| matches!(op, "NextIteration" | "RefNextIteration");
    let is_merge = matches!(to.node.op, "Merge" | "RefMerge" | "_XlaMerge");
    is_merge && from.is_some_and(|from| is_next(from.node.op))
}

/// What is wrong with an input; put into words only when it is told.
#[derive(Debug, Clone, Copy)]
pub(super) enum Problem<'a> {
    Empty,
    NoNode(&'a str),
    ControlPort(&'a str),
    Port(&'a str, &'a str),
    Outputs(&'a str, u64),
    /// An input of a function body that is written as one of a graph.
    OnlyNode(&'a str),
    /// A node, what was asked of it, and its op.
    NoOutput(&'a str, &'a str),
    /// An output that is a list, the position in it, and how many tensors it is.
    Width(&'a str, &'a str, u64),
}

impl Problem<'_> {
    pub(super) fn to_string(self, scope: &Scope<'_>) -> String {
        match self {
            Self::Empty => "names no node".into(),
            Self::NoNode(name) => match scope.function {
                Some(_) => format!("no node or argument {name:?}{}", scope.hint(name)),
                None => format!("no node {name:?}{}", scope.hint(name)),
            },
            Self::ControlPort(input) => {
                format!("control input \"^{input}\" has a port, only data inputs have")
            }
            Self::Port(input, port) => {
                format!("{port:?} in {input:?} is not the number of an output")
            }
            Self::Outputs(input, outputs) => {
                let name = node_of(input);
                format!("{input:?}: node {name:?} has {}", counted(outputs, "output"))
            }
            Self::OnlyNode(input) => {
                format!("{input:?} is a node, and its output must be named: {input}:OUTPUT:0")
            }
            Self::NoOutput(node, output) => {
                let names = scope.get(node).and_then(|placed| placed.signature.as_ref());
                let hint =
                    names.map(|signature| scope.search.hint(output, signature.outputs.names()));
                format!("node {node:?} has no output {output:?}{}", hint.unwrap_or_default())
            }
            Self::Width(input, name, width) => {
                format!("{input:?}: {name:?} is {}", counted(width, "tensor"))
            }
        }
    }
}

/// The node that a control input names.
fn controlling<'i>(scope: &Scope<'_>, name: &'i str) -> Result<Source, Problem<'i>> {
    if name.is_empty() {
        return Err(Problem::Empty);
    }
    let node = scope.position(name);
    let is_arg = || scope.function.as_ref().is_some_and(|function| function.inputs.has(name));
    match node {
        None if name.contains(':') => Err(Problem::ControlPort(name)),
        None if !is_arg() => Err(Problem::NoNode(name)),
        node => Ok(Source { node, width: Some(0) }),
    }
}

/// The output that a data input of a graph names.
fn output<'i>(scope: &Scope<'_>, input: &'i str) -> Result<Source, Problem<'i>> {
    if input.is_empty() {
        return Err(Problem::Empty);
    }
    let TensorName { node: name, port, .. } = TensorName::parse(input);
    let port = port.unwrap_or("0");
    let Some(node) = scope.position(name) else {
        // An exported scope: whoever imports it says what belongs there.
        if name.starts_with(UNBOUND) {
            return Ok(Source { node: None, width: Some(1) });
        }
        return Err(Problem::NoNode(name));
    };
    let Some(port) = number(port) else { return Err(Problem::Port(input, port)) };
    match scope.nodes.get(node).and_then(|placed| placed.outputs) {
        Some(outputs) if port >= outputs => Err(Problem::Outputs(input, outputs)),
        _ => Ok(Source { node: Some(node), width: Some(1) }),
    }
}

/// A position as inputs have it: digits alone.
pub(super) fn number(text: &str) -> Option<u64> {
    let is_number = !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    is_number.then(|| text.parse().ok())?
}
