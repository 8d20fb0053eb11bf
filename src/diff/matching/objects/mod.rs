//! Matches the objects of two object graphs by their key paths, independent of their numbers.

mod checkpoints;
mod guide;
mod keys;
mod lists;
mod matching;
mod structure;
mod tensor_table;
mod traits;

pub(in crate::diff) use checkpoints::KeyPairs;
pub(in crate::diff) use lists::list_and_number;
pub(in crate::diff) use matching::{ObjectMatching, ReferenceKey, RenamedChild, is_set};
pub(in crate::diff) use tensor_table::{TensorTable, tensor_table};
pub(in crate::diff) use traits::name_stem;
