//! Values in Python's notation, with types and shapes as in reports.

use crate::overview::{ConstantValue, Range, StructuredValue, TensorSpec, TypeSpec};
use crate::tensor::{DType, Name, ShownElement};

use super::super::terminal_text::printable;
use super::super::values::element;

/// The maximum number of bytes of a value; the rest would be cut off at the end of the line.
const MAX_LEN: usize = 400;

/// The maximum number of elements of a tensor.
const ELEMENTS: usize = 6;

/// A value: `[1, 2.5, None]`, `'text'`, `float32 [?, 3]`.
pub(super) fn value(value: &StructuredValue) -> String {
    let mut text = Text::default();
    text.value(value);
    text.finish()
}

/// The type of a composite tensor: `RaggedTensorSpec([?, ?], float32, 1, int64)`.
pub(super) fn type_spec(spec: &TypeSpec) -> String {
    let mut text = Text::default();
    text.type_spec(spec);
    text.finish()
}

/// The first values of a tensor: `2.5`, `[1, 2, 3, 4, 5, 6, …]`.
pub(super) fn constant(value: &ConstantValue) -> String {
    let Some(dtype) = value.dtype else { return "?".into() };
    let shown = usize::try_from(value.elements).unwrap_or(usize::MAX).min(ELEMENTS);
    let mut texts: Vec<String> =
        value.first.iter().take(shown).map(|shown| bare(shown, dtype)).collect();
    if let Some(last) = texts.last().cloned().filter(|_| value.repeats) {
        texts.resize(shown, last);
    }
    if value.ty.shape.as_deref() == Some(&[]) {
        return texts.pop().unwrap_or_else(|| "?".into());
    }
    if value.elements > texts.len() as u64 {
        texts.push("…".into());
    }
    format!("[{}]", texts.join(", "))
}

/// The range of a tensor: `from 0 to 1`.
pub(super) fn range(range: &Range) -> String {
    format!("from {} to {}", constant(&range.minimum), constant(&range.maximum))
}

/// An element; a string is quoted as in Python.
fn bare(shown: &ShownElement, dtype: DType) -> String {
    match shown {
        ShownElement::Bytes(bytes, len) if *len == bytes.len() as u64 => {
            quoted(&Name::from(bytes).to_string())
        }
        other => element(other, dtype),
    }
}

/// A quoted string.
pub(super) fn quoted(text: &str) -> String {
    // The rest would be cut off at the end of the line.
    let end = text.char_indices().nth(MAX_LEN).map_or(text.len(), |(end, _)| end);
    let text = printable(text.get(..end).unwrap_or_default());
    format!("'{}'", text.replace('\'', "\\'"))
}

/// A text of bounded length.
#[derive(Default)]
struct Text {
    text: String,
}

impl Text {
    fn finish(mut self) -> String {
        if self.text.len() > MAX_LEN {
            let end = self.text.floor_char_boundary(MAX_LEN);
            self.text.truncate(end);
            self.text.push('…');
        }
        self.text
    }

    fn push(&mut self, text: &str) {
        self.text.push_str(text);
    }

    fn value(&mut self, value: &StructuredValue) {
        match value {
            StructuredValue::Unknown => self.push("?"),
            StructuredValue::TooDeep => self.push("…"),
            StructuredValue::None => self.push("None"),
            StructuredValue::Bool(value) => self.push(if *value { "True" } else { "False" }),
            StructuredValue::Integer(value) => self.push(&value.to_string()),
            StructuredValue::Float(value) => self.push(&float(*value)),
            StructuredValue::String(value) => self.push(&quoted(value)),
            StructuredValue::Shape(shape) => self.push(&dims(shape.as_deref())),
            StructuredValue::DType(dtype) => self.push(dtype.as_deref().unwrap_or("?")),
            StructuredValue::Tensor(spec) => self.tensor(spec),
            StructuredValue::Type(spec) => self.type_spec(spec),
            StructuredValue::List(items) => self.list("[", items, "]"),
            StructuredValue::Tuple(items) if items.len() == 1 => self.list("(", items, ",)"),
            StructuredValue::Tuple(items) => self.list("(", items, ")"),
            StructuredValue::Dict(pairs) => {
                self.each("{", pairs, "}", |text, (key, value)| {
                    text.push(&format!("{}: ", quoted(key)));
                    text.value(value);
                });
            }
            StructuredValue::NamedTuple(tuple) => {
                self.push(&printable(&tuple.name));
                self.fields(&tuple.fields);
            }
            StructuredValue::Constant(value) => self.push(&constant(value)),
        }
    }

