//! The pages, and the blocks in them.

use std::fs;

/// Each page with the number of its examples: `console` blocks, and blocks of Rust.
pub const PAGES: &[(&str, usize, usize)] = &[
    ("README.md", 2, 0),
    ("docs/ci.md", 2, 0),
    ("docs/comparing.md", 9, 0),
    ("docs/decisions.md", 0, 0),
    ("docs/edits.md", 8, 0),
    ("docs/git.md", 0, 0),
    ("docs/glossary.md", 0, 0),
    ("docs/gpu.md", 0, 0),
    ("docs/graphs.md", 6, 0),
    ("docs/learning.md", 12, 0),
    ("docs/library.md", 0, 11),
    ("docs/pytest.md", 0, 0),
    ("docs/python.md", 0, 0),
    ("docs/reports.md", 1, 0),
    ("docs/rules.md", 5, 0),
    ("docs/saved_model.md", 2, 0),
    ("docs/saving.md", 3, 0),
    ("docs/series.md", 3, 0),
    ("docs/snapshots.md", 2, 0),
    ("docs/text.md", 4, 0),
    ("docs/verifying.md", 2, 0),
];

/// A fenced block of a page.
#[derive(Debug, Clone)]
pub struct Block {
    /// The words after the opening fence.
    pub info: Vec<String>,
    /// The content, as lines of the page.
    pub lines: std::ops::Range<usize>,
}

impl Block {
    pub fn is(&self, language: &str) -> bool {
        self.info.first().is_some_and(|first| first == language)
    }
}

/// A page, by lines.
#[derive(Debug)]
pub struct Page {
    pub path: &'static str,
    pub lines: Vec<String>,
}

impl Page {
    pub fn read(path: &'static str) -> Self {
        let text = fs::read_to_string(path).unwrap();
        Self { path, lines: text.lines().map(str::to_owned).collect() }
    }

    pub fn blocks(&self) -> Vec<Block> {
        let mut blocks = Vec::new();
        let mut open: Option<(usize, &str)> = None;
        for (at, line) in self.lines.iter().enumerate() {
            match (line.strip_prefix("```"), open.take()) {
                (Some(_), Some((start, info))) => blocks.push(Block {
                    info: info.split_whitespace().map(str::to_owned).collect(),
                    lines: start..at,
                }),
                (Some(info), None) => open = Some((at + 1, info)),
                (None, block) => open = block,
            }
        }
        assert!(open.is_none(), "{}: a block is not closed", self.path);
        blocks
    }

    /// The location of a block, for messages.
    pub fn place(&self, block: &Block) -> String {
        format!("{}:{}", self.path, block.lines.start + 1)
    }

    /// The lines of a block, each with its line end.
    pub fn text(&self, block: &Block) -> String {
        self.lines[block.lines.clone()].iter().map(|line| format!("{line}\n")).collect()
    }

    /// The commands of a block, without their prompts.
    pub fn commands(&self, block: &Block) -> Vec<&str> {
        let lines = &self.lines[block.lines.clone()];
        lines.iter().map(|line| line.strip_prefix("$ ").unwrap_or(line)).collect()
    }

    /// The block that shows the output of the commands in `blocks[at]`.
    pub fn shown_after<'a>(&self, blocks: &'a [Block], at: usize) -> Option<&'a Block> {
        let next = blocks.get(at + 1).filter(|next| next.is("text"))?;
        let between = &self.lines[blocks[at].lines.end + 1..next.lines.start - 1];
        between.iter().all(|line| line.trim().is_empty()).then_some(next)
    }

    /// The lines of the page outside of blocks.
    pub fn prose(&self) -> String {
        let blocks = self.blocks();
        let inside = |at: &usize| {
            blocks.iter().any(|b| (b.lines.start.saturating_sub(1)..=b.lines.end).contains(at))
        };
        let lines = self.lines.iter().enumerate().filter(|(at, _)| !inside(at));
        lines.map(|(_, line)| format!("{line}\n")).collect()
    }
}

pub fn pages() -> impl Iterator<Item = Page> {
    PAGES.iter().map(|&(path, ..)| Page::read(path))
}

/// The words of a command line: blanks separate them, single quotes protect blanks, and `#` begins a comment.
pub fn words(line: &str) -> Vec<String> {
    let mut words = Vec::new();
    let (mut word, mut is_quoted, mut has_word) = (String::new(), false, false);
    for c in line.chars() {
        match c {
            '\'' => (is_quoted, has_word) = (!is_quoted, true),
            '#' if !is_quoted && !has_word => break,
            ' ' if !is_quoted => {
                if std::mem::take(&mut has_word) {
                    words.push(std::mem::take(&mut word));
                }
            }
            c => {
                word.push(c);
                has_word = true;
            }
        }
    }
    assert!(!is_quoted, "a quote is not closed in {line:?}");
    if has_word {
        words.push(word);
    }
    words
}

/// The arguments of ckdiff in a command line.
pub fn arguments(line: &str) -> Option<Vec<String>> {
    let words = words(line.strip_prefix("cargo run --release -- ").map_or(line, |args| args));
    match words.first().map(String::as_str) {
        _ if line.starts_with("cargo run") => Some(words),
        Some("ckdiff") => Some(words[1..].to_vec()),
        _ => None,
    }
}
