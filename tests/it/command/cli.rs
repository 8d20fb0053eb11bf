//! The command: what it prints, to which stream, and its exit codes.

use std::fs;
use std::io::{BufRead, BufReader};
use std::process::Stdio;

use ckdiff::compare::ValueHistogram;
use serde_json::Value;

use crate::support::command::{assert_valid, ckdiff, command, finish};
use crate::support::named_snapshot;

const BASELINE: &str = "retrain/baseline.ckpt";
const RETRAINED: &str = "retrain/retrained.ckpt";

#[test]
fn the_report_of_a_retrained_model() {
    let run = ckdiff(&[BASELINE, RETRAINED]);
    assert_eq!((run.code, run.stderr.as_str()), (1, ""));
    named_snapshot("cli", "retrain", run.text());
}

#[test]
fn the_report_within_a_tolerance() {
    let run =
        ckdiff(&[BASELINE, RETRAINED, "--rtol", "1e-4", "--include", "model/encoder/dense/**"]);
    assert_eq!(run.code, 1);
    named_snapshot("cli", "retrain_rtol", run.text());
    let run =
        ckdiff(&[BASELINE, RETRAINED, "--rtol=4.2e-4", "--include", "model/encoder/dense/**"]);
    assert_eq!(run.code, 0, "the suggested tolerance passes: {}", run.text());
}

#[test]
fn a_suggested_rename_can_be_pasted() {
    let run = ckdiff(&[
        BASELINE,
        RETRAINED,
        "--rename",
        "^model/dense_1/(.*)=model/classifier/$1",
        "--format",
        "json",
    ]);
    let report = run.json();
    assert_eq!(report["renames"], Value::Array(Vec::new()));
    let tensors = report["tensors"].as_array().unwrap();
    let bias = tensors.iter().find(|tensor| tensor["name"] == "model/classifier/bias").unwrap();
    assert_eq!(bias["status"], "identical");
    assert_eq!(bias["renamed_from"], "model/dense_1/bias");
}

#[test]
fn the_json_report() {
    let run = ckdiff(&[
        "diff",
        BASELINE,
        RETRAINED,
        "--format=json",
        "--histogram",
        "--tolerance",
        "1e-3,.5",
    ]);
    assert_eq!((run.code, run.stderr.as_str()), (1, ""));
    let report = run.json();
    assert_valid(&report);
    assert_eq!(report["verdict"], "different");
    let kernel = report["tensors"]
        .as_array()
        .unwrap()
        .iter()
        .find(|t| t["name"] == "model/attention/kernel");
    assert_eq!(kernel.unwrap()["tolerances"][0]["rtol"], 0.5);
    assert!(kernel.unwrap()["histogram"]["abs"].as_array().is_some_and(|bins| !bins.is_empty()));
    let lhs: ValueHistogram =
        serde_json::from_value(kernel.unwrap()["values"]["lhs"].clone()).unwrap();
    assert_eq!((lhs.count(), lhs.zeros()), (1024, 0));
    assert!(kernel.unwrap()["ks"].as_f64().is_some_and(|ks| ks > 0.0 && ks < 1.0));
}

#[test]
fn the_same_report_for_any_number_of_threads() {
    let of = |jobs: &str| {
        ckdiff(&[
            "compare/lhs.ckpt",
            "compare/rhs.ckpt",
            "--format=json",
            "--histogram",
            "-j",
            jobs,
        ])
    };
    let one = of("1");
    assert_valid(&one.json());
    for jobs in ["0", "2", "5"] {
        assert_eq!(of(jobs).stdout, one.stdout, "-j {jobs}");
    }
}

