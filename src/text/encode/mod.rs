//! Encodes the tokens of a text as wire bytes, by the schema.
//!
//! The encoder decides what the grammar leaves open: the field of a name, the values of a field, and whether a field may
//! be set twice.

mod encoded;
mod encoder;
mod frame;
mod literal;
mod name;
mod number;
mod piece;
mod scalar;

pub(super) use encoder::Encoder;
pub(super) use frame::Container;
pub(super) use piece::{Context, PieceEncoder, Step};
