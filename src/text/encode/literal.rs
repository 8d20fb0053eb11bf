//! Decodes the escapes of a string literal.

use memchr::memchr;

/// An error in a literal, at one of its bytes.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct EscapeError {
    pub(super) at: usize,
    pub(super) message: &'static str,
}

/// Appends the bytes that `literal`, given without its quotes, denotes.
///
/// # Errors
/// If an escape is unknown, or its value is not a byte or not a character.
pub(super) fn unescape(literal: &[u8], out: &mut Vec<u8>) -> Result<(), EscapeError> {
    let mut rest = literal;
    while let Some(plain) = memchr(b'\\', rest) {
        out.extend_from_slice(rest.get(..plain).unwrap_or_default());
        rest = rest.get(plain..).unwrap_or_default();
        // Printers write bytes as octal escapes of three digits, one after the other.
        while let [b'\\', a @ b'0'..=b'3', b @ b'0'..=b'7', c @ b'0'..=b'7', after @ ..] = rest {
            out.push((a & 3) << 6 | (b & 7) << 3 | c & 7);
            rest = after;
        }
        if let [b'\\', after @ ..] = rest {
            let len = escape(after, out)
                .map_err(|message| EscapeError { at: literal.len() - rest.len(), message })?;
            rest = after.get(len..).unwrap_or_default();
        }
    }
    out.extend_from_slice(rest);
    Ok(())
}

/// Appends the value of an escape, given without its backslash; returns its length.
fn escape(rest: &[u8], out: &mut Vec<u8>) -> Result<usize, &'static str> {
    let (&kind, digits) = rest.split_first().ok_or("expected a character after the backslash")?;
    let simple = match kind {
        b'a' => 0x07,
        b'b' => 0x08,
        b'f' => 0x0c,
        b'n' => b'\n',
        b'r' => b'\r',
        b't' => b'\t',
        b'v' => 0x0b,
        b'?' | b'\\' | b'\'' | b'"' => kind,
        b'0'..=b'7' => {
            let (value, len) = number(rest, 8, 3);
            out.push(u8::try_from(value).map_err(|_| "an octal escape above \\377 is not a byte")?);
            return Ok(len);
        }
        b'x' | b'X' => {
            let (value, len) = number(digits, 16, 2);
            if len == 0 {
                return Err("\\x needs one or two hexadecimal digits");
            }
            out.extend(u8::try_from(value));
            return Ok(1 + len);
        }
        b'u' => return character(digits, 4, "\\u needs four hexadecimal digits", out),
        b'U' => return character(digits, 8, "\\U needs eight hexadecimal digits", out),
        _ => {
            return Err("unknown escape; the text format has \
                        \\a \\b \\f \\n \\r \\t \\v \\? \\\\ \\' \\\" \\NNN \\xNN \\uNNNN \\UNNNNNNNN");
        }
    };
    out.push(simple);
    Ok(1)
}

/// Appends the character of this code point, as UTF-8.
fn character(
    digits: &[u8],
    len: usize,
    too_few: &'static str,
    out: &mut Vec<u8>,
) -> Result<usize, &'static str> {
    let (value, found) = number(digits, 16, len);
    if found < len {
        return Err(too_few);
    }
    let c = char::from_u32(value).ok_or("not a character: a surrogate, or above \\U0010FFFF")?;
    out.extend_from_slice(c.encode_utf8(&mut [0; 4]).as_bytes());
    Ok(1 + len)
}

/// The value and the number of the leading digits, of which at most `most` count.
fn number(digits: &[u8], radix: u32, most: usize) -> (u32, usize) {
    let digits = digits.iter().take(most).map_while(|&byte| char::from(byte).to_digit(radix));
    digits.fold((0, 0), |(value, len), digit| (value * radix + digit, len + 1))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn meaning(literal: &str) -> Result<Vec<u8>, usize> {
        let mut out = Vec::new();
        unescape(literal.as_bytes(), &mut out).map_err(|error| error.at)?;
        Ok(out)
    }

    #[test]
    fn escapes_mean_what_the_language_says() {
        for (literal, bytes) in [
            (r"", b"".as_slice()),
            (r"plain", b"plain"),
            (r"\a\b\f\n\r\t\v\?\\\'\0", b"\x07\x08\x0c\n\r\t\x0b?\\'\0"),
            (r"\1\12\123\1234\377x", b"\x01\x0a\x53\x534\xffx"),
            (r"\x1\X1f\x1fF", b"\x01\x1f\x1fF"),
            (r"\u00e9\U0001F600", "é😀".as_bytes()),
        ] {
            assert_eq!(meaning(literal), Ok(bytes.to_vec()), "{literal}");
        }
    }

    #[test]
    fn an_escape_that_is_neither_byte_nor_character_is_refused_at_its_place() {
        for (literal, at) in [
            (r"ab\q", 2),
            (r"\/", 0),
            (r"\400", 0),
            (r"\777", 0),
            (r"\1\x", 2),
            (r"\u123", 0),
            (r"\ud800", 0),
            (r"\ud83d\ude00", 0),
            (r"\U00110000", 0),
            ("a\\", 1),
        ] {
            assert_eq!(meaning(literal), Err(at), "{literal}");
        }
    }
}
