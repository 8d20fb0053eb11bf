//! The signatures of a meta graph: what goes in and comes out, by name.

use serde::{Serialize, Serializer};

use super::constant::ConstantValue;
use super::graph::TensorType;
use super::records::{content, decode, key, nested, text, value};
use super::structured_value::{StructuredValue, TypeSpec, entry};
use crate::error::Result;
use crate::message::{Records, Value, int32};
use crate::schema::field::{
    signature_def,
    tensor_info::{self, composite_tensor},
};
use crate::schema::tensorflow::{TensorShapeProto, tensor_info::CooSparse};

/// Composite tensors inside each other that are looked into; TensorFlow makes none with more than one level.
const DEEPEST: usize = 16;

/// A signature.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Signature {
    /// Its name.
    pub name: String,
    /// The method it is for, as `tensorflow/serving/predict`.
    pub method: String,
    /// What goes in, by name.
    pub inputs: Vec<Argument>,
    /// What comes out, by name.
    pub outputs: Vec<Argument>,
}

/// An input or output of a signature.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Argument {
    /// Its name in the signature.
    pub name: String,
    /// What it holds.
    #[serde(flatten)]
    pub ty: TensorType,
    /// The tensors in the graph: one, or the parts of a sparse or composite one.
    pub tensors: Vec<String>,
    /// How its tensors stand for it.
    #[serde(flatten, skip_serializing_if = "Encoding::is_dense")]
    pub encoding: Encoding,
    /// What it is where it is not given.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub default: Option<ConstantValue>,
}

/// How tensors stand for an input or output of a signature.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(tag = "encoding", rename_all = "lowercase")]
pub enum Encoding {
    /// One stands for itself, or there is none.
    Dense,
    /// The values, the indices and the shape of a sparse one.
    Sparse,
    /// The parts of what this describes.
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
    /// Reads an entry of `signature_def`.
    pub(super) fn new(bytes: &[u8]) -> Result<Self> {
        let (name, signature) = (key(bytes)?, value(bytes)?);
        let (mut method, mut defaults) = (String::new(), Vec::new());
        let (mut inputs, mut outputs) = (Vec::new(), Vec::new());
        for record in Records::new(signature, 0) {
            let record = record?;
            let inside = content(&record);
            match record.number {
                signature_def::INPUTS => inputs.push(Argument::new(inside)?),
                signature_def::OUTPUTS => outputs.push(Argument::new(inside)?),
                signature_def::METHOD_NAME => method = text(&record),
                signature_def::DEFAULTS => {
                    defaults.push((key(inside)?, ConstantValue::parse(value(inside)?)?))
                }
                _ => {}
            }
        }
        for arguments in [&mut inputs, &mut outputs] {
            arguments.sort_by(|a, b| a.name.cmp(&b.name));
        }
        for (name, default) in defaults {
            let at = inputs.binary_search_by(|input| input.name.cmp(&name));
            if let Some(input) = at.ok().and_then(|at| inputs.get_mut(at)) {
                input.default = Some(default);
            }
        }
        Ok(Self { name, method, inputs, outputs })
    }
}

impl Argument {
    /// Reads an entry of `inputs` or `outputs`.
    fn new(bytes: &[u8]) -> Result<Self> {
        let tensor = Tensor::parse(value(bytes)?, 0)?;
        let ty = TensorType::new(tensor.dtype, tensor.shape.as_ref());
        let mut tensors = tensor.names;
        tensors.retain(|name| !name.is_empty());
        Ok(Self { name: key(bytes)?, ty, tensors, encoding: tensor.encoding, default: None })
    }
}

/// A `TensorInfo`.
struct Tensor {
    names: Vec<String>,
    dtype: i32,
    shape: Option<TensorShapeProto>,
    encoding: Encoding,
}

impl Tensor {
    fn parse(bytes: &[u8], depth: usize) -> Result<Self> {
        let mut found =
            Self { names: Vec::new(), dtype: 0, shape: None, encoding: Encoding::Dense };
        for record in Records::new(bytes, 0) {
            let record = record?;
            match (record.number, record.value) {
                (tensor_info::NAME, _) => found.names = vec![text(&record)],
                (tensor_info::DTYPE, Value::Varint(code)) => found.dtype = int32(code),
                (tensor_info::TENSOR_SHAPE, _) => found.shape = Some(decode(content(&record))?),
                (tensor_info::COO_SPARSE, _) => {
                    let parts: CooSparse = decode(content(&record))?;
                    found.encoding = Encoding::Sparse;
                    found.names = vec![
                        parts.values_tensor_name,
                        parts.indices_tensor_name,
                        parts.dense_shape_tensor_name,
                    ];
                }
                (tensor_info::COMPOSITE_TENSOR, _) => found.composite(content(&record), depth)?,
                _ => {}
            }
        }
        Ok(found)
    }

    /// Takes in a `CompositeTensor`.
    fn composite(&mut self, bytes: &[u8], depth: usize) -> Result<()> {
        let mut spec = TypeSpec { class: String::new(), state: StructuredValue::Unknown };
        for record in nested(bytes, composite_tensor::TYPE_SPEC) {
            spec = TypeSpec::parse(content(&record?), 0)?;
        }
        if depth < DEEPEST {
            for record in nested(bytes, composite_tensor::COMPONENTS) {
                self.names.extend(Self::parse(content(&record?), depth + 1)?.names);
            }
        }
        self.encoding = Encoding::Composite(spec);
        Ok(())
    }
}
