//! Commands that work in a temporary directory.

use std::fs;
use std::path::Path;

use super::command::ckdiff;

/// Runs a command line; `DIR` in it, and in the output, stands for `dir`. Returns the exit code and the output.
pub fn run(dir: &Path, command: &str) -> (i32, String) {
    let dir = dir.to_str().unwrap();
    let args: Vec<String> = command.split(' ').map(|arg| arg.replace("DIR", dir)).collect();
    let args: Vec<&str> = args.iter().map(String::as_str).collect();
    let run = ckdiff(&args);
    (run.code, format!("{}{}", run.text(), run.stderr).replace(dir, "DIR"))
}

/// Runs a command that succeeds and prints nothing.
pub fn ok(dir: &Path, command: &str) {
    assert_eq!(run(dir, command), (0, String::new()), "{command}");
}

/// Runs a command that fails and leaves the files of `dir` unchanged; returns its output.
pub fn refused(dir: &Path, command: &str) -> String {
    let before = names(dir);
    let (code, said) = run(dir, command);
    assert_eq!(code, 2, "{command}: {said}");
    assert_eq!(names(dir), before, "{command}");
    said
}

/// The names of the files in a directory, sorted.
pub fn names(dir: &Path) -> Vec<String> {
    let mut names: Vec<String> = fs::read_dir(dir)
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    names.sort();
    names
}

/// A copy of a directory of fixtures.
pub fn copy(from: &str) -> tempfile::TempDir {
    fn directory(from: &Path, to: &Path) {
        fs::create_dir_all(to).unwrap();
        for entry in fs::read_dir(from).unwrap() {
            let entry = entry.unwrap();
            let to = to.join(entry.file_name());
            if entry.path().is_dir() {
                directory(&entry.path(), &to);
            } else {
                fs::copy(entry.path(), to).unwrap();
            }
        }
    }
    let dir = tempfile::tempdir().unwrap();
    directory(Path::new(&format!("tests/data/{from}")), dir.path());
    dir
}
