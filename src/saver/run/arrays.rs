//! Ops on small tensors: names of files, and shapes.

use super::session::{Session, nth};
use super::value::{Value, ints, of_strings, strings};
use crate::error::{Error, ErrorKind, Result};
use crate::graph::{Node, attrs};
use crate::tensor::{DType, Shape, Tensor};

/// Several tensors as one with one more dimension before the others.
pub(super) fn pack(
    session: &mut Session<'_, '_>,
    node: &Node<'_>,
    inputs: &[Value],
) -> Result<Value> {
    if node.attr("axis").map_or(0, attrs::int) != 0 {
        return Err(ErrorKind::Unsupported("tensors are packed along axis 0 only".into()).into());
    }
    let tensors: Vec<_> = inputs.iter().map(|value| session.read(value)).collect::<Result<_>>()?;
    let Some(first) = tensors.first() else {
        return Err(Error::unexpected("number of inputs", 0, "at least one is packed"));
    };
    session.charge(tensors.iter().map(|tensor| tensor.content().len() as u64).sum())?;
    let mut content = Vec::new();
    for tensor in &tensors {
        if (tensor.dtype(), tensor.shape()) != (first.dtype(), first.shape()) {
            let found = format!("{} {}", tensor.dtype(), tensor.shape());
            let allowed = format!("the first is {} {}", first.dtype(), first.shape());
            return Err(Error::unexpected("tensor to be packed", found, allowed));
        }
        content.extend_from_slice(tensor.content());
    }
    let dims = [tensors.len() as u64].into_iter().chain(first.shape().dims().iter().copied());
    let dims: Vec<i64> = dims.map(u64::cast_signed).collect();
    Ok(Tensor::new(first.dtype(), Shape::new(&dims)?, content)?.into())
}

/// Strings, one behind the other; a single one goes with each of several.
pub(super) fn string_join(
    session: &mut Session<'_, '_>,
    node: &Node<'_>,
    inputs: &[Value],
) -> Result<Value> {
    let separator = node.attr("separator").map(attrs::bytes).unwrap_or_default();
    let tensors: Vec<_> = inputs.iter().map(|value| session.read(value)).collect::<Result<_>>()?;
    let scalar = Shape::new(&[])?;
    let many = tensors.iter().map(|tensor| tensor.shape()).find(|shape| **shape != scalar);
    let shape = many.unwrap_or(&scalar);
    let mut lists = Vec::new();
    for tensor in &tensors {
        if *tensor.shape() != *shape && *tensor.shape() != scalar {
            return Err(Error::unexpected(
                "shape of strings",
                tensor.shape(),
                format!("others have {shape}"),
            ));
        }
        lists.push(strings(tensor, "input")?);
    }
    let count = usize::try_from(shape.elements()).unwrap_or(usize::MAX);
    let mut joined = Vec::new();
    for at in 0..count {
        let parts: Vec<&[u8]> =
            lists.iter().filter_map(|list| list.get(at).or(list.first()).copied()).collect();
        let len: usize = parts.iter().map(|part| part.len() + separator.len()).sum();
        session.charge(len as u64 + 8)?;
        joined.push(parts.join(separator));
    }
    let joined: Vec<&[u8]> = joined.iter().map(|string| &**string).collect();
    Ok(of_strings(shape.clone(), &joined)?.into())
}

/// The pattern that savers look for: a store that has no folders.
const S3: &[u8] = b"^s3://.*";

/// Which of the strings match a pattern.
pub(super) fn regex_full_match(
    session: &mut Session<'_, '_>,
    node: &Node<'_>,
    inputs: &[Value],
) -> Result<Value> {
    if node.attr("pattern").map(attrs::bytes) != Some(S3) {
        let kind = "of all patterns, only the one that savers have is looked for".to_owned();
        return Err(ErrorKind::Unsupported(kind).into());
    }
    let tensor = session.read(nth(inputs, 0)?)?;
    let matches =
        |string: &&[u8]| u8::from(string.starts_with(b"s3://") && !string.contains(&b'\n'));
    let content = strings(&tensor, "input")?.iter().map(matches).collect();
    session.made(Tensor::new(DType::Bool, tensor.shape().clone(), content)?)
}

/// One of two tensors.
pub(super) fn select(session: &Session<'_, '_>, inputs: &[Value]) -> Result<Value> {
    let condition = session.read(nth(inputs, 0)?)?;
    let (yes, no) = (session.read(nth(inputs, 1)?)?, session.read(nth(inputs, 2)?)?);
    match (condition.dtype(), condition.content()) {
        (DType::Bool, &[is]) if yes.dtype() == no.dtype() => {
            Ok(Value::Tensor(if is == 0 { no } else { yes }))
        }
        (dtype, _) => {
            let found = format!("{dtype} {}", condition.shape());
            Err(Error::unexpected(
                "condition",
                found,
                "it must be one bool, for two tensors of one dtype",
            ))
        }
    }
}

/// The dimensions of a tensor.
pub(super) fn shape(
    session: &mut Session<'_, '_>,
    node: &Node<'_>,
    inputs: &[Value],
) -> Result<Value> {
    let tensor = session.read(nth(inputs, 0)?)?;
    let dims = tensor.shape().dims();
    let codes = node.attr("out_type").map(attrs::types).unwrap_or_default();
    let (dtype, content) = if codes.first() == Some(&DType::I64.code()) {
        (DType::I64, dims.iter().flat_map(|dim| dim.to_le_bytes()).collect())
    } else {
        let short = |&dim: &u64| {
            i32::try_from(dim)
                .map_err(|_| Error::unexpected("dimension", dim, "it must fit into 32 bits"))
        };
        let short: Vec<i32> = dims.iter().map(short).collect::<Result<_>>()?;
        (DType::I32, short.into_iter().flat_map(i32::to_le_bytes).collect())
    };
    let rank = i64::try_from(dims.len()).unwrap_or(i64::MAX);
    session.made(Tensor::new(dtype, Shape::new(&[rank])?, content)?)
}

/// The same elements in another shape; one dimension may be -1.
pub(super) fn reshape(session: &mut Session<'_, '_>, inputs: &[Value]) -> Result<Value> {
    let tensor = session.read(nth(inputs, 0)?)?;
    let wanted = session.read(nth(inputs, 1)?)?;
    let mut dims = ints(&wanted, "shape")?;
    if let Some(open) = dims.iter().position(|&dim| dim == -1) {
        dims.remove(open);
        let others = Shape::new(&dims)?.elements();
        let left = tensor.shape().elements().checked_div(others).unwrap_or(0);
        dims.insert(open, left.cast_signed());
    }
    let shape = Shape::new(&dims)?;
    if shape == *tensor.shape() {
        return Ok(Value::Tensor(tensor));
    }
    if shape.elements() != tensor.shape().elements() {
        let allowed = format!("the tensor has shape {}", tensor.shape());
        return Err(Error::unexpected("shape to be given", shape, allowed));
    }
    session.charge(tensor.content().len() as u64)?;
    // A tensor has its shape with it, and others hold it.
    Ok(Tensor::new(tensor.dtype(), shape, tensor.content().to_vec())?.into())
}
