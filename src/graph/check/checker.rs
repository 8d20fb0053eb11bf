//! Checks each scope of a graph, node by node.

use super::library::{Function, Library};
use super::scope::{NodeScope, ResolvedNode, function_path, listed};
use super::signature::{Signature, Signatures};
use super::{attrs, body, cycles, inputs, name, recursion};
use crate::graph::device::DeviceSpec;
use crate::graph::finding::{Checked, Findings};
use crate::graph::{Graph, NodeKind, OpTable};
use crate::schema::tensorflow::OpDef;

/// Checks a graph and the functions of its library, and keeps the first `limit` findings.
///
/// Takes `n log n` time and linear memory in the size of the graph, and does not recurse.
///
/// ```
/// use ckdiff::graph::{Graph, OpTable, check};
/// use ckdiff::schema::Schema;
/// use ckdiff::text::{ParseOptions, parse};
///
/// let schema = Schema::tensorflow();
/// let ty = schema.message("tensorflow.GraphDef").unwrap();
/// let text = "node { name: 'a' op: 'NoOp' } node { name: 'b' op: 'NoOp' input: '^c' }";
/// let (graph, _) = parse(schema, ty, text.as_bytes(), &ParseOptions::default())?;
/// let checked = check(&Graph::new(graph.bytes())?, OpTable::builtin(), 20);
/// assert_eq!(checked.findings[0].to_string(), r#"node["b"].input[0]: no node "c""#);
/// # Ok::<(), ckdiff::Error>(())
/// ```
pub fn check(graph: &Graph<'_>, ops: &OpTable<'_>, limit: usize) -> Checked {
    let library = Library::new(graph.library());
    let mut checker = Checker {
        signatures: Signatures::new(ops, &library),
        producer: graph.producer(),
        findings: Findings::new(limit),
    };
    let scope = NodeScope::new(None, graph, &mut checker.signatures);
    checker.scope(&scope);
    for function in &library.functions {
        checker.function(ops, &library, function);
    }
    recursion::check(&library, &mut checker.findings);
    checker.findings.finish()
}

/// The state of a check.
struct Checker<'a> {
    signatures: Signatures<'a>,
    producer: i32,
    findings: Findings,
}

impl<'a> Checker<'a> {
    fn function(
        &mut self,
        ops: &OpTable<'_>,
        library: &'a Library<'a>,
        function: &'a Function<'a>,
    ) {
        let name = &function.signature.name;
        let path = || function_path(name);
        if library.conflicts.contains(&**name) {
            self.findings.add(path, || "an earlier function of this name differs".into());
        }
        if ops.definition(name).is_some() {
            self.findings.add(path, || "the name is that of an op".into());
        }
        let signature = Signature::new(&function.signature);
        let scope = NodeScope::new(Some(signature), &function.body, &mut self.signatures);
        self.scope(&scope);
        body::check_results(&scope, function, &mut self.findings);
    }

    fn scope(&mut self, scope: &NodeScope<'a>) {
        let mut edges = Vec::new();
        let is_node =
            |(_, resolved): &(usize, &ResolvedNode<'_>)| resolved.node.kind == NodeKind::Node;
        for (position, resolved) in scope.nodes.iter().enumerate().filter(is_node) {
            self.name(scope, position, resolved);
            self.op(scope, resolved);
            if let Some(signature) = &resolved.signature {
                attrs::check(scope, resolved, signature, &self.signatures, &mut self.findings);
            }
            inputs::check(scope, position, resolved, &mut edges, &mut self.findings);
            if let Err(error) = resolved.node.device.parse::<DeviceSpec>() {
                let path = || format!("{}.device", scope.path(resolved.node.name));
                self.findings.add(path, || error.to_string());
            }
        }
        for cycle in cycles::cycles(scope.nodes.len(), &edges) {
            self.cycle(scope, &cycle);
        }
    }

    fn name(&mut self, scope: &NodeScope<'a>, position: usize, resolved: &ResolvedNode<'a>) {
        let name = resolved.node.name;
        let path = || scope.path(name);
        if !name::is_valid(name, scope.function.is_some()) {
            self.findings.add(path, || {
                let start = "a name starts with a letter, a digit or a dot";
                format!("TensorFlow refuses this name: {start}, followed by these or _ / - >")
            });
        }
        match scope.graph.find(name).map(|first| (first, scope.graph.node(first).kind)) {
            Some((first, _)) if first.position() == position => {}
            Some((_, NodeKind::Argument(_))) => {
                self.findings.add(path, || "the name is that of an argument".into());
            }
            _ => self.findings.add(path, || "the name is taken by an earlier node".into()),
        }
    }

    fn op(&mut self, scope: &NodeScope<'a>, resolved: &ResolvedNode<'a>) {
        let (node, signatures) = (resolved.node, &self.signatures);
        let path = || format!("{}.op", scope.path(node.name));
        match &resolved.signature {
            _ if node.op.is_empty() => self.findings.add(path, || "is missing".into()),
            None => self.findings.add(path, || {
                let hint = signatures.search.hint(node.op, signatures.names());
                format!("{:?} is neither an op nor a function of the library{hint}", node.op)
            }),
            Some(signature) => {
                let producer = self.producer;
                if let Some(version) = gone_since(signature.op).filter(|since| *since <= producer) {
                    self.findings.add(path, || {
                        let removed =
                            format!("op {} was removed in GraphDef version {version}", node.op);
                        format!("{removed}; the graph's producer version is {producer}")
                    });
                }
            }
        }
    }

    fn cycle(&mut self, scope: &NodeScope<'_>, cycle: &[usize]) {
        let names = || cycle.iter().filter_map(|at| scope.name_at(*at));
        let first = names().next().unwrap_or_default();
        self.findings.add(
            || scope.path(first),
            || {
                if cycle.len() == 1 {
                    return "is an input of itself".into();
                }
                let through = listed(names().skip(1), cycle.len() - 1);
                format!("is in a cycle with {through}, and no node of it is a NextIteration")
            },
        );
    }
}

/// The version in which an op was removed.
fn gone_since(op: &OpDef) -> Option<i32> {
    op.deprecation.as_ref().map(|deprecation| deprecation.version)
}
