//! The command itself: what it prints, where, and its exit codes.

use std::fs;
use std::io::{BufRead, BufReader};
use std::process::Stdio;

use serde_json::Value;

use crate::command::{assert_valid, ckdiff, command, finish};
use crate::support::{base64, known_tensors, named_snapshot, sha256};

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
    assert_eq!(run.code, 0, "the tolerance it tells passes: {}", run.text());
}

#[test]
fn a_proposed_rename_can_be_pasted() {
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
        (&["demo/model.ckpt.meta", "demo/model.ckpt.meta"], 2),
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
        (&[BASELINE, RETRAINED, "--device", "gpu"], 2),
        (&[BASELINE, RETRAINED, "--device", "gpu:0"], 2),
        (&[BASELINE, RETRAINED, "--device", "tpu"], 2),
        (&[BASELINE, BASELINE, "--device", "cpu"], 0),
        (&[BASELINE, RETRAINED, "--output", "xml=x"], 2),
        (&[BASELINE, RETRAINED, "--output", "json="], 2),
        (&[BASELINE, RETRAINED, "--output", "json=no/such/folder/report.json"], 2),
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
        let told = run.stderr.starts_with("ckdiff: error: ") || args.is_empty();
        assert!(*code != 2 || told, "{args:?} has to say what is wrong: {run:?}");
        assert!(*code == 2 || run.stderr.is_empty(), "{args:?} has nothing to tell: {run:?}");
    }
}

