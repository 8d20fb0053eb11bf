//! Charts of drift over the checkpoints of a series: lines in SVG, with a table of the same numbers.

use askama::Template;

use super::rows::{NONE, percent};

/// The size of the area of the lines, in the units of the picture.
const WIDTH: f64 = 640.0;
const HEIGHT: f64 = 220.0;

/// The labels of the vertical axis, and the most of the horizontal one.
const ROWS: u32 = 4;
const COLUMNS: usize = 6;

/// A line of a chart.
#[derive(Debug)]
pub(super) struct Line {
    /// The name of the curve.
    pub(super) name: String,
    /// The checkpoints.
    pub(super) points: Vec<Point>,
}

/// A line at a checkpoint.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Point {
    /// How far it moved; `None` where that is not known.
    pub(super) moved: Option<f64>,
    /// Whether there are new NaN or infinities.
    pub(super) is_non_finite: bool,
}

impl Point {
    /// How far, if that can be drawn.
    pub(super) fn finite(&self) -> Option<f64> {
        self.moved.filter(|moved| moved.is_finite())
    }

    /// The number in words; `NaN` where there is no other.
    pub(super) fn text(&self) -> String {
        match self.moved {
            Some(moved) => percent(moved),
            None if self.is_non_finite => "NaN".into(),
            None => NONE.into(),
        }
    }
}

/// A chart.
#[derive(Template)]
#[template(path = "chart.html", config = "src/report/html/askama.toml")]
pub(super) struct Chart {
    id: &'static str,
    title: &'static str,
    lead: &'static str,
    lines: Vec<Drawn>,
    /// The labels of the axes, with their places.
    rows: Vec<(String, String)>,
    columns: Vec<(String, String)>,
    /// The table: a row per checkpoint.
    table: Vec<(String, Vec<String>)>,
}

/// A line as it is drawn.
struct Drawn {
    name: String,
    /// The number of its color and pattern.
    style: usize,
    path: String,
    /// Points without a line to them.
    dots: Vec<(String, String)>,
    last: String,
    /// Where NaN or infinities begin.
    mark: Option<Mark>,
}

/// A cross on a line.
struct Mark {
    path: String,
    title: String,
}

impl Chart {
    /// A chart of lines over labeled checkpoints, which are `at` their steps; `None` if nothing moved.
    pub(super) fn new(
        (id, title, lead): (&'static str, &'static str, &'static str),
        lines: &[Line],
        labels: &[String],
        at: &[f64],
    ) -> Option<Self> {
        let values = lines.iter().flat_map(|line| &line.points).filter_map(Point::finite);
        let most = values.fold(0.0, f64::max);
        if most <= 0.0 {
            return None;
        }
        let top = round_up(most);
        let xs = places(at);
        let y = |value: f64| HEIGHT - value / top * HEIGHT;
        let row = |n: u32| {
            let value = top * f64::from(n) / f64::from(ROWS);
            (coordinate(y(value)), percent(value))
        };
        let every = labels.len().div_ceil(COLUMNS).max(1);
        let columns = labels.iter().zip(&xs).step_by(every);
        let line = |(n, line)| drawn(line, n, &xs, y).marked(line, labels, &xs, y);
        Some(Self {
            id,
            title,
            lead,
            lines: lines.iter().enumerate().map(line).collect(),
            rows: (0..=ROWS).map(row).collect(),
            columns: columns.map(|(label, x)| (coordinate(*x), label.clone())).collect(),
            table: table(lines, labels),
        })
    }
}

/// The horizontal places of the checkpoints: by their steps.
fn places(at: &[f64]) -> Vec<f64> {
    let (first, last) = (at.first().copied().unwrap_or(0.0), at.last().copied().unwrap_or(0.0));
    let span = if last > first { last - first } else { 1.0 };
    at.iter().map(|step| (step - first) / span * WIDTH).collect()
}

/// The next number with one digit of 1, 2, 4, 5 or 8.
pub(super) fn round_up(value: f64) -> f64 {
    let power = 10f64.powf(value.log10().floor());
    let nice = [1.0, 2.0, 4.0, 5.0, 8.0, 10.0].into_iter().map(|digit| digit * power);
    nice.into_iter().find(|&nice| nice >= value).unwrap_or(10.0 * power)
}

fn coordinate(value: f64) -> String {
    format!("{value:.1}")
}

/// A line: connected where neighboring checkpoints have a finite number.
fn drawn(line: &Line, n: usize, xs: &[f64], y: impl Fn(f64) -> f64) -> Drawn {
    let mut path = String::new();
    let mut dots = Vec::new();
    let points: Vec<Option<(f64, f64)>> =
        xs.iter().zip(&line.points).map(|(x, point)| Some((*x, y(point.finite()?)))).collect();
    let is_none = |at: Option<usize>| at.and_then(|at| points.get(at)).is_none_or(Option::is_none);
    for (at, point) in points.iter().enumerate() {
        let Some((x, y)) = point else { continue };
        let starts = is_none(at.checked_sub(1));
        path += &format!("{}{} {}", if starts { 'M' } else { 'L' }, coordinate(*x), coordinate(*y));
        if starts && is_none(Some(at + 1)) {
            dots.push((coordinate(*x), coordinate(*y)));
        }
    }
    let last = line.points.iter().rev().find(|point| point.moved.is_some());
    let last = last.map_or_else(|| NONE.into(), Point::text);
    Drawn { name: line.name.clone(), style: n % 8, path, dots, last, mark: None }
}

impl Drawn {
    /// With a cross where NaN or infinities begin: on the line, or where it ends.
    fn marked(self, line: &Line, labels: &[String], xs: &[f64], y: impl Fn(f64) -> f64) -> Self {
        /// Half the size of a cross.
        const SIZE: f64 = 5.0;
        let Some(at) = line.points.iter().position(|point| point.is_non_finite) else {
            return self;
        };
        let until = line.points.get(..=at).unwrap_or_default();
        let moved = until.iter().rev().find_map(Point::finite).unwrap_or_default();
        let (x, y) = (xs.get(at).copied().unwrap_or_default(), y(moved));
        let [left, right, top, bottom] = [x - SIZE, x + SIZE, y - SIZE, y + SIZE].map(coordinate);
        let from = format!("NaN or infinity from {}", labels.get(at).map_or("", String::as_str));
        Self {
            mark: Some(Mark {
                path: format!("M{left} {top}L{right} {bottom}M{right} {top}L{left} {bottom}"),
                title: format!("{}: {from}", self.name),
            }),
            last: format!("{}, {from}", self.last),
            ..self
        }
    }
}

fn table(lines: &[Line], labels: &[String]) -> Vec<(String, Vec<String>)> {
    let cell = |line: &Line, at: usize| line.points.get(at).copied().unwrap_or_default().text();
    let row = |(at, label): (usize, &String)| {
        (label.clone(), lines.iter().map(|line| cell(line, at)).collect())
    };
    labels.iter().enumerate().map(row).collect()
}
