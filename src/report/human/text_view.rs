//! Changes in the text of messages: a line for each changed part, and below it the lines that differ.

use std::collections::BTreeMap;
use std::io::{self, Write};

use anstyle::Style;
use unicode_width::UnicodeWidthChar;

use crate::diff::{
    ChangedPart, Detail, Diff, Hunk, Line, LineTag, ReportedChange, TextDiff, TextView,
};

use super::changes::{Section, cosmetic, counted, findings, groups, renamed, rows};
use super::terminal_text::{cut_middle, printable, width_of};
use super::{ReportOptions, WIDTH, change_text, grouped, lines, number};

/// Columns to the left of the text of a line.
const INDENT: usize = 4;

/// The maximum number of lines of one part.
const LINES: usize = 100;

/// The maximum number of changes that are described below a text that does not show them.
const WORDS: usize = 4;

/// The maximum number of columns of the name of a field before a value whose start is cut off, and the columns of that value that are
/// common to both sides.
const NAME: usize = 40;
const COMMON: usize = 16;

/// Writes the parts of the changes, in the order of the report.
pub(super) fn write(
    diff: &Diff,
    texts: &TextView<'_>,
    options: &ReportOptions,
    out: &mut dyn Write,
) -> io::Result<()> {
    let mut sections = BTreeMap::<Section, Vec<(&ChangedPart<'_>, Vec<ReportedChange<'_>>)>>::new();
    for part in texts.parts() {
        let mut changes: Vec<_> =
            part.changes().iter().filter_map(|&at| diff.reported_at(at)).collect();
        change_text::sort(&mut changes);
        let Some(first) = changes.first() else { continue };
        sections.entry(Section::of(first.change)).or_default().push((part, changes));
    }
    let mut left = options.max_rows;
    for (section, mut parts) in sections {
        parts.sort_by_cached_key(|(_, changes)| {
            changes.first().map(|reported| change_text::order(reported.change))
        });
        let shown = parts.get(..left.min(parts.len())).unwrap_or_default();
        if shown.is_empty() {
            break;
        }
        left -= shown.len();
        let all: Vec<_> = parts.iter().flat_map(|(_, changes)| changes.iter().copied()).collect();
        let title = format!("{} ({})", section.title(), counted(section, &all));
        lines::heading(&title, options, out)?;
        let writer = PartWriter { diff, options };
        let mut was_text = false;
        for (part, changes) in shown {
            was_text = writer.write(part, changes, was_text, out)?;
        }
    }
    lines::rest(texts.parts().len(), "changed part", options, out)?;
    findings(diff, options, out)?;
    cosmetic(diff, options, out)
}

/// Writes parts.
struct PartWriter<'a> {
    diff: &'a Diff,
    options: &'a ReportOptions,
}

