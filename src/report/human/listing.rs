//! The tensors of a checkpoint, as a table.

use std::io::{self, Write};

use anstyle::Style;

use crate::checkpoint::{ListedTensor, Listing};

use super::table::{Align, Table};
use super::terminal_text::{cut_middle, plural, printable};
use super::{ReportOptions, lines, number};

/// Writes the listing of a checkpoint.
pub(super) fn write(
    listing: &Listing,
    options: &ReportOptions,
    out: &mut dyn Write,
) -> io::Result<()> {
    let (heading, bad) = (options.palette.heading, options.palette.bad);
    let path = printable(&listing.path.display().to_string());
    let tensors = plural(listing.tensors.len() as u64, "tensor");
    let (parameters, bytes) =
        (plural(listing.parameters(), "parameter"), number::bytes(listing.bytes()));
    writeln!(
        out,
        "{heading}{path}: checkpoint {}, {tensors}, {parameters}, {bytes}{heading:#}",
        listing.format
    )?;
    for error in &listing.damage {
        writeln!(out, "{bad}  {}{bad:#}", printable(&error.to_string()))?;
    }
    metadata(&listing.metadata, out)?;
    if !listing.tensors.is_empty() {
        writeln!(out)?;
        let shown = listing.tensors.get(..options.max_rows).unwrap_or(&listing.tensors);
        table(shown, options).write(out)?;
        let hidden = (listing.tensors.len() - shown.len()) as u64;
        lines::more(hidden, "tensor", "  ", Style::new(), out)?;
    }
    let errors = listing.tensors.iter().filter_map(|row| row.error.as_ref());
    for (i, error) in errors.enumerate() {
        let gap = if i == 0 { "\n" } else { "" };
        writeln!(out, "{gap}{bad}{}{bad:#}", printable(&error.to_string()))?;
    }
    Ok(())
}

/// The first pairs of the metadata, cut where they are longer than a line.
fn metadata(pairs: &[(String, String)], out: &mut dyn Write) -> io::Result<()> {
    const SHOWN: usize = 20;
    for (key, value) in pairs.iter().take(SHOWN) {
        let [key, value] =
            [(key, 32), (value, 64)].map(|(text, width)| cut_middle(&printable(text), width));
        writeln!(out, "  {key}: {value}")?;
    }
    let hidden = pairs.len().saturating_sub(SHOWN) as u64;
    lines::more(hidden, "metadata line", "  ", Style::new(), out)
}

/// The table of tensors, with a header.
pub(super) fn table(rows: &[ListedTensor], options: &ReportOptions) -> Table {
    let mut table = Table::new(&[Align::Left, Align::Left, Align::Right, Align::Left]);
    table.header(options.palette.faint, &["name", "dtype", "shape", "bytes", "sha256"]);
    for row in rows {
        let mut cells = vec![row.name.printable()];
        match &row.facts {
            Some(facts) => {
                cells.extend([facts.dtype.to_string(), cut_middle(&facts.shape.to_string(), 32)]);
                cells.push(row.bytes.map(number::count).unwrap_or_default());
            }
            None => cells.push("unreadable".into()),
        }
        match &row.error {
            Some(_) if row.facts.is_some() => cells.push("unreadable".into()),
            _ => cells.extend(row.sha256.clone()),
        }
        let style = if row.error.is_some() { options.palette.bad } else { Style::new() };
        table.push(style, cells);
    }
    table
}
