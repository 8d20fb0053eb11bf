//! Git LFS pointers: small texts that stand for large files in a repository.
//!
//! ```text
//! version https://git-lfs.github.com/spec/v1
//! oid sha256:4d7a214614ab2935c943f9e0ff69d22eadbb8f32b1258daaa5e2ca24d17e2393
//! size 12345
//! ```
//! Source: `docs/spec.md` of Git LFS. A pointer is smaller than 1,024 bytes.

/// The size that every pointer is below.
pub(crate) const MAX_BYTES: u64 = 1024;

/// What a pointer says about its file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Pointer {
    /// The hash of the content: `sha256:…`.
    pub(crate) oid: String,
    /// The size in bytes.
    pub(crate) size: u64,
}

impl Pointer {
    /// Parses a pointer; `None` if `text` is not one.
    pub(crate) fn parse(text: &[u8]) -> Option<Self> {
        let text = std::str::from_utf8(text).ok()?;
        let mut lines = text.lines();
        // The caller has recognized the first line.
        lines.next()?;
        let value = |key: &str| {
            let found = lines.clone().find_map(|line| line.strip_prefix(key)?.strip_prefix(' '));
            found.map(str::to_owned)
        };
        let size = value("size")?.parse().ok()?;
        Some(Self { oid: value("oid")?, size })
    }
}
