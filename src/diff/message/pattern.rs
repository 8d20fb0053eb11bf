//! Patterns that say which fields are meant.

use std::str::FromStr;

use crate::diff::path::Trail;
use crate::error::{Error, ErrorKind, Result};

/// A way to a field, without the indexes and keys on it: `graph_def.node.input`.
///
/// `*` is any one step, `**` any number of them; an extension stands in brackets.
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
            let why = format!("{text:?} leads to no field: it must be names with dots between");
            return Err(ErrorKind::Usage(why).into());
        }
        Ok(Self(steps))
    }
}

impl PathPattern {
    /// Whether it means the field `name` of the message that `at` leads to.
    pub(super) fn is_match(&self, at: &Trail<'_>, name: &str) -> bool {
        let path: Vec<&str> = std::iter::once(name).chain(at.fields()).collect();
        // From the back, as the way is walked: where it fails, the last `**` takes one step more.
        let (mut step, mut place) = (0, 0);
        let mut again = None;
        while let Some(name) = path.get(place) {
            match self.0.iter().rev().nth(step).map(|step| &**step) {
                Some("**") => {
                    again = Some((step, place));
                    step += 1;
                }
                Some(wanted) if wanted == "*" || wanted == *name => {
                    (step, place) = (step + 1, place + 1);
                }
                _ => match again {
                    Some((open, from)) => {
                        again = Some((open, from + 1));
                        (step, place) = (open + 1, from + 1);
                    }
                    None => return false,
                },
            }
        }
        self.0.iter().rev().skip(step).all(|step| &**step == "**")
    }
}
