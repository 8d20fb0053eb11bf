//! The README and the pages of `docs/` show what the command prints, name options that it has, and link to what exists.
//!
//! On a page, a `console` block is run; the `text` block right after it is what its commands print on stdout and then
//! stderr. A line `…` stands for any number of lines. A block with a file name, such as `textproto model.pbtxt`, is a file
//! for the commands below it. Blocks of type `sh` are not run. `INSTA_UPDATE=always` rewrites what a page shows.
//! The Rust examples are doctests of `src/lib.rs`.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Component, Path, PathBuf};

use crate::support::command::{ckdiff, command, finish};

/// Each page with the examples that it has: `console` blocks that are run, and blocks of Rust.
const PAGES: &[(&str, usize, usize)] = &[
    ("README.md", 2, 0),
    ("docs/comparing.md", 6, 0),
    ("docs/decisions.md", 0, 0),
    ("docs/git.md", 0, 0),
    ("docs/glossary.md", 0, 0),
    ("docs/gpu.md", 0, 0),
    ("docs/graphs.md", 5, 0),
    ("docs/library.md", 0, 6),
    ("docs/saved_model.md", 2, 0),
    ("docs/saving.md", 2, 0),
    ("docs/text.md", 4, 0),
    ("docs/verifying.md", 2, 0),
];

/// A command of an example that is not run.
const NOT_RUN: &[&str] = &["cargo test"];

/// A fenced block of a page.
#[derive(Debug, Clone)]
struct Block {
    /// The words after the opening fence.
    info: Vec<String>,
    /// The content, as lines of the page.
    lines: std::ops::Range<usize>,
}

impl Block {
    fn is(&self, language: &str) -> bool {
        self.info.first().is_some_and(|first| first == language)
    }
}

/// A page, by lines.
#[derive(Debug)]
struct Page {
    path: &'static str,
    lines: Vec<String>,
}

impl Page {
    fn read(path: &'static str) -> Self {
        let text = fs::read_to_string(path).unwrap();
        Self { path, lines: text.lines().map(str::to_owned).collect() }
    }

    fn blocks(&self) -> Vec<Block> {
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

    /// Where a block begins, for messages.
    fn place(&self, block: &Block) -> String {
        format!("{}:{}", self.path, block.lines.start + 1)
    }

    /// The lines of a block, each with its line end.
    fn text(&self, block: &Block) -> String {
        self.lines[block.lines.clone()].iter().map(|line| format!("{line}\n")).collect()
    }

    /// The commands of a block, without their prompts.
    fn commands(&self, block: &Block) -> Vec<&str> {
        let lines = &self.lines[block.lines.clone()];
        lines.iter().map(|line| line.strip_prefix("$ ").unwrap_or(line)).collect()
    }

    /// The block that shows what the commands of `blocks[at]` print.
    fn shown_after<'a>(&self, blocks: &'a [Block], at: usize) -> Option<&'a Block> {
        let next = blocks.get(at + 1).filter(|next| next.is("text"))?;
        let between = &self.lines[blocks[at].lines.end + 1..next.lines.start - 1];
        between.iter().all(|line| line.trim().is_empty()).then_some(next)
    }

    /// The page without its blocks.
    fn prose(&self) -> String {
        let blocks = self.blocks();
        let inside = |at: &usize| {
            blocks.iter().any(|b| (b.lines.start.saturating_sub(1)..=b.lines.end).contains(at))
        };
        let lines = self.lines.iter().enumerate().filter(|(at, _)| !inside(at));
        lines.map(|(_, line)| format!("{line}\n")).collect()
    }
}

fn pages() -> impl Iterator<Item = Page> {
    PAGES.iter().map(|&(path, ..)| Page::read(path))
}

