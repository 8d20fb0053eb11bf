//! Patterns that say which fields are meant.

use std::fmt;
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

    /// How many steps it has; behind the last one, it is done.
    pub(super) fn len(&self) -> usize {
        self.0.len()
    }

    /// The step at a place.
    pub(super) fn step(&self, place: usize) -> Option<&str> {
        self.0.get(place).map(|step| &**step)
    }

    /// The places from which to go on at `place`: a `**` may also be nothing.
    pub(super) fn open(&self, place: usize) -> Vec<usize> {
        let open = self.0.iter().skip(place).take_while(|step| &***step == "**").count();
        (place..=place + open).collect()
    }

    /// The places behind a step into the field `name` from `place`; none where it does not lead there.
    pub(super) fn after(&self, place: usize, name: &str) -> Vec<usize> {
        self.after_step(place, |step| step == name)
    }

    /// As [`after`](Self::after), for the step into what an `Any` holds.
    pub(super) fn after_any(&self, place: usize, full_name: &str) -> Vec<usize> {
        self.after_step(place, |step| {
            let held = step.strip_suffix(']').and_then(|step| step.rsplit_once('/'));
            held.is_some_and(|(_, held)| held == full_name)
        })
    }

    fn after_step(&self, place: usize, is: impl Fn(&str) -> bool) -> Vec<usize> {
        match self.step(place) {
            Some("**") => self.open(place),
            Some(step) if step == "*" || is(step) => self.open(place + 1),
            _ => Vec::new(),
        }
    }
}

impl fmt::Display for PathPattern {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0.join("."))
    }
}
