//! The page of a series: the answer, curves of drift, the tensors that stand out, and each checkpoint.

use std::collections::BTreeMap;
use std::io::{self, Write};
use std::sync::Arc;

use askama::Template;

use super::answer::{Answer, Tone};
use super::curves::{Chart, Line, Point};
use super::notes::{List, Notes};
use super::page::{self, Page};
use super::rows::NONE;
use crate::diff::TensorRole;
use crate::report::human::number;
use crate::report::human::series::steps::{Column, changed, note, roles, scopes};
use crate::report::human::series::{answer, compared_with, labels};
use crate::report::human::terminal_text::{printable, short_of};
use crate::series::{Series, Step, Tensor, Verdict};
use crate::summary::Movement;

/// The tensors that have a curve of their own.
const TENSORS: usize = 8;

#[derive(Template)]
#[template(path = "steps.html", config = "src/report/html/askama.toml")]
struct Steps {
    titles: Vec<String>,
    rows: Vec<StepRow>,
}

struct StepRow {
    label: String,
    path: String,
    cells: Vec<String>,
    changed: String,
    note: String,
    is_bad: bool,
}

/// The tone of a verdict.
pub(super) fn tone(verdict: Verdict) -> Tone {
    match verdict {
        Verdict::Sound => Tone::Good,
        Verdict::Broken | Verdict::Trouble => Tone::Bad,
    }
}

/// Writes the page.
pub(super) fn write(series: &Series, out: &mut dyn Write) -> io::Result<()> {
    let text = answer::text(series);
    let page = Page { title: &text, has_script: false };
    page.begin(out)?;
    let notes = Notes { lists: lists(series) };
    let mut sections = vec![("drift", "Drift".to_owned())];
    sections.extend(notes.lists.iter().map(|list| (list.id, list.title.to_owned())));
    sections.push(("steps", "Checkpoints".to_owned()));
    let head = Answer {
        tone: tone(series.verdict()),
        text: text.clone(),
        sides: Vec::new(),
        facts: vec![compared_with(series)],
        sections,
    };
    page::write(&head, out)?;
    writeln!(out, "<section id=\"drift\">\n<h2>Drift</h2>")?;
    charts(series).iter().try_for_each(|chart| page::write(chart, out))?;
    writeln!(out, "</section>")?;
    notes.write(out)?;
    page::write(&steps(series), out)?;
    writeln!(out, "</main>")?;
    page.end_without_baseline(out)
}

fn point(movement: Option<Movement>) -> Point {
    movement.map_or_else(Point::default, |of| Point {
        moved: of.rel_l2,
        is_non_finite: of.non_finite > 0,
    })
}

/// The movement of each column that has one; what moved from 0 is infinitely far, and not drawn.
fn lines(columns: Vec<Column>) -> Vec<Line> {
    let line = |column: Column| Line {
        name: short_of(&column.title).into_owned(),
        points: column.movements.into_iter().map(point).collect(),
    };
    columns.into_iter().map(line).collect()
}

fn charts(series: &Series) -> Vec<Chart> {
    let names: Vec<String> = series.steps.iter().map(labels::label).collect();
    let places = places(series);
    let chart = |head, lines: Vec<Line>| Chart::new(head, &lines, &names, &places);
    let all = [
        chart(("by-role", "By role", "rel l2: ‖rhs − lhs‖ / ‖lhs‖"), lines(roles(series))),
        chart(
            ("by-scope", "By scope", "The weights, by the first parts of their names."),
            lines(scopes(series)),
        ),
        chart(
            ("by-tensor", "The tensors that moved furthest", "Those that run away come first."),
            tensors(series),
        ),
    ];
    all.into_iter().flatten().collect()
}

/// Where the checkpoints are: at their steps if all have one, in ascending order, else one after the other.
fn places(series: &Series) -> Vec<f64> {
    let steps: Option<Vec<i64>> = series.steps.iter().map(|step| step.step).collect();
    match steps.filter(|steps| steps.is_sorted_by(|a, b| a < b)) {
        Some(steps) => steps.into_iter().map(|step| step as f64).collect(),
        None => (0..series.steps.len()).map(|at| at as f64).collect(),
    }
}

