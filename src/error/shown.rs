//! Abbreviates long names, values and paths, so that errors stay readable.

use std::borrow::Cow;

/// The number of characters that are shown of a name or a value.
const NAME: usize = 60;

/// The first characters of a name or a value, and `…` if there are more.
pub(crate) fn shortened(text: &str) -> Cow<'_, str> {
    match text.char_indices().nth(NAME) {
        Some((end, _)) => format!("{}…", text.get(..end).unwrap_or_default()).into(),
        None => text.into(),
    }
}

/// The message of a parser about a pattern. It repeats the pattern, so of a long one only the last line is kept.
pub(crate) fn cause(message: &str, pattern: &str) -> String {
    let is_long = shortened(pattern) != pattern;
    let last = message.lines().next_back().filter(|_| is_long);
    let cause = last.unwrap_or(message);
    cause.replace(pattern, &shortened(pattern))
}

/// A noun with its article, such as `an op list`.
pub(crate) fn with_article(noun: &str) -> String {
    let is_vowel = noun.starts_with(['a', 'e', 'i', 'o', 'u', 'A', 'E', 'I', 'O', 'U']);
    format!("{} {noun}", if is_vowel { "an" } else { "a" })
}

/// Both ends of a field path, which is long if messages are nested deeply.
pub(crate) fn abridged(path: &str) -> Cow<'_, str> {
    const START: usize = 120;
    const END: usize = 80;
    if path.len() <= START + END {
        return path.into();
    }
    let start = path.get(..path.floor_char_boundary(START));
    let end = path.get(path.ceil_char_boundary(path.len() - END)..);
    format!("{}…{}", start.unwrap_or_default(), end.unwrap_or_default()).into()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_names_and_paths_are_abbreviated() {
        assert_eq!(shortened("a name"), "a name");
        assert_eq!(shortened(&"é".repeat(60)), "é".repeat(60));
        assert_eq!(shortened(&"é".repeat(61)), "é".repeat(60) + "…");
        assert_eq!(abridged("node[2].attr"), "node[2].attr");
        for len in 190..400 {
            let path = "é.".repeat(len / 3);
            let shown = abridged(&path);
            assert!(shown.len() <= 210, "{shown}");
            assert_eq!(shown.contains('…'), path.len() > 200, "{len} {}", path.len());
        }
    }
}
