//! Prints the head of a snapshot: kind and redactions, then variables and assets.

use super::facts;
use super::lines::Lines;
use crate::diff::TensorRole;
use crate::error::Result;
use crate::snapshot::quote::{quoted, string};
use crate::snapshot::variable::{self, DeclaredVariable, Variable};
use crate::snapshot::{Snapshot, VERSION};
use crate::tensor::Kind;

/// Prints everything before the message.
///
/// # Errors
/// As [`variable::of_graphs`].
pub(super) fn print(snapshot: &Snapshot, out: &mut Lines) -> Result<()> {
    out.line(0, &format!("ckdiff snapshot {VERSION}"));
    out.line(0, &format!("kind {}", snapshot.kind));
    for redaction in snapshot.redactions.iter() {
        out.line(0, &format!("redact {}: {}", redaction.name(), redaction.about()));
    }
    out.line(0, "# The redactions above say what this file does not guard; nor does it guard the values of variables.");
    match &snapshot.variables {
        Some(variables) => {
            out.line(0, &format!("# {}", totals(variables.iter().map(role_and_elements))));
            out.line(0, "variables");
            variables.iter().for_each(|row| variable(row, out));
        }
        None => declared_variables(&variable::of_graphs(snapshot.graphs())?, out),
    }
    if !snapshot.assets.is_empty() {
        out.line(0, "assets");
    }
    for (name, asset) in &snapshot.assets {
        let (name, bytes) = (quoted(name), asset.bytes);
        out.line(1, &format!("{name} {bytes} bytes sha256:{}", asset.sha256));
    }
    Ok(())
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

/// Lists the variables that graphs declare, for readers: the nodes are what is read back.
fn declared_variables(variables: &[DeclaredVariable<'_>], out: &mut Lines) {
    if variables.is_empty() {
        return;
    }
    let elements = |row: &DeclaredVariable<'_>| {
        let mut dims = row.shape.filter(|shape| !shape.unknown_rank)?.dim.iter();
        dims.try_fold(1u64, |product, dim| product.checked_mul(u64::try_from(dim.size).ok()?))
    };
    let rows = variables.iter().map(|row| (row.role, elements(row)));
    out.line(0, &format!("# {}, as declared by nodes:", totals(rows)));
    for DeclaredVariable { name, dtype, shape, role } in variables {
        let dtype = dtype.map_or("?", |dtype| dtype.name());
        let mut dims = String::new();
        match shape {
            Some(shape) => drop(facts::shape(shape, &mut dims)),
            None => dims.push_str("[...]"),
        }
        out.line(0, &format!("#   {} {dtype} {dims} {}", quoted(name), role.name()));
    }
}

/// The role of a variable, and the number of its elements if they are numbers.
fn role_and_elements(row: &Variable) -> (TensorRole, Option<u64>) {
    let is_number = row.facts.dtype.kind() != Kind::Bytes;
    (row.role, is_number.then(|| row.facts.shape.elements()))
}

/// The number of variables and of their elements, by role.
fn totals(variables: impl ExactSizeIterator<Item = (TensorRole, Option<u64>)> + Clone) -> String {
    let count = variables.len();
    let mut text = format!("{count} variable{}", plural(count as u64));
    for role in TensorRole::ALL {
        let own = variables.clone().filter(|(own, _)| *own == role);
        let elements = own.clone().filter_map(|(_, elements)| elements);
        let elements = elements.fold(0, u64::saturating_add);
        let (count, name) = (own.count(), role.name());
        if count > 0 {
            text += &format!("; {count} {name}, {elements} element{}", plural(elements));
        }
    }
    text
}

fn plural(count: u64) -> &'static str {
    if count == 1 { "" } else { "s" }
}
