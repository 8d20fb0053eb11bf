//! Tests that run in their own process, and tests that cannot run on every machine.

use std::env;
use std::io::Write;
use std::process::Command;

/// A command for this test binary that runs the test `name` of `module` (given as `module_path!()`).
pub fn test_process(module: &str, test: &str) -> Command {
    let (_, module) = module.split_once("::").unwrap();
    let mut command = Command::new(env::current_exe().unwrap());
    command.args(["--exact", &format!("{module}::{test}")]);
    command
}

/// Runs one test in its own process; fails if the test fails or does not exist.
#[track_caller]
pub fn run_alone(mut test: Command) {
    let output = test.output().unwrap();
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(output.status.success() && text.contains("1 passed"), "{text}");
}

/// Reports that a test is skipped because something is missing on this machine; fails if the variable `required` is set.
#[track_caller]
pub fn skip(missing: &str, required: &str) {
    assert!(env::var_os(required).is_none(), "{missing}, and {required} is set");
    // Written to stderr directly, because the test runner hides the output of passing tests. A closed stream is fine.
    let _ = writeln!(std::io::stderr(), "skipped: {missing}");
}

/// Fails if the peak memory of this process exceeds `limit`, in KiB. Linux only.
#[track_caller]
pub fn assert_peak_memory_under(limit: u64) {
    let status = std::fs::read_to_string("/proc/self/status").unwrap();
    let peak = status.lines().find_map(|line| line.strip_prefix("VmHWM:")).unwrap();
    let peak: u64 = peak.trim().strip_suffix(" kB").unwrap().trim().parse().unwrap();
    assert!(peak < limit, "{peak} KiB of memory were used, at most {limit} are allowed");
}
