//! The source of an input, or the reason why it has none.

use super::scope::{NodeScope, counted};
use crate::graph::node_of;

/// The source of an input.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Source {
    /// The position of the node; `None` for an argument of the function, or an unknown source.
    pub(super) node: Option<usize>,
    /// The number of tensors, if it is known.
    pub(super) width: Option<u64>,
}

/// What is wrong with an input; formatted only if it is reported.
#[derive(Debug, Clone, Copy)]
pub(super) enum InputFault<'a> {
    Empty,
    NoNode(&'a str),
    ControlPort(&'a str),
    Port(&'a str, &'a str),
    Outputs(&'a str, u64),
    /// An input of a function body in the form of a graph.
    OnlyNode(&'a str),
    /// A node, and the output that it does not have.
    NoOutput(&'a str, &'a str),
    /// The input, the name of an output that is a list, and the length of the list.
    Width(&'a str, &'a str, u64),
}

impl InputFault<'_> {
    pub(super) fn to_string(self, scope: &NodeScope<'_>) -> String {
        match self {
            Self::Empty => "names no node".into(),
            Self::NoNode(name) => match scope.function {
                Some(_) => format!("no node or argument {name:?}{}", scope.hint(name)),
                None => format!("no node {name:?}{}", scope.hint(name)),
            },
            Self::ControlPort(input) => {
                format!(
                    "control input \"^{input}\" has an output number, which only data inputs have"
                )
            }
            Self::Port(input, port) => {
                format!("{port:?} in {input:?} is not the number of an output")
            }
            Self::Outputs(input, outputs) => {
                let name = node_of(input);
                format!("{input:?}: node {name:?} has {}", counted(outputs, "output"))
            }
            Self::OnlyNode(input) => {
                format!("{input:?} is a node without an output; the form is {input}:OUTPUT:0")
            }
            Self::NoOutput(node, output) => {
                let names = scope.get(node).and_then(|resolved| resolved.signature.as_ref());
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

/// Parses the number of an output: digits only.
pub(super) fn number(text: &str) -> Option<u64> {
    let is_number = !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    is_number.then(|| text.parse().ok())?
}
