//! The names of nodes.

/// Whether TensorFlow takes the name; `is_inner` is for functions, where it makes names of its own.
///
/// Source: what TensorFlow 2.21 imports and refuses: letters, digits and `_./-`, the first a letter, a digit or a dot,
/// also behind each `>`. Python makes and exports nodes with a `\` in their names, but no graph with one is imported.
pub(super) fn is_valid(name: &str, is_inner: bool) -> bool {
    let name =
        name.strip_prefix('_').filter(|_| is_inner).map_or(name, |_| name.trim_start_matches('_'));
    let is_part = |part: &str| {
        part.starts_with(|first: char| first.is_ascii_alphanumeric() || first == '.')
            && part.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"_./-".contains(&byte))
    };
    name.split('>').all(is_part)
}
