//! Savers and scopes: the nodes of savers other than that of the meta graph, and the names of a saver in an exported scope.
//!
//! As in TensorFlow, a saver is identified by the scope of its save and restore nodes.

use std::collections::BTreeSet;
use std::ops::Bound;

use super::names::{ExportScope, ImportScope, Rename};
use crate::graph::{node_of, scope_of};
use crate::schema::tensorflow::SaverDef;

/// The ops by which TensorFlow recognizes savers here; not all of them exist, and `SaveSlices` is not one of them.
const OPS: [&str; 10] = [
    "SaveV2",
    "Save",
    "SaveSlice",
    "LegacySave",
    "LegacySaveSlice",
    "RestoreV2",
    "Restore",
    "RestoreSlice",
    "LegacyRestore",
    "LegacyRestoreSlice",
];

/// The scopes of savers, none of which contains another.
#[derive(Debug, Default)]
pub(super) struct ExtraneousSavers(BTreeSet<String>);

impl ExtraneousSavers {
    /// The scopes of the savers among `nodes` (names and ops), without those of the nodes `kept`.
    pub(super) fn new<'n>(nodes: impl Iterator<Item = (&'n str, &'n str)>, kept: &[&str]) -> Self {
        let saving: BTreeSet<&str> =
            nodes.filter(|(_, op)| OPS.contains(op)).map(|(name, _)| name).collect();
        let kept: Vec<String> = kept.iter().map(|name| prefix(scope_of(node_of(name)))).collect();
        let scopes: BTreeSet<&str> = saving.iter().map(|name| scope_of(name)).collect();
        let mut found = Self::default();
        // In ascending order, a scope comes before all that it contains.
        for scope in scopes.difference(&saving).map(|scope| prefix(scope)) {
            if !kept.contains(&scope) && !found.has(&scope) {
                found.0.insert(scope);
            }
        }
        found
    }

    /// Whether a node is in one of the scopes.
    pub(super) fn has(&self, name: &str) -> bool {
        let before = self.0.range::<str, _>((Bound::Unbounded, Bound::Included(name))).next_back();
        before.is_some_and(|scope| name.starts_with(&**scope))
    }
}

/// The saver with `scope` removed from its names; `None` if a name is outside the scope. An empty scope contains everything.
pub(crate) fn saver_of_scope(saver: &SaverDef, scope: &str) -> Option<SaverDef> {
    let Some(scope) = ExportScope::new(scope) else { return Some(saver.clone()) };
    names_of(saver).into_iter().all(|name| scope.has(name)).then(|| renamed(saver, &scope))
}

/// The saver with its names in `scope`, which may be empty.
pub(crate) fn saver_in_scope(saver: &SaverDef, scope: &str) -> SaverDef {
    let scope = scope.strip_suffix('/').unwrap_or(scope).to_owned();
    renamed(saver, &ImportScope { scope, ..ImportScope::default() })
}

fn names_of(saver: &SaverDef) -> [&str; 3] {
    [&saver.filename_tensor_name, &saver.save_tensor_name, &saver.restore_op_name]
}

fn renamed(saver: &SaverDef, to: &dyn Rename) -> SaverDef {
    let [filename, save, restore] = names_of(saver).map(|name| to.rename(name).into_owned());
    SaverDef {
        filename_tensor_name: filename,
        save_tensor_name: save,
        restore_op_name: restore,
        ..saver.clone()
    }
}

fn prefix(scope: &str) -> String {
    format!("{scope}/")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_saver_is_the_scope_of_its_nodes() {
        let nodes = [
            ("SaveV2", "SaveV2"),
            ("a/SaveV2", "SaveV2"),
            ("a/b/RestoreV2", "RestoreV2"),
            ("a-x/Save", "Save"),
            ("kept/SaveV2", "SaveV2"),
        ];
        let extraneous =
            ExtraneousSavers::new(nodes.into_iter(), &["kept/Const:0", "kept/restore_all"]);
        for name in ["a/x", "a/b/x", "a-x/y", "a/"] {
            assert!(extraneous.has(name), "{name}");
        }
        for name in ["a", "SaveV2", "x", "kept/x", "ab/x", "", "a-y/z"] {
            assert!(!extraneous.has(name), "{name}");
        }
    }

    /// `a-` sorts between `a` and `a/`.
    #[test]
    fn scopes_are_sorted_with_their_slash() {
        let nodes = [("a/S", "SaveV2"), ("a-b/S", "SaveV2"), ("a/c-d/S", "SaveV2")];
        let extraneous = ExtraneousSavers::new(nodes.into_iter(), &[]);
        assert!(["a/z", "a-b/z", "a/c-d/z", "a/c/z"].iter().all(|name| extraneous.has(name)));
    }
}
