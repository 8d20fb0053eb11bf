//! The nodes and tensors that an import returns.

use super::definitions::Definitions;
use super::input_map::InputMap;
use super::names::{ImportScope, Rename};
use crate::error::{Error, Result, shortened};
use crate::graph::{Graph, Node, node_of};
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
        elements.iter().map(|element| self.of(element, placed)).collect()
    }

    /// The new name of an element. A tensor has its number as TensorFlow writes it, also in place of `x:00` or `x:-1`, the last output.
    fn of(&self, element: &str, placed: &ImportScope<'_>) -> Result<String> {
        let node = node_of(element);
        let output = element.get(node.len()..).and_then(|output| output.strip_prefix(':'));
        // As Python, a sign is read too.
        let number = output.map(str::parse::<i32>).transpose();
        let (false, Ok(number)) = (element.starts_with('^'), number) else {
            let found = format!("{:?}", shortened(element));
            return Err(Error::unexpected("element to return", found, "NODE or NODE:OUTPUT"));
        };
        if let Some(new) = number.and_then(|number| self.bound.of_output(node, number)) {
            return Ok(if new.contains(':') { new } else { format!("{new}:0") });
        }
        let Some(id) = self.graph.find(node) else {
            let names = self.graph.nodes().iter().map(|node| node.name);
            let hint = suggestion::hint(node.as_bytes(), names);
            let kind = format!("{} is not in the graph{hint}", shortened(element));
            return Err(Error::not_found(kind));
        };
        let new = placed.rename(node);
        let Some(number) = number else { return Ok(new.into_owned()) };
        let number = self.number(self.graph.node(id), number);
        let number = number.map_err(|error| error.in_field("element to return"))?;
        Ok(format!("{new}:{number}"))
    }

    /// The number of an output of a node, where -1 is the last one.
    fn number(&self, node: &Node<'_>, number: i32) -> Result<usize> {
        /// More outputs than nodes have.
        const MAX: usize = 1 << 16;
        let is_output =
            |number: &usize| matches!(self.definitions.output(node, *number), Ok(Some(_)));
        let number = match number {
            -1 => (0..MAX).take_while(is_output).last().ok_or_else(|| {
                Error::not_found(format!("{} has no last output", shortened(node.name)))
            })?,
            number => usize::try_from(number).map_err(|_| {
                Error::unexpected("output", number, "the number of an output, or -1 for the last")
            })?,
        };
        self.definitions.output(node, number)?;
        Ok(number)
    }
}
