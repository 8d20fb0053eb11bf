//! `ckdiff show` of SavedModels: all facts of TensorFlow's saved_model_cli, and the files in the directory.

use ckdiff::artifact::Artifact;
use ckdiff::overview::{MetaGraph, Overview};
use serde_json::{Value, json};

use crate::support::command::{assert_valid, ckdiff, item};
use crate::support::encoding::{bytes, int, shape};
use crate::support::overview::{
    arguments, entry, meta_graph_overview, objects, shown, with_objects,
};
use crate::support::{cases, fact, named_snapshot};

#[test]
fn everything_that_saved_model_cli_reports_is_reported() {
    let (mut signatures, mut options) = (0, 0);
    for (path, known) in &cases("callables.json", 8) {
        let report = ckdiff(&["show", path, "--format=json"]).json();
        assert_valid(&report);
        let graphs = known["meta_graphs"].as_array().unwrap();
        assert_eq!(report["meta_graphs"].as_array().unwrap().len(), graphs.len(), "{path}");
        for (known, graph) in graphs.iter().zip(report["meta_graphs"].as_array().unwrap()) {
            assert_eq!(known["tags"], graph["tags"], "{path}");
            // saved_model_cli omits functions that only an attribute names; ckdiff counts the nodes of all functions.
            for op in graph["graph"]["ops"].as_array().unwrap() {
                let is_used = op["nodes"] != 0;
                let is_known = known["ops"].as_array().unwrap().contains(&op["op"]);
                assert!(is_known || !is_used, "{path}: {op}");
            }
            for op in known["ops"].as_array().unwrap() {
                item(&graph["graph"]["ops"], "op", op.as_str().unwrap());
            }
            signatures += check_signatures(&known["signatures"], &graph["signatures"]);
        }
        // Models of TensorFlow 1 have no callable functions.
        if let Some(functions) = fact(known, "functions").as_object() {
            options += check_functions(path, functions, &report["meta_graphs"][0]);
        }
    }
    assert!(signatures >= 15 && options >= 22, "{signatures} signatures, {options} options");
}

/// Compares signatures with the oracle's; returns their number.
fn check_signatures(known: &Value, found: &Value) -> usize {
    let known = known.as_object().unwrap();
    assert_eq!(found.as_array().unwrap().len(), known.len());
    for (name, known) in known {
        let found = item(found, "name", name);
        assert_eq!(found["method"], known["method"], "{name}");
        for way in ["inputs", "outputs"] {
            let tensors = known[way].as_object().unwrap();
            assert_eq!(found[way].as_array().unwrap().len(), tensors.len(), "{name}");
            for (key, tensor) in tensors {
                let found = item(&found[way], "name", key);
                // For values of several tensors, saved_model_cli reports neither dtype nor name, and a scalar shape.
                if found.get("encoding").is_none() {
                    assert_eq!(found["shape"], tensor["shape"], "{name} {key}");
                    assert_eq!(found["tensors"][0], tensor["name"], "{name} {key}");
                }
                assert_eq!(found["dtype"], tensor["dtype"], "{name} {key}");
            }
        }
        for (key, default) in known["defaults"].as_object().unwrap() {
            let found = &item(&found["inputs"], "name", key)["default"];
            assert_eq!(found["dtype"], default["dtype"], "{name} {key}");
            assert_eq!(found["shape"], default["shape"], "{name} {key}");
        }
    }
    known.len()
}

/// Compares the callable functions with the oracle's; returns the number of their signatures.
fn check_functions(path: &str, known: &serde_json::Map<String, Value>, graph: &Value) -> usize {
    let callables = graph["callables"].as_array().unwrap();
    let of_root: Vec<&Value> = callables.iter().filter(|found| found["of_root"] == true).collect();
    let names = of_root.iter().flat_map(|found| found["names"].as_array().unwrap());
    let mut names: Vec<&str> = names.map(|name| name.as_str().unwrap()).collect();
    names.sort_unstable();
    assert_eq!(names, known.keys().map(String::as_str).collect::<Vec<_>>(), "{path}");
    let mut count = 0;
    for (name, options) in known {
        let is_it = |found: &&&Value| found["names"].as_array().unwrap().contains(&json!(name));
        let concrete = &of_root.iter().find(is_it).unwrap()["concrete_functions"];
        let found =
            concrete.as_array().unwrap().iter().map(|concrete| {
                item(&graph["concrete_functions"], "name", concrete.as_str().unwrap())
            });
        let mut found: Vec<Value> = found
            .map(|found| {
                json!({
                    "arguments": found["arguments"],
                    "arguments_by_name": found["arguments_by_name"],
                })
            })
            .collect();
        for option in options.as_array().unwrap() {
            let at = found.iter().position(|found| found == option);
            let at = at.unwrap_or_else(|| panic!("{path} {name}: {option} is not in {found:?}"));
            found.remove(at);
            count += 1;
        }
        assert!(found.is_empty(), "{path} {name}: {found:?} are not in the oracle");
    }
    count
}