#[test]
fn exit_codes_say_same_different_or_trouble() {
    let cases: &[(&[&str], i32)] = &[
        (&[BASELINE, BASELINE], 0),
        (&[BASELINE, "./retrain/baseline.ckpt.index"], 0),
        (&[BASELINE, RETRAINED], 1),
        (&[BASELINE, RETRAINED, "--include", "model/frozen/**"], 0),
        (&[BASELINE, RETRAINED, "--include", "nothing"], 2),
        (&[BASELINE, RETRAINED, "--include", "a{"], 2),
        (&[BASELINE, RETRAINED, "--rename", "no_equals_sign"], 2),
        (&[BASELINE, RETRAINED, "--rename", "(=x"], 2),
        (&[BASELINE, "nothing"], 2),
        (&["nothing", BASELINE], 2),
        (&[BASELINE], 2),
        (&[], 2),
        (&["show"], 2),
        (&["verify"], 2),
        (&["convert", "demo/model.ckpt.meta"], 2),
        (&["convert", "demo/model.ckpt.meta", "nowhere.unknown"], 2),
        (&["convert", "demo/model.ckpt.meta", "-", "--message", "NoSuch"], 2),
        (&["convert", "demo/model.ckpt.meta", "-", "-I", "."], 2),
        (&["convert", "nothing", "-"], 2),
        (&["fmt"], 2),
        (&["fmt", "nothing"], 2),
        (&["demo", "demo"], 0),
        (&["demo/model.ckpt.meta", "demo/model.ckpt.meta"], 0),
        (&["demo/model.ckpt.meta", "graphs/training.meta"], 1),
        (&["demo/model.ckpt.meta", "demo/v1format.ckpt"], 2),
        (&["graphs/frozen.pb", "graphs/saver_def.pb"], 2),
        (&["graphs/training.meta", "graphs/stripped.meta", "--ignore", "**"], 0),
        (&["graphs/training.meta", "graphs/training.pbtxt"], 0),
        (&["demo/model.ckpt", "demo/model.ckpt", "--only", "graph"], 0),
        (&["demo/v1format.ckpt", "demo/v1format.ckpt", "--only", "graph"], 2),
        (&["show", "demo/model.ckpt.meta", "--tensor", "v1"], 2),
        (&[BASELINE, RETRAINED, "--no-such-option"], 2),
        (&[BASELINE, RETRAINED, "--atol", "-1"], 2),
        (&[BASELINE, RETRAINED, "--atol=-1"], 2),
        (&[BASELINE, RETRAINED, "--rtol", "inf"], 2),
        (&[BASELINE, RETRAINED, "--rtol", "NaN"], 2),
        (&[BASELINE, RETRAINED, "--rtol", "1e-5x"], 2),
        (&[BASELINE, RETRAINED, "--ulp", "-1"], 2),
        (&[BASELINE, RETRAINED, "--ulp", "1.5"], 2),
        (&[BASELINE, RETRAINED, "--tolerance", "1"], 2),
        (&[BASELINE, RETRAINED, "--tolerance", "1,-1"], 2),
        (&[BASELINE, RETRAINED, "--device", "gpu:"], 2),
        (&[BASELINE, RETRAINED, "--device", "gpu:no such thing"], 2),
        (&[BASELINE, RETRAINED, "--device", "tpu"], 2),
        (&[BASELINE, BASELINE, "--device", "cpu"], 0),
        (&[BASELINE, RETRAINED, "--output", "xml=x"], 2),
        (&[BASELINE, RETRAINED, "--output", "json="], 2),
        (&[BASELINE, RETRAINED, "--output", "json=no/such/directory/report.json"], 2),
        (&[BASELINE, RETRAINED, "--output", "json=retrain"], 2),
        (&["hostile/good", "hostile/bit_data"], 2),
        (&["hostile/good", "hostile/good"], 0),
        (&["--help"], 0),
        (&["show", "--help"], 0),
        (&["--version"], 0),
    ];
    for (args, code) in cases {
        let run = ckdiff(args);
        assert_eq!(run.code, *code, "{args:?}: {run:?}");
        let reported = run.stderr.starts_with("ckdiff: error: ") || args.is_empty();
        assert!(*code != 2 || reported, "{args:?} must report an error: {run:?}");
        assert!(*code == 2 || run.stderr.is_empty(), "{args:?} must not print to stderr: {run:?}");
    }
}

#[test]
fn artifacts_without_a_common_part_are_an_error() {
    let run = ckdiff(&["graphs/handles.pb", "demo/v1format.ckpt"]);
    assert_eq!((run.code, run.text()), (2, ""));
    let reported = "lhs is a graph, rhs is a checkpoint: they have no part in common to compare";
    assert!(run.stderr.contains(reported), "{}", run.stderr);
}

#[test]
fn changes_that_are_ignored_do_not_count() {
    let (lhs, rhs) = ("pairs/rename_edit_device/lhs.meta", "pairs/rename_edit_device/rhs.meta");
    let counts = |args: &[&str]| {
        let report = ckdiff(&[&[lhs, rhs, "--format=json", "--no-group"], args].concat()).json();
        let graph = &report["summary"]["graph"];
        let count = |key: &str| graph[key].as_u64().unwrap();
        (count("semantic"), count("cosmetic"), count("ignored"))
    };
    let (all, cosmetic, _) = counts(&[]);
    assert_eq!(counts(&["--ignore", "**.device"]), (2, cosmetic, all - 2));
    assert_eq!(counts(&["--ignore", "graph_def.node[\"layer/*\"]"]).2, 5);
    assert_eq!(counts(&["--ignore-kind", "added"]), (2, cosmetic, all - 2));
    assert_eq!(counts(&["--ignore-kind", "added", "--ignore-kind=renamed"]).0, 1);
    let same = ["pairs/node_order/lhs.meta", "pairs/node_order/rhs.meta"];
    assert_eq!(ckdiff(&same).code, 0);
    assert_eq!(ckdiff(&[&same[..], &["--strict"]].concat()).code, 1);
}

