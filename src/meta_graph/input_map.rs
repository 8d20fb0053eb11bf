//! The inputs that an import replaces by other tensors.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};

use super::definitions::Definitions;
use super::names::{ImportScope, Rename};
use super::options::ImportOptions;
use super::unique::UsedNames;
use crate::error::{Error, Result, shortened};
use crate::graph::{Graph, TensorName, node_of};
use crate::suggestion;
use crate::tensor::{DType, REFERENCE};

/// The replacements of inputs.
pub(super) struct InputMap<'a> {
    /// The replacements by node and output, which is `^` for a control input.
    map: BTreeMap<(&'a str, &'a str), Cow<'a, str>>,
}

impl<'a> InputMap<'a> {
    /// The replacements in `options`, whose inputs must be in `graph`.
    ///
    /// # Errors
    /// If one of them is not.
    pub(super) fn new(
        options: &'a ImportOptions<'_>,
        graph: &Graph<'_>,
        definitions: &Definitions<'_>,
    ) -> Result<Self> {
        let mut map = BTreeMap::new();
        let inputs = || graph.nodes().iter().flat_map(|node| graph.inputs(node));
        let known: BTreeSet<(&str, &str)> = if options.input_map.is_empty() {
            BTreeSet::new()
        } else {
            inputs().map(|input| tensor(input.text)).collect()
        };
        for (from, to) in &options.input_map {
            let key = tensor(from);
            let is_known = known.contains(&key);
            // A node of this name has outputs, but `^x:0` orders nothing.
            let is_control_of_output = from.starts_with('^') && from.contains(':');
            if is_control_of_output || !is_known && graph.find(key.0).is_none() {
                let names = known.iter().map(|(name, _)| *name);
                let hint = suggestion::hint(key.0.as_bytes(), names);
                return Err(Error::not_found(format!(
                    "input_map names {}, which is not in the graph{hint}",
                    shortened(from)
                )));
            }
            // What a node takes as its input may be an output that does not exist.
            if let Some(id) = graph.find(key.0).filter(|_| key.1 != "^" && !is_known) {
                let number = key.1.parse().map_err(|_| no_tensor(from))?;
                definitions.output(graph.node(id), number).map_err(in_map)?;
            }
            let to = match (key.1, to.strip_prefix('^')) {
                ("^", _) => Cow::Owned(format!("^{}", node_of(to))),
                (_, None) => Cow::Borrowed(&**to),
                (_, Some(_)) => {
                    return Err(Error::usage(format!(
                        "input_map: {} is not a tensor, as {} must be",
                        shortened(to),
                        shortened(from)
                    )));
                }
            };
            map.insert(key, to);
        }
        Ok(Self { map })
    }

    /// Whether there are no replacements.
    pub(super) fn is_empty(&self) -> bool {
        self.map.is_empty()
    }

