//! Properties of random messages. Messages are drawn from tapes of random numbers, and proptest shortens a tape that violates a
//! property. `PROPTEST_CASES` sets the number of tapes per type.

use std::env;

use ckdiff::schema::{MessageType, Schema};
use proptest::collection::vec;
use proptest::num::u64::ANY;
use proptest::strategy::{NewTree, Strategy, ValueTree};
use proptest::test_runner::{Config, RngAlgorithm, TestCaseError, TestError, TestRng, TestRunner};

/// The result of checking a property.
pub(crate) type PropertyResult = Result<(), TestCaseError>;

/// The maximum length of a tape. Few messages need half of it.
const LEN: usize = 1_200;

/// Checks a property for every message type of a schema, with several tapes each; the tapes are the same in every run.
pub(crate) fn for_every_type(
    schema: &'static Schema,
    property: impl Fn(&'static MessageType, &[u64]) -> PropertyResult,
) {
    let types: Vec<_> = schema.messages().filter(|ty| !ty.is_map_entry).collect();
    assert!(types.len() >= 10, "the schema has {} types", types.len());
    for (number, ty) in types.into_iter().enumerate() {
        for_tapes(&ty.full_name, number as u64 + 1, 12, |tape| property(ty, tape));
    }
}

/// Checks a property for `cases` tapes, or as many as `PROPTEST_CASES` says; the tapes depend only on `seed`.
pub(crate) fn for_tapes(
    what: &str,
    seed: u64,
    cases: u32,
    property: impl Fn(&[u64]) -> PropertyResult,
) {
    let cases = env::var("PROPTEST_CASES").map_or(cases, |cases| cases.parse().unwrap());
    assert!(cases > 0, "PROPTEST_CASES is 0");
    let config =
        Config { cases, failure_persistence: None, max_shrink_iters: 50_000, ..Config::default() };
    let rng = TestRng::from_seed(RngAlgorithm::XorShift, &u128::from(seed).to_le_bytes());
    match TestRunner::new_with_rng(config, rng).run(&Tapes, |tape| property(&tape)) {
        Ok(()) => {}
        Err(TestError::Fail(why, tape)) => panic!("{what}: {why}\ntape {tape:?}"),
        Err(TestError::Abort(why)) => panic!("{what}: {why}"),
    }
}

#[derive(Debug)]
struct Tapes;

impl Strategy for Tapes {
    type Tree = Shortening;
    type Value = Vec<u64>;

    fn new_tree(&self, runner: &mut TestRunner) -> NewTree<Self> {
        let tape = vec(ANY, 0..=LEN).new_tree(runner)?.current();
        Ok(Shortening { tape, tried: None, step: 0, at: 0, is_shorter: false })
    }
}

/// A step that simplifies a tape at a given position.
#[derive(Debug, Clone, Copy)]
enum Step {
    /// Removes this many numbers.
    Cut(usize),
    /// Sets a number to zero and removes this many after it: drops a part of a message, and the numbers of its content.
    Leave(usize),
    /// Halves a number.
    Halve,
}

const STEPS: &[Step] = &[
    Step::Cut(512),
    Step::Cut(64),
    Step::Cut(8),
    Step::Leave(64),
    Step::Leave(32),
    Step::Leave(16),
    Step::Leave(8),
    Step::Leave(7),
    Step::Leave(6),
    Step::Leave(5),
    Step::Leave(4),
    Step::Leave(3),
    Step::Leave(2),
    Step::Leave(1),
    Step::Leave(0),
    Step::Cut(1),
    Step::Halve,
];

impl Step {
    fn apply(self, tape: &[u64], at: usize) -> Vec<u64> {
        let mut tape = tape.to_vec();
        let end = |start: usize, count: usize| start + count.min(tape.len() - start);
        match self {
            Self::Cut(count) => drop(tape.drain(at..end(at, count))),
            Self::Leave(count) => {
                drop(tape.drain(at + 1..end(at + 1, count)));
                tape[at] = 0;
            }
            Self::Halve => tape[at] /= 2,
        }
        tape
    }
}

/// Simplifies tapes. A single step can remove a whole message, which proptest's simplification of lists cannot.
#[derive(Debug)]
struct Shortening {
    /// The simplest tape so far that violates the property.
    tape: Vec<u64>,
    tried: Option<Vec<u64>>,
    step: usize,
    at: usize,
    is_shorter: bool,
}

impl Shortening {
    /// Finds the next tape to try; false after all steps failed.
    fn find(&mut self) -> bool {
        loop {
            if self.at == self.tape.len() {
                (self.at, self.step) = (0, self.step + 1);
            }
            if self.step == STEPS.len() {
                if !self.is_shorter {
                    return false;
                }
                (self.step, self.is_shorter) = (0, false);
            }
            if self.tape.is_empty() {
                return false;
            }
            let tape = STEPS[self.step].apply(&self.tape, self.at);
            self.at += 1;
            if tape != self.tape {
                self.tried = Some(tape);
                return true;
            }
        }
    }
}

impl ValueTree for Shortening {
    type Value = Vec<u64>;

    fn current(&self) -> Vec<u64> {
        self.tried.as_ref().unwrap_or(&self.tape).clone()
    }

    fn simplify(&mut self) -> bool {
        if let Some(tape) = self.tried.take() {
            self.at = (self.at - 1).min(tape.len());
            self.tape = tape;
            self.is_shorter = true;
        }
        self.find()
    }

    fn complicate(&mut self) -> bool {
        self.tried = None;
        self.find()
    }
}
