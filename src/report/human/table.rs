//! Tables with aligned columns.

use std::io::{self, Write};

use anstyle::Style;

use super::WIDTH;
use super::terminal_text::{cut_middle, cut_name, padded, width_of};

/// Spaces before each column.
const GAP: usize = 2;

/// Columns that a name keeps, however wide the other cells are.
const MIN_NAME: usize = 24;

/// The widest name that widens its column. A longer one moves only the cells of its own row.
const LONG_NAME: usize = 72;

/// The text of a cell without a value.
pub(super) const NONE: &str = "-";

/// The alignment of a column.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Align {
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
    least_name: usize,
}

impl Table {
    /// An empty table with these columns after the name.
    pub(super) fn new(columns: &[Align]) -> Self {
        let columns = std::iter::once(Align::Left).chain(columns.iter().copied()).collect();
        Self { columns, header: None, rows: Vec::new(), below: Vec::new(), least_name: MIN_NAME }
    }

    /// Keeps this many columns of names, for tables whose names matter more than the other cells.
    pub(super) fn keeping_names(self, columns: usize) -> Self {
        Self { least_name: columns, ..self }
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

    /// Writes the rows in at most [`WIDTH`] columns: names are cut first, then the last column.
    pub(super) fn write_fitted(mut self, out: &mut dyn Write) -> io::Result<()> {
        self.drop_empty_columns();
        self.fit();
        self.write(out)
    }

    /// Like [`write_fitted`](Self::write_fitted), but cuts the widest of the other columns too, if necessary.
    pub(super) fn write_squeezed(mut self, out: &mut dyn Write) -> io::Result<()> {
        self.drop_empty_columns();
        self.fit();
        self.squeeze();
        self.write(out)
    }

    /// Writes the rows, without columns that have no value in any row.
    pub(super) fn write(mut self, out: &mut dyn Write) -> io::Result<()> {
        self.drop_empty_columns();
        let above = usize::from(self.header.is_some());
        self.rows.splice(0..0, self.header.take());
        let mut below = self.below.iter().peekable();
        let mut widths = self.widths();
        if let Some(name) = widths.first_mut() {
            *name = LONG_NAME.min(*name);
        }
        for (i, (style, cells)) in self.rows.iter().enumerate() {
            let mut line = String::new();
            for ((cell, &width), align) in cells.iter().zip(&widths).zip(&self.columns) {
                line += &" ".repeat(GAP);
                match align {
                    Align::Left => line += &padded(cell, width),
                    Align::Right => {
                        line += &" ".repeat(width.saturating_sub(width_of(cell)));
                        line += cell;
                    }
                }
            }
            writeln!(out, "{style}{}{style:#}", line.trim_end())?;
            while let Some((_, line)) = below.next_if(|(rows, _)| rows + above == i + 1) {
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

    fn fit(&mut self) {
        let widths = self.widths();
        let total: usize = widths.iter().map(|width| width + GAP).sum();
        let (Some(&name), Some(&last)) = (widths.first(), widths.last()) else {
            return;
        };
        let over = total.saturating_sub(WIDTH);
        let name_width = name.saturating_sub(over).max(self.least_name.min(name));
        let last_width = last.saturating_sub(over - (name - name_width));
        for (_, cells) in &mut self.rows {
            let is_whole = cells.len() == widths.len();
            if let Some(cell) = cells.first_mut() {
                *cell = cut_name(cell, name_width);
            }
            // A row may end in an earlier column, which is not cut.
            if let [_, .., cell] = cells.as_mut_slice()
                && is_whole
            {
                *cell = cut_middle(cell, last_width);
            }
        }
    }

    /// Cuts the widest columns until all fit.
    fn squeeze(&mut self) {
        let mut widths: Vec<usize> = self.widths().iter().map(|&width| width.min(WIDTH)).collect();
        while widths.iter().map(|width| width + GAP).sum::<usize>() > WIDTH
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
        let mut widths = vec![0; self.columns.len()];
        for (_, cells) in self.header.iter().chain(&self.rows) {
            for (width, cell) in widths.iter_mut().zip(cells) {
                *width = width_of(cell).max(*width);
            }
        }
        widths
    }
}
