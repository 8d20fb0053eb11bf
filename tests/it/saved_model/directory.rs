//! `ckdiff show` of a SavedModel's directory: the files besides the graphs, and damage in them.

use std::fs;
use std::path::Path;

use serde_json::{Value, json};

use crate::support::command::{assert_valid, ckdiff, item};
use crate::support::directory::copy;

#[test]
fn the_files_of_a_directory_are_listed() {
    let report = ckdiff(&["show", "saved_models/module", "--format=json"]).json();
    let directory = &report["directory"];
    let kernel =
        item(&directory["variables"]["tensors"], "name", "kernel/.ATTRIBUTES/VARIABLE_VALUE");
    assert_eq!((&kernel["dtype"], &kernel["shape"]), (&json!("float32"), &json!([2, 2])));
    assert_eq!(directory["files"], json!([{"path": "assets/vocabulary.txt", "bytes": 14}]));
    assert_eq!(directory["fingerprint"]["uuid"], "0".repeat(20));
    let builder = ckdiff(&["show", "saved_models/builder", "--format=json"]).json();
    let graphs = builder["meta_graphs"].as_array().unwrap();
    let named = json!([{
        "filename": "vocabulary.txt", "tensor": "asset_path:0", "is_there": true, "bytes": 14,
    }]);
    assert_eq!(
        graphs.iter().map(|graph| &graph["assets"]).collect::<Vec<_>>(),
        [&named, &json!([])]
    );
    let graph = &report["meta_graphs"][0];
    assert_eq!(graph["assets"][0]["is_there"], true);
    assert_eq!(graph["special_ops"][0]["op"], "NoOp");
    let applied = item(&graph["graph"]["functions"], "alias", "applied");
    assert!(applied["name"].as_str().unwrap().starts_with("__inference_apply_"));
}

#[test]
fn a_missing_asset_is_trouble_and_other_files_are_listed() {
    let dir = copy("saved_models/module");
    fs::rename(dir.path().join("assets/vocabulary.txt"), dir.path().join("assets/other")).unwrap();
    fs::create_dir(dir.path().join("assets.extra")).unwrap();
    fs::write(dir.path().join("assets.extra/requests"), "abc").unwrap();
    let run = ckdiff(&["show", dir.path().to_str().unwrap()]);
    assert_eq!(run.code, 2);
    assert!(
        run.stderr.contains("assets/vocabulary.txt: the graph needs this asset"),
        "{}",
        run.stderr
    );
    for line in [
        "  vocabulary.txt  asset_path_initializer:0  missing",
        "Other files (2)",
        "  assets.extra/requests   3 B",
        "  assets/other           14 B",
    ] {
        assert!(run.text().lines().any(|found| found == line), "{line}\n{}", run.text());
    }
    let report = ckdiff(&["show", dir.path().to_str().unwrap(), "--format=json"]).json();
    assert_valid(&report);
    assert_eq!(report["meta_graphs"][0]["assets"][0]["is_there"], false);
}

#[test]
fn damaged_variables_are_reported_with_the_graphs() {
    for (damaged, reported) in [
        ("dim_negative", "expected dimensions of at least 0"),
        ("block_entry_cut", "an entry's header needs 1 byte"),
    ] {
        let dir = copy("saved_models/module");
        let variables = dir.path().join("variables");
        for file in ["index", "data-00000-of-00001"] {
            let from = format!("tests/data/hostile/{damaged}.{file}");
            fs::copy(from, variables.join("variables").with_extension(file)).unwrap();
        }
        let path = dir.path().to_str().unwrap();
        let run = ckdiff(&["show", path]);
        assert_eq!(run.code, 2, "{}", run.stderr);
        assert!(run.stderr.contains(reported), "{}", run.stderr);
        assert!(run.text().contains("Callable functions"), "{}", run.text());
        let report = ckdiff(&["show", path, "--format=json"]);
        assert_eq!(report.code, 2);
        assert_valid(&report.json());
    }
}

