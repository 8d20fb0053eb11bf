//! What is told of losses on stderr.

use ckdiff::message::Losses;
use ckdiff::report::human;

use crate::trouble;

/// Warns of what `place` has no place for; unknown fields may be shown all the same, by number.
pub(crate) fn warn(losses: &Losses, place: &str, by_number: bool) {
    for warning in warnings(losses, place, by_number) {
        trouble::warn(&warning);
    }
}

/// A line for what is shown all the same, one for what is lost, one for what comes back in another form.
fn warnings(losses: &Losses, place: &str, by_number: bool) -> Vec<String> {
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
    let mut said = Vec::new();
    if let [one] = shown.as_slice() {
        let are = if one.0 == 1 { "is" } else { "are" };
        said.push(format!("{} {are} shown by number and cannot be read back", counted(one)));
    }
    if !lost.is_empty() {
        let have = if matches!(lost.as_slice(), [(1, _)]) { "has" } else { "have" };
        let lost: Vec<String> = lost.into_iter().map(counted).collect();
        said.push(format!("{} {have} no place in {place}", lost.join(" and ")));
    }
    if losses.any_bytes > 0 {
        let (payloads, come) = match losses.any_bytes {
            1 => ("1 Any payload".to_owned(), "comes"),
            count => (format!("{count} Any payloads"), "come"),
        };
        said.push(format!(
            "{payloads} not in canonical form {come} back with other bytes of the same meaning"
        ));
    }
    // The losses do not say which of them is where.
    if let Some(last) = said.last_mut() {
        last.push_str(&places(losses));
    }
    said
}

/// Where the losses are, behind a colon.
fn places(losses: &Losses) -> String {
    let places: Vec<String> = losses.places().iter().map(|place| human::printable(place)).collect();
    if places.is_empty() { String::new() } else { format!(": {}", places.join(", ")) }
}
