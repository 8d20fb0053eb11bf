//! Tensors: names, element types, shapes, slices, and content that is read in order or by offset.

mod buffered_stream;
pub(crate) mod cut;
mod decimal;
mod dtype;
mod element;
mod encoding;
mod facts;
mod floats;
pub(crate) mod framing;
mod integers;
mod owned;
mod reading;
mod scalars;
mod shape;
mod slice;
pub(crate) mod slice_spec;
mod small_float;
mod source;
mod value_field;
mod values;
mod view;

pub use crate::name::Name;
pub(crate) use buffered_stream::BufferedStream;
pub(crate) use decimal::nearest;
pub use dtype::DType;
pub(crate) use dtype::REFERENCE;
pub use element::{Bool, Complex64, Complex128, Element};
pub(crate) use encoding::power_of_two;
pub use facts::Facts;
pub use floats::{F4E2M1Fn, F8E4M3B11Fnuz, F8E4M3Fn, F8E4M3Fnuz, F8E5M2, F8E5M2Fnuz};
pub use integers::{I2, I4, U2, U4};
pub use owned::Tensor;
pub(crate) use reading::in_parallel;
pub use shape::Shape;
pub(crate) use shape::dims_text;
pub use slice::Slice;
pub use source::{TensorSource, TensorStream};
pub(crate) use value_field::{Coding, ValueField};

#[doc(hidden)]
pub use self::{
    decimal::shortest,
    dtype::Kind,
    element::{ComplexNumber, Number, Scalar, Visit},
    encoding::{Encoding, Layout, Specials},
    reading::read_through,
    source::{Extent, Section, Sections, StoredChecksums},
    values::{ShownElement, TensorValues},
    view::Native,
};
pub use view::TensorView;