#[test]
fn damage_is_reported_and_the_rest_is_still_compared() {
    let run = ckdiff(&["hostile/good", "hostile/bit_data"]);
    named_snapshot("cli", "damaged", &format!("{}\n--- stderr\n{}", run.text(), run.stderr));
    let quiet = ckdiff(&["-q", "hostile/good", "hostile/bit_data"]);
    assert_eq!((quiet.code, quiet.text()), (2, ""));
    assert_eq!(quiet.stderr, run.stderr);
    let report = ckdiff(&["hostile/good", "hostile/bit_data", "--format=json"]).json();
    assert_valid(&report);
    assert_eq!(report["verdict"], "trouble");
    assert_eq!(report["summary"]["tensors"]["error"], 1);
    assert_eq!(report["summary"]["tensors"]["identical"], 3);
}

#[test]
fn two_sides_that_cannot_be_opened_are_reported_in_a_line_each() {
    let run = ckdiff(&["no\x1bthing", "hostile/index_text"]);
    assert_eq!(run.stderr.lines().count(), 2, "{}", run.stderr);
    assert!(run.stderr.lines().all(|line| line.starts_with("ckdiff: error: ")), "{}", run.stderr);
    assert!(!run.stderr.contains('\x1b'), "{:?}", run.stderr);
    assert_eq!(ckdiff(&["nothing", "nothing"]).stderr.lines().count(), 1);
}

#[test]
fn quiet_is_quiet() {
    for (args, code) in [([BASELINE, RETRAINED, "-q"], 1), ([BASELINE, BASELINE, "--quiet"], 0)] {
        let run = ckdiff(&args);
        assert_eq!((run.code, run.text(), run.stderr.as_str()), (code, "", ""));
    }
}

#[test]
fn colors_follow_the_option_then_the_environment() {
    let colored = |args: &[&str], env: &[(&str, &str)]| {
        let mut command = command(&[&[BASELINE, BASELINE], args].concat());
        command.envs(env.iter().copied());
        finish(command).text().contains('\x1b')
    };
    assert!(!colored(&[], &[]), "a pipe is not a terminal");
    assert!(colored(&["--color=always"], &[("NO_COLOR", "1")]));
    assert!(colored(&[], &[("CLICOLOR_FORCE", "1")]));
    assert!(!colored(&[], &[("CLICOLOR_FORCE", "0")]));
    assert!(!colored(&[], &[("CLICOLOR_FORCE", "1"), ("NO_COLOR", "1")]));
    assert!(colored(&[], &[("CLICOLOR_FORCE", "1"), ("NO_COLOR", "")]));
    assert!(!colored(&["--color", "never"], &[("CLICOLOR_FORCE", "1")]));
}

#[test]
fn reports_go_to_files_whole_or_not_at_all() {
    let dir = tempfile::tempdir().unwrap();
    let path = |name: &str| dir.path().join(name);
    let to = |format: &str, name: &str| format!("--output={format}={}", path(name).display());
    fs::write(path("a=b.json"), "old").unwrap();
    let run = ckdiff(&[
        BASELINE,
        RETRAINED,
        "-q",
        &to("json", "a=b.json"),
        &to("human", "report.txt"),
        "--color=always",
    ]);
    assert_eq!((run.code, run.text(), run.stderr.as_str()), (1, "", ""));
    assert_valid(&serde_json::from_slice(&fs::read(path("a=b.json")).unwrap()).unwrap());
    let text = fs::read_to_string(path("report.txt")).unwrap();
    assert_eq!(text, ckdiff(&[BASELINE, RETRAINED]).text(), "a file is not colored");
    assert_eq!(fs::read_dir(dir.path()).unwrap().count(), 2, "no temporary file is left");
}

#[cfg(unix)]
#[test]
fn a_link_stays_a_link_and_a_device_a_device() {
    let dir = tempfile::tempdir().unwrap();
    let (target, link) = (dir.path().join("target.json"), dir.path().join("link.json"));
    fs::write(&target, "old").unwrap();
    std::os::unix::fs::symlink(&target, &link).unwrap();
    let output = format!("json={}", link.display());
    let run =
        ckdiff(&[BASELINE, BASELINE, "-q", "--output", &output, "--output", "human=/dev/null"]);
    assert_eq!((run.code, run.stderr.as_str()), (0, ""));
    assert!(fs::symlink_metadata(&link).unwrap().is_symlink());
    assert!(fs::read_to_string(&target).unwrap().starts_with('{'));
    assert!(!fs::metadata("/dev/null").unwrap().is_file());
}

