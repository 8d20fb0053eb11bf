//! What a function takes or gives, a row for each tensor: where it is in the structure, its type, shape and name.

use crate::report::{StructuredValue, TensorSpec, TypeSpec};

use super::super::text::{padded, printable, width_of};
use super::callables::way;
use super::meta_graph::dtype;
use super::python;

/// Columns that types and shapes are lined up in; a longer one moves only its own row.
const WIDEST: usize = 24;

/// Bytes of a path that are kept; it is cut to a part of a line.
const LONGEST: usize = 400;

/// Rows, and how many are left out.
pub(super) struct Rows {
    rows: Vec<(String, Cell)>,
    most: usize,
    more: usize,
}

/// What stands beside a name.
enum Cell {
    /// A tensor: type, shape, and more of it.
    Tensor(String, String, String),
    Text(String),
}

impl Rows {
    /// No rows yet, and so many at most.
    pub(super) fn new(most: usize) -> Self {
        Self { rows: Vec::new(), most, more: 0 }
    }

    /// A row with a text.
    pub(super) fn push_text(&mut self, path: &str, text: &str) {
        self.add(path, || Cell::Text(text.to_owned()));
    }

    /// The rows of a value, whose parts go by `path`.
    pub(super) fn push(&mut self, path: &str, value: &StructuredValue) {
        match value {
            StructuredValue::Tensor(spec) => self.add(path, || tensor(spec)),
            StructuredValue::Type(spec) => self.add(path, || type_spec(spec)),
            value if !value.has_tensors() => {
                self.add(path, || Cell::Text(python::spelled(value)));
            }
            StructuredValue::List(items) => self.items(path, "list", items),
            StructuredValue::Tuple(items) => self.items(path, "tuple", items),
            StructuredValue::Dict(pairs) => {
                self.push_text(path, &format!("dict of {}", pairs.len()));
                for (key, value) in pairs {
                    self.push(&part(path, &format!("['{}']", printable(key))), value);
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

    fn add(&mut self, path: &str, cell: impl FnOnce() -> Cell) {
        if self.rows.len() < self.most {
            self.rows.push((path.to_owned(), cell()));
        } else {
            self.more += 1;
        }
    }

    /// The cells of the rows, the first of which begins with `mark`.
    pub(super) fn finish(self, mark: &str) -> Vec<Vec<String>> {
        let widest = |part: fn(&Cell) -> &str| {
            let widths = self.rows.iter().map(|(_, cell)| width_of(part(cell)));
            widths.filter(|&width| width <= WIDEST).max().unwrap_or(0)
        };
        let (dtype, dims) = (widest(Cell::dtype), widest(Cell::dims));
        let text = |cell: &Cell| match cell {
            Cell::Text(text) => text.clone(),
            Cell::Tensor(a, b, more) => {
                format!("{}  {}  {more}", padded(a, dtype), padded(b, dims)).trim_end().to_owned()
            }
        };
        let mut cells: Vec<Vec<String>> = Vec::new();
        for (path, cell) in &self.rows {
            let mark = if cells.is_empty() { mark } else { "" };
            cells.push(vec![way(mark, path), text(cell)]);
        }
        if self.more > 0 {
            cells.push(vec![way("", "…"), format!("and {} more", self.more)]);
        }
        cells
    }
}

impl Cell {
    fn dtype(&self) -> &str {
        if let Self::Tensor(dtype, ..) = self { dtype } else { "" }
    }

    fn dims(&self) -> &str {
        if let Self::Tensor(_, dims, _) = self { dims } else { "" }
    }
}

/// The path of a part, as far as it is shown.
fn part(path: &str, step: &str) -> String {
    if path.len() > LONGEST { path.to_owned() } else { format!("{path}{step}") }
}

fn tensor(spec: &TensorSpec) -> Cell {
    let mut more = printable(&spec.name);
    if let Some([least, greatest]) = &spec.range {
        let range = format!("from {} to {}", python::constant(least), python::constant(greatest));
        more = format!("{more}  {range}").trim_start().to_owned();
    }
    Cell::Tensor(dtype(&spec.ty), spec.ty.dims(), more)
}

/// What is told of a type: those that are a tensor of a sort stand among tensors.
fn type_spec(spec: &TypeSpec) -> Cell {
    use StructuredValue::{Bool, DType, Integer, Shape};
    let StructuredValue::Tuple(state) = &spec.state else {
        return Cell::Text(python::type_spec(spec));
    };
    let [Shape(_), DType(_), rest @ ..] = state.as_slice() else {
        return Cell::Text(python::type_spec(spec));
    };
    let more = match (&*spec.class, rest) {
        ("SparseTensorSpec", []) => "sparse".into(),
        ("RaggedTensorSpec", [Integer(rank), DType(Some(splits))]) => {
            format!("ragged, rank {rank}, row splits {splits}")
        }
        ("VariableSpec", [Bool(trainable), ..]) => {
            format!("variable{}", if *trainable { ", trainable" } else { "" })
        }
        _ => python::type_spec(spec),
    };
    let [shape, dtype] = [state.first(), state.get(1)].map(|part| part.map(python::spelled));
    Cell::Tensor(dtype.unwrap_or_default(), shape.unwrap_or_default(), more)
}
