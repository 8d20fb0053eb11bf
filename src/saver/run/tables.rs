//! Ops of tables.

use std::sync::Arc;

use super::session::{Session, nth};
use super::value::Value;
use super::variables::{DeclaredTable, Table};
use crate::error::{Error, ErrorKind, Result};
use crate::graph::Node;
use crate::tensor::{DType, Shape, Tensor};

/// The table that a node is.
pub(super) fn table(node: &Node<'_>) -> Result<Value> {
    let declared = DeclaredTable::of(node).map(Arc::new);
    let declared =
        declared.ok_or_else(|| Error::unexpected("op", node.op, "it must be a table"))?;
    Ok(Value::Table(declared))
}

fn handle(inputs: &[Value]) -> Result<&Arc<DeclaredTable>> {
    match nth(inputs, 0)? {
        Value::Table(table) => Ok(table),
        _ => Err(Error::unexpected("first input", "no table", "it must be the handle of a table")),
    }
}

/// The keys and the values that a table has; none where it was given none.
pub(super) fn export(session: &Session<'_, '_>, inputs: &[Value]) -> Result<Vec<Value>> {
    let declared = handle(inputs)?;
    let Table { keys, values } = match session.current_table(&declared.key) {
        Some(table) => table.clone(),
        None if declared.is_dense => {
            // TensorFlow saves the empty buckets that it begins with; nothing keeps such here.
            let kind = format!("the table {} was given nothing", declared.name());
            return Err(ErrorKind::NotFound(kind).into());
        }
        None => Table {
            keys: Arc::new(empty(declared.keys, &[])?),
            values: Arc::new(empty(declared.values, &declared.value_shape)?),
        },
    };
    Ok(vec![Value::Tensor(keys), Value::Tensor(values)])
}

fn empty(dtype: Option<DType>, shape: &[u64]) -> Result<Tensor> {
    let dtype = dtype
        .ok_or_else(|| Error::unexpected("dtype of the table", "none", "its node must say it"))?;
    let dims: Vec<i64> =
        std::iter::once(0).chain(shape.iter().map(|dim| dim.cast_signed())).collect();
    Tensor::new(dtype, Shape::new(&dims)?, Vec::new())
}

/// Gives a table these keys and values, and no others.
pub(super) fn import(session: &mut Session<'_, '_>, inputs: &[Value]) -> Result<()> {
    let declared = Arc::clone(handle(inputs)?);
    let (keys, values) = (session.read(nth(inputs, 1)?)?, session.read(nth(inputs, 2)?)?);
    for (what, tensor, dtype) in [
        ("dtype of the keys", &keys, declared.keys),
        ("dtype of the values", &values, declared.values),
    ] {
        if dtype != Some(tensor.dtype()) {
            let is = dtype.map_or_else(|| "others".into(), |dtype| dtype.to_string());
            let allowed = format!("the table {} has {is}", declared.name());
            return Err(Error::unexpected(what, tensor.dtype(), allowed));
        }
    }
    let (of_keys, of_values) = (keys.shape().dims(), values.shape().dims());
    // Keys of a dense table may be vectors.
    let of_vectors = of_keys.split_last().filter(|(_, rest)| declared.is_dense && !rest.is_empty());
    let fits =
        |keys: &[u64]| !keys.is_empty() && of_values == [keys, &declared.value_shape].concat();
    let fits = fits(of_keys) || of_vectors.is_some_and(|(_, rest)| fits(rest));
    if !fits {
        let found = format!("{} for {} keys", values.shape(), keys.shape());
        let allowed = format!("the table {} has one value for each key", declared.name());
        return Err(Error::unexpected("shape of the values", found, allowed));
    }
    session.import(declared.key.clone(), Table { keys, values });
    Ok(())
}