#[test]
fn damage_is_told_and_the_rest_still_compared() {
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
fn both_sides_that_cannot_be_opened_are_told_in_a_line_each() {
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
fn colours_follow_the_option_then_the_environment() {
    let coloured = |args: &[&str], env: &[(&str, &str)]| {
        let mut command = command(&[&[BASELINE, BASELINE], args].concat());
        command.envs(env.iter().copied());
        finish(command).text().contains('\x1b')
    };
    assert!(!coloured(&[], &[]), "a pipe is no terminal");
    assert!(coloured(&["--color=always"], &[("NO_COLOR", "1")]));
    assert!(coloured(&[], &[("CLICOLOR_FORCE", "1")]));
    assert!(!coloured(&[], &[("CLICOLOR_FORCE", "0")]));
    assert!(!coloured(&[], &[("CLICOLOR_FORCE", "1"), ("NO_COLOR", "1")]));
    assert!(coloured(&[], &[("CLICOLOR_FORCE", "1"), ("NO_COLOR", "")]));
    assert!(!coloured(&["--color", "never"], &[("CLICOLOR_FORCE", "1")]));
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
    assert_eq!(text, ckdiff(&[BASELINE, RETRAINED]).text(), "a file has no colours");
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
fn a_reader_who_goes_away_is_no_error() {
    let mut child =
        command(&["compare/lhs.ckpt", "compare/rhs.ckpt", "--format=json", "--histogram"])
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
    let mut line = String::new();
    // Dropped after one line: the report is larger than a pipe holds.
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
fn show_lists_the_tensors() {
    let run = ckdiff(&["show", BASELINE]);
    assert_eq!((run.code, run.stderr.as_str()), (0, ""));
    named_snapshot("cli", "show", run.text());
    let filtered = ckdiff(&[
        "show",
        BASELINE,
        "--include=**/bias",
        "--exclude=model/frozen/**",
        "--format=json",
    ]);
    assert_valid(&filtered.json());
    assert_eq!(filtered.json()["summary"]["tensors"], 2);
    assert_eq!(ckdiff(&["show", BASELINE, "--include", "nothing"]).code, 2);
}

#[test]
fn digests_and_contents_are_what_tensorflow_says() {
    for (path, known) in known_tensors() {
        let report = ckdiff(&["show", &path, "--digest", "--format=json"]).json();
        assert_valid(&report);
        let tensors = report["tensors"].as_array().unwrap();
        assert_eq!(tensors.len(), known.len(), "{path}");
        for (shown, known) in tensors.iter().zip(known) {
            let name = match shown["name_b64"].as_str() {
                Some(name) => base64(name),
                None => shown["name"].as_str().unwrap().into(),
            };
            assert_eq!(name, known.name.as_bytes());
            assert_eq!(shown["dtype"], known.dtype);
            assert_eq!(shown["shape"], Value::from(known.shape));
            if let Some(digest) = known.sha256 {
                assert_eq!(shown["sha256"], digest, "{path} {}", known.name);
            }
        }
    }
}

#[test]
fn raw_content_comes_as_it_is() {
    for (path, known) in known_tensors().into_iter().filter(|(path, _)| path.contains("names/")) {
        for known in known {
            let base64 = known.name.as_str().is_none().then(|| {
                let listing = ckdiff(&["show", &path, "--format=json"]).json();
                let tensors = listing["tensors"].as_array().unwrap();
                let spelled = known.name.to_string();
                let row = tensors.iter().find(|row| row["name"] == spelled.as_str()).unwrap();
                row["name_b64"].as_str().unwrap().to_owned()
            });
            let spelled = known.name.to_string();
            // No argument can hold a NUL.
            let typable = (!spelled.contains('\0')).then_some(spelled);
            for name in [typable, base64].into_iter().flatten() {
                let run = ckdiff(&["show", &path, "--raw", &format!("--tensor={name}")]);
                assert_eq!((run.code, run.stderr.as_str()), (0, ""), "{path} {name}");
                assert_eq!(Some(sha256(&run.stdout)), known.sha256, "{path} {name}");
            }
        }
    }
}

#[test]
fn show_tells_what_is_in_a_tensor() {
    let mut text = String::new();
    let shown = [
        (BASELINE, "vocab"),
        (BASELINE, "global_step"),
        (BASELINE, "model/dense_1/bias"),
        (RETRAINED, "model/encoder/batch_normalization/moving_variance"),
        (BASELINE, "model/attention/mask"),
        ("dtypes/all.ckpt", "bfloat16/vector"),
        ("dtypes/all.ckpt", "complex64/cube"),
        ("dtypes/all.ckpt", "bool/cube"),
        ("dtypes/all.ckpt", "float32/hollow"),
    ];
    for (path, name) in shown {
        let run = ckdiff(&["show", path, "--tensor", name]);
        assert_eq!((run.code, run.stderr.as_str()), (0, ""), "{name}");
        text += run.text();
        text += "\n";
    }
    named_snapshot("cli", "show_tensor", &text);
    let listing = ckdiff(&["show", BASELINE, "--tensor", "vocab", "--format=json"]).json();
    assert_valid(&listing);
    assert_eq!(listing["tensors"].as_array().unwrap().len(), 1);
    let missing = ckdiff(&["show", BASELINE, "--tensor", "model/dense_1/bia"]);
    assert_eq!(missing.code, 2);
    assert!(missing.stderr.contains("did you mean model/dense_1/bias?"), "{}", missing.stderr);
}

#[test]
fn show_tells_what_is_in_a_graph() {
    let shown: &[(&str, &[&str])] = &[
        ("meta_graph", &["graphs/training.pbtxt"]),
        ("graph", &["graphs/frozen.pb"]),
        ("signatures", &["graphs/signatures.meta"]),
        ("saved_model", &["saved_models/builder", "-n3"]),
        ("saved_model_tf2", &["saved_models/module"]),
        ("saver", &["graphs/saver_def.pb"]),
        ("state", &["demo/checkpoint"]),
    ];
    for (name, args) in shown {
        let run = ckdiff(&[&["show"], *args].concat());
        assert_eq!((run.code, run.stderr.as_str()), (0, ""), "{args:?}");
        named_snapshot("cli", &format!("show_{name}"), run.text());
        let report = ckdiff(&[&["show", "--format=json"], *args].concat()).json();
        assert_valid(&report);
    }
    let builder = ckdiff(&["show", "saved_models/builder", "--format=json", "-n1"]).json();
    assert_eq!(builder["meta_graphs"].as_array().unwrap().len(), 2);
    assert_eq!(builder["meta_graphs"][1]["tags"], Value::from(vec!["train"]));
    assert_eq!(builder["meta_graphs"][0]["collections"].as_array().unwrap().len(), 5);
    let saver = ckdiff(&["show", "graphs/saver_def.pb", "--format=json"]).json();
    assert_eq!(saver["content"]["restoreOpName"], "old/restore_all");
}

#[test]
fn damaged_tensors_are_listed_with_the_others() {
    let run = ckdiff(&["show", "hostile/bit_data", "--digest"]);
    assert_eq!(run.code, 2);
    assert!(run.text().contains("checksum of content"), "{}", run.text());
    assert_eq!(ckdiff(&["show", "hostile/bit_data"]).code, 0, "the content is not read");
    let raw = ckdiff(&["show", "hostile/bit_data", "--tensor=b", "--raw"]);
    assert_eq!((raw.code, raw.stdout.len()), (2, 0), "nothing is given out before it is verified");
    assert_eq!(ckdiff(&["show", "hostile/bit_data", "--tensor=b"]).code, 2);
    let listing = ckdiff(&["show", "hostile/bit_data", "--digest", "--format=json"]).json();
    assert_valid(&listing);
    assert!(listing["tensors"][1]["error"].is_string());
    assert!(listing["tensors"][0]["sha256"].is_string());
}

#[test]
fn verify_takes_what_a_shell_makes_of_a_pattern() {
    let run = ckdiff(&[
        "verify",
        "demo/model.ckpt.data-00000-of-00001",
        "demo/model.ckpt.index",
        "./demo/model.ckpt",
    ]);
    assert_eq!((run.code, run.stderr.as_str()), (0, ""));
    assert_eq!(
        run.text(),
        "ok  demo/model.ckpt: checkpoint V2, 2 tensors, 32 B, every checksum holds\n"
    );
    let run = ckdiff(&[
        "verify",
        "demo/checkpoint",
        "./demo/model.ckpt.meta",
        "demo/model.ckpt.data-00000-of-00001",
        "demo/model.ckpt.index",
        "demo/v1format.ckpt",
    ]);
    assert_eq!((run.code, run.stderr.as_str()), (0, ""));
    assert_eq!(
        run.text(),
        "ok  demo/model.ckpt: checkpoint V2, 2 tensors, 32 B, every checksum holds\n\
         ok  demo/v1format.ckpt: checkpoint V1, 2 tensors, 32 B, every checksum holds\n\
         note: ./demo/model.ckpt.meta is a meta graph, not checked yet\n\
         note: demo/checkpoint is a state file, with nothing to verify\n"
    );
}

#[test]
fn verify_refuses_what_is_beside_checkpoints_when_it_stands_alone() {
    let meta = ckdiff(&["verify", "demo/model.ckpt.meta", "demo/v1format.ckpt"]);
    assert_eq!(meta.code, 2);
    assert!(
        meta.text().contains("this is a meta graph; so far, only checkpoints are verified"),
        "{meta:?}"
    );
    let state = ckdiff(&["verify", "demo/checkpoint"]);
    assert_eq!(state.code, 2);
    assert!(state.text().contains("state file"), "{state:?}");
}

#[test]
fn verify_tells_what_is_damaged() {
    let run = ckdiff(&[
        "verify",
        "hostile/good",
        "hostile/bit_data",
        "hostile/index_magic",
        "--format=json",
    ]);
    assert_eq!(run.code, 2);
    assert_valid(&run.json());
    let report = run.json();
    let artifacts = report["artifacts"].as_array().unwrap();
    let verdicts: Vec<_> = artifacts.iter().map(|artifact| &artifact["verdict"]).collect();
    assert_eq!(verdicts, ["sound", "trouble", "trouble"]);
    assert_eq!(run.stderr.lines().count(), 2, "{}", run.stderr);
    assert_eq!(ckdiff(&["verify", "-q", "hostile/good"]).text(), "");
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
fn help_says_what_there_is() {
    let mut text = String::new();
    let commands = ["show", "verify", "convert", "fmt"].map(|command| [command, "--help"]);
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
