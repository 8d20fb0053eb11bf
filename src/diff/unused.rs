//! Option patterns without a match, which are usually typos.

use std::fmt;

use serde::Serialize;

use super::stated_at::StatedAt;
use crate::error::{Error, shortened};
use crate::suggestion::closest;
use crate::tensor::Name;

/// The maximum number of names that are searched for a suggestion.
const SEARCHED: usize = 10_000;

/// A pattern of an option, or of a rules file, that matches nothing.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct UnusedPattern {
    /// The name of the option, such as `exclude`, or of the key in the file.
    pub option: &'static str,
    /// The pattern, as it was given.
    pub pattern: String,
    /// The name that is closest to it.
    pub suggestion: Option<String>,
    /// The place in a rules file; `None` if an option gave it.
    #[serde(rename = "rule", skip_serializing_if = "Option::is_none")]
    pub at: Option<StatedAt>,
}

impl UnusedPattern {
    /// The value of [`option`](Self::option) for a rule whose names match no tensor.
    pub const RULE: &'static str = "rule";

    /// An unmatched pattern; `text` is its literal part.
    pub(super) fn new<'n>(
        option: &'static str,
        pattern: &str,
        text: &str,
        names: impl Iterator<Item = &'n Name>,
    ) -> Self {
        let (pattern, suggestion) = (pattern.to_owned(), closest_name(text, names));
        Self { option, pattern, suggestion, at: None }
    }

    /// The error for a comparison that accepts no unmatched pattern.
    pub fn error(&self) -> Error {
        match self.at {
            Some(_) => Error::usage(self.to_string()),
            None => Error::usage(self.to_string()).of_option(self.option),
        }
    }
}

/// The name that is closest to a pattern.
pub fn closest_name<'n>(pattern: &str, names: impl Iterator<Item = &'n Name>) -> Option<String> {
    let wanted = pattern.trim_start_matches(['^', '*', '/']).trim_end_matches(['$', '*', '/']);
    let names = names.take(SEARCHED).map(Name::as_bytes);
    let found = closest(wanted.as_bytes(), names, 1);
    found.first().map(|name| Name::from(*name).printable())
}

impl fmt::Display for UnusedPattern {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(at) = &self.at {
            write!(f, "{at}: {} ", self.option)?;
        }
        write!(f, "{:?} matches nothing", shortened(&self.pattern))?;
        match &self.suggestion {
            Some(name) => write!(f, "; did you mean {name}?"),
            None => Ok(()),
        }
    }
}
