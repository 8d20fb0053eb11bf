//! What TensorFlow's fields mean beyond their schema. The walk compares fields by it, and explanations know the part of a model that a
//! change is in.

mod cursor;
mod fields;
mod part;
mod row;

pub(in crate::diff) use cursor::FieldCursor;
pub(crate) use fields::is_internal;
pub(in crate::diff) use fields::{
    is_drawn_seed, is_recorded_attribute, is_set_for_many, is_shape_attribute, meaning, tags,
};
pub(in crate::diff) use part::Part;
pub(in crate::diff) use row::{FieldComparison, Items, KeyField, ListAs, Meaning};
