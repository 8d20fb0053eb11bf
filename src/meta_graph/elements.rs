//! The nodes and tensors that an import returns.

use super::definitions::Definitions;
use super::input_map::InputMap;
use super::names::{ImportScope, Rename};
use crate::error::{Error, Result, shortened};
use crate::graph::{Graph, node_of};
use crate::suggestion;

/// The nodes and tensors of an imported graph.
pub(super) struct Elements<'a, 'm> {
    pub(super) graph: &'a Graph<'m>,
    pub(super) definitions: &'a Definitions<'m>,
    pub(super) bound: &'a InputMap<'a>,
}

impl Elements<'_, '_> {
    /// The new names of the requested elements.
    ///
    /// # Errors
    /// If one of them is neither a node nor an output that a node has.
    pub(super) fn returned(
        &self,
        elements: &[String],
        placed: &ImportScope<'_>,
    ) -> Result<Vec<String>> {
        let found = |element: &String| {
            let is_tensor = element.contains(':');
            if let Some(new) = self.bound.of(element).filter(|_| is_tensor) {
                return Ok(new.to_string());
            }
            self.check(element)?;
            Ok(placed.rename(element).into_owned())
        };
        elements.iter().map(found).collect()
    }

    fn check(&self, element: &str) -> Result<()> {
        let node = node_of(element);
        let output = element.get(node.len()..).and_then(|output| output.strip_prefix(':'));
        let number = output.map(str::parse::<u32>).transpose();
        let (false, Ok(number)) = (element.starts_with('^'), number) else {
            let found = format!("{:?}", shortened(element));
            return Err(Error::unexpected("element to return", found, "NODE or NODE:OUTPUT"));
        };
        let Some(id) = self.graph.find(node) else {
            let names = self.graph.nodes().iter().map(|node| node.name);
            let hint = suggestion::hint(node.as_bytes(), names);
            let kind = format!("{} is not in the graph{hint}", shortened(element));
            return Err(Error::not_found(kind));
        };
        if let Some(number) = number {
            let found = self.definitions.output(self.graph.node(id), number as usize);
            found.map_err(|error| error.in_field("element to return"))?;
        }
        Ok(())
    }
}
