//! Judges a comparison: its tensors, the changes of its messages, and the ops of its graph.

use super::again::{MissingRenames, unseen_changes};
use super::graph::JudgedChange;
use super::judgement::{Judgement, Outcome};
use super::rule_list::Rules;
use super::tensor_judge::TensorJudge;
use super::unused;
use crate::diff::{Diff, Only, Status};

impl Rules {
    /// Judges a comparison.
    ///
    /// Where the comparison was made with these rules as [`DiffOptions::rules`](crate::diff::DiffOptions::rules), everything can be
    /// decided. Otherwise, a check that needs another tolerance or a histogram of values may be undecided.
    pub fn judge(&self, diff: &Diff) -> Judgement {
        self.judge_all(diff, false)
    }

    /// Judges a comparison, and keeps the checks of changed tensors that hold.
    pub fn judge_with_passed(&self, diff: &Diff) -> Judgement {
        self.judge_all(diff, true)
    }

    fn judge_all(&self, diff: &Diff, keeps_passed: bool) -> Judgement {
        let mut judgement = Judgement {
            errors: diff.errors().count() as u64,
            tensors: diff.tensors.len() as u64,
            changes: diff.changes.len() as u64,
            ..Judgement::default()
        };
        self.judge_tensors(diff, keeps_passed, &mut judgement);
        self.judge_messages(diff, keeps_passed, &mut judgement);
        judgement.sort();
        judgement
    }

    fn judge_tensors(&self, diff: &Diff, keeps_passed: bool, judgement: &mut Judgement) {
        let mut matched = vec![false; self.rules.len()];
        let renames = MissingRenames::of(self, diff);
        let nan = diff.options.compare.nan;
        for tensor in &diff.tensors {
            let policy = self.policy_of(tensor, &mut matched);
            if let Some(check) = renames.undecided(tensor) {
                judgement.undecided.push(check);
                continue;
            }
            let has_changed = !matches!(tensor.status, Status::Identical | Status::Uncompared);
            let mut report = |outcome, check| match outcome {
                Outcome::Failed => judgement.failures.push(check),
                Outcome::Undecided => judgement.undecided.push(check),
                Outcome::Passed if keeps_passed && has_changed => judgement.passed.push(check),
                Outcome::Passed => {}
            };
            TensorJudge { rules: self, policy: &policy, tensor, nan, report: &mut report }.run();
        }
        judgement.unused = unused::find(&self.rules, &matched, diff);
    }

    fn judge_messages(&self, diff: &Diff, keeps_passed: bool, judgement: &mut Judgement) {
        for change in &diff.changes {
            let path = change.path.to_string();
            let judged = JudgedChange::new(change, &path);
            match self.graph.judge(&judged, diff.options.strict) {
                Some((Outcome::Failed, check)) => judgement.failures.push(check),
                Some((_, check)) if keeps_passed => judgement.passed.push(check),
                _ => {}
            }
        }
        if !diff.coverage.has_graph() && diff.options.only != Only::Tensors {
            judgement.undecided.extend(self.graph.not_compared());
        }
        let unseen = unseen_changes(diff).filter(|_| !self.graph.ignores_all());
        judgement.undecided.extend(unseen);
        if let Some(ops) = &diff.ops {
            judgement.failures.extend(self.graph.judge_ops(ops));
        }
    }
}
