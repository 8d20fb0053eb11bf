//! Histograms in block characters.

use std::io::{self, Write};

use super::terminal_text::{plural, width_of};
use super::{ReportOptions, number};
use crate::summary::{Bucket, Buckets, Scale};

/// The bars, from the lowest.
const BARS: [char; 8] = ['▁', '▂', '▃', '▄', '▅', '▆', '▇', '█'];

/// Eighths of a line.
const EIGHTHS: u64 = 8;

/// The lines of a chart.
const LINES: u64 = 5;

/// Columns of a chart, and those of a bar.
const WIDTH: usize = 60;
const BAR: usize = 4;

/// A bar on one line; a blank for nothing.
pub(super) fn bar(count: u64, most: u64) -> char {
    match count {
        0 => ' ',
        count => part_of(height(count, most, 1)).unwrap_or('█'),
    }
}

/// The height of a bar, in eighths of a line, if the tallest one takes so many lines. It is rounded up, so that no count is invisible.
fn height(count: u64, most: u64, lines: u64) -> u64 {
    let eighths = u128::from(count) * u128::from(lines * EIGHTHS);
    u64::try_from(eighths.div_ceil(u128::from(most.max(1)))).unwrap_or_default()
}

/// The character of so many eighths of a line, at most all of them; `None` for nothing.
fn part_of(eighths: u64) -> Option<char> {
    let at = usize::try_from(eighths.min(EIGHTHS)).ok()?.checked_sub(1)?;
    BARS.get(at).copied()
}

/// The counts of one side on one line, between the borders of the buckets: `-0.2 ▁▅█▅▁ 0.2`.
pub(super) fn line(buckets: &Buckets, side: usize, labels: [usize; 2]) -> String {
    let counts = || buckets.buckets.iter().filter_map(|bucket| bucket.counts.get(side).copied());
    let most = counts().max().unwrap_or_default();
    let bars: String = counts().map(|count| bar(count, most)).collect();
    let [low, high] = ends(buckets);
    format!("{low:>0$} {bars} {high:<1$}", labels[0], labels[1]).trim_end().to_owned()
}

/// The least and the greatest border.
pub(super) fn ends(buckets: &Buckets) -> [String; 2] {
    let low = buckets.buckets.first().map(|bucket| bucket.low);
    let high = buckets.buckets.last().map(|bucket| bucket.high);
    [low, high].map(|end| end.map(number::short).unwrap_or_default())
}

/// Writes a histogram of one side on several lines, with an axis.
pub(super) fn chart(
    buckets: &Buckets,
    options: &ReportOptions,
    out: &mut dyn Write,
) -> io::Result<()> {
    const INDENT: usize = 2;
    let room = options.columns.unwrap_or(WIDTH).saturating_sub(INDENT).min(WIDTH);
    let shown = joined(&buckets.buckets, room);
    let counts: Vec<u64> = shown.iter().map(|bucket| bucket.1).collect();
    let most = counts.iter().copied().max().unwrap_or_default();
    let total: u64 = counts.iter().sum();
    let width = (room / counts.len().max(1)).clamp(1, BAR);
    let scale = match buckets.scale {
        Scale::Linear => "",
        Scale::Powers => " by powers of two",
    };
    let (most_shown, all) = (number::count(most), plural(total, "value"));
    writeln!(out, "  histogram{scale}: {all}, the tallest bar has {most_shown}")?;
    for line in (0..LINES).rev() {
        let text: String =
            counts.iter().map(|&count| part(count, most, line).repeat(width)).collect();
        if !text.trim_end().is_empty() {
            writeln!(out, "  {}", text.trim_end())?;
        }
    }
    let faint = options.palette.faint;
    writeln!(out, "  {faint}{}{faint:#}", axis(&shown, width))
}

/// The part of a bar that is on a line; line 0 is the lowest.
fn part(count: u64, most: u64, line: u64) -> String {
    part_of(height(count, most, LINES).saturating_sub(line * EIGHTHS)).unwrap_or(' ').into()
}

/// Borders and count of each bar; neighbors share one where there are more buckets than room.
fn joined(buckets: &[Bucket], room: usize) -> Vec<((f64, f64), u64)> {
    let size = buckets.len().div_ceil(room.max(1)).max(1);
    let join = |some: &[Bucket]| {
        let low = some.first().map_or(0.0, |bucket| bucket.low);
        let high = some.last().map_or(0.0, |bucket| bucket.high);
        ((low, high), some.iter().flat_map(|bucket| bucket.counts.first()).sum())
    };
    buckets.chunks(size).map(join).collect()
}

/// The borders below the bars: the first, 0 where it is between them, and the last.
fn axis(bars: &[((f64, f64), u64)], width: usize) -> String {
    let (Some(first), Some(last)) = (bars.first(), bars.last()) else { return String::new() };
    let (low, high) = (number::short(first.0.0), number::short(last.0.1));
    let all = bars.len() * width;
    let mut text = low;
    let zero = bars.iter().position(|((low, high), _)| *low <= 0.0 && (0.0 < *high || low >= high));
    if let Some(at) = zero.filter(|_| first.0.0 < 0.0 && last.0.1 > 0.0) {
        let at = at * width + width / 2;
        if at > width_of(&text) && at + 1 + width_of(&high) < all {
            text += &" ".repeat(at - width_of(&text));
            text.push('0');
        }
    }
    let used = width_of(&text) + width_of(&high);
    format!("{text}{}{high}", " ".repeat(all.saturating_sub(used).max(1)))
}
