//! How many cases of a suite pass and fail.

use std::io;

use super::Suite;
use super::case::{Case, Outcome};

/// The number of cases with each outcome.
#[derive(Debug, Default)]
pub(super) struct Counts {
    tests: u64,
    failures: u64,
    errors: u64,
    pub(super) skipped: u64,
}

impl Counts {
    /// The cases of a suite, which are also added to those of all suites.
    pub(super) fn of(suite: &Suite<'_>, all: &mut Self) -> io::Result<Self> {
        let mut counts = Self::default();
        (suite.cases)(&mut |case| {
            counts.add(&case);
            all.add(&case);
            Ok(())
        })?;
        Ok(counts)
    }

    /// The attributes that a suite and the list of suites share.
    pub(super) fn attributes(&self) -> String {
        let Self { tests, failures, errors, .. } = self;
        format!(r#"tests="{tests}" failures="{failures}" errors="{errors}" time="0""#)
    }

    fn add(&mut self, case: &Case) {
        self.tests += 1;
        match case.outcome {
            Outcome::Passed => {}
            Outcome::Failed(_) => self.failures += 1,
            Outcome::Error(_) => self.errors += 1,
            Outcome::Skipped(_) => self.skipped += 1,
        }
    }
}
