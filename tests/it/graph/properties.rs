//! Properties for any two graphs: the reported changes are the edits that were made.

use ckdiff::artifact::Form;
use ckdiff::diff::{Change, ChangeKind, Diff, Weight};
use ckdiff::report::{Format, Report, ReportOptions, write};
use ckdiff::schema::tensorflow::MetaGraphDef;
use proptest::{prop_assert, prop_assert_eq};

use crate::support::graph::edits::{EDITS, Edited};
use crate::support::graph::pairs::{artifact, compared, lines, opened, pair, semantic, words};
use crate::support::graph::random::model;
use crate::support::graph::spelling::rewritten;
use crate::support::graph::written::written;
use crate::support::message_forms::text_of;
use crate::support::property::{PropertyResult, for_tapes};
use crate::support::{Count, Random};

/// Edits that rename nodes.
const RENAMES: &[&str] = &["rename a node", "rename a scope", "move a scope"];

/// Edits that may be reported as more changes than were made if they touch a renamed part. Pairs without this gap are in
/// `rename_with_edit.rs`.
const KNOWN_GAPS: &[&str] = &[
    "rename a node",
    "rename a scope",
    "move a scope",
    "insert a block",
    "remove a node",
    "rewire an input",
    "swap inputs",
    "add a control input",
    "remove a control input",
    "add a variable",
];

/// Checks that the reported changes are the edits.
fn found(diff: &Diff, edits: &[Edited]) -> PropertyResult {
    let semantic = semantic(diff);
    let most: usize = edits.iter().map(|edit| edit.most).sum();
    prop_assert!(semantic.len() <= most, "more than {most}:\n{}", lines(diff));
    for edit in edits.iter().filter(|edit| edit.most > 0) {
        let is_told = semantic.iter().any(|change| words(change).contains(&edit.place));
        prop_assert!(is_told, "{} is not reported:\n{}", edit.place, lines(diff));
    }
    Ok(())
}

#[test]
fn every_edit_by_itself_is_found() {
    for (number, (name, edit)) in EDITS.iter().enumerate() {
        let (done, tried) = (Count::default(), Count::default());
        for_tapes(name, 1000 + number as u64, 60, |tape| {
            let mut random = Random::of_tape(tape);
            let (lhs, scopes) = model(8, &mut random);
            let mut rhs = lhs.clone();
            let first = random.below(scopes.len() as u64) as usize;
            let order = scopes[first..].iter().chain(&scopes[..first]);
            let edited = order.into_iter().find_map(|scope| edit(&mut rhs, scope, &mut random));
            tried.add(1);
            let Some(edited) = edited else { return Ok(()) };
            done.add(1);
            found(&pair(&written(&lhs), &written(&rhs)), &[edited])
        });
        let (done, tried) = (done.get(), tried.get());
        assert!(tried > 0 && done * 4 >= tried, "{name}: {done} of {tried}");
    }
}

/// Applies up to five edits, each in another scope.
fn edited(random: &mut Random) -> (MetaGraphDef, MetaGraphDef, Vec<Edited>) {
    let (lhs, mut scopes) = model(10, random);
    let mut rhs = lhs.clone();
    let mut edits: Vec<_> = EDITS.iter().collect();
    let mut made = Vec::new();
    for _ in 0..1 + random.below(5) {
        if scopes.is_empty() || edits.is_empty() {
            break;
        }
        let scope = scopes.remove(random.below(scopes.len() as u64) as usize);
        let (name, edit) = edits.remove(random.below(edits.len() as u64) as usize);
        let Some(edit) = edit(&mut rhs, &scope, random) else { continue };
        made.push(edit);
        if RENAMES.contains(name) {
            edits.retain(|(name, _)| !KNOWN_GAPS.contains(name));
        } else if KNOWN_GAPS.contains(name) {
            edits.retain(|(name, _)| !RENAMES.contains(name));
        }
    }
    (written(&lhs), written(&rhs), made)
}

#[test]
fn edits_in_several_scopes_are_found_together() {
    let (models, made) = (Count::default(), Count::default());
    for_tapes("edits", 1, 300, |tape| {
        let (lhs, rhs, edits) = edited(&mut Random::of_tape(tape));
        models.add(1);
        made.add(edits.len() as u64);
        found(&pair(&lhs, &rhs), &edits)
    });
    assert!(made.get() > models.get(), "{} edits of {} models", made.get(), models.get());
}

