//! The differing elements of the tensors for which the options list them.

use std::io::{self, Write};

use anstyle::Style;

use crate::compare::{ElementValue, Mismatch};
use crate::diff::Diff;
use crate::tensor::DType;

use super::table::{Align, Table};
use super::terminal_text::{cut_end, printable};
use super::{ReportOptions, lines, number};

/// The maximum number of columns of a string.
const TEXT_WIDTH: usize = 24;

/// Writes the elements that the options list.
pub(super) fn write(diff: &Diff, options: &ReportOptions, out: &mut dyn Write) -> io::Result<()> {
    for tensor in &diff.tensors {
        let names: Vec<_> = tensor.names().collect();
        if tensor.mismatches.is_empty() || diff.options.listed.count(&names).is_none() {
            continue;
        }
        let (Some(lhs), Some(rhs), Some(comparison)) =
            (&tensor.lhs, &tensor.rhs, &tensor.comparison)
        else {
            continue;
        };
        let shown = number::count(tensor.mismatches.len() as u64);
        let all = number::count(comparison.mismatched);
        let title = format!("Elements of {} ({shown} of {all} that differ)", tensor.shown_name());
        lines::heading(&title, options, out)?;
        let mut table = Table::new(&[Align::Left]);
        for found in &tensor.mismatches {
            let index = format!("{:?}", lhs.shape.unravel(found.position));
            let [of_lhs, of_rhs] = sides(found, (lhs.dtype, rhs.dtype));
            table.push(Style::new(), vec![index, format!("{of_lhs} → {of_rhs}")]);
        }
        table.write(out)?;
    }
    Ok(())
}

/// The two elements of a mismatch.
pub(in crate::report) fn sides(
    Mismatch { lhs, rhs, .. }: &Mismatch,
    (lhs_dtype, rhs_dtype): (DType, DType),
) -> [String; 2] {
    match (lhs, rhs) {
        (ElementValue::Scalar(lhs), ElementValue::Scalar(rhs)) => {
            number::pair((*lhs, lhs_dtype), (*rhs, rhs_dtype))
        }
        (lhs, rhs) => [lhs, rhs].map(|side| {
            let text = printable(&side.to_string()).replace('"', "\\\"");
            format!("\"{}\"", cut_end(&text, TEXT_WIDTH))
        }),
    }
}
