//! Rules that give tensors of lhs other names.

use regex::bytes::Regex;

use super::stated_at::StatedAt;
use crate::error::{Error, Result, cause, shortened};
use crate::tensor::Name;

/// How many groups the replacement of a rename rule may refer to. Each group can repeat the whole name.
const MAX_GROUPS: usize = 16;

/// A rename rule of a rules file, as `FROM=TO`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StatedRename {
    /// The rule.
    pub rule: String,
    /// Its place.
    pub at: StatedAt,
}

/// A rule that gives a tensor of lhs another name.
#[derive(Debug, Clone)]
pub(super) struct RenameRule {
    /// The rule as the user gave it.
    pub(super) rule: String,
    /// The place in a rules file; `None` if an option gave it.
    pub(super) at: Option<StatedAt>,
    /// `None` if the rule is only shown.
    pub(super) from: Option<Regex>,
    to: Vec<u8>,
}

impl RenameRule {
    /// Parses a rule, which is split at its last `=`.
    ///
    /// # Errors
    /// If it has no `=`, its regular expression is malformed, or its replacement refers to too many groups.
    pub(super) fn parse(rule: &str, at: Option<StatedAt>) -> Result<Self> {
        let mut parsed = Self { at, ..Self::of_report(rule.to_owned()) };
        let usage = |why: String| parsed.error(&format!("{:?}: {why}", shortened(rule)));
        let (from, to) = rule
            .rsplit_once('=')
            .ok_or_else(|| usage("'=' is missing between FROM and TO".into()))?;
        if from.is_empty() {
            return Err(usage("FROM is empty".into()));
        }
        let groups = to.replace("$$", "").matches('$').count();
        if groups > MAX_GROUPS {
            return Err(usage(format!(
                "expected at most {MAX_GROUPS} groups in TO, found {groups}"
            )));
        }
        let from = Regex::new(from).map_err(|error| usage(cause(&error.to_string(), from)))?;
        (parsed.from, parsed.to) = (Some(from), to.as_bytes().to_vec());
        Ok(parsed)
    }

    /// A rule that is only shown.
    pub(super) fn of_report(rule: String) -> Self {
        Self { rule, at: None, from: None, to: Vec::new() }
    }

    /// The name in rhs, if the rule matches the name in lhs.
    pub(super) fn apply(&self, name: &Name) -> Option<Name> {
        let bytes = name.as_bytes();
        let from = self.from.as_ref().filter(|from| from.is_match(bytes))?;
        Some(Name::from(&*from.replace(bytes, self.to.as_slice())))
    }

    /// An error of the rule, which names its place: the file, or the option.
    pub(super) fn error(&self, why: &str) -> Error {
        match &self.at {
            Some(at) => Error::usage(format!("{at}: {why}")),
            None => Error::usage(why).of_option("rename"),
        }
    }
}
