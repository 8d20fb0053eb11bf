//! Rows of numbers as small bars: `▁▂▄█`.

/// The bars, from the lowest.
const BARS: [char; 8] = ['▁', '▂', '▃', '▄', '▅', '▆', '▇', '█'];

/// The mark of a missing number, and of one that is not finite.
const MISSING: char = '·';
const NOT_FINITE: char = '!';

/// The numbers as bars between 0 and the largest, in at most `width` characters: if there are more numbers, each character stands for the largest of
/// its own. An infinite number or NaN is `!`, a missing one `·`.
pub(super) fn sparkline(numbers: &[Option<f64>], width: usize) -> String {
    let size = numbers.len().div_ceil(width.max(1)).max(1);
    let largest = numbers.iter().flatten().copied().filter(|x| x.is_finite());
    let largest = largest.fold(0.0, f64::max);
    numbers.chunks(size).map(|some| bar(some, largest)).collect()
}

fn bar(some: &[Option<f64>], largest: f64) -> char {
    if some.iter().flatten().any(|x| !x.is_finite()) {
        return NOT_FINITE;
    }
    let Some(number) = some.iter().flatten().copied().reduce(f64::max) else { return MISSING };
    let share = if largest > 0.0 { number / largest } else { 0.0 };
    // The thresholds between the bars are in the middle of their heights.
    let at = BARS
        .iter()
        .zip(0u8..)
        .skip(1)
        .take_while(|(_, step)| share * 7.0 + 0.5 >= f64::from(*step));
    at.last().map_or(BARS[0], |(bar, _)| *bar)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bars_grow_from_zero_to_the_largest() {
        let numbers: Vec<_> = (0..8).map(|n| Some(f64::from(n))).collect();
        assert_eq!(sparkline(&numbers, 20), "▁▂▃▄▅▆▇█");
        assert_eq!(sparkline(&numbers, 4), "▂▄▆█");
        assert_eq!(sparkline(&[Some(0.0), None, Some(f64::NAN), Some(0.0)], 9), "▁·!▁");
        assert_eq!(sparkline(&[], 9), "");
    }
}
