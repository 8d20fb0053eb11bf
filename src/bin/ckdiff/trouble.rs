//! What is told on stderr.

use std::collections::BTreeSet;
use std::io::{self, Write};

use ckdiff::Error;
use ckdiff::report::human::printable;

/// Errors told at most; a checkpoint without its data has one for each tensor.
const TOLD: usize = 20;

/// Why there is no answer, or not a whole one.
#[derive(Debug)]
pub(crate) struct Trouble(Vec<String>);

impl Trouble {
    /// Tells each error in a line of its own, and none twice.
    pub(crate) fn tell(&self) {
        let mut told = BTreeSet::new();
        let lines: Vec<&String> = self.0.iter().filter(|line| told.insert(*line)).collect();
        let mut stderr = io::stderr().lock();
        // Nobody is left to be told when stderr is gone.
        for line in lines.iter().take(TOLD) {
            let _ = writeln!(stderr, "ckdiff: error: {}", one_line(line));
        }
        if lines.len() > TOLD {
            let _ = writeln!(stderr, "ckdiff: error: … and {} more", lines.len() - TOLD);
        }
    }
}

impl From<Error> for Trouble {
    fn from(error: Error) -> Self {
        Self(vec![error.to_string()])
    }
}

impl FromIterator<Error> for Trouble {
    fn from_iter<I: IntoIterator<Item = Error>>(errors: I) -> Self {
        Self(errors.into_iter().map(|error| error.to_string()).collect())
    }
}

/// The message without line ends and other things that a terminal would obey.
fn one_line(message: &str) -> String {
    let parts: Vec<&str> = message.lines().map(str::trim).filter(|line| !line.is_empty()).collect();
    printable(&parts.join(" "))
}
