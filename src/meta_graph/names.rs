//! Names and scopes.
//!
//! ```text
//! name := ["^" | "loc:@"] (node | scope "/" node) [":" output]
//! ```

use std::borrow::Cow;
use std::collections::BTreeMap;

use crate::graph::{split_lead, split_port};

/// A renaming.
pub(super) trait Rename {
    /// The new name of a node, a tensor or a scope.
    fn rename<'n>(&self, name: &'n str) -> Cow<'n, str>;
}

/// The scope that is exported.
///
/// As in TensorFlow, it contains every name that begins with its own: `tower` contains `tower2/x`, but `tower/` does not.
#[derive(Debug, Clone, Copy)]
pub(super) struct ExportScope<'a>(&'a str);

impl<'a> ExportScope<'a> {
    /// The scope with this name; `None` if it is empty.
    pub(super) fn new(name: &'a str) -> Option<Self> {
        (!name.is_empty()).then_some(Self(name))
    }

    /// Whether the scope contains a node, a tensor or a variable of this name.
    pub(super) fn has(self, name: &str) -> bool {
        name.starts_with(self.0)
    }
}

impl Rename for ExportScope<'_> {
    fn rename<'n>(&self, name: &'n str) -> Cow<'n, str> {
        let scope = self.0.strip_suffix('/').unwrap_or(self.0);
        let (lead, rest) = split_lead(name);
        match rest.strip_prefix(scope).and_then(|rest| rest.strip_prefix('/')) {
            Some(rest) => join(lead, rest.trim_start_matches('/')),
            None => Cow::Borrowed(name),
        }
    }
}

/// The scope into which a graph is imported.
#[derive(Debug, Clone, Default)]
pub(super) struct ImportScope<'a> {
    /// The scope without a `/` at its end; empty for none.
    pub(super) scope: String,
    /// The new names of nodes whose names were used already, including the scope.
    pub(super) renamed: BTreeMap<&'a str, String>,
}

impl ImportScope<'_> {
    /// Whether no name changes.
    pub(super) fn is_identity(&self) -> bool {
        self.scope.is_empty() && self.renamed.is_empty()
    }

    /// The name in the scope, even if it was used already.
    pub(super) fn below<'n>(&self, name: &'n str) -> Cow<'n, str> {
        if self.scope.is_empty() {
            return Cow::Borrowed(name);
        }
        let (lead, rest) = split_lead(name);
        Cow::Owned(format!("{lead}{}/{rest}", self.scope))
    }
}

impl Rename for ImportScope<'_> {
    fn rename<'n>(&self, name: &'n str) -> Cow<'n, str> {
        let (lead, rest) = split_lead(name);
        let (node, port) = split_port(rest);
        match self.renamed.get(node) {
            Some(new) => Cow::Owned(format!("{lead}{new}{port}")),
            None => self.below(name),
        }
    }
}

fn join<'n>(lead: &str, rest: &'n str) -> Cow<'n, str> {
    if lead.is_empty() { Cow::Borrowed(rest) } else { Cow::Owned(format!("{lead}{rest}")) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn scopes_are_stripped_as_tensorflow_strips_them() {
        for (scope, name, stripped) in [
            ("tower", "tower/x", "x"),
            ("tower/", "tower/x:1", "x:1"),
            ("tower", "tower///x", "x"),
            ("tower", "^tower/x", "^x"),
            ("tower", "loc:@tower/x", "loc:@x"),
            ("tower", "tower2/x", "tower2/x"),
            ("tower", "tower", "tower"),
            ("tower", "other/tower/x", "other/tower/x"),
            ("a.b", "a.b/c", "c"),
            ("a.b", "axb/c", "axb/c"),
        ] {
            assert_eq!(ExportScope(scope).rename(name), stripped, "{scope} {name}");
        }
    }

    #[test]
    fn names_are_put_below_a_scope() {
        let renamed = BTreeMap::from([("y", "s/y_1".to_owned())]);
        let placed = ImportScope { scope: "s".into(), renamed };
        for (name, expected) in [
            ("x", "s/x"),
            ("^x", "^s/x"),
            ("loc:@x", "loc:@s/x"),
            ("y:1", "s/y_1:1"),
            ("^y", "^s/y_1"),
        ] {
            assert_eq!(placed.rename(name), expected);
        }
        assert_eq!(placed.below("y"), "s/y");
    }
}
