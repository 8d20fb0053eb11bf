//! Properties of the text view, over all pairs written by TensorFlow.

use std::collections::BTreeSet;

use ckdiff::artifact::{Artifact, FileKind, Sniffed};
use ckdiff::diff::{
    Change, ChangeKind, ChangedPart, Diff, DiffOptions, Grouping, LineTag, Step, TextDiff,
    TextView, Weight, diff,
};
use ckdiff::message::Message;
use ckdiff::progress::Silent;
use ckdiff::report::{Format, Report, ReportOptions, write};
use ckdiff::text::{PrintOptions, UnknownFields, print};

use crate::support::graph::pairs::{names, side};

/// Two artifacts and their differences.
struct Pair {
    name: String,
    lhs: Artifact<'static>,
    rhs: Artifact<'static>,
    diff: Diff,
}

fn pairs(strict: bool) -> impl Iterator<Item = Pair> {
    names().into_iter().map(move |name| {
        let [lhs, rhs] = ["lhs", "rhs"].map(|of| Artifact::open(side(&name, of)).unwrap());
        let grouping = Grouping::Off;
        let options = DiffOptions { strict, grouping, ..DiffOptions::default() };
        let diff = diff(&lhs, &rhs, &options, &Silent).unwrap();
        Pair { name, lhs, rhs, diff }
    })
}

/// The text of a whole message, without indentation.
fn whole(artifact: &Artifact) -> String {
    let Some(document) = artifact.message() else { return String::new() };
    let message: &Message<'_> = document.message();
    let by_number = UnknownFields::ByNumber;
    let options = PrintOptions { unknown_fields: by_number, ..PrintOptions::default() };
    let mut text = Vec::new();
    print(message, &options, &mut text).unwrap();
    let text = String::from_utf8(text).unwrap();
    format!("\n{}\n", text.lines().map(str::trim_start).collect::<Vec<_>>().join("\n"))
}

/// The lines of one side of a complete text.
fn lines(text: &TextDiff, of: LineTag) -> Vec<&str> {
    let lines = text.hunks.iter().flat_map(|hunk| &hunk.lines);
    lines.filter(|line| line.tag == LineTag::Same || line.tag == of).map(|l| &*l.text).collect()
}

/// The parts of a text that are adjacent in the message; each node of a group is a part.
fn parts<'t>(lines: &[&'t str]) -> Vec<Vec<&'t str>> {
    let mut parts: Vec<Vec<&str>> = vec![Vec::new()];
    for line in lines {
        let is_new = ["node {", "node_def {"].contains(line);
        if is_new {
            parts.push(Vec::new());
        }
        parts.last_mut().unwrap().push(line);
    }
    parts.retain(|part| !part.is_empty());
    parts
}

/// Whether a change is described in words: it is outside of messages, or in items that cannot be read.
fn is_described_in_words(name: &str, change: &Change) -> bool {
    let path = change.path.to_string();
    if name.starts_with("bad_variable_def") {
        return path.contains("bytes_list");
    }
    change.kind == ChangeKind::Renamed
        || ["saver[", "files[", "object_graph", "keras_metadata"]
            .iter()
            .any(|part| path.contains(part))
        || path.contains(".tensor.nodes[")
}

#[test]
fn every_change_is_shown_once() {
    for strict in [false, true] {
        let (mut texts, mut words) = (0, 0);
        for Pair { name, lhs, rhs, diff } in pairs(strict) {
            let view = TextView::new(&diff, &lhs, &rhs).unwrap();
            let reported: Vec<usize> =
                view.parts().iter().flat_map(|place| place.changes()).copied().collect();
            let distinct: BTreeSet<usize> = reported.iter().copied().collect();
            assert_eq!(reported.len(), distinct.len(), "{name}: reported twice");
            let counts = |change: &Change| strict || change.weight == Weight::Semantic;
            let expected = (0..diff.changes.len()).filter(|&at| counts(&diff.changes[at]));
            assert!(distinct.into_iter().eq(expected), "{name}");
            for place in view.parts() {
                let text = place.text(3);
                let is_shown = !text.hunks.is_empty();
                texts += usize::from(is_shown);
                words += usize::from(!is_shown);
                for change in place.changes().iter().map(|&at| &diff.changes[at]) {
                    let is_known =
                        is_described_in_words(&name, change) || change.weight == Weight::Cosmetic;
                    assert!(is_shown || is_known, "{name}: {}", change.path);
                }
            }
        }
        assert!(texts > 150 && words > 10, "{texts} {words}");
    }
}

#[test]
fn the_lines_of_a_side_are_in_its_message() {
    let mut embedded = 0;
    for Pair { name, lhs, rhs, diff } in pairs(true) {
        let view = TextView::new(&diff, &lhs, &rhs).unwrap();
        let (left, right) = (whole(&lhs), whole(&rhs));
        for place in view.parts() {
            let text = place.text(usize::MAX);
            // In the text of the message, embedded messages are bytes.
            let is_embedded = [LineTag::Removed, LineTag::Added]
                .iter()
                .any(|&tag| lines(&text, tag).contains(&"value {"));
            if is_embedded || place.path().to_string().contains("bytes_list") {
                embedded += 1;
                continue;
            }
            for (tag, whole) in [(LineTag::Removed, &left), (LineTag::Added, &right)] {
                for part in parts(&lines(&text, tag)) {
                    let part: Vec<_> = part.iter().map(|line| line.trim_start()).collect();
                    let part = format!("\n{}\n", part.join("\n"));
                    assert!(whole.contains(&part), "{name}: {} {tag:?} {part}", place.path());
                }
            }
        }
    }
    assert!((5..100).contains(&embedded), "{embedded}");
}

