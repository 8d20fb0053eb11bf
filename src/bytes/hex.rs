//! Hexadecimal digits.

/// The bytes in hexadecimal, two lower-case digits each.
///
/// ```
/// assert_eq!(ckdiff::bytes::hex([0x0a, 0xff]), "0aff");
/// ```
pub fn hex(bytes: impl AsRef<[u8]>) -> String {
    bytes.as_ref().iter().map(|byte| format!("{byte:02x}")).collect()
}