#[test]
fn a_closed_pipe_is_not_an_error() {
    let mut child =
        command(&["compare/lhs.ckpt", "compare/rhs.ckpt", "--format=json", "--histogram"])
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
    let mut line = String::new();
    // Closed after one line: the report is larger than a pipe's buffer.
    BufReader::with_capacity(16, child.stdout.take().unwrap()).read_line(&mut line).unwrap();
    let output = child.wait_with_output().unwrap();
    assert_eq!(line, "{\n");
    assert_eq!(String::from_utf8(output.stderr).unwrap(), "");
    assert_eq!(output.status.code(), Some(1));
}

#[cfg(target_os = "linux")]
#[test]
fn a_full_disk_is_trouble() {
    let mut command = command(&[BASELINE, BASELINE]);
    command.stdout(fs::OpenOptions::new().write(true).open("/dev/full").unwrap());
    let run = finish(command);
    assert_eq!(run.code, 2);
    assert!(run.stderr.starts_with("ckdiff: error: standard output: cannot write"), "{run:?}");
}

#[test]
fn a_path_may_have_the_name_of_a_command() {
    let dir = tempfile::tempdir().unwrap();
    for file in ["index", "data-00000-of-00001"] {
        fs::copy(
            format!("tests/data/demo/model.ckpt.{file}"),
            dir.path().join(format!("show.{file}")),
        )
        .unwrap();
    }
    let mut command = command(&["./show", "./show"]);
    command.current_dir(dir.path());
    assert_eq!(finish(command).code, 0);
}

#[test]
fn help_equals_its_snapshot() {
    let mut text = String::new();
    let commands = ["show", "verify", "convert", "export", "fmt", "git-driver", "textconv"]
        .map(|command| [command, "--help"]);
    let commands = commands.iter().map(|args| &args[..]);
    for args in [&["--help"][..]].into_iter().chain(commands) {
        text += ckdiff(args).text();
        text += "\n";
    }
    named_snapshot("cli", "help", &text);
}

#[test]
fn completions_and_the_manual_name_every_option() {
    for shell in ["bash", "zsh", "fish", "powershell", "elvish"] {
        let run = ckdiff(&["completions", shell]);
        assert_eq!((run.code, run.stderr.as_str()), (0, ""), "{shell}");
        for word in ["max-diffs", "verify", "digest", "descriptor-set", "check"] {
            assert!(run.text().contains(word), "{shell} completes {word}");
        }
    }
    let run = ckdiff(&["man"]);
    assert_eq!((run.code, run.stderr.as_str()), (0, ""));
    for word in ["\\-\\-max\\-diffs", "\\-\\-digest", "CKDIFF VERIFY", "Exit codes"] {
        assert!(run.text().contains(word), "the manual has {word}");
    }
}

#[test]
fn the_version_is_that_of_the_package() {
    let run = ckdiff(&["--version"]);
    assert_eq!(run.text(), format!("ckdiff {}\n", env!("CARGO_PKG_VERSION")));
}

/// Threads that cannot be started: their stacks would be larger than the address space.
#[test]
fn without_threads_every_command_does_its_work() {
    let dir = tempfile::tempdir().unwrap();
    let out = dir.path().join("out.ckpt");
    let out = out.to_str().unwrap();
    let text = dir.path().join("out.pbtxt");
    let text = text.to_str().unwrap();
    for args in [
        &["-q", "retrain/baseline.ckpt", "retrain/retrained.ckpt"] as &[&str],
        &["-q", "-j4", "demo/model.ckpt", "demo/v1format.ckpt"],
        &["-q", "-j4", "saved_models/module", "saved_models/module"],
        &["verify", "-j4", "retrain/baseline.ckpt"],
        &["show", "--digest", "demo/model.ckpt"],
        &["convert", "-j4", "demo/model.ckpt.meta", text],
        &["convert", "-j4", text, out],
        &["save-as", "--overwrite", "demo/model.ckpt", out],
    ] {
        let mut starved = command(args);
        starved.env("RUST_MIN_STACK", (1u64 << 46).to_string());
        let (starved, fed) = (finish(starved), ckdiff(args));
        assert!(!starved.stderr.contains("panicked"), "{args:?}: {}", starved.stderr);
        assert_eq!(starved.code, fed.code, "{args:?}: {}", starved.stderr);
        assert_eq!(starved.text(), fed.text(), "{args:?}");
    }
}
