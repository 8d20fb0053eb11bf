//! Findings about one side by itself.

use serde::Serialize;

use super::{Path, Side};

/// A finding about a message on one side, such as a cycle in a graph.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct Finding {
    /// The side; `None` if it is not known, or both.
    pub side: Option<Side>,
    /// The path of the field.
    pub path: String,
    /// What is wrong.
    pub problem: String,
}

impl From<(Path, String)> for Finding {
    /// A field whose bytes are not the message they claim to be.
    fn from((path, problem): (Path, String)) -> Self {
        Self { side: None, path: path.to_string(), problem }
    }
}
