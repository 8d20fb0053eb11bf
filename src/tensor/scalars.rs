//! Decodes fixed-width elements to values.

use super::{Bool, ComplexNumber, DType, Element, Number, Scalar, Visit};

impl DType {
    /// The elements in `bytes`; an incomplete last one is ignored. Empty for types without a fixed width.
    pub(crate) fn scalars(self, bytes: &[u8]) -> Vec<Scalar> {
        self.visit(Scalars(bytes))
    }

    /// The first `count` elements; see [`scalars`](Self::scalars).
    pub(crate) fn first_scalars(self, bytes: &[u8], count: usize) -> Vec<Scalar> {
        let wanted = self.size().unwrap_or(0).saturating_mul(count);
        self.scalars(bytes.get(..wanted).unwrap_or(bytes))
    }
}

struct Scalars<'a>(&'a [u8]);

impl Scalars<'_> {
    fn of<T: Element>(&self) -> Vec<Scalar> {
        let elements = self.0.chunks_exact(size_of::<T>());
        elements.map(|bytes| bytemuck::pod_read_unaligned::<T>(bytes).scalar()).collect()
    }
}

impl Visit for Scalars<'_> {
    type Out = Vec<Scalar>;

    fn number<T: Number>(self) -> Vec<Scalar> {
        self.of::<T>()
    }

    fn complex<T: ComplexNumber>(self) -> Vec<Scalar> {
        self.of::<T>()
    }

    fn boolean(self) -> Vec<Scalar> {
        self.of::<Bool>()
    }

    fn bytes(self) -> Vec<Scalar> {
        Vec::new()
    }
}
