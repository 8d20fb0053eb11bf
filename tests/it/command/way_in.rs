//! What the command says to those who do not know it yet.

use std::fs;
use std::path::Path;

use crate::support::command::{self, assert_valid, ckdiff, finish};
use crate::support::directory::{ok, run};

/// The last line of the output.
fn said(dir: &Path, command: &str) -> (i32, String) {
    let (code, output) = run(dir, command);
    (code, output.lines().last().unwrap_or_default().to_owned())
}

/// A directory with the files of one checkpoint, without a state file.
fn one_checkpoint() -> tempfile::TempDir {
    let dir = tempfile::tempdir().unwrap();
    ok(dir.path(), "save-as demo/model.ckpt DIR/model.ckpt");
    fs::copy("tests/data/demo/model.ckpt.meta", dir.path().join("model.ckpt.meta")).unwrap();
    dir
}

#[test]
fn a_command_line_that_cannot_be_meant_names_what_was_meant() {
    let dir = one_checkpoint();
    let files = "DIR/model.ckpt.data-00000-of-00001 DIR/model.ckpt.index";
    let of_one = "files of one checkpoint; compare it with another: ckdiff DIR/model.ckpt OTHER";
    let cases = [
        ("a b c".into(), "expected two paths to compare, found 3: a, b, c".into()),
        (
            "a".into(),
            "expected two paths to compare, found one, a; ckdiff show prints what is in it".into(),
        ),
        (files.to_owned(), format!("both paths are {of_one}")),
        (format!("{files} DIR/model.ckpt.meta"), format!("the 3 paths are {of_one}")),
        (
            "comapre a b".into(),
            "comapre: no such command or file; did you mean ckdiff diff?".into(),
        ),
        ("inspect x".into(), "inspect: no such command or file; did you mean ckdiff show?".into()),
        ("shwo x".into(), "shwo: no such command or file; did you mean ckdiff show?".into()),
        ("-q a b c".into(), "expected two paths to compare, found 3: a, b, c".into()),
        ("a b c --rtol 1e-3".into(), "expected two paths to compare, found 3: a, b, c".into()),
        ("diff --atol=0 a b c -v".into(), "expected two paths to compare, found 3: a, b, c".into()),
        (format!("-n 5 {files} DIR/model.ckpt.meta"), format!("the 3 paths are {of_one}")),
        (
            "--stat comapre a b".into(),
            "comapre: no such command or file; did you mean ckdiff diff?".into(),
        ),
        ("shwo".into(), "shwo: no such command or file; did you mean ckdiff show?".into()),
        ("list x".into(), "list: no such command or file; did you mean ckdiff show?".into()),
    ];
    for (command, expected) in cases {
        let expected = format!("ckdiff: error: {expected}");
        assert_eq!(said(dir.path(), &command), (2, expected), "{command}");
    }
}

#[test]
fn a_file_with_the_name_of_a_misspelled_command_is_a_file() {
    let dir = tempfile::tempdir().unwrap();
    ok(dir.path(), "save-as demo/model.ckpt DIR/shwo --format v1");
    assert_eq!(run(dir.path(), "DIR/shwo demo/model.ckpt").0, 0);
    // A prefix is the name of no file.
    ok(dir.path(), "save-as demo/model.ckpt DIR/merge1");
    let mut merge1 = command::command(&["merge1", "shwo"]);
    merge1.current_dir(dir.path());
    assert_eq!(finish(merge1).code, 0);
    // A checkpoint and itself are no mistake.
    assert_eq!(run(dir.path(), "DIR/shwo DIR/shwo").0, 0);
}

