//! Ops of variables.

use std::sync::Arc;

use super::session::{Session, check_dtype, nth};
use super::value::Value;
use super::variables::Declared;
use crate::error::{Error, Result};
use crate::graph::{Node, attrs};
use crate::tensor::Tensor;

/// The variable that a node is.
pub(super) fn variable(node: &Node<'_>) -> Result<Value> {
    let declared = Declared::of(node).map(Arc::new);
    let declared =
        declared.ok_or_else(|| Error::unexpected("op", node.op, "it must be a variable"))?;
    Ok(match node.op {
        "VarHandleOp" => Value::Handle(declared),
        _ => Value::Reference(declared),
    })
}

/// What the first input is; of a variable, its value.
pub(super) fn pass_on(
    session: &Session<'_, '_>,
    node: &Node<'_>,
    inputs: &[Value],
) -> Result<Value> {
    let value = nth(inputs, 0)?;
    if let Value::Handle(_) | Value::Table(_) = value {
        return Ok(value.clone());
    }
    let tensor = session.read(value)?;
    let attr = if node.op == "Identity" { "T" } else { "dtype" };
    check_dtype(node, attr, tensor.dtype())?;
    Ok(Value::Tensor(tensor))
}

/// The value of the variable that a handle leads to.
pub(super) fn read(session: &Session<'_, '_>, node: &Node<'_>, inputs: &[Value]) -> Result<Value> {
    let tensor = session.held(handle(inputs)?)?;
    check_dtype(node, "dtype", tensor.dtype())?;
    Ok(Value::Tensor(tensor))
}

fn handle(inputs: &[Value]) -> Result<&Arc<Declared>> {
    match nth(inputs, 0)? {
        Value::Handle(variable) => Ok(variable),
        _ => Err(Error::unexpected(
            "first input",
            "no variable",
            "it must be the handle of a variable",
        )),
    }
}

/// Assigns a reference variable.
pub(super) fn assign(
    session: &mut Session<'_, '_>,
    node: &Node<'_>,
    inputs: &[Value],
) -> Result<Value> {
    let target = nth(inputs, 0)?;
    let Value::Reference(variable) = target else {
        let found = "no reference to a variable";
        return Err(Error::unexpected("first input", found, "a variable is assigned"));
    };
    let tensor = session.read(nth(inputs, 1)?)?;
    check_dtype(node, "T", tensor.dtype())?;
    check_variable_dtype(variable, &tensor)?;
    if node.attr("validate_shape").is_none_or(attrs::truth) {
        // As TensorFlow does: held against the value there is, and before there is one against the node.
        let known = match session.current(&variable.key) {
            Some(value) => Some(value.shape().dims().iter().copied().map(Some).collect()),
            None => variable.shape.clone(),
        };
        let found = tensor.shape().dims().iter().copied().map(Some);
        if known.as_ref().is_none_or(|known: &Vec<_>| !found.eq(known.iter().copied())) {
            return Err(other_shape(variable, &tensor, known));
        }
    }
    session.assign(variable.key.clone(), tensor);
    Ok(target.clone())
}

/// Assigns the variable that a handle leads to.
pub(super) fn assign_handle(
    session: &mut Session<'_, '_>,
    node: &Node<'_>,
    inputs: &[Value],
) -> Result<()> {
    let variable = Arc::clone(handle(inputs)?);
    let tensor = session.read(nth(inputs, 1)?)?;
    check_dtype(node, "dtype", tensor.dtype())?;
    check_variable_dtype(&variable, &tensor)?;
    let found = tensor.shape().dims();
    let fits = |dims: &Vec<Option<u64>>| {
        dims.len() == found.len()
            && dims.iter().zip(found).all(|(dim, found)| dim.is_none_or(|dim| dim == *found))
    };
    if !variable.shape.as_ref().is_none_or(fits) {
        return Err(other_shape(&variable, &tensor, variable.shape.clone()));
    }
    session.assign(variable.key.clone(), tensor);
    Ok(())
}

fn check_variable_dtype(variable: &Declared, tensor: &Tensor) -> Result<()> {
    match variable.dtype {
        Some(dtype) if dtype == tensor.dtype() => Ok(()),
        dtype => {
            let is = dtype.map_or_else(|| "of no known type".into(), |dtype| dtype.to_string());
            let allowed = format!("the variable {} is {is}", variable.name());
            Err(Error::unexpected("dtype of the value", tensor.dtype(), allowed))
        }
    }
}

fn other_shape(variable: &Declared, tensor: &Tensor, known: Option<Vec<Option<u64>>>) -> Error {
    let dim = |dim: Option<u64>| dim.map_or_else(|| "?".to_owned(), |dim| dim.to_string());
    let known = match known {
        Some(dims) => format!("[{}]", dims.into_iter().map(dim).collect::<Vec<_>>().join(", ")),
        None => "no known shape".to_owned(),
    };
    let allowed = format!("the variable {} has {known}", variable.name());
    Error::unexpected("shape of the value", tensor.shape(), allowed)
}
