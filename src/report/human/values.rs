//! The values of one tensor.

use std::io::{self, Write};

use crate::report::ShownTensor;
use crate::tensor::{DType, Name, ShownElement, TensorValues};

use super::terminal_text::{printable, width_of};
use super::{ReportOptions, WIDTH, histogram, number};

/// Writes the values of a tensor.
pub(super) fn write(
    tensor: &ShownTensor<'_>,
    options: &ReportOptions,
    out: &mut dyn Write,
) -> io::Result<()> {
    let values = tensor.values;
    let (heading, bad) = (options.palette.heading, options.palette.bad);
    let facts = &values.facts;
    writeln!(
        out,
        "{heading}{}: {} {}, {}{heading:#}",
        values.name.printable(),
        facts.dtype,
        facts.shape,
        number::bytes(values.bytes)
    )?;
    if let Some((min, max, mean)) = values.range {
        let [min, max] = [min, max].map(|value| number::element(value, facts.dtype));
        writeln!(out, "  min {min}  max {max}  mean {}", number::short(mean))?;
    }
    if values.nan + values.inf > 0 {
        let (nan, inf) = (number::count(values.nan), number::count(values.inf));
        writeln!(out, "  {bad}NaN {nan}  infinite {inf}{bad:#}")?;
    }
    if let Some(buckets) = tensor.histogram {
        writeln!(out)?;
        histogram::chart(buckets, options, out)?;
    }
    if values.first.is_empty() {
        return Ok(());
    }
    writeln!(out)?;
    elements(values, out)?;
    let hidden = if values.last.is_empty() { values.more } else { 0 };
    super::lines::more(hidden, "element", "  ", anstyle::Style::new(), out)
}

/// Writes the elements that are shown: rows of a matrix, or the ends of a long tensor.
fn elements(values: &TensorValues, out: &mut dyn Write) -> io::Result<()> {
    let facts = &values.facts;
    let dims = facts.shape.dims();
    match dims.last().copied().and_then(|dim| usize::try_from(dim).ok()) {
        // A line for each row.
        Some(row) if values.last.is_empty() && dims.len() > 1 && row > 0 => {
            for (i, shown) in values.first.chunks(row).enumerate() {
                let mut index = facts.shape.unravel((i * row) as u64);
                index.pop();
                lines(&format!("{index:?}"), shown, facts.dtype, out)?;
            }
            Ok(())
        }
        _ => {
            lines("", &values.first, facts.dtype, out)?;
            if !values.last.is_empty() {
                writeln!(out, "  …")?;
                lines("", &values.last, facts.dtype, out)?;
            }
            Ok(())
        }
    }
}

/// Writes elements on as many lines as they need.
fn lines(
    label: &str,
    elements: &[ShownElement],
    dtype: DType,
    out: &mut dyn Write,
) -> io::Result<()> {
    let mut line = if label.is_empty() { String::new() } else { format!("  {label}") };
    let indent = line.clone();
    for element in elements {
        let element = self::element(element, dtype);
        if line != indent && width_of(&line) + 2 + width_of(&element) > WIDTH {
            writeln!(out, "{line}")?;
            line = " ".repeat(width_of(&indent));
        }
        line += "  ";
        line += &element;
    }
    writeln!(out, "{line}")
}

/// An element, or the start of a long one.
pub(super) fn element(element: &ShownElement, dtype: DType) -> String {
    match element {
        ShownElement::Scalar(scalar) => number::element(*scalar, dtype),
        ShownElement::Bytes(bytes, len) => {
            let text = printable(&Name::from(bytes).to_string()).replace('"', "\\\"");
            let more = if *len > bytes.len() as u64 {
                format!("… ({})", number::bytes(*len))
            } else {
                String::new()
            };
            format!("\"{text}\"{more}")
        }
    }
}
