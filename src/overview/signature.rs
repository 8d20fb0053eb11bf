//! The signatures of a meta graph: inputs and outputs by name.

use serde::{Serialize, Serializer};

use super::constant::ConstantValue;
use super::graph::TensorType;
use super::records::decode;
use super::structured_value::{StructuredValue, TypeSpec, entry};
use crate::error::Result;
use crate::message::{entries, field, fields, int32, string, utf8, varint};
use crate::schema::field::{
    signature_def,
    tensor_info::{self, composite_tensor, coo_sparse},
};

/// The deepest nesting of composite tensors that is read. TensorFlow writes only one level.
const DEEPEST: usize = 16;

/// A signature.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Signature {
    /// Its name.
    pub name: String,
    /// Its method, such as `tensorflow/serving/predict`.
    pub method: String,
    /// Its inputs, by name.
    pub inputs: Vec<Argument>,
    /// Its outputs, by name.
    pub outputs: Vec<Argument>,
}

/// An input or output of a signature.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Argument {
    /// Its name in the signature.
    pub name: String,
    /// Its dtype and shape.
    #[serde(flatten)]
    pub ty: TensorType,
    /// Its tensors in the graph: one, or the components of a sparse or composite tensor.
    pub tensors: Vec<String>,
    /// Its encoding by these tensors.
    #[serde(flatten, skip_serializing_if = "Encoding::is_dense")]
    pub encoding: Encoding,
    /// Its default value.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub default: Option<ConstantValue>,
}

/// The encoding of an input or output of a signature.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(tag = "encoding", rename_all = "lowercase")]
pub enum Encoding {
    /// One dense tensor, or none.
    Dense,
    /// The values, indices and shape of a sparse tensor.
    Sparse,
    /// The components of a composite tensor of this type.
    #[serde(serialize_with = "composite")]
    Composite(TypeSpec),
}

impl Encoding {
    fn is_dense(&self) -> bool {
        *self == Self::Dense
    }
}

fn composite<S: Serializer>(spec: &TypeSpec, serializer: S) -> Result<S::Ok, S::Error> {
    entry("type_spec", spec, serializer)
}

impl Signature {
    /// Reads a `SignatureDef`.
    pub(crate) fn new(name: &str, signature: &[u8]) -> Result<Self> {
        let arguments = |number| -> Result<Vec<Argument>> {
            let arguments = entries(signature, number);
            let mut found = arguments
                .map(|(name, info)| Argument::new(name, info))
                .collect::<Result<Vec<_>>>()?;
            found.sort_by(|a, b| a.name.cmp(&b.name));
            Ok(found)
        };
        let mut inputs = arguments(signature_def::INPUTS)?;
        for (name, value) in entries(signature, signature_def::DEFAULTS) {
            let default = ConstantValue::parse(value)?;
            let at = inputs.binary_search_by(|input| input.name.as_str().cmp(name));
            if let Some(input) = at.ok().and_then(|at| inputs.get_mut(at)) {
                input.default = Some(default);
            }
        }
        Ok(Self {
            name: name.to_owned(),
            method: string(signature, signature_def::METHOD_NAME).to_owned(),
            inputs,
            outputs: arguments(signature_def::OUTPUTS)?,
        })
    }
}

impl Argument {
    /// Reads a `TensorInfo`.
    fn new(name: &str, info: &[u8]) -> Result<Self> {
        let dtype = int32(varint(info, tensor_info::DTYPE).unwrap_or(0));
        let shape = field(info, tensor_info::TENSOR_SHAPE).map(decode).transpose()?;
        let mut tensors = tensors(info, 0);
        tensors.retain(|name| !name.is_empty());
        Ok(Self {
            name: name.to_owned(),
            ty: TensorType::new(dtype, shape.as_ref()),
            tensors,
            encoding: Encoding::of(info)?,
            default: None,
        })
    }
}

impl Encoding {
    fn of(info: &[u8]) -> Result<Self> {
        let spec = |composite| match field(composite, composite_tensor::TYPE_SPEC) {
            Some(spec) => TypeSpec::parse(spec, 0),
            None => Ok(TypeSpec { class: String::new(), state: StructuredValue::Unknown }),
        };
        Ok(match field(info, tensor_info::COMPOSITE_TENSOR) {
            Some(composite) => Self::Composite(spec(composite)?),
            None if field(info, tensor_info::COO_SPARSE).is_some() => Self::Sparse,
            None => Self::Dense,
        })
    }
}

/// The names of the tensors in a `TensorInfo`.
fn tensors(info: &[u8], depth: usize) -> Vec<String> {
    if let Some(composite) = field(info, tensor_info::COMPOSITE_TENSOR) {
        let components =
            fields(composite, composite_tensor::COMPONENTS).filter(|_| depth < DEEPEST);
        return components.flat_map(|info| tensors(info, depth + 1)).collect();
    }
    match field(info, tensor_info::COO_SPARSE) {
        Some(sparse) => [
            coo_sparse::VALUES_TENSOR_NAME,
            coo_sparse::INDICES_TENSOR_NAME,
            coo_sparse::DENSE_SHAPE_TENSOR_NAME,
        ]
        .map(|number| string(sparse, number).to_owned())
        .to_vec(),
        None => {
            field(info, tensor_info::NAME).map(|name| utf8(name).to_owned()).into_iter().collect()
        }
    }
}
