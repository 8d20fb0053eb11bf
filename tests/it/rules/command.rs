//! Rules and the command: which file is used, reports, exit codes.

use std::fs;
use std::path::Path;

use crate::support::command::{assert_valid, command, finish};
use crate::support::written::{checkpoint, floats};

const ROOT: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/data/training/");

/// Runs a command in a directory; `T/` stands for the fixtures. Returns the exit code and what was printed.
fn run_in(directory: &Path, line: &str) -> (i32, String) {
    let args: Vec<String> = line.split(' ').map(|arg| arg.replace("T/", ROOT)).collect();
    let mut command = command(&args.iter().map(String::as_str).collect::<Vec<_>>());
    command.current_dir(directory).env_remove("CKDIFF_CONFIG");
    let run = finish(command);
    (run.code, format!("{}{}", run.text(), run.stderr))
}

#[test]
fn the_nearest_file_above_is_used() {
    let dir = tempfile::tempdir().unwrap();
    let inner = dir.path().join("a/b");
    fs::create_dir_all(&inner).unwrap();
    fs::write(dir.path().join("ckdiff.toml"), "extends = \"same-start\"").unwrap();
    let (code, said) = run_in(&inner, "T/seeds/1 T/warm/1");
    assert_eq!(code, 0, "{said}");
    let first = said.lines().next().unwrap();
    assert!(first.starts_with("Passed: 11 of 11 tensors changed, within the rules of "), "{first}");
    fs::write(dir.path().join("a/ckdiff.toml"), "extends = \"exact\"").unwrap();
    assert_eq!(run_in(&inner, "T/seeds/1 T/warm/1").0, 1);
    let (code, said) = run_in(&inner, "--no-config T/seeds/1 T/warm/1");
    assert_eq!((code, said.starts_with("Different: ")), (1, true), "{said}");
    assert_eq!(run_in(&inner, "--rules same-start T/seeds/1 T/warm/1").0, 0);
}

#[test]
fn the_environment_and_the_option_name_a_file() {
    let dir = tempfile::tempdir().unwrap();
    fs::write(dir.path().join("loose.toml"), "[default]\nexpect = \"any\"").unwrap();
    fs::write(dir.path().join("ckdiff.toml"), "extends = \"exact\"").unwrap();
    assert_eq!(run_in(dir.path(), "-q T/seeds/1 T/warm/1").0, 1);
    assert_eq!(run_in(dir.path(), "-q --config loose.toml T/seeds/1 T/warm/1").0, 0);
    let pair = [format!("{ROOT}seeds/1"), format!("{ROOT}warm/1")];
    let mut command = command(&["-q", &pair[0], &pair[1]]);
    command.current_dir(dir.path()).env("CKDIFF_CONFIG", "loose.toml");
    assert_eq!(finish(command).code, 0);
    let (code, said) = run_in(dir.path(), "--config none.toml T/seeds/1 T/warm/1");
    assert_eq!(code, 2);
    assert!(said.starts_with("ckdiff: error: none.toml: cannot open"), "{said}");
    fs::write(dir.path().join("bytes.toml"), b"a = \"\xff\"").unwrap();
    let (code, said) = run_in(dir.path(), "--config bytes.toml T/seeds/1 T/warm/1");
    assert_eq!((code, said.contains("UTF-8")), (2, true), "{said}");
}

#[test]
fn mistakes_point_at_their_place() {
    let dir = tempfile::tempdir().unwrap();
    fs::write(dir.path().join("ckdiff.toml"), "[[rule]]\nmatch = \"a\"\nrel_12 = 0.1\n").unwrap();
    let (code, said) = run_in(dir.path(), "T/seeds/1 T/warm/1");
    assert_eq!(code, 2);
    let expected = "ckdiff: error: ckdiff.toml:3:1: [[rule]] has no key \"rel_12\"; did you mean rel_l2?\n  rel_12 = 0.1\n  ^\n";
    assert_eq!(said, expected);
}