/// The weights that run away, then those that moved furthest.
fn tensors(series: &Series) -> Vec<Line> {
    let mut tracks = BTreeMap::<&Arc<Tensor>, Vec<Point>>::new();
    for (at, step) in series.steps.iter().enumerate() {
        let drift = step.drift.iter().flat_map(|drift| &drift.tensors);
        for of in drift.filter(|of| of.tensor.role.is_none_or(|role| role == TensorRole::Weight)) {
            let track = tracks
                .entry(&of.tensor)
                .or_insert_with(|| vec![Point::default(); series.steps.len()]);
            if let Some(place) = track.get_mut(at) {
                *place = Point {
                    moved: of.moved.map(|moved| moved.rel_l2),
                    is_non_finite: of.non_finite.is_some_and(|found| found.is_new),
                };
            }
        }
    }
    let most = |track: &[Point]| track.iter().filter_map(Point::finite).fold(0.0, f64::max);
    let mut tracks: Vec<_> = tracks.into_iter().filter(|(_, track)| most(track) > 0.0).collect();
    let runs_away = |tensor: &Arc<Tensor>| series.runaways.iter().any(|(other, _)| other == tensor);
    tracks.sort_by(|(a, x), (b, y)| {
        let order = runs_away(b).cmp(&runs_away(a));
        order.then_with(|| most(y).total_cmp(&most(x)))
    });
    let line = |(tensor, points): (&Arc<Tensor>, _)| Line { name: labels::name(tensor), points };
    tracks.into_iter().take(TENSORS).map(line).collect()
}

/// The tensors that stand out, the errors, and what is not in the series.
fn lists(series: &Series) -> Vec<List> {
    let name = |tensor: &Tensor| labels::name(tensor);
    let from = |at: usize| labels::label_at(series, at);
    let non_finite = series.non_finite.iter().map(|of| {
        let counts = labels::non_finite(of.nan, of.inf);
        format!("{} from {}: {counts}", name(&of.tensor), from(of.at))
    });
    let broken = series.steps.iter().filter_map(|step| {
        let why = step.drift.as_ref()?.broken.as_deref()?;
        Some(format!("{}: {}", labels::label(step), short_of(&printable(why))))
    });
    let runaways = series.runaways.iter().map(|(tensor, found)| {
        let factor = number::short(found.factor);
        format!("{} from {}: {factor} times its trend", name(tensor), from(found.at))
    });
    let frozen = series.frozen.iter().map(|tensor| name(tensor));
    let ignored = series
        .ignored
        .iter()
        .map(|of| format!("{}: {}", labels::shown_path(&of.path), short_of(&printable(&of.why))));
    let mut errors: Vec<String> = Vec::new();
    for error in series.errors().map(|error| short_of(&printable(&error.to_string())).into_owned())
    {
        if !errors.contains(&error) {
            errors.push(error);
        }
    }
    let lists = [
        List::of("non-finite", "NaN or infinity", non_finite.collect()),
        List::of("broken", "Broken rules", broken.collect()),
        List::of("runaways", "Run away", runaways.collect()),
        List::of("frozen", "Never change", frozen.collect()),
        List::of("unreadable", "Unreadable", errors),
        List::of("ignored", "Not in the series", ignored.collect()),
    ];
    lists.into_iter().flatten().collect()
}

/// The table of the checkpoints.
fn steps(series: &Series) -> Steps {
    let columns = roles(series);
    let row = |(at, step): (usize, &Step)| {
        let cell = |column: &Column| point(column.movements.get(at).copied().flatten()).text();
        let has_new =
            step.drift.as_ref().is_some_and(|drift| drift.new_non_finite().next().is_some());
        StepRow {
            label: labels::label(step),
            path: labels::path(step),
            cells: columns.iter().map(cell).collect(),
            changed: Some(changed(step))
                .filter(|_| step.drift.is_some())
                .unwrap_or_else(|| NONE.into()),
            note: note(step),
            is_bad: has_new || !step.errors.is_empty(),
        }
    };
    Steps {
        titles: columns.iter().map(|column| column.title.clone()).collect(),
        rows: series.steps.iter().enumerate().map(row).collect(),
    }
}
