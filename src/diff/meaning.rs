//! The meaning of TensorFlow's fields and attributes beyond their schema.

/// Whether an attribute is internal to TensorFlow: its name begins with `_`. `_class` restricts placement and is not.
pub(crate) fn is_internal(name: &str) -> bool {
    name.starts_with('_') && name != "_class"
}
