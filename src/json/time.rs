//! The JSON forms of `Timestamp` and `Duration`: `1972-01-01T10:00:20.021Z`, `-1.500s`.
//!
//! Fractions are printed with three, six or nine digits, and parsed with one to nine. `prost_types` prints and parses both
//! forms, and knows the calendar; the patterns and ranges here are those of protobuf's JSON, which are stricter.

use std::ops::RangeInclusive;
use std::sync::LazyLock;

use prost_reflect::prost_types::{Duration, Timestamp};
use regex::Regex;

/// Seconds of the years 1 to 9999.
const TIMES: RangeInclusive<i64> = -62_135_596_800..=253_402_300_799;
/// Seconds of about ±10,000 years.
const SPANS: RangeInclusive<i64> = -315_576_000_000..=315_576_000_000;
const NANOS: i32 = 1_000_000_000;

static TIMESTAMP: LazyLock<Regex> = LazyLock::new(|| {
    let time = "[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-5][0-9]";
    pattern(&format!(r"^{time}(\.[0-9]{{1,9}})?(Z|[+-][0-9]{{2}}:[0-9]{{2}})$"))
});
static DURATION: LazyLock<Regex> = LazyLock::new(|| pattern(r"^-?[0-9]{1,18}(\.[0-9]{1,9})?s$"));

fn pattern(text: &str) -> Regex {
    Regex::new(text).expect("the patterns of this file are valid")
}

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
        return Err(format!(
            "seconds: expected {} to {}, those of the years 1 to 9999, found {}",
            TIMES.start(),
            TIMES.end(),
            time.seconds
        ));
    }
    if !(0..NANOS).contains(&time.nanos) {
        return Err(format!("nanoseconds: expected 0 to 999999999, found {}", time.nanos));
    }
    Ok(Timestamp { seconds: time.seconds, nanos: time.nanos }.to_string())
}

/// Formats a duration.
///
/// # Errors
/// If a component is out of range; the error is a clause.
pub(super) fn duration_text(time: Time) -> Result<String, String> {
    if !SPANS.contains(&time.seconds) {
        return Err(format!(
            "seconds: expected -315576000000 to 315576000000, found {}",
            time.seconds
        ));
    }
    if !(1 - NANOS..NANOS).contains(&time.nanos) {
        return Err(format!("nanoseconds: expected -999999999 to 999999999, found {}", time.nanos));
    }
    let Time { seconds, nanos } = time;
    if seconds.signum() * i64::from(nanos.signum()) < 0 {
        return Err(format!(
            "nanoseconds: expected the sign of the seconds, {seconds}, or 0, found {nanos}"
        ));
    }
    Ok(Duration { seconds, nanos }.to_string())
}

/// Parses a timestamp.
pub(super) fn timestamp(text: &str) -> Option<Time> {
    let Timestamp { seconds, nanos } = TIMESTAMP.find(text)?.as_str().parse().ok()?;
    TIMES.contains(&seconds).then_some(Time { seconds, nanos })
}

/// Parses a duration.
pub(super) fn duration(text: &str) -> Option<Time> {
    let Duration { seconds, nanos } = DURATION.find(text)?.as_str().parse().ok()?;
    SPANS.contains(&seconds).then_some(Time { seconds, nanos })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn days_of_all_years_come_back() {
        let mut last = String::new();
        for seconds in TIMES.step_by(97 * 86_400) {
            let time = Time { seconds, nanos: 0 };
            let text = timestamp_text(time).unwrap();
            assert!(text > last, "{text}");
            assert_eq!(timestamp(&text), Some(time));
            last = text;
        }
        assert!(&*last > "9999-09-01", "{last}");
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
