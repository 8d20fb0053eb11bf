//! From the path a user gives to the files of a checkpoint.
//!
//! Names are taken as they are: `*` and `[` are characters, not patterns. Only the `?????` of a sharded V1 checkpoint,
//! which TensorFlow writes itself, stands for numbers.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use crate::bytes::File;
use crate::files;
use crate::table;

/// Where a V2 checkpoint is.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct BundlePlace {
    /// What its files' names start with.
    pub(super) prefix: PathBuf,
    /// `P.index`.
    pub(super) index: PathBuf,
    /// Whether the path names the index, so that there may be no data.
    pub(super) by_index: bool,
}

/// The V2 checkpoint that `path` names: its prefix, its index, or a shard of its data.
pub(super) fn bundle(path: &Path) -> Option<BundlePlace> {
    let index = with_suffix(path, ".index");
    if is_there(&index) {
        return Some(BundlePlace { prefix: path.to_path_buf(), index, by_index: false });
    }
    let extension = path.extension()?.to_str()?;
    let prefix = path.with_extension("");
    if extension == "index" {
        let index = path.to_path_buf();
        return is_there(path).then_some(BundlePlace { prefix, index, by_index: true });
    }
    numbered(extension.strip_prefix("data-")?)?;
    let index = with_suffix(&prefix, ".index");
    (is_there(path) || is_there(&index)).then_some(BundlePlace { prefix, index, by_index: false })
}

/// Where a V1 checkpoint is.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum TablePlace {
    /// In one file.
    Single(PathBuf),
    /// In files of this stem, so many.
    Sharded(OsString, u32),
}

/// The V1 checkpoint that `path` may name: its file, a shard of it, or `STEM-?????-of-00002`.
pub(super) fn table(path: &Path) -> Option<TablePlace> {
    let name = path.file_name()?.to_str();
    let sharded = name.and_then(|name| {
        // `-00000-of-00002`
        let (stem, suffix) = name.split_at_checked(name.len().checked_sub(15)?)?;
        let suffix = suffix.strip_prefix('-')?;
        let (number, count) = numbered(suffix)?;
        if number.is_none() && is_there(path) {
            return None;
        }
        let mut stem = path.with_file_name(stem).into_os_string();
        stem.push("-");
        Some(TablePlace::Sharded(stem, count))
    });
    match sharded {
        Some(TablePlace::Sharded(stem, count)) => {
            has_shard(Path::new(&stem), count).then_some(TablePlace::Sharded(stem, count))
        }
        _ => (is_there(path) && !path.is_dir()).then(|| TablePlace::Single(path.to_path_buf())),
    }
}

/// Whether `path` names a checkpoint, readable or not.
pub(super) fn names_one(path: &Path) -> bool {
    bundle(path).is_some() || table(path).is_some()
}

/// Whether the file at `path` is one of a checkpoint's: an index or a V1 file by its end, a shard by its name.
pub(crate) fn is_file_of_one(path: &Path) -> bool {
    let is_shard = bundle(path).is_some_and(|place| place.prefix != path && !place.by_index);
    is_shard || File::open(path).is_ok_and(|file| table::is_table(&file))
}

/// Whether there is anything of this name, also what cannot be opened: then the error says so.
fn is_there(path: &Path) -> bool {
    path.symlink_metadata().is_ok()
}

/// Whether any shard of `STEM-?????-of-COUNT` is there; `stem` ends in the dash.
fn has_shard(stem: &Path, count: u32) -> bool {
    let (Some(stem_name), Some(dir)) = (stem.file_name(), stem.parent()) else { return false };
    let dir = if dir.as_os_str().is_empty() { Path::new(".") } else { dir };
    let end = format!("-of-{count:05}");
    let mut entries = std::fs::read_dir(dir).into_iter().flatten().flatten();
    entries.any(|entry| {
        let name = entry.file_name();
        let suffix = name.as_encoded_bytes().strip_prefix(stem_name.as_encoded_bytes());
        suffix.is_some_and(|suffix| suffix.ends_with(end.as_bytes()) && suffix.len() < 20)
    })
}

/// The number, unless it is `?????`, and the count of `00000-of-00002`.
fn numbered(suffix: &str) -> Option<(Option<u32>, u32)> {
    let (number, count) = suffix.split_once("-of-")?;
    let digits = |text: &str| {
        let plain = text.len() >= 5 && text.bytes().all(|byte| byte.is_ascii_digit());
        plain.then(|| text.parse().ok())?
    };
    let count = digits(count)?;
    match number {
        "?????" => Some((None, count)),
        _ => digits(number).filter(|&number: &u32| number < count).map(|n| (Some(n), count)),
    }
}

/// `path` with `suffix` behind its last character.
pub(super) fn with_suffix(path: &Path, suffix: &str) -> PathBuf {
    let mut path = OsString::from(path);
    path.push(suffix);
    path.into()
}

/// The files of the checkpoint `prefix`: index and data of a V2 one, a V1 one's only file; none where there is neither.
pub(super) fn files_of(prefix: &Path) -> Vec<PathBuf> {
    let mut files = Vec::new();
    if File::open(prefix).is_ok_and(|file| table::is_table(&file)) {
        files.push(prefix.to_path_buf());
    }
    let start = with_suffix(prefix.file_name().map_or(Path::new(""), Path::new), ".data-");
    let start = start.as_os_str().as_encoded_bytes();
    let folder = files::folder(prefix);
    for entry in std::fs::read_dir(folder).into_iter().flatten().flatten() {
        let name = entry.file_name();
        let shard = name.as_encoded_bytes().strip_prefix(start);
        let shard = shard.and_then(|shard| numbered(str::from_utf8(shard).ok()?));
        if matches!(shard, Some((Some(_), _))) {
            files.push(prefix.with_file_name(name));
        }
    }
    files.sort();
    let index = with_suffix(prefix, ".index");
    files.extend(index.is_file().then_some(index));
    files
}

/// Whether there is data in `dir` of a V2 checkpoint `name`.
pub(super) fn has_data(dir: &Path, name: &str) -> bool {
    let start = format!("{name}.data-");
    let mut entries = std::fs::read_dir(dir).into_iter().flatten().flatten();
    entries.any(|entry| entry.file_name().to_string_lossy().starts_with(&start))
}

/// The names under which the checkpoints in `dir` are opened, sorted; at most 1,000 of them.
pub(super) fn checkpoints_in(dir: &Path) -> Vec<String> {
    const LISTED: usize = 10_000;
    let mut names = Vec::new();
    // A directory that cannot be listed has nothing to suggest.
    for entry in std::fs::read_dir(dir).into_iter().flatten().flatten().take(LISTED) {
        let name = entry.file_name();
        let Some(name) = name.to_str() else { continue };
        if let Some(prefix) = name.strip_suffix(".index") {
            names.push(prefix.to_owned());
        } else if let Some((_, count)) = name
            .split_at_checked(name.len().saturating_sub(14))
            .and_then(|(_, suffix)| numbered(suffix))
            && let Some(stem) = name.strip_suffix(&format!("-00000-of-{count:05}"))
            && !stem.ends_with(".data")
        {
            names.push(format!("{stem}-?????-of-{count:05}"));
        }
    }
    names.sort_unstable();
    names.truncate(1_000);
    names
}
