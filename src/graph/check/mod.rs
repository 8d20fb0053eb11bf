//! Checks the nodes of a graph, and of its functions, against the definitions of their ops.
//!
//! Finds what TensorFlow refuses when it imports a graph or instantiates a function, and what cannot run: unknown ops, wrong
//! attributes and inputs, cycles, recursion. Shapes and dtypes of tensors are not inferred.
//!
//! TensorFlow has ignored unknown attributes for some years, and refused them before; they are findings, since their values are
//! lost either way.

mod attrs;
mod body;
mod checker;
mod cycles;
mod inputs;
mod library;
mod name;
mod recursion;
mod scope;
mod signature;
mod source;
mod value;

pub use checker::check;
