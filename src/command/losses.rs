//! Warnings about the parts of a message that a form cannot represent.

use std::fmt::{self, Display};

use crate::message::Losses;
use crate::report::human;

use crate::command::diagnostics;

/// The number of losses of one kind, with the name of one and of several.
struct Loss(u64, &'static str, &'static str);

impl Display for Loss {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self(count, one, several) = self;
        write!(f, "{count} {}", if *count == 1 { one } else { several })
    }
}

/// Warns about the parts that `form` cannot represent; with `by_number`, unknown fields are shown by number instead.
pub(crate) fn warn(losses: &Losses, form: &str, by_number: bool) {
    for warning in warnings(losses, form, by_number) {
        diagnostics::warn(&warning);
    }
}

/// One line for unknown fields shown by number, one for losses, one for payloads that are converted to canonical form.
fn warnings(losses: &Losses, form: &str, by_number: bool) -> Vec<String> {
    let unknown = Loss(losses.unknown_fields, "unknown field", "unknown fields");
    let nan = Loss(losses.nan_bits, "NaN payload", "NaN payloads");
    let any = Loss(losses.unknown_any, "Any of an unknown type", "Any of unknown types");
    let (shown, unknown) = if by_number { (Some(unknown), None) } else { (None, Some(unknown)) };
    let lost = unknown.into_iter().chain([nan, any]).filter(|loss| loss.0 > 0);
    let lost: Vec<String> = lost.map(|loss| loss.to_string()).collect();
    let mut warnings = Vec::new();
    if let Some(shown) = shown.filter(|loss| loss.0 > 0) {
        let are = if shown.0 == 1 { "is" } else { "are" };
        warnings.push(format!("{shown} {are} shown by number and cannot be read back"));
    }
    if !lost.is_empty() {
        warnings.push(format!("{} cannot be represented in {form}", lost.join(" and ")));
    }
    if losses.any_bytes > 0 {
        let (payloads, were) = match losses.any_bytes {
            1 => ("1 Any payload".to_owned(), "was"),
            count => (format!("{count} Any payloads"), "were"),
        };
        warnings.push(format!(
            "{payloads} {were} not in canonical form; converting back gives other bytes of the same meaning"
        ));
    }
    // The paths do not say which loss they belong to.
    if let Some(last) = warnings.last_mut() {
        last.push_str(&paths(losses));
    }
    warnings
}

/// The paths of the losses, after a colon.
fn paths(losses: &Losses) -> String {
    let paths: Vec<String> =
        losses.shown_paths().iter().map(|path| human::printable(path)).collect();
    if paths.is_empty() { String::new() } else { format!(": {}", paths.join(", ")) }
}
