//! The table of tensors: in blocks of rows, which a browser lays out only when they come into view.

use std::collections::BTreeSet;
use std::io::{self, Write};

use askama::Template;

use super::page;
use super::rows::{BLOCK, Row, broken, in_order};
use super::tensor_data;
use crate::diff::{Diff, Status, TensorDiff, TensorRole};
use crate::report::human::number;
use crate::report::{Judged, ReportOptions};
use crate::summary::has_new_non_finite;
use crate::tensor::Name;

#[derive(Template)]
#[template(path = "tensors.html", config = "src/report/html/askama.toml")]
struct Head {
    count: String,
    statuses: Vec<(&'static str, String)>,
    roles: Vec<&'static str>,
    /// The number of tensors that break a rule, if any.
    broken: Option<String>,
    /// The number of tensors with new NaN or infinities, if any.
    non_finite: Option<String>,
}

#[derive(Template)]
#[template(path = "tensor_rows.html", config = "src/report/html/askama.toml")]
struct Block {
    first: usize,
    last: usize,
    rows: Vec<Row>,
}

/// Writes the table, and behind it the numbers from which pictures are drawn.
pub(super) fn write(
    diff: &Diff,
    judged: Option<&Judged<'_>>,
    options: &ReportOptions,
    out: &mut dyn Write,
) -> io::Result<()> {
    let tensors = in_order(diff, options.sort);
    let broken = broken(judged.map(|judged| judged.judgement));
    page::write(&head(diff, &broken), out)?;
    for (at, block) in tensors.chunks(BLOCK).enumerate() {
        let first = at * BLOCK + 1;
        let rows = block.iter().map(|tensor| Row::of(tensor, &broken)).collect();
        page::write(&Block { first, last: first + block.len() - 1, rows }, out)?;
    }
    writeln!(out, "</div>\n</section>")?;
    tensor_data::write(&tensors, out)
}

fn head(diff: &Diff, broken: &BTreeSet<&Name>) -> Head {
    let counts = diff.counts();
    let non_finite = diff.tensors.iter().filter(|tensor| has_new_non_finite(tensor)).count();
    let statuses = Status::ALL.into_iter().filter(|&status| counts.of(status) > 0);
    let has = |role: &TensorRole| {
        let is = |tensor: &TensorDiff| tensor.role == Some(*role);
        diff.tensors.iter().any(is)
    };
    Head {
        count: number::count(counts.total()),
        statuses: statuses.map(|of| (of.name(), number::count(counts.of(of)))).collect(),
        roles: TensorRole::ALL.into_iter().filter(has).map(TensorRole::name).collect(),
        broken: Some(broken.len() as u64).filter(|&n| n > 0).map(number::count),
        non_finite: Some(non_finite as u64).filter(|&n| n > 0).map(number::count),
    }
}
