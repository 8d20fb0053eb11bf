//! Conditions: `If` and `Case`, and their stateless forms, which call one of several functions.

use std::sync::Arc;

use super::calls;
use super::session::Session;
use super::value::{Value, int, strings};
use crate::error::{Error, Result};
use crate::graph::Node;
use crate::tensor::{DType, Tensor};

/// Calls the branch that the first input selects, with the other inputs, and returns its results.
pub(super) fn run<'m>(
    session: &mut Session<'_, 'm>,
    node: &Node<'m>,
    mut inputs: Vec<Value>,
) -> Result<Vec<Value>> {
    if inputs.is_empty() {
        return Err(Error::unexpected("number of inputs", 0, "the selector of a branch"));
    }
    let selector = session.read(&inputs.remove(0))?;
    let branches = node.branches();
    let at = match node.is_case() {
        true => case(&selector, branches.len())?,
        false => usize::from(!is_true(&selector)?),
    };
    let missing = || {
        let found = format!("branch {at} of {}", branches.len());
        Error::unexpected("branch", found, "one that the node has")
    };
    let name = branches.get(at).copied().ok_or_else(missing)?;
    let function = session.functions.known(name)?;
    calls::call(session, function, inputs)
}

/// The branch of a `Case`: the last one if there is none with this number.
fn case(selector: &Arc<Tensor>, count: usize) -> Result<usize> {
    if selector.shape().rank() > 0 {
        return Err(Error::unexpected(
            "shape of branch_index",
            selector.shape(),
            "that of a scalar",
        ));
    }
    let at = usize::try_from(int(selector, "branch_index")?).unwrap_or(usize::MAX);
    Ok(at.min(count.saturating_sub(1)))
}

/// Whether a condition holds: a scalar that is not zero and not empty, or a tensor with elements.
fn is_true(condition: &Tensor) -> Result<bool> {
    if condition.shape().rank() > 0 {
        return Ok(condition.shape().elements() > 0);
    }
    let content = condition.content();
    Ok(match condition.dtype() {
        DType::String => {
            strings(condition, "condition")?.first().is_some_and(|text| !text.is_empty())
        }
        // Zeros have a sign.
        DType::F32 => condition.elements::<f32>().is_some_and(|all| all != [0.0]),
        DType::F64 => condition.elements::<f64>().is_some_and(|all| all != [0.0]),
        DType::Bool | DType::U8 | DType::I8 | DType::I16 | DType::I32 | DType::I64 => {
            content.iter().any(|byte| *byte != 0)
        }
        other => {
            let expected = "one that a condition can have, such as bool";
            return Err(Error::unexpected("dtype of a condition", other, expected));
        }
    })
}
