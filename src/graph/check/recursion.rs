//! Finds functions that call themselves, directly or through others.

use super::cycles::cycles;
use super::library::Library;
use super::scope::{function_path, listed};
use super::value::attrs;
use crate::graph::NodeKind;
use crate::graph::finding::Findings;

/// Follows the calls by nodes and by attributes, and adds one finding per group of functions that call each other.
pub(super) fn check(library: &Library<'_>, findings: &mut Findings) {
    let mut calls = Vec::new();
    for (caller, function) in library.functions.iter().enumerate() {
        for node in function.body.nodes().iter().filter(|node| node.kind == NodeKind::Node) {
            let named = attrs(node).flat_map(|(_, value)| value.functions());
            let called = std::iter::once(node.op).chain(named);
            calls.extend(called.filter_map(|name| Some((caller, library.position(name)?))));
        }
    }
    let name = |at: &usize| library.functions.get(*at).map(|function| &*function.signature.name);
    for group in cycles(library.functions.len(), &calls) {
        let first = group.first().and_then(name).unwrap_or_default();
        findings.add(
            || function_path(first),
            || match group.len() - 1 {
                0 => format!("function {first} calls itself"),
                others => {
                    let through = group.iter().skip(1).filter_map(name);
                    format!("function {first} calls itself, through {}", listed(through, others))
                }
            },
        );
    }
}
