//! Ids that TensorFlow and Keras draw at random, in texts.

/// The lengths of the parts of a UUID, in hexadecimal digits.
const UUID: [usize; 5] = [8, 4, 4, 4, 12];

/// The name of a sharded saver's temporary directory, before its id.
const TEMPORARY: &[u8] = b"_temp_";
const ID: usize = 32;

/// A text with zeros for the digits of random ids, such as those in `lstm_da93e0a5-…` and `_temp_…/part`; `None` if it has none. The
/// length stays the same.
pub(crate) fn without_random_ids(text: &[u8]) -> Option<Vec<u8>> {
    let mut found: Option<Vec<u8>> = None;
    let mut at = 0;
    while at < text.len() {
        let rest = text.get(at..).unwrap_or_default();
        let (skipped, len) = match rest.strip_prefix(TEMPORARY) {
            Some(id) if hex_digits(id) == ID => (TEMPORARY.len(), ID),
            _ if is_uuid(rest) => (0, UUID.iter().sum::<usize>() + UUID.len() - 1),
            _ => {
                at += 1;
                continue;
            }
        };
        let start = at + skipped;
        let text = found.get_or_insert_with(|| text.to_vec());
        for byte in text.iter_mut().skip(start).take(len).filter(|byte| **byte != b'-') {
            *byte = b'0';
        }
        at = start + len;
    }
    found
}

/// The number of hexadecimal digits at the start of a text.
fn hex_digits(text: &[u8]) -> usize {
    text.iter().take(ID + 1).take_while(|byte| byte.is_ascii_hexdigit()).count()
}

fn is_uuid(text: &[u8]) -> bool {
    let mut rest = text;
    for (position, len) in UUID.into_iter().enumerate() {
        if position > 0 {
            match rest.strip_prefix(b"-") {
                Some(after) => rest = after,
                None => return false,
            }
        }
        match rest.split_at_checked(len) {
            Some((digits, after)) if digits.iter().all(u8::is_ascii_hexdigit) => rest = after,
            _ => return false,
        }
    }
    true
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_random_ids_are_masked() {
        for (text, expected) in [
            (
                "lstm_da93e0a5-0b6c-4f7e-9c55-0123456789ab",
                Some("lstm_00000000-0000-0000-0000-000000000000"),
            ),
            (
                "_temp_0123456789abcdef0123456789abcdef/part",
                Some("_temp_00000000000000000000000000000000/part"),
            ),
            ("_temp_0123456789abcdef0123456789abcde/part", None),
            ("da93e0a5-0b6c", None),
            ("deadbeefdeadbeefdeadbeefdeadbeef", None),
            ("", None),
        ] {
            let found = without_random_ids(text.as_bytes());
            assert_eq!(found, expected.map(|text| text.as_bytes().to_vec()), "{text}");
        }
    }
}
