//! Patterns for paths to fields.

use std::fmt;
use std::str::FromStr;

use crate::diff::path::PathBuilder;
use crate::error::{Error, Result};

/// A pattern for paths to a field, without indexes and keys: `graph_def.node.input`.
///
/// `*` matches one field, `**` any number of them; the name of an extension is in brackets.
///
/// ```
/// use ckdiff::diff::PathPattern;
///
/// let pattern: PathPattern = "**.node.input".parse()?;
/// assert!("".parse::<PathPattern>().is_err());
/// # Ok::<(), ckdiff::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PathPattern(Vec<Box<str>>);

impl FromStr for PathPattern {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self> {
        let mut steps: Vec<Box<str>> = Vec::new();
        let (mut start, mut brackets) = (0, 0usize);
        for (at, c) in text.char_indices() {
            match c {
                '[' => brackets += 1,
                ']' => brackets = brackets.saturating_sub(1),
                '.' if brackets == 0 => {
                    steps.push(text.get(start..at).unwrap_or_default().into());
                    start = at + 1;
                }
                _ => {}
            }
        }
        steps.push(text.get(start..).unwrap_or_default().into());
        if brackets > 0 || steps.iter().any(|step| step.is_empty()) {
            let why =
                format!("{text:?} is not a path of fields: expected field names separated by dots");
            return Err(Error::usage(why));
        }
        Ok(Self(steps))
    }
}

impl PathPattern {
    /// Whether the pattern matches the field `name` of the message at `at`.
    pub(super) fn is_match(&self, at: &PathBuilder<'_>, name: &str) -> bool {
        let path: Vec<&str> = std::iter::once(name).chain(at.fields()).collect();
        // Backwards, as the path is linked: at a mismatch, the last `**` takes one step more.
        let (mut step, mut position) = (0, 0);
        let mut again = None;
        while let Some(name) = path.get(position) {
            match self.0.iter().rev().nth(step).map(|step| &**step) {
                Some("**") => {
                    again = Some((step, position));
                    step += 1;
                }
                Some(wanted) if wanted == "*" || wanted == *name => {
                    (step, position) = (step + 1, position + 1);
                }
                _ => match again {
                    Some((open, from)) => {
                        again = Some((open, from + 1));
                        (step, position) = (open + 1, from + 1);
                    }
                    None => return false,
                },
            }
        }
        self.0.iter().rev().skip(step).all(|step| &**step == "**")
    }

    /// The steps, the outermost first.
    pub(super) fn steps(&self) -> &[Box<str>] {
        &self.0
    }

    /// The steps inside the outermost field `name`; `None` if the pattern does not lead there.
    pub(super) fn inside(&self, name: &str) -> Option<&[Box<str>]> {
        let (first, rest) = self.0.split_first()?;
        match &**first {
            "**" => Some(&self.0),
            first if first == "*" || first == name => Some(rest),
            _ => None,
        }
    }
}

crate::serial::serialize_as_text!(PathPattern);

impl fmt::Display for PathPattern {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0.join("."))
    }
}