#[test]
fn functions_are_shown_as_they_are_called() {
    for name in ["callables/structures", "saved_models/stateless"] {
        let run = ckdiff(&["show", name]);
        assert_eq!((run.code, run.stderr.as_str()), (0, ""), "{name}");
        let snapshot = name.rsplit('/').next().unwrap();
        named_snapshot("cli", &format!("show_functions_{snapshot}"), run.text());
    }
    let file = ckdiff(&["show", "callables/structures/saved_model.pb", "--format=json"]).json();
    assert_valid(&file);
    assert_eq!(file["directory"], Value::Null, "a file is shown without its directory");
    let few = ckdiff(&["show", "callables/structures", "-n2"]);
    named_snapshot("cli", "show_functions_few", few.text());
}

/// The row of the only argument of a function `f`.
fn row(value: Vec<u8>) -> String {
    let graph = with_objects(&objects(&[("f", &["g"])], &[("g", value)]));
    let [text, report] = shown(&graph, |_| {});
    assert_valid(&serde_json::from_str(&report).unwrap());
    let row = text.lines().find(|line| line.trim_start().starts_with("#1"));
    row.unwrap_or_else(|| panic!("{text}")).trim().trim_start_matches("#1  [0]").trim().to_owned()
}

#[test]
fn every_kind_of_value_is_shown() {
    let spec = |fields: &[Vec<u8>]| bytes(33, &fields.concat());
    let float = |number: u64, value: f64| {
        [vec![(number << 3 | 1) as u8], value.to_le_bytes().to_vec()].concat()
    };
    let one = || [int(1, 1), bytes(2, b""), bytes(5, &1f32.to_le_bytes())].concat();
    let string = |text: &str| bytes(13, text.as_bytes());
    let ragged = [bytes(1, &bytes(31, &shape(&[-1]))), bytes(1, &int(32, 7))].concat();
    for (value, row_) in [
        (vec![], "?"),
        (bytes(1, b""), "None"),
        (float(11, 0.5), "0.5"),
        (int(12, 3), "-2"),
        (string("a'b\u{1b}[31m"), r"'a\'b\u{1b}[31m'"),
        (int(14, 1), "True"),
        (int(14, 0), "False"),
        (bytes(31, &shape(&[2, -1])), "[2, ?]"),
        (bytes(31, &int(3, 1)), "[…]"),
        (int(32, 14), "bfloat16"),
        (int(32, 999), "999"),
        (spec(&[bytes(1, b"x"), bytes(2, &shape(&[3])), int(3, 1)]), "float32  [3]  x"),
        (spec(&[int(3, 1)]), "float32  []"),
        (
            bytes(35, &[int(3, 1), bytes(4, &one()), bytes(5, &one())].concat()),
            "float32  []  from 1 to 1",
        ),
        (bytes(34, &[int(1, 9)].concat()), "VARIABLE_SPEC"),
        (bytes(34, &bytes(3, b"Odd")), "Odd"),
        (
            bytes(34, &[bytes(2, &bytes(52, &ragged)), bytes(3, b"NewSpec")].concat()),
            "string  [?]  NewSpec([?], string)",
        ),
        (bytes(51, b""), "[]"),
        (bytes(52, &bytes(1, &int(14, 1))), "(True,)"),
        (bytes(53, &bytes(1, &entry("k", &string("v")))), "{'k': 'v'}"),
        (bytes(54, &[bytes(1, b"P"), bytes(2, &entry("x", &int(12, 2)))].concat()), "P(x=1)"),
        (bytes(55, &one()), "1"),
        (
            bytes(56, &[int(1, 3), bytes(2, &shape(&[9])), bytes(7, &[5])].concat()),
            "[5, 5, 5, 5, 5, 5, …]",
        ),
        (bytes(55, &int(1, 1000)), "?"),
    ] {
        assert_eq!(row(value.clone()), row_, "{value:?}");
    }
}

