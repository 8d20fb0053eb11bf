//! `ckdiff show` of SavedModels: all that TensorFlow's saved_model_cli tells, and what lies in the directory.

use std::fs;
use std::path::Path;
use std::time::{Duration, Instant};

use ckdiff::artifact::{Artifact, Document, ReadOptions};
use ckdiff::report::{Contents, MetaGraph, Overview, Palette, human, json};
use ckdiff::schema::Schema;
use serde_json::{Value, json};

use crate::support::command::{assert_valid, ckdiff};
use crate::support::encoding::{bytes, int, shape};
use crate::support::{Random, named_snapshot, oracle};

/// The items of a list, by a key that each has.
pub(crate) fn by<'a>(list: &'a Value, key: &str, wanted: &str) -> &'a Value {
    let found = list.as_array().unwrap().iter().find(|item| item[key] == wanted);
    found.unwrap_or_else(|| panic!("{wanted} is among {list}"))
}

#[test]
fn everything_that_saved_model_cli_tells_is_told() {
    let told = oracle("callables.json");
    let (mut signatures, mut options) = (0, 0);
    for (path, known) in told.as_object().unwrap() {
        let report = ckdiff(&["show", path, "--format=json"]).json();
        assert_valid(&report);
        let graphs = known["meta_graphs"].as_array().unwrap();
        assert_eq!(report["meta_graphs"].as_array().unwrap().len(), graphs.len(), "{path}");
        for (known, graph) in graphs.iter().zip(report["meta_graphs"].as_array().unwrap()) {
            assert_eq!(known["tags"], graph["tags"], "{path}");
            // It passes over functions that only an attribute names; we count the nodes of all.
            for op in graph["graph"]["ops"].as_array().unwrap() {
                let is_used = op["nodes"] != 0;
                let is_known = known["ops"].as_array().unwrap().contains(&op["op"]);
                assert!(is_known || !is_used, "{path}: {op}");
            }
            for op in known["ops"].as_array().unwrap() {
                by(&graph["graph"]["ops"], "op", op.as_str().unwrap());
            }
            signatures += check_signatures(&known["signatures"], &graph["signatures"]);
        }
        if let Some(functions) = known["functions"].as_object() {
            options += check_functions(path, functions, &report["meta_graphs"][0]);
        }
    }
    assert!(signatures >= 15 && options >= 22, "{signatures} signatures, {options} options");
}

/// Holds signatures against the oracle's; returns how many there are.
fn check_signatures(known: &Value, found: &Value) -> usize {
    let known = known.as_object().unwrap();
    assert_eq!(found.as_array().unwrap().len(), known.len());
    for (name, known) in known {
        let found = by(found, "name", name);
        assert_eq!(found["method"], known["method"], "{name}");
        for way in ["inputs", "outputs"] {
            let tensors = known[way].as_object().unwrap();
            assert_eq!(found[way].as_array().unwrap().len(), tensors.len(), "{name}");
            for (key, tensor) in tensors {
                let found = by(&found[way], "name", key);
                // It tells neither type nor name of what is no single tensor, and calls its shape that of a scalar.
                if found.get("encoding").is_none() {
                    assert_eq!(found["shape"], tensor["shape"], "{name} {key}");
                    assert_eq!(found["tensors"][0], tensor["name"], "{name} {key}");
                }
                assert_eq!(found["dtype"], tensor["dtype"], "{name} {key}");
            }
        }
        for (key, default) in known["defaults"].as_object().unwrap() {
            let found = &by(&found["inputs"], "name", key)["default"];
            assert_eq!(found["dtype"], default["dtype"], "{name} {key}");
            assert_eq!(found["shape"], default["shape"], "{name} {key}");
        }
    }
    known.len()
}

/// Holds the functions of the root against the oracle's; returns how many ways to call them there are.
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
                by(&graph["concrete_functions"], "name", concrete.as_str().unwrap())
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
            let at = at.unwrap_or_else(|| panic!("{path} {name}: {option} is among {found:?}"));
            found.remove(at);
            count += 1;
        }
        assert!(found.is_empty(), "{path} {name}: {found:?} are more");
    }
    count
}