#[test]
fn the_report_has_the_rules_and_the_json_is_valid() {
    let dir = tempfile::tempdir().unwrap();
    let (code, said) = run_in(
        dir.path(),
        "--rules same-start --format json --show-passed T/seeds/1 T/faulty/warm/frozen",
    );
    assert_eq!(code, 1, "{said}");
    let json: serde_json::Value = serde_json::from_str(&said).unwrap();
    assert_valid(&json);
    assert_eq!(json["verdict"], "different");
    assert_eq!(json["options"]["config"], "same-start");
    let rules = &json["rules"];
    let failure = &rules["failures"][0];
    assert_eq!(failure["tensor"], "conv2/bias");
    assert_eq!((&failure["gate"], &failure["limit"]), (&"expect".into(), &"changed".into()));
    assert_eq!(failure["rule"]["name"], "weights are trained");
    let passed = rules["passed"].as_array().unwrap();
    assert!(
        passed.iter().any(|check| check["gate"] == "rel_l2" && check["found"].as_f64().is_some())
    );
    let (_, said) =
        run_in(dir.path(), "--rules same-start --format json T/seeds/1 T/faulty/warm/frozen");
    let json: serde_json::Value = serde_json::from_str(&said).unwrap();
    assert_eq!(json["rules"]["passed"], serde_json::json!([]));
}

#[test]
fn options_come_after_the_rules() {
    let dir = tempfile::tempdir().unwrap();
    let code = |options: &str| {
        run_in(dir.path(), &format!("-q --rules same-start {options} T/seeds/1 T/warm/1")).0
    };
    assert_eq!(code("--no-config").min(2), 2, "one or the other");
    assert_eq!(code("-j 1"), 0);
    assert_eq!(code("--max-rel-l2 1%"), 1);
    assert_eq!(code("--max-rel-l2 1%,"), 2);
    assert_eq!(code("--atol 1000"), 0);
    assert_eq!(code("--atol conv1/*=1e-9"), 1);
    assert_eq!(code("--atol 1e-9 --max-changed 99.99%"), 1, "counters, too");
}

#[test]
fn rules_that_match_nothing_are_a_warning_or_an_error() {
    let dir = tempfile::tempdir().unwrap();
    let text = "[default]\nexpect = \"any\"\n[[rule]]\nmatch = \"dense1/kernl\"\nrel_l2 = 1";
    fs::write(dir.path().join("ckdiff.toml"), text).unwrap();
    let (code, said) = run_in(dir.path(), "-q T/seeds/1 T/warm/1");
    let why =
        "ckdiff.toml:4: the rule \"dense1/kernl\" matches no tensor; did you mean dense1/kernel?\n";
    assert_eq!((code, said), (0, format!("ckdiff: warning: {why}")));
    for option in ["--deny-unused", "--deny-unused-rules"] {
        let (code, said) = run_in(dir.path(), &format!("-q {option} T/seeds/1 T/warm/1"));
        assert_eq!((code, said), (2, format!("ckdiff: error: {why}")));
    }
}

#[test]
fn profiles_of_the_file_are_chosen_by_name() {
    let dir = tempfile::tempdir().unwrap();
    let text = "[default]\nexpect = \"any\"\n[profile.strict.default]\nexpect = \"unchanged\"";
    fs::write(dir.path().join("ckdiff.toml"), text).unwrap();
    assert_eq!(run_in(dir.path(), "-q T/seeds/1 T/warm/1").0, 0);
    let (code, said) = run_in(dir.path(), "--profile strict T/seeds/1 T/warm/1");
    assert_eq!((code, said.contains("rules: ckdiff.toml, profile strict")), (1, true), "{said}");
    let (code, said) = run_in(dir.path(), "--profile other T/seeds/1 T/warm/1");
    assert_eq!((code, said.contains("there is no [profile.other]")), (2, true), "{said}");
    let none = tempfile::tempdir().unwrap();
    assert_eq!(run_in(none.path(), "--profile strict T/seeds/1 T/warm/1").0, 2);
}

#[test]
fn a_file_to_start_from_fits_the_models_that_it_is_made_for() {
    for (rhs, profile) in [("warm/1", "same-start"), ("seeds/2", "fresh"), ("seeds/1", "exact")] {
        let dir = tempfile::tempdir().unwrap();
        let (code, said) = run_in(dir.path(), &format!("rules init T/seeds/1 T/{rhs}"));
        assert_eq!((code, said), (0, String::new()));
        let text = fs::read_to_string(dir.path().join("ckdiff.toml")).unwrap();
        assert!(text.contains(&format!("extends = \"{profile}\"")), "{text}");
        let (code, said) = run_in(dir.path(), &format!("T/seeds/1 T/{rhs}"));
        assert_eq!(code, 0, "{said}");
        let (code, said) = run_in(dir.path(), &format!("rules init T/seeds/1 T/{rhs}"));
        assert_eq!(code, 2);
        assert!(said.contains("it exists; --overwrite replaces it"), "{said}");
        assert_eq!(run_in(dir.path(), &format!("rules init --overwrite T/seeds/1 T/{rhs}")).0, 0);
    }
}

