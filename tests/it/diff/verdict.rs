//! One verdict: the first word, the exit code, the JSON report and the text view agree.

use std::fs;

use crate::support::command::{assert_valid, ckdiff};

/// The exit code of each form of the report of a comparison, after a check that all agree.
fn code(args: &[&str]) -> i32 {
    let with = |more: &[&str]| ckdiff(&[args, more].concat());
    let human = with(&[]);
    let word = human.text().split([':', ' ']).next().unwrap().to_owned();
    let json = with(&["--format=json"]);
    assert_valid(&json.json());
    let verdict = json.json()["verdict"].as_str().unwrap().to_owned();
    let expected = match human.code {
        0 => ("Same", "same"),
        1 => ("Different", "different"),
        _ => ("Error", "trouble"),
    };
    assert_eq!((&*word, &*verdict), expected, "{args:?}");
    for more in [["-q"], ["-u"], ["--stat"], ["--verbose"], ["--name-only"]] {
        assert_eq!(with(&more).code, human.code, "{args:?} {more:?}");
    }
    let unified = with(&["-u"]);
    assert_eq!(unified.text().lines().next(), human.text().lines().next(), "{args:?}");
    let is_told = unified.text().lines().count() > 6 || human.code != 1;
    assert!(is_told, "{args:?}: {}", unified.text());
    let names = with(&["--name-only"]);
    let is_empty = names.text().is_empty();
    assert_eq!(is_empty, human.code == 0, "{args:?}: {}", names.text());
    human.code
}

#[test]
fn every_pair_has_one_verdict() {
    let mut seen = [0; 3];
    for entry in fs::read_dir("tests/data/pairs").unwrap() {
        let pair = entry.unwrap().file_name().into_string().unwrap();
        let side = |side: &str| {
            let mut found = fs::read_dir(format!("tests/data/pairs/{pair}")).unwrap();
            let name = found.find_map(|entry| {
                let name = entry.unwrap().file_name().into_string().unwrap();
                name.starts_with(side).then_some(name)
            });
            name.map(|name| format!("pairs/{pair}/{name}"))
        };
        let Some((lhs, rhs)) = side("lhs").zip(side("rhs")) else { continue };
        seen[usize::try_from(code(&[&lhs, &rhs])).unwrap()] += 1;
    }
    assert!(seen[0] > 20 && seen[1] > 50, "{seen:?}");
}

#[test]
fn a_change_of_the_object_graph_alone_is_told_and_counted() {
    let pair = ["roles/tracked/before", "roles/tracked/after"];
    assert_eq!(code(&pair), 1);
    let report = ckdiff(&pair);
    let text = report.text();
    assert!(
        text.starts_with("Different: 1 change in the object graph; no tensor changed.\n"),
        "{text}"
    );
    assert!(text.contains("\n  object graph: 1 change (1 added)\n"), "{text}");
    assert!(text.contains("object_graph.nodes[\"net/more\"]"), "{text}");
    let json = ckdiff(&[&pair[..], &["--format=json"]].concat()).json();
    assert_eq!(json["summary"]["graph"]["semantic"], 1);
    assert_eq!(json["changes"][0]["path"], "object_graph.nodes[\"net/more\"]");
}

#[test]
fn the_object_graph_is_no_tensor() {
    let args = ["--only=tensors", "roles/tracked/before", "roles/tracked/after"];
    assert_eq!(code(&args), 0);
    let json = ckdiff(&[&args[..], &["--format=json"]].concat()).json();
    let tensors = json["tensors"].as_array().unwrap();
    assert_eq!(tensors.len(), 1, "{tensors:?}");
    assert_eq!(json["summary"]["graph"]["semantic"], 0);
}

