//! Finds the offset, the path and a description of a value that an error is about.
//!
//! The parser's events have no offsets, and tracking offsets would slow down every value. The reader tracks only the
//! ordinals of the enclosing members; after an error this module walks the text again. The text up to the error has been
//! parsed already, so the walk does not check syntax.

use crate::error::shortened;

/// A step into a value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum ValueStep {
    /// The member with this ordinal in a message.
    Member(usize),
    /// The entry with this ordinal in a map.
    Entry(usize),
    /// The element with this index in a list.
    Item(usize),
}

/// The part of a member that an error is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Spot {
    /// The name of the current member.
    Key,
    /// The current value.
    Value,
}

/// The location of a value.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(super) struct Located {
    /// The path, with the names in the text: `graphDef.node[2].attr["T"]`.
    pub(super) path: String,
    /// The offset of its name, or of the value if it has no name.
    pub(super) key: usize,
    /// The offset of the value.
    pub(super) value: usize,
}

/// Walks `input` from the start along `steps`.
pub(super) fn locate(input: &str, steps: &[ValueStep]) -> Located {
    let mut walk = LocationSearch { input: input.as_bytes(), pos: 0 };
    let mut path = String::new();
    let mut key = 0;
    walk.skip_spaces();
    for &step in steps {
        // Skip the bracket.
        walk.pos += 1;
        walk.skip_spaces();
        let (ValueStep::Member(ordinal) | ValueStep::Entry(ordinal) | ValueStep::Item(ordinal)) =
            step;
        let named = !matches!(step, ValueStep::Item(_));
        for _ in 0..ordinal {
            if named {
                walk.name();
            }
            walk.value();
            walk.skip_spaces();
            // Skip the comma.
            walk.pos += 1;
            walk.skip_spaces();
        }
        key = walk.pos;
        if named {
            walk.string();
        }
        let name = input.get(key..walk.pos).unwrap_or_default();
        match step {
            ValueStep::Item(index) => path.push_str(&format!("[{index}]")),
            ValueStep::Entry(_) => path.push_str(&format!("[{}]", shortened(name))),
            ValueStep::Member(_) => {
                if !path.is_empty() {
                    path.push('.');
                }
                path.push_str(&shortened(name.trim_matches('"')));
            }
        }
        if named {
            walk.colon();
        }
    }
    let value = walk.pos;
    Located { path, key: if steps.is_empty() { value } else { key }, value }
}

/// Describes the value at `offset` for an error message.
pub(super) fn describe(input: &str, offset: usize) -> String {
    let mut walk = LocationSearch { input: input.as_bytes(), pos: offset };
    match walk.peek() {
        None => "nothing".to_owned(),
        Some(b'{') => "an object".to_owned(),
        Some(b'[') => "a list".to_owned(),
        Some(first) => {
            walk.value();
            let text = shortened(input.get(offset..walk.pos).unwrap_or_default());
            if first == b'"' { format!("the string {text}") } else { text.into_owned() }
        }
    }
}

struct LocationSearch<'a> {
    input: &'a [u8],
    pos: usize,
}

impl LocationSearch<'_> {
    fn peek(&self) -> Option<u8> {
        self.input.get(self.pos).copied()
    }

    fn skip_spaces(&mut self) {
        while let Some(b' ' | b'\t' | b'\n' | b'\r') = self.peek() {
            self.pos += 1;
        }
    }

    fn colon(&mut self) {
        self.skip_spaces();
        self.pos += 1;
        self.skip_spaces();
    }

    /// Skips a name and its colon.
    fn name(&mut self) {
        self.string();
        self.colon();
    }

    /// Skips a string with its quotes.
    fn string(&mut self) {
        self.pos += 1;
        while let Some(byte) = self.peek() {
            self.pos += if byte == b'\\' { 2 } else { 1 };
            if byte == b'"' {
                break;
            }
        }
        self.pos = self.pos.min(self.input.len());
    }

    /// Skips a value of any depth.
    fn value(&mut self) {
        let mut depth = 0u64;
        while let Some(byte) = self.peek() {
            match byte {
                b'"' => self.string(),
                b'{' | b'[' => {
                    depth += 1;
                    self.pos += 1;
                    continue;
                }
                b'}' | b']' => {
                    depth = depth.saturating_sub(1);
                    self.pos += 1;
                }
                b',' | b':' | b' ' | b'\t' | b'\n' | b'\r' => self.pos += 1,
                _ => self.scalar(),
            }
            if depth == 0 {
                break;
            }
        }
    }

    fn scalar(&mut self) {
        while let Some(byte) = self.peek()
            && !matches!(byte, b'"' | b'{' | b'[' | b'}' | b']' | b',' | b':')
            && !byte.is_ascii_whitespace()
        {
            self.pos += 1;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_found_by_their_ordinals() {
        let input = r#" {"a": {"x": "}\""}, "m" : {"k\n": [1, [2, {}], "z"]} , "é":null}"#;
        let find = |steps: &[ValueStep]| {
            let found = locate(input, steps);
            (found.path, &input[found.key..][..3], &input[found.value..][..3])
        };
        use ValueStep::{Entry, Item, Member};
        assert_eq!(find(&[]), (String::new(), "{\"a", "{\"a"));
        assert_eq!(find(&[Member(0), Member(0)]), ("a.x".to_owned(), "\"x\"", "\"}\\"));
        let list = [Member(1), Entry(0)];
        assert_eq!(find(&list), (r#"m["k\n"]"#.to_owned(), r#""k\"#, "[1,"));
        let item = [Member(1), Entry(0), Item(2)];
        assert_eq!(find(&item), (r#"m["k\n"][2]"#.to_owned(), "\"z\"", "\"z\""));
        assert_eq!(find(&[Member(2)]), ("é".to_owned(), "\"é", "nul"));
    }

    #[test]
    fn a_wrong_way_does_no_harm() {
        for input in ["", "{", "[", "\"", "\"\\", "{\"a", "{\"a\":", "1"] {
            let found = locate(input, &[ValueStep::Member(3), ValueStep::Item(2)]);
            describe(input, found.value);
        }
    }
}
