//! The signatures of a graph, by which a server calls it.

use std::io::{self, Write};

use anstyle::Style;

use crate::overview::{Argument, Encoding, MetaGraph, Signature};

use super::super::table::{Align, Table};
use super::super::terminal_text::printable;
use super::meta_graph::dtype;
use super::{Page, python, type_spec};

/// The indent of a tensor below its argument.
const BELOW: &str = "           ";

/// The tensors of a sparse tensor, in their order.
const PARTS: [&str; 3] = ["values   ", "indices  ", "shape    "];

impl Page<'_> {
    /// Writes the signatures that can be called; the others only name ops, which are shown elsewhere.
    pub(super) fn signatures(&self, graph: &MetaGraph, out: &mut dyn Write) -> io::Result<()> {
        let called = || graph.signatures.iter().filter(|signature| !is_for_op(signature));
        let count = called().count();
        if count == 0 {
            return Ok(());
        }
        self.title("Signatures", count, out)?;
        for signature in called().take(self.options.max_rows) {
            let method = match &*signature.method {
                "" => String::new(),
                method => format!("  {}", printable(method)),
            };
            self.line(&format!("  {}{method}", printable(&signature.name)), out)?;
            let mut table = Table::new(&[Align::Left; 5]);
            for (way, arguments) in [("  in", &signature.inputs), ("  out", &signature.outputs)] {
                for argument in arguments.iter().take(self.options.max_rows) {
                    table.push(Style::new(), row(way, argument));
                    self.components(argument, &mut table);
                }
                if let more @ 1.. = arguments.len().saturating_sub(self.options.max_rows) {
                    table.push(Style::new(), vec![way.into(), format!("… and {more} more")]);
                }
            }
            table.write_squeezed(self.options.columns, out)?;
        }
        self.rest(count, out)
    }
}

impl Page<'_> {
    /// Writes the tensors of a composite argument, with full names, since a caller needs them.
    fn components(&self, argument: &Argument, table: &mut Table) {
        let labels = match &argument.encoding {
            Encoding::Dense => return,
            // With fewer tensors, their meaning is not known.
            Encoding::Sparse if argument.tensors.len() == PARTS.len() => PARTS.as_slice(),
            Encoding::Sparse | Encoding::Composite(_) => &[],
        };
        for (i, tensor) in argument.tensors.iter().enumerate().take(self.options.max_rows) {
            let label = labels.get(i).map_or("", |label| *label);
            table.push_line(format!("{BELOW}{label}{}", printable(tensor)));
        }
        if let more @ 1.. = argument.tensors.len().saturating_sub(self.options.max_rows) {
            table.push_line(format!("{BELOW}… and {more} more"));
        }
    }
}

/// Whether a signature only names an op, which is shown elsewhere.
fn is_for_op(signature: &Signature) -> bool {
    signature.names_op() && signature.outputs.iter().any(|output| !output.tensors.is_empty())
}

fn row(way: &str, argument: &Argument) -> Vec<String> {
    let (mut dtype, mut dims) = (dtype(&argument.ty), argument.ty.dims());
    let mut notes = Vec::new();
    match &argument.encoding {
        Encoding::Dense => {}
        Encoding::Sparse => notes.push("sparse".into()),
        Encoding::Composite(spec) => match type_spec::as_tensor(spec) {
            // TensorFlow leaves the dtype of a composite tensor open.
            Some(cells) if argument.ty.dtype.is_none() => {
                (dtype, dims) = (cells.dtype, cells.dims);
                notes.push(cells.notes);
            }
            _ => notes.push(python::type_spec(spec)),
        },
    }
    notes.extend(argument.default.as_ref().map(|value| format!("= {}", python::constant(value))));
    let tensors = match &argument.encoding {
        Encoding::Dense => printable(&argument.tensors.join(", ")),
        _ => String::new(),
    };
    vec![way.into(), printable(&argument.name), dtype, dims, notes.join(" "), tensors]
}
