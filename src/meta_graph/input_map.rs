//! The inputs that an import replaces by other tensors.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};

use super::names::{ImportScope, Rename};
use super::options::ImportOptions;
use super::unique::UsedNames;
use crate::error::{Error, Result, shortened};
use crate::graph::{Graph, TensorName, node_of};
use crate::suggestion;

/// The replacements of inputs.
pub(super) struct InputMap<'a> {
    /// The replacements by node and output, which is `^` for a control input.
    map: BTreeMap<(&'a str, &'a str), Cow<'a, str>>,
}

impl<'a> InputMap<'a> {
    /// The replacements in `options`, whose inputs must be in `graph`.
    pub(super) fn new(options: &'a ImportOptions<'_>, graph: &Graph<'_>) -> Result<Self> {
        let mut map = BTreeMap::new();
        let inputs = || graph.nodes().iter().flat_map(|node| graph.inputs(node));
        let known: BTreeSet<(&str, &str)> = if options.input_map.is_empty() {
            BTreeSet::new()
        } else {
            inputs().map(|input| tensor(input.text)).collect()
        };
        for (from, to) in &options.input_map {
            let key = tensor(from);
            if !known.contains(&key) && graph.find(key.0).is_none() {
                let names = known.iter().map(|(name, _)| *name);
                let hint = suggestion::hint(key.0.as_bytes(), names);
                return Err(Error::not_found(format!(
                    "input_map names {}, which is not in the graph{hint}",
                    shortened(from)
                )));
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

/// The node and the output of an input; the output is `^` for a control input.
fn tensor(input: &str) -> (&str, &str) {
    let name = TensorName::parse(input);
    (name.node, if name.is_control { "^" } else { name.port.unwrap_or("0") })
}
