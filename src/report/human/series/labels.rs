//! How checkpoints and tensors are called in the report of a series.

use std::path::Path;

use crate::series::{Series, Step, Tensor};

use super::super::number;
use super::super::terminal_text::{plural, printable, short_of, short_path};

/// The name of a tensor.
pub(in crate::report) fn name(tensor: &Tensor) -> String {
    short_of(&printable(&tensor.shown)).into_owned()
}

/// The NaN and infinite elements of a tensor: `3 NaN, 1 infinite`.
pub(in crate::report) fn non_finite(nan: u64, inf: u64) -> String {
    number::counts(&[(nan, "NaN"), (inf, "infinite")])
}

pub(in crate::report) fn path(step: &Step) -> String {
    shown_path(&step.path)
}

pub(in crate::report) fn shown_path(path: &Path) -> String {
    short_path(&printable(&path.display().to_string())).into_owned()
}

/// A checkpoint in a sentence: `step 900`, or its name.
pub(in crate::report) fn label(step: &Step) -> String {
    match step.step {
        Some(number) => format!("step {number}"),
        None => short_path(&printable(&step.name().display().to_string())).into_owned(),
    }
}

pub(in crate::report) fn label_at(series: &Series, at: usize) -> String {
    series.steps.get(at).map(label).unwrap_or_default()
}

/// "1 tensor" by its name, several by their number.
pub(super) fn one_or_count(names: &[String], noun: &str) -> String {
    match names {
        [only] => only.clone(),
        several => plural(several.len() as u64, noun),
    }
}
