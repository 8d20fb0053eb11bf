//! Base64 (RFC 4648): written in the standard alphabet, read in the standard and the URL-safe one.

const ALPHABET: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

/// The value of a byte that is no digit.
const NONE: u8 = 0xff;

/// The value of each byte as a digit, in either alphabet.
const DIGITS: [u8; 256] = digits();

#[expect(
    clippy::indexing_slicing,
    clippy::cast_possible_truncation,
    reason = "evaluated at compile time"
)]
const fn digits() -> [u8; 256] {
    let mut digits = [NONE; 256];
    let mut value = 0;
    while value < 64 {
        digits[ALPHABET[value] as usize] = value as u8;
        value += 1;
    }
    digits[b'-' as usize] = 62;
    digits[b'_' as usize] = 63;
    digits
}

/// Appends `bytes` in the standard alphabet, padded to whole groups of four.
pub(crate) fn encode(bytes: &[u8], out: &mut Vec<u8>) {
    let symbol = |bits: u32, shift: u32| {
        ALPHABET.get((bits >> shift & 63) as usize).copied().unwrap_or_default()
    };
    let (groups, rest) = bytes.as_chunks::<3>();
    out.reserve(bytes.len().div_ceil(3) * 4);
    out.extend(groups.iter().flat_map(|&[a, b, c]| {
        let bits = u32::from(a) << 16 | u32::from(b) << 8 | u32::from(c);
        [symbol(bits, 18), symbol(bits, 12), symbol(bits, 6), symbol(bits, 0)]
    }));
    match *rest {
        [a] => {
            let bits = u32::from(a) << 16;
            out.extend([symbol(bits, 18), symbol(bits, 12), b'=', b'=']);
        }
        [a, b] => {
            let bits = u32::from(a) << 16 | u32::from(b) << 8;
            out.extend([symbol(bits, 18), symbol(bits, 12), symbol(bits, 6), b'=']);
        }
        _ => {}
    }
}

/// Appends the bytes that `text` encodes. Padding is optional, and bits beyond the last byte are ignored.
///
/// # Errors
/// A description of a byte that is no digit, or of padding of the wrong length. What was appended is then meaningless.
pub(crate) fn decode(text: &[u8], out: &mut Vec<u8>) -> Result<(), String> {
    let padding = text.iter().rev().take_while(|&&byte| byte == b'=').count();
    let digits = text.get(..text.len() - padding).unwrap_or_default();
    if padding != 0 && (padding > 2 || !text.len().is_multiple_of(4)) {
        return Err(format!("{} digits followed by {padding} `=`", digits.len()));
    }
    let value = |byte: u8| u32::from(DIGITS.get(usize::from(byte)).copied().unwrap_or(NONE));
    let (groups, rest) = digits.as_chunks::<4>();
    out.reserve(digits.len().div_ceil(4) * 3);
    // Digits have six bits, NONE has eight: one look after the loop finds any that is wrong.
    let mut wrong = 0;
    out.extend(groups.iter().flat_map(|&[a, b, c, d]| {
        let (a, b, c, d) = (value(a), value(b), value(c), value(d));
        wrong |= a | b | c | d;
        let bits = a << 18 | b << 12 | c << 6 | d;
        [(bits >> 16 & 0xff) as u8, (bits >> 8 & 0xff) as u8, (bits & 0xff) as u8]
    }));
    let tail: u32 = rest.iter().map(|&byte| value(byte)).fold(0, |bits, digit| {
        wrong |= digit;
        bits << 6 | digit & 63
    });
    if wrong > 63 {
        let found = digits.iter().find(|&&byte| value(byte) > 63);
        let found = found.map_or_else(String::new, |byte| byte.escape_ascii().to_string());
        return Err(format!("`{found}`, which is not a base64 digit"));
    }
    let spare = match rest.len() {
        0 => return Ok(()),
        2 => 4,
        3 => 2,
        _ => return Err(format!("{} digits, one too many", digits.len())),
    };
    let whole = tail >> spare;
    if rest.len() == 3 {
        out.push((whole >> 8 & 0xff) as u8);
    }
    out.push((whole & 0xff) as u8);
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn encoded(bytes: &[u8]) -> String {
        let mut out = Vec::new();
        encode(bytes, &mut out);
        String::from_utf8(out).unwrap()
    }

    fn decoded(text: &str) -> Result<Vec<u8>, String> {
        let mut out = Vec::new();
        decode(text.as_bytes(), &mut out).map(|()| out)
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
            assert_eq!(encoded(bytes.as_bytes()), text);
            assert_eq!(decoded(text).as_deref(), Ok(bytes.as_bytes()));
            assert_eq!(decoded(text.trim_end_matches('=')).as_deref(), Ok(bytes.as_bytes()));
        }
    }

    #[test]
    fn every_byte_comes_back_in_either_alphabet() {
        let bytes: Vec<u8> = (0..=255).chain((0..=255).rev()).collect();
        for len in 0..bytes.len() {
            let text = encoded(&bytes[..len]);
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
