//! Prints the head of a snapshot: kind and redactions, then variables and assets.

use super::lines::Lines;
use crate::diff::TensorRole;
use crate::snapshot::quote::{quoted, string};
use crate::snapshot::variable::Variable;
use crate::snapshot::{Snapshot, VERSION};
use crate::tensor::Kind;

/// Prints everything before the message.
pub(super) fn print(snapshot: &Snapshot, out: &mut Lines) {
    out.line(0, &format!("ckdiff snapshot {VERSION}"));
    out.line(0, &format!("kind {}", snapshot.kind));
    for redaction in snapshot.redactions.iter() {
        out.line(0, &format!("redact {}: {}", redaction.name(), redaction.about()));
    }
    out.line(0, "# The redactions above say what this file does not guard; nor does it guard the values of variables.");
    if let Some(variables) = &snapshot.variables {
        out.line(0, &format!("# {}", totals(variables)));
        out.line(0, "variables");
        variables.iter().for_each(|row| variable(row, out));
    }
    if !snapshot.assets.is_empty() {
        out.line(0, "assets");
    }
    for (name, asset) in &snapshot.assets {
        let (name, bytes) = (quoted(name), asset.bytes);
        out.line(1, &format!("{name} {bytes} bytes sha256:{}", asset.sha256));
    }
}

fn variable(row: &Variable, out: &mut Lines) {
    let Variable { name, facts, role } = row;
    let name = match name.as_str() {
        Some(name) => quoted(name),
        None => {
            let mut text = String::new();
            string(name.as_bytes(), &mut text);
            text
        }
    };
    out.line(1, &format!("{name} {} {} {}", facts.dtype, facts.shape, role.name()));
}

/// The number of variables and of their elements, by role.
fn totals(variables: &[Variable]) -> String {
    let mut text = format!("{} variables", variables.len());
    for role in TensorRole::ALL {
        let own = || variables.iter().filter(|row| row.role == role);
        let numbers = own().filter(|row| row.facts.dtype.kind() != Kind::Bytes);
        let elements = numbers.map(|row| row.facts.shape.elements()).fold(0, u64::saturating_add);
        if own().next().is_some() {
            let plural = if elements == 1 { "" } else { "s" };
            let (count, name) = (own().count(), role.name());
            text += &format!("; {count} {name}, {elements} element{plural}");
        }
    }
    text
}
