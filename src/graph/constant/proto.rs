//! Reads a `TensorProto`.

use crate::error::{Error, Result};
use crate::limits::Limits;
use crate::message::{Records, Value, int32};
use crate::schema::field::tensor_shape_proto::dim;
use crate::schema::field::{tensor_proto, tensor_shape_proto};
use crate::tensor::{DType, Shape};

use super::head::Head;
use super::value::Constant;
use super::{content, list};

/// The fields that do not depend on the dtype.
#[derive(Default)]
struct Fields<'a> {
    code: i32,
    dims: Vec<i64>,
    content: &'a [u8],
}

impl Constant {
    /// Reads the bytes of a `TensorProto`.
    ///
    /// # Errors
    /// If the dtype is invalid, the shape is unknown or too large, or the elements do not fit dtype and shape. The offset counts
    /// from the start of the message.
    pub fn parse(bytes: &[u8]) -> Result<Self> {
        let fields = Fields::read(bytes)?;
        let dtype = DType::stored("dtype", fields.code)?;
        let shape = Shape::new(&fields.dims)?;
        let head = match (shape.elements(), fields.content) {
            (0, _) => Head::default(),
            (_, []) => list::read(bytes, dtype, &shape)?,
            (_, content) => content::read(content, dtype, &shape)?,
        };
        let tail = shape.elements() - head.count;
        Ok(Self { dtype, shape, head: head.bytes, last: head.last, tail })
    }
}

impl<'a> Fields<'a> {
    fn read(bytes: &'a [u8]) -> Result<Self> {
        let mut fields = Self::default();
        for record in Records::new(bytes, 0) {
            let record = record?;
            match (record.number, record.value) {
                (tensor_proto::DTYPE, Value::Varint(code)) => fields.code = int32(code),
                (tensor_proto::TENSOR_SHAPE, Value::Len(shape)) => {
                    fields.shape(shape, record.content)?
                }
                (tensor_proto::TENSOR_CONTENT, Value::Len(content)) => fields.content = content,
                _ => {}
            }
        }
        Ok(fields)
    }

    fn shape(&mut self, bytes: &[u8], base: u64) -> Result<()> {
        let most = Limits::default().rank;
        for record in Records::new(bytes, base) {
            let record = record?;
            match (record.number, record.value) {
                (tensor_shape_proto::DIM, Value::Len(dim)) if self.dims.len() < most => {
                    self.dims.push(size(dim, record.content)?);
                }
                (tensor_shape_proto::DIM, Value::Len(_)) => {
                    let expected = format!("at most {most}");
                    let error = Error::unexpected("number of dimensions", "more", expected);
                    return Err(error.at(record.offset));
                }
                (tensor_shape_proto::UNKNOWN_RANK, Value::Varint(1..)) => {
                    let error = Error::unexpected("rank", "unknown_rank", "a known rank");
                    return Err(error.at(record.offset));
                }
                _ => {}
            }
        }
        Ok(())
    }
}

/// The size of one dimension.
fn size(bytes: &[u8], base: u64) -> Result<i64> {
    let mut size = 0;
    for record in Records::new(bytes, base) {
        let record = record?;
        if let (dim::SIZE, Value::Varint(value)) = (record.number, record.value) {
            size = value.cast_signed();
        }
    }
    Ok(size)
}
