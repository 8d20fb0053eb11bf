//! Nodes and functions that TensorFlow derives from others, by their names.

/// Whether a node is in the scope of a saver: `save/` or `save_1/`.
pub(super) fn is_of_saver(name: &str) -> bool {
    name.split_once('/').is_some_and(|(scope, _)| is_numbered(scope, "save"))
}

/// Whether a function saves or restores the variables of a SavedModel.
pub(super) fn is_saver_function(name: &str) -> bool {
    name.contains("_traced_save") || name.contains("_traced_restore")
}

/// Whether a node or function computes gradients.
pub(super) fn is_of_gradients(name: &str) -> bool {
    let is_gradient = |part: &str| is_numbered(part, "gradients") || part.contains("_grad");
    name.split('/').any(is_gradient) || name.contains("__backward_")
}

/// Whether a name is `stem` or `stem_1`.
fn is_numbered(name: &str, stem: &str) -> bool {
    let number = name.strip_prefix(stem).map(|rest| rest.strip_prefix('_').unwrap_or(rest));
    number.is_some_and(|number| number.bytes().all(|byte| byte.is_ascii_digit()))
}
