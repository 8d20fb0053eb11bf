//! The arguments or results of a function, a row for each tensor: its path in the structure, its type, shape and name.

use crate::overview::{StructuredValue, TensorSpec, TypeSpec};

use super::super::terminal_text::{ends, padded, printable, width_of};
use super::meta_graph::dtype;
use super::{python, type_spec};

/// The widest type or shape that is aligned; a wider one moves only its own row.
const WIDEST: usize = 24;

/// The maximum number of bytes of a path, which is cut to a part of a line.
const MAX_LEN: usize = 400;

/// Rows, and the number of rows that are left out.
pub(super) struct Rows {
    rows: Vec<Row>,
    names: bool,
    most: usize,
    more: usize,
}

/// A row: the path of a value, and its text.
pub(super) struct Row {
    path: String,
    cell: Cell,
}

/// The text of a value.
enum Cell {
    /// A tensor: type, shape, and notes.
    Tensor(String, String, String),
    Text(String),
}

impl Rows {
    /// Rows of arguments, at most this many.
    pub(super) fn of_arguments(most: usize) -> Self {
        Self { rows: Vec::new(), names: true, most, more: 0 }
    }

    /// Rows of results, at most this many. The names of their tensors are not shown, since callers do not use them.
    pub(super) fn of_results(most: usize) -> Self {
        Self { names: false, ..Self::of_arguments(most) }
    }

    /// Adds a row with a text.
    pub(super) fn push_text(&mut self, path: &str, text: &str) {
        self.add(path, |_| Cell::Text(text.to_owned()));
    }

    /// Adds the rows of the value at `path`.
    pub(super) fn push(&mut self, path: &str, value: &StructuredValue) {
        match value {
            StructuredValue::Tensor(spec) => self.add(path, |names| tensor(spec, names)),
            StructuredValue::Type(spec) => self.add(path, |_| composite(spec)),
            value if !value.has_tensors() => {
                self.add(path, |_| Cell::Text(python::value(value)));
            }
            StructuredValue::List(items) => self.items(path, "list", items),
            StructuredValue::Tuple(items) => self.items(path, "tuple", items),
            StructuredValue::Dict(pairs) => {
                self.push_text(path, &format!("dict of {}", pairs.len()));
                for (key, value) in pairs {
                    self.push(&part(path, &format!("[{}]", python::quoted(key))), value);
                }
            }
            StructuredValue::NamedTuple(tuple) => {
                let name = printable(&tuple.name);
                self.push_text(path, &format!("{name}, named tuple of {}", tuple.fields.len()));
                for (name, value) in &tuple.fields {
                    self.push(&part(path, &format!(".{}", printable(name))), value);
                }
            }
            _ => {}
        }
    }

    fn items(&mut self, path: &str, what: &str, items: &[StructuredValue]) {
        self.push_text(path, &format!("{what} of {}", items.len()));
        for (i, item) in items.iter().enumerate() {
            self.push(&part(path, &format!("[{i}]")), item);
        }
    }

    fn add(&mut self, path: &str, cell: impl FnOnce(bool) -> Cell) {
        if self.rows.len() < self.most {
            self.rows.push(Row { path: path.to_owned(), cell: cell(self.names) });
        } else {
            self.more += 1;
        }
    }

    /// The rows, of which the first begins with `mark`.
    pub(super) fn finish(mut self, mark: &str) -> Vec<Row> {
        if self.more > 0 {
            let more = format!("and {} more", self.more);
            self.rows.push(Row { path: "…".into(), cell: Cell::Text(more) });
        }
        for (i, row) in self.rows.iter_mut().enumerate() {
            row.path = format!("{:>4}  {}", if i == 0 { mark } else { "" }, row.path);
        }
        self.rows
    }
}

/// The cells of rows, with types and shapes aligned.
pub(super) fn aligned(rows: &[Row]) -> Vec<Vec<String>> {
    let widest = |part: fn(&Cell) -> &str| {
        let widths = rows.iter().map(|row| width_of(part(&row.cell)));
        widths.filter(|&width| width <= WIDEST).max().unwrap_or(0)
    };
    let (dtype, dims) = (widest(Cell::dtype), widest(Cell::dims));
    let text = |cell: &Cell| match cell {
        Cell::Text(text) => text.clone(),
        Cell::Tensor(a, b, more) => {
            format!("{}  {}  {more}", padded(a, dtype), padded(b, dims)).trim_end().to_owned()
        }
    };
    rows.iter().map(|row| vec![row.path.clone(), text(&row.cell)]).collect()
}

impl Cell {
    fn dtype(&self) -> &str {
        if let Self::Tensor(dtype, ..) = self { dtype } else { "" }
    }

    fn dims(&self) -> &str {
        if let Self::Tensor(_, dims, _) = self { dims } else { "" }
    }
}

/// The path of a part of a value, abridged.
fn part(path: &str, step: &str) -> String {
    if path.len() > MAX_LEN { path.to_owned() } else { format!("{path}{}", ends(step)) }
}

fn tensor(spec: &TensorSpec, names: bool) -> Cell {
    let mut more = if names { printable(&spec.name) } else { String::new() };
    if let Some(range) = &spec.range {
        let range = python::range(range);
        more = format!("{more}  {range}").trim_start().to_owned();
    }
    Cell::Tensor(dtype(&spec.ty), spec.ty.dims(), more)
}

fn composite(spec: &TypeSpec) -> Cell {
    match type_spec::as_tensor(spec) {
        Some(cells) => Cell::Tensor(cells.dtype, cells.dims, cells.notes),
        None => Cell::Text(python::type_spec(spec)),
    }
}
