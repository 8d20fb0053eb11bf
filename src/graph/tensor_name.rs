//! Names of tensors, as the inputs of nodes, savers and signatures have them.

/// The prefix of the names of inputs from outside an exported scope.
pub(crate) const UNBOUND: &str = "$unbound_inputs_";

/// A name of a tensor or of a node.
///
/// ```text
/// name := node | node ":" port | "^" node
/// port := number | output ":" number      (the second in bodies of functions)
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct TensorName<'n> {
    /// The name of the node.
    pub(crate) node: &'n str,
    /// What follows the first colon.
    pub(crate) port: Option<&'n str>,
    /// Whether it is a control input.
    pub(crate) is_control: bool,
}

impl<'n> TensorName<'n> {
    /// Splits a name; any text is one.
    pub(crate) fn parse(text: &'n str) -> Self {
        let name = text.strip_prefix('^');
        let is_control = name.is_some();
        let name = name.unwrap_or(text);
        match name.split_once(':') {
            Some((node, port)) => Self { node, port: Some(port), is_control },
            None => Self { node: name, port: None, is_control },
        }
    }

    /// The number of the output, which is 0 without a port; `None` where the port is not a number.
    pub(crate) fn output(&self) -> Option<usize> {
        self.port.map_or(Some(0), |port| port.parse().ok())
    }
}

/// The name of the node in the name of a tensor, an input or a node.
pub(crate) fn node_of(name: &str) -> &str {
    TensorName::parse(name).node
}

/// The start of a name in `_class`: the node must be on the device of the node behind it.
pub(crate) const COLOCATION: &str = "loc:@";

/// Splits off the start of a control input or a colocation.
pub(crate) fn split_lead(name: &str) -> (&str, &str) {
    for lead in ["^", COLOCATION] {
        if let Some(rest) = name.strip_prefix(lead) {
            return (lead, rest);
        }
    }
    ("", name)
}

/// Splits a name into the node and the output with its colon.
pub(crate) fn split_port(name: &str) -> (&str, &str) {
    name.split_at(name.find(':').unwrap_or(name.len()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_split_at_their_first_colon() {
        for (text, node, port, is_control) in [
            ("x", "x", None, false),
            ("a/x:1", "a/x", Some("1"), false),
            ("^x", "x", None, true),
            ("x:output:0", "x", Some("output:0"), false),
            ("x:", "x", Some(""), false),
            ("", "", None, false),
        ] {
            assert_eq!(TensorName::parse(text), TensorName { node, port, is_control }, "{text}");
        }
        let outputs = ["x", "x:2", "x:output:0", "x:"].map(|name| TensorName::parse(name).output());
        assert_eq!(outputs, [Some(0), Some(2), None, None]);
    }
}
