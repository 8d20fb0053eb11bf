//! Output files: written completely or not at all, at the path that the user gave.

use std::fs;
use std::path::Path;

use crate::support::command::ckdiff;
use crate::support::directory::names;

const GRAPH: &str = "demo/model.ckpt.meta";

fn convert_to(path: &Path) {
    let run = ckdiff(&["convert", GRAPH, path.to_str().unwrap()]);
    assert_eq!((run.code, &*run.stderr), (0, ""));
}

#[test]
fn the_longest_possible_file_name_is_written() {
    let dir = tempfile::tempdir().unwrap();
    let name = format!("{}.pbtxt", "a".repeat(249));
    convert_to(&dir.path().join(&name));
    assert_eq!(names(dir.path()), [name]);
}

#[test]
fn a_failed_write_leaves_the_old_file() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("graph.json");
    fs::write(&path, "as it was").unwrap();
    // An unknown field, which JSON cannot represent.
    let graph = dir.path().join("graph.pb");
    fs::write(&graph, [0xb8, 0x3e, 1]).unwrap();
    let (graph, out) = (graph.to_str().unwrap(), path.to_str().unwrap());
    let run = ckdiff(&["convert", "--message", "GraphDef", graph, out]);
    assert_eq!(run.code, 2);
    let why = "999 cannot be represented in JSON; --drop-unknown leaves it out";
    assert!(run.stderr.contains(why), "{}", run.stderr);
    assert_eq!(fs::read(&path).unwrap(), b"as it was");
    assert_eq!(names(dir.path()).len(), 2);
}

#[test]
fn a_missing_directory_is_reported() {
    let dir = tempfile::tempdir().unwrap();
    let directory = dir.path().join("missing");
    let path = directory.join("graph.json");
    let run = ckdiff(&["convert", GRAPH, path.to_str().unwrap()]);
    let (path, directory) = (path.display(), directory.display());
    let expected = format!("ckdiff: error: {path}: there is no directory {directory}\n");
    assert_eq!((run.code, run.stderr), (2, expected));
}

#[cfg(unix)]
mod unix {
    use std::os::unix::fs::{MetadataExt, PermissionsExt, symlink};
    use std::os::unix::process::ExitStatusExt;
    use std::process::{Command, ExitStatus, Stdio};

    use ckdiff::files::{cannot_write, replace};
    use ckdiff::message::Writer;
    use ckdiff::schema::WireType;

    use super::*;

    #[test]
    fn links_stay_and_their_targets_are_written() {
        let dir = tempfile::tempdir().unwrap();
        let inner = dir.path().join("inner");
        fs::create_dir(&inner).unwrap();
        for existed in [false, true] {
            let (target, link) = (inner.join("graph.pbtxt"), dir.path().join("link.pbtxt"));
            if !existed {
                symlink("inner/graph.pbtxt", &link).unwrap();
            }
            convert_to(&link);
            assert!(link.symlink_metadata().unwrap().is_symlink(), "existed: {existed}");
            assert!(fs::read_to_string(&target).unwrap().starts_with("meta_info_def {"));
            fs::write(&target, "something else").unwrap();
        }
    }

