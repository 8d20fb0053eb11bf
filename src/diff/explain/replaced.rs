//! Nodes whose op changed, and layers and optimizers whose class changed.

use std::collections::BTreeMap;

use super::located::Located;
use crate::diff::{Detail, Path};

/// The changes that replace something as a whole, by what they replace.
#[derive(Debug)]
pub(super) struct Replaced<'a> {
    /// Changes of ops, by function and node.
    ops: BTreeMap<(Option<&'a str>, &'a str), usize>,
    /// Changes of classes in the metadata of Keras, by the path of the object that has the class.
    classes: BTreeMap<Path, usize>,
}

impl<'a> Replaced<'a> {
    pub(super) fn of(located: &[Located<'a>]) -> Self {
        let mut found = Self { ops: BTreeMap::new(), classes: BTreeMap::new() };
        for change in located {
            if let ("op", Some(node)) = (change.place.last(), node(change)) {
                found.ops.insert(node, change.at);
            } else if change.place.is_of_keras() && change.place.last() == "class_name" {
                let path = &change.change.path;
                found.classes.insert(path.prefix(path.len() - 1), change.at);
            }
        }
        found
    }

    /// The change of the op or the class around another change.
    pub(super) fn around(&self, change: &Located<'a>) -> Option<usize> {
        if matches!(change.change.detail, Detail::Nodes(_)) {
            return None;
        }
        let op = node(change).and_then(|node| self.ops.get(&node)).copied();
        let is_keras = change.place.is_of_keras() && !self.classes.is_empty();
        let class = || {
            let mut paths = change.change.path.prefixes().filter(|_| is_keras);
            paths.find_map(|path| self.classes.get(&path)).copied()
        };
        op.or_else(class).filter(|&at| at != change.at)
    }
}

/// The node that has a change, and its function.
fn node<'a>(change: &Located<'a>) -> Option<(Option<&'a str>, &'a str)> {
    Some((change.place.function, change.place.node?))
}
