//! Names that are not UTF-8, for JSON, which holds text only.

use std::fmt;

use serde::{Serialize, Serializer};

use crate::tensor::Name;

const ALPHABET: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

/// `bytes` in base 64, with padding (RFC 4648, section 4).
pub fn encode(bytes: &[u8]) -> String {
    let mut out = String::with_capacity(bytes.len().div_ceil(3) * 4);
    for group in bytes.chunks(3) {
        let bits = group.iter().fold(0, |bits, &byte| bits << 8 | u32::from(byte))
            << (8 * (3 - group.len()));
        for i in 0..4 {
            let digit = (bits >> (18 - 6 * i)) as usize & 63;
            let padding = i > group.len();
            let symbol = ALPHABET.get(digit).filter(|_| !padding).copied();
            out.push(char::from(symbol.unwrap_or(b'=')));
        }
    }
    out
}

/// A name as text: what is not UTF-8 as `\xNN`.
pub(super) struct Text<'a>(pub(super) &'a Name);

impl Serialize for Text<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(&self.0 as &dyn fmt::Display)
    }
}

/// The exact bytes of a name that is not UTF-8; `None` for any other.
pub(super) fn exact(name: &Name) -> Option<String> {
    name.as_str().is_none().then(|| encode(name.as_bytes()))
}

#[cfg(test)]
mod tests {
    use super::encode;

    #[test]
    fn the_vectors_of_the_rfc() {
        let cases = [
            ("", ""),
            ("f", "Zg=="),
            ("fo", "Zm8="),
            ("foo", "Zm9v"),
            ("foob", "Zm9vYg=="),
            ("foobar", "Zm9vYmFy"),
        ];
        for (bytes, text) in cases {
            assert_eq!(encode(bytes.as_bytes()), text);
        }
        assert_eq!(encode(&[0xff, 0xfe]), "//4=");
    }
}
