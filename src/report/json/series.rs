//! The reports of a series and of a search in one.

use std::collections::BTreeMap;
use std::io::{self, Write};

use serde::Serialize;

use super::layout;
use crate::serial::{self, object};
use crate::series::{
    Against, Change, Drift, Ignored, NonFiniteFrom, Property, Runaway, Search, Series, Step, Tensor,
};

/// Writes the report of a series.
pub(super) fn series(series: &Series, out: &mut dyn Write) -> io::Result<()> {
    let scopes = series.scopes.iter().map(|track| {
        object! { scope: &track.scope, movement: &track.movements }
    });
    let path = match &series.against {
        Against::Path(path) => Some(serial::Text(path.display())),
        Against::First | Against::Previous => None,
    };
    let ignored = series.ignored.iter().map(|Ignored { path, why }| {
        object! { path: serial::Text(path.display()), why: why }
    });
    let report = object! {
        schema: "ckdiff-series/1",
        verdict: series.verdict(),
        against: object! {
            checkpoint: match series.against {
                Against::First => "first",
                Against::Previous => "previous",
                Against::Path(_) => "path",
            },
            path: path,
        },
        rules: &series.rules,
        order: series.order,
        non_finite: series.non_finite.iter().map(non_finite).collect::<Vec<_>>(),
        broken: series.first_broken().map(|(at, why)| object! { at: at, why: why }),
        frozen: series.frozen.iter().map(|of| serial::Named(&of.name)).collect::<Vec<_>>(),
        runaways: series.runaways.iter().map(|(of, found)| runaway(of, found)).collect::<Vec<_>>(),
        steps: series.steps.iter().map(step).collect::<Vec<_>>(),
        scopes: scopes.collect::<Vec<_>>(),
        tensors: tensors(series),
        ignored: ignored.collect::<Vec<_>>(),
        unused: &series.unused,
    };
    layout::write(&report, out)
}

/// Writes the report of a search.
pub(super) fn search(search: &Search, out: &mut dyn Write) -> io::Result<()> {
    let report = object! {
        schema: "ckdiff-series-first/1",
        verdict: search.verdict(),
        property: match search.property {
            Property::NonFinite => "nan",
            Property::Broken => "rule",
        },
        against: serial::Text(search.baseline.display()),
        rules: &search.rules,
        found: search.found,
        because: &search.because,
        steps: search.steps.iter().map(step).collect::<Vec<_>>(),
    };
    layout::write(&report, out)
}

/// A checkpoint, and its comparison; keys of the comparison are `null` without one.
fn step(step: &Step) -> impl Serialize + '_ {
    let drift = step.drift.as_deref();
    let count = |change| drift.map(|drift| drift.count(change));
    let non_finite = drift.map(|drift| {
        drift.new_non_finite().map(|of| serial::Named(&of.tensor.name)).collect::<Vec<_>>()
    });
    object! {
        path: serial::Text(step.path.display()),
        step: step.step,
        compared: drift.is_some(),
        movement: drift.map(|drift| &drift.roles),
        tensors: drift.map(|_| object! {
            same: count(Change::Same),
            moved: count(Change::Moved),
            added: count(Change::Added),
            removed: count(Change::Removed),
            retyped: count(Change::Retyped),
            error: count(Change::Error),
        }),
        left_out: drift.map(|drift| drift.left_out),
        non_finite: non_finite,
        broken: drift.and_then(|drift| drift.broken.as_deref()),
        errors: &step.errors,
    }
}

fn non_finite(of: &NonFiniteFrom) -> impl Serialize + '_ {
    object! {
        at: of.at,
        #[serde(flatten)]
        name: serial::Named(&of.tensor.name),
        nan: of.nan,
        inf: of.inf,
    }
}

fn runaway<'s>(tensor: &'s Tensor, found: &Runaway) -> impl Serialize + 's {
    object! {
        at: found.at,
        #[serde(flatten)]
        name: serial::Named(&tensor.name),
        factor: serial::Float(found.factor),
        exponent: serial::Float(found.exponent),
    }
}

/// Every tensor, by name, with its movement at each checkpoint.
fn tensors<'s>(series: &'s Series) -> Vec<impl Serialize + 's> {
    let drifts = || series.steps.iter().map(|step| step.drift.as_deref());
    let mut moved = BTreeMap::<&'s Tensor, Vec<Option<serial::Float>>>::new();
    for (at, drift) in drifts().enumerate() {
        for of in drift.map_or(&[][..], |drift: &Drift| &drift.tensors) {
            let all = moved.entry(&of.tensor).or_insert_with(|| vec![None; series.steps.len()]);
            if let Some(place) = all.get_mut(at) {
                *place = of.moved.map(|moved| serial::Float(moved.rel_l2));
            }
        }
    }
    let growth: BTreeMap<&Tensor, f64> =
        series.growth.iter().map(|(of, exponent)| (&**of, *exponent)).collect();
    let row = |(of, moved): (&'s Tensor, Vec<Option<serial::Float>>)| {
        object! {
            #[serde(flatten)]
            name: serial::Named(&of.name),
            role: of.role,
            growth: growth.get(of).copied().map(serial::Float),
            rel_l2: moved,
        }
    };
    moved.into_iter().map(row).collect()
}
