//! What changed, as text: under a line for each place, what differs there, in text format.

use std::collections::BTreeMap;
use std::io::{self, Write};

use anstyle::Style;
use unicode_width::UnicodeWidthChar;

use crate::diff::{Change, Detail, Diff, Hunk, Line, Place, Tag, Text, TextView};

use super::changes::{Section, cosmetic, counted, findings, groups, renamed, rows};
use super::text::{cut_middle, plural, printable, width_of};
use super::{View, WIDTH, change_text, number};

/// Columns before the text of a line.
const INDENT: usize = 4;

/// Lines that are told of one place.
const LINES: usize = 100;

/// Changes that are told in words beside a text that does not show all.
const WORDS: usize = 4;

/// Columns that the name of a field may take before a value that is shown from its middle on, and columns of that value that
/// both sides have.
const NAME: usize = 40;
const COMMON: usize = 16;

/// Writes the places of the changes, in the order of the changes of a report.
pub(super) fn write(
    diff: &Diff,
    texts: &TextView<'_>,
    context: usize,
    view: &View,
    out: &mut dyn Write,
) -> io::Result<()> {
    let mut sections = BTreeMap::<Section, Vec<(&Place<'_>, Vec<&Change>)>>::new();
    for place in texts.places() {
        let mut changes: Vec<_> =
            place.changes().iter().filter_map(|&at| diff.changes.get(at)).collect();
        changes.sort_by_cached_key(|change| change_text::order(change));
        let Some(first) = changes.first() else { continue };
        sections.entry(Section::of(first)).or_default().push((place, changes));
    }
    let (mut left, total) = (view.max_diffs, texts.places().len());
    for (section, mut places) in sections {
        places.sort_by_cached_key(|(_, changes)| changes.first().map(|c| change_text::order(c)));
        let shown = places.get(..left.min(places.len())).unwrap_or_default();
        if shown.is_empty() {
            break;
        }
        left -= shown.len();
        let all: Vec<&Change> =
            places.iter().flat_map(|(_, changes)| changes.iter().copied()).collect();
        let style = view.palette.heading;
        writeln!(out, "\n{style}{} ({}){style:#}", section.title(), counted(section, &all))?;
        let told = Told { diff, context, view };
        let mut was_text = false;
        for (place, changes) in shown {
            was_text = told.place(place, changes, was_text, out)?;
        }
    }
    let hidden = total.saturating_sub(view.max_diffs);
    if hidden > 0 {
        let style = view.palette.faint;
        let more = plural(hidden as u64, "more place");
        writeln!(out, "\n{style}… and {more}: -n {total} shows all{style:#}")?;
    }
    findings(diff, view, out)?;
    cosmetic(diff, view, out)
}

/// How places are told.
struct Told<'a> {
    diff: &'a Diff,
    context: usize,
    view: &'a View,
}

