//! The name of the file with the snapshot of a model.

use std::path::Path;

/// The extension of snapshots.
const EXTENSION: &str = "snapshot";

/// The most bytes of a name before its extension; longer names are not allowed by most systems.
const MAX_BYTES: usize = 200;

/// The name of the file with the snapshot of the model at `path`: the last part of the path without its extension. Characters that a
/// name of a file cannot have on some system become `_`. `None` if the path has no last part.
///
/// ```
/// use ckdiff::snapshot::file_name;
///
/// for (path, name) in [
///     ("exports/model.ckpt.meta", "model.ckpt.snapshot"),
///     ("saved/classifier/", "classifier.snapshot"),
///     ("a:b?.pb", "a_b_.snapshot"),
/// ] {
///     assert_eq!(file_name(path.as_ref()).as_deref(), Some(name));
/// }
/// assert_eq!(file_name("..".as_ref()), None);
/// ```
pub fn file_name(path: &Path) -> Option<String> {
    // The name of a directory or of a checkpoint's prefix may have dots.
    const KNOWN: [&str; 10] = [
        "meta",
        "pb",
        "pbtxt",
        "json",
        "index",
        "ckpt",
        "txt",
        "safetensors",
        "pbtext",
        "textproto",
    ];
    let name = path.file_name()?;
    let extension = path.extension().and_then(|extension| extension.to_str());
    let name = match extension.filter(|extension| KNOWN.contains(extension)) {
        Some(_) => path.file_stem()?,
        None => name,
    };
    let is_safe = |c: char| c.is_alphanumeric() || "_-.+=@,".contains(c);
    let safe = name.to_string_lossy();
    let mut safe: String = safe.chars().map(|c| if is_safe(c) { c } else { '_' }).collect();
    while safe.len() > MAX_BYTES {
        safe.pop();
    }
    // A hidden file would not be seen.
    let shown = safe.trim_start_matches('.');
    Some(format!("{shown}.{EXTENSION}")).filter(|_| !shown.is_empty())
}
