//! Reads the text of a path back into its steps.

use super::{Path, Step};
use crate::message::MAX_DEPTH;

/// The maximum number of steps: a message of the greatest depth has a field and a key or index on each level.
const MAX_STEPS: usize = 2 * MAX_DEPTH + 16;

/// Reads paths one after the other. Those with a common start share it in memory, as the paths of a comparison do.
#[derive(Debug)]
pub(crate) struct PathReader {
    last: Path,
    /// How many steps may still be read that no path before has.
    left: usize,
}

impl PathReader {
    /// A reader of paths with at most `most` steps together, those that they share counted once.
    pub(crate) fn new(most: usize) -> Self {
        Self { last: Path::default(), left: most }
    }

    /// The path with this text, and another text in lhs if it differs there. `None` if it is no path, or one side has other
    /// steps than names and positions in common.
    pub(crate) fn read(&mut self, text: &str, in_lhs: Option<&str>) -> Option<Path> {
        let of_rhs = steps(text)?;
        let of_lhs = in_lhs.map_or_else(|| Some(of_rhs.clone()), steps)?;
        if of_rhs.len() != of_lhs.len() {
            return None;
        }
        let pairs = of_rhs.into_iter().zip(of_lhs);
        let pairs: Vec<_> = pairs.map(|(r, l)| (r.clone(), Some(l).filter(|l| *l != r))).collect();
        let path = Path::of_steps(&pairs, &self.last);
        self.left = self.left.checked_sub(pairs.len() - path.shared(&self.last))?;
        self.last = path.clone();
        Some(path)
    }
}

/// The steps of a text; see the `Display` of [`Path`].
fn steps(text: &str) -> Option<Vec<Step>> {
    let mut steps = Vec::new();
    let mut rest = text;
    while !rest.is_empty() {
        if steps.len() == MAX_STEPS {
            return None;
        }
        let (step, behind) = match rest.strip_prefix('[') {
            Some(inside) if inside.starts_with('"') => key(inside)?,
            Some(inside) if inside.starts_with(|c: char| c.is_ascii_digit()) => index(inside)?,
            _ if steps.is_empty() => field(rest)?,
            _ => field(rest.strip_prefix('.')?)?,
        };
        steps.push(step);
        rest = behind;
    }
    Some(steps)
}

/// A field, and the text behind it. The name of an extension is in brackets, and may contain dots.
fn field(text: &str) -> Option<(Step, &str)> {
    let inside = if text.starts_with('[') { text.find(']')? + 1 } else { 0 };
    let len = text.get(inside..)?.find(['.', '[']).map_or(text.len(), |at| inside + at);
    let (name, behind) = text.split_at_checked(len).filter(|(name, _)| !name.is_empty())?;
    Some((Step::Field(name.into()), behind))
}

/// An index without its first bracket.
fn index(text: &str) -> Option<(Step, &str)> {
    let (digits, behind) = text.split_once(']')?;
    Some((Step::Index(digits.parse().ok()?), behind))
}

/// A key without its first bracket.
fn key(text: &str) -> Option<(Step, &str)> {
    let mut key = String::new();
    let mut rest = text.strip_prefix('"')?;
    loop {
        let stop = rest.find(['"', '\\'])?;
        let (plain, from) = rest.split_at_checked(stop)?;
        key.push_str(plain);
        if let Some(behind) = from.strip_prefix('"') {
            return Some((Step::Key(key.into()), behind.strip_prefix(']')?));
        }
        let escape = from.strip_prefix('\\')?;
        let (c, behind) = unescaped(escape)?;
        key.push(c);
        rest = behind;
    }
}

/// The character of an escape, as the `Debug` of strings writes them, and the text behind it.
fn unescaped(escape: &str) -> Option<(char, &str)> {
    let c = escape.chars().next()?;
    let behind = escape.get(c.len_utf8()..)?;
    Some(match c {
        'n' => ('\n', behind),
        'r' => ('\r', behind),
        't' => ('\t', behind),
        '0' => ('\0', behind),
        '"' | '\\' | '\'' => (c, behind),
        'u' => {
            let (digits, behind) = behind.strip_prefix('{')?.split_once('}')?;
            (char::from_u32(u32::from_str_radix(digits, 16).ok()?)?, behind)
        }
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn field(name: &str) -> Step {
        Step::Field(name.into())
    }

    fn key(key: &str) -> Step {
        Step::Key(key.into())
    }

    #[test]
    fn every_path_comes_back() {
        for steps in [
            vec![field("graph_def")],
            vec![field("node"), key("dense/MatMul"), field("attr"), key("T")],
            vec![field("files"), key("a \"b\"\\ \n\r\t\0\u{200b}\u{301}é'[]."), field("x")],
            vec![field("value"), Step::Index(3), Step::Index(0), field("[a.b/c.D]"), field("e")],
            vec![field("[a.b/c.D]"), Step::Index(usize::MAX), key("")],
            vec![],
        ] {
            let steps: Vec<_> = steps.into_iter().map(|step| (step, None)).collect();
            let path = Path::of_steps(&steps, &Path::default());
            let read = PathReader::new(10).read(&path.to_string(), None);
            assert_eq!(read, Some(path));
        }
    }

    #[test]
    fn the_names_of_lhs_come_back_and_common_starts_count_once() {
        let mut reader = PathReader::new(5);
        let path = reader.read(r#"node["b"].attr[2]"#, Some(r#"node["a"].attr[1]"#)).unwrap();
        assert_eq!(path.in_lhs().unwrap().to_string(), r#"node["a"].attr[1]"#);
        let next = reader.read(r#"node["b"].attr[3]"#, Some(r#"node["a"].attr[1]"#)).unwrap();
        assert_eq!(next.shared(&path), 3);
        assert_eq!(reader.read("other", None), None);
    }

    #[test]
    fn other_texts_are_refused() {
        for text in [
            "a..b",
            ".a",
            "a.",
            "a[",
            "a[1",
            "a[\"b\"",
            "a[\"b]",
            "a[\"\\q\"]",
            "a]b[",
            "a[x]",
            "a[1]b",
        ] {
            assert_eq!(PathReader::new(100).read(text, None), None, "{text}");
        }
        assert_eq!(PathReader::new(100).read("a.b", Some("a")), None);
        assert_eq!(PathReader::new(usize::MAX).read(&"a.".repeat(MAX_STEPS), None), None);
    }
}