#[test]
fn the_short_help_is_short_and_the_long_one_has_examples() {
    for name in ["", "show", "save-as", "verify", "convert", "export", "fmt", "merge"] {
        let help = |option| {
            let args: Vec<&str> = name.split_whitespace().chain([option]).collect();
            ckdiff(&args).text().to_owned()
        };
        let (short, long) = (help("-h"), help("--help"));
        assert!(short.lines().count() < long.lines().count(), "{name}");
        assert!(!short.contains("Examples:"), "{name}");
        assert!(long.contains("\nExamples:\n  ckdiff "), "{name}: {long}");
        let examples = long.split_once("\nExamples:\n").unwrap().1;
        let commands = examples.lines().filter(|line| line.starts_with("  ckdiff "));
        for example in commands.filter(|line| !line.contains("$(")) {
            let words = example.split('#').next().unwrap().split_whitespace().skip(1);
            let words: Vec<_> = words.map(|word| word.trim_matches('\'')).collect();
            // The files are missing, which is found after the arguments were accepted.
            let dir = tempfile::tempdir().unwrap();
            let mut run = command::command(&words);
            run.current_dir(dir.path());
            let run = finish(run);
            assert!(run.code == 2 && !run.stderr.contains("--help"), "{example}: {}", run.stderr);
        }
    }
    let lines = ckdiff(&["-h"]).text().lines().count();
    assert!(lines < 70, "{lines} lines");
    let man = ckdiff(&["man"]);
    assert!(man.text().contains("ckdiff save\\-as model.ckpt model.safetensors"), "{}", man.text());
}

#[test]
fn a_report_for_stdout_takes_the_place_of_the_other() {
    let run = ckdiff(&["--output=json=-", "demo/model.ckpt", "demo/v1format.ckpt"]);
    assert_eq!(run.json()["verdict"], "same");
    assert!(!Path::new("tests/data/-").exists());
}

#[test]
fn a_directory_with_one_checkpoint_is_that_checkpoint() {
    let dir = one_checkpoint();
    assert_eq!(run(dir.path(), "DIR demo/model.ckpt").0, 0);
    assert_eq!(run(dir.path(), "show DIR").0, 0);
    ok(dir.path(), "save-as demo/model.ckpt DIR/other.ckpt");
    let two = "ckdiff: error: DIR: there is no state file `checkpoint` that names the latest checkpoint; the directory contains model.ckpt, other.ckpt";
    assert_eq!(said(dir.path(), "show DIR"), (2, two.into()));
    assert_eq!(said(dir.path(), "latest DIR"), (2, two.into()));
}

#[test]
fn a_checkpoint_is_not_converted() {
    let dir = one_checkpoint();
    let what =
        "ckdiff: error: DIR/model.ckpt: this is a checkpoint, which holds tensors and no message; ";
    let with_meta = format!("{what}its meta graph is DIR/model.ckpt.meta");
    assert_eq!(said(dir.path(), "convert DIR/model.ckpt DIR/x.pb"), (2, with_meta));
    fs::remove_file(dir.path().join("model.ckpt.meta")).unwrap();
    let without = format!(
        "{what}`ckdiff show` lists the tensors, and `ckdiff save-as` writes them in another format"
    );
    assert_eq!(said(dir.path(), "convert DIR/model.ckpt DIR/x.pb"), (2, without));
}

#[test]
fn a_missing_shard_is_one_line() {
    let dir = one_checkpoint();
    fs::remove_file(dir.path().join("model.ckpt.data-00000-of-00001")).unwrap();
    let (code, output) = run(dir.path(), "-q DIR/model.ckpt demo/model.ckpt");
    let line = "ckdiff: error: DIR/model.ckpt.data-00000-of-00001: this shard of the checkpoint is missing (tensor v1 and 1 other)\n";
    assert_eq!((code, &*output), (2, line));
}

#[test]
fn drivers_are_not_heard_where_devices_are_listed() {
    let mut command = command::command(&["devices"]);
    // Mesa's driver writes to stderr without it.
    command.env_remove("XDG_RUNTIME_DIR");
    assert_eq!(finish(command).stderr, "");
}

#[test]
fn models_in_other_formats_are_named_with_what_to_do() {
    let dir = tempfile::tempdir().unwrap();
    let files: [(&str, &[u8], [&str; 2]); 4] = [
        ("m.onnx", b"\x08\x07", ["an ONNX model", "onnx.ModelProto"]),
        ("m.h5", b"\x89HDF\r\n\x1a\n", ["a Keras HDF5 file", "model.export"]),
        ("m.pt", b"PK\x03\x04", ["a PyTorch file", "safetensors.torch.save_file"]),
        ("m.tflite", b"\x1c\0\0\0TFL3", ["a TensorFlow Lite model", "converted from"]),
    ];
    for (name, bytes, words) in files {
        fs::write(dir.path().join(name), bytes).unwrap();
        let (code, line) = said(dir.path(), &format!("DIR/{name} demo/model.ckpt"));
        assert_eq!(code, 2, "{name}");
        for word in words {
            assert!(line.contains(word), "{line}");
        }
    }
}

