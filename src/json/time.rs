//! The JSON forms of `Timestamp` and `Duration`: `1972-01-01T10:00:20.021Z`, `-1.500s`.
//!
//! Fractions are printed with three, six or nine digits, and parsed with one to nine.

use std::fmt::Write;
use std::ops::RangeInclusive;

/// Seconds of the years 1 to 9999.
const TIMES: RangeInclusive<i64> = -62_135_596_800..=253_402_300_799;
/// Seconds of about ±10,000 years.
const SPANS: RangeInclusive<i64> = -315_576_000_000..=315_576_000_000;
const NANOS: i32 = 1_000_000_000;
const DAY: i64 = 86_400;

/// A `Timestamp` or a `Duration`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) struct Time {
    pub(super) seconds: i64,
    pub(super) nanos: i32,
}

/// Formats a timestamp.
///
/// # Errors
/// If a component is out of range; the error is a clause.
pub(super) fn timestamp_text(time: Time) -> Result<String, String> {
    if !TIMES.contains(&time.seconds) {
        return Err(format!("{} seconds are outside of the years 1 to 9999", time.seconds));
    }
    if !(0..NANOS).contains(&time.nanos) {
        return Err(format!("{} nanoseconds: 0 to 999999999 are allowed", time.nanos));
    }
    let (year, month, day) = date(time.seconds.div_euclid(DAY));
    let of_day = time.seconds.rem_euclid(DAY);
    let (hour, minute, second) = (of_day / 3600, of_day / 60 % 60, of_day % 60);
    let mut out = format!("{year:04}-{month:02}-{day:02}T{hour:02}:{minute:02}:{second:02}");
    push_fraction(time.nanos.unsigned_abs(), &mut out);
    out.push('Z');
    Ok(out)
}

/// Formats a duration.
///
/// # Errors
/// If a component is out of range; the error is a clause.
pub(super) fn duration_text(time: Time) -> Result<String, String> {
    if !SPANS.contains(&time.seconds) {
        return Err(format!("{} seconds: at most 315576000000 are allowed", time.seconds));
    }
    if !(1 - NANOS..NANOS).contains(&time.nanos) {
        return Err(format!("{} nanoseconds: at most 999999999 are allowed", time.nanos));
    }
    let nanos = i64::from(time.nanos);
    if time.seconds.signum() * nanos.signum() < 0 {
        let Time { seconds, nanos } = time;
        return Err(format!("{seconds} seconds and {nanos} nanoseconds differ in sign"));
    }
    let sign = if time.seconds < 0 || nanos < 0 { "-" } else { "" };
    let mut out = format!("{sign}{}", time.seconds.unsigned_abs());
    push_fraction(time.nanos.unsigned_abs(), &mut out);
    out.push('s');
    Ok(out)
}

fn push_fraction(nanos: u32, out: &mut String) {
    // Writing to a String cannot fail.
    let _ = match nanos {
        0 => Ok(()),
        n if n.is_multiple_of(1_000_000) => write!(out, ".{:03}", n / 1_000_000),
        n if n.is_multiple_of(1_000) => write!(out, ".{:06}", n / 1_000),
        n => write!(out, ".{n:09}"),
    };
}

/// Parses a timestamp.
pub(super) fn timestamp(text: &str) -> Option<Time> {
    let mut rest = Rest(text.as_bytes());
    let year = rest.number(4)?;
    let month = rest.after(b'-', 2, 1..=12)?;
    let day = rest.after(b'-', 2, 1..=31)?;
    let hour = rest.after(b'T', 2, 0..=23)?;
    let minute = rest.after(b':', 2, 0..=59)?;
    let second = rest.after(b':', 2, 0..=59)?;
    let nanos = rest.fraction()?;
    let offset = match rest.byte()? {
        b'Z' => 0,
        sign @ (b'+' | b'-') => {
            let hours = rest.number(2).filter(|hours| *hours < 24)?;
            let seconds = hours * 3600 + rest.after(b':', 2, 0..=59)? * 60;
            if sign == b'-' { -seconds } else { seconds }
        }
        _ => return None,
    };
    let days = days(year, month, day);
    // The day does not exist in that month.
    if !rest.0.is_empty() || date(days) != (year, month, day) {
        return None;
    }
    let seconds = days * DAY + hour * 3600 + minute * 60 + second - offset;
    TIMES.contains(&seconds).then_some(Time { seconds, nanos })
}

/// Parses a duration.
pub(super) fn duration(text: &str) -> Option<Time> {
    let positive = text.strip_prefix('-');
    let mut rest = Rest(positive.unwrap_or(text).as_bytes());
    let digits = rest.0.iter().take_while(|byte| byte.is_ascii_digit()).count();
    // Longer numbers are out of range and might overflow an i64.
    let seconds = rest.number(digits).filter(|_| (1..=18).contains(&digits))?;
    let nanos = rest.fraction()?;
    if rest.0 != b"s" || !SPANS.contains(&seconds) {
        return None;
    }
    Some(match positive {
        Some(_) => Time { seconds: -seconds, nanos: -nanos },
        None => Time { seconds, nanos },
    })
}

/// The unparsed rest of a text.
struct Rest<'a>(&'a [u8]);

