//! The reasons why a comparison fails, a line each, the worst first.

use super::Judged;
use super::human::{
    by_section, change, difference, error, limit, name, plural, printable, reason, short_of,
};
use crate::diff::{Diff, ReportedChange, Status, Verdict, Weight};
use crate::rules::{Check, RuleOrigin};
use crate::summary::{SortKey, sections};

/// Something that makes a comparison fail.
#[derive(Debug)]
pub(super) struct Problem<'a> {
    /// The tensor, or the path of the change; `None` if the text says it.
    pub(super) subject: Option<String>,
    /// What is wrong.
    pub(super) text: String,
    /// The rule that is broken.
    pub(super) rule: Option<&'a RuleOrigin>,
}

impl Problem<'_> {
    fn new(subject: impl Into<Option<String>>, text: String) -> Self {
        Self { subject: subject.into(), text, rule: None }
    }

    /// The problem in one line.
    pub(super) fn line(&self) -> String {
        match &self.subject {
            Some(subject) => format!("{subject}: {}", self.text),
            None => self.text.clone(),
        }
    }
}

/// What makes the comparison fail: first what cannot be read, then broken rules; without rules, what differs.
///
/// The iterator is lazy, since most reports need only the first few.
pub(super) fn problems<'a>(
    diff: &'a Diff,
    judged: Option<&'a Judged<'a>>,
) -> Box<dyn Iterator<Item = Problem<'a>> + 'a> {
    let damage = diff.damage.iter().map(|damage| Problem::new(None, error(&damage.error)));
    let unreadable = diff.tensors.iter().filter(|tensor| tensor.status == Status::Error);
    let unreadable = unreadable.map(|tensor| Problem::new(name(tensor), difference(tensor)));
    let errors = damage.chain(unreadable);
    match judged {
        Some(judged) => Box::new(errors.chain(broken(judged))),
        None => Box::new(errors.chain(tensors(diff)).chain(changes(diff))),
    }
}

/// For example `… and 3 more failures`; without rules, they are differences.
pub(super) fn more_problems(more: u64, judged: Option<&Judged<'_>>) -> String {
    let noun = if judged.is_some() { "more failure" } else { "more difference" };
    format!("… and {}", plural(more, noun))
}

/// The broken rules; and what cannot be decided, if that decides the verdict.
fn broken<'a>(judged: &'a Judged<'a>) -> impl Iterator<Item = Problem<'a>> {
    let judgement = judged.judgement;
    let is_undecided = judgement.verdict() == Verdict::Trouble && judgement.errors == 0;
    let undecided = judgement.undecided.iter().filter(move |_| is_undecided);
    let failures = judgement.failures.iter().map(|check| (reason(check), check));
    let all = failures.chain(undecided.map(|check| (undecided_reason(check), check)));
    all.map(|(text, check)| {
        let text = short_of(&text).into_owned();
        Problem { subject: None, text, rule: Some(&check.rule) }
    })
}

/// Why a check is undecided.
pub(super) fn undecided_reason(check: &Check) -> String {
    let (gate, limit) = (check.gate, limit(check));
    let subject = printable(check.subject.shown());
    format!("it is not known whether the {gate} of {subject} is within the rule: {limit}")
}

/// The tensors that differ.
fn tensors(diff: &Diff) -> impl Iterator<Item = Problem<'_>> {
    let changed = sections(diff, SortKey::default()).into_iter().flat_map(|of| of.tensors);
    let changed = changed.filter(|tensor| tensor.status != Status::Error);
    let changed = changed.map(|tensor| Problem::new(name(tensor), difference(tensor)));
    let renames = diff.renames.iter().map(|rename| {
        let [from, to] = [&rename.from, &rename.to].map(|name| name.printable());
        let text = format!("seems renamed to {}", short_of(&to));
        Problem::new(short_of(&from).into_owned(), text)
    });
    changed.chain(renames)
}

/// The changes of messages that count.
fn changes(diff: &Diff) -> impl Iterator<Item = Problem<'_>> {
    counting_changes(diff).map(|found| {
        let [path, text] = change(found);
        Problem::new(path, text)
    })
}

/// The changes of messages that make the verdict different, in the order of the report for people.
pub(super) fn counting_changes(diff: &Diff) -> impl Iterator<Item = ReportedChange<'_>> {
    let weights = [Some(Weight::Semantic), diff.options.strict.then_some(Weight::Cosmetic)];
    let sections = weights.into_iter().flatten().flat_map(|weight| by_section(diff, weight));
    sections.flat_map(|(_, changes)| changes)
}