    /// The replacement of an input.
    pub(super) fn of<'b>(&'b self, input: &'b str) -> Option<&'b Cow<'a, str>> {
        if self.is_empty() { None } else { self.map.get(&tensor(input)) }
    }

    /// The replacement of an output of a node.
    pub(super) fn of_output(&self, node: &str, number: i32) -> Option<String> {
        self.map.get(&(node, &*number.to_string())).map(|new| new.to_string())
    }

    /// Checks that nodes of `graph` get inputs of the dtypes that they take, as far as the definitions tell: TensorFlow accepts the value of a
    /// reference, but no reference in place of which there is only a value.
    ///
    /// # Errors
    /// If a replacement is an output that its node in `into` does not have, or of another dtype than a node takes.
    pub(super) fn check_dtypes(
        &self,
        (graph, definitions): (&Graph<'_>, &Definitions<'_>),
        (into, of_into): (&Graph<'_>, &Definitions<'_>),
    ) -> Result<()> {
        let mut dtypes = BTreeMap::new();
        for to in self.map.values().filter(|to| !to.starts_with('^')) {
            let TensorName { node, .. } = TensorName::parse(to);
            if let Some(id) = into.find(node) {
                let number = TensorName::parse(to).output().ok_or_else(|| no_tensor(to))?;
                dtypes.insert(&**to, of_into.output(into.node(id), number).map_err(in_map)?);
            }
        }
        for node in graph.nodes() {
            let inputs = graph.inputs(node);
            let bound = inputs.iter().enumerate().filter_map(|(at, input)| {
                let to = &**self.of(input.text).filter(|to| !to.starts_with('^'))?;
                Some((at, to, (*dtypes.get(to)?)?))
            });
            let mut bound = bound.peekable();
            if bound.peek().is_none() {
                continue;
            }
            let expected = definitions.inputs(node, inputs.len()).unwrap_or_default();
            for (at, to, found) in bound {
                let Some(&expected) = expected.get(at) else { continue };
                if !is_taken(found, expected) {
                    let field = format!("input_map: input {at} of {}", shortened(node.name));
                    let found = format!("{} from {}", dtype(found), shortened(to));
                    let error = Error::unexpected("dtype", found, dtype(expected));
                    return Err(error.in_field(&field));
                }
            }
        }
        Ok(())
    }

    /// Checks the inputs that are not replaced: they are outputs that their nodes have, of the dtypes that are taken as far as the definitions
    /// tell, and the control inputs come last.
    ///
    /// # Errors
    /// If one of them is not.
    pub(super) fn check_inputs(
        &self,
        graph: &Graph<'_>,
        definitions: &Definitions<'_>,
    ) -> Result<()> {
        for node in graph.nodes() {
            let inputs = graph.inputs(node);
            let count = inputs.iter().take_while(|input| !input.is_control).count();
            if let Some(late) = inputs.iter().skip(count).find(|input| !input.is_control) {
                let (name, text) = (shortened(node.name), shortened(late.text));
                return Err(Error::usage(format!(
                    "node {name}: input {text} is after control inputs"
                )));
            }
            let expected = definitions.inputs(node, count).unwrap_or_default();
            for (at, input) in inputs.iter().take(count).enumerate() {
                let source = input.source.filter(|_| self.of(input.text).is_none());
                let (Some(source), Ok(number)) = (source, input.port.parse()) else { continue };
                let found = definitions.output(graph.node(source), number);
                let of_input = || format!("input {at} of {}", shortened(node.name));
                let found = found.map_err(|error| error.in_field(&of_input()))?;
                let (Some(found), Some(&expected)) = (found, expected.get(at)) else { continue };
                if !is_taken(found, expected) {
                    let found = format!("{} from {}", dtype(found), shortened(input.text));
                    let error = Error::unexpected("dtype", found, dtype(expected));
                    return Err(error.in_field(&of_input()));
                }
            }
        }
        Ok(())
    }

    /// Checks that the replacements are nodes of the resulting graph.
    pub(super) fn check_values(
        &self,
        names: &UsedNames<'_>,
        placed: &ImportScope<'_>,
        taken: &UsedNames<'_>,
    ) -> Result<()> {
        if self.map.is_empty() {
            return Ok(());
        }
        let new: BTreeSet<_> = names.iter().map(|name| placed.rename(name)).collect();
        for value in self.map.values() {
            let node = node_of(value);
            if !taken.has_node(node) && !new.contains(node) {
                let all = new.iter().map(|name| &**name).chain(taken.iter());
                let hint = suggestion::hint(node.as_bytes(), all);
                return Err(Error::not_found(format!(
                    "input_map binds to {}, which is in neither graph{hint}",
                    shortened(value)
                )));
            }
        }
        Ok(())
    }
}

/// Whether an input of the dtype `expected`, which is 0 if unknown, accepts one of `found`: TensorFlow accepts the value of a reference.
fn is_taken(found: i32, expected: i32) -> bool {
    let is_value = expected < REFERENCE && found == expected + REFERENCE;
    found == expected || is_value || expected == 0
}

fn in_map(error: Error) -> Error {
    error.in_field("input_map")
}

fn no_tensor(name: &str) -> Error {
    let expected = "NODE:OUTPUT, a node's name and a number";
    in_map(Error::unexpected("name of a tensor", shortened(name), expected))
}

/// The name of a dtype, which may be a reference.
fn dtype(code: i32) -> String {
    match code.checked_sub(REFERENCE).filter(|code| *code > 0) {
        Some(value) => format!("a reference to {}", DType::name_of(value)),
        None => DType::name_of(code),
    }
}

/// The node and the output of an input; the output is `^` for a control input.
fn tensor(input: &str) -> (&str, &str) {
    let name = TensorName::parse(input);
    (name.node, if name.is_control { "^" } else { name.port.unwrap_or("0") })
}
