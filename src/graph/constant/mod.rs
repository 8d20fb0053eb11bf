//! Constants: the value of a `TensorProto`, in any of its encodings.
//!
//! ```text
//! TensorProto { dtype, tensor_shape, tensor_content }   elements as in memory; strings: all lengths as varints, then all bytes
//! TensorProto { dtype, tensor_shape, *_val }            elements in the field of their type; the last one is repeated to fill the shape
//! ```
//! The value is the one that TensorFlow 2.21 gives a Const node: `tensor_content` takes precedence over the lists of values and
//! must have the right size; without either, all elements are zero; values beyond the shape are ignored, and so are all values if
//! the shape has no elements; integers keep their low bits. Handles and variants are not repeated; the missing ones are empty.
//! Two cases are errors here and not in TensorFlow: a shape of unknown rank, which it treats as a scalar, and values in the field
//! of another type, which it ignores.
//!
//! Repeated elements are not written out, so that the memory is bounded by the size of the message.

mod content;
mod head;
mod list;
mod proto;
mod source;
mod value;

pub use source::First;
pub use value::Constant;
