//! The files for CI in `docs/ci/`: the page shows them, and the commands in them run.

use std::fs;
use std::path::Path;

use super::page::{Page, arguments};
use crate::support::command::{ckdiff, command, finish};

const FILES: &[&str] = &["github-workflow.yml", "gitlab-ci.yml", "pre-commit-config.yaml"];

fn file(name: &str) -> String {
    fs::read_to_string(Path::new("docs/ci").join(name)).unwrap()
}

#[test]
fn the_page_shows_every_file_as_it_is() {
    let page = Page::read("docs/ci.md");
    let blocks = page.blocks();
    let mut listed: Vec<_> =
        fs::read_dir("docs/ci").unwrap().map(|entry| entry.unwrap().file_name()).collect();
    listed.sort();
    assert_eq!(listed, FILES);
    for name in FILES {
        let block = blocks.iter().find(|block| block.info == ["yaml", name]);
        assert_eq!(page.text(block.unwrap()), file(name), "{name}");
    }
}

/// The commands of ckdiff in a file: values of `run` or `entry`, or items of a list.
fn commands(text: &str) -> Vec<&str> {
    let lines = text.lines().map(|line| line.trim().trim_start_matches("- "));
    let values = lines.map(|line| {
        line.strip_prefix("run: ").or_else(|| line.strip_prefix("entry: ")).unwrap_or(line)
    });
    values.filter(|value| value.starts_with("ckdiff ")).collect()
}

/// A repository as the files expect it.
fn repository(directory: &Path) {
    let data = fs::canonicalize("tests/data").unwrap();
    let models = directory.join("models");
    fs::create_dir_all(directory.join("exports")).unwrap();
    fs::create_dir(&models).unwrap();
    for (name, from) in [("production", "training/seeds/1"), ("candidate", "training/warm/5")] {
        fs::create_dir(models.join(name)).unwrap();
        for entry in fs::read_dir(data.join(from)).unwrap() {
            let path = entry.unwrap().path();
            fs::copy(&path, models.join(name).join(path.file_name().unwrap())).unwrap();
        }
    }
    fs::copy(data.join("demo/model.ckpt.meta"), directory.join("exports/model.meta")).unwrap();
    fs::write(directory.join("ckdiff.toml"), "schema = 1\nextends = \"exact\"\n").unwrap();
}

#[test]
fn every_command_in_the_files_runs() {
    let directory = tempfile::tempdir().unwrap();
    repository(directory.path());
    let run = |args: &[&str]| {
        let mut command = command(args);
        command.current_dir(directory.path());
        finish(command)
    };
    assert_eq!(run(&["snapshot", "write", "exports/model.meta"]).code, 0);
    let mut compared = 0;
    for name in FILES {
        for line in commands(&file(name)) {
            let args = arguments(line).unwrap();
            let args: Vec<&str> = args.iter().map(String::as_str).collect();
            if args[0] == "snapshot" {
                let found = run(&args);
                assert_eq!(found.code, 0, "{line}: {found:?}");
                continue;
            }
            let found = run(&args);
            assert_eq!((found.code, &*found.stderr), (1, ""), "{name}: {line}");
            for report in ["ckdiff.xml", "ckdiff.md"] {
                let path = directory.path().join(report);
                assert!(fs::metadata(&path).unwrap().len() > 1_000, "{line}: {report}");
                fs::remove_file(path).unwrap();
            }
            compared += 1;
        }
    }
    assert_eq!(compared, 2);
}

#[test]
fn every_hook_runs_a_command() {
    let hooks = fs::read_to_string(".pre-commit-hooks.yaml").unwrap();
    let config = file("pre-commit-config.yaml");
    let ids = hooks.lines().filter_map(|line| line.strip_prefix("- id: "));
    let ids: Vec<_> = ids.collect();
    let used = config.lines().filter_map(|line| line.trim().strip_prefix("- id: "));
    assert_eq!(used.collect::<Vec<_>>(), ids);
    let entries = commands(&hooks);
    assert_eq!(entries.len(), ids.len());
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("graph.pbtxt");
    for (text, code) in [("node {\n  name: \"a\"\n}\n", 0), ("node{name:'a'}", 1)] {
        fs::write(&path, text).unwrap();
        let args = arguments(entries[0]).unwrap();
        let mut args: Vec<&str> = args.iter().map(String::as_str).collect();
        args.push(path.to_str().unwrap());
        assert_eq!(ckdiff(&args).code, code, "{text}");
    }
}
