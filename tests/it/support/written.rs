//! Small checkpoints that tests write.

use std::path::{Path, PathBuf};

use ckdiff::checkpoint::{CheckpointBuilder, Format, IfExists};
use ckdiff::progress::Silent;
use ckdiff::tensor::{DType, Shape, Tensor};

/// A vector of this type, whose elements are these bytes.
pub fn vector(dtype: DType, content: Vec<u8>) -> Tensor {
    let len = content.len() / dtype.size().unwrap();
    Tensor::new(dtype, Shape::new(&[len as i64]).unwrap(), content).unwrap()
}

/// A vector of `float32`.
pub fn floats(values: &[f32]) -> Tensor {
    vector(DType::F32, values.iter().flat_map(|value| value.to_le_bytes()).collect())
}

/// A vector of strings.
pub fn strings(values: &[&str]) -> Tensor {
    let bytes: Vec<&[u8]> = values.iter().map(|value| value.as_bytes()).collect();
    Tensor::of_strings(Shape::new(&[values.len() as i64]).unwrap(), &bytes).unwrap()
}

/// Writes a V2 checkpoint with these tensors.
pub fn checkpoint(dir: &Path, name: &str, tensors: &[(String, Tensor)]) -> PathBuf {
    let mut builder = CheckpointBuilder::default();
    for (name, tensor) in tensors {
        builder.add(name.as_str(), tensor).unwrap();
    }
    let path = dir.join(name);
    let format = Format::by_name("v2").unwrap();
    builder.write(&path, format, IfExists::Refuse, &Silent).unwrap();
    path
}
