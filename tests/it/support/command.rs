//! Runs of the `ckdiff` command.

use std::io::Write;
use std::process::{Command, Output, Stdio};
use std::time::{Duration, Instant};

use serde_json::Value;

use crate::support::json_schema::violations;

/// The result of a run.
#[derive(Debug)]
pub struct Run {
    pub code: i32,
    pub stdout: Vec<u8>,
    pub stderr: String,
}

impl Run {
    pub fn text(&self) -> &str {
        std::str::from_utf8(&self.stdout).unwrap()
    }

    pub fn json(&self) -> Value {
        serde_json::from_slice(&self.stdout).unwrap()
    }
}

impl From<Output> for Run {
    fn from(output: Output) -> Self {
        Self {
            code: output.status.code().unwrap(),
            stdout: output.stdout,
            stderr: String::from_utf8(output.stderr).unwrap(),
        }
    }
}

/// The command, run in the directory of the fixtures, without the environment variables that it reads.
pub fn command(args: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_ckdiff"));
    command.current_dir("tests/data").args(args).stdin(Stdio::null());
    for name in [
        "NO_COLOR",
        "CLICOLOR",
        "CLICOLOR_FORCE",
        "TERM",
        "COLUMNS",
        "CKDIFF_CONFIG",
        "GITHUB_STEP_SUMMARY",
    ] {
        command.env_remove(name);
    }
    // Mesa's driver prints a warning if this is not set.
    command.env("XDG_RUNTIME_DIR", std::env::temp_dir());
    command
}

pub fn finish(mut command: Command) -> Run {
    command.output().unwrap().into()
}

pub fn ckdiff(args: &[&str]) -> Run {
    finish(command(args))
}

/// A run with this standard input.
pub fn ckdiff_of(args: &[&str], stdin: &[u8]) -> Run {
    let mut command = command(args);
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().unwrap();
    let mut pipe = child.stdin.take().unwrap();
    // The command may answer before it has read everything.
    let writer = std::thread::spawn({
        let stdin = stdin.to_vec();
        move || drop(pipe.write_all(&stdin))
    });
    let output = child.wait_with_output().unwrap();
    writer.join().unwrap();
    output.into()
}

/// Checks a report against its schema.
pub fn assert_valid(report: &Value) {
    let schema = match report["schema"].as_str().unwrap() {
        "ckdiff/1" => include_str!("../../../src/report/json/ckdiff-1.schema.json"),
        "ckdiff-show/1" => include_str!("../../../src/report/json/ckdiff-show-1.schema.json"),
        "ckdiff-show-message/1" => {
            include_str!("../../../src/report/json/ckdiff-show-message-1.schema.json")
        }
        "ckdiff-devices/1" => include_str!("../../../src/report/json/ckdiff-devices-1.schema.json"),
        "ckdiff-verify/1" => include_str!("../../../src/report/json/ckdiff-verify-1.schema.json"),
        "ckdiff-series/1" => include_str!("../../../src/report/json/ckdiff-series-1.schema.json"),
        "ckdiff-series-first/1" => {
            include_str!("../../../src/report/json/ckdiff-series-first-1.schema.json")
        }
        other => panic!("{other} is not a known schema"),
    };
    let schema = serde_json::from_str(schema).unwrap();
    assert_eq!(violations(&schema, report), Vec::<String>::new());
}

/// The item of a list in a report whose `key` has the text `wanted`.
#[track_caller]
pub fn item<'a>(list: &'a Value, key: &str, wanted: &str) -> &'a Value {
    let found = list.as_array().unwrap().iter().find(|item| item[key] == wanted);
    found.unwrap_or_else(|| panic!("{wanted} is missing: {list}"))
}

/// A run that must end within 20 seconds: what it tests may wait or read forever.
#[track_caller]
pub fn ckdiff_that_ends(args: &[&str]) -> Run {
    let mut command = command(args);
    command.stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().unwrap();
    let end = Instant::now() + Duration::from_secs(20);
    while child.try_wait().unwrap().is_none() {
        if Instant::now() > end {
            child.kill().unwrap();
            panic!("{args:?} does not end");
        }
        std::thread::sleep(Duration::from_millis(5));
    }
    child.wait_with_output().unwrap().into()
}