#[test]
fn assets_of_the_collection_are_a_fallback() {
    let asset = |file: &str| bytes(2, file.as_bytes());
    let collection = |items: &[(&str, Vec<u8>)]| {
        let any = |(ty, value): &(&str, Vec<u8>)| {
            bytes(1, &[bytes(1, ty.as_bytes()), bytes(2, value)].concat())
        };
        let list: Vec<u8> = items.iter().flat_map(any).collect();
        bytes(4, &entry("saved_model_assets", &bytes(5, &list)))
    };
    let named = collection(&[("type.googleapis.com/tensorflow.AssetFileDef", asset("old.txt"))]);
    let files = |graph: &MetaGraph| -> Vec<String> {
        graph.assets.iter().map(|asset| asset.filename.clone()).collect()
    };
    shown(&named, |graph| assert_eq!(files(graph), ["old.txt"]));
    let both = [named.clone(), bytes(6, &asset("new.txt"))].concat();
    shown(&both, |graph| assert_eq!(files(graph), ["new.txt"]));
    let other = collection(&[("type.googleapis.com/tensorflow.SaverDef", Vec::new())]);
    let [text, report] = shown(&[bytes(1, &bytes(5, b"2.21.0")), other].concat(), |graph| {
        assert!(graph.assets_error.is_some());
    });
    assert!(text.contains("\nAssets\n") && text.contains("saved_model_assets"), "{text}");
    assert!(text.contains("TensorFlow 2.21.0"), "the rest is shown: {text}");
    assert_valid(&serde_json::from_str(&report).unwrap());
}

#[test]
fn functions_that_only_tensorflow_calls_are_counted() {
    let run = ckdiff(&["show", "saved_models/module", "-n", "all"]);
    let section = run.text().split_once("\nCallable functions (5)\n").unwrap().1;
    let section = section.split_once("\n\n").unwrap().0;
    assert!(section.ends_with("\n  and 3 of tables and savers"), "{section}");
    assert!(!section.contains("_initialize"), "{section}");
    let report = ckdiff(&["show", "saved_models/module", "--format=json"]).json();
    assert!(report["meta_graphs"][0]["callables"].to_string().contains("table/_initialize"));

    // An attribute of the root belongs to the user, even with such a name; so does an object with a saving method.
    let names: &[&str] = &["g"];
    let graph = with_objects(&objects(&[("_initialize", names), (".SAVE", names)], &[]));
    let text = meta_graph_overview(&graph, 20);
    assert!(text.contains("Callable functions (2)\n") && !text.contains("tables"), "{text}");
}

#[test]
fn options_without_arguments_are_aligned_with_the_others() {
    let none = bytes(52, &[bytes(1, &bytes(52, b"")), bytes(1, &bytes(53, b""))].concat());
    let results = bytes(4, &bytes(33, &int(3, 1)));
    let concrete = |name: &str, takes: &[u8]| {
        let function = [bytes(3, takes), results.clone()].concat();
        bytes(2, &[bytes(1, name.as_bytes()), bytes(2, &function)].concat())
    };
    let functions = objects(&[("f", &["none", "one"])], &[]);
    let one = arguments(&bytes(33, &int(3, 1)));
    let graph = [functions, concrete("none", &none), concrete("one", &one)].concat();
    let text = meta_graph_overview(&with_objects(&graph), 20);
    let at = |option: &str| text.lines().find_map(|line| line.find(option)).unwrap();
    assert_eq!((at("#1"), at("#2")), (4, 4), "{text}");
}

#[test]
fn tensors_of_sparse_and_composite_arguments_are_shown_in_full() {
    let name = |c: char| format!("{}:0", c.to_string().repeat(120));
    let part = |number: u64, c: char| bytes(number, name(c).as_bytes());
    let sparse = bytes(4, &[part(1, 'v'), part(2, 'i'), part(3, 's')].concat());
    let spec = bytes(1, &[bytes(2, b""), bytes(3, b"Odd")].concat());
    let component = |c: char| bytes(2, &part(1, c));
    let composite = bytes(5, &[spec, component('a'), component('b')].concat());
    let signature = [bytes(1, &entry("x", &sparse)), bytes(1, &entry("y", &composite))].concat();
    let text = meta_graph_overview(&bytes(5, &entry("serve", &signature)), usize::MAX);
    let lines: Vec<&str> = text.lines().map(str::trim).collect();
    for (label, c) in
        [("values   ", 'v'), ("indices  ", 'i'), ("shape    ", 's'), ("", 'a'), ("", 'b')]
    {
        let line = format!("{label}{}", name(c));
        assert_eq!(lines.iter().filter(|found| **found == line).count(), 1, "{text}");
    }
}

#[test]
fn an_overview_needs_a_message() {
    let checkpoint = Artifact::open("tests/data/demo/model.ckpt").unwrap();
    let error = Overview::of_artifact(&checkpoint).unwrap_err().to_string();
    assert!(error.contains("this is a checkpoint, which has no message"), "{error}");
}
