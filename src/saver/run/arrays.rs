//! Ops on small tensors, which savers use for file names and shapes.

use super::operation::Operation;
use super::value::{Value, ints, strings};
use crate::error::{Error, Result};
use crate::graph::attrs;
use crate::tensor::{DType, Shape, Tensor};

/// Packs tensors of one shape into one, with a new first dimension.
pub(super) fn pack(op: &mut Operation<'_, '_, '_>) -> Result<Value> {
    match op.node.attr("axis").map_or(0, attrs::int) {
        0 => {}
        axis => return Err(Error::unexpected("axis", axis, 0)),
    }
    let tensors = op.tensors(0)?;
    let Some(first) = tensors.first() else {
        return Err(Error::unexpected("number of inputs", 0, "at least 1"));
    };
    op.session.charge(tensors.iter().map(|tensor| tensor.content().len() as u64).sum())?;
    let mut content = Vec::new();
    for tensor in &tensors {
        if (tensor.dtype(), tensor.shape()) != (first.dtype(), first.shape()) {
            let found = format!("{} {}", tensor.dtype(), tensor.shape());
            let expected = format!("{} {}, as the first input", first.dtype(), first.shape());
            return Err(Error::unexpected("tensor to be packed", found, expected));
        }
        content.extend_from_slice(tensor.content());
    }
    let dims = [tensors.len() as u64].into_iter().chain(first.shape().dims().iter().copied());
    let dims: Vec<i64> = dims.map(u64::cast_signed).collect();
    Ok(Tensor::new(first.dtype(), Shape::new(&dims)?, content)?.into())
}

/// Joins strings element by element; scalars are joined with every element.
pub(super) fn string_join(op: &mut Operation<'_, '_, '_>) -> Result<Value> {
    let separator = op.node.attr("separator").map(attrs::bytes).unwrap_or_default();
    let tensors = op.tensors(0)?;
    let scalar = Shape::new(&[])?;
    let many = tensors.iter().map(|tensor| tensor.shape()).find(|shape| **shape != scalar);
    let shape = many.unwrap_or(&scalar);
    let mut lists = Vec::new();
    for tensor in &tensors {
        if *tensor.shape() != *shape && *tensor.shape() != scalar {
            let expected = format!("{shape}, as the other inputs");
            return Err(Error::unexpected("shape of strings", tensor.shape(), expected));
        }
        lists.push(strings(tensor, "input")?);
    }
    let count = usize::try_from(shape.elements()).unwrap_or(usize::MAX);
    let mut joined = Vec::new();
    for at in 0..count {
        let parts: Vec<&[u8]> =
            lists.iter().filter_map(|list| list.get(at).or(list.first()).copied()).collect();
        let len: usize = parts.iter().map(|part| part.len() + separator.len()).sum();
        op.session.charge(len as u64 + 8)?;
        joined.push(parts.join(separator));
    }
    let joined: Vec<&[u8]> = joined.iter().map(|string| &**string).collect();
    Ok(Tensor::of_strings(shape.clone(), &joined)?.into())
}

/// The only pattern that savers match: that of a store without directories.
const S3: &[u8] = b"^s3://.*";

/// Matches each string against a pattern.
pub(super) fn regex_full_match(op: &mut Operation<'_, '_, '_>) -> Result<Value> {
    let pattern = op.node.attr("pattern").map(attrs::bytes).unwrap_or_default();
    if pattern != S3 {
        let found = format!("{:?}", crate::error::shortened(&String::from_utf8_lossy(pattern)));
        return Err(Error::unexpected("pattern", found, String::from_utf8_lossy(S3)));
    }
    let tensor = op.tensor(0)?;
    let matches =
        |string: &&[u8]| u8::from(string.starts_with(b"s3://") && !string.contains(&b'\n'));
    let content = strings(&tensor, "input")?.iter().map(matches).collect();
    op.session.made(Tensor::new(DType::Bool, tensor.shape().clone(), content)?)
}

/// Selects one of two tensors.
pub(super) fn select(op: &mut Operation<'_, '_, '_>) -> Result<Value> {
    let (condition, yes, no) = (op.tensor(0)?, op.tensor(1)?, op.tensor(2)?);
    if yes.dtype() != no.dtype() {
        let expected = format!("{}, that of the first", yes.dtype());
        return Err(Error::unexpected("dtype of the second value", no.dtype(), expected));
    }
    match (condition.dtype(), condition.content()) {
        (DType::Bool, &[is]) => Ok(Value::Tensor(if is == 0 { no } else { yes })),
        (dtype, _) => {
            let found = format!("{dtype} {}", condition.shape());
            Err(Error::unexpected("condition", found, "one bool"))
        }
    }
}

/// The shape of a tensor.
pub(super) fn shape(op: &mut Operation<'_, '_, '_>) -> Result<Value> {
    let tensor = op.tensor(0)?;
    let dims = tensor.shape().dims();
    let (dtype, content) = if op.node.dtype_in("out_type") == Some(DType::I64) {
        (DType::I64, dims.iter().flat_map(|dim| dim.to_le_bytes()).collect())
    } else {
        let short = |&dim: &u64| {
            i32::try_from(dim)
                .map_err(|_| Error::unexpected("dimension", dim, "one that fits into 32 bits"))
        };
        let short: Vec<i32> = dims.iter().map(short).collect::<Result<_>>()?;
        (DType::I32, short.into_iter().flat_map(i32::to_le_bytes).collect())
    };
    let rank = i64::try_from(dims.len()).unwrap_or(i64::MAX);
    op.session.made(Tensor::new(dtype, Shape::new(&[rank])?, content)?)
}

/// The same elements in another shape, in which one dimension may be -1.
pub(super) fn reshape(op: &mut Operation<'_, '_, '_>) -> Result<Value> {
    let tensor = op.tensor(0)?;
    let mut dims = ints(&*op.tensor(1)?, "shape")?;
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
        let expected = format!("as many elements as {}", tensor.shape());
        return Err(Error::unexpected("new shape", shape, expected));
    }
    op.session.charge(tensor.content().len() as u64)?;
    // A copy, because a tensor has one shape, and other nodes may share it.
    Ok(Tensor::new(tensor.dtype(), shape, tensor.content().to_vec())?.into())
}