impl Told<'_> {
    /// Writes a place, behind an empty line where the one before has a text; whether this one has.
    fn place(
        &self,
        place: &Place<'_>,
        changes: &[&Change],
        was_text: bool,
        out: &mut dyn Write,
    ) -> io::Result<bool> {
        let text = place.has_text().then(|| place.text(self.context));
        let text = text.filter(|text| !text.hunks.is_empty());
        if was_text {
            writeln!(out)?;
        }
        let is_group = |change: &&&Change| matches!(change.detail, Detail::Nodes(_));
        let Some(text) = text else {
            self.words(changes, out)?;
            return Ok(false);
        };
        match changes.first().filter(is_group) {
            Some(_) => groups(changes, self.view, out)?,
            None => writeln!(out, "  {}", cut_middle(&self.subject(place), WIDTH - 2))?,
        }
        self.unseen(&text, changes, out)?;
        let faint = self.view.palette.faint;
        self.hunks(&text.hunks, out)?;
        if text.is_cut {
            writeln!(
                out,
                "{faint}    … the text is long, and was not compared to its end{faint:#}"
            )?;
        }
        if place.more() > 0 {
            let more = plural(place.more(), "more node");
            writeln!(out, "{faint}    … and {more}{faint:#}")?;
        }
        Ok(true)
    }

    /// Tells in words what the text may not show, or not to a reader: what is behind its end, and values of tensors.
    fn unseen(&self, text: &Text, changes: &[&Change], out: &mut dyn Write) -> io::Result<()> {
        let mut lines = text.hunks.iter().flat_map(|hunk| &hunk.lines);
        let is_whole = !text.is_cut && lines.all(|line| line.more == 0);
        let is_unseen = |change: &&&Change| match &change.detail {
            Detail::Nodes(_) => false,
            Detail::Tensor(comparison) if comparison.elements > 1 => true,
            _ => !is_whole,
        };
        let faint = self.view.palette.faint;
        for change in changes.iter().filter(is_unseen).take(WORDS) {
            let words = [change_text::subject(change), change_text::text(change)].join(": ");
            let words = cut_middle(words.trim_start_matches(": "), WIDTH - 6);
            writeln!(out, "{faint}      {words}{faint:#}")?;
        }
        Ok(())
    }

    fn words(&self, changes: &[&Change], out: &mut dyn Write) -> io::Result<()> {
        match changes.first().map(|change| Section::of(change)) {
            Some(Section::Renamed) => renamed(changes).write_fitted(out),
            Some(Section::Removed | Section::Added) => groups(changes, self.view, out),
            _ => rows(changes, self.view, out),
        }
    }

    /// A place by its name, or by its two names.
    fn subject(&self, place: &Place<'_>) -> String {
        let path = place.path();
        if path.steps().is_empty() {
            return self.diff.rhs.kind.to_owned();
        }
        let rhs = change_text::place(path);
        let lhs = path.in_lhs().map(|path| change_text::place(&path));
        match lhs.filter(|lhs| *lhs != rhs) {
            Some(lhs) => format!("{lhs} → {rhs}"),
            None => rhs,
        }
    }

    fn hunks(&self, hunks: &[Hunk], out: &mut dyn Write) -> io::Result<()> {
        let faint = self.view.palette.faint;
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
                    Tag::Same => (' ', Style::new()),
                    Tag::Removed => ('-', self.view.palette.removed),
                    Tag::Added => ('+', self.view.palette.added),
                };
                writeln!(out, "{style}  {sign} {text}{style:#}")?;
            }
        }
        let more = hunks.iter().map(|hunk| hunk.lines.len()).sum::<usize>().saturating_sub(LINES);
        if more > 0 {
            writeln!(out, "{faint}    … and {}{faint:#}", plural(more as u64, "more line"))?;
        }
        Ok(())
    }
}

/// The lines as they fit: of two long ones of which one takes the place of the other, the part that differs.
fn fitted(lines: &[Line]) -> Vec<String> {
    let mut fitted = Vec::with_capacity(lines.len());
    for run in lines.chunk_by(|a, b| {
        !matches!((a.tag, b.tag), (Tag::Same, _) | (_, Tag::Same) | (Tag::Added, Tag::Removed))
    }) {
        let (removed, added) = run.split_at(run.partition_point(|line| line.tag == Tag::Removed));
        // Of more on one side, all that are left are held against the last.
        let partner =
            |others: &[Line], at: usize| others.get(at).or_else(|| others.last()).cloned();
        fitted.extend(removed.iter().enumerate().map(|(at, line)| fit(line, partner(added, at))));
        fitted.extend(added.iter().enumerate().map(|(at, line)| fit(line, partner(removed, at))));
    }
    fitted
}

/// A line in as many columns as there are.
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
    // Names are ASCII, so that their bytes are characters.
    if start <= name + 1 {
        return if fits(&text, line.more) { text } else { cut_end(&text, "…") };
    }
    let shown: String = text.chars().skip(start).collect();
    let text = format!("{}…{shown}", text.get(..name).unwrap_or_default());
    if fits(&text, line.more) { text } else { cut_end(&text, "…") }
}

/// The start of `text`, and `end` behind it.
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

    fn line(tag: Tag, text: &str, more: u64) -> Line {
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
            let lines = [line(Tag::Removed, &lhs, more), line(Tag::Added, &rhs, more)];
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
            line(Tag::Same, "op: \"A\"", 0),
            line(Tag::Removed, "input: \"a\"", 0),
            line(Tag::Added, "input: \"b\"", 0),
            line(Tag::Added, &"y".repeat(200), 0),
        ];
        let fitted = fitted(&lines);
        assert_eq!(fitted[..3], ["op: \"A\"", "input: \"a\"", "input: \"b\""]);
        assert_eq!(width_of(&fitted[3]), WIDTH - INDENT);
    }
}