#[test]
fn another_order_and_encoding_is_not_a_semantic_change() {
    for_tapes("spelling", 5, 200, |tape| {
        let random = &mut Random::of_tape(tape);
        let (lhs, rhs, edits) = edited(random);
        let diff = pair(&lhs, &rewritten(&lhs, random));
        prop_assert!(semantic(&diff).is_empty(), "{}", lines(&diff));
        found(&pair(&lhs, &rewritten(&rhs, random)), &edits)
    });
}

#[test]
fn a_graph_is_itself_in_every_form() {
    for_tapes("forms", 2, 100, |tape| {
        let (graph, other, _) = edited(&mut Random::of_tape(tape));
        for graph in [&graph, &other] {
            let binary = opened(graph);
            let message = binary.message().unwrap().message();
            let (text, _) = text_of(message, &Default::default());
            let (json, _) = crate::support::message_forms::json_of(message, &Default::default())?;
            for other in [&binary, &artifact(&text, Form::Text), &artifact(&json, Form::Json)] {
                let diff = compared(&binary, other);
                prop_assert!(diff.changes.is_empty(), "{}", lines(&diff));
            }
        }
        Ok(())
    });
}

/// A change without its path, with its sides swapped if `is_swapped`.
fn mirrored(change: &Change, is_swapped: bool) -> (ChangeKind, Option<String>, Option<String>) {
    let (lhs, rhs) = (change.lhs.clone(), change.rhs.clone());
    match (change.kind, is_swapped) {
        (kind, false) => (kind, lhs, rhs),
        (ChangeKind::Added, true) => (ChangeKind::Removed, rhs, lhs),
        (ChangeKind::Removed, true) => (ChangeKind::Added, rhs, lhs),
        (kind, true) => (kind, rhs, lhs),
    }
}

#[test]
fn swapped_sides_mirror_the_changes() {
    for_tapes("mirror", 3, 200, |tape| {
        let (lhs, rhs, _) = edited(&mut Random::of_tape(tape));
        let (there, back) = (pair(&lhs, &rhs), pair(&rhs, &lhs));
        let all = |diff: &Diff, is_swapped| {
            // Cosmetic changes depend on which of several equal nodes comes first.
            let changes = semantic(diff).into_iter();
            let mut all: Vec<_> = changes.map(|change| mirrored(change, is_swapped)).collect();
            all.sort();
            all
        };
        let is_same = all(&there, false) == all(&back, true);
        prop_assert!(is_same, "there:\n{}back:\n{}", lines(&there), lines(&back));
        Ok(())
    });
}

#[test]
fn both_reports_contain_every_change() {
    let (changes, named) = (Count::default(), Count::default());
    for_tapes("reports", 4, 100, |tape| {
        let (lhs, rhs, _) = edited(&mut Random::of_tape(tape));
        let diff = pair(&lhs, &rhs);
        let (mut for_program, mut for_person) = (Vec::new(), Vec::new());
        let report = Report::Diff(&diff, None);
        let looks = ReportOptions { max_rows: usize::MAX, ..ReportOptions::default() };
        write(&report, Format::JSON, &looks, &mut for_program).unwrap();
        write(&report, Format::HUMAN, &looks, &mut for_person).unwrap();
        let report: serde_json::Value = serde_json::from_slice(&for_program).unwrap();
        let lists = ["changes", "grouped"].map(|key| report[key].as_array().unwrap().len());
        prop_assert_eq!(lists.iter().sum::<usize>(), diff.changes.len());
        let text = String::from_utf8(for_person).unwrap();
        let reported = diff.reported().map(|found| found.change);
        for change in reported.filter(|change| change.weight == Weight::Semantic) {
            changes.add(1);
            let Some(name) = change.path.key_in("node").or(change.path.key_in("function")) else {
                continue;
            };
            named.add(1);
            // Long names are cut at their start or in their middle, so one end is printed.
            let name = name.trim_end_matches('/');
            let (start, end) =
                (&name[..name.len().min(10)], &name[name.len().saturating_sub(10)..]);
            let is_told = text.contains(start) || text.contains(end);
            prop_assert!(is_told, "{name} is not in\n{text}{}", lines(&diff));
        }
        Ok(())
    });
    assert!(named.get() * 2 > changes.get(), "{} of {}", named.get(), changes.get());
}