    fn tensor(&mut self, spec: &TensorSpec) {
        self.push(&spec.ty.to_string());
        if !spec.name.is_empty() {
            self.push(&format!(" {}", quoted(&spec.name)));
        }
        if let Some(range) = &spec.range {
            self.push(&format!(" {}", self::range(range)));
        }
    }

    fn type_spec(&mut self, spec: &TypeSpec) {
        self.push(&printable(&spec.class));
        match &spec.state {
            // The state of an extension type is a tuple of names and values.
            StructuredValue::Tuple(items) if items.iter().all(is_field) => {
                self.each("(", items, ")", |text, item| {
                    if let StructuredValue::Tuple(pair) = item
                        && let [StructuredValue::String(name), value] = pair.as_slice()
                    {
                        text.push(&format!("{}=", printable(name)));
                        text.value(value);
                    }
                });
            }
            StructuredValue::Tuple(items) => self.list("(", items, ")"),
            StructuredValue::Dict(fields) => self.fields(fields),
            StructuredValue::Unknown => {}
            state => self.list("(", std::slice::from_ref(state), ")"),
        }
    }

    fn list(&mut self, open: &str, items: &[StructuredValue], close: &str) {
        self.each(open, items, close, |text, item| text.value(item));
    }

    fn fields(&mut self, fields: &[(String, StructuredValue)]) {
        self.each("(", fields, ")", |text, (name, value)| {
            text.push(&format!("{}=", printable(name)));
            text.value(value);
        });
    }

    /// Adds items separated by commas, until the text is full.
    fn each<T>(
        &mut self,
        open: &str,
        items: &[T],
        close: &str,
        mut item: impl FnMut(&mut Self, &T),
    ) {
        self.push(open);
        for (i, each) in items.iter().enumerate() {
            if self.text.len() > MAX_LEN {
                return;
            }
            self.push(if i == 0 { "" } else { ", " });
            item(self, each);
        }
        self.push(close);
    }
}

/// Whether a value is a pair of a name and a value.
fn is_field(value: &StructuredValue) -> bool {
    let StructuredValue::Tuple(pair) = value else { return false };
    matches!(pair.as_slice(), [StructuredValue::String(_), _])
}

/// A float, with a point or an exponent.
fn float(value: f64) -> String {
    if value.is_nan() { "nan".into() } else { format!("{value:?}") }
}

fn dims(shape: Option<&[Option<u64>]>) -> String {
    let ty = crate::overview::TensorType { dtype: None, shape: shape.map(<[_]>::to_vec) };
    ty.dims()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::overview::{NamedTuple, TensorType};

    #[test]
    fn values_are_written_as_python_does() {
        use StructuredValue::{
            Bool, DType, Dict, Float, Integer, List, None, Shape, String, Tuple, Unknown,
        };
        let named = NamedTuple { name: "P".into(), fields: vec![("x".into(), Integer(1))] };
        let ty = TensorType { dtype: Some("int8".into()), shape: Option::None };
        let tensor = TensorSpec { name: "t".into(), ty, range: Option::None };
        for (value, text) in [
            (None, "None"),
            (Unknown, "?"),
            (Bool(true), "True"),
            (Float(1.0), "1.0"),
            (Float(f64::NAN), "nan"),
            (Float(f64::NEG_INFINITY), "-inf"),
            (Float(1e-30), "1e-30"),
            (Integer(i64::MIN), "-9223372036854775808"),
            (String("it's\n".into()), r"'it\'s\n'"),
            (Shape(Some(vec![Option::None, Some(3)])), "[?, 3]"),
            (Shape(Option::None), "[…]"),
            (DType(Some("float32".into())), "float32"),
            (List(vec![]), "[]"),
            (Tuple(vec![]), "()"),
            (Tuple(vec![Integer(1)]), "(1,)"),
            (List(vec![Tuple(vec![Integer(1), None])]), "[(1, None)]"),
            (Dict(vec![("a".into(), Bool(false))]), "{'a': False}"),
            (StructuredValue::NamedTuple(Box::new(named)), "P(x=1)"),
            (StructuredValue::Tensor(Box::new(tensor)), "int8 […] 't'"),
        ] {
            assert_eq!(super::value(&value), text);
        }
    }

    #[test]
    fn what_is_long_or_deep_ends() {
        let long = StructuredValue::List(vec![StructuredValue::Integer(7); 1_000_000]);
        let text = value(&long);
        assert!(text.ends_with('…') && text.len() < MAX_LEN + 10, "{text}");
        let long = StructuredValue::String("語".repeat(100_000));
        assert!(value(&long).len() < MAX_LEN + 10);
    }
}
