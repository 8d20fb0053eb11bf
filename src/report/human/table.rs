//! Tables with aligned columns.

use std::io::{self, Write};

use anstyle::Style;

use super::terminal_text::{cut_end, cut_middle, short_name, width_of};

/// Spaces before each column.
const GAP: usize = 2;

/// The narrowest column of names; below it, names go on their own lines.
const MIN_NAME: usize = 24;

/// The indent of the other cells of a row whose name has a line of its own.
const INDENT: usize = 6;

/// The widest name that widens its column. A longer one moves only the cells of its own row.
const LONG_NAME: usize = 72;

/// The text of a cell without a value.
pub(super) const NONE: &str = "-";

/// The alignment of a column.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::report) enum Align {
    Left,
    Right,
}

/// Rows of cells, of which the first is a name. Every column is as wide as its widest cell.
#[derive(Debug)]
pub(super) struct Table {
    columns: Vec<Align>,
    header: Option<(Style, Vec<String>)>,
    rows: Vec<(Style, Vec<String>)>,
    /// Lines, each after this number of rows.
    below: Vec<(usize, String)>,
}

impl Table {
    /// An empty table with these columns after the name.
    pub(super) fn new(columns: &[Align]) -> Self {
        let columns = std::iter::once(Align::Left).chain(columns.iter().copied()).collect();
        Self { columns, header: None, rows: Vec::new(), below: Vec::new() }
    }

    /// Sets the titles of the columns.
    pub(super) fn header(&mut self, style: Style, cells: &[&str]) {
        self.header = Some((style, cells.iter().map(|&cell| cell.to_owned()).collect()));
    }

    /// Adds a row.
    pub(super) fn push(&mut self, style: Style, cells: Vec<String>) {
        self.rows.push((style, cells));
    }

    /// Adds a line below the last row, which is never cut and widens no column.
    pub(super) fn push_line(&mut self, line: String) {
        self.below.push((self.rows.len(), line));
    }

    /// The titles of the columns, with their alignment, and the cells of each row, without columns that have no value in any row.
    /// A table without a header gets these titles.
    pub(super) fn into_cells(
        mut self,
        titles: &[&str],
    ) -> (Vec<(String, Align)>, Vec<Vec<String>>) {
        if self.header.is_none() {
            self.header(Style::new(), titles);
        }
        self.drop_empty_columns();
        let titles = self.header.map(|(_, titles)| titles).unwrap_or_default();
        let columns = titles.into_iter().zip(self.columns).collect();
        (columns, self.rows.into_iter().map(|(_, cells)| cells).collect())
    }

    /// Writes the rows in the width of a terminal, if one is given. Names are never cut: a scope that all have in common is
    /// written once, in the header, and a name that is too long has a line of its own. Of the other cells, the last is cut.
    pub(super) fn write_fitted(
        mut self,
        columns: Option<usize>,
        out: &mut dyn Write,
    ) -> io::Result<()> {
        self.drop_empty_columns();
        let Some(columns) = columns.filter(|&columns| self.width() > columns) else {
            return self.write(out);
        };
        self.factor_scope();
        let (names, rest) = match self.widths().split_first() {
            Some((&name, rest)) => (name, rest.iter().map(|width| width + GAP).sum::<usize>()),
            None => return Ok(()),
        };
        let beside = columns.saturating_sub(rest + GAP);
        let name_width =
            if beside >= MIN_NAME.min(names) { beside.min(names) } else { INDENT - GAP };
        self.cut_last(columns.saturating_sub(name_width + GAP));
        let header = self.header.take();
        let rows = header.into_iter().chain(std::mem::take(&mut self.rows));
        let mut split = Vec::new();
        for (style, cells) in rows {
            match cells.split_first() {
                Some((name, rest)) if width_of(name) > name_width && !rest.is_empty() => {
                    split.push((style, vec![name.clone()]));
                    let rest = std::iter::once(String::new()).chain(rest.iter().cloned());
                    split.push((style, rest.collect()));
                }
                _ => split.push((style, cells)),
            }
        }
        self.write_lines(&split, name_width, &[], out)
    }

    /// The columns of the widest row.
    fn width(&self) -> usize {
        self.widths().iter().map(|width| width + GAP).sum()
    }

    /// Moves the scope that all names have in common to the header.
    fn factor_scope(&mut self) {
        let names = || self.rows.iter().filter_map(|(_, cells)| cells.first());
        let Some(first) = names().next().filter(|_| self.rows.len() > 1) else { return };
        let common = names().fold(first.len(), |common, name| {
            let same = first.bytes().zip(name.bytes()).take_while(|(a, b)| a == b).count();
            common.min(same)
        });
        let scope = first.get(..common).and_then(|start| start.rsplit_once('/'));
        let Some(scope) = scope.map(|(scope, _)| scope.to_owned()) else { return };
        let Some((_, header)) = &mut self.header else { return };
        if let Some(title) = header.first_mut() {
            *title = format!("{title} in {scope}/");
        }
        for (_, cells) in &mut self.rows {
            if let Some(name) = cells.first_mut() {
                *name = name.split_off(scope.len() + 1);
            }
        }
    }

    /// Cuts the cells of the last column so that those after the name fit.
    fn cut_last(&mut self, columns: usize) {
        let widths = self.widths();
        let Some((_, [others @ .., last])) = widths.split_first() else { return };
        let others: usize = others.iter().map(|width| width + GAP).sum();
        let room = columns.saturating_sub(others + GAP).max(MIN_NAME).min(*last);
        // A row may end in an earlier column, which is not cut.
        for (_, cells) in self.rows.iter_mut().filter(|(_, cells)| cells.len() == widths.len()) {
            if let [_, .., cell] = cells.as_mut_slice() {
                *cell = cut_sides(cell, room);
            }
        }
    }