#[test]
fn explanations_name_every_rule_and_what_holds() {
    let dir = tempfile::tempdir().unwrap();
    let (code, said) =
        run_in(dir.path(), "rules explain dense1/kernel T/seeds/1 --rules same-start");
    assert_eq!(code, 0, "{said}");
    assert!(said.starts_with("dense1/kernel: float32 [48, 48], weight\n"), "{said}");
    assert!(said.contains("rel_l2 = 0.2") && said.contains("# replaced below"), "{said}");
    let (code, said) = run_in(dir.path(), "rules explain dense1/kernl T/seeds/1 --rules fresh");
    assert_eq!((code, said.contains("dense1/kernel")), (2, true), "{said}");
    let (code, said) = run_in(dir.path(), "rules explain dense1/kernel");
    assert_eq!((code, said.contains("there is no ckdiff.toml here or above")), (2, true), "{said}");
}

#[test]
fn a_series_stops_at_the_first_step_that_breaks_a_rule() {
    let dir = tempfile::tempdir().unwrap();
    let text = "[default]\nexpect = \"any\"\n[[rule]]\nmatch = \"logits/*\"\nrel_l2 = 1.5";
    fs::write(dir.path().join("ckdiff.toml"), text).unwrap();
    let (code, said) = run_in(dir.path(), "series T/diverging");
    assert_eq!(code, 1, "{said}");
    let (code, first) = run_in(dir.path(), "series T/diverging --first rule");
    assert_eq!(code, 1, "{first}");
    assert!(first.starts_with("step 600 "), "{first}");
    let (code, said) = run_in(dir.path(), "series T/steps --first rule");
    assert_eq!(code, 0, "{said}");
    let (code, said) = run_in(dir.path(), "series T/steps --no-config --first rule");
    assert_eq!(code, 2, "{said}");
}

#[test]
fn renames_of_the_file_are_named_with_their_place() {
    let dir = tempfile::tempdir().unwrap();
    let write = |renames: &[(&str, &str)]| {
        let rename =
            |(from, to): &(&str, &str)| format!("[[rename]]\nfrom = '{from}'\nto = '{to}'\n");
        let text: String = renames.iter().map(rename).collect();
        fs::write(dir.path().join("ckdiff.toml"), format!("extends = \"same-start\"\n{text}"))
            .unwrap();
    };
    let fails = |options: &str| {
        let (code, said) = run_in(dir.path(), &format!("-q{options} T/seeds/1 T/warm/1"));
        assert_eq!(code, 2, "{said}");
        said
    };
    write(&[("nothing", "none"), ("^conv1/bias$", "conv2/bias")]);
    let clash = "both conv1/bias and conv2/bias are renamed to conv2/bias\n";
    let unused = "ckdiff.toml:3: rename \"nothing=none\" matches nothing\n";
    assert_eq!(fails(""), format!("ckdiff: error: ckdiff.toml:6: {clash}"));
    assert_eq!(fails(" --deny-unused"), format!("ckdiff: error: {unused}"));
    assert_eq!(
        fails(" --no-config --rename ^conv1/bias$=conv2/bias"),
        format!("ckdiff: error: --rename: {clash}")
    );
    let groups = "$1".repeat(17);
    write(&[("(a)", &groups)]);
    let said = fails("");
    assert!(said.starts_with("ckdiff: error: ckdiff.toml:3: \"(a)="), "{said}");
    write(&[("nothing", "none")]);
    for line in ["-q T/seeds/1 T/warm/1", "series -q T/steps", "series -q T/steps --cache c"] {
        let (_, said) = run_in(dir.path(), line);
        assert_eq!(said, format!("ckdiff: warning: {unused}"), "{line}");
    }
    assert_eq!(
        run_in(dir.path(), "series -q T/steps --cache c").1,
        format!("ckdiff: warning: {unused}")
    );
}

