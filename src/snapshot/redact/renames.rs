//! New names of nodes, scopes and functions, and texts that consist of a name.

use std::collections::BTreeMap;

use crate::graph::{split_lead, split_port};

/// The new name of each name that changes.
#[derive(Debug, Default)]
pub(super) struct Renames(BTreeMap<String, String>);

impl Renames {
    pub(super) fn add(&mut self, from: &str, to: &str) {
        if from != to && !from.is_empty() && !self.0.contains_key(from) {
            self.0.insert(from.to_owned(), to.to_owned());
        }
    }

    /// The new name of exactly this name.
    pub(super) fn get(&self, name: &str) -> Option<&str> {
        self.0.get(name).map(String::as_str)
    }

    /// The new text of a name with what may be around it: `^x`, `loc:@x`, `x:1`, `x/`; `None` if it stays.
    pub(super) fn text(&self, text: &str) -> Option<String> {
        if self.0.is_empty() {
            return None;
        }
        let (lead, name) = split_lead(text);
        let (name, port) = split_port(name);
        let bare = name.strip_suffix('/').unwrap_or(name);
        let new = self.get(bare)?;
        let slash = name.get(bare.len()..).unwrap_or_default();
        Some(format!("{lead}{new}{slash}{port}"))
    }
}
