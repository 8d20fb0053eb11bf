//! Trends: how tensors grow over the steps of a training, and which one runs away.
//!
//! The distance `d` of a tensor from its baseline grows like a power of the time `t` since then, whatever the learning rate does slowly:
//! `ln d = exponent · ln t + constant`. The line is fitted robustly (Theil–Sen: the median of the slopes between all pairs of
//! points), so that one odd checkpoint does not bend it.
//!
//! A tensor *runs away* from a step on if all of this holds:
//!
//! - it has at least four points before the step; the line is fitted through the last sixteen of them;
//! - from that step to the end, at two checkpoints or more, its distance is more than 1.5 times what the line predicts, and more than
//!   three times the scatter of the points around the line; at the end it is more than 4 times the prediction, and six times
//!   the scatter;
//! - that remains so if its distances are divided by how far the other tensors left their own lines at the same steps (their median): what all
//!   of them do, as after a change of the learning rate, is no runaway;
//! - at the end it has moved by at least a tenth of its norm.
//!
//! Tensors of one element, and series of fewer than three tensors that move, are not judged.

use std::collections::BTreeMap;

/// The fewest points of a line.
const FEWEST: usize = 4;

/// The most points of a line: older ones say little of what comes next.
const MOST: usize = 16;

/// How far a tensor is beyond its trend from the step where it leaves it, and at the end: as a factor, and in scatters.
const LEAVES: (f64, f64) = (1.5, 3.0);
const ENDS: (f64, f64) = (4.0, 6.0);

/// The smallest movement, relative to the norm, that counts.
const LEAST_MOVED: f64 = 0.1;

/// The fewest tensors that move; their median is compared with one of them.
const FEWEST_TRACKS: usize = 3;

/// The most tensors whose median is taken.
const SAMPLE: usize = 128;

/// The median absolute deviation of a normal distribution, as a multiple of its standard deviation, is the inverse of this.
const NORMAL: f64 = 1.4826;

/// The distances of one tensor.
#[derive(Debug, Clone, Default)]
pub(super) struct Track {
    /// Place of the checkpoint in the series, logarithm of the time, logarithm of the distance; in the order of the series.
    pub(super) points: Vec<Point>,
    /// How far the tensor moved at the last point, relative to its norm; infinite from 0.
    pub(super) moved: f64,
    /// Whether it has NaN or infinities after the last point.
    pub(super) ends_non_finite: bool,
}

/// One point of a track.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Point {
    pub(super) at: usize,
    pub(super) time: f64,
    pub(super) distance: f64,
}

/// A tensor that left its trend.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Runaway {
    /// The place in the series of the checkpoint where it leaves the trend.
    pub at: usize,
    /// Its distance from the baseline at its last finite checkpoint, as a multiple of what the trend predicts there.
    pub factor: f64,
    /// The exponent of the trend that it left.
    pub exponent: f64,
}

/// A line through points, and how they scatter around it.
#[derive(Debug, Clone, Copy)]
struct Line {
    slope: f64,
    constant: f64,
    scatter: f64,
}

impl Line {
    /// The line through some points; `None` for fewer than four, or if they are at one time.
    fn through(points: &[Point]) -> Option<Self> {
        let points = points.get(points.len().saturating_sub(MOST)..).unwrap_or_default();
        if points.len() < FEWEST {
            return None;
        }
        let pairs = points.iter().enumerate().flat_map(|(i, a)| {
            points.iter().skip(i + 1).map(move |b| (b.distance - a.distance) / (b.time - a.time))
        });
        let slope = median(pairs.filter(|slope| slope.is_finite()).collect())?;
        let constant = median(points.iter().map(|at| at.distance - slope * at.time).collect())?;
        let line = Self { slope, constant, scatter: 0.0 };
        let scatter = median(points.iter().map(|at| line.excess(*at).abs()).collect())?;
        Some(Self { scatter: NORMAL * scatter, ..line })
    }

