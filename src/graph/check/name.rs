//! Checks the names of nodes.

/// Whether TensorFlow accepts a name; `is_inner` is for functions, where it generates names.
///
/// Source: the names that TensorFlow 2.21 imports: letters, digits and `_./-`, the first a letter, a digit or a dot, also after
/// each `>`. Python creates and exports nodes with a `\` in their names, but TensorFlow refuses to import them.
pub(super) fn is_valid(name: &str, is_inner: bool) -> bool {
    let name =
        name.strip_prefix('_').filter(|_| is_inner).map_or(name, |_| name.trim_start_matches('_'));
    let is_part = |part: &str| {
        part.starts_with(|first: char| first.is_ascii_alphanumeric() || first == '.')
            && part.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"_./-".contains(&byte))
    };
    name.split('>').all(is_part)
}
