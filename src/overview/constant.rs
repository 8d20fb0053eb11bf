//! Values that are part of a model: defaults of inputs, arrays as arguments.

use serde::{Serialize, Serializer};

use super::graph::TensorType;
use super::records::decode;
use crate::error::Result;
use crate::graph::Constant;
use crate::schema::tensorflow;
use crate::serial::{self, object};
use crate::tensor::{DType, ShownElement};

/// The maximum number of elements that are kept.
const KEPT: usize = 256;

/// The maximum number of bytes that are kept of an element of variable length.
const MAX_LEN: usize = 256;

/// A tensor with its first values.
#[derive(Debug, Clone, PartialEq)]
pub struct ConstantValue {
    /// Its type and shape.
    pub ty: TensorType,
    /// The dtype of the values; `None` where they cannot be read.
    pub dtype: Option<DType>,
    /// The first values in row-major order, at most 256; empty where they do not match the dtype.
    pub first: Vec<ShownElement>,
    /// Whether all other values equal the last of these.
    pub repeats: bool,
    /// The number of values.
    pub elements: u64,
}

impl ConstantValue {
    /// Reads a `TensorProto`.
    pub(super) fn parse(bytes: &[u8]) -> Result<Self> {
        let Ok(constant) = Constant::parse(bytes) else {
            // The values do not match the dtype; the declared type is still reported.
            let tensor: tensorflow::TensorProto = decode(bytes)?;
            let ty = TensorType::new(tensor.dtype, tensor.tensor_shape.as_ref());
            return Ok(Self { ty, dtype: None, first: Vec::new(), repeats: false, elements: 0 });
        };
        let (dtype, shape) = (constant.dtype(), constant.shape());
        let shown = |bytes: &[u8]| {
            let kept = bytes.get(..MAX_LEN.min(bytes.len())).unwrap_or_default();
            ShownElement::Bytes(kept.to_vec(), bytes.len() as u64)
        };
        let first: Vec<ShownElement> = match constant.byte_elements() {
            Some(elements) => elements.into_iter().take(KEPT).map(shown).collect(),
            None => {
                let first = dtype.first_scalars(constant.head(), KEPT);
                first.into_iter().map(ShownElement::Scalar).collect()
            }
        };
        // Repeated values are not expanded: a message of ten bytes can stand for any number of them.
        let repeats = constant.tail() > 0 && constant.explicit() == first.len() as u64;
        let ty = TensorType {
            dtype: Some(dtype.to_string()),
            shape: Some(shape.dims().iter().copied().map(Some).collect()),
        };
        Ok(Self { ty, dtype: Some(dtype), first, repeats, elements: shape.elements() })
    }
}

impl Serialize for ConstantValue {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let dtype = self.dtype.unwrap_or(DType::F64);
        let values: Vec<_> = self.first.iter().map(|shown| serial::Element(shown, dtype)).collect();
        let report = object! {
            dtype: &self.ty.dtype,
            shape: &self.ty.shape,
            elements: self.elements,
            values: values,
            repeats: self.repeats,
        };
        report.serialize(serializer)
    }
}