    /// How far a point is above the line.
    fn excess(&self, point: Point) -> f64 {
        point.distance - self.slope * point.time - self.constant
    }
}

fn median(mut values: Vec<f64>) -> Option<f64> {
    values.sort_unstable_by(f64::total_cmp);
    let middle = values.len() / 2;
    let upper = *values.get(middle)?;
    if values.len() % 2 == 1 {
        return Some(upper);
    }
    Some(f64::midpoint(*values.get(middle.checked_sub(1)?)?, upper))
}

/// The exponent of the power of the time by which a tensor grows; `None` for fewer than four points.
pub(super) fn exponent(track: &Track) -> Option<f64> {
    Line::through(&track.points).map(|line| line.slope)
}

/// The runaway of each track, if it is one.
pub(super) fn runaways(tracks: &[Track]) -> Vec<Option<Runaway>> {
    let are_few = tracks.iter().filter(|track| !track.points.is_empty()).count() < FEWEST_TRACKS;
    if are_few {
        return vec![None; tracks.len()];
    }
    let mut common = Common { tracks, known: BTreeMap::new() };
    tracks.iter().map(|track| runaway(track, &mut common)).collect()
}

fn runaway(track: &Track, common: &mut Common<'_>) -> Option<Runaway> {
    if track.moved.is_nan() || track.moved < LEAST_MOVED {
        return None;
    }
    (FEWEST..track.points.len()).find_map(|start| {
        let (before, after) = track.points.split_at(start);
        let line = Line::through(before)?;
        let first = after.first()?;
        if after.len() < 2 && !track.ends_non_finite {
            return None;
        }
        let limit = |(factor, scatters): (f64, f64)| f64::ln(factor).max(scatters * line.scatter);
        let is_beyond = |excess: f64, is_last: bool| {
            excess > limit(LEAVES) && (!is_last || excess > limit(ENDS))
        };
        let last = after.len() - 1;
        // The cheap half of the rule first: few tensors get any further.
        let mut own = after.iter().enumerate().map(|(i, point)| (i == last, line.excess(*point)));
        if !own.all(|(is_last, excess)| is_beyond(excess, is_last)) {
            return None;
        }
        let excesses = common.after(first.at);
        let is_alone = after.iter().enumerate().all(|(i, point)| {
            let of_all = excesses.get(&point.at).copied().unwrap_or_default().max(0.0);
            is_beyond(line.excess(*point) - of_all, i == last)
        });
        let factor = line.excess(*after.last()?).exp();
        is_alone.then_some(Runaway { at: first.at, factor, exponent: line.slope })
    })
}

/// How far the tensors together left their trends.
struct Common<'t> {
    tracks: &'t [Track],
    /// By the place of a checkpoint: the median excess at each later place, over the lines before it.
    known: BTreeMap<usize, BTreeMap<usize, f64>>,
}

