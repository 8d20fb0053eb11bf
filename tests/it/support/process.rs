//! Tests that run in a process of their own, and tests that cannot run on every machine.

use std::env;
use std::io::Write;
use std::process::Command;

/// This binary, to run one test: that of `module` (given as `module_path!()`) and this name.
pub fn test_process(module: &str, test: &str) -> Command {
    let (_, module) = module.split_once("::").unwrap();
    let mut command = Command::new(env::current_exe().unwrap());
    command.args(["--exact", &format!("{module}::{test}")]);
    command
}

/// Runs one test in a process of its own; fails if the test fails, or does not exist.
#[track_caller]
pub fn run_alone(mut test: Command) {
    let output = test.output().unwrap();
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(output.status.success() && text.contains("1 passed"), "{text}");
}

/// Reports that a test is skipped because something is missing here; an error where the variable `required` is set.
#[track_caller]
pub fn skip(missing: &str, required: &str) {
    assert!(env::var_os(required).is_none(), "{missing}, and {required} is set");
    // The test runner shows no output of a test that passes, so this goes past it; a closed stream is no error.
    let _ = writeln!(std::io::stderr(), "skipped: {missing}");
}

/// Fails if this process has used more memory than `limit`, in KiB. Linux only.
#[track_caller]
pub fn assert_peak_memory_under(limit: u64) {
    let status = std::fs::read_to_string("/proc/self/status").unwrap();
    let peak = status.lines().find_map(|line| line.strip_prefix("VmHWM:")).unwrap();
    let peak: u64 = peak.trim().strip_suffix(" kB").unwrap().trim().parse().unwrap();
    assert!(peak < limit, "{peak} KiB of memory were used, at most {limit} are allowed");
}
