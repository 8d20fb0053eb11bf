//! Notes on a comparison: damage, findings, possible renames, cosmetic changes, options that would change the
//! answer.

use std::io::{self, Write};

use askama::Template;

use super::page;
use crate::diff::{Diff, Verdict};
use crate::report::Judged;
use crate::report::human::changes::{cosmetic_kinds, finding_lines};
use crate::report::human::terminal_text::{printable, shell_quoted, short_of};
use crate::report::human::{again, number, suggestions};
use crate::summary::rename_rules;

/// The most lines of a list. The JSON report has all.
const MOST: usize = 1_000;

/// Lists of lines.
#[derive(Template)]
#[template(path = "notes.html", config = "src/report/html/askama.toml")]
pub(super) struct Notes {
    pub(super) lists: Vec<List>,
}

/// A list of lines.
pub(super) struct List {
    pub(super) id: &'static str,
    pub(super) title: &'static str,
    pub(super) count: String,
    /// The heading of the lines, or nothing.
    pub(super) lead: &'static str,
    pub(super) lines: Vec<String>,
    pub(super) is_code: bool,
    pub(super) hidden: Option<String>,
}

impl List {
    /// A list; `None` without lines.
    pub(super) fn of(id: &'static str, title: &'static str, lines: Vec<String>) -> Option<Self> {
        let hidden = Some(lines.len().saturating_sub(MOST) as u64).filter(|&n| n > 0);
        (!lines.is_empty()).then(|| Self {
            id,
            title,
            count: number::count(lines.len() as u64),
            lead: "",
            lines: lines.into_iter().take(MOST).collect(),
            is_code: false,
            hidden: hidden.map(number::count),
        })
    }
}

impl Notes {
    /// The notes on a comparison.
    pub(super) fn of(diff: &Diff, judged: Option<&Judged<'_>>) -> Self {
        let damage = diff.damage.iter().map(|of| shown(&of.error.to_string())).collect();
        let renames: Vec<String> = rename_rules(diff)
            .iter()
            .map(|rename| format!("--rename {}", shell_quoted(&shown(&rename.rule))))
            .collect();
        let renames = List::of("renames", "Possibly renamed", renames).map(|list| List {
            lead: "Equal dtype, shape and bytes under another name; these options compare them:",
            is_code: true,
            ..list
        });
        let (_, cosmetic) = cosmetic_kinds(diff);
        let lists = [
            List::of("damage", "Damaged", damage),
            renames,
            List::of("findings", "Findings", finding_lines(diff)),
            List::of("cosmetic", "Cosmetic changes", cosmetic),
            List::of("notes", "Notes", remarks(diff, judged)),
        ];
        Self { lists: lists.into_iter().flatten().collect() }
    }

    /// Writes the lists.
    pub(super) fn write(&self, out: &mut dyn Write) -> io::Result<()> {
        page::write(self, out)
    }
}

fn shown(text: &str) -> String {
    short_of(&printable(text)).into_owned()
}

/// Notes, and options that would change the answer; where rules decide, what must be compared again.
fn remarks(diff: &Diff, judged: Option<&Judged<'_>>) -> Vec<String> {
    let Some(judged) = judged else { return suggestions::notes(diff) };
    let mut text = Vec::new();
    if judged.judgement.verdict() != Verdict::Same && again::write(judged, &mut text).is_err() {
        return Vec::new();
    }
    let text = String::from_utf8_lossy(&text);
    text.lines().map(str::trim).filter(|line| !line.is_empty()).map(str::to_owned).collect()
}
