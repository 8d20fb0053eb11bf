//! The numbers of each tensor from which the script draws its pictures: a block of JSON per block of rows, parsed when a row of
//! it is opened.
//!
//! ```text
//! {"k": key in the file, "f": name in lhs, "e": error, "t": tolerance, "d": [dimension], "n": [statistic, as LABELS],
//!  "h": |difference|, "v": values, or a number if they are too few to draw, "r": by row-major position, "a": by first axis, "w": [[position, lhs, rhs]]}
//! ```
//! Missing values are left out, and so are those in `a` that repeat `r`; an identical tensor has no entry.

use std::io::{self, Write};

use serde::Serialize;

use super::picture::{Counted, Strip, Values};
use super::rows::BLOCK;
use crate::compare::{Comparison, MismatchMap, Sides, Stretch, Tolerance};
use crate::diff::{Status, TensorDiff};
use crate::report::human::elements::sides;
use crate::report::human::number;
use crate::report::human::statistics::real;
use crate::report::human::tensors::without_tensor;
use crate::report::human::terminal_text::{printable, short_of};
use crate::tensor::{DType, Facts};

/// The tensors that have as many worst elements as were found; the others have fewer.
const WORST: usize = 100;
const FEW: usize = 3;

/// The names of the statistics of [`statistics`], in their order.
const LABELS: &[&str] = &[
    "differing",
    "mismatched",
    "rms difference",
    "max rel",
    "max ulp",
    "cosine",
    "norm",
    "mean",
    "std",
    "NaN",
    "infinite",
    "new NaN",
    "zeros",
    "KS distance",
    "passes at rtol",
];

/// The data of a tensor for the script.
#[derive(Serialize, Default)]
struct Data {
    #[serde(rename = "k", skip_serializing_if = "Option::is_none")]
    key: Option<String>,
    #[serde(rename = "f", skip_serializing_if = "Option::is_none")]
    renamed_from: Option<String>,
    #[serde(rename = "e", skip_serializing_if = "Option::is_none")]
    error: Option<String>,
    #[serde(rename = "t", skip_serializing_if = "Option::is_none")]
    tolerance: Option<String>,
    #[serde(rename = "d", skip_serializing_if = "Option::is_none")]
    dims: Option<Vec<u64>>,
    #[serde(rename = "n", skip_serializing_if = "Vec::is_empty")]
    statistics: Vec<String>,
    #[serde(rename = "h", skip_serializing_if = "Option::is_none")]
    differences: Option<Counted>,
    #[serde(rename = "v", skip_serializing_if = "Option::is_none")]
    values: Option<Values>,
    #[serde(rename = "r", skip_serializing_if = "Option::is_none")]
    row_major: Option<Strip>,
    #[serde(rename = "a", skip_serializing_if = "Option::is_none")]
    first_axis: Option<Strip>,
    #[serde(rename = "w", skip_serializing_if = "Vec::is_empty")]
    worst: Vec<(u64, String, String)>,
}

/// Writes the labels, and the data of all tensors up to the last that has any.
pub(super) fn write(tensors: &[&TensorDiff], out: &mut dyn Write) -> io::Result<()> {
    block("labels", &LABELS, out)?;
    let has_any =
        |tensor: &&TensorDiff| !matches!(tensor.status, Status::Identical | Status::Uncompared);
    let last = tensors.iter().rposition(has_any).map_or(0, |last| last + 1);
    for (at, tensors) in tensors.get(..last).unwrap_or_default().chunks(BLOCK).enumerate() {
        let most = if at * BLOCK < WORST { usize::MAX } else { FEW };
        let data: Vec<Data> = tensors.iter().map(|tensor| Data::of(tensor, most)).collect();
        block(&format!("d{at}"), &data, out)?;
    }
    Ok(())
}

/// Writes a block of JSON, in which no tag can end: `<` is escaped.
fn block(id: &str, data: &impl Serialize, out: &mut dyn Write) -> io::Result<()> {
    let json = serde_json::to_string(data)?.replace('<', "\\u003c");
    writeln!(out, "<script type=\"application/json\" id=\"{id}\">{json}</script>")
}

impl Data {
    fn of(tensor: &TensorDiff, most: usize) -> Self {
        let shown = |text: &str| short_of(&printable(text)).into_owned();
        let key = tensor.name.printable();
        let of_names = Self {
            key: Some(short_of(&key).into_owned()).filter(|_| key != tensor.shown_name()),
            renamed_from: tensor.renamed_from.as_ref().map(|from| shown(&from.to_string())),
            error: tensor.error.as_ref().map(|error| shown(&without_tensor(error))),
            ..Self::default()
        };
        match (tensor.comparison.as_deref(), &tensor.lhs, &tensor.rhs) {
            (Some(found), Some(lhs), Some(rhs)) if found.mismatched > 0 || found.differing > 0 => {
                of_names.compared(tensor, found, (lhs, rhs), most)
            }
            _ => of_names,
        }
    }

