//! Checks that the examples of the pages print the output that the pages show.
//!
//! A `console` block is run; the `text` block right after it shows its stdout, then its stderr. A line `…` stands for any
//! number of lines. A block with a file name, such as `textproto model.pbtxt`, is a file for the commands below it.
//! Blocks of type `sh` are not run. `INSTA_UPDATE=always` rewrites the shown output. The Rust examples are doctests of
//! `src/lib.rs`.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Component, Path, PathBuf};

use super::page::{Block, PAGES, Page, arguments, pages};
use crate::support::command::{command, finish};

/// Commands that are not run.
const NOT_RUN: &[&str] = &["cargo test"];

/// Copies the files that an argument names in `tests/data` to the directory in which the examples run.
fn provide(arg: &str, directory: &Path) {
    let path = Path::new(arg);
    if !path.starts_with("tests/data") {
        return;
    }
    // The files of a checkpoint are siblings.
    let from = if path.is_dir() { path } else { path.parent().unwrap() };
    copy(from, &directory.join(from));
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

/// Runs the commands of a block; returns their output, and the exit code of the last one.
fn run(page: &Page, block: &Block, directory: &Path) -> (String, i32) {
    let (mut printed, mut code) = (String::new(), 0);
    for line in page.commands(block) {
        if NOT_RUN.contains(&line) {
            continue;
        }
        if let Some(name) = line.strip_prefix("cat ") {
            printed += &fs::read_to_string(directory.join(name)).unwrap();
            continue;
        }
        let args = arguments(line)
            .unwrap_or_else(|| panic!("{}: {line:?} is not a command of ckdiff", page.path));
        args.iter().for_each(|arg| provide(arg, directory));
        let args: Vec<&str> = args.iter().map(String::as_str).collect();
        let mut command = command(&args);
        command.current_dir(directory);
        let run = finish(command);
        printed += run.text();
        printed += &run.stderr;
        code = run.code;
    }
    (printed, code)
}

/// Whether the printed lines are the shown ones, where a line `…` stands for any number of lines.
fn is_shown(printed: &[&str], shown: &[&str]) -> bool {
    match shown.split_first() {
        None => printed.is_empty(),
        Some((&"…", rest)) => (0..=printed.len()).any(|skip| is_shown(&printed[skip..], rest)),
        Some((line, rest)) => printed
            .split_first()
            .is_some_and(|(first, printed)| first == line && is_shown(printed, rest)),
    }
}

/// An example whose output differs from the page.
#[derive(Debug)]
struct Mismatch {
    shown: Block,
    printed: String,
}

/// Runs the examples of a page in a temporary directory, in order; returns how many there are.
fn run_examples(page: &Page) -> (usize, Vec<Mismatch>) {
    let directory = tempfile::tempdir().unwrap();
    let blocks = page.blocks();
    let (mut examples, mut mismatches) = (0, Vec::new());
    for (at, block) in blocks.iter().enumerate() {
        if let [_, name] = block.info.as_slice() {
            let name = Path::new(name);
            assert!(name.components().all(|part| matches!(part, Component::Normal(_))));
            fs::write(directory.path().join(name), page.text(block)).unwrap();
        }
        if !block.is("console") {
            continue;
        }
        let is_run = |line: &&str| !NOT_RUN.contains(line);
        examples += usize::from(page.commands(block).iter().any(is_run));
        let (printed, code) = run(page, block, directory.path());
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

/// Writes the output of the examples into their page; a block with a line `…` is left unchanged.
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
    // The files in docs/ci are shown by their page.
    files.retain(|path| path.is_file());
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
