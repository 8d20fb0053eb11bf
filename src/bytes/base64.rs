//! Base64 (RFC 4648): written in the standard alphabet, read in the standard and the URL-safe one.

use std::borrow::Cow;

use base64::alphabet::STANDARD;
use base64::engine::{DecodePaddingMode, GeneralPurpose, GeneralPurposeConfig};
use base64::{DecodeError, Engine};

/// The writer pads. The reader accepts text with or without padding and ignores bits beyond the last byte, as protobuf does.
const PADDED: GeneralPurpose = engine(DecodePaddingMode::RequireCanonical);
const UNPADDED: GeneralPurpose = engine(DecodePaddingMode::RequireNone);

const fn engine(padding: DecodePaddingMode) -> GeneralPurpose {
    let config = GeneralPurposeConfig::new().with_decode_allow_trailing_bits(true);
    GeneralPurpose::new(&STANDARD, config.with_decode_padding_mode(padding))
}

/// Encodes `bytes` in the standard alphabet, padded to whole groups of four.
pub(crate) fn encode(bytes: &[u8]) -> String {
    PADDED.encode(bytes)
}

/// Decodes a text in either alphabet. Padding is optional, and bits beyond the last byte are ignored.
///
/// # Errors
/// A description of a byte that is no digit, or of padding of the wrong length.
pub(crate) fn decode(text: &[u8]) -> Result<Vec<u8>, String> {
    let standard = if text.iter().any(|byte| matches!(byte, b'-' | b'_')) {
        let digit = |byte: &u8| match byte {
            b'-' => b'+',
            b'_' => b'/',
            byte => *byte,
        };
        Cow::Owned(text.iter().map(digit).collect())
    } else {
        Cow::Borrowed(text)
    };
    let engine = if text.ends_with(b"=") { &PADDED } else { &UNPADDED };
    engine.decode(&standard).map_err(|error| match error {
        DecodeError::InvalidByte(_, byte) if byte != b'=' => {
            format!("`{}`, which is not a base64 digit", byte.escape_ascii())
        }
        _ => {
            let digits = text.iter().filter(|&&byte| byte != b'=').count();
            format!("{digits} digits and {} `=`", text.len() - digits)
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn decoded(text: &str) -> Result<Vec<u8>, String> {
        decode(text.as_bytes())
    }

    #[test]
    fn the_vectors_of_the_rfc_hold_both_ways() {
        for (bytes, text) in [
            ("", ""),
            ("f", "Zg=="),
            ("fo", "Zm8="),
            ("foo", "Zm9v"),
            ("foob", "Zm9vYg=="),
            ("fooba", "Zm9vYmE="),
            ("foobar", "Zm9vYmFy"),
        ] {
            assert_eq!(encode(bytes.as_bytes()), text);
            assert_eq!(decoded(text).as_deref(), Ok(bytes.as_bytes()));
            assert_eq!(decoded(text.trim_end_matches('=')).as_deref(), Ok(bytes.as_bytes()));
        }
    }

    #[test]
    fn every_byte_comes_back_in_either_alphabet() {
        let bytes: Vec<u8> = (0..=255).chain((0..=255).rev()).collect();
        for len in 0..bytes.len() {
            let text = encode(&bytes[..len]);
            assert_eq!(decoded(&text).as_deref(), Ok(&bytes[..len]));
            let other = text.replace('+', "-").replace('/', "_");
            assert_eq!(decoded(&other).as_deref(), Ok(&bytes[..len]));
        }
    }

    #[test]
    fn other_texts_are_refused() {
        for text in ["Z", "Zg=", "Zg===", "=", "====", "Zm9v=", "Zg==Zg==", "Z g=", "Zm9v\n"] {
            assert!(decoded(text).is_err(), "{text:?}");
        }
    }
}
