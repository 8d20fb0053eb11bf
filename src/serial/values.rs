//! Reads the values of reports that are no objects of their own: numbers, texts, names, dtypes, shapes, elements.

use super::{Json, Object, Read};
use crate::bytes::base64;
use crate::error::{Error, Result};
use crate::tensor::{DType, Facts, Kind, Name, Scalar, Shape, nearest};

impl<'r> Read<'r> for bool {
    fn read(json: Json<'r>) -> Result<Self> {
        match json.text() {
            "true" => Ok(true),
            "false" => Ok(false),
            _ => Err(json.unexpected("true or false")),
        }
    }
}

impl<'r> Read<'r> for u64 {
    fn read(json: Json<'r>) -> Result<Self> {
        json.text().parse().map_err(|_| json.unexpected("an integer that is not negative"))
    }
}

impl<'r> Read<'r> for i32 {
    fn read(json: Json<'r>) -> Result<Self> {
        json.text().parse().map_err(|_| json.unexpected("an integer"))
    }
}

/// As [`Float`](super::Float) writes it.
impl<'r> Read<'r> for f64 {
    fn read(json: Json<'r>) -> Result<Self> {
        let number = match json.text() {
            r#""NaN""# => Some(Self::NAN),
            r#""Infinity""# => Some(Self::INFINITY),
            r#""-Infinity""# => Some(Self::NEG_INFINITY),
            // JSON has no other texts that are numbers: those of strings start with a quote.
            text => text.parse().ok().filter(|number: &Self| number.is_finite()),
        };
        number.ok_or_else(|| json.unexpected("a number"))
    }
}

impl<'r> Read<'r> for String {
    fn read(json: Json<'r>) -> Result<Self> {
        json.string().map(std::borrow::Cow::into_owned)
    }
}

/// An error by its text.
impl<'r> Read<'r> for Error {
    fn read(json: Json<'r>) -> Result<Self> {
        json.string().map(Self::not_found)
    }
}

impl<'r> Read<'r> for DType {
    fn read(json: Json<'r>) -> Result<Self> {
        let text = json.string()?;
        let found = Self::ALL.iter().copied().find(|dtype| dtype.name() == text);
        found.ok_or_else(|| json.unexpected("the name of a dtype"))
    }
}

impl<'r> Read<'r> for Shape {
    fn read(json: Json<'r>) -> Result<Self> {
        let mut dims = Vec::new();
        json.each(|item| {
            let dim = i64::try_from(u64::read(item)?).ok();
            dims.push(dim.ok_or_else(|| item.unexpected("an integer below 2^63"))?);
            Ok(())
        })?;
        Self::new(&dims).map_err(|_| json.unexpected("a shape of at most 2^63 - 1 elements"))
    }
}

impl<'r> Read<'r> for Facts {
    fn read(json: Json<'r>) -> Result<Self> {
        let object = Object::read(json)?;
        Ok(Self { dtype: object.get("dtype")?, shape: object.get("shape")? })
    }
}

impl<'r> Object<'r> {
    /// A name, as [`name`](super::name) writes it: the exact bytes count, where they are given.
    ///
    /// # Errors
    /// If the key is missing, or has another value.
    pub(crate) fn name(&self, key: &str) -> Result<Option<Name>> {
        let text = self.with(key, |json| json.optional(Json::string))?;
        let exact_key = format!("{key}_b64");
        let exact = self.optional_with(&exact_key, |json| {
            let text = json.string()?;
            let decoded = base64::decode(text.as_bytes());
            decoded.map_err(|found| json.error(format!("expected base64, found {found}")))
        })?;
        let text = text.as_deref().map(Name::from);
        Ok(exact.map(|bytes| Name::from(&bytes)).filter(|_| text.is_some()).or(text))
    }

    /// A name that must be there.
    ///
    /// # Errors
    /// If it is not, or is no name.
    pub(crate) fn some_name(&self, key: &str) -> Result<Name> {
        let missing = || self.with(key, |json| Err(json.unexpected("a string")));
        self.name(key)?.map_or_else(missing, Ok)
    }
}

/// An element of this type, as [`Number`](super::Number) writes it.
///
/// # Errors
/// If it is something else.
pub(crate) fn number(json: Json<'_>, dtype: DType) -> Result<Scalar> {
    let float = |json| f64::read(json).map(|value| nearest(dtype, value));
    match dtype.kind() {
        Kind::Float => float(json).map(Scalar::Float),
        Kind::Integer => {
            let range = i128::from(i64::MIN)..=i128::from(u64::MAX);
            let value = json.text().parse().ok().filter(|value| range.contains(value));
            value.map(Scalar::Integer).ok_or_else(|| json.unexpected("an integer of 64 bits"))
        }
        Kind::Bool => bool::read(json).map(Scalar::Bool),
        Kind::Complex => complex(json, float),
        Kind::Bytes => Err(json.unexpected("no number, since elements have no fixed size")),
    }
}

/// A complex number: its two parts.
fn complex<'r>(json: Json<'r>, part: impl Fn(Json<'r>) -> Result<f64>) -> Result<Scalar> {
    let mut parts = [0.0; 2];
    let (mut read, mut slots) = (0, parts.iter_mut());
    json.each(|item| {
        if let Some(slot) = slots.next() {
            *slot = part(item)?;
        }
        read += 1;
        Ok(())
    })?;
    match (parts, read) {
        ([re, im], 2) => Ok(Scalar::Complex(re, im)),
        _ => Err(json.unexpected("[real, imaginary]")),
    }
}

/// A number, or a complex number: a mean.
impl<'r> Read<'r> for Scalar {
    fn read(json: Json<'r>) -> Result<Self> {
        match json.text().starts_with('[') {
            true => complex(json, f64::read),
            false => f64::read(json).map(Self::Float),
        }
    }
}
