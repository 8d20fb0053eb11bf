//! A pair of elements that is not close, and its form in JSON.

use std::fmt;

use serde::{Serialize, Serializer};

use crate::error::Result;
use crate::serial::{self, Json, Object, Read, object};
use crate::tensor::{DType, Kind, Name, Scalar};

use super::operands::Operands;

/// Replaces the bytes that an excerpt leaves out.
const ELLIPSIS: char = '…';

/// A pair of elements that is not close.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct Mismatch {
    /// Position in row-major order.
    pub position: u64,
    /// The element of the baseline.
    pub lhs: ElementValue,
    /// The element of the other side.
    pub rhs: ElementValue,
}

/// The value of an element, or a part of a long one.
#[derive(Debug, Clone, PartialEq)]
pub enum ElementValue {
    /// A number or truth value.
    Scalar(Scalar),
    /// Bytes of an element of variable length, around the first byte that differs.
    Excerpt {
        /// The offset of the first of these bytes in the element.
        start: u64,
        /// The bytes.
        bytes: Vec<u8>,
        /// The length of the element.
        len: u64,
    },
}

impl Mismatch {
    /// The pair of two numbers at a position.
    pub(super) fn of_scalars(position: u64, (lhs, rhs): (Scalar, Scalar)) -> Self {
        let [lhs, rhs] = [lhs, rhs].map(ElementValue::Scalar);
        Self { position, lhs, rhs }
    }

    /// The pair in JSON, with its index in tensors of this shape.
    pub(crate) fn json(&self, operands: &Operands<'_>) -> impl Serialize {
        object! {
            index: operands.shape.unravel(self.position),
            lhs: JsonValue(self.lhs.clone(), operands.lhs),
            rhs: JsonValue(self.rhs.clone(), operands.rhs),
        }
    }
}

impl Mismatch {
    /// Reads a pair of two tensors.
    ///
    /// # Errors
    /// If it is something else, or the tensors have no such element.
    pub(crate) fn read(json: Json<'_>, operands: &Operands<'_>) -> Result<Self> {
        let object = Object::read(json)?;
        let value = |key, dtype| object.with(key, |json| ElementValue::read(json, dtype));
        Ok(Self {
            position: object.with("index", |json| operands.position_of(json))?,
            lhs: value("lhs", operands.lhs)?,
            rhs: value("rhs", operands.rhs)?,
        })
    }
}

impl ElementValue {
    /// Reads an element of this type. Of an excerpt, a report has neither the place nor the length of the element, but whether
    /// something is left out before and after it.
    fn read(json: Json<'_>, dtype: DType) -> Result<Self> {
        if dtype.kind() != Kind::Bytes {
            return serial::number(json, dtype).map(Self::Scalar);
        }
        let text = json.string()?;
        let inside = text.strip_prefix(ELLIPSIS).unwrap_or(&text);
        let inside = inside.strip_suffix(ELLIPSIS).unwrap_or(inside);
        let start = u64::from(text.starts_with(ELLIPSIS));
        let end = start + inside.len() as u64;
        let is_cut = text.len() > inside.len() + if start > 0 { ELLIPSIS.len_utf8() } else { 0 };
        Ok(Self::Excerpt { start, bytes: inside.as_bytes().to_vec(), len: end + u64::from(is_cut) })
    }
}

/// The value of an element of this type in JSON; an ellipsis stands for the bytes that an excerpt leaves out.
struct JsonValue(ElementValue, DType);

impl Serialize for JsonValue {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match &self.0 {
            ElementValue::Scalar(scalar) => serial::Number(*scalar, self.1).serialize(serializer),
            excerpt => serializer.collect_str(excerpt),
        }
    }
}

/// The text of an excerpt, with an ellipsis for the bytes that it leaves out. A number is written as it is in memory.
impl fmt::Display for ElementValue {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Scalar(scalar) => write!(f, "{scalar:?}"),
            Self::Excerpt { start, bytes, len } => {
                let before = if *start > 0 { "…" } else { "" };
                let after = if start + (bytes.len() as u64) < *len { "…" } else { "" };
                write!(f, "{before}{}{after}", Name::from(bytes))
            }
        }
    }
}
