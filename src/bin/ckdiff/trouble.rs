//! What is told on stderr.

use std::collections::BTreeSet;
use std::io::{self, Write};

use ckdiff::report::human::printable;
use ckdiff::{Error, Place};
use unicode_width::UnicodeWidthStr;

/// Errors told at most; a checkpoint without its data has one for each tensor.
const TOLD: usize = 20;

/// Why there is no answer, or not a whole one.
#[derive(Debug)]
pub(crate) struct Trouble(Vec<Told>);

/// One error.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
struct Told {
    message: String,
    /// The line of a text it is in, and one with a caret under it.
    excerpt: Option<[String; 2]>,
}

impl Trouble {
    /// Tells each error in a line of its own, what it is in below, and none twice.
    pub(crate) fn tell(&self) {
        let mut told = BTreeSet::new();
        let errors: Vec<&Told> = self.0.iter().filter(|error| told.insert(*error)).collect();
        let mut stderr = io::stderr().lock();
        // Nobody is left to be told when stderr is gone.
        for error in errors.iter().take(TOLD) {
            let _ = writeln!(stderr, "ckdiff: error: {}", error.message);
            for line in error.excerpt.iter().flatten() {
                let _ = writeln!(stderr, "  {line}");
            }
        }
        if errors.len() > TOLD {
            let _ = writeln!(stderr, "ckdiff: error: … and {} more", errors.len() - TOLD);
        }
    }
}

/// Tells what is worth knowing and no error.
pub(crate) fn warn(message: &str) {
    // Nobody is left to be told when stderr is gone.
    let _ = writeln!(io::stderr().lock(), "ckdiff: warning: {}", one_line(message));
}

impl From<Error> for Trouble {
    fn from(error: Error) -> Self {
        [error].into_iter().collect()
    }
}

impl FromIterator<Error> for Trouble {
    fn from_iter<I: IntoIterator<Item = Error>>(errors: I) -> Self {
        Self(errors.into_iter().map(|error| Told::new(&error)).collect())
    }
}

impl Told {
    fn new(error: &Error) -> Self {
        let excerpt = error.place().filter(|place| !place.excerpt.trim().is_empty()).map(excerpt);
        Self { message: one_line(&error.to_string()), excerpt }
    }
}

/// The excerpt, and a caret under the place.
fn excerpt(place: &Place) -> [String; 2] {
    let before: String = place.excerpt.chars().take(place.caret).collect();
    // Escapes are wider than what they stand for.
    let width = printable(&before).width();
    [printable(&place.excerpt), format!("{}^", " ".repeat(width))]
}

/// The message without line ends and other things that a terminal would obey.
fn one_line(message: &str) -> String {
    let parts: Vec<&str> = message.lines().map(str::trim).filter(|line| !line.is_empty()).collect();
    printable(&parts.join(" "))
}