#[test]
fn weights_within_the_tolerance_are_not_called_unchanged() {
    let pair = ["retrain/baseline.ckpt", "retrain/retrained.ckpt"];
    let within = ["--rtol=1e-2", "--include=model/embedding/*", "--include=global_step"];
    let run = ckdiff(&[&pair[..], &within].concat());
    let first = run.text().lines().next().unwrap().to_owned();
    assert_eq!(first, "Different: no weight changed beyond the tolerance; 1 of 1 counter changed.");
}

#[test]
fn what_filters_leave_out_is_said_first_and_in_json() {
    let pair = ["retrain/baseline.ckpt", "retrain/baseline.ckpt"];
    let run = ckdiff(&[&pair[..], &["--include=model/attention/*"]].concat());
    assert_eq!(run.code, 0);
    let mut lines = run.text().lines();
    assert_eq!(lines.next(), Some("Same: all 2 compared tensors are identical."));
    assert_eq!(lines.next(), Some("  2 of 20 tensors compared (18 left out by --include)"));
    let options = [
        "--include=model/**",
        "--exclude=**/mask",
        "--rename=^model/attention/kernel$=model/attention/other",
        "--ignore=**.device",
        "--only=tensors",
        "--format=json",
    ];
    let json = ckdiff(&[&pair[..], &options].concat()).json();
    assert_valid(&json);
    let given = &json["options"];
    assert_eq!(given["include"][0], "model/**");
    assert_eq!(given["exclude"][0], "**/mask");
    assert_eq!(given["rename"][0], "^model/attention/kernel$=model/attention/other");
    assert_eq!(given["ignore"][0], "**.device");
    assert_eq!(given["only"], "tensors");
    assert_eq!(json["summary"]["left_out"]["exclude"], 1);
    assert_eq!(json["summary"]["left_out"]["include"], 2);
}

#[test]
fn a_pattern_that_matches_nothing_is_a_warning_or_an_error() {
    let checkpoints = ["retrain/baseline.ckpt", "retrain/retrained.ckpt"];
    let graphs = ["pairs/device/lhs.meta", "pairs/device/rhs.meta"];
    let cases: [(&[&str], &str, &str); 8] = [
        (
            &checkpoints,
            "--exclude=global_stepp",
            "\"global_stepp\" matches nothing; did you mean global_step?",
        ),
        (&checkpoints, "--include=model/atention/*", "\"model/atention/*\" matches nothing"),
        (&checkpoints, "--rename=foo=bar", "\"foo=bar\" matches nothing"),
        (&checkpoints, "--rtol=model/decoder/**=0.5", "\"model/decoder/**\" matches nothing"),
        (&checkpoints, "--elements=no_such_tensor", "\"no_such_tensor\" matches nothing"),
        (&graphs, "--ignore=**.devise", "\"**.devise\" matches nothing; did you mean device?"),
        (
            &graphs,
            "--ignore=graph_def.node[\"no_such_scope/**",
            "\"graph_def.node[\\\"no_such_scope/**\" matches nothing",
        ),
        (
            &["save-as", "retrain/baseline.ckpt", "/nonexistent/out"],
            "--exclude=global_stepp",
            "did you mean global_step?",
        ),
    ];
    for (args, option, expected) in cases {
        let name = option.split('=').next().unwrap();
        let run = ckdiff(&[args, &[option, "--include=**"]].concat());
        assert!(run.stderr.contains(expected), "{option}: {}", run.stderr);
        assert!(run.stderr.starts_with("ckdiff: warning: "), "{option}: {}", run.stderr);
        let denied = ckdiff(&[args, &[option, "--include=**", "--deny-unused"]].concat());
        assert_eq!(denied.code, 2, "{option}");
        let error = format!("ckdiff: error: {name}: ");
        assert!(denied.stderr.starts_with(&error), "{option}: {}", denied.stderr);
    }
}

