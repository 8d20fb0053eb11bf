//! A tensor in memory.

use std::io::ErrorKind;

use bytemuck::Pod;

use crate::error::{Error, Result};
use crate::limits::Limits;
use crate::progress::Silent;

use super::reading::read_through;
use super::view::read_at;
use super::{DType, Element, Extent, Shape, TensorSource, TensorStream, framing};

/// A tensor and its content, row-major and little-endian as [`TensorSource`] defines it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Tensor {
    dtype: DType,
    shape: Shape,
    content: Vec<u8>,
}

impl Tensor {
    /// A tensor with this content, as [`TensorSource`] defines it; for strings see [`of_strings`](Self::of_strings).
    ///
    /// # Errors
    /// If the size of the content does not fit dtype and shape.
    pub fn new(dtype: DType, shape: Shape, content: Vec<u8>) -> Result<Self> {
        let tensor = Self { dtype, shape, content };
        let have = match dtype.size() {
            Some(size) => Some(tensor.content.len() as u64 / size as u64)
                .filter(|_| tensor.content.len().is_multiple_of(size)),
            None => tensor.byte_elements().map(|elements| elements.len() as u64),
        };
        if have != Some(tensor.shape.elements()) {
            let found = format!("{} bytes", tensor.content.len());
            let expected = format!("the size of {dtype} of shape {}", tensor.shape);
            return Err(Error::unexpected("content", found, expected));
        }
        Ok(tensor)
    }

    /// A tensor of strings, which may be text or bytes.
    ///
    /// ```
    /// use ckdiff::tensor::{Shape, Tensor};
    ///
    /// let words = Tensor::of_strings(Shape::new(&[2])?, &["of", "the"])?;
    /// assert_eq!(words.byte_elements(), Some(vec![&b"of"[..], b"the"]));
    /// # Ok::<(), ckdiff::Error>(())
    /// ```
    /// # Errors
    /// If the shape has another number of elements.
    pub fn of_strings(shape: Shape, strings: &[impl AsRef<[u8]>]) -> Result<Self> {
        let mut content = Vec::new();
        strings.iter().for_each(|string| framing::push(string.as_ref(), &mut content));
        Self::new(DType::String, shape, content)
    }

    /// Reads all of `source` and verifies its checksums.
    ///
    /// # Errors
    /// If the source cannot be read, or is larger than `limits.tensor_bytes`.
    pub fn read(source: &dyn TensorSource, limits: &Limits) -> Result<Self> {
        if source.stored_bytes() > limits.tensor_bytes {
            let expected =
                format!("at most {} bytes, the limit of a tensor in memory", limits.tensor_bytes);
            return Err(Error::unexpected("size", source.stored_bytes(), expected));
        }
        // The buffer grows as bytes arrive, whatever size the file states, in steps that are a multiple of every element size.
        const MAX_LEN: u64 = 1 << 20;
        let step = source.stored_bytes().clamp(1 << 10, MAX_LEN).next_multiple_of(16);
        let step = usize::try_from(step).unwrap_or(usize::MAX);
        let mut content = Vec::new();
        let mut stream = source.stream()?;
        loop {
            let start = content.len();
            if content.try_reserve(step).is_err() {
                return Err(Error::io("read", ErrorKind::OutOfMemory.into()));
            }
            content.resize(start + step, 0);
            let read = stream.read(content.get_mut(start..).unwrap_or_default())?;
            content.truncate(start + read);
            if read == 0 {
                break;
            }
        }
        Ok(Self { dtype: source.dtype(), shape: source.shape().clone(), content })
    }

    /// Reads all of a `source` of fixed-width elements and verifies its checksums. Takes no more memory than the content has.
    ///
    /// # Errors
    /// If the source cannot be read, or there is not enough memory.
    pub(crate) fn read_exactly(source: &dyn TensorSource) -> Result<Self> {
        let no_memory = || Error::io("read", ErrorKind::OutOfMemory.into());
        let len = usize::try_from(source.stored_bytes()).map_err(|_| no_memory())?;
        let mut content = Vec::new();
        content.try_reserve_exact(len).map_err(|_| no_memory())?;
        read_through(source, &Silent, |bytes| {
            content.extend_from_slice(bytes);
            Ok(())
        })?;
        Self::new(source.dtype(), source.shape().clone(), content)
    }

    /// The type of the elements.
    pub fn dtype(&self) -> DType {
        self.dtype
    }

    /// The shape.
    pub fn shape(&self) -> &Shape {
        &self.shape
    }

    /// The content: row-major, little-endian; see [`TensorSource`] for elements of variable length.
    pub fn content(&self) -> &[u8] {
        &self.content
    }

    /// The elements as `T`, such as `f32`, without any conversion; `None` if the elements have another size.
    pub fn elements<T: Element + Pod>(&self) -> Option<Vec<T>> {
        if self.dtype.size() != Some(size_of::<T>()) {
            return None;
        }
        // A copy, because a Vec<u8> need not be aligned for T.
        Some(self.content.chunks_exact(size_of::<T>()).map(bytemuck::pod_read_unaligned).collect())
    }

    /// The elements of a `string`, `variant` or `resource` tensor; `None` for fixed-width types.
    pub fn byte_elements(&self) -> Option<Vec<&[u8]>> {
        if self.dtype.size().is_some() {
            return None;
        }
        framing::split(&self.content)
    }
}

impl TensorSource for Tensor {
    fn dtype(&self) -> DType {
        self.dtype
    }

    fn shape(&self) -> &Shape {
        &self.shape
    }

    fn stored_bytes(&self) -> u64 {
        self.content.len() as u64
    }

    fn extent(&self) -> Option<&dyn Extent> {
        self.dtype.size().is_some().then_some(self)
    }

    fn stream(&self) -> Result<Box<dyn TensorStream + '_>> {
        Ok(Box::new(self.content.as_slice()))
    }
}

/// Content in memory has no stored checksum.
impl Extent for Tensor {
    fn read_at(&self, offset: u64, out: &mut [u8]) -> Result<()> {
        read_at(&self.content, offset, out)
    }
}

impl TensorStream for &[u8] {
    fn read(&mut self, out: &mut [u8]) -> Result<usize> {
        let len = self.len().min(out.len());
        let (head, tail) = self.split_at(len);
        if let Some(out) = out.get_mut(..len) {
            out.copy_from_slice(head);
        }
        *self = tail;
        Ok(len)
    }
}
