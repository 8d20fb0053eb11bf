//! The result of judging a comparison by rules.

use std::cmp::Ordering;

use serde::ser::SerializeMap;
use serde::{Serialize, Serializer};

use super::rule::RuleOrigin;
use crate::compare::Sides;
use crate::diff::{StatedAt, UnusedPattern, Verdict};
use crate::serial::{self, Float, named_enum};
use crate::tensor::Name;

/// Whether a comparison keeps to the rules, and why not.
#[derive(Debug, Clone, Default)]
#[non_exhaustive]
pub struct Judgement {
    /// The broken rules, the worst first.
    pub failures: Vec<Check>,
    /// The rules that the stored statistics of a saved report cannot decide.
    pub undecided: Vec<Check>,
    /// What the rules accept although it differs, by name, if that was asked for.
    pub passed: Vec<Check>,
    /// Rules that match nothing.
    pub unused: Vec<UnusedRule>,
    /// The number of judged tensors.
    pub tensors: u64,
    /// The number of judged changes of messages.
    pub changes: u64,
    /// The number of tensors and parts that could not be read.
    pub errors: u64,
}

/// Whether a check holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Outcome {
    Passed,
    Failed,
    Undecided,
}

/// One statistic or property of one tensor or change, judged by one rule.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct Check {
    /// The tensor or change.
    pub subject: CheckSubject,
    /// What was judged: the key of the rule, or `identical` where no rule says anything about the values.
    pub gate: &'static str,
    /// The rule.
    pub rule: RuleOrigin,
    /// What the rule accepts.
    pub limit: Limit,
    /// What was found.
    pub found: Found,
    /// The value on each side, where `found` is their ratio or distance.
    pub sides: Option<Sides<f64>>,
    /// The kind of failure, by which failures are sorted.
    pub severity: Severity,
}

/// What a check is about.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub enum CheckSubject {
    /// A tensor: its name, and the name that reports show.
    Tensor(Name, Box<str>),
    /// A change of a message, by its path.
    Change(Box<str>),
    /// An op of the graph of rhs.
    Op(Box<str>),
}

impl CheckSubject {
    /// The name or path that reports show.
    pub fn shown(&self) -> &str {
        match self {
            Self::Tensor(_, shown) => shown,
            Self::Change(path) => path,
            Self::Op(op) => op,
        }
    }
}

/// What a rule accepts.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Limit {
    /// A word: `unchanged`, `forbidden`.
    Word(&'static str),
    /// The least and the largest number.
    Range(Option<f64>, Option<f64>),
}

/// What was found.
#[derive(Debug, Clone, PartialEq)]
pub enum Found {
    /// In words, such as `2 new NaN`.
    Text(Box<str>),
    /// A number.
    Number(f64),
    /// A number between two bounds, as far as a saved report tells.
    Between(f64, f64),
    /// The report does not tell.
    Unknown,
}

named_enum! {
    /// The kind of a failure, the worst first.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
    pub enum Severity {
        /// NaN or infinities that are not accepted.
        NonFinite = "non_finite",
        /// A tensor that only one side has, or that has another shape or dtype.
        Structure = "structure",
        /// A change of a graph, a signature or another message.
        Graph = "graph",
        /// A tensor that must change and did not, or the other way around.
        Expectation = "expectation",
        /// A number beyond its limit.
        Limit = "limit",
    }
}

/// A rule that matches nothing.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UnusedRule {
    /// The rule.
    pub rule: RuleOrigin,
    /// Its pattern, if it has one.
    pub pattern: Option<String>,
    /// The name that is closest to the pattern.
    pub suggestion: Option<String>,
}

impl Judgement {
    /// The verdict: `Trouble` if something could not be read or decided, `Different` if a rule is broken, `Same` if all hold.
    pub fn verdict(&self) -> Verdict {
        // What could not be decided does not matter where a rule is broken anyway.
        match (self.errors, self.failures.is_empty(), self.undecided.is_empty()) {
            (0, false, _) => Verdict::Different,
            (0, true, true) => Verdict::Same,
            _ => Verdict::Trouble,
        }
    }

    /// Sorts the checks: failures by severity and excess, the others by name.
    pub(super) fn sort(&mut self) {
        self.failures.sort_by(|a, b| {
            let by_excess = || b.excess().total_cmp(&a.excess());
            let by_kind = a.severity.cmp(&b.severity);
            by_kind.then_with(by_excess).then_with(|| by_subject(a, b))
        });
        self.undecided.sort_by(by_subject);
        self.passed.sort_by(by_subject);
    }
}

fn by_subject(a: &Check, b: &Check) -> Ordering {
    a.subject.cmp(&b.subject).then(a.gate.cmp(b.gate))
}

impl Check {
    /// How many times the found number is beyond its limit; infinite where there is no such factor.
    pub fn excess(&self) -> f64 {
        let (Limit::Range(least, most), Found::Number(found)) = (self.limit, &self.found) else {
            return f64::INFINITY;
        };
        let factor = match (least, most) {
            // Ratios are judged by their distance from 1.
            (Some(least), Some(most)) if least < 1.0 && most > 1.0 => {
                let bound = if *found > 1.0 { most } else { least };
                (found - 1.0).abs() / (bound - 1.0).abs()
            }
            // The cosine of the closest directions is 1.
            (Some(least), None) => (1.0 - found) / (1.0 - least),
            (_, Some(most)) if *found > most => found / most,
            (Some(least), _) => least / found,
            _ => 1.0,
        };
        if factor.is_nan() { f64::INFINITY } else { factor.abs() }
    }
}

impl Serialize for Check {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(None)?;
        let tensor = match &self.subject {
            CheckSubject::Tensor(name, _) => Some(name),
            _ => None,
        };
        let path = match &self.subject {
            CheckSubject::Change(path) => Some(path),
            _ => None,
        };
        serial::name(&mut map, "tensor", tensor)?;
        map.serialize_entry("path", &path)?;
        if let CheckSubject::Op(op) = &self.subject {
            map.serialize_entry("op", op)?;
        }
        map.serialize_entry("gate", self.gate)?;
        map.serialize_entry("rule", &self.rule)?;
        match self.limit {
            Limit::Word(word) => map.serialize_entry("limit", word)?,
            Limit::Range(least, most) => {
                let limit = serial::object! { min: least.map(Float), max: most.map(Float) };
                map.serialize_entry("limit", &limit)?;
            }
        }
        match &self.found {
            Found::Text(text) => map.serialize_entry("found", text)?,
            Found::Number(number) => map.serialize_entry("found", &Float(*number))?,
            Found::Between(least, most) => {
                let found = serial::object! { min: Float(*least), max: Float(*most) };
                map.serialize_entry("found", &found)?;
            }
            Found::Unknown => map.serialize_entry("found", &())?,
        }
        map.serialize_entry("severity", &self.severity)?;
        map.end()
    }
}

/// The rule as a pattern, which has a place if it comes from a file.
impl From<UnusedRule> for UnusedPattern {
    fn from(unused: UnusedRule) -> Self {
        let UnusedRule { rule, pattern, suggestion } = unused;
        let at = rule.line.map(|line| StatedAt { source: rule.source.to_string(), line });
        let pattern = pattern.unwrap_or_default();
        Self { option: Self::RULE, pattern, suggestion, at }
    }
}

impl Serialize for UnusedRule {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let report = serial::object! {
            rule: &self.rule,
            pattern: &self.pattern,
            suggestion: &self.suggestion,
        };
        report.serialize(serializer)
    }
}
