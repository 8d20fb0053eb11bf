//! Searches parts of a text without quotes, comments and brackets.

use super::space::is_space;

/// The first byte in `from..to` that is not white space.
pub(super) fn next_after(piece: &[u8], from: usize, to: usize) -> Option<u8> {
    piece.get(from..to)?.iter().find(|&&byte| !is_space(byte)).copied()
}

/// The last byte in `from..to` that is not white space.
pub(super) fn significant(piece: &[u8], from: usize, to: usize) -> Option<u8> {
    piece.get(from..to)?.iter().rev().find(|&&byte| !is_space(byte)).copied()
}

pub(super) fn after_word(piece: &[u8], from: usize, to: usize) -> usize {
    let rest = piece.get(from..to).unwrap_or_default();
    from + rest.iter().take_while(|&&byte| is_letter(byte) || byte.is_ascii_digit()).count()
}

/// Quotes, `#` and brackets. A table takes half the time of comparisons.
#[expect(clippy::indexing_slicing, reason = "a constant: an index out of range does not compile")]
const STOPS: [bool; 256] = {
    let mut stops = [false; 256];
    let mut bytes: &[u8] = b"\"'#{}<>[]";
    while let [byte, rest @ ..] = bytes {
        stops[*byte as usize] = true;
        bytes = rest;
    }
    stops
};

pub(super) fn is_stop(byte: u8) -> bool {
    STOPS.get(usize::from(byte)) == Some(&true)
}

pub(super) fn is_letter(byte: u8) -> bool {
    byte.is_ascii_alphabetic() || byte == b'_'
}
