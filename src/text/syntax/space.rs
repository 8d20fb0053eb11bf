//! White space and comments.

/// Whether a byte is white space, which is ASCII only in this format.
pub(in crate::text) fn is_space(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t'..=b'\r')
}

/// The first byte from `at` on that is neither white space nor part of a comment.
pub(in crate::text) fn after_spaces(bytes: &[u8], mut at: usize) -> usize {
    loop {
        match bytes.get(at) {
            Some(&byte) if is_space(byte) => at += 1,
            Some(b'#') => {
                let rest = bytes.get(at..).unwrap_or_default();
                at += memchr::memchr(b'\n', rest).unwrap_or(rest.len());
            }
            _ => return at,
        }
    }
}
