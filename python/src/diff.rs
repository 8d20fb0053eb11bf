//! The result of a comparison.

use std::sync::Arc;

use ckdiff::Error;
use ckdiff::diff::Diff;
use ckdiff::report::human::{answer, unused_rule};
use ckdiff::report::{self, Format, Judged, Report, ReportOptions, Subject};
use ckdiff::rules::{Judgement, Rules};
use pyo3::prelude::*;

use crate::errors::or_raise;
use crate::interrupt::interruptible;

/// The differences between two artifacts, and what rules say of them.
#[pyclass(frozen, name = "Diff", module = "ckdiff._ckdiff")]
pub(crate) struct PyDiff {
    diff: Diff,
    judged: Option<(Arc<Rules>, Judgement)>,
    histograms: bool,
}

impl PyDiff {
    /// The differences, judged by the rules if there are any.
    pub(crate) fn new(diff: Diff, rules: Option<Arc<Rules>>, histograms: bool) -> Self {
        let judged = rules.map(|rules| {
            let judgement = rules.judge(&diff);
            (rules, judgement)
        });
        Self { diff, judged, histograms }
    }

    fn judged(&self) -> Option<Judged<'_>> {
        let (rules, judgement) = self.judged.as_ref()?;
        Some(Judged { diff: &self.diff, rules, judgement })
    }

    fn report_in(&self, name: &str, max_rows: Option<usize>) -> Result<String, Error> {
        let format = Format::by_name(name).filter(|format| format.has(Subject::Comparison));
        let format = format.ok_or_else(|| {
            let names: Vec<_> = Format::of(Subject::Comparison).map(|format| format.name).collect();
            Error::usage(format!("format: expected one of {}, found {name:?}", names.join(", ")))
        })?;
        let judged = self.judged();
        let report = match &judged {
            Some(judged) => Report::Judged(judged, None),
            None => Report::Diff(&self.diff, None),
        };
        let options = ReportOptions {
            max_rows: max_rows.unwrap_or(usize::MAX),
            histograms: self.histograms,
            ..ReportOptions::default()
        };
        let mut out = Vec::new();
        let written = report::write(&report, format, &options, &mut out);
        written.map_err(|error| Error::io("write", error))?;
        String::from_utf8(out).map_err(|error| Error::usage(error.to_string()))
    }
}

#[pymethods]
impl PyDiff {
    /// `same`, `different` or `trouble`: by the rules if there are any.
    #[getter]
    fn verdict(&self) -> &'static str {
        let judgement = self.judged.as_ref().map(|(_, judgement)| judgement.verdict());
        judgement.unwrap_or_else(|| self.diff.verdict()).name()
    }

    /// The answer: the first sentence of the report.
    #[getter]
    fn answer(&self) -> String {
        answer(&self.diff, self.judged().as_ref())
    }

    /// What the command warns of: patterns and rules that match nothing, a GPU that failed.
    fn warnings(&self) -> Vec<String> {
        let patterns = self.diff.unused.iter().map(|unused| match unused.at {
            Some(_) => unused.to_string(),
            None => format!("{}: {unused}", unused.option),
        });
        let rules =
            self.judged.iter().flat_map(|(_, judgement)| &judgement.unused).map(unused_rule);
        let failure = self.diff.work.failure.iter();
        let failure = failure.map(|failure| format!("{failure}; the CPU compared the rest"));
        patterns.chain(rules).chain(failure).collect()
    }

    /// The report in this format, with at most `max_rows` rows of each list.
    fn report(&self, py: Python<'_>, format: &str, max_rows: Option<usize>) -> PyResult<String> {
        let written = interruptible(py, |_| self.report_in(format, max_rows))?;
        or_raise(py, written)
    }
}
