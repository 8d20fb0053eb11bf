//! The tensors of a report.

use std::path::Path;

use crate::compare::{
    Comparison, Mismatch, MismatchMap, NonFiniteCounts, Operands, Sides, Tolerance,
};
use crate::diff::{Status, TensorDiff};
use crate::error::{Error, Result};
use crate::serial::{Json, Object, Read};
use crate::tensor::{Facts, Name};

/// Reads every tensor.
///
/// # Errors
/// If one is malformed, or they have more elements than can be counted.
pub(super) fn read_all(json: Json<'_>) -> Result<Vec<TensorDiff>> {
    let (mut tensors, mut elements) = (Vec::new(), 0i64);
    json.each(|item| {
        let tensor = TensorDiff::read(item)?;
        let compared = tensor.comparison.as_deref().map_or(0, |comparison| comparison.elements);
        // Counts of elements are added up in reports.
        let sum = i64::try_from(compared).ok().and_then(|compared| elements.checked_add(compared));
        elements = sum.ok_or_else(|| item.error("more than 2^63 - 1 elements were compared"))?;
        tensors.push(tensor);
        Ok(())
    })?;
    Ok(tensors)
}

impl<'r> Read<'r> for TensorDiff {
    fn read(json: Json<'r>) -> Result<Self> {
        let object = Object::read(json)?;
        let (lhs, rhs): (Option<Facts>, Option<Facts>) = (object.get("lhs")?, object.get("rhs")?);
        let operands = lhs.as_ref().zip(rhs.as_ref());
        let operands = operands.map(|(lhs, rhs)| Operands::new(&lhs.shape, lhs.dtype, rhs.dtype));
        let comparison = Comparison::read(&object, operands.as_ref())?;
        let mismatches = mismatches(&object, operands.as_ref())?;
        let mismatch_map = object.with("mismatch_map", |json| {
            json.optional(|json| match &operands {
                Some(operands) => MismatchMap::read(json, operands).map(Box::new),
                None => Err(json.unexpected("null, since a side is missing")),
            })
        })?;
        let tolerance: Option<Tolerance> = object.get("tolerance")?;
        let name = object.some_name("name")?;
        let error: Option<String> = object.get("error")?;
        let tensor = Self {
            renamed_from: object.name("renamed_from")?,
            full_name: object.name("full_name")?,
            status: object.get("status")?,
            role: object.get("role")?,
            tolerance: tolerance.unwrap_or(Tolerance::BITS),
            comparison,
            mismatches,
            mismatch_map,
            non_finite: object.optional_with("non_finite", non_finite)?,
            error: error.map(|text| error_of(&text, &name)),
            lhs,
            rhs,
            name,
        };
        match why_inconsistent(&tensor) {
            Some(why) => Err(json.error(why)),
            None => Ok(tensor),
        }
    }
}

/// The error of a tensor with this text, which usually has the name of the tensor behind its place: `m.index: byte 32: tensor b: …`.
fn error_of(text: &str, name: &Name) -> Error {
    let marker = format!("tensor {}: ", name.printable());
    let Some((place, reason)) = text.split_once(&marker) else { return Error::not_found(text) };
    let error = Error::not_found(reason).of_tensor(name);
    match place.strip_suffix(": ") {
        None if place.is_empty() => error,
        // The name is a part of something else.
        None => Error::not_found(text),
        Some(place) => {
            let offset = place.rsplit_once(": byte ");
            let offset = offset.and_then(|(file, digits)| Some((file, digits.parse().ok()?)));
            match offset {
                Some((file, offset)) => error.in_file(Path::new(file)).at(offset),
                None => error.in_file(Path::new(place)),
            }
        }
    }
}

/// The listed mismatches; none for `null`.
fn mismatches(object: &Object<'_>, operands: Option<&Operands<'_>>) -> Result<Vec<Mismatch>> {
    let mut mismatches = Vec::new();
    object.with("mismatches", |json| {
        json.optional(|json| {
            let Some(operands) = operands else {
                return Err(json.unexpected("null, since a side is missing"));
            };
            json.each(|item| {
                mismatches.push(Mismatch::read(item, operands)?);
                Ok(())
            })
        })
    })?;
    Ok(mismatches)
}

/// The NaN and infinities of each side.
fn non_finite(json: Json<'_>) -> Result<Box<Sides<NonFiniteCounts>>> {
    let object = Object::read(json)?;
    Ok(Box::new(Sides { lhs: object.get("lhs")?, rhs: object.get("rhs")? }))
}

/// Whether each side has at least the elements that are counted.
fn counts_fit(tensor: &TensorDiff) -> bool {
    let fits = |facts: Option<&Facts>, counts: NonFiniteCounts| {
        let elements = facts.map_or(0, |facts| facts.shape.elements());
        let has_any = facts.is_some_and(|facts| NonFiniteCounts::has_any(facts.dtype));
        let most = if has_any { elements } else { 0 };
        counts.nan.checked_add(counts.inf).is_some_and(|sum| sum <= most)
    };
    tensor.non_finite.as_ref().is_none_or(|counts| {
        // What seems renamed has the counts of lhs under another name.
        let lhs = tensor.lhs.as_ref().or(tensor.rhs.as_ref());
        fits(lhs, counts.lhs) && fits(tensor.rhs.as_ref(), counts.rhs)
    })
}

/// Why the parts of a tensor contradict each other in a way that would matter when it is judged.
fn why_inconsistent(tensor: &TensorDiff) -> Option<String> {
    let (lhs, rhs) = (tensor.lhs.as_ref(), tensor.rhs.as_ref());
    let fits = match tensor.status {
        Status::Error => tensor.error.is_some(),
        Status::Added => lhs.is_none() && rhs.is_some(),
        Status::Removed => lhs.is_some() && rhs.is_none(),
        Status::Shape => lhs.zip(rhs).is_some_and(|(lhs, rhs)| lhs.shape != rhs.shape),
        Status::Dtype => {
            lhs.zip(rhs).is_some_and(|(lhs, rhs)| lhs.shape == rhs.shape && lhs.dtype != rhs.dtype)
        }
        // What is the same on both sides may not be known.
        Status::Identical | Status::Uncompared | Status::Close | Status::Different => {
            lhs.zip(rhs).is_none_or(|both| both.0 == both.1)
        }
    };
    if !counts_fit(tensor) {
        return Some("non_finite counts more elements than there are".to_owned());
    }
    let has_error = tensor.error.is_some() == (tensor.status == Status::Error);
    let status = tensor.status.name();
    (!fits || !has_error).then(|| format!("the status {status:?} contradicts lhs, rhs or error"))
}