/// The words of a command line: blanks separate them, single quotes keep blanks, and `#` begins a comment.
fn words(line: &str) -> Vec<String> {
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
fn arguments(line: &str) -> Option<Vec<String>> {
    let words = words(line.strip_prefix("cargo run --release -- ").map_or(line, |args| args));
    match words.first().map(String::as_str) {
        _ if line.starts_with("cargo run") => Some(words),
        Some("ckdiff") => Some(words[1..].to_vec()),
        _ => None,
    }
}

/// Copies what an argument names in `tests/data` to the folder in which the examples run.
fn provide(arg: &str, folder: &Path) {
    let path = Path::new(arg);
    if !path.starts_with("tests/data") {
        return;
    }
    // The files of a checkpoint lie beside each other.
    let from = if path.is_dir() { path } else { path.parent().unwrap() };
    copy(from, &folder.join(from));
}

fn copy(from: &Path, to: &Path) {
    fs::create_dir_all(to).unwrap();
    for entry in fs::read_dir(from).unwrap() {
        let entry = entry.unwrap();
        let to = to.join(entry.file_name());
        match entry.file_type().unwrap().is_dir() {
            true => copy(&entry.path(), &to),
            false => drop(fs::copy(entry.path(), to).unwrap()),
        }
    }
}

/// Runs the commands of a block; returns what they print, and the exit code of the last.
fn run(page: &Page, block: &Block, folder: &Path) -> (String, i32) {
    let (mut printed, mut code) = (String::new(), 0);
    for line in page.commands(block) {
        if NOT_RUN.contains(&line) {
            continue;
        }
        if let Some(name) = line.strip_prefix("cat ") {
            printed += &fs::read_to_string(folder.join(name)).unwrap();
            continue;
        }
        let args = arguments(line)
            .unwrap_or_else(|| panic!("{}: {line:?} is no command of ckdiff", page.path));
        args.iter().for_each(|arg| provide(arg, folder));
        let args: Vec<&str> = args.iter().map(String::as_str).collect();
        let mut command = command(&args);
        command.current_dir(folder);
        let run = finish(command);
        printed += run.text();
        printed += &run.stderr;
        code = run.code;
    }
    (printed, code)
}

/// Whether the lines that were printed are those shown, where a line `…` stands for any number of lines.
fn is_shown(printed: &[&str], shown: &[&str]) -> bool {
    match shown.split_first() {
        None => printed.is_empty(),
        Some((&"…", rest)) => (0..=printed.len()).any(|skip| is_shown(&printed[skip..], rest)),
        Some((line, rest)) => printed
            .split_first()
            .is_some_and(|(first, printed)| first == line && is_shown(printed, rest)),
    }
}

/// An example whose page shows something else than it prints.
#[derive(Debug)]
struct Mismatch {
    shown: Block,
    printed: String,
}

/// Runs the examples of a page in a folder of its own, one after the other; returns how many there are.
fn run_examples(page: &Page) -> (usize, Vec<Mismatch>) {
    let folder = tempfile::tempdir().unwrap();
    let blocks = page.blocks();
    let (mut examples, mut mismatches) = (0, Vec::new());
    for (at, block) in blocks.iter().enumerate() {
        if let [_, name] = block.info.as_slice() {
            let name = Path::new(name);
            assert!(name.components().all(|part| matches!(part, Component::Normal(_))));
            fs::write(folder.path().join(name), page.text(block)).unwrap();
        }
        if !block.is("console") {
            continue;
        }
        examples += 1;
        let (printed, code) = run(page, block, folder.path());
        let Some(shown) = page.shown_after(&blocks, at) else {
            let place = page.place(block);
            assert_eq!((printed.as_str(), code), ("", 0), "{place}: the page shows no output");
            continue;
        };
        let text = page.text(shown);
        let lines: (Vec<_>, Vec<_>) = (printed.lines().collect(), text.lines().collect());
        if !is_shown(&lines.0, &lines.1) {
            mismatches.push(Mismatch { shown: shown.clone(), printed });
        }
    }
    (examples, mismatches)
}

/// Writes what the examples print into their page; a block with a line `…` is left to its author.
fn rewrite(page: &Page, mismatches: &[Mismatch]) {
    let mut lines = page.lines.clone();
    for Mismatch { shown, printed } in mismatches.iter().rev() {
        assert!(
            !page.text(shown).lines().any(|line| line == "…"),
            "{}:\n{printed}",
            page.place(shown)
        );
        lines.splice(shown.lines.clone(), printed.lines().map(str::to_owned));
    }
    fs::write(page.path, lines.join("\n") + "\n").unwrap();
}

#[test]
fn every_example_prints_what_its_page_shows() {
    let is_updating = std::env::var_os("INSTA_UPDATE").is_some_and(|value| value == "always");
    let mut wrong = Vec::new();
    for (page, &(path, expected, _)) in pages().zip(PAGES) {
        let (examples, mismatches) = run_examples(&page);
        assert_eq!(examples, expected, "examples of {path}");
        if is_updating && !mismatches.is_empty() {
            rewrite(&page, &mismatches);
            continue;
        }
        for Mismatch { shown, printed } in &mismatches {
            let place = page.place(shown);
            wrong.push(format!(
                "{place} shows\n{}but this is printed:\n{printed}",
                page.text(shown)
            ));
        }
    }
    assert!(wrong.is_empty(), "INSTA_UPDATE=always rewrites the pages\n{}", wrong.join("\n"));
}

#[test]
fn every_page_and_every_rust_example_is_tested() {
    let mut files: Vec<PathBuf> =
        fs::read_dir("docs").unwrap().map(|e| e.unwrap().path()).collect();
    files.push("README.md".into());
    let listed: BTreeSet<PathBuf> = PAGES.iter().map(|(path, ..)| path.into()).collect();
    assert_eq!(files.into_iter().collect::<BTreeSet<_>>(), listed);
    let doctests = fs::read_to_string("src/lib.rs").unwrap();
    for (page, &(path, _, expected)) in pages().zip(PAGES) {
        let count = page.blocks().iter().filter(|block| block.is("rust")).count();
        assert_eq!(count, expected, "Rust examples of {path}");
        let included = doctests.contains(&format!("include_str!(\"../{path}\")"));
        assert_eq!(included, expected > 0, "{path} in src/lib.rs");
    }
}

/// The long options in the help of a command: `-n, --max-diffs <N>`.
fn options(args: &[&str]) -> BTreeSet<String> {
    let help = ckdiff(&[args, &["--help"]].concat());
    let listed = help.text().lines().filter(|line| line.trim_start().starts_with('-'));
    let words =
        listed.filter_map(|line| line.split_whitespace().find(|word| word.starts_with("--")));
    let names = words.map(|word| word.split(['[', ',']).next().unwrap());
    let is_name = |name: &&str| name.chars().all(|c| c.is_ascii_lowercase() || c == '-');
    names.filter(is_name).map(str::to_owned).collect()
}

/// The commands that help lists.
fn commands() -> Vec<String> {
    let help = ckdiff(&["--help"]);
    let list = help.text().split("Commands:\n").nth(1).unwrap().split("\n\n").next().unwrap();
    let names = list.lines().map(|line| line.split_whitespace().next().unwrap().to_owned());
    names.filter(|name| name != "help").collect()
}

/// The long options that begin a code span, as in `--rtol R`.
fn named_options(prose: &str) -> BTreeSet<String> {
    let spans = prose.split('`').skip(1).step_by(2);
    let words = spans.filter_map(|span| span.split([' ', '=', '[']).next());
    words.filter(|word| word.starts_with("--")).map(str::to_owned).collect()
}

#[test]
fn pages_name_every_option_and_no_other() {
    let mut known = options(&[]);
    commands().iter().for_each(|command| known.append(&mut options(&[command])));
    let mut named = BTreeSet::new();
    for page in pages() {
        for name in named_options(&page.prose()) {
            assert!(known.contains(&name), "{} names {name}, which no command has", page.path);
            named.insert(name);
        }
        for block in page.blocks().iter().filter(|block| block.is("sh")) {
            for args in page.commands(block).into_iter().filter_map(arguments) {
                let command = args.first().filter(|first| commands().contains(first));
                let own = options(&command.iter().map(|name| name.as_str()).collect::<Vec<_>>());
                for arg in args.iter().take_while(|arg| *arg != "|") {
                    let name = arg.split('=').next().unwrap();
                    let is_known = !name.starts_with("--") || own.contains(name);
                    assert!(is_known, "{}: {name} is no option of {command:?}", page.path);
                }
            }
        }
    }
    let general = ["--help", "--version"].map(str::to_owned);
    let missing: Vec<_> =
        known.iter().filter(|o| !named.contains(*o) && !general.contains(o)).collect();
    assert!(known.len() > 50 && missing.is_empty(), "no page names {missing:?}");
}

/// The anchor that a heading gets.
fn anchor(heading: &str) -> String {
    let kept = heading.trim().to_lowercase();
    let kept = kept.chars().filter(|c| c.is_alphanumeric() || [' ', '-', '_'].contains(c));
    kept.map(|c| if c == ' ' { '-' } else { c }).collect()
}

fn anchors(path: &Path) -> BTreeSet<String> {
    let text = fs::read_to_string(path).unwrap();
    let headings = text.lines().filter(|line| line.starts_with('#'));
    headings.map(|line| anchor(line.trim_start_matches('#'))).collect()
}

#[test]
fn every_link_leads_somewhere() {
    let others = ["ARCHITECTURE.md", "BENCHMARKS.md", "CHANGELOG.md", "tests/data/README.md"];
    let mut links = 0;
    for page in pages().chain(others.map(Page::read)) {
        let prose = page.prose();
        for target in prose.split("](").skip(1).map(|rest| rest.split(')').next().unwrap()) {
            if target.starts_with("http") {
                continue;
            }
            links += 1;
            let (file, heading) = target.split_once('#').unwrap_or((target, ""));
            let page_path = Path::new(page.path);
            let file = match file {
                "" => page_path.to_owned(),
                file => page_path.parent().unwrap().join(file),
            };
            assert!(file.exists(), "{}: {target} is not there", page.path);
            let is_heading = heading.is_empty() || anchors(&file).contains(heading);
            assert!(is_heading, "{}: {target} has no such heading", page.path);
        }
    }
    assert!(links > 10, "{links}");
}

/// A term has one meaning, and a reader finds it in its table.
#[test]
fn the_glossary_has_each_term_once_and_in_order() {
    let page = fs::read_to_string("docs/glossary.md").unwrap();
    let mut terms = BTreeSet::new();
    for section in page.split("\n## ").skip(1) {
        let rows = section.lines().filter_map(|line| line.strip_prefix("| ")?.split_once(" | "));
        let rows = rows.filter(|(term, _)| !["term", "---"].contains(term));
        let listed: Vec<String> = rows.map(|(term, _)| term.to_lowercase()).collect();
        let mut sorted = listed.clone();
        sorted.sort();
        assert_eq!(listed, sorted);
        for term in listed {
            assert!(terms.insert(term.clone()), "{term} is there twice");
        }
    }
    assert!(terms.len() > 100, "{}", terms.len());
}