    #[test]
    fn a_file_that_is_replaced_keeps_its_permissions() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("graph.pbtxt");
        let mode = || path.metadata().unwrap().permissions().mode() & 0o777;
        convert_to(&path);
        // The permissions of any new file in this directory.
        let other = dir.path().join("other");
        fs::write(&other, "").unwrap();
        assert_eq!(mode(), other.metadata().unwrap().permissions().mode() & 0o777);
        fs::set_permissions(&path, fs::Permissions::from_mode(0o640)).unwrap();
        convert_to(&path);
        assert_eq!(mode(), 0o640);
    }

    #[test]
    fn a_pipe_is_written_directly() {
        let run = ckdiff(&["convert", "--to", "text", GRAPH, "/dev/stdout"]);
        assert_eq!((run.code, &*run.stderr), (0, ""));
        assert!(run.text().starts_with("meta_info_def {"));
    }

    /// Runs a shell command in `dir`, in which `$CKDIFF` is the command and `$DATA` has the fixtures.
    fn shell(dir: &Path, line: &str) -> (Option<i32>, String) {
        let output = Command::new("sh")
            .args(["-c", line])
            .current_dir(dir)
            .env("CKDIFF", env!("CARGO_BIN_EXE_ckdiff"))
            .env("DATA", fs::canonicalize("tests/data").unwrap())
            .output()
            .unwrap();
        (output.status.code(), String::from_utf8(output.stderr).unwrap())
    }

    #[test]
    fn an_open_file_is_appended_to_and_never_replaced() {
        let dir = tempfile::tempdir().unwrap();
        for line in [
            "$CKDIFF convert $DATA/demo/model.ckpt.meta /dev/stdout >> log",
            "$CKDIFF convert --to text $DATA/demo/model.ckpt.meta /proc/self/fd/1 >> log",
            "$CKDIFF -q --output json=/dev/stdout $DATA/demo/model.ckpt $DATA/demo/model.ckpt >> log",
            "$CKDIFF -q --output json=/dev/stderr $DATA/demo/model.ckpt $DATA/demo/model.ckpt 2>> log",
        ] {
            fs::write(dir.path().join("log"), "before\n").unwrap();
            assert_eq!(shell(dir.path(), line), (Some(0), String::new()), "{line}");
            let log = fs::read_to_string(dir.path().join("log")).unwrap();
            assert!(log.starts_with("before\n") && log.len() > 100, "{line}: {log}");
            assert_eq!(names(dir.path()), ["log"], "{line}");
        }
        for line in [
            "$CKDIFF convert --to text $DATA/demo/model.ckpt.meta /dev/fd/3 3>> log",
            "$CKDIFF save-as --overwrite --format v1 $DATA/demo/model.ckpt /dev/stdout >> log",
            "$CKDIFF save-as --overwrite $DATA/demo/model.ckpt /dev/fd/3 3>> log",
        ] {
            fs::write(dir.path().join("log"), "before\n").unwrap();
            let (code, error) = shell(dir.path(), line);
            assert_eq!(code, Some(2), "{line}");
            assert!(error.contains("found an open file of a program"), "{line}: {error}");
            assert_eq!(fs::read(dir.path().join("log")).unwrap(), b"before\n", "{line}");
        }
    }

    #[test]
    fn a_limit_on_the_size_of_files_is_an_error() {
        let dir = tempfile::tempdir().unwrap();
        for line in [
            "ulimit -f 1; $CKDIFF convert $DATA/demo/model.ckpt.meta out.pbtxt",
            "ulimit -f 1; $CKDIFF convert --to text $DATA/demo/model.ckpt.meta - > out.pbtxt",
            "ulimit -f 1; $CKDIFF -q --output junit=a --output json=b $DATA/demo/model.ckpt $DATA/retrain/baseline.ckpt",
        ] {
            let (code, error) = shell(dir.path(), line);
            assert_eq!(code, Some(2), "{line}: {error}");
            assert!(error.contains("cannot write: File too large"), "{line}: {error}");
            let _ = fs::remove_file(dir.path().join("out.pbtxt"));
            assert_eq!(names(dir.path()), Vec::<String>::new(), "{line}");
        }
    }

    #[test]
    fn help_that_cannot_be_written_is_trouble() {
        for option in ["--help", "-h", "--version", "diff --help", "man", "completions bash"] {
            let line = format!("$CKDIFF {option} > /dev/full");
            let (code, error) = shell(Path::new("."), &line);
            assert_eq!(code, Some(2), "{line}");
            assert!(error.contains("standard output: cannot write: No space left"), "{error}");
            // A reader who has seen enough.
            let (code, error) = shell(Path::new("."), &format!("$CKDIFF {option} | true"));
            assert_eq!((code, &*error), (Some(0), ""));
        }
    }

    #[test]
    fn a_file_that_is_rewritten_loses_the_rights_of_its_owner_and_keeps_the_owner() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("graph.pbtxt");
        fs::write(&path, "").unwrap();
        // Only the administrator can give files away; then everyone else's files can be rewritten, too.
        let is_given = std::os::unix::fs::chown(&path, Some(12345), Some(23456)).is_ok();
        fs::set_permissions(&path, fs::Permissions::from_mode(0o6755)).unwrap();
        let before = path.metadata().unwrap();
        convert_to(&path);
        let after = path.metadata().unwrap();
        assert_eq!(after.permissions().mode() & 0o7777, 0o755);
        assert_eq!((after.uid(), after.gid()), (before.uid(), before.gid()), "given: {is_given}");
    }

    #[test]
    fn the_leftovers_of_a_killed_run_are_removed_and_those_of_a_living_run_are_not() {
        let dir = tempfile::tempdir().unwrap();
        let at = |name: &str| dir.path().join(name);
        for name in [
            ".ckdiff-dead.lock",
            ".ckdiff-dead-1.tmp",
            ".ckdiff-live-1.tmp",
            ".ckdiff-deadly-1.tmp",
            "other.tmp",
        ] {
            fs::write(at(name), "").unwrap();
        }
        fs::create_dir(at(".ckdiff-dead-2.tmp")).unwrap();
        fs::write(at(".ckdiff-dead-2.tmp").join("part"), "").unwrap();
        let mark = fs::File::create(at(".ckdiff-live.lock")).unwrap();
        mark.lock().unwrap();
        convert_to(&at("graph.pbtxt"));
        let live = [
            ".ckdiff-deadly-1.tmp",
            ".ckdiff-live-1.tmp",
            ".ckdiff-live.lock",
            "graph.pbtxt",
            "other.tmp",
        ];
        assert_eq!(names(dir.path()), live);
    }

    #[test]
    fn leftovers_are_looked_for_once_in_a_directory() {
        let dir = tempfile::tempdir().unwrap();
        let write = |name: &str| {
            replace(&dir.path().join(name), |out| out.write_all(b"x").map_err(cannot_write))
                .unwrap();
        };
        write("first");
        // A listing for every file would take a time that grows with the square of their number.
        fs::write(dir.path().join(".ckdiff-dead.lock"), "").unwrap();
        write("second");
        assert_eq!(names(dir.path()), [".ckdiff-dead.lock", "first", "second"]);
    }

    #[test]
    fn outputs_of_one_command_are_different_files_and_appear_together() {
        let dir = tempfile::tempdir().unwrap();
        symlink("report", dir.path().join("link")).unwrap();
        let compare = "$CKDIFF $DATA/demo/model.ckpt $DATA/demo/model.ckpt";
        for (outputs, why) in [
            ("--output json=report --output human=./report", "it is the path of two outputs"),
            ("--output json=link --output human=report", "it is the path of two outputs"),
            ("--output json=- --output human=/dev/stdout", "it is the path of two outputs"),
            ("--output json=report --output human=missing/report", "there is no directory missing"),
            ("--output json=- --output human=missing/report", "there is no directory missing"),
        ] {
            let line =
                format!("{compare} {outputs} > printed; code=$?; cat printed >&2; exit $code");
            let (code, error) = shell(dir.path(), &line);
            assert_eq!(code, Some(2), "{line}: {error}");
            assert!(error.starts_with("ckdiff: error: ") && error.contains(why), "{line}: {error}");
            assert_eq!(error.lines().count(), 1, "{line}: {error}");
            assert_eq!(names(dir.path()), ["link", "printed"], "{line}");
        }
    }

    #[test]
    fn a_report_that_cannot_be_written_is_refused_before_anything_is_read() {
        let dir = tempfile::tempdir().unwrap();
        fs::create_dir(dir.path().join("directory")).unwrap();
        let commands =
            ["gone gone", "series gone", "verify gone", "show gone", "judge gone --rules exact"];
        for command in commands {
            for (output, why) in [
                ("json=missing/report", "there is no directory missing"),
                ("json=directory", "Is a directory"),
                ("json=r --output human=r", "it is the path of two outputs"),
                ("json=- --output human=-", "it is the path of two outputs"),
            ] {
                let line = format!("$CKDIFF {command} --output {output}");
                let (code, error) = shell(dir.path(), &line);
                assert_eq!(code, Some(2), "{line}: {error}");
                assert!(error.contains(why), "{line}: {error}");
                assert!(!error.contains("gone"), "{line}: {error}");
                assert_eq!(names(dir.path()), ["directory"], "{line}");
            }
        }
    }

    #[test]
    fn a_pipe_for_a_report_is_opened_once() {
        let dir = tempfile::tempdir().unwrap();
        let line = "mkfifo pipe && cat pipe > read & \
                    while [ ! -p pipe ]; do sleep 0.01; done; \
                    $CKDIFF -q --output junit=pipe $DATA/demo/model.ckpt $DATA/demo/model.ckpt && wait";
        let (code, error) = shell(dir.path(), line);
        assert_eq!((code, &*error), (Some(0), ""));
        let read = fs::read_to_string(dir.path().join("read")).unwrap();
        assert!(read.ends_with("</testsuites>\n"), "{read}");
    }

    #[test]
    fn debug_information_is_not_written_over_its_graph() {
        let dir = tempfile::tempdir().unwrap();
        symlink("out.meta", dir.path().join("out.debug")).unwrap();
        let line = "$CKDIFF export --save-debug-info $DATA/debug_info/model.meta out.meta";
        let (code, error) = shell(dir.path(), line);
        assert_eq!(code, Some(2), "{error}");
        assert!(error.contains("it is the path of two outputs"), "{error}");
        assert_eq!(names(dir.path()), ["out.debug"]);
    }

    #[test]
    fn a_closed_file_of_a_program_is_no_missing_directory() {
        let line = "$CKDIFF convert --to binary $DATA/demo/model.ckpt.meta /proc/$$/fd/9";
        let (code, error) = shell(Path::new("."), line);
        assert_eq!(code, Some(2), "{error}");
        assert!(error.contains("/fd/9: there is no such file, and none can be created"), "{error}");
    }

    #[test]
    fn links_in_a_circle_are_left_alone() {
        let dir = tempfile::tempdir().unwrap();
        let (one, other) = (dir.path().join("one.json"), dir.path().join("other.json"));
        symlink(&other, &one).unwrap();
        symlink(&one, &other).unwrap();
        let run = ckdiff(&["convert", GRAPH, one.to_str().unwrap()]);
        assert_eq!(run.code, 2, "{}", run.stderr);
        assert!([one, other].iter().all(|link| link.is_symlink()));
    }

    /// A tensor whose text takes a while to write.
    fn large_tensor(elements: usize) -> Vec<u8> {
        let mut out = Writer::default();
        out.tag(1, WireType::Varint);
        out.varint(9);
        out.tag(10, WireType::Len);
        out.open();
        (0..elements).for_each(|_| out.varint(1 << 40));
        out.close();
        out.finish()
    }

    /// Converts a tensor, and sends a signal once the output file exists; returns the exit status and the remaining files.
    fn interrupted(elements: usize, signal: &str, trap: &str) -> (ExitStatus, Vec<String>) {
        let dir = tempfile::tempdir().unwrap();
        let out = dir.path().join("out");
        fs::create_dir(&out).unwrap();
        let tensor = dir.path().join("tensor.pb");
        fs::write(&tensor, large_tensor(elements)).unwrap();
        let mut child = Command::new("sh")
            .args(["-c", &format!("{trap} exec \"$@\""), "sh", env!("CARGO_BIN_EXE_ckdiff")])
            .args(["convert", "--message", "TensorProto", "-j", "1"])
            .args([&tensor, &out.join("tensor.pbtxt")])
            .spawn()
            .unwrap();
        while names(&out).is_empty() && child.try_wait().unwrap().is_none() {
            std::thread::yield_now();
        }
        let id = child.id().to_string();
        // A process that has ended already cannot receive a signal.
        let _ = Command::new("kill").args(["-s", signal, &id]).stderr(Stdio::null()).status();
        (child.wait().unwrap(), names(&out))
    }

    #[test]
    fn a_terminated_program_leaves_no_file() {
        for elements in [1, 2, 4, 8, 16].map(|millions| millions * 1_000_000) {
            let (status, left) = interrupted(elements, "TERM", "");
            if status.signal() == Some(15) {
                assert_eq!(left, [""; 0]);
                return;
            }
            // The process ended before the signal.
            assert!(status.success() && left == ["tensor.pbtxt"], "{status}: {left:?}");
        }
        panic!("the process always ended before the signal");
    }

    /// A process that ignores SIGINT, as shells start background jobs.
    #[cfg(target_os = "linux")]
    #[test]
    fn an_ignored_signal_stays_ignored() {
        let (status, left) = interrupted(1_000_000, "INT", "trap '' INT;");
        assert!(status.success(), "{status}");
        assert_eq!(left, ["tensor.pbtxt"]);
    }
}

