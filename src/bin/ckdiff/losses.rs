//! Warnings about what a form cannot hold.

use ckdiff::message::Losses;
use ckdiff::report::human;

use crate::diagnostics;

/// Warns about what `form` cannot hold; with `by_number`, unknown fields are shown by number instead.
pub(crate) fn warn(losses: &Losses, form: &str, by_number: bool) {
    for warning in warnings(losses, form, by_number) {
        diagnostics::warn(&warning);
    }
}

/// One line for unknown fields shown by number, one for what is lost, one for payloads that come back in canonical form.
fn warnings(losses: &Losses, form: &str, by_number: bool) -> Vec<String> {
    let counts = [
        (losses.unknown_fields, "unknown field"),
        (losses.nan_bits, "NaN payload"),
        (losses.unknown_any, "Any of an unknown type"),
    ];
    let counted = |(count, what): &(u64, &str)| match (*count, *what) {
        (1, what) => format!("1 {what}"),
        (count, "Any of an unknown type") => format!("{count} Any of unknown types"),
        (count, what) => format!("{count} {what}s"),
    };
    let (shown, lost): (Vec<&(u64, &str)>, Vec<_>) = counts
        .iter()
        .filter(|(count, _)| *count > 0)
        .partition(|(_, what)| by_number && *what == "unknown field");
    let mut warnings = Vec::new();
    if let [one] = shown.as_slice() {
        let are = if one.0 == 1 { "is" } else { "are" };
        warnings.push(format!("{} {are} shown by number and cannot be read back", counted(one)));
    }
    if !lost.is_empty() {
        let lost: Vec<String> = lost.into_iter().map(counted).collect();
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
    let places: Vec<String> = losses.places().iter().map(|place| human::printable(place)).collect();
    if places.is_empty() { String::new() } else { format!(": {}", places.join(", ")) }
}