#[test]
fn functions_are_shown_as_they_are_called() {
    for name in ["callables/structures", "saved_models/stateless"] {
        let run = ckdiff(&["show", name]);
        assert_eq!((run.code, run.stderr.as_str()), (0, ""), "{name}");
        let widest = run.text().lines().map(|line| line.chars().count()).max().unwrap();
        assert!(widest <= 100, "{name}: {widest} columns");
        let snapshot = name.rsplit('/').next().unwrap();
        named_snapshot("cli", &format!("show_functions_{snapshot}"), run.text());
    }
    let file = ckdiff(&["show", "callables/structures/saved_model.pb", "--format=json"]).json();
    assert_valid(&file);
    assert_eq!(file["directory"], Value::Null, "a file is shown alone");
    let few = ckdiff(&["show", "callables/structures", "-n2"]);
    named_snapshot("cli", "show_functions_few", few.text());
}

/// A `MetaGraphDef` with this object graph.
fn with_objects(objects: &[u8]) -> Vec<u8> {
    [bytes(1, &bytes(5, b"2.21.0")), bytes(7, objects)].concat()
}

/// The overview of a `MetaGraphDef`, as text and as JSON.
fn shown(meta_graph: &[u8], check: impl FnOnce(&MetaGraph)) -> [String; 2] {
    let options = ReadOptions { message: Some("MetaGraphDef".into()), ..ReadOptions::default() };
    let document =
        Document::read(meta_graph, Path::new("crafted.meta"), Schema::tensorflow(), &options)
            .unwrap();
    let overview = Overview::new(&document).unwrap();
    let Contents::MetaGraphs(graphs) = &overview.contents else { panic!("it is a meta graph") };
    check(&graphs[0]);
    let (mut text, mut report) = (Vec::new(), Vec::new());
    let view = human::View { palette: Palette::PLAIN, max_diffs: 20 };
    human::overview(&overview, &view, &mut text).unwrap();
    json::overview(&overview, &mut report).unwrap();
    [text, report].map(|bytes| String::from_utf8(bytes).unwrap())
}

/// A `MetaGraphDef` as text, with so many of everything.
fn told(meta_graph: &[u8], max_diffs: usize) -> String {
    let options = ReadOptions { message: Some("MetaGraphDef".into()), ..ReadOptions::default() };
    let path = Path::new("crafted.meta");
    let document = Document::read(meta_graph, path, Schema::tensorflow(), &options).unwrap();
    let mut text = Vec::new();
    let view = human::View { palette: Palette::PLAIN, max_diffs };
    human::overview(&Overview::new(&document).unwrap(), &view, &mut text).unwrap();
    String::from_utf8(text).unwrap()
}

/// A `SavedObjectGraph` of a root with functions, each by name, with its concrete functions, and these with what they take.
fn objects(functions: &[(&str, &[&str])], concrete: &[(&str, Vec<u8>)]) -> Vec<u8> {
    let child = |at: i64, name: &str| bytes(1, &[int(1, at), bytes(2, name.as_bytes())].concat());
    let children = functions.iter().zip(1..).map(|((name, _), at)| child(at, name));
    let root: Vec<u8> = children.flatten().collect();
    let mut graph = bytes(1, &[root, bytes(4, b"")].concat());
    for (_, names) in functions {
        let names: Vec<u8> = names.iter().flat_map(|name| bytes(1, name.as_bytes())).collect();
        graph.extend(bytes(1, &bytes(6, &names)));
    }
    for (name, takes) in concrete {
        let function = bytes(3, &arguments(takes));
        graph.extend(bytes(2, &[bytes(1, name.as_bytes()), bytes(2, &function)].concat()));
    }
    graph
}

/// A `canonicalized_input_signature` with one argument.
fn arguments(value: &[u8]) -> Vec<u8> {
    let tuple = |items: &[u8]| bytes(52, items);
    tuple(&[bytes(1, &tuple(&bytes(1, value))), bytes(1, &bytes(53, b""))].concat())
}

/// The row of the one argument of a function `f`.
fn row(value: Vec<u8>) -> String {
    let graph = with_objects(&objects(&[("f", &["g"])], &[("g", value)]));
    let [text, report] = shown(&graph, |_| {});
    assert_valid(&serde_json::from_str(&report).unwrap());
    let row = text.lines().find(|line| line.trim_start().starts_with("#1"));
    row.unwrap_or_else(|| panic!("{text}")).trim().trim_start_matches("#1  [0]").trim().to_owned()
}