#[test]
fn a_report_replaces_no_model_but_an_older_report() {
    let dir = tempfile::tempdir().unwrap();
    let copy = |name: &str| {
        let to = dir.path().join(name);
        fs::copy(Path::new("tests/data/demo").join(name), &to).unwrap();
        to
    };
    let files = ["model.ckpt.index", "model.ckpt.data-00000-of-00001", "model.ckpt.meta"].map(copy);
    let lhs = dir.path().join("model.ckpt");
    let lhs = lhs.to_str().unwrap();
    for file in &files {
        let before = fs::read(file).unwrap();
        for format in ["json", "html"] {
            let output = format!("--output={format}={}", file.display());
            let run = ckdiff(&[&output, lhs, "demo/v1format.ckpt"]);
            assert_eq!(run.code, 2);
            assert!(run.stderr.contains("which a report does not replace"), "{}", run.stderr);
        }
        assert_eq!(fs::read(file).unwrap(), before);
    }
    for format in ["human", "json", "html", "junit", "markdown", "github"] {
        let report = dir.path().join("report");
        let output = format!("--output={format}={}", report.display());
        for _ in 0..2 {
            let run = ckdiff(&["-q", &output, lhs, "demo/v1format.ckpt"]);
            assert_eq!((run.code, &*run.stderr), (0, ""), "{format}");
        }
    }
}
