//! The names of scopes.

use crate::error::{Error, Result, shortened};

/// Checks that TensorFlow accepts the name of a scope; that of the root is empty.
pub(crate) fn check_scope(name: &str) -> Result<()> {
    let is_inner = |c: char| c.is_ascii_alphanumeric() || "_.\\/>-".contains(c);
    let is_first = |c: char| c.is_ascii_alphanumeric() || c == '.';
    if name.is_empty() || (name.starts_with(is_first) && name.chars().all(is_inner)) {
        return Ok(());
    }
    let expected = "a letter, a digit or a dot, followed by these or _ \\ / > -";
    Err(Error::unexpected("name of a scope", format!("{:?}", shortened(name)), expected))
}

/// Checks that a node can be moved to another scope. TensorFlow refuses more names.
///
/// # Errors
/// If the name is empty, or begins like a control input or with the `/` that ends a scope.
pub(crate) fn check_node_name(name: &str) -> Result<()> {
    if name.is_empty() || name.starts_with(['^', '/']) {
        let expected = "a name that does not begin with ^ or /";
        return Err(Error::unexpected(
            "name of a node",
            format!("{:?}", shortened(name)),
            expected,
        ));
    }
    Ok(())
}

/// The scope in the name of a node: the part before the last `/`, or nothing.
pub(crate) fn scope_of(name: &str) -> &str {
    name.rsplit_once('/').map_or("", |(scope, _)| scope)
}