#[test]
fn a_pattern_that_could_match_is_no_warning() {
    let graphs = ["pairs/identical/lhs.meta", "pairs/identical/rhs.meta"];
    for option in
        ["--ignore=**.device", "--ignore=graph_def.node[\"dense/**", "--ignore=**MatMul**"]
    {
        let run = ckdiff(&[&graphs[..], &[option, "--deny-unused"]].concat());
        assert_eq!((run.code, &*run.stderr), (0, ""), "{option}");
    }
}

#[test]
fn a_suggested_tolerance_passes_and_a_retraining_has_none() {
    let pair = ["retrain/baseline.ckpt", "retrain/retrained.ckpt"];
    let noise = ["--include=model/encoder/dense/*"];
    let run = ckdiff(&[&pair[..], &noise].concat());
    let said = run.text().split("It would pass with ").nth(1).unwrap().trim_end();
    for option in said.trim_end_matches('.').split(" or with ") {
        let words: Vec<&str> = option.split(' ').collect();
        let run = ckdiff(&[&pair[..], &noise, &words].concat());
        assert_eq!(run.code, 0, "{option}");
    }
    let moved = ckdiff(&[&pair[..], &["--include=model/attention/*"]].concat());
    assert!(!moved.text().contains("would pass"), "{}", moved.text());
    let limited =
        ckdiff(&[&pair[..], &["--include=model/attention/*", "--max-rel-l2=1%"]].concat());
    assert!(limited.text().contains("It would pass with --max-rel-l2 0.47."), "{}", limited.text());
}

#[test]
fn a_pattern_for_an_object_graph_is_used() {
    let pair = ["roles/tracked/before", "roles/tracked/after"];
    let change = ckdiff(&[&pair[..], &["--name-only"]].concat()).text().trim_end().to_owned();
    assert!(change.starts_with("object_graph.nodes["), "{change}");
    for known in [change.as_str(), "object_graph.**", "**[\"m\"]**"] {
        let ignore = format!("--ignore={known}");
        let run = ckdiff(&[&pair[..], &[&ignore, "--deny-unused"]].concat());
        assert_ne!(run.code, 2, "{known}: {}", run.stderr);
    }
    let run =
        ckdiff(&[&pair[..], &["--ignore=**[\"missing_object\"]**", "--deny-unused"]].concat());
    assert_eq!(run.code, 2, "{}", run.stderr);
}

#[test]
fn an_object_graph_on_one_side_is_no_tensor() {
    let dir = tempfile::tempdir().unwrap();
    let without = dir.path().join("without");
    let save = ["save-as", "roles/tracked/before", without.to_str().unwrap()];
    assert_eq!(ckdiff(&[&save[..], &["--exclude=_CHECKPOINTABLE_OBJECT_GRAPH"]].concat()).code, 0);
    let pair = ["roles/tracked/before", without.to_str().unwrap()];
    assert_eq!(ckdiff(&pair).code, 1, "it is part of the checkpoint");
    assert_eq!(ckdiff(&[&pair[..], &["--only=tensors"]].concat()).code, 0);
}

#[test]
fn variables_that_both_sides_miss_are_not_the_same() {
    let dir = tempfile::tempdir().unwrap();
    let model = |name: &str, has_directory: bool| {
        let path = dir.path().join(name);
        fs::create_dir(&path).unwrap();
        let from = "tests/data/fit/object_good/saved/saved_model.pb";
        fs::copy(from, path.join("saved_model.pb")).unwrap();
        if has_directory {
            fs::create_dir(path.join("variables")).unwrap();
        }
        path.to_str().unwrap().to_owned()
    };
    let [lhs, rhs] = [model("lhs", false), model("rhs", true)];
    let run = ckdiff(&[&lhs, &rhs]);
    assert_eq!(run.code, 2, "{}", run.text());
    let why = "the graph restores variables, but the SavedModel has none";
    assert!(run.stderr.contains(why), "{}", run.stderr);
    // The graphs can be compared without values.
    assert_eq!(ckdiff(&["--only=graph", &lhs, &rhs]).code, 0);
}