    /// With the numbers of a comparison.
    fn compared(
        self,
        tensor: &TensorDiff,
        found: &Comparison,
        (lhs, rhs): (&Facts, &Facts),
        most: usize,
    ) -> Self {
        let is_scalar = found.elements == 1;
        let is_float = found.nan.is_some();
        let map = tensor.mismatch_map.as_deref();
        let map_of_many = map.filter(|_| !is_scalar);
        let row = lhs.shape.dims().get(1..).map(|dims| dims.iter().product());
        Self {
            tolerance: tolerance(&tensor.tolerance),
            dims: Some(lhs.shape.dims().to_vec()),
            statistics: statistics(found),
            differences: Some(found).filter(|_| !is_scalar).and_then(Counted::new),
            values: found.values.as_deref().filter(|_| !is_scalar).and_then(Values::new),
            row_major: map_of_many.and_then(|map| Strip::new(&map.row_major, 1, is_float)),
            first_axis: map_of_many.and_then(|map| {
                let strip = Strip::new(&map.first_axis, row.unwrap_or(1), is_float)?;
                Some(if are_alike(map) { strip.without_content() } else { strip })
            }),
            worst: worst(tensor, (lhs.dtype, rhs.dtype), most),
            ..self
        }
    }
}

/// Whether the ranges of the first axis are those of the positions.
fn are_alike(map: &MismatchMap) -> bool {
    let content = |of: &Stretch| (of.elements, of.mismatched, of.max_abs.map(f64::to_bits));
    map.row_major.iter().map(content).eq(map.first_axis.iter().map(content))
}

/// The worst elements; without a map, those that are listed.
fn worst(tensor: &TensorDiff, dtypes: (DType, DType), most: usize) -> Vec<(u64, String, String)> {
    let of_map = tensor.mismatch_map.as_deref().map(|map| map.worst.as_slice());
    let listed = of_map.unwrap_or(&tensor.mismatches);
    let row = |found| {
        let [lhs, rhs] = sides(found, dtypes);
        (found.position, lhs, rhs)
    };
    listed.iter().take(most).map(row).collect()
}

/// The tolerance of a tensor, if it has one.
fn tolerance(given: &Tolerance) -> Option<String> {
    let float = |name: &str, value: Option<f64>| Some(format!("{name} {}", number::exact(value?)));
    let ulp = given.ulp.map(|ulp| format!("ulp {ulp}"));
    let parts = [float("atol", given.atol), float("rtol", given.rtol), ulp];
    let parts: Vec<String> = parts.into_iter().flatten().collect();
    (!parts.is_empty()).then(|| parts.join(", "))
}

/// The statistics, in the order of [`LABELS`]; an empty text where there is none, and nothing after the last.
fn statistics(found: &Comparison) -> Vec<String> {
    let float = |value: Option<f64>| value.map(number::short).unwrap_or_default();
    let count = |value: Option<u64>| value.map(number::count).unwrap_or_default();
    let floats = |of: Option<Sides<f64>>| of.map(|of| changed(of.map(number::short)));
    // Leave out a count that is zero on both sides.
    let counts = |of: Option<Sides<u64>>| {
        let of = of.filter(|of| of.lhs > 0 || of.rhs > 0);
        of.map(|of| changed(of.map(number::count))).unwrap_or_default()
    };
    let mut all = vec![
        number::count(found.differing),
        number::count(found.mismatched),
        float(found.rms),
        float(found.max_rel),
        found.max_ulp.map(number::short_count).unwrap_or_default(),
        found.cosine.map(|cosine| format!("{cosine:.6}")).unwrap_or_default(),
        floats(found.norm).unwrap_or_default(),
        floats(found.mean.map(|mean| mean.map(real))).unwrap_or_default(),
        floats(found.std).unwrap_or_default(),
        counts(found.nan),
        counts(found.inf),
        count(found.nan_new.filter(|&n| n > 0)),
        counts(found.zeros),
        float(found.ks),
        float(found.passes_at.rtol),
    ];
    let used = all.iter().rposition(|text| !text.is_empty()).map_or(0, |last| last + 1);
    all.truncate(used);
    all
}

/// A value of lhs and that of rhs; one, if they are equal as shown.
fn changed(Sides { lhs, rhs }: Sides<String>) -> String {
    if lhs == rhs { lhs } else { format!("{lhs} → {rhs}") }
}
