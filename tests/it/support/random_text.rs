//! Random texts of the text format from a seed: the whole grammar, with comments wherever they are allowed.

use crate::support::Random;

/// A text of some fields, nested at most `depth` deep.
pub(crate) fn text(random: &mut Random, depth: usize) -> String {
    let mut author = Author { random, text: String::new(), comments: 0 };
    author.fields(depth);
    author.text
}

/// Changes a text in one or two places; the result is usually invalid.
pub(crate) fn broken(text: &str, random: &mut Random) -> Vec<u8> {
    let mut broken = text.as_bytes().to_vec();
    for _ in 0..=random.below(2) {
        let at = random.below(broken.len() as u64 + 1) as usize;
        let piece = one(random, PIECES).bytes();
        match random.below(3) {
            0 if at < broken.len() => drop(broken.remove(at)),
            1 if at < broken.len() => drop(broken.splice(at..=at, piece)),
            _ => drop(broken.splice(at..at, piece)),
        }
    }
    broken
}

const PIECES: &[&str] = &[
    "{", "}", "<", ">", "[", "]", ":", ",", ";", "-", "\"", "'", "\\", "#", "\n", " ", "a", "0",
    ".", "a: ", "/", "\0", "e", "%", "x: 1 ", "\u{e9}", " b {", "[a.b]",
];

const NAMES: &[&str] = &["a", "name", "b_1", "_", "x2", "[a.b]", "[a.b/c.D]", "7", "inf"];

const BLANKS: &[&str] = &["", "", "", " ", " ", "\n  ", "\t", "\r\n", "  ", "\n\n", "\n \n\n\t"];

const COMMENTS: &[&str] = &["", " {", " \"'", " [1, ]", " x: 1 ", " # \t", " \r", "\u{e9}"];

const SCALARS: &[&str] = &[
    "1",
    "0",
    "-5",
    "- 7",
    "017",
    "0x1F",
    "1.5",
    ".5e3f",
    "5.",
    "true",
    "DT_FLOAT",
    "-inf",
    "\"\"",
    "'a: {'",
    "\"\\\"\"",
    "'\\\\'",
    "'it\\'s' \"x\"",
    "\"\u{e9}\\303\"\n'}'",
    "\"#\"",
    "\"] x: 1\"",
    "'a string of some length, so that lists are wider than a line'",
];

fn one<T: Copy>(random: &mut Random, all: &[T]) -> T {
    all[random.below(all.len() as u64) as usize]
}

struct Author<'r> {
    random: &'r mut Random,
    text: String,
    /// The number of comments; each comment contains its number.
    comments: usize,
}

impl Author<'_> {
    fn put(&mut self, all: &[&str]) {
        self.text.push_str(one(self.random, all));
    }

    fn comment(&mut self) {
        self.comments += 1;
        self.text.push_str(&format!("#{}", self.comments));
        self.put(COMMENTS);
        self.text.push('\n');
    }

    fn blank(&mut self) {
        self.put(BLANKS);
        while self.random.one_in(6) {
            self.comment();
            self.put(BLANKS);
        }
    }

    fn fields(&mut self, depth: usize) {
        self.blank();
        for _ in 0..self.random.below(4) {
            self.name();
            self.blank();
            match self.random.below(if depth == 0 { 4 } else { 9 }) {
                0..=2 => {
                    self.text.push(':');
                    self.blank();
                    self.scalar();
                }
                3 => {
                    self.text.push(':');
                    self.blank();
                    self.list(Self::scalar);
                }
                4..=6 => {
                    self.joint();
                    self.message(depth - 1);
                }
                _ => {
                    self.joint();
                    self.list(|author| author.message(depth - 1));
                }
            }
            self.put(&["", " ", "\n", "\n  ", ", ", "; ", " ,\n"]);
            if !self.text.ends_with([' ', '\n']) {
                self.text.push(' ');
            }
            self.blank();
        }
    }

    /// Writes the separator between a field name and its message.
    fn joint(&mut self) {
        self.put(&["", ":", ": "]);
        if self.text.ends_with(':') {
            self.blank();
        }
    }

    fn name(&mut self) {
        if !self.random.one_in(8) {
            return self.put(NAMES);
        }
        self.text.push('[');
        for part in ["ab", ".", "c", "]"] {
            self.blank();
            self.text.push_str(part);
        }
    }

    fn list(&mut self, element: impl Fn(&mut Self)) {
        self.text.push('[');
        self.blank();
        for number in 0..self.random.below(4) {
            if number > 0 {
                self.text.push(',');
                self.blank();
            }
            element(self);
            self.blank();
        }
        self.text.push(']');
    }

    fn message(&mut self, depth: usize) {
        let (open, close) = one(self.random, &[('{', '}'), ('{', '}'), ('<', '>')]);
        self.text.push(open);
        self.fields(depth);
        self.text.push(close);
    }

    fn scalar(&mut self) {
        match self.random.below(8) {
            0 => {
                self.text.push('-');
                self.blank();
                self.put(&["3", "inf", "0.5"]);
            }
            1 => {
                for _ in 0..=self.random.below(3) {
                    self.blank();
                    self.put(&["'a'", "\"b\""]);
                }
            }
            _ => self.put(SCALARS),
        }
    }
}
