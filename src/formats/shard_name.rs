//! The names of shards: `P-00000-of-00002`, or `P-?????-of-00002` for all of them.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use crate::files;

/// The number of digits to which writers pad numbers.
const DIGITS: usize = 5;

/// The maximum number of shards of a checkpoint: the largest number with [`DIGITS`] digits.
pub(crate) const MAX_SHARDS: u32 = 99_999;

/// A file name that ends with the number and the count of a shard.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct ShardName<'a> {
    /// The name before the hyphen and the numbers.
    pub(crate) stem: &'a str,
    /// The number of the shard; `None` for `?????`.
    pub(crate) number: Option<u32>,
    /// The number of shards.
    pub(crate) count: u32,
    is_padded: bool,
}

impl<'a> ShardName<'a> {
    /// Parses a name, with any number of digits in each number.
    pub(crate) fn parse(name: &'a str) -> Option<Self> {
        let (rest, count_text) = name.rsplit_once("-of-")?;
        let (stem, number_text) = rest.rsplit_once('-')?;
        let digits = |text: &str| {
            let is_number = !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
            is_number.then(|| text.parse::<u32>().ok())?
        };
        let is_any = !number_text.is_empty() && number_text.bytes().all(|byte| byte == b'?');
        let number = if is_any { None } else { Some(digits(number_text)?) };
        let is_padded = count_text.len() >= DIGITS
            && if is_any { number_text.len() == DIGITS } else { number_text.len() >= DIGITS };
        Some(Self { stem, number, count: digits(count_text)?, is_padded })
    }

    /// Parses a name with numbers as writers format them: at least five digits, counted from `first`.
    pub(crate) fn written(name: &'a str, first: u32) -> Option<Self> {
        let shard = Self::parse(name).filter(|shard| shard.is_padded)?;
        let is_counted = |number: u32| number >= first && number - first < shard.count;
        shard.number.is_none_or(is_counted).then_some(shard)
    }
}

/// Appends `suffix` to a path.
pub(crate) fn with_suffix(path: &Path, suffix: &str) -> PathBuf {
    let mut path = OsString::from(path);
    path.push(suffix);
    path.into()
}

/// `STEM-00001-of-00002`.
pub(crate) fn shard(stem: &Path, number: u32, count: u32) -> PathBuf {
    with_suffix(stem, &format!("-{number:05}-of-{count:05}"))
}

/// `STEM-?????-of-00002`, which names all shards.
pub(crate) fn all_shards(stem: &Path, count: u32) -> PathBuf {
    with_suffix(stem, &format!("-?????-of-{count:05}"))
}

/// The stem and the count of a path such as `STEM-?????-of-00002`.
pub(crate) fn of_all_shards(path: &Path) -> Option<(PathBuf, u32)> {
    let shard = ShardName::written(path.file_name()?.to_str()?, 0)?;
    shard.number.is_none().then(|| (path.with_file_name(shard.stem), shard.count))
}

/// The path `STEM-?????-of-COUNT` for `STEM-?????-of-?????`, if the shards with this stem have one count.
pub(crate) fn of_any_count(path: &Path) -> Option<PathBuf> {
    let stem = path.file_name()?.to_str()?.strip_suffix("-?????-of-?????")?;
    let stem = path.with_file_name(stem);
    let shards = shards_of(&stem, 0, "");
    let (count, _) = shards.first()?;
    shards.iter().all(|(other, _)| other == count).then(|| all_shards(&stem, *count))
}

/// The existing files `STEM-NUMBER-of-COUNT` followed by `ending`, sorted, each with its count. Numbers start at `first`.
pub(crate) fn shards_of(stem: &Path, first: u32, ending: &str) -> Vec<(u32, PathBuf)> {
    let beginning = with_suffix(stem, "-");
    let Some(start) = beginning.file_name() else { return Vec::new() };
    // The directory is not that of the stem, which may have no name: `sub/` in `sub/-00000-of-00001`.
    let directory = files::directory_of(&beginning);
    let entries = std::fs::read_dir(directory).into_iter().flatten().flatten();
    let shard = |entry: std::fs::DirEntry| {
        let file = entry.file_name();
        // The stem may not be UTF-8.
        let numbers = file.as_encoded_bytes().strip_prefix(start.as_encoded_bytes())?;
        let numbers = numbers.strip_suffix(ending.as_bytes())?;
        let numbers = format!("-{}", str::from_utf8(numbers).ok()?);
        let shard = ShardName::written(&numbers, first).filter(|shard| shard.stem.is_empty())?;
        shard.number.map(|_| (shard.count, beginning.with_file_name(file)))
    };
    let mut shards: Vec<_> = entries.filter_map(shard).collect();
    shards.sort();
    shards
}

/// Removes the numbers of a shard from a path: `P` for `P-?????-of-00002`.
pub(crate) fn without_numbers(path: &Path) -> PathBuf {
    let name = path.file_name().and_then(|name| name.to_str()).unwrap_or_default();
    match ShardName::parse(name) {
        Some(shard) => path.with_file_name(shard.stem),
        None => path.to_path_buf(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_numbers_of_a_shard_are_parsed() {
        let shard = ShardName::parse("model.ckpt.data-00001-of-00002").unwrap();
        assert_eq!((shard.stem, shard.number, shard.count), ("model.ckpt.data", Some(1), 2));
        assert_eq!(ShardName::parse("model.ckpt-?????-of-00002").unwrap().number, None);
        assert!(ShardName::parse("model.ckpt-2").is_none());
    }
}
