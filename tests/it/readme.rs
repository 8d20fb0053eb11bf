//! What the README shows is what the command prints.

use std::process::Command;

#[test]
fn the_report_in_the_readme_is_the_report() {
    let readme = std::fs::read_to_string("README.md").unwrap();
    let command = readme.split("$ cargo run --release -- ").nth(1).unwrap().lines().next().unwrap();
    let shown = readme.split("```text\n").nth(1).unwrap().split("```").next().unwrap();
    let output = Command::new(env!("CARGO_BIN_EXE_ckdiff"))
        .args(command.split(' '))
        .env_remove("CLICOLOR_FORCE")
        .output()
        .unwrap();
    assert_eq!(String::from_utf8(output.stdout).unwrap(), shown);
    assert_eq!(output.status.code(), Some(1));
}

/// Runs the first command of a section, and holds what it prints against what the section shows.
fn prints_what_is_shown(section: &str) {
    let readme = std::fs::read_to_string("README.md").unwrap();
    let section = readme.split(section).nth(1).unwrap();
    let command = section.split("$ ckdiff ").nth(1).unwrap().lines().next().unwrap();
    let shown = section.split("```text\n").nth(1).unwrap().split("```").next().unwrap();
    let output =
        Command::new(env!("CARGO_BIN_EXE_ckdiff")).args(command.split(' ')).output().unwrap();
    assert_eq!(String::from_utf8(output.stdout).unwrap(), shown);
    assert_eq!(output.status.code(), Some(1));
}

#[test]
fn what_the_readme_shows_of_a_graph_is_what_it_prints() {
    prints_what_is_shown("## What changed in a graph");
}

#[test]
fn what_the_readme_shows_as_text_is_what_it_prints() {
    prints_what_is_shown("`-u` is that of `diff`");
}

#[test]
fn what_the_readme_shows_of_an_export_is_what_it_says() {
    let readme = std::fs::read_to_string("README.md").unwrap();
    let section = readme.split("## A part of a graph").nth(1).unwrap();
    let command = section.split("$ ckdiff ").nth(1).unwrap().lines().next().unwrap();
    let shown = section.split("```text\n").nth(1).unwrap().split("```").next().unwrap();
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().join("tower.meta").display().to_string();
    let args = command.split(' ').map(|arg| if arg == "tower.meta" { &out } else { arg });
    let output = Command::new(env!("CARGO_BIN_EXE_ckdiff")).args(args).output().unwrap();
    assert_eq!(String::from_utf8(output.stderr).unwrap(), shown);
    assert_eq!((output.status.code(), output.stdout.len()), (Some(0), 0));
    assert!(std::fs::metadata(&out).unwrap().len() > 1_000);
}

#[test]
fn what_the_readme_shows_of_verify_is_what_it_prints() {
    prints_what_is_shown("## Before a restore fails");
}

#[test]
fn what_the_readme_shows_of_a_saved_model_is_what_it_prints() {
    let readme = std::fs::read_to_string("README.md").unwrap();
    let section = readme.split("## How a SavedModel is called").nth(1).unwrap();
    let command = section.split("$ ckdiff ").nth(1).unwrap().lines().next().unwrap();
    let shown = section.split("```text\n").nth(1).unwrap().split("```").next().unwrap();
    let output =
        Command::new(env!("CARGO_BIN_EXE_ckdiff")).args(command.split(' ')).output().unwrap();
    let printed = String::from_utf8(output.stdout).unwrap();
    assert!(shown.len() > 500 && printed.contains(shown.trim_end()), "{printed}");
    assert_eq!(output.status.code(), Some(0));
}