/// Replaces the lines of lhs by the hunks of a text.
fn applied(lhs: &[&str], text: &TextDiff) -> Vec<String> {
    let (mut out, mut at) = (Vec::new(), 0);
    for hunk in &text.hunks {
        let start = hunk.lhs_start - usize::from(hunk.lhs_len > 0);
        out.extend(lhs[at..start].iter().map(|line| line.to_string()));
        assert_eq!(out.len(), hunk.rhs_start - usize::from(hunk.rhs_len > 0));
        at = start;
        for line in &hunk.lines {
            if line.tag != LineTag::Added {
                assert_eq!(line.text, lhs[at]);
                at += 1;
            }
            if line.tag != LineTag::Removed {
                out.push(line.text.clone());
            }
        }
        assert_eq!(at, start + hunk.lhs_len);
    }
    out.extend(lhs[at..].iter().map(|line| line.to_string()));
    out
}

#[test]
fn the_hunks_turn_lhs_into_rhs() {
    let mut count = 0;
    for Pair { name, lhs, rhs, diff } in pairs(true) {
        let view = TextView::new(&diff, &lhs, &rhs).unwrap();
        for place in view.parts() {
            let all = place.text(usize::MAX);
            assert!(!all.is_cut, "{name}: {}", place.path());
            for context in [0, 1, 3] {
                let (lhs, rhs) = (lines(&all, LineTag::Removed), lines(&all, LineTag::Added));
                assert_eq!(applied(&lhs, &place.text(context)), rhs, "{name}: {}", place.path());
                count += 1;
            }
        }
    }
    assert!(count > 1_000, "{count}");
}

#[test]
fn added_nodes_have_no_removed_lines_and_removed_nodes_no_added_ones() {
    let (mut added, mut removed) = (0, 0);
    for Pair { name, lhs, rhs, diff } in pairs(false) {
        let view = TextView::new(&diff, &lhs, &rhs).unwrap();
        let is_of = |place: &ChangedPart<'_>, kind| {
            place.changes().iter().all(|&at| {
                let change = &diff.changes[at];
                change.kind == kind && change.path == *place.path()
            })
        };
        for place in view.parts() {
            let text = place.text(3);
            let mut tags = text.hunks.iter().flat_map(|hunk| &hunk.lines).map(|line| line.tag);
            let path = place.path();
            // A node that was added or removed as a whole.
            let is_node =
                matches!(*path.steps(), [.., Step::Field(list), Step::Key(_)] if **list == *"node");
            if is_node {
                if is_of(place, ChangeKind::Added) {
                    assert!(tags.all(|tag| tag == LineTag::Added), "{name}: {path}");
                    added += 1;
                } else if is_of(place, ChangeKind::Removed) {
                    assert!(tags.all(|tag| tag == LineTag::Removed), "{name}: {path}");
                    removed += 1;
                }
            }
        }
    }
    assert!(added >= 5 && removed >= 5, "{added} added, {removed} removed");
}

#[test]
fn a_model_compared_with_itself_has_no_text() {
    for Pair { name, lhs, .. } in pairs(false) {
        let other = Artifact::open(side(&name, "lhs")).unwrap();
        let options = DiffOptions { strict: true, ..DiffOptions::default() };
        let diff = diff(&lhs, &other, &options, &Silent).unwrap();
        assert!(TextView::new(&diff, &lhs, &other).unwrap().parts().is_empty(), "{name}");
    }
}

#[test]
fn reports_fit_their_columns_and_no_two_lines_look_alike() {
    for strict in [false, true] {
        let mut changed = 0;
        for Pair { name, lhs, rhs, diff } in pairs(strict) {
            let view = TextView::new(&diff, &lhs, &rhs).unwrap();
            let mut out = Vec::new();
            let looks = ReportOptions {
                columns: Some(100),
                max_rows: usize::MAX,
                ..ReportOptions::default()
            };
            write(&Report::Diff(&diff, Some(&view)), Format::HUMAN, &looks, &mut out).unwrap();
            let report = String::from_utf8(out).unwrap();
            // Findings are printed in full, so only the lines before them are checked.
            let report = report.split("\nFindings").next().unwrap();
            let lines: Vec<&str> = report.lines().collect();
            for pair in lines.windows(2) {
                let (removed, added) = (pair[0].strip_prefix("  - "), pair[1].strip_prefix("  + "));
                assert!(removed.is_none() || removed != added, "{name}: {}", pair[0]);
                changed += usize::from(removed.is_some() && added.is_some());
            }
            for line in lines {
                assert!(line.chars().count() <= 100, "{name}: {line}");
            }
        }
        assert!(changed > 50, "{changed} lines are changed");
    }
}

#[test]
fn saved_models_are_among_the_pairs() {
    let is_saved_model = |name: &&String| {
        matches!(Sniffed::of_path(side(name, "lhs")).kind(), FileKind::SavedModel(_))
    };
    let count = names().iter().filter(is_saved_model).count();
    assert!(count >= 10, "{count}");
}
