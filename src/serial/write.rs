//! Writes the forms of values: numbers that JSON does not have, names that are not UTF-8, paths, and values that are written as
//! their text.

use std::fmt::Display;
use std::path::Path;

use serde::ser::SerializeMap;
use serde::{Serialize, Serializer};

use crate::bytes;
use crate::error::Error;
use crate::tensor::{DType, Name, Scalar, Shape, ShownElement, shortest};

/// A float; NaN and the infinities as the strings `"NaN"`, `"Infinity"` and `"-Infinity"`.
#[derive(Clone, Copy)]
pub(crate) struct Float(pub(crate) f64);

impl Serialize for Float {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self.0 {
            value if value.is_nan() => serializer.serialize_str("NaN"),
            f64::INFINITY => serializer.serialize_str("Infinity"),
            f64::NEG_INFINITY => serializer.serialize_str("-Infinity"),
            value => serializer.serialize_f64(value),
        }
    }
}

/// An element of a tensor of this type: floats in the shortest form of the type, complex numbers as two of them.
#[derive(Clone, Copy)]
pub(crate) struct Number(pub(crate) Scalar, pub(crate) DType);

impl Serialize for Number {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let float = |value| Float(shortest(self.1, value));
        match self.0 {
            Scalar::Float(value) => float(value).serialize(serializer),
            Scalar::Integer(value) => serializer.serialize_i128(value),
            Scalar::Bool(value) => serializer.serialize_bool(value),
            Scalar::Complex(re, im) => [float(re), float(im)].serialize(serializer),
        }
    }
}

/// An element of this type; bytes as text, with `\xNN` where they are not UTF-8.
pub(crate) struct Element<'a>(pub(crate) &'a ShownElement, pub(crate) DType);

impl Serialize for Element<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self.0 {
            ShownElement::Scalar(scalar) => Number(*scalar, self.1).serialize(serializer),
            ShownElement::Bytes(bytes, len) => {
                let more = if *len > bytes.len() as u64 { "…" } else { "" };
                serializer.collect_str(&format_args!("{}{more}", Name::from(bytes)))
            }
        }
    }
}

/// Writes a float as [`Float`].
pub(crate) fn float<S: Serializer>(
    value: &(impl Copy + Into<f64>),
    serializer: S,
) -> Result<S::Ok, S::Error> {
    Float((*value).into()).serialize(serializer)
}

/// Writes a float as [`Float`], or `null`.
pub(crate) fn optional_float<S: Serializer>(
    value: &Option<f64>,
    serializer: S,
) -> Result<S::Ok, S::Error> {
    value.map(Float).serialize(serializer)
}

impl Serialize for Shape {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.dims().serialize(serializer)
    }
}

super::serialize_as_text!(Name, DType, Error);

/// A value that is written as its text.
pub(crate) struct Text<T>(pub(crate) T);

impl<T: Display> Serialize for Text<T> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(&self.0)
    }
}

/// Writes a value as its text.
pub(crate) fn text<S: Serializer>(value: &impl Display, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_str(value)
}

/// Writes a path; bytes of it that are not UTF-8 are replaced.
pub(crate) fn path<S: Serializer>(path: &Path, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_str(&path.display())
}

/// Writes a name under `key`, or `null`. A name that is not UTF-8 has `\xNN` for its other bytes, and is followed by its
/// exact bytes in base 64 under the key with `_b64` behind it.
pub(crate) fn name<M: SerializeMap>(
    map: &mut M,
    key: &str,
    name: Option<&Name>,
) -> Result<(), M::Error> {
    map.serialize_entry(key, &name)?;
    match name.filter(|name| name.as_str().is_none()) {
        Some(name) => map.serialize_entry(&format!("{key}_b64"), &base64(name.as_bytes())),
        None => Ok(()),
    }
}

/// A name as an object, under the keys of [`name`].
pub(crate) struct Named<'a>(pub(crate) &'a Name);

impl Serialize for Named<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(None)?;
        name(&mut map, "name", Some(self.0))?;
        map.end()
    }
}

/// `bytes` in base 64, with padding (RFC 4648, section 4).
///
/// ```
/// assert_eq!(ckdiff::report::json::base64(b"\xff\xfe"), "//4=");
/// ```
pub fn base64(bytes: &[u8]) -> String {
    bytes::base64::encode(bytes)
}