#[test]
fn a_tensor_is_shown_whole_by_rows_and_in_json() {
    let show = ["show", "retrain/baseline.ckpt", "--tensor", "model/attention/mask"];
    let all = ckdiff(&[&show[..], &["-n", "all"]].concat());
    assert_eq!(all.text().lines().filter(|line| line.starts_with("  [")).count(), 24);
    let some = ckdiff(&[&show[..], &["-n", "2"]].concat());
    assert!(some.text().ends_with("\n  … and 528 more elements\n"), "{}", some.text());
    let json = ckdiff(&[&show[..], &["-n", "all", "--format", "json"]].concat());
    assert_valid(&json.json());
    let values = &json.json()["values"];
    assert_eq!(values["first"].as_array().unwrap().len(), 576);
    assert_eq!((&values["more"], &values["max"]), (&0.into(), &1.into()));
}

#[test]
fn errors_of_several_shards_are_a_line_for_each_shard() {
    let dir = tempfile::tempdir().unwrap();
    // Tensors of the two shards take turns in the order of their names.
    for (part, number) in [("one", "1"), ("other", "2")] {
        ok(
            dir.path(),
            &format!("save-as demo/model.ckpt DIR/{part} --rename (.*)=${{1}}/{number}"),
        );
    }
    ok(dir.path(), "merge DIR/one DIR/other DIR/two");
    for number in 0..2 {
        fs::remove_file(dir.path().join(format!("two.data-0000{number}-of-00002"))).unwrap();
    }
    let (code, output) = run(dir.path(), "-q DIR/two demo/model.ckpt");
    assert_eq!(code, 2);
    let missing = "this shard of the checkpoint is missing";
    assert_eq!(output.lines().filter(|line| line.contains(missing)).count(), 2, "{output}");
}

#[test]
fn an_error_names_only_options_that_the_command_has() {
    let dir = tempfile::tempdir().unwrap();
    fs::write(dir.path().join("empty.bin"), "").unwrap();
    let why = "ckdiff: error: DIR/empty.bin: an empty message could be of any type";
    let with_option = format!("{why}; --message says which it is");
    assert_eq!(said(dir.path(), "show DIR/empty.bin"), (2, with_option));
    for command in ["verify DIR/empty.bin", "export DIR/empty.bin DIR/out.pb"] {
        assert_eq!(said(dir.path(), command), (2, why.to_owned()), "{command}");
    }
}

#[test]
fn an_argument_does_not_control_a_terminal() {
    let evil = "\u{9b}2J\u{202e}";
    let value = format!("--sort={evil}");
    let [option, rtol] = ["bad", "rtol="].map(|name| format!("--{name}{evil}"));
    for args in
        [&[&*option][..], &[&value, "a", "b"], &[&rtol, "a", "b"], &["show", "-n", evil, "a"]]
    {
        let run = ckdiff(args);
        assert_eq!(run.code, 2, "{args:?}");
        assert!(run.stderr.contains("\\u{9b}2J\\u{202e}"), "{args:?}: {}", run.stderr);
        assert!(!run.stderr.contains(['\u{9b}', '\u{202e}']), "{args:?}: {}", run.stderr);
    }
}

#[test]
fn an_error_does_not_repeat_a_long_pattern() {
    let long = "[a-z]{1,500}".repeat(1000);
    let include = format!("--include={}", "[".repeat(9000));
    let renames = ["=x", "(=x", ""].map(|end| format!("--rename={long}{end}"));
    let unused = format!("--exclude={}", "x".repeat(9000));
    let args = renames.iter().chain([&include, &unused]);
    for arg in args {
        let run = ckdiff(&[arg, "--deny-unused", "demo/model.ckpt", "demo/model.ckpt"]);
        assert_eq!(run.code, 2, "{}", run.stderr);
        assert!(run.stderr.len() < 400, "{}", run.stderr);
    }
}
