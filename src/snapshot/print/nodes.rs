//! Prints nodes: a line per node, below a line per scope.

use super::lines::Lines;
use super::{proto, value};
use crate::error::Result;
use crate::schema::tensorflow::{AttrValue, NodeDef};
use crate::snapshot::quote;

/// Prints nodes in their order, with a line for each scope.
///
/// # Errors
/// If a part cannot be printed.
pub(super) fn print(nodes: &[NodeDef], level: usize, out: &mut Lines) -> Result<()> {
    let mut current = None;
    for node in nodes {
        let (scope, leaf) = match node.name.rsplit_once('/') {
            Some((scope, leaf)) => (Some(scope), leaf),
            None => (None, &*node.name),
        };
        if scope != current {
            current = scope;
            if let Some(scope) = scope {
                out.line(level, &format!("{}/", quote::quoted(scope)));
            }
        }
        let line = out.begin(level + usize::from(scope.is_some()));
        quote::name(leaf, line);
        node_line(node, line)?;
        out.end();
    }
    Ok(())
}

/// Appends all of a node but its name.
fn node_line(node: &NodeDef, line: &mut String) -> Result<()> {
    let NodeDef { name: _, op, input, device, attr, experimental_debug_info, experimental_type } =
        node;
    line.push_str(" = ");
    quote::name(op, line);
    line.push('(');
    for (at, input) in input.iter().enumerate() {
        if at > 0 {
            line.push_str(", ");
        }
        quote::name(input, line);
    }
    line.push(')');
    if !device.is_empty() {
        line.push_str(" on ");
        quote::name(device, line);
        line.push(';');
    }
    attrs(attr, line)?;
    let rest = NodeDef {
        experimental_debug_info: experimental_debug_info.clone(),
        experimental_type: experimental_type.clone(),
        ..NodeDef::default()
    };
    if rest != NodeDef::default() {
        line.push(' ');
        line.push_str(&proto::braced(&rest)?);
    }
    Ok(())
}

/// Appends attributes by name.
pub(super) fn attrs<'a>(
    attrs: impl IntoIterator<Item = (&'a String, &'a AttrValue)>,
    line: &mut String,
) -> Result<()> {
    for (name, attr) in attrs {
        line.push(' ');
        quote::name(name, line);
        line.push('=');
        value::attr(attr, line)?;
    }
    Ok(())
}
