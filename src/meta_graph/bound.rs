//! Inputs that an import binds to other tensors.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};

use super::import::ImportOptions;
use super::names::{Placed, Rename, node_of};
use super::unique::Taken;
use crate::bytes::suggestion;
use crate::error::{ErrorKind, Result, shortened};
use crate::graph::Graph;

/// What inputs are to be instead.
pub(super) struct Bound<'a> {
    /// By node and output, `^` for a control input: what an input is instead.
    map: BTreeMap<(&'a str, &'a str), Cow<'a, str>>,
}

impl<'a> Bound<'a> {
    /// What `options` say, all of which is in `graph`.
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
                let kind =
                    format!("input_map names {}, which is not in the graph{hint}", shortened(from));
                return Err(ErrorKind::NotFound(kind).into());
            }
            let to = match (key.1, to.strip_prefix('^')) {
                ("^", _) => Cow::Owned(format!("^{}", node_of(to))),
                (_, None) => Cow::Borrowed(&**to),
                (_, Some(_)) => {
                    let kind = format!(
                        "input_map: {} is no tensor, which {} must be",
                        shortened(to),
                        shortened(from)
                    );
                    return Err(ErrorKind::Usage(kind).into());
                }
            };
            map.insert(key, to);
        }
        Ok(Self { map })
    }

    /// Whether nothing is bound.
    pub(super) fn is_empty(&self) -> bool {
        self.map.is_empty()
    }

    /// What an input is to be instead.
    pub(super) fn of<'b>(&'b self, input: &'b str) -> Option<&'b Cow<'a, str>> {
        if self.is_empty() { None } else { self.map.get(&tensor(input)) }
    }

    /// Whether what inputs are to be is a node of the graph that comes out.
    pub(super) fn check_values(
        &self,
        names: &Taken<'_>,
        placed: &Placed<'_>,
        taken: &Taken<'_>,
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
                let kind = format!(
                    "input_map binds to {}, which is in neither graph{hint}",
                    shortened(value)
                );
                return Err(ErrorKind::NotFound(kind).into());
            }
        }
        Ok(())
    }
}

/// The node and the output that an input means; `^` for a control input.
fn tensor(input: &str) -> (&str, &str) {
    match input.strip_prefix('^') {
        Some(name) => (name, "^"),
        None => input.split_once(':').unwrap_or((input, "0")),
    }
}
