//! The bodies of functions: the form of inputs, and the sources of results.
//!
//! ```text
//! input := argument | argument ":" index | node ":" output | node ":" output ":" index | "^" node
//! ```

use super::library::Function;
use super::scope::{NodeScope, function_path};
use super::signature::{Signature, Sizes};
use super::source::{InputFault, Source, number};
use crate::graph::TensorName;
use crate::graph::finding::Findings;
use crate::message::entries;
use crate::schema::field::function_def;

/// The source of a data input in the body of `function`, or of a result.
pub(super) fn source<'i>(
    scope: &NodeScope<'_>,
    function: &Signature<'_>,
    input: &'i str,
) -> Result<Source, InputFault<'i>> {
    if input.is_empty() {
        return Err(InputFault::Empty);
    }
    let TensorName { node: name, port: rest, .. } = TensorName::parse(input);
    if let Some(width) = function.inputs.width(name, &Sizes::default()) {
        return indexed(input, name, rest, width).map(|width| Source { node: None, width });
    }
    let Some(node) = scope.position(name) else { return Err(InputFault::NoNode(name)) };
    let Some(rest) = rest else { return Err(InputFault::OnlyNode(input)) };
    let TensorName { node: output, port: index, .. } = TensorName::parse(rest);
    let Some(resolved) = scope.nodes.get(node) else { return Err(InputFault::NoNode(name)) };
    let Some(signature) = &resolved.signature else {
        return Ok(Source { node: Some(node), width: None });
    };
    match signature.outputs.width(output, &resolved.sizes) {
        None => Err(InputFault::NoOutput(name, output)),
        Some(width) => {
            indexed(input, output, index, width).map(|width| Source { node: Some(node), width })
        }
    }
}

/// The number of tensors at `index` of a list of `width` tensors.
fn indexed<'i>(
    input: &'i str,
    name: &'i str,
    index: Option<&'i str>,
    width: Option<u64>,
) -> Result<Option<u64>, InputFault<'i>> {
    let Some(index) = index else { return Ok(width) };
    match (number(index), width) {
        (None, _) => Err(InputFault::Port(input, index)),
        (Some(position), Some(width)) if position >= width => {
            Err(InputFault::Width(input, name, width))
        }
        _ => Ok(Some(1)),
    }
}

/// Checks that each result of the signature has a source.
pub(super) fn check_results(
    scope: &NodeScope<'_>,
    function: &Function<'_>,
    findings: &mut Findings,
) {
    let signature = &function.signature;
    let results: Vec<_> = signature.output_arg.iter().map(|arg| &*arg.name).collect();
    check_map(function, ("ret", function_def::RET, "output"), &results, findings, |value| {
        source(scope, scope.function.as_ref()?, value).err().map(|p| p.to_string(scope))
    });
    let controls: Vec<_> = signature.control_output.iter().map(|name| &**name).collect();
    check_map(
        function,
        ("control_ret", function_def::CONTROL_RET, "control output"),
        &controls,
        findings,
        |value| {
            let is_missing = scope.position(value).is_none();
            is_missing.then(|| format!("no node {value:?}{}", scope.hint(value)))
        },
    );
}

/// Checks a map whose keys must be `wanted`; `field` has its name, its number, and a word for its keys.
fn check_map(
    function: &Function<'_>,
    field: (&str, u32, &str),
    wanted: &[&str],
    findings: &mut Findings,
    problem: impl Fn(&str) -> Option<String>,
) {
    let (map, number, what) = field;
    let name = &function.signature.name;
    let base = || format!("{}.{map}", function_path(name));
    let mut sorted = wanted.to_vec();
    sorted.sort_unstable();
    let mut given = Vec::new();
    for (key, value) in entries(function.bytes, number) {
        given.push(key);
        let path = || format!("{}[{key:?}]", base());
        if sorted.binary_search(&key).is_err() {
            findings.add(path, || format!("function {name} has no {what} {key:?}"));
        }
        if let Some(problem) = problem(str::from_utf8(value).unwrap_or_default()) {
            findings.add(path, || problem);
        }
    }
    for key in wanted.iter().filter(|key| given.binary_search(key).is_err()) {
        findings.add(base, || format!("{what} {key:?} is missing"));
    }
}