impl Rest<'_> {
    fn byte(&mut self) -> Option<u8> {
        let (first, rest) = self.0.split_first()?;
        self.0 = rest;
        Some(*first)
    }

    /// Parses exactly `digits` digits.
    fn number(&mut self, digits: usize) -> Option<i64> {
        let (number, rest) = self.0.split_at_checked(digits)?;
        self.0 = rest;
        number.iter().try_fold(0i64, |value, byte| {
            let digit = byte.is_ascii_digit().then(|| i64::from(byte - b'0'))?;
            value.checked_mul(10)?.checked_add(digit)
        })
    }

    fn after(&mut self, mark: u8, digits: usize, range: RangeInclusive<i64>) -> Option<i64> {
        self.byte().filter(|byte| *byte == mark)?;
        self.number(digits).filter(|number| range.contains(number))
    }

    /// Parses an optional fraction of one to nine digits as nanoseconds.
    fn fraction(&mut self) -> Option<i32> {
        if self.0.first() != Some(&b'.') {
            return Some(0);
        }
        self.byte();
        let digits = self.0.iter().take_while(|byte| byte.is_ascii_digit()).count();
        let value = self.number(digits).filter(|_| (1..=9).contains(&digits))?;
        let missing = u32::try_from(9 - digits).ok()?;
        i32::try_from(value * 10i64.pow(missing)).ok()
    }
}

/// Converts a Gregorian date to days since 1970-01-01. Years start in March, so that leap days are last.
fn days(year: i64, month: i64, day: i64) -> i64 {
    let year = if month <= 2 { year - 1 } else { year };
    let era = year.div_euclid(400);
    let of_era = year.rem_euclid(400);
    let of_year = (153 * ((month + 9) % 12) + 2) / 5 + day - 1;
    era * 146_097 + of_era * 365 + of_era / 4 - of_era / 100 + of_year - 719_468
}

/// Converts days since 1970-01-01 to year, month and day.
fn date(days: i64) -> (i64, i64, i64) {
    let shifted = days + 719_468;
    let era = shifted.div_euclid(146_097);
    let of_era = shifted.rem_euclid(146_097);
    let year_of_era = (of_era - of_era / 1_460 + of_era / 36_524 - of_era / 146_096) / 365;
    let of_year = of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let shifted_month = (5 * of_year + 2) / 153;
    let day = of_year - (153 * shifted_month + 2) / 5 + 1;
    let month = if shifted_month < 10 { shifted_month + 3 } else { shifted_month - 9 };
    (era * 400 + year_of_era + i64::from(month <= 2), month, day)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_day_of_nine_thousand_years_comes_back() {
        let first = days(1, 1, 1);
        assert_eq!(
            (first * DAY, days(9999, 12, 31) * DAY),
            (*TIMES.start(), TIMES.end() - DAY + 1)
        );
        let mut before = date(first - 1);
        assert_eq!(before, (0, 12, 31));
        for day in first..=days(9999, 12, 31) {
            let (year, month, of_month) = date(day);
            assert_eq!(days(year, month, of_month), day);
            assert!((year, month, of_month) > before);
            before = (year, month, of_month);
        }
        assert_eq!(before, (9999, 12, 31));
    }

    #[test]
    fn times_are_written_and_read() {
        for (seconds, nanos, text) in [
            (0, 0, "1970-01-01T00:00:00Z"),
            (-1, 999_000_000, "1969-12-31T23:59:59.999Z"),
            (951_782_400, 1_000, "2000-02-29T00:00:00.000001Z"),
            (*TIMES.start(), 0, "0001-01-01T00:00:00Z"),
            (*TIMES.end(), 999_999_999, "9999-12-31T23:59:59.999999999Z"),
        ] {
            let time = Time { seconds, nanos };
            assert_eq!(timestamp_text(time).as_deref(), Ok(text));
            assert_eq!(timestamp(text), Some(time));
        }
        let same = Some(Time { seconds: 0, nanos: 500_000_000 });
        assert_eq!(timestamp("1970-01-01T01:30:00.5+01:30"), same);
        assert_eq!(timestamp("1969-12-31T23:00:00.50-01:00"), same);
        for text in [
            "",
            "1970-01-01",
            "1970-01-01T00:00:00",
            "1970-01-01t00:00:00Z",
            "1970-01-01T00:00:00z",
            "1970-02-29T00:00:00Z",
            "1970-13-01T00:00:00Z",
            "1970-01-01T24:00:00Z",
            "1970-01-01T00:00:60Z",
            "0000-01-01T00:00:00Z",
            "0001-01-01T00:00:00+00:01",
            "9999-12-31T23:59:59-00:01",
            "1970-01-01T00:00:00.Z",
            "1970-01-01T00:00:00.1234567890Z",
            "1970-01-01T00:00:00Z ",
            "1970-01-01 00:00:00Z",
            "+970-01-01T00:00:00Z",
            "1970-01-01T00:00:00+0100",
        ] {
            assert_eq!(timestamp(text), None, "{text}");
        }
    }

    #[test]
    fn lengths_are_written_and_read() {
        for (seconds, nanos, text) in [
            (0, 0, "0s"),
            (1, 500_000_000, "1.500s"),
            (0, -1, "-0.000000001s"),
            (*SPANS.start(), -999_999_999, "-315576000000.999999999s"),
            (*SPANS.end(), 0, "315576000000s"),
        ] {
            let time = Time { seconds, nanos };
            assert_eq!(duration_text(time).as_deref(), Ok(text));
            assert_eq!(duration(text), Some(time));
        }
        for (seconds, nanos) in [(1, -1), (-1, 1), (0, NANOS), (SPANS.end() + 1, 0)] {
            assert!(duration_text(Time { seconds, nanos }).is_err(), "{seconds} {nanos}");
        }
        for text in [
            "",
            "s",
            "-s",
            "1",
            ".5s",
            "1.s",
            "+1s",
            "1 s",
            "--1s",
            "1e3s",
            "315576000001s",
            "1.1234567890s",
        ] {
            assert_eq!(duration(text), None, "{text}");
        }
        assert_eq!(duration(&format!("{}s", "9".repeat(100_000))), None);
    }
}