#[test]
fn variables_whose_files_are_missing_or_cut_are_trouble() {
    let dir = copy("saved_models/module");
    let path = dir.path().to_str().unwrap();
    let data = dir.path().join("variables/variables.data-00000-of-00001");
    let bytes = fs::read(&data).unwrap();
    let mut damage: Vec<Option<&[u8]>> = vec![Some(&bytes[..bytes.len() - 1]), Some(b""), None];
    for left in damage.drain(..) {
        match left {
            Some(left) => fs::write(&data, left).unwrap(),
            None => fs::remove_file(&data).unwrap(),
        }
        let run = ckdiff(&["show", path]);
        let reported = match left {
            Some(_) => "content needs",
            None => "this shard of the checkpoint is missing",
        };
        assert_eq!(run.code, 2, "{}", run.stderr);
        assert!(run.stderr.contains(reported), "{}", run.stderr);
        let (before, section) = run.text().split_once("\nSaved variables (").unwrap();
        assert!(before.contains("Callable functions") && section.contains(reported), "{section}");
        let report = ckdiff(&["show", path, "--format=json"]);
        assert_eq!(report.code, 2);
        assert_valid(&report.json());
        let tensors = report.json()["directory"]["variables"]["tensors"].clone();
        let has_error = |row: &&Value| row["error"].as_str().is_some_and(|e| e.contains(reported));
        assert!(tensors.as_array().unwrap().iter().any(|row| has_error(&row)), "{tensors}");
    }
}

#[test]
fn a_failed_part_hides_nothing_else() {
    type Damage = fn(&Path);
    let damage: [(&str, Damage); 3] = [
        ("Fingerprint", |dir| fs::write(dir.join("fingerprint.pb"), [0xff; 9]).unwrap()),
        ("Saved variables", |dir| fs::write(dir.join("variables/variables.index"), "").unwrap()),
        ("Other files", |dir| {
            // Deeper than any directory of a SavedModel; a link to a parent directory looks like this.
            fs::create_dir_all(dir.join("assets").join("deep/".repeat(40))).unwrap();
        }),
    ];
    let sections =
        ["Callable functions", "Assets", "Saved variables", "Other files", "Fingerprint"];
    for (title, damage) in damage {
        let dir = copy("saved_models/module");
        let path = dir.path().to_str().unwrap();
        fs::create_dir(dir.path().join("assets.extra")).unwrap();
        fs::write(dir.path().join("assets.extra/requests"), "abc").unwrap();
        damage(dir.path());
        let run = ckdiff(&["show", path]);
        assert_eq!(run.code, 2, "{title}");
        let error = run.stderr.trim_end().strip_prefix("ckdiff: error: ").unwrap();
        assert!(!error.contains('\n'), "{title}: {error}");
        for section in sections {
            assert!(run.text().contains(&format!("\n{section}")), "{title}: {}", run.text());
        }
        let section = run.text().split_once(&format!("\n{title}")).unwrap().1;
        let section = section.split_once("\n\n").map_or(section, |(section, _)| section);
        assert!(section.contains(error), "{title}: {section}");
        let report = ckdiff(&["show", path, "--format=json"]);
        assert_eq!(report.code, 2, "{title}");
        assert_valid(&report.json());
        assert_eq!(report.json()["directory"]["damage"], json!([error]));
        // A comparison needs every part.
        let run = ckdiff(&["diff", path, path]);
        assert!(run.code == 2 && run.stderr.contains(error), "{title}: {}", run.stderr);
    }
}

#[test]
fn requested_tensors_are_those_of_the_variables() {
    let name = "kernel/.ATTRIBUTES/VARIABLE_VALUE";
    let (model, checkpoint) = ("saved_models/module", "saved_models/module/variables/variables");
    for options in [
        &["--tensor", name][..],
        &["--tensor", name, "--raw"],
        &["--digest"],
        &["--include", "kernel/**"],
        &["--digest", "--format=json"],
    ] {
        let [of_model, of_checkpoint] =
            [model, checkpoint].map(|path| ckdiff(&[&["show", path], options].concat()));
        assert_eq!((of_model.code, of_model.stderr.as_str()), (0, ""), "{options:?}");
        assert_eq!(of_model.stdout, of_checkpoint.stdout, "{options:?}");
        assert!(!of_model.stdout.is_empty(), "{options:?}");
    }
    let dir = copy(model);
    let path = dir.path().to_str().unwrap();
    fs::write(dir.path().join("variables/variables.index"), "").unwrap();
    let run = ckdiff(&["show", path, "--digest"]);
    assert!(run.code == 2 && run.stderr.contains("variables.index"), "{}", run.stderr);
    fs::remove_dir_all(dir.path().join("variables")).unwrap();
    let run = ckdiff(&["show", path, "--digest"]);
    assert!(run.code == 2 && run.stderr.contains("has no tensors"), "{}", run.stderr);
}
