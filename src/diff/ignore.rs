//! Changes that the user wants to ignore.

use regex::Regex;

use super::{Change, ChangeKind, Diff};
use crate::error::{Error, Result};

/// Selects changes that are neither reported nor counted in the verdict.
#[derive(Debug, Clone, Default)]
pub struct Ignore {
    paths: Vec<Regex>,
    kinds: Vec<ChangeKind>,
}

impl Ignore {
    /// Ignores changes of some kinds, and changes whose path, or the start of it, matches one of the globs.
    ///
    /// In a glob, `*` and `?` stop at `/`, and `**` does not. All other characters, brackets and quotes
    /// included, match themselves.
    ///
    /// ```
    /// use ckdiff::diff::Ignore;
    ///
    /// let globs = ["**.device".to_owned(), "graph_def.node[\"save/**".to_owned()];
    /// assert!(Ignore::new(&globs, &[]).is_ok());
    /// ```
    /// # Errors
    /// If a glob is too long.
    pub fn new(globs: &[String], kinds: &[ChangeKind]) -> Result<Self> {
        let paths = globs.iter().map(|glob| {
            Regex::new(&pattern(glob))
                .map_err(|error| Error::usage(format!("{glob:?}: {error}")).of_option("ignore"))
        });
        Ok(Self { paths: paths.collect::<Result<_>>()?, kinds: kinds.to_vec() })
    }

    /// Removes the ignored changes, and counts them.
    pub(super) fn apply(&self, diff: &mut Diff) {
        let before = diff.changes.len();
        diff.changes.retain(|change| !self.covers(change));
        diff.ignored += (before - diff.changes.len()) as u64;
    }

    fn covers(&self, change: &Change) -> bool {
        self.kinds.contains(&change.kind)
            || !self.paths.is_empty()
                && change.path.prefixes().any(|path| {
                    let path = path.to_string();
                    self.paths.iter().any(|glob| glob.is_match(&path))
                })
    }
}

/// A glob as a regular expression.
fn pattern(glob: &str) -> String {
    let mut pattern = String::from("(?s)^");
    let mut rest = glob;
    while let Some(char) = rest.chars().next() {
        if let Some(behind) = rest.strip_prefix("**") {
            pattern.push_str(".*");
            rest = behind;
            continue;
        }
        match char {
            '*' => pattern.push_str("[^/]*"),
            '?' => pattern.push_str("[^/]"),
            other => pattern.push_str(&regex::escape(other.encode_utf8(&mut [0; 4]))),
        }
        rest = rest.get(char.len_utf8()..).unwrap_or_default();
    }
    pattern + "$"
}
