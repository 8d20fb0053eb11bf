//! `ckdiff show`: the content of a checkpoint, a tensor or a graph.

use std::fs;

use serde_json::Value;

use crate::support::command::{assert_valid, ckdiff};
use crate::support::{base64, known_tensors, named_snapshot, sha256};

const BASELINE: &str = "retrain/baseline.ckpt";
const RETRAINED: &str = "retrain/retrained.ckpt";

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
fn digests_and_contents_are_what_the_writer_says() {
    let mut digests = 0;
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
                digests += 1;
            }
        }
    }
    assert!(digests >= 1282, "{digests}");
}

#[test]
fn raw_content_is_printed_unchanged() {
    let (mut contents, mut untypable) = (0, 0);
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
            // No argument can contain a NUL.
            let typable = (!spelled.contains('\0')).then_some(spelled);
            untypable += usize::from(typable.is_none() && base64.is_none());
            for name in [typable, base64].into_iter().flatten() {
                let run = ckdiff(&["show", &path, "--raw", &format!("--tensor={name}")]);
                assert_eq!((run.code, run.stderr.as_str()), (0, ""), "{path} {name}");
                assert_eq!(Some(sha256(&run.stdout)), known.sha256, "{path} {name}");
                contents += 1;
            }
        }
    }
    assert!(contents >= 44 && untypable <= 6, "{contents}, {untypable} have no argument");
}

#[test]
fn show_prints_the_elements_of_a_tensor() {
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
fn show_prints_an_overview_of_a_graph() {
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
    assert_eq!((raw.code, raw.stdout.len()), (2, 0), "nothing is printed before it is verified");
    assert_eq!(ckdiff(&["show", "hostile/bit_data", "--tensor=b"]).code, 2);
    let listing = ckdiff(&["show", "hostile/bit_data", "--digest", "--format=json"]).json();
    assert_valid(&listing);
    assert!(listing["tensors"][1]["error"].is_string());
    assert!(listing["tensors"][0]["sha256"].is_string());
}

#[test]
fn show_warns_of_what_it_cannot_show() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("node.pb");
    // A name, and an unknown field.
    fs::write(&path, b"\x0a\x01a\xb8\x3e\x05").unwrap();
    for (format, form) in [("human", "text"), ("json", "JSON")] {
        let path = path.to_str().unwrap();
        let run = ckdiff(&["show", "--message=NodeDef", "--format", format, path]);
        let warning = format!("ckdiff: warning: 1 unknown field cannot be represented in {form}");
        assert_eq!(run.code, 0, "{}", run.stderr);
        assert!(run.stderr.starts_with(&warning), "{}", run.stderr);
    }
}

#[test]
fn the_first_lines_of_a_message_are_shown_and_the_others_counted() {
    let run = ckdiff(&["show", "-n", "2", "--message", "CheckpointState", "state/many"]);
    assert_eq!((run.code, &*run.stderr), (0, ""));
    let lines: Vec<&str> = run.text().lines().skip(2).collect();
    let expected = [
        "model_checkpoint_path: \"model.ckpt-199\"",
        "all_model_checkpoint_paths: \"model.ckpt-0\"",
        "… and 199 more lines",
    ];
    assert_eq!(lines, expected);
}

#[test]
fn no_character_of_a_file_controls_the_terminal() {
    let dir = tempfile::tempdir().unwrap();
    let text = "model_checkpoint_path: \"a\u{9b}b\u{202e}c\u{e0041}d\u{7f}e \u{e9}\u{4e2d}\"\n";
    let dangerous = ['\u{9b}', '\u{202e}', '\u{e0041}', '\u{7f}'];
    let file = dir.path().join("state.pbtxt");
    fs::write(&file, text).unwrap();
    let file = file.to_str().unwrap();
    let show = ckdiff(&["show", file]);
    let octal = "a\\302\\233b\\342\\200\\256c\\363\\240\\201\\201d\\177e \u{e9}\u{4e2d}";
    assert!(show.text().contains(octal), "{}", show.text());
    let textconv = ckdiff(&["textconv", file]);
    assert!(textconv.text().contains(octal), "{}", textconv.text());
    // The same value.
    let back = dir.path().join("back.pbtxt");
    fs::write(&back, &textconv.stdout).unwrap();
    assert_eq!(ckdiff(&["-q", file, back.to_str().unwrap()]).code, 0);
    let json = ckdiff(&["convert", "--to", "json", file, "-"]);
    let escaped = "a\\u009bb\\u202ec\\udb40\\udc41d\\u007fe \u{e9}\u{4e2d}";
    assert!(json.text().contains(escaped), "{}", json.text());
    assert_eq!(json.json()["modelCheckpointPath"], text.split('"').nth(1).unwrap());
    let reports = [
        ckdiff(&["show", "--format=json", file]),
        ckdiff(&["--format=json", file, "demo/checkpoint"]),
        ckdiff(&[file, "demo/checkpoint"]),
        ckdiff(&["-u", file, "demo/checkpoint"]),
        json,
    ];
    for report in reports {
        assert!(!report.text().contains(dangerous), "{}", report.text());
        assert!(report.text().contains('\u{4e2d}'), "{}", report.text());
    }
}
