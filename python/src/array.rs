//! Arrays of Python as tensors.

use ckdiff::Error;
use ckdiff::tensor::{DType, Extent, Shape, TensorSource, TensorStream};
use numpy::{PyArray1, PyArrayMethods, PyUntypedArrayMethods};
use pyo3::prelude::*;

/// An array, of which parts are copied as they are needed. It must not be changed meanwhile.
#[derive(Debug)]
pub(crate) struct Array {
    dtype: DType,
    shape: Shape,
    /// The content: row-major and little-endian.
    content: Py<PyArray1<u8>>,
    len: u64,
}

impl Array {
    /// The array with this content.
    ///
    /// # Errors
    /// If the content has not the size of `dtype` and `shape`.
    pub(crate) fn new(
        dtype: DType,
        shape: Shape,
        content: &Bound<'_, PyArray1<u8>>,
    ) -> Result<Self, Error> {
        let len = content.len() as u64;
        let expected = dtype.size().and_then(|size| shape.elements().checked_mul(size as u64));
        if expected != Some(len) {
            let why = format!("{len} bytes are not the content of {dtype} of shape {shape}");
            return Err(Error::usage(why));
        }
        Ok(Self { dtype, shape, content: content.clone().unbind(), len })
    }
}

impl TensorSource for Array {
    fn dtype(&self) -> DType {
        self.dtype
    }

    fn shape(&self) -> &Shape {
        &self.shape
    }

    fn stored_bytes(&self) -> u64 {
        self.len
    }

    fn extent(&self) -> Option<&dyn Extent> {
        Some(self)
    }

    fn stream(&self) -> Result<Box<dyn TensorStream + '_>, Error> {
        Ok(Box::new(ArrayStream { array: self, position: 0 }))
    }
}

impl Extent for Array {
    fn read_at(&self, offset: u64, out: &mut [u8]) -> Result<(), Error> {
        Python::attach(|py| {
            let in_use = |_| Error::usage("another extension is writing to the array");
            let content = self.content.bind(py).try_readonly().map_err(in_use)?;
            let part = content
                .as_slice()
                .ok()
                .and_then(|content| content.get(usize::try_from(offset).ok()?..)?.get(..out.len()));
            let part = part.ok_or_else(|| Error::usage("the array has changed its size"))?;
            out.copy_from_slice(part);
            Ok(())
        })
    }
}

/// The content of an array in order.
struct ArrayStream<'a> {
    array: &'a Array,
    position: u64,
}

impl TensorStream for ArrayStream<'_> {
    fn read(&mut self, out: &mut [u8]) -> Result<usize, Error> {
        let left = self.array.len - self.position;
        let len = usize::try_from(left).map_or(out.len(), |left| left.min(out.len()));
        let out = out.get_mut(..len).unwrap_or_default();
        self.array.read_at(self.position, out)?;
        self.position += len as u64;
        Ok(len)
    }
}
