//! The command: files and their names, exit codes, CI.

use std::fs;
use std::path::Path;

use crate::support::command::{Run, assert_valid, command, finish};

const DATA: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/data/");

/// Runs a command in a directory; `T/` stands for the fixtures. `env` is set on top of an environment that is no build server.
fn run_with(directory: &Path, env: &[(&str, &str)], line: &str) -> Run {
    let args: Vec<String> = line.split(' ').map(|arg| arg.replace("T/", DATA)).collect();
    let mut command = command(&args.iter().map(String::as_str).collect::<Vec<_>>());
    command.current_dir(directory).env_remove("CI").env_remove("TF_BUILD");
    command.envs(env.iter().copied());
    finish(command)
}

fn run(directory: &Path, line: &str) -> Run {
    run_with(directory, &[], line)
}

fn files(directory: &Path) -> Vec<String> {
    let Ok(entries) = fs::read_dir(directory) else { return Vec::new() };
    let names = entries.map(|entry| entry.unwrap().file_name().into_string().unwrap());
    let mut names: Vec<_> = names.collect();
    names.sort();
    names
}

#[test]
fn what_is_written_is_checked() {
    let dir = tempfile::tempdir().unwrap();
    let models = "T/snapshots/2.21/training.meta T/snapshots/2.21/module T/demo/model.ckpt";
    let written = run(dir.path(), &format!("snapshot write {models}"));
    let expected =
        "snapshots/training.snapshot\nsnapshots/module.snapshot\nsnapshots/model.snapshot\n";
    assert_eq!((written.code, written.text()), (0, expected), "{}", written.stderr);
    assert_eq!(
        files(&dir.path().join("snapshots")),
        ["model.snapshot", "module.snapshot", "training.snapshot"]
    );
    let checked = run(dir.path(), &format!("snapshot check {models}"));
    assert_eq!((checked.code, &*checked.stderr), (0, ""), "{}", checked.text());
    assert!(checked.text().starts_with("Same: no change in the graph.\n"), "{}", checked.text());
    let others = "T/snapshots/2.15/training.meta T/snapshots/2.18/module";
    assert_eq!(run(dir.path(), &format!("snapshot check -q {others}")).code, 0);
}

#[test]
fn a_checkpoint_has_the_facts_of_its_variables() {
    let dir = tempfile::tempdir().unwrap();
    let line = |path: &str| format!("snapshot check --dir . T/retrain/{path}");
    assert_eq!(run(dir.path(), "snapshot write --dir . T/retrain/baseline.ckpt").code, 0);
    let text = fs::read_to_string(dir.path().join("baseline.snapshot")).unwrap();
    assert!(text.contains("\n  model/embedding/weights float32 ["), "{text}");
    let same = run(dir.path(), &line("baseline.ckpt"));
    assert_eq!(same.code, 0);
    let answer = "Same: all 20 tensors have the same dtypes and shapes.\n";
    assert!(same.text().starts_with(answer), "{}", same.text());
    assert!(!same.text().contains("identical"), "{}", same.text());
    fs::rename(dir.path().join("baseline.snapshot"), dir.path().join("retrained.snapshot"))
        .unwrap();
    let changed = run(dir.path(), &line("retrained.ckpt --format json"));
    assert_eq!(changed.code, 1);
    let json = changed.json();
    assert_valid(&json);
    let status = |name: &str| {
        let rows = json["tensors"].as_array().unwrap();
        rows.iter().find(|row| row["name"] == name).unwrap()["status"].as_str().unwrap()
    };
    // Values are not part of a snapshot.
    assert_eq!(status("model/embedding/weights"), "uncompared");
    assert_eq!((&json["lhs"]["has_data"], &json["rhs"]["has_data"]), (&false.into(), &true.into()));
    assert_eq!(status("model/position/weights"), "shape");
    assert_eq!(status("model/temperature"), "dtype");
    assert_eq!(status("model/dropout/keep_prob"), "removed");
}

#[test]
fn rules_cannot_decide_values_of_a_snapshot() {
    let dir = tempfile::tempdir().unwrap();
    assert_eq!(run(dir.path(), "snapshot write T/demo/model.ckpt").code, 0);
    let report = run(dir.path(), "snapshot check T/demo/model.ckpt --format json");
    fs::write(dir.path().join("report.json"), report.text()).unwrap();
    for expect in ["", "expect = 'changed'", "expect = 'unchanged'"] {
        let rules = format!("[default]\nnan = 'allowed'\ninf = 'allowed'\n{expect}");
        fs::write(dir.path().join("ckdiff.toml"), rules).unwrap();
        let judged = run(dir.path(), "judge report.json");
        assert_eq!(judged.code, 2, "{expect}: {}", judged.text());
        let hint = "\nA snapshot has no values: compare the model with another one.\n";
        assert!(judged.text().ends_with(hint), "{}", judged.text());
    }
}

