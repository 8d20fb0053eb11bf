//! A tensor that borrows its content.

use bytemuck::Pod;
use half::{bf16, f16};

use crate::error::{Error, Result};

use super::{
    Bool, Complex64, Complex128, DType, Element, Extent, Shape, TensorSource, TensorStream,
};

/// A tensor with borrowed content, row-major and little-endian as [`TensorSource`] defines it.
///
/// ```
/// use ckdiff::tensor::{Shape, TensorSource, TensorView};
///
/// let weights = [1.0f32, 2.0, 3.0, 4.0, 5.0, 6.0];
/// let view = TensorView::new(&weights, Shape::new(&[2, 3])?)?;
/// assert_eq!(view.dtype().name(), "float32");
/// # Ok::<(), ckdiff::Error>(())
/// ```
#[derive(Debug, Clone)]
pub struct TensorView<'a> {
    dtype: DType,
    shape: Shape,
    content: &'a [u8],
}

/// A Rust type for the elements of one dtype. Use [`TensorView::of_bytes`] for other dtypes, such as the quantized ones.
pub trait Native: Element {
    /// The dtype.
    const DTYPE: DType;
}

macro_rules! native {
    ($($element:ty: $dtype:ident;)*) => {$(
        impl Native for $element {
            const DTYPE: DType = DType::$dtype;
        }
    )*};
}
native! {
    f32: F32;
    f64: F64;
    f16: F16;
    bf16: BF16;
    i8: I8;
    i16: I16;
    i32: I32;
    i64: I64;
    u8: U8;
    u16: U16;
    u32: U32;
    u64: U64;
    Bool: Bool;
    Complex64: Complex64;
    Complex128: Complex128;
}

impl<'a> TensorView<'a> {
    /// A view of these elements.
    ///
    /// # Errors
    /// If the shape has another number of elements.
    pub fn new<T: Native + Pod>(elements: &'a [T], shape: Shape) -> Result<Self> {
        Self::of_bytes(T::DTYPE, shape, bytemuck::cast_slice(elements))
    }

    /// A view of these elements as a vector.
    pub fn flat<T: Native + Pod>(elements: &'a [T]) -> Self {
        let shape = Shape::flat(elements.len() as u64);
        Self { dtype: T::DTYPE, shape, content: bytemuck::cast_slice(elements) }
    }

    /// A view of these bytes as elements of `dtype`.
    ///
    /// # Errors
    /// If the size of the content does not fit dtype and shape, or the elements have no fixed width.
    pub fn of_bytes(dtype: DType, shape: Shape, content: &'a [u8]) -> Result<Self> {
        let bytes = dtype.size().and_then(|size| shape.elements().checked_mul(size as u64));
        if bytes != Some(content.len() as u64) {
            let found = format!("{} bytes", content.len());
            return Err(Error::unexpected(
                "content",
                found,
                format!("the size of {dtype} of shape {shape}"),
            ));
        }
        Ok(Self { dtype, shape, content })
    }

    /// The content.
    pub fn content(&self) -> &'a [u8] {
        self.content
    }
}

impl TensorSource for TensorView<'_> {
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
        Some(self)
    }

    fn stream(&self) -> Result<Box<dyn TensorStream + '_>> {
        Ok(Box::new(self.content))
    }
}

/// Content in memory has no stored checksum.
impl Extent for TensorView<'_> {
    fn read_at(&self, offset: u64, out: &mut [u8]) -> Result<()> {
        read_at(self.content, offset, out)
    }
}

/// Fills `out` with `content` from `offset` on.
pub(super) fn read_at(content: &[u8], offset: u64, out: &mut [u8]) -> Result<()> {
    let bytes = usize::try_from(offset)
        .ok()
        .and_then(|start| content.get(start..)?.get(..out.len()))
        .ok_or_else(|| {
            let left = (content.len() as u64).saturating_sub(offset);
            Error::truncated("read", out.len() as u64, left)
        })?;
    out.copy_from_slice(bytes);
    Ok(())
}