#[test]
fn every_kind_of_value_is_told() {
    let spec = |fields: &[Vec<u8>]| bytes(33, &fields.concat());
    let float = |number: u64, value: f64| {
        [vec![(number << 3 | 1) as u8], value.to_le_bytes().to_vec()].concat()
    };
    let one = || [int(1, 1), bytes(2, b""), bytes(5, &1f32.to_le_bytes())].concat();
    let entry = |key: &str, value: &[u8]| [bytes(1, key.as_bytes()), bytes(2, value)].concat();
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
fn hostile_object_graphs_are_survived() {
    // Each level is a list in a list, far beyond what TensorFlow reads.
    let mut deep = bytes(33, &int(3, 1));
    for _ in 0..490 {
        deep = bytes(51, &bytes(1, &deep));
    }
    let graph = with_objects(&objects(&[("f", &["g", "gone"])], &[("g", deep)]));
    let [text, report] = shown(&graph, |_| {});
    assert!(text.contains("…") && text.contains("#2       missing"), "{text}");
    let report: Value = serde_json::from_str(&report).unwrap();
    assert_valid(&report);
    assert!(report.to_string().contains("too_deep"));

    // Children that lead round in a ring, and nowhere.
    let child = |at: i64, name: &[u8]| bytes(1, &[int(1, at), bytes(2, name)].concat());
    let function = bytes(6, &bytes(1, b"g\x1b[2J"));
    let ring = [
        bytes(1, &[child(1, b"a\n"), child(-1, b"b"), child(1 << 30, b"c")].concat()),
        bytes(
            1,
            &[child(0, b"up"), child(1, b"self"), child(2, b"\x1b[31mred"), function.clone()]
                .concat(),
        ),
        bytes(1, &[child(1, b"back"), function].concat()),
    ];
    let [text, _] = shown(&with_objects(&ring.concat()), |graph| {
        assert_eq!(graph.callables.len(), 2);
    });
    assert!(text.chars().all(|c| c == '\n' || !c.is_control()), "{text:?}");
}

#[test]
fn deep_signatures_are_survived() {
    // A composite tensor of composite tensors, each with a type that is deep.
    let mut state = bytes(33, &int(3, 1));
    for _ in 0..240 {
        state = bytes(52, &bytes(1, &state));
    }
    let spec = bytes(1, &[bytes(2, &state), bytes(3, b"Odd")].concat());
    let mut tensor = bytes(1, b"inmost:0");
    for _ in 0..240 {
        tensor = bytes(5, &[spec.clone(), bytes(2, &tensor)].concat());
    }
    let input = bytes(1, &[bytes(1, b"x"), bytes(2, &tensor)].concat());
    let entry = [bytes(1, b"serve"), bytes(2, &input)].concat();
    let [text, report] = shown(&bytes(5, &entry), |graph| {
        assert_eq!(graph.signatures[0].inputs[0].name, "x");
    });
    assert!(text.contains("Odd("), "{text}");
    assert_valid(&serde_json::from_str(&report).unwrap());
}

#[test]
fn no_name_makes_a_line_too_wide() {
    let long = |c: char| c.to_string().repeat(300);
    let entry = |key: &str, value: &[u8]| [bytes(1, key.as_bytes()), bytes(2, value)].concat();
    let spec = |name: &str| {
        bytes(33, &[bytes(1, name.as_bytes()), bytes(2, &shape(&[7; 200])), int(3, 1)].concat())
    };
    let takes = bytes(53, &[bytes(1, &entry(&long('k'), &spec(&long('t'))))].concat());
    let (name, concrete) = (long('f'), long('g'));
    let objects = objects(&[(&name, &[&concrete, "missing"])], &[(&concrete, takes)]);
    let tensor = [bytes(1, long('n').as_bytes()), int(2, 7), bytes(3, &shape(&[9; 200]))].concat();
    let text = [int(1, 7), bytes(8, long('v').as_bytes())].concat();
    let signature = [
        bytes(1, &entry(&long('i'), &tensor)),
        bytes(3, long('m').as_bytes()),
        bytes(4, &entry(&long('i'), &text)),
    ];
    let asset = bytes(6, &[bytes(1, &tensor), bytes(2, long('a').as_bytes())].concat());
    let graph = [bytes(5, &entry(&long('s'), &signature.concat())), asset, bytes(7, &objects)];
    let [text, report] = shown(&graph.concat(), |_| {});
    for line in text.lines() {
        assert!(line.chars().count() <= 100, "{line}");
    }
    for c in "fktgnsima".chars() {
        let few = c.to_string().repeat(3);
        assert!(report.contains(&long(c)), "{c}");
        assert!(c == 'g' || text.contains(&few), "{c}\n{text}");
    }
}

#[test]
fn random_damage_is_survived() {
    let good = fs::read("tests/data/callables/structures/saved_model.pb").unwrap();
    let mut random = Random::new(6);
    let options = ReadOptions { message: Some("SavedModel".into()), ..ReadOptions::default() };
    let view = human::View { palette: Palette::PLAIN, max_diffs: 20 };
    let mut read = 0;
    for _ in 0..300 {
        let mut bytes = good.clone();
        for _ in 0..=random.below(2) {
            let at = random.below(bytes.len() as u64) as usize;
            bytes[at] = random.next() as u8;
        }
        let path = Path::new("saved_model.pb");
        let document = Document::read(&*bytes, path, Schema::tensorflow(), &options);
        let Ok(document) = document else { continue };
        // Damage may be told; nothing may panic, and what is told must be shown.
        if let Ok(overview) = Overview::new(&document) {
            read += 1;
            human::overview(&overview, &view, &mut std::io::sink()).unwrap();
            json::overview(&overview, &mut std::io::sink()).unwrap();
        }
    }
    assert!(read > 30, "{read}");
}

#[test]
fn large_object_graphs_take_time_and_memory_by_their_size() {
    const MANY: usize = 20_000;
    // Many functions that are all made of one that takes much.
    let wide: Vec<u8> = (0..MANY).flat_map(|_| bytes(1, &bytes(33, &int(3, 1)))).collect();
    let names: Vec<String> = (0..MANY).map(|i| format!("f{i}")).collect();
    let shared: Vec<(&str, &[&str])> =
        names.iter().map(|name| (name.as_str(), &["g"][..])).collect();
    // A chain of objects, with a function at each.
    let child = |at: usize| bytes(1, &[int(1, at as i64 + 1), bytes(2, b"next")].concat());
    let link = |at: usize| bytes(1, &[child(at), bytes(6, &bytes(1, b"g"))].concat());
    let chain: Vec<u8> = (0..MANY).flat_map(link).collect();
    for objects in [objects(&shared, &[("g", bytes(51, &wide))]), chain] {
        let start = Instant::now();
        let graph = with_objects(&objects);
        let [text, report] = shown(&graph, |found| assert!(found.callables.len() + 1 >= MANY));
        assert!(report.len() < 60 * graph.len(), "{} from {}", report.len(), graph.len());
        assert!(text.len() < 20_000, "{}", text.len());
        assert!(start.elapsed() < Duration::from_secs(20), "{:?}", start.elapsed());
    }
}

#[test]
fn assets_of_the_collection_count_where_there_are_no_others() {
    let entry = |key: &str, value: &[u8]| [bytes(1, key.as_bytes()), bytes(2, value)].concat();
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
    assert!(text.contains("TensorFlow 2.21.0"), "all else is told: {text}");
    assert_valid(&serde_json::from_str(&report).unwrap());
}

#[test]
fn every_list_is_limited() {
    const MANY: usize = 1_000;
    let entry = |key: &str, value: &[u8]| [bytes(1, key.as_bytes()), bytes(2, value)].concat();
    let many = |number: u64| -> Vec<u8> {
        (0..MANY).flat_map(|i| bytes(number, format!("n{i}").as_bytes())).collect()
    };
    let main = bytes(4, &entry("saved_model_main_op", &bytes(1, &many(1))));
    let graph = [bytes(1, &many(4)), main].concat();
    let few = told(&graph, 20);
    assert_eq!(few.matches("n19").count(), 2, "{few}");
    assert_eq!(few.matches("… and 980 more").count(), 2, "{few}");
    assert!(!few.contains("n20"), "{few}");
    let all = told(&graph, usize::MAX);
    assert!(all.matches("n999").count() == 2 && !all.contains('…'), "{all}");

    let graphs: Vec<u8> =
        (0..MANY).flat_map(|_| bytes(2, &bytes(1, &bytes(4, b"serve")))).collect();
    let options = ReadOptions { message: Some("SavedModel".into()), ..ReadOptions::default() };
    let path = Path::new("saved_model.pb");
    let document = Document::read(&*graphs, path, Schema::tensorflow(), &options).unwrap();
    let overview = Overview::new(&document).unwrap();
    let mut text = Vec::new();
    let view = human::View { palette: Palette::PLAIN, max_diffs: 20 };
    human::overview(&overview, &view, &mut text).unwrap();
    let text = String::from_utf8(text).unwrap();
    assert_eq!(text.matches("serve").count(), 20, "{text}");
    assert!(text.contains("Meta graph 20 of 1000"), "{text}");
    assert!(text.ends_with("\n… and 980 more meta graphs\n"), "{text}");
}

#[test]
fn functions_that_tensorflow_calls_itself_are_counted_only() {
    let run = ckdiff(&["show", "saved_models/module", "-n", "all"]);
    let section = run.text().split_once("\nCallable functions (5)\n").unwrap().1;
    let section = section.split_once("\n\n").unwrap().0;
    assert!(section.ends_with("\n  and 3 of tables and savers"), "{section}");
    assert!(!section.contains("_initialize"), "{section}");
    let report = ckdiff(&["show", "saved_models/module", "--format=json"]).json();
    assert!(report["meta_graphs"][0]["callables"].to_string().contains("table/_initialize"));

    // An attribute of the root is the user's; so is an object that saves something.
    let names: &[&str] = &["g"];
    let graph = with_objects(&objects(&[("_initialize", names), (".SAVE", names)], &[]));
    let text = told(&graph, 20);
    assert!(text.contains("Callable functions (2)\n") && !text.contains("tables"), "{text}");
}

#[test]
fn options_without_arguments_stand_with_the_others() {
    let none = bytes(52, &[bytes(1, &bytes(52, b"")), bytes(1, &bytes(53, b""))].concat());
    let results = bytes(4, &bytes(33, &int(3, 1)));
    let concrete = |name: &str, takes: &[u8]| {
        let function = [bytes(3, takes), results.clone()].concat();
        bytes(2, &[bytes(1, name.as_bytes()), bytes(2, &function)].concat())
    };
    let functions = objects(&[("f", &["none", "one"])], &[]);
    let one = arguments(&bytes(33, &int(3, 1)));
    let graph = [functions, concrete("none", &none), concrete("one", &one)].concat();
    let text = told(&with_objects(&graph), 20);
    let at = |option: &str| text.lines().find_map(|line| line.find(option)).unwrap();
    assert_eq!((at("#1"), at("#2")), (4, 4), "{text}");
}

#[test]
fn tensors_of_sparse_and_composite_arguments_are_told_whole() {
    let name = |c: char| format!("{}:0", c.to_string().repeat(120));
    let entry = |key: &str, value: &[u8]| [bytes(1, key.as_bytes()), bytes(2, value)].concat();
    let part = |number: u64, c: char| bytes(number, name(c).as_bytes());
    let sparse = bytes(4, &[part(1, 'v'), part(2, 'i'), part(3, 's')].concat());
    let spec = bytes(1, &[bytes(2, b""), bytes(3, b"Odd")].concat());
    let component = |c: char| bytes(2, &part(1, c));
    let composite = bytes(5, &[spec, component('a'), component('b')].concat());
    let signature = [bytes(1, &entry("x", &sparse)), bytes(1, &entry("y", &composite))].concat();
    let text = told(&bytes(5, &entry("serve", &signature)), usize::MAX);
    let lines: Vec<&str> = text.lines().map(str::trim).collect();
    for (label, c) in
        [("values   ", 'v'), ("indices  ", 'i'), ("shape    ", 's'), ("", 'a'), ("", 'b')]
    {
        let line = format!("{label}{}", name(c));
        assert_eq!(lines.iter().filter(|found| **found == line).count(), 1, "{text}");
    }
}

#[test]
fn long_names_of_functions_with_many_options_are_not_repeated_in_full() {
    let long = "f".repeat(1_000_000);
    let names: Vec<String> = (0..2_000).map(|i| format!("g{i}")).collect();
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    let tensor = || bytes(33, &int(3, 1));
    let concrete: Vec<(&str, Vec<u8>)> = names.iter().map(|name| (*name, tensor())).collect();
    // Two of the same name so far as it is shown, which share all.
    let other = format!("{}g{}", &long[..500_000], &long[..500_000]);
    let graph = with_objects(&objects(&[(&long, &names), (&other, &names)], &concrete));
    let start = Instant::now();
    let text = told(&graph, usize::MAX);
    assert!(text.len() < 1_000_000, "{}", text.len());
    assert!(start.elapsed() < Duration::from_secs(10), "{:?}", start.elapsed());
    assert_eq!(text.matches("as #").count(), names.len(), "the second tells the first's");
}

#[test]
fn an_overview_needs_a_message() {
    let checkpoint = Artifact::open("tests/data/demo/model.ckpt").unwrap();
    let error = Overview::of_artifact(&checkpoint).unwrap_err().to_string();
    assert!(error.contains("this is a checkpoint, which has no message"), "{error}");
}