#[test]
fn a_saved_model_may_be_given_as_its_file() {
    let dir = tempfile::tempdir().unwrap();
    for model in
        ["builder/saved_model.pb", "builder_text/saved_model.pbtxt", "module/saved_model.pb"]
    {
        let model = format!("T/saved_models/{model}");
        let written = run(dir.path(), &format!("snapshot write {model}"));
        assert_eq!((written.code, &*written.stderr), (0, ""), "{model}");
        let checked = run(dir.path(), &format!("snapshot check {model}"));
        assert_eq!((checked.code, &*checked.stderr), (0, ""), "{model}: {}", checked.text());
    }
}

#[test]
fn a_missing_snapshot_is_a_difference_and_names_the_command_that_makes_it() {
    let dir = tempfile::tempdir().unwrap();
    let run = run(dir.path(), "snapshot check --dir here T/demo/model.ckpt");
    let expected = format!(
        "ckdiff: warning: here/model.snapshot: there is no such snapshot; make it: ckdiff snapshot write '{DATA}demo/model.ckpt' --dir 'here'\n"
    );
    assert_eq!((run.code, run.text(), &*run.stderr), (1, "", &*expected));
    assert!(files(dir.path()).is_empty());
}

#[test]
fn a_check_updates_only_when_it_is_told_to() {
    let dir = tempfile::tempdir().unwrap();
    let check = "snapshot check T/pairs/layer_size/lhs.meta";
    assert_eq!(run(dir.path(), check).code, 1);
    let made = run(dir.path(), &format!("{check} --update"));
    assert_eq!((made.code, made.text()), (0, "updated snapshots/lhs.snapshot\n"));
    let file = dir.path().join("snapshots/lhs.snapshot");
    let old = fs::read(&file).unwrap();
    fs::copy(format!("{DATA}pairs/layer_size/rhs.meta"), dir.path().join("lhs.meta")).unwrap();
    let changed = run(dir.path(), "snapshot check lhs.meta");
    assert_eq!((changed.code, fs::read(&file).unwrap() == old), (1, true));
    let updated = run(dir.path(), "snapshot check lhs.meta --update");
    assert_eq!(updated.code, 0);
    assert!(updated.text().starts_with("Different: "), "{}", updated.text());
    assert!(updated.text().ends_with("updated snapshots/lhs.snapshot\n"), "{}", updated.text());
    assert_eq!(run(dir.path(), "snapshot check lhs.meta").code, 0);
}

#[test]
fn a_check_writes_nothing_where_ci_is_set() {
    let dir = tempfile::tempdir().unwrap();
    let line = "snapshot check --update T/demo/model.ckpt";
    for env in [("CI", "true"), ("CI", "1"), ("TF_BUILD", "True")] {
        let run = run_with(dir.path(), &[env], line);
        assert_eq!(run.code, 2, "{env:?}");
        assert!(run.stderr.starts_with("ckdiff: error: --update: CI is set"), "{}", run.stderr);
        assert!(files(dir.path()).is_empty(), "{env:?}");
    }
    for env in [("CI", ""), ("CI", "0"), ("CI", "false")] {
        assert_eq!(run_with(dir.path(), &[env], line).code, 0, "{env:?}");
    }
    // To write is what the other command is for.
    let write = run_with(dir.path(), &[("CI", "true")], "snapshot write T/demo/model.ckpt");
    assert_eq!(write.code, 0);
}

#[test]
fn what_is_kept_is_checked() {
    let dir = tempfile::tempdir().unwrap();
    let write = |keep: &str| format!("snapshot write T/snapshots/2.21/training.meta{keep}");
    let check = "snapshot check T/snapshots/2.15/training.meta";
    assert_eq!(run(dir.path(), &write("")).code, 0);
    assert_eq!(run(dir.path(), check).code, 0);
    assert_eq!(run(dir.path(), &write(" --keep hints --keep versions")).code, 0);
    let run = run(dir.path(), check);
    assert_eq!(run.code, 1);
    assert!(run.text().contains("grad_a"), "{}", run.text());
}

#[test]
fn two_models_cannot_have_one_snapshot() {
    let dir = tempfile::tempdir().unwrap();
    for command in ["write", "check"] {
        let models = "T/snapshots/2.21/module T/snapshots/2.18/module";
        let run = run(dir.path(), &format!("snapshot {command} {models}"));
        assert_eq!(run.code, 2);
        assert!(
            run.stderr.contains("would have one snapshot, snapshots/module.snapshot"),
            "{}",
            run.stderr
        );
    }
    assert!(files(dir.path()).is_empty());
}

#[test]
fn nothing_is_written_if_one_model_cannot_be_read() {
    let dir = tempfile::tempdir().unwrap();
    let run = run(dir.path(), "snapshot write T/demo/model.ckpt T/demo/nothing.meta");
    assert_eq!(run.code, 2);
    assert!(files(&dir.path().join("snapshots")).is_empty());
}

