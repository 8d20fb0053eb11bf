//! Ops of variables.

use std::sync::Arc;

use super::operation::Operation;
use super::value::Value;
use super::variables::DeclaredVariable;
use crate::error::{Error, Result};
use crate::graph::attrs;
use crate::tensor::{DType, Tensor, dims_text};

/// The variable of a node.
pub(super) fn variable(op: &Operation<'_, '_, '_>) -> Result<Value> {
    let not_one = || Error::unexpected("op", op.node.op, "an op that makes a variable");
    let declared = Arc::new(DeclaredVariable::of(op.node).ok_or_else(not_one)?);
    Ok(match op.node.op {
        "VarHandleOp" => Value::Handle(declared),
        _ => Value::Reference(declared),
    })
}

/// The first input; if that is a variable, its value.
pub(super) fn pass_on(op: &Operation<'_, '_, '_>) -> Result<Value> {
    let value = op.input(0)?;
    if let Value::Handle(_) | Value::Table(_) = value {
        return Ok(value.clone());
    }
    let tensor = op.session.read(value)?;
    let attr = if op.node.op == "Identity" { "T" } else { "dtype" };
    op.check_dtype(attr, tensor.dtype())?;
    Ok(Value::Tensor(tensor))
}

/// The value of the variable of a handle.
pub(super) fn read(op: &Operation<'_, '_, '_>) -> Result<Value> {
    let tensor = op.session.value_of(handle(op)?)?;
    op.check_dtype("dtype", tensor.dtype())?;
    Ok(Value::Tensor(tensor))
}

fn handle<'o>(op: &Operation<'o, '_, '_>) -> Result<&'o Arc<DeclaredVariable>> {
    match op.input(0)? {
        Value::Handle(variable) => Ok(variable),
        other => {
            let expected = "the handle of a variable";
            Err(Error::unexpected("first input", other.description(), expected))
        }
    }
}

/// Assigns a reference variable.
pub(super) fn assign(op: &mut Operation<'_, '_, '_>) -> Result<Value> {
    let target = op.input(0)?;
    let Value::Reference(variable) = target else {
        let found = target.description();
        return Err(Error::unexpected("first input", found, "a reference to a variable"));
    };
    let tensor = op.tensor(1)?;
    op.check_dtype("T", tensor.dtype())?;
    check_variable_dtype(variable, &tensor)?;
    if op.node.attr("validate_shape").is_none_or(attrs::truth) {
        // As in TensorFlow, the shape is checked against the current value, or without one against the node.
        let known = match op.session.current(&variable.key) {
            Some(value) => Some(value.shape().dims().iter().copied().map(Some).collect()),
            None => variable.shape.clone(),
        };
        let found = tensor.shape().dims().iter().copied().map(Some);
        if known.as_ref().is_none_or(|known: &Vec<_>| !found.eq(known.iter().copied())) {
            return Err(other_shape(variable, &tensor, known.as_deref()));
        }
    }
    op.session.assign(variable.key.clone(), tensor);
    Ok(target.clone())
}

/// Assigns the variable of a handle.
pub(super) fn assign_handle(op: &mut Operation<'_, '_, '_>) -> Result<()> {
    let variable = handle(op)?;
    let tensor = op.tensor(1)?;
    op.check_dtype("dtype", tensor.dtype())?;
    check_variable_dtype(variable, &tensor)?;
    let declared = variable.shape.as_deref();
    if declared.is_some_and(|dims| !tensor.shape().is_compatible(dims)) {
        return Err(other_shape(variable, &tensor, declared));
    }
    op.session.assign(variable.key.clone(), tensor);
    Ok(())
}

fn check_variable_dtype(variable: &DeclaredVariable, tensor: &Tensor) -> Result<()> {
    if variable.dtype == Some(tensor.dtype()) {
        return Ok(());
    }
    let is = variable.dtype.map_or("of an unknown dtype", DType::name);
    let expected = format!("{is}, that of the variable {}", variable.name());
    Err(Error::unexpected("dtype of the value", tensor.dtype(), expected))
}

fn other_shape(
    variable: &DeclaredVariable,
    tensor: &Tensor,
    known: Option<&[Option<u64>]>,
) -> Error {
    let known = known.map_or_else(|| "no known shape".to_owned(), dims_text);
    let expected = format!("{known}, that of the variable {}", variable.name());
    Error::unexpected("shape of the value", tensor.shape(), expected)
}
