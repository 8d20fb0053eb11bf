//! Warnings and errors on stderr.

use std::collections::{BTreeMap, BTreeSet};
use std::io::{self, Write};

use crate::diff::{NameFilter, UnusedPattern};
use crate::error::{Error, Location, Remedy};
use crate::report::human::{plural, printable, unused_rule};
use crate::rules::Judgement;
use crate::tensor::Name;
use unicode_width::UnicodeWidthStr;

use crate::command::args;

/// The maximum number of errors that are printed; a checkpoint without its data has one for each tensor.
const MAX_PRINTED: usize = 20;

/// The errors that keep a command from a complete answer.
#[derive(Debug)]
pub(crate) struct Diagnostics(Vec<Diagnostic>);

/// One error.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
struct Diagnostic {
    message: String,
    /// What avoids the error.
    remedy: Option<Remedy>,
    /// The line of the text with the error, and a line with a caret under the error.
    excerpt: Option<[String; 2]>,
}

impl Diagnostics {
    /// Prints each error once, on a line of its own, with the option of `command` that avoids it, and its excerpt below.
    pub(crate) fn print(&self, command: &str) {
        let mut printed = BTreeSet::new();
        let errors: Vec<&Diagnostic> =
            self.0.iter().filter(|error| printed.insert(*error)).collect();
        let mut stderr = io::stderr().lock();
        // If stderr is closed, nobody can read the error about that either.
        for error in errors.iter().take(MAX_PRINTED) {
            let remedy = error.remedy.map(|remedy| option(remedy, command)).unwrap_or_default();
            let _ = writeln!(stderr, "ckdiff: error: {}{remedy}", error.message);
            for line in error.excerpt.iter().flatten() {
                let _ = writeln!(stderr, "  {line}");
            }
        }
        if errors.len() > MAX_PRINTED {
            let _ = writeln!(stderr, "ckdiff: error: … and {} more", errors.len() - MAX_PRINTED);
        }
    }
}

/// Prints a warning.
pub(crate) fn warn(message: &str) {
    // If stderr is closed, nobody can read the error about that either.
    let _ = writeln!(io::stderr().lock(), "ckdiff: warning: {}", one_line(message));
}

/// Warns of patterns that match none of the tensors of a checkpoint.
///
/// # Errors
/// If there is one, and `deny` is set.
pub(crate) fn check_patterns(
    patterns: &NameFilter,
    names: &[&Name],
    deny: bool,
) -> Result<(), Error> {
    let unused = patterns.unused(names, &[]);
    match unused.first().filter(|_| deny) {
        Some(unused) => Err(unused.error()),
        None => {
            warn_of_unused(&unused);
            Ok(())
        }
    }
}

/// Warns of rules that match nothing.
///
/// # Errors
/// If there is one, and `deny` is set.
pub(crate) fn check_unused_rules(judgement: &Judgement, deny: bool) -> Result<(), Error> {
    match judgement.unused.first().filter(|_| deny) {
        Some(unused) => Err(Error::usage(unused_rule(unused))),
        None => {
            let (shown, more) = judgement.unused.split_at(judgement.unused.len().min(MAX_PRINTED));
            shown.iter().for_each(|unused| warn(&unused_rule(unused)));
            if !more.is_empty() {
                let count = plural(more.len() as u64, "more rule");
                warn(&format!("… and {count} that match no tensor"));
            }
            Ok(())
        }
    }
}

/// Warns of patterns that match nothing.
pub(crate) fn warn_of_unused(patterns: &[UnusedPattern]) {
    let (shown, more) = patterns.split_at(patterns.len().min(MAX_PRINTED));
    for unused in shown {
        match unused.at {
            Some(_) => warn(&unused.to_string()),
            None => warn(&format!("--{}: {unused}", unused.option)),
        }
    }
    if !more.is_empty() {
        let count = plural(more.len() as u64, "more pattern");
        warn(&format!("… and {count} that match nothing"));
    }
}

impl From<Error> for Diagnostics {
    fn from(error: Error) -> Self {
        [error].into_iter().collect()
    }
}

impl FromIterator<Error> for Diagnostics {
    fn from_iter<I: IntoIterator<Item = Error>>(errors: I) -> Self {
        // In the order of their first errors.
        let mut groups: Vec<Vec<Error>> = Vec::new();
        let mut by_cause: BTreeMap<String, usize> = BTreeMap::new();
        for error in errors {
            // One missing shard is the same error of each tensor in it.
            let cause = error.clone().without_tensor().to_string();
            let at = *by_cause.entry(cause).or_insert(groups.len());
            match groups.get_mut(at) {
                Some(alike) => alike.push(error),
                None => groups.push(vec![error]),
            }
        }
        Self(groups.iter().filter_map(|alike| Diagnostic::of_alike(alike)).collect())
    }
}

impl Diagnostic {
    /// One line for errors that differ in their tensors only.
    fn of_alike(errors: &[Error]) -> Option<Self> {
        let (first, others) = errors.split_first()?;
        let more = others.iter().filter(|error| error.tensor() != first.tensor()).count() as u64;
        Some(match (first.tensor(), more) {
            (None, _) | (_, 0) => Self::new(first),
            (Some(name), _) => {
                let mut only = Self::new(&first.clone().without_tensor());
                only.message +=
                    &format!(" (tensor {} and {})", name.printable(), plural(more, "other"));
                only
            }
        })
    }

    fn new(error: &Error) -> Self {
        let excerpt =
            error.location().filter(|location| !location.excerpt.trim().is_empty()).map(excerpt);
        let start = error.option().map(|option| format!("--{}: ", option.replace('_', "-")));
        let start = start.unwrap_or_default();
        let message = one_line(&format!("{start}{}", error.clone().without_option()));
        Self { message, remedy: error.remedy(), excerpt }
    }
}

/// The option that avoids an error, as the end of its message; empty if the command has no such option.
fn option(remedy: Remedy, command: &str) -> String {
    let (option, effect) = match remedy {
        Remedy::Overwrite => ("overwrite", "replaces it"),
        Remedy::DropUnknown => ("drop-unknown", "leaves it out"),
        Remedy::WriteV2 => ("format", "v2 can"),
        Remedy::ExcludeTensor => ("exclude", "leaves the tensor out"),
        Remedy::StateType => ("message", "says which it is"),
    };
    if args::has_option(command, option) { format!("; --{option} {effect}") } else { String::new() }
}

/// The line of the error, and a line with a caret under it.
fn excerpt(location: &Location) -> [String; 2] {
    let before: String = location.excerpt.chars().take(location.caret).collect();
    // An escaped character is wider than the character.
    let width = printable(&before).width();
    [printable(&location.excerpt), format!("{}^", " ".repeat(width))]
}

/// The message on one line, without characters that control a terminal.
fn one_line(message: &str) -> String {
    let parts: Vec<&str> = message.lines().map(str::trim).filter(|line| !line.is_empty()).collect();
    printable(&parts.join(" "))
}
