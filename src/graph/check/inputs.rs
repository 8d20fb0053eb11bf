//! Checks the inputs of a node: their form, their sources and their number.

use super::body;
use super::scope::{NodeScope, ResolvedNode, counted};
use super::source::{InputFault, Source, number};
use crate::graph::finding::Findings;
use crate::graph::{TensorName, UNBOUND};

/// Checks the inputs of the node at position `at`, and adds the edges to it.
pub(super) fn check<'a>(
    scope: &NodeScope<'a>,
    at: usize,
    resolved: &ResolvedNode<'a>,
    edges: &mut Vec<(usize, usize)>,
    findings: &mut Findings,
) {
    let node = resolved.node;
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
                        format!("data input {input:?} comes after control input {control:?}")
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
            Ok(Source { node: Some(from), .. }) if is_back_edge(scope, from, resolved) => {
                back = Some((from, at));
            }
            Ok(Source { node, width }) => {
                is_entered |= width != Some(0);
                edges.extend(node.map(|from| (from, at)));
            }
            Err(problem) => findings.add(path, || problem.to_string(scope)),
        }
    }
    // A loop that no other input enters is a cycle like any other.
    edges.extend(back.filter(|_| !is_entered));
    count(scope, resolved, data, findings);
}

/// Checks the number of data inputs against the definition of the op.
fn count(
    scope: &NodeScope<'_>,
    resolved: &ResolvedNode<'_>,
    data: Option<u64>,
    findings: &mut Findings,
) {
    let signature = resolved.signature.as_ref();
    let wanted = signature.and_then(|signature| signature.inputs.count(&resolved.sizes));
    if let (Some(data), Some(wanted)) = (data, wanted)
        && data != wanted
    {
        findings.add(
            || scope.path(resolved.node.name),
            || {
                format!(
                    "has {}, but op {} accepts {wanted}",
                    counted(data, "data input"),
                    resolved.node.op
                )
            },
        );
    }
}

/// Whether the edge closes a loop correctly, from a `NextIteration` to a `Merge`.
fn is_back_edge(scope: &NodeScope<'_>, from: usize, to: &ResolvedNode<'_>) -> bool {
    let from = scope.nodes.get(from);
    let is_next = |op| matches!(op, "NextIteration" | "RefNextIteration");
    let is_merge = matches!(to.node.op, "Merge" | "RefMerge" | "_XlaMerge");
    is_merge && from.is_some_and(|from| is_next(from.node.op))
}

/// The source of a control input.
fn controlling<'i>(scope: &NodeScope<'_>, name: &'i str) -> Result<Source, InputFault<'i>> {
    if name.is_empty() {
        return Err(InputFault::Empty);
    }
    let node = scope.position(name);
    let is_arg = || scope.function.as_ref().is_some_and(|function| function.inputs.has(name));
    match node {
        None if name.contains(':') => Err(InputFault::ControlPort(name)),
        None if !is_arg() => Err(InputFault::NoNode(name)),
        node => Ok(Source { node, width: Some(0) }),
    }
}

/// The source of a data input of a graph.
fn output<'i>(scope: &NodeScope<'_>, input: &'i str) -> Result<Source, InputFault<'i>> {
    if input.is_empty() {
        return Err(InputFault::Empty);
    }
    let TensorName { node: name, port, .. } = TensorName::parse(input);
    let port = port.unwrap_or("0");
    let Some(node) = scope.position(name) else {
        // In an exported scope, the importer supplies this input.
        if name.starts_with(UNBOUND) {
            return Ok(Source { node: None, width: Some(1) });
        }
        return Err(InputFault::NoNode(name));
    };
    let Some(port) = number(port) else { return Err(InputFault::Port(input, port)) };
    match scope.nodes.get(node).and_then(|resolved| resolved.outputs) {
        Some(outputs) if port >= outputs => Err(InputFault::Outputs(input, outputs)),
        _ => Ok(Source { node: Some(node), width: Some(1) }),
    }
}
