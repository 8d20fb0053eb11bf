//! What was found, told: to a person ([`human`]) or to a program ([`json`]).
//!
//! Reports are made from results in memory and go to any writer; nothing here opens a file, asks the environment or
//! knows whether a terminal listens. The JSON forms are contracts: `*.schema.json` beside this file say what they hold.

mod devices;
pub mod human;
pub mod json;
mod listing;
mod overview;
mod palette;
mod values;

pub use devices::{Devices, Listed, Tested};
pub use listing::{Listing, Row};
pub use overview::{
    Argument, Asset, Callable, Collection, ConcreteFunction, ConstantValue, Contents, Directory,
    DirectoryFile, Encoding, Fingerprint, Function, Graph, MetaGraph, NamedTuple, Op, OpRole,
    Overview, Parameter, Parameters, Placeholder, Range, Saver, Signature, SpecialOp,
    StructuredValue, TensorSpec, TensorType, TypeSpec, Variable,
};
pub use palette::Palette;
pub use values::{Shown, Values};
