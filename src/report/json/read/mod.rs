//! Reads the JSON report of a comparison, `ckdiff/1`, back into the comparison.
//!
//! What is read can be written again with equal bytes, and reported and judged as if the artifacts had just been compared. It lacks
//! what no report has: the elements that were left out, and the statistics that were not asked for.
//!
//! A report may come from anywhere. All of its text is checked to be JSON first; then each value is read where it is needed, and
//! whatever is refused is an error with the line, the column, and the path: `tensors[3].max_abs`. Memory stays within a small
//! multiple of the text, and keys that this version does not know are ignored.

mod change;
mod options;
mod remarks;
mod tensor;

use serde_json::value::RawValue;

use crate::compare::Work;
use crate::diff::{Diff, PathReader};
use crate::error::{Error, Location, Result, shortened};
use crate::json::serde_error::{explain, offset_of};
use crate::serial::{Json, Object, Read};

/// The schema of the reports that are read.
const SCHEMA: &str = "ckdiff/1";

/// The steps of paths that any report may have, and those for each byte of it. Real paths have a step in ten bytes.
const STEPS: usize = 4_096;
const BYTES_PER_STEP: usize = 4;

/// Reads the report of a comparison.
///
/// ```
/// use ckdiff::artifact::Artifact;
/// use ckdiff::diff::{DiffOptions, diff};
/// use ckdiff::progress::Silent;
/// use ckdiff::report::{Format, Report, ReportOptions, json, write};
///
/// let lhs = Artifact::open("tests/data/retrain/baseline.ckpt")?;
/// let rhs = Artifact::open("tests/data/retrain/retrained.ckpt")?;
/// let found = diff(&lhs, &rhs, &DiffOptions::default(), &Silent)?;
/// let mut report = Vec::new();
/// write(&Report::Diff(&found, None), Format::JSON, &ReportOptions::default(), &mut report)?;
/// assert_eq!(json::read_diff(&report)?.verdict(), found.verdict());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
/// # Errors
/// If the text is not JSON, or another report, or if a value is missing or cannot be what it claims to be.
pub fn read_diff(report: &[u8]) -> Result<Diff> {
    let text = std::str::from_utf8(report).map_err(|error| {
        let why = "a byte is not part of a character";
        Error::malformed("report", "UTF-8", why).at(error.valid_up_to() as u64)
    })?;
    let value: &RawValue = serde_json::from_str(text).map_err(|error| {
        let location = Location::of(text.as_bytes(), offset_of(&error, text));
        Error::syntax(explain(&error, text)).at_location(location)
    })?;
    let object = opened(Json::new(value, text))?;
    let mut paths = PathReader::new(STEPS + text.len() / BYTES_PER_STEP);
    let summary: Object<'_> = object.get("summary")?;
    let tensors = object.with("tensors", tensor::read_all)?;
    let mut options = object.with("options", options::read)?;
    let comparisons = || tensors.iter().filter_map(|tensor| tensor.comparison.as_deref());
    options.compare.histogram = comparisons().any(|found| found.histogram.is_some());
    let mut changes = object.with("changes", |json| change::read_all(json, &mut paths))?;
    let grouped = object.optional_with("grouped", |json| change::read_all(json, &mut paths))?;
    changes.extend(grouped.into_iter().flatten());
    let in_summary = |error: Error| error.in_field("summary");
    let mut diff = Diff {
        lhs: object.get("lhs")?,
        rhs: object.get("rhs")?,
        options,
        work: object.with("options", |json| Object::read(json)?.get("device"))?,
        tensors,
        left_out: summary.get("left_out").map_err(in_summary)?,
        unused: object.with("unused", remarks::unused)?,
        not_frozen: summary.with("not_frozen", remarks::count).map_err(in_summary)?,
        damage: object.get("damage")?,
        renames: object.get("renames")?,
        changes,
        groups: Vec::new(),
        ignored: summary
            .with("graph", |json| Object::read(json)?.with("ignored", remarks::count))
            .map_err(in_summary)?,
        ops: object.with("ops", |json| json.optional(remarks::ops))?,
        findings: object.get("findings")?,
        coverage: summary.get("coverage").map_err(in_summary)?,
    };
    diff.explain();
    Ok(diff)
}

/// The entries of a report of a comparison.
///
/// # Errors
/// If the value is another report, or none.
fn opened(json: Json<'_>) -> Result<Object<'_>> {
    const EXPECTED: &str = "the JSON report of a comparison";
    let object = Object::read(json).map_err(|_| json.unexpected(EXPECTED))?;
    let schema = object.optional::<String>("schema")?;
    let why = match schema.as_deref() {
        Some(SCHEMA) => return Ok(object),
        Some(other) if other.starts_with("ckdiff") => format!(
            "expected {EXPECTED}, whose schema is {SCHEMA}, found one of the schema {}",
            shortened(other)
        ),
        _ => format!("expected {EXPECTED}, found JSON without the schema {SCHEMA}"),
    };
    Err(json.error(why))
}

impl<'r> Read<'r> for Work {
    fn read(json: Json<'r>) -> Result<Self> {
        let text = json.string()?;
        Self::of_report(&text).ok_or_else(|| json.unexpected("the name of a device"))
    }
}
