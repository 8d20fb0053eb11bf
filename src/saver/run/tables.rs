//! Ops of tables.

use std::sync::Arc;

use super::operation::Operation;
use super::value::Value;
use super::variables::{DeclaredTable, Table};
use crate::error::{Error, Result};
use crate::tensor::{DType, Shape, Tensor};

/// The table of a node.
pub(super) fn table(op: &Operation<'_, '_, '_>) -> Result<Value> {
    let not_one = || Error::unexpected("op", op.node.op, "an op that makes a table");
    Ok(Value::Table(Arc::new(DeclaredTable::of(op.node).ok_or_else(not_one)?)))
}

fn handle<'o>(op: &Operation<'o, '_, '_>) -> Result<&'o Arc<DeclaredTable>> {
    match op.input(0)? {
        Value::Table(table) => Ok(table),
        other => {
            let expected = "the handle of a table";
            Err(Error::unexpected("first input", other.description(), expected))
        }
    }
}

/// The keys and values of a table; empty tensors if it has no content.
pub(super) fn export(op: &Operation<'_, '_, '_>) -> Result<Vec<Value>> {
    let declared = handle(op)?;
    let Table { keys, values } = match op.session.current_table(&declared.key) {
        Some(table) => table.clone(),
        None if declared.is_dense => {
            // TensorFlow saves the empty buckets of a new table, which are not kept here.
            return Err(Error::not_found(format!("the table {} has no content", declared.name())));
        }
        None => Table {
            keys: Arc::new(empty(declared.keys, &[])?),
            values: Arc::new(empty(declared.values, &declared.value_shape)?),
        },
    };
    Ok(vec![Value::Tensor(keys), Value::Tensor(values)])
}

fn empty(dtype: Option<DType>, shape: &[u64]) -> Result<Tensor> {
    let missing = || Error::unexpected("dtype of the table", "none", "one that its node states");
    let dims: Vec<i64> =
        std::iter::once(0).chain(shape.iter().map(|dim| dim.cast_signed())).collect();
    Tensor::new(dtype.ok_or_else(missing)?, Shape::new(&dims)?, Vec::new())
}

/// Replaces the content of a table.
pub(super) fn import(op: &mut Operation<'_, '_, '_>) -> Result<()> {
    let declared = handle(op)?;
    let (keys, values) = (op.tensor(1)?, op.tensor(2)?);
    for (what, tensor, dtype) in [
        ("dtype of the keys", &keys, declared.keys),
        ("dtype of the values", &values, declared.values),
    ] {
        if dtype != Some(tensor.dtype()) {
            let is = dtype.map_or("others", DType::name);
            let expected = format!("{is}, that of the table {}", declared.name());
            return Err(Error::unexpected(what, tensor.dtype(), expected));
        }
    }
    let (of_keys, of_values) = (keys.shape().dims(), values.shape().dims());
    // The keys of a dense table can be vectors.
    let of_vectors = of_keys.split_last().filter(|(_, rest)| declared.is_dense && !rest.is_empty());
    let fits =
        |keys: &[u64]| !keys.is_empty() && of_values == [keys, &declared.value_shape].concat();
    if !fits(of_keys) && !of_vectors.is_some_and(|(_, rest)| fits(rest)) {
        let found = format!("{} for {} keys", values.shape(), keys.shape());
        let expected = format!("one value for each key of the table {}", declared.name());
        return Err(Error::unexpected("shape of the values", found, expected));
    }
    op.session.import(declared.key.clone(), Table { keys, values });
    Ok(())
}
