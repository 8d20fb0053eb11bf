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
            let shards = numbered_files(Path::new(&stem));
            let is_one = |(of, _): &(u32, PathBuf)| *of == count;
            shards.iter().any(is_one).then_some(TablePlace::Sharded(stem, count))
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

/// Whether two paths lead to one place, which need not be taken.
pub(super) fn is_same(a: &Path, b: &Path) -> bool {
    a.file_name().is_some() && a.file_name() == b.file_name() && is_beside(a, b)
}

/// Whether two paths lead into one folder.
pub(super) fn is_beside(a: &Path, b: &Path) -> bool {
    let folder = |path: &Path| files::folder(path).canonicalize().ok();
    folder(a).is_some_and(|a| Some(a) == folder(b))
}

/// `path` with `suffix` behind its last character.
pub(super) fn with_suffix(path: &Path, suffix: &str) -> PathBuf {
    let mut path = OsString::from(path);
    path.push(suffix);
    path.into()
}

/// The files of the checkpoint `path`, of either format, the one that makes the others count last; none where there is none.
pub(super) fn files_of(path: &Path) -> Vec<PathBuf> {
    let mut files = table_files(path);
    // Of a file that is no table, somebody else is the owner.
    files.retain(|file| File::open(file).is_ok_and(|file| table::is_table(&file)));
    files.extend(bundle_files(path));
    files
}

/// The files of the V2 checkpoint `path`: data, then the index.
pub(super) fn bundle_files(path: &Path) -> Vec<PathBuf> {
    let data = numbered_files(&with_suffix(path, ".data-")).into_iter();
    let mut files: Vec<_> = data.map(|(_, file)| file).collect();
    files.sort();
    let index = with_suffix(path, ".index");
    files.extend(index.is_file().then_some(index));
    files
}

/// The files of the V1 checkpoint `path`: the file itself, or those of `STEM-?????-of-00002`.
pub(super) fn table_files(path: &Path) -> Vec<PathBuf> {
    let mut files = shards_of(path);
    files.extend(path.is_file().then(|| path.to_path_buf()));
    files
}

/// The files that `STEM-?????-of-00002` stands for, sorted; none for any other path.
pub(super) fn shards_of(path: &Path) -> Vec<PathBuf> {
    let Some((stem, shards)) = pattern(path) else { return Vec::new() };
    let files = numbered_files(&with_suffix(&stem, "-")).into_iter();
    let mut files: Vec<_> =
        files.filter(|(count, _)| *count == shards).map(|(_, file)| file).collect();
    files.sort();
    files
}

/// What a V1 checkpoint of `shards` is opened by: `path`, or `path-?????-of-00002`.
pub(super) fn sharded(path: &Path, shards: usize) -> PathBuf {
    match shards {
        1 => path.to_path_buf(),
        count => with_suffix(path, &format!("-?????-of-{count:05}")),
    }
}

/// What stands before the numbers of `STEM-?????-of-00002`, and how many shards that are.
pub(super) fn pattern(path: &Path) -> Option<(PathBuf, u32)> {
    let name = path.file_name()?.to_str()?;
    let (stem, suffix) = name.split_at_checked(name.len().checked_sub(15)?)?;
    match numbered(suffix.strip_prefix('-')?)? {
        (None, count) => Some((path.with_file_name(stem), count)),
        _ => None,
    }
}

/// The files whose names are `start` and then the number and count of a shard, each with the count.
fn numbered_files(start: &Path) -> Vec<(u32, PathBuf)> {
    let Some(name) = start.file_name() else { return Vec::new() };
    let entries = std::fs::read_dir(files::folder(start)).into_iter().flatten().flatten();
    let shard = |entry: std::fs::DirEntry| {
        let file = entry.file_name();
        let shard = file.as_encoded_bytes().strip_prefix(name.as_encoded_bytes())?;
        match numbered(str::from_utf8(shard).ok()?)? {
            (Some(_), count) => Some((count, start.with_file_name(file))),
            _ => None,
        }
    };
    entries.filter_map(shard).collect()
}

/// The path without what numbers its shards: `P` for `P-?????-of-00002`.
pub(super) fn unsharded(path: &Path) -> PathBuf {
    let stem = || {
        let name = path.file_name()?.to_str()?;
        let (stem, count) = name.rsplit_once("-of-")?;
        let (stem, number) = stem.rsplit_once('-')?;
        let is =
            |text: &str, allowed: fn(u8) -> bool| !text.is_empty() && text.bytes().all(allowed);
        let numbers = is(number, |byte| byte.is_ascii_digit() || byte == b'?')
            && is(count, |byte| byte.is_ascii_digit());
        numbers.then(|| path.with_file_name(stem))
    };
    stem().unwrap_or_else(|| path.to_path_buf())
}

/// Whether there is data of the V2 checkpoint `path`.
pub(super) fn has_data(path: &Path) -> bool {
    !numbered_files(&with_suffix(path, ".data-")).is_empty()
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