impl Common<'_> {
    fn after(&mut self, at: usize) -> &BTreeMap<usize, f64> {
        let tracks = self.tracks;
        self.known.entry(at).or_insert_with(|| {
            let mut excesses = BTreeMap::<usize, Vec<f64>>::new();
            for track in tracks.iter().step_by(tracks.len().div_ceil(SAMPLE).max(1)) {
                let start = track.points.partition_point(|point| point.at < at);
                let (before, after) = track.points.split_at(start);
                let Some(line) = Line::through(before) else { continue };
                for point in after {
                    excesses.entry(point.at).or_default().push(line.excess(*point));
                }
            }
            let medians = excesses.into_iter().map(|(at, all)| (at, median(all)));
            medians.filter_map(|(at, median)| Some((at, median?))).collect()
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A track whose distance at time `t` is `distance(t)`, at the times 1 to `count`.
    fn track(count: u32, distance: impl Fn(f64) -> f64) -> Track {
        let point = |at: u32| {
            let time = f64::from(at);
            Point { at: at as usize, time: time.ln(), distance: distance(time).ln() }
        };
        let moved = distance(f64::from(count));
        Track { points: (1..=count).map(point).collect(), moved, ends_non_finite: false }
    }

    /// A number in [-1, 1) that depends on `seed` and `t` only.
    fn noise(seed: u32, t: f64) -> f64 {
        let x = (t * 12.9898 + f64::from(seed) * 78.233).sin() * 43758.547;
        2.0 * (x - x.floor()) - 1.0
    }

    fn found(tracks: &[Track]) -> Vec<Option<usize>> {
        runaways(tracks).iter().map(|found| found.map(|found| found.at)).collect()
    }

    #[test]
    fn ordinary_trainings_have_no_runaway() {
        let decay = |t: f64| 0.3 * (1.0 - (-t / 4.0).exp());
        let warm_up = |t: f64| if t < 6.0 { 0.02 * t * t } else { 0.72 + 0.12 * (t - 6.0) };
        let restart = |t: f64| if t < 10.0 { decay(t) } else { 5.0 * decay(t - 9.0) + decay(9.0) };
        let plans: [&dyn Fn(f64) -> f64; 6] =
            [&|t| 0.1 * t.sqrt(), &|t| 0.05 * t, &decay, &warm_up, &restart, &|t| {
                0.05 * t.powf(1.5)
            }];
        for (plan, distance) in plans.iter().enumerate() {
            for seed in 0..50 {
                // Each tensor at its own rate, with a scatter of 15%.
                let tensor = |own: u32| {
                    let rate = 1.0 + f64::from(own) / 3.0;
                    track(20, |t| rate * distance(t) * (1.0 + 0.15 * noise(seed * 100 + own, t)))
                };
                let tracks: Vec<_> = (0..12).map(tensor).collect();
                assert_eq!(found(&tracks), vec![None; 12], "plan {plan}, seed {seed}");
            }
        }
    }

    #[test]
    fn a_tensor_that_explodes_is_found_where_it_leaves_its_trend() {
        let usual = |t: f64| 0.1 * t.sqrt();
        let explodes = |t: f64| usual(t) * f64::max(1.0, 2f64.powf(t - 9.0));
        let tracks = [track(14, usual), track(14, explodes), track(14, usual), track(14, usual)];
        assert_eq!(found(&tracks), [None, Some(10), None, None]);
        let runaway = runaways(&tracks)[1].unwrap();
        assert!((runaway.factor - 32.0).abs() < 1.0 && (runaway.exponent - 0.5).abs() < 0.01);
    }

    #[test]
    fn a_return_to_the_trend_is_no_runaway() {
        let usual = |t: f64| 0.1 * t.sqrt();
        let bump = |t: f64| if (8.5..9.5).contains(&t) { 3.0 } else { usual(t) };
        let end = |t: f64| if t > 13.5 { 3.0 } else { usual(t) };
        let tracks = [track(14, usual), track(14, bump), track(14, end), track(14, usual)];
        assert_eq!(found(&tracks), [None; 4]);
        let mut before_nan = tracks;
        before_nan[2].ends_non_finite = true;
        assert_eq!(found(&before_nan), [None, None, Some(14), None]);
    }

    #[test]
    fn what_all_tensors_do_is_no_runaway() {
        let explodes = |t: f64| 0.1 * t.sqrt() * f64::max(1.0, 2f64.powf(t - 9.0));
        assert_eq!(found(&vec![track(14, explodes); 5]), [None; 5]);
        assert_eq!(found(&[track(14, explodes), track(14, f64::sqrt)]), [None; 2]);
    }

    #[test]
    fn odd_points_break_nothing() {
        let same = Point { at: 1, time: 0.0, distance: 0.0 };
        let flat = Track { points: vec![same; 9], moved: f64::INFINITY, ends_non_finite: true };
        assert_eq!(found(&vec![flat.clone(); 3]), [None; 3]);
        assert_eq!(exponent(&flat), None);
        assert_eq!(exponent(&Track::default()), None);
    }
}
