//! The text of a constant in a report: its first values, and its type.

use crate::graph::Constant;
use crate::tensor::{DType, Scalar, shortest};

/// The maximum number of elements in a text.
const SHOWN: usize = 6;

/// The maximum number of bytes of a string in a text.
const MAX_LEN: usize = 80;

/// Dtype and shape: `float32 [2, 3]`.
pub(super) fn facts(constant: &Constant) -> String {
    format!("{} {}", constant.dtype(), constant.shape())
}

/// The encoding of a constant: `float32 [2, 3], 1 of 6 elements written out`.
pub(super) fn encoding(constant: &Constant) -> String {
    let (explicit, all) = (constant.explicit(), constant.shape().elements());
    format!("{}, {explicit} of {all} elements written out", facts(constant))
}

/// The first elements: `0.5`, `[1, 2, …]`.
pub(super) fn values(constant: &Constant) -> String {
    let mut texts: Vec<String> = match constant.byte_elements() {
        Some(elements) => elements.into_iter().take(SHOWN).map(quoted).collect(),
        None => {
            let dtype = constant.dtype();
            let first = dtype.first_scalars(constant.head(), SHOWN);
            first.into_iter().map(|scalar| text(scalar, dtype)).collect()
        }
    };
    if constant.shape().rank() == 0 {
        return texts.pop().unwrap_or_default();
    }
    let more = constant.shape().elements() > texts.len() as u64;
    texts.extend(more.then(|| "…".to_owned()));
    format!("[{}]", texts.join(", "))
}

fn quoted(bytes: &[u8]) -> String {
    let text = bytes.get(..MAX_LEN.min(bytes.len())).unwrap_or_default().escape_ascii();
    let more = if bytes.len() > MAX_LEN { "…" } else { "" };
    format!("\"{text}{more}\"")
}

fn text(scalar: Scalar, dtype: DType) -> String {
    match scalar {
        Scalar::Float(value) => shortest(dtype, value).to_string(),
        Scalar::Integer(value) => value.to_string(),
        Scalar::Bool(value) => value.to_string(),
        Scalar::Complex(re, im) => {
            format!("{}{:+}i", shortest(dtype, re), shortest(dtype, im))
        }
    }
}