#[test]
fn a_directory_that_cannot_be_written_is_an_error() {
    let dir = tempfile::tempdir().unwrap();
    fs::write(dir.path().join("file"), "").unwrap();
    for line in [
        "snapshot write --dir file T/demo/model.ckpt",
        "snapshot check --update --dir file T/demo/model.ckpt",
    ] {
        let run = run(dir.path(), line);
        assert_eq!((run.code, run.text()), (2, ""), "{line}");
        assert!(run.stderr.starts_with("ckdiff: error: file: cannot create"), "{}", run.stderr);
    }
}

#[test]
fn the_worst_of_several_models_counts() {
    let dir = tempfile::tempdir().unwrap();
    assert_eq!(run(dir.path(), "snapshot write T/demo/model.ckpt T/tf2/ckpt-1").code, 0);
    for (models, code) in [
        ("T/demo/model.ckpt T/tf2/ckpt-1", 0),
        ("T/demo/model.ckpt T/tf2/ckpt-2", 1),
        ("T/demo/nothing T/tf2/ckpt-2 T/demo/model.ckpt", 2),
    ] {
        assert_eq!(run(dir.path(), &format!("snapshot check {models}")).code, code, "{models}");
    }
    let run = run(dir.path(), "snapshot check T/demo/model.ckpt T/tf2/ckpt-1 --output json=a.json");
    assert_eq!(run.code, 2, "{}", run.stderr);
}

#[test]
fn a_text_that_was_edited_by_hand_points_at_the_mistake() {
    let dir = tempfile::tempdir().unwrap();
    assert_eq!(run(dir.path(), "snapshot write T/demo/model.ckpt").code, 0);
    let file = dir.path().join("snapshots/model.snapshot");
    let text = fs::read_to_string(&file).unwrap();
    let edits = [
        ("v1 float32", "v1 float33", "6: expected a dtype, found \"float33\""),
        ("kind checkpoint", "kind graph", "6: expected meta graph or checkpoint, found \"graph\""),
    ];
    for (old, new, expected) in edits {
        let edited = text.replacen(old, new, 1);
        fs::write(&file, &edited).unwrap();
        let line = edited.lines().position(|line| line.contains(new)).unwrap() + 1;
        let run = run(dir.path(), "snapshot check T/demo/model.ckpt");
        let expected = format!("ckdiff: error: snapshots/model.snapshot:{line}:{expected}\n");
        assert_eq!(run.code, 2);
        assert!(run.stderr.starts_with(&expected), "{}", run.stderr);
    }
}

#[test]
fn another_text_of_the_same_structure_is_the_same_with_a_warning() {
    let dir = tempfile::tempdir().unwrap();
    assert_eq!(run(dir.path(), "snapshot write T/demo/model.ckpt").code, 0);
    let file = dir.path().join("snapshots/model.snapshot");
    let text = fs::read_to_string(&file).unwrap();
    fs::write(&file, text.replace('\n', "\r\n").replace("# ", "# old: ")).unwrap();
    let checked = run(dir.path(), "snapshot check T/demo/model.ckpt");
    assert_eq!(checked.code, 0);
    assert!(
        checked.stderr.contains("has another text of the same structure"),
        "{}",
        checked.stderr
    );
    assert_eq!(run(dir.path(), "snapshot check T/demo/model.ckpt --update").code, 0);
    assert_eq!(fs::read_to_string(&file).unwrap(), text);
}

/// 100,000 nodes in 1,000 scopes.
#[test]
fn a_large_graph_is_written_and_checked_in_time() {
    use ckdiff::prost::Message as _;
    use ckdiff::schema::tensorflow::attr_value::Value;
    use ckdiff::schema::tensorflow::{AttrValue, GraphDef, NodeDef};

    let dir = tempfile::tempdir().unwrap();
    let node = |at: usize| NodeDef {
        name: format!("scope_{}/node_{}", at / 100, at % 100),
        op: if at == 0 { "Placeholder".into() } else { "Identity".into() },
        input: (at > 0)
            .then(|| format!("scope_{}/node_{}", (at - 1) / 100, (at - 1) % 100))
            .into_iter()
            .collect(),
        attr: [("T".to_owned(), AttrValue { value: Some(Value::Type(1)) })].into(),
        ..NodeDef::default()
    };
    let graph = GraphDef { node: (0..100_000).map(node).collect(), ..GraphDef::default() };
    fs::write(dir.path().join("large.pb"), graph.encode_to_vec()).unwrap();
    let start = std::time::Instant::now();
    assert_eq!(run(dir.path(), "snapshot write large.pb").code, 0);
    assert_eq!(run(dir.path(), "snapshot check large.pb").code, 0);
    // A second or two; the rest is for busy machines.
    assert!(start.elapsed().as_secs() < 30, "{:?}", start.elapsed());
}