impl PartWriter<'_> {
    /// Writes a part, after an empty line if the one before has a text. Returns whether this one has a text.
    fn write(
        &self,
        part: &ChangedPart<'_>,
        changes: &[ReportedChange<'_>],
        was_text: bool,
        out: &mut dyn Write,
    ) -> io::Result<bool> {
        let text = part.has_text().then(|| part.text(self.options.context));
        let text = text.filter(|text| !text.hunks.is_empty());
        if was_text {
            writeln!(out)?;
        }
        let is_group =
            |reported: &&ReportedChange<'_>| matches!(reported.change.detail, Detail::Nodes(_));
        let Some(text) = text else {
            self.words(changes, out)?;
            return Ok(false);
        };
        match changes.first().filter(is_group) {
            Some(_) => groups(changes, self.options, out)?,
            None => {
                writeln!(out, "  {}", cut_middle(&self.subject(part), WIDTH - 2))?;
                changes
                    .iter()
                    .try_for_each(|reported| grouped::write(*reported, self.options, out))?;
            }
        }
        self.hidden_changes(&text, changes, out)?;
        let faint = self.options.palette.faint;
        self.hunks(&text.hunks, out)?;
        if text.is_cut {
            writeln!(
                out,
                "{faint}    … the text is long, and was not compared to its end{faint:#}"
            )?;
        }
        lines::more(part.more(), "node", "    ", faint, out)?;
        Ok(true)
    }

    /// Describes changes that the text does not show: those behind its end, and values of tensors.
    fn hidden_changes(
        &self,
        text: &TextDiff,
        changes: &[ReportedChange<'_>],
        out: &mut dyn Write,
    ) -> io::Result<()> {
        let mut lines = text.hunks.iter().flat_map(|hunk| &hunk.lines);
        let is_whole = !text.is_cut && lines.all(|line| line.more == 0);
        let is_unseen = |reported: &&ReportedChange<'_>| match &reported.change.detail {
            Detail::Nodes(_) => false,
            Detail::Tensor(comparison) if comparison.elements > 1 => true,
            _ => !is_whole,
        };
        let faint = self.options.palette.faint;
        for ReportedChange { change, .. } in changes.iter().filter(is_unseen).take(WORDS) {
            let words = [change_text::subject(change), change_text::text(change)].join(": ");
            let words = cut_middle(words.trim_start_matches(": "), WIDTH - 6);
            writeln!(out, "{faint}      {words}{faint:#}")?;
        }
        Ok(())
    }

    fn words(&self, changes: &[ReportedChange<'_>], out: &mut dyn Write) -> io::Result<()> {
        match changes.first().map(|reported| Section::of(reported.change)) {
            Some(Section::Renamed) => renamed(changes, self.options, out),
            Some(Section::Removed | Section::Added) => groups(changes, self.options, out),
            _ => rows(changes, self.options, out),
        }
    }

    /// The name of a part, or its two names.
    fn subject(&self, part: &ChangedPart<'_>) -> String {
        let path = part.path();
        if path.steps().is_empty() {
            return self.diff.rhs.kind.to_string();
        }
        let rhs = change_text::short_path(path);
        let lhs = path.in_lhs().map(|path| change_text::short_path(&path));
        match lhs.filter(|lhs| *lhs != rhs) {
            Some(lhs) => format!("{lhs} → {rhs}"),
            None => rhs,
        }
    }

    fn hunks(&self, hunks: &[Hunk], out: &mut dyn Write) -> io::Result<()> {
        let faint = self.options.palette.faint;
        let mut left = LINES;
        for hunk in hunks {
            if left == 0 {
                break;
            }
            if hunk.lhs_start > 1 || hunk.rhs_start > 1 {
                let (l, r) = (hunk.lhs_start, hunk.rhs_start);
                let (l_len, r_len) = (hunk.lhs_len, hunk.rhs_len);
                writeln!(out, "{faint}  @@ -{l},{l_len} +{r},{r_len} @@{faint:#}")?;
            }
            let shown = hunk.lines.get(..left.min(hunk.lines.len())).unwrap_or_default();
            left -= shown.len();
            for (line, text) in shown.iter().zip(fitted(shown)) {
                let (sign, style) = match line.tag {
                    LineTag::Same => (' ', Style::new()),
                    LineTag::Removed => ('-', self.options.palette.removed),
                    LineTag::Added => ('+', self.options.palette.added),
                };
                writeln!(out, "{style}  {sign} {text}{style:#}")?;
            }
        }
        let all: usize = hunks.iter().map(|hunk| hunk.lines.len()).sum();
        lines::more(all.saturating_sub(LINES) as u64, "line", "    ", faint, out)
    }
}

/// The lines, cut to the width of a report. Two long lines that replace each other are cut to the part that differs.
pub(in crate::report) fn fitted(lines: &[Line]) -> Vec<String> {
    let mut fitted = Vec::with_capacity(lines.len());
    for run in lines.chunk_by(|a, b| {
        !matches!(
            (a.tag, b.tag),
            (LineTag::Same, _) | (_, LineTag::Same) | (LineTag::Added, LineTag::Removed)
        )
    }) {
        let (removed, added) =
            run.split_at(run.partition_point(|line| line.tag == LineTag::Removed));
        // If one side has more lines, the rest is compared with the last line of the other.
        let partner =
            |others: &[Line], at: usize| others.get(at).or_else(|| others.last()).cloned();
        fitted.extend(removed.iter().enumerate().map(|(at, line)| fit(line, partner(added, at))));
        fitted.extend(added.iter().enumerate().map(|(at, line)| fit(line, partner(removed, at))));
    }
    fitted
}

/// A line, cut to the width of a report.
fn fit(line: &Line, partner: Option<Line>) -> String {
    let text = printable(&line.text);
    let fits = |text: &str, more: u64| more == 0 && width_of(text) <= WIDTH - INDENT;
    let Some((other, other_more)) = partner.map(|line| (printable(&line.text), line.more)) else {
        return if fits(&text, line.more) { text } else { cut_end(&text, "…") };
    };
    if fits(&text, line.more) && fits(&other, other_more) {
        return text;
    }
    if text == other {
        let all = number::count(line.text.len() as u64 + line.more);
        return cut_end(&text, &format!("… {all} bytes, which differ further on"));
    }
    let same = text.chars().zip(other.chars()).take_while(|(a, b)| a == b).count();
    let name = text.find(": ").map_or(0, |end| end + 2);
    let name = name + usize::from(name > 0 && text.get(name..).is_some_and(|v| v.starts_with('"')));
    let name = if name > NAME { 0 } else { name };
    let start = same.saturating_sub(COMMON);
    // Names of fields are ASCII, so that each byte is a character.
    if start <= name + 1 {
        return if fits(&text, line.more) { text } else { cut_end(&text, "…") };
    }
    let shown: String = text.chars().skip(start).collect();
    let text = format!("{}…{shown}", text.get(..name).unwrap_or_default());
    if fits(&text, line.more) { text } else { cut_end(&text, "…") }
}

/// The start of `text`, followed by `end`.
fn cut_end(text: &str, end: &str) -> String {
    let room = (WIDTH - INDENT).saturating_sub(width_of(end));
    let mut used = 0;
    let start: String = text
        .chars()
        .take_while(|c| {
            used += c.width().unwrap_or(1);
            used <= room
        })
        .collect();
    format!("{start}{end}")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn line(tag: LineTag, text: &str, more: u64) -> Line {
        Line { tag, text: text.into(), more }
    }

    #[test]
    fn two_long_lines_never_look_alike() {
        let long = "x".repeat(500);
        for (lhs, rhs, more) in [
            (format!("value: \"{long}a\""), format!("value: \"{long}b\""), 0),
            (format!("value: \"{long}\""), format!("value: \"{long}{long}\""), 0),
            (format!("{long}a"), format!("{long}b{long}"), 7),
            (long.clone(), long.clone(), 7),
            (format!("a{long}"), format!("b{long}"), 0),
            (
                format!("value: \"{}a{long}", "語".repeat(99)),
                format!("value: \"{}b", "語".repeat(99)),
                0,
            ),
        ] {
            let lines = [line(LineTag::Removed, &lhs, more), line(LineTag::Added, &rhs, more)];
            let fitted = fitted(&lines);
            assert!(fitted.iter().all(|text| width_of(text) <= WIDTH - INDENT), "{fitted:?}");
            let is_said =
                fitted.iter().all(|text| text.ends_with("… 507 bytes, which differ further on"));
            assert!(fitted[0] != fitted[1] || is_said, "{fitted:?}");
        }
    }

    #[test]
    fn what_fits_is_left_as_it_is() {
        let lines = [
            line(LineTag::Same, "op: \"A\"", 0),
            line(LineTag::Removed, "input: \"a\"", 0),
            line(LineTag::Added, "input: \"b\"", 0),
            line(LineTag::Added, &"y".repeat(200), 0),
        ];
        let fitted = fitted(&lines);
        assert_eq!(fitted[..3], ["op: \"A\"", "input: \"a\"", "input: \"b\""]);
        assert_eq!(width_of(&fitted[3]), WIDTH - INDENT);
    }
}
