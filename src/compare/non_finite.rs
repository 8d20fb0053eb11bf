//! Counts the NaN and infinities of a tensor by itself, for tensors that have no counterpart to be compared with.

use serde::Serialize;

use crate::error::Result;
use crate::serial::{Json, Object, Read};
use crate::tensor::{ComplexNumber, DType, Element, Kind, Number, Visit};

/// The NaN and infinities of a tensor.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize)]
pub struct NonFiniteCounts {
    /// Elements that are NaN; of complex numbers, those with a part that is.
    pub nan: u64,
    /// Infinite elements; of complex numbers, those with a part that is infinite, and none that is NaN.
    pub inf: u64,
}

impl NonFiniteCounts {
    /// Whether elements of this dtype can be NaN or infinite.
    pub(crate) fn has_any(dtype: DType) -> bool {
        matches!(dtype.kind(), Kind::Float | Kind::Complex)
    }

    /// Adds whole elements of a chunk of content, less than 2^32.
    pub(crate) fn add(&mut self, dtype: DType, content: &[u8]) {
        let found = dtype.visit(Count(content));
        self.nan += found.nan;
        self.inf += found.inf;
    }
}

impl<'r> Read<'r> for NonFiniteCounts {
    fn read(json: Json<'r>) -> Result<Self> {
        let object = Object::read(json)?;
        Ok(Self { nan: object.get("nan")?, inf: object.get("inf")? })
    }
}

/// Counts the elements of some content.
struct Count<'c>(&'c [u8]);

impl Count<'_> {
    /// Counts by a function that says whether an element is NaN, and whether it is infinite. The counters are narrow and nothing
    /// branches, so that the loop vectorizes.
    fn each<T: Element>(self, classify: impl Fn(T) -> (bool, bool)) -> NonFiniteCounts {
        let (mut nan, mut inf) = (0u32, 0u32);
        for element in self.0.chunks_exact(size_of::<T>()) {
            let (is_nan, is_inf) = classify(bytemuck::pod_read_unaligned(element));
            nan += u32::from(is_nan);
            inf += u32::from(is_inf);
        }
        NonFiniteCounts { nan: nan.into(), inf: inf.into() }
    }
}

impl Visit for Count<'_> {
    type Out = NonFiniteCounts;

    fn number<T: Number>(self) -> NonFiniteCounts {
        if !T::FLOAT {
            return NonFiniteCounts::default();
        }
        self.each(|element: T| {
            let value = element.to_f64();
            (value.is_nan(), value.is_infinite())
        })
    }

    fn complex<T: ComplexNumber>(self) -> NonFiniteCounts {
        self.each(|element: T| {
            let (re, im) = element.parts();
            let is_nan = re.is_nan() | im.is_nan();
            (is_nan, !is_nan & (re.is_infinite() | im.is_infinite()))
        })
    }

    fn boolean(self) -> NonFiniteCounts {
        NonFiniteCounts::default()
    }

    fn bytes(self) -> NonFiniteCounts {
        NonFiniteCounts::default()
    }
}
