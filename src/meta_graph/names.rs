//! Names and the scopes that they are in.
//!
//! ```text
//! name := ["^" | "loc:@"] (node | scope "/" node) [":" output]
//! ```

use std::borrow::Cow;
use std::collections::BTreeMap;

/// What becomes of the names in a message.
pub(super) trait Rename {
    /// The name that `name` becomes: of a node, of a tensor, of a scope.
    fn rename<'n>(&self, name: &'n str) -> Cow<'n, str>;
}

/// The scope that is exported.
///
/// As in TensorFlow, all that begins with its name is in it: `tower` has `tower2/x`, and `tower/` has not.
#[derive(Debug, Clone, Copy)]
pub(super) struct Scope<'a>(&'a str);

impl<'a> Scope<'a> {
    /// The scope of this name; an empty one is none.
    pub(super) fn new(name: &'a str) -> Option<Self> {
        (!name.is_empty()).then_some(Self(name))
    }

    /// Whether a node, a tensor or a variable of this name is in it.
    pub(super) fn has(self, name: &str) -> bool {
        name.starts_with(self.0)
    }
}

impl Rename for Scope<'_> {
    fn rename<'n>(&self, name: &'n str) -> Cow<'n, str> {
        let scope = self.0.strip_suffix('/').unwrap_or(self.0);
        let (lead, rest) = split_lead(name);
        match rest.strip_prefix(scope).and_then(|rest| rest.strip_prefix('/')) {
            Some(rest) => join(lead, rest.trim_start_matches('/')),
            None => Cow::Borrowed(name),
        }
    }
}

/// Where an imported graph is put.
#[derive(Debug, Clone, Default)]
pub(super) struct Placed<'a> {
    /// The scope, without a `/` at its end; empty where there is none.
    pub(super) scope: String,
    /// Nodes whose name was taken, and the names that they get, the scope included.
    pub(super) renamed: BTreeMap<&'a str, String>,
}

impl Placed<'_> {
    /// Whether every name stays.
    pub(super) fn is_nothing(&self) -> bool {
        self.scope.is_empty() && self.renamed.is_empty()
    }

    /// The name under the scope, whether it was taken or not.
    pub(super) fn below<'n>(&self, name: &'n str) -> Cow<'n, str> {
        if self.scope.is_empty() {
            return Cow::Borrowed(name);
        }
        let (lead, rest) = split_lead(name);
        Cow::Owned(format!("{lead}{}/{rest}", self.scope))
    }
}

impl Rename for Placed<'_> {
    fn rename<'n>(&self, name: &'n str) -> Cow<'n, str> {
        let (lead, rest) = split_lead(name);
        let (node, port) = split_port(rest);
        match self.renamed.get(node) {
            Some(new) => Cow::Owned(format!("{lead}{new}{port}")),
            None => self.below(name),
        }
    }
}

/// The sign of a control input or of a colocation, and the name behind it.
fn split_lead(name: &str) -> (&str, &str) {
    for lead in ["^", "loc:@"] {
        if let Some(rest) = name.strip_prefix(lead) {
            return (lead, rest);
        }
    }
    ("", name)
}

/// The node's name, and the output with its colon.
fn split_port(name: &str) -> (&str, &str) {
    name.split_at(name.find(':').unwrap_or(name.len()))
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
            assert_eq!(Scope(scope).rename(name), stripped, "{scope} {name}");
        }
    }

    #[test]
    fn names_are_put_below_a_scope() {
        let renamed = BTreeMap::from([("y", "s/y_1".to_owned())]);
        let placed = Placed { scope: "s".into(), renamed };
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