#[test]
fn globs_for_graphs_that_match_nothing_are_a_warning_or_an_error() {
    let dir = tempfile::tempdir().unwrap();
    let text = "[default]\nexpect = \"any\"\n[graph]\nexpect = \"ignored\"\nunchanged = [\n  'dense1/**',\n  'residul',\n]\n";
    let paths = "ignore = '**.device'\nsemantic = '**.atr[*'\ncosmetic = '**.input[1]'\n";
    fs::write(dir.path().join("ckdiff.toml"), format!("{text}{paths}")).unwrap();
    let pair = "T/seeds/1 T/faulty/warm/rewired";
    let (code, said) = run_in(dir.path(), &format!("-q {pair}"));
    let node = "ckdiff.toml:7: unchanged \"residul\" matches nothing; did you mean residual?\n";
    let path = "ckdiff.toml:10: semantic \"**.atr[*\" matches nothing; did you mean attr?\n";
    let mut lines: Vec<_> = said.split_inclusive('\n').collect();
    lines.sort_unstable();
    let warned = [path, node].map(|why| format!("ckdiff: warning: {why}"));
    assert_eq!((code, lines), (0, warned.iter().map(|line| &**line).collect()));
    let (code, said) = run_in(dir.path(), &format!("-q --deny-unused-rules {pair}"));
    assert_eq!(code, 2);
    assert!(said.starts_with("ckdiff: error: ckdiff.toml:"), "{said}");
    assert_eq!(run_in(dir.path(), &format!("-q --only tensors {pair}")), (0, String::new()));
    let (_, said) = run_in(dir.path(), "series -q T/steps");
    assert_eq!(said, "", "a series compares no graphs");
    let (_, said) = run_in(dir.path(), &format!("--format github {pair}"));
    let at = "::warning file=ckdiff.toml,line=7,title=ckdiff::ckdiff.toml:7: unchanged";
    assert!(said.contains(at), "{said}");
    let (_, said) = run_in(dir.path(), &format!("--format json {pair}"));
    let json: serde_json::Value =
        serde_json::from_str(said.split_once("ckdiff: warning").unwrap().0).unwrap();
    assert_valid(&json);
    assert_eq!(json["unused"].as_array().unwrap().len(), 2);
    assert!(json["unused"].as_array().unwrap().iter().any(|of| of["rule"]["line"] == 10));
}

#[test]
fn rules_that_match_nothing_in_a_series_are_a_warning_or_an_error() {
    let dir = tempfile::tempdir().unwrap();
    let rule = |names: &str| format!("[[rule]]\nmatch = '{names}'\nrel_l2 = 1e9\n");
    let text = format!("default = {{ expect = 'any', added = 'allowed' }}\n{}", rule("late"));
    let text = text + &rule("conv1/kernl") + &rule("never");
    fs::write(dir.path().join("ckdiff.toml"), text).unwrap();
    // Only the last checkpoint has the tensor `late`.
    let one = || [1.0];
    for (name, tensors) in [("m-1", vec!["w"]), ("m-2", vec!["w"]), ("m-3", vec!["late", "w"])] {
        let tensors = tensors.iter().map(|name| ((*name).to_owned(), floats(&one())));
        checkpoint(dir.path(), name, &tensors.collect::<Vec<_>>());
    }
    let why = [
        "ckdiff.toml:6: rule \"conv1/kernl\" matches nothing\n",
        "ckdiff.toml:9: rule \"never\" matches nothing\n",
    ];
    let warned = why.map(|why| format!("ckdiff: warning: {why}")).concat();
    for options in ["", " --against previous", " --cache c", " --cache c", " --first rule"] {
        let found = run_in(dir.path(), &format!("series -q .{options}"));
        assert_eq!(found, (0, warned.clone()), "{options}");
        let found = run_in(dir.path(), &format!("series -q . --deny-unused-rules{options}"));
        assert_eq!(found, (2, format!("ckdiff: error: {}", why[0])), "{options}");
    }
    let (_, said) = run_in(dir.path(), "series . --format json");
    let json: serde_json::Value =
        serde_json::from_str(said.split_once("ckdiff: warning").unwrap().0).unwrap();
    assert_valid(&json);
    assert_eq!(json["unused"][1]["rule"]["line"], 9);
}