    /// Writes the rows; in the width of a terminal, if one is given, with the widest cells cut.
    pub(super) fn write_squeezed(
        mut self,
        columns: Option<usize>,
        out: &mut dyn Write,
    ) -> io::Result<()> {
        self.drop_empty_columns();
        for (_, cells) in &mut self.rows {
            if let Some(name) = cells.first_mut() {
                *name = short_name(name).to_owned();
            }
        }
        if let Some(columns) = columns {
            self.squeeze(columns);
        }
        self.write(out)
    }

    /// Writes the rows, without columns that have no value in any row.
    pub(super) fn write(mut self, out: &mut dyn Write) -> io::Result<()> {
        self.drop_empty_columns();
        let above = usize::from(self.header.is_some());
        self.rows.splice(0..0, self.header.take());
        let name_width = self.widths().first().copied().unwrap_or_default().min(LONG_NAME);
        let below: Vec<_> = self.below.drain(..).map(|(rows, line)| (rows + above, line)).collect();
        let rows = std::mem::take(&mut self.rows);
        self.write_lines(&rows, name_width, &below, out)
    }

    /// Writes rows with aligned cells, and each line of `below` after so many rows.
    fn write_lines(
        &self,
        rows: &[(Style, Vec<String>)],
        name_width: usize,
        below: &[(usize, String)],
        out: &mut dyn Write,
    ) -> io::Result<()> {
        let mut below = below.iter().peekable();
        let mut widths = widths(self.columns.len(), rows.iter().map(|(_, cells)| cells));
        if let Some(name) = widths.first_mut() {
            *name = name_width;
        }
        let mut line = String::new();
        for (i, (style, cells)) in rows.iter().enumerate() {
            line.clear();
            for ((cell, &width), align) in cells.iter().zip(&widths).zip(&self.columns) {
                let padding = width.saturating_sub(width_of(cell));
                let (before, after) = match align {
                    Align::Left => (GAP, padding),
                    Align::Right => (GAP + padding, 0),
                };
                line.extend(std::iter::repeat_n(' ', before));
                line.push_str(cell);
                line.extend(std::iter::repeat_n(' ', after));
            }
            writeln!(out, "{style}{}{style:#}", line.trim_end())?;
            while let Some((_, line)) = below.next_if(|(rows, _)| *rows == i + 1) {
                writeln!(out, "{line}")?;
            }
        }
        Ok(())
    }

    fn drop_empty_columns(&mut self) {
        let has_value = |column: usize| {
            let mut cells = self.rows.iter().filter_map(|(_, cells)| cells.get(column));
            column == 0 || cells.any(|cell| !cell.is_empty() && cell != NONE)
        };
        let kept: Vec<bool> = (0..self.columns.len()).map(has_value).collect();
        fn keep<T>(kept: &[bool], cells: &mut Vec<T>) {
            let mut kept = kept.iter();
            cells.retain(|_| kept.next() == Some(&true));
        }
        keep(&kept, &mut self.columns);
        for (_, cells) in self.header.iter_mut().chain(&mut self.rows) {
            keep(&kept, cells);
        }
    }

    /// Cuts the widest columns until the table is at most `columns` wide.
    fn squeeze(&mut self, columns: usize) {
        let mut widths: Vec<_> = self.widths().iter().map(|&width| width.min(columns)).collect();
        while widths.iter().map(|width| width + GAP).sum::<usize>() > columns
            && let Some(widest) = widths.iter_mut().max().filter(|width| **width > 1)
        {
            *widest -= 1;
        }
        for (_, cells) in &mut self.rows {
            for (cell, &width) in cells.iter_mut().zip(&widths) {
                *cell = cut_middle(cell, width);
            }
        }
    }

    fn widths(&self) -> Vec<usize> {
        let rows = self.header.iter().chain(&self.rows);
        widths(self.columns.len(), rows.map(|(_, cells)| cells))
    }
}

/// `text` in at most `width` columns. Two values with an arrow between them are cut one by one, and still differ.
fn cut_sides(text: &str, width: usize) -> String {
    const ARROW: &str = " → ";
    let Some((lhs, rhs)) = text.split_once(ARROW).filter(|_| width_of(text) > width) else {
        return cut_middle(text, width);
    };
    let room = width.saturating_sub(width_of(ARROW));
    // A short side leaves its room to the other.
    let left = width_of(lhs).min((room / 2).max(room.saturating_sub(width_of(rhs))));
    let right = room.saturating_sub(left);
    let cut = [cut_middle(lhs, left), cut_middle(rhs, right)];
    if cut[0] != cut[1] {
        return cut.join(ARROW);
    }
    let same = lhs.chars().zip(rhs.chars()).take_while(|(a, b)| a == b).count();
    let from_difference = |side: &str, width: usize| {
        let rest: String = side.chars().skip(same.saturating_sub(1)).collect();
        cut_end(&format!("…{rest}"), width)
    };
    [from_difference(lhs, left), from_difference(rhs, right)].join(ARROW)
}

/// The width of each column.
fn widths<'c>(columns: usize, rows: impl Iterator<Item = &'c Vec<String>>) -> Vec<usize> {
    let mut widths = vec![0; columns];
    for cells in rows {
        for (width, cell) in widths.iter_mut().zip(cells) {
            *width = width_of(cell).max(*width);
        }
    }
    widths
}
