//! Savers of TensorFlow 2's SavedModels, which are functions: what they restore and save.

use std::collections::BTreeMap;
use std::path::Path;

use ckdiff::artifact::{self, Document, ReadOptions};
use ckdiff::checkpoint::Checkpoint;
use ckdiff::graph::ObjectGraph;
use ckdiff::graph::object_graph::{Form, KEY};
use ckdiff::message::Message;
use ckdiff::progress::Silent;
use ckdiff::saver::run::{MergeOptions, Table, Variables, WriteCheckpoint, Written, restore, save};
use ckdiff::saver::{Model, SaveOptions, Saver};
use ckdiff::schema::Schema;
use ckdiff::schema::tensorflow::saver_def::CheckpointFormatVersion;
use ckdiff::schema::tensorflow::{MetaGraphDef, SavedModel, SaverDef};
use ckdiff::tensor::{DType, Shape, Tensor};
use prost_reflect::prost::Message as _;
use serde::Deserialize;

use crate::saver::builder::field;
use crate::support::{Random, base64, named_snapshot};

#[derive(Debug, Deserialize)]
struct Held {
    dtype: String,
    shape: Vec<u64>,
    content: String,
}

impl Held {
    fn assert_is(&self, found: &Tensor, what: &str) {
        let content = base64(&self.content);
        let known = (&*self.dtype, &*self.shape, &*content);
        assert_eq!((found.dtype().name(), found.shape().dims(), found.content()), known, "{what}");
    }
}

/// What TensorFlow has after a restore: variables, of which some are not saved; the keys and values of tables.
#[derive(Debug, Deserialize)]
struct Known {
    variables: BTreeMap<String, Option<Held>>,
    tables: BTreeMap<String, (Held, Held)>,
}

fn oracle() -> BTreeMap<String, Known> {
    let text = std::fs::read("tests/data/object_savers/restored.json").unwrap();
    serde_json::from_slice(&text).unwrap()
}

/// The first meta graph of a SavedModel.
fn meta_graph(path: &Path) -> Message<'static> {
    let file = path.join("saved_model.pb");
    let document = Document::open(file, Schema::tensorflow(), &ReadOptions::default()).unwrap();
    let ty = Schema::tensorflow().message("tensorflow.MetaGraphDef").unwrap();
    Message::decode(Schema::tensorflow(), ty, field(document.message(), 2).to_vec()).unwrap()
}

fn saver(meta_graph: &Message<'_>) -> SaverDef {
    SaverDef::decode(field(meta_graph, 3)).unwrap()
}

fn restored(path: &Path) -> Variables {
    let graph = meta_graph(path);
    let mut variables = Variables::of(&graph).unwrap();
    let checkpoint = path.join("variables/variables");
    restore(&graph, &saver(&graph), checkpoint.to_str().unwrap(), &mut variables).unwrap();
    variables
}

/// The entries of a table in the order of the keys, as TensorFlow's script has them; of a dense one, its buckets.
fn entries(table: &Table) -> Vec<(Vec<u8>, Vec<u8>)> {
    let split = |tensor: &Tensor| -> Vec<Vec<u8>> {
        let count = tensor.shape().dims()[0] as usize;
        match tensor.byte_elements() {
            Some(elements) => elements.into_iter().map(<[u8]>::to_vec).collect(),
            None if count == 0 => Vec::new(),
            None => tensor
                .content()
                .chunks(tensor.content().len() / count)
                .map(<[u8]>::to_vec)
                .collect(),
        }
    };
    let mut entries: Vec<_> = split(&table.keys).into_iter().zip(split(&table.values)).collect();
    if table.keys.shape().rank() == 1 {
        entries.sort();
    }
    entries
}

#[test]
fn every_saved_model_is_restored_as_tensorflow_restores_it() {
    let oracle = oracle();
    assert_eq!(oracle.len(), 4);
    for (case, known) in &oracle {
        let variables = restored(&Path::new("tests/data/object_savers").join(case));
        assert_eq!(variables.iter().count(), known.variables.len(), "{case}");
        for (name, known) in &known.variables {
            match (variables.find(name), known) {
                (Some(found), Some(known)) => known.assert_is(found, &format!("{case} {name}")),
                (found, known) => {
                    assert!(found.is_none() && known.is_none(), "{case} {name}: {found:?}");
                }
            }
        }
        assert_eq!(variables.tables().count(), known.tables.len(), "{case}");
        for (key, table) in variables.tables() {
            // Their names are random in part: tables are known by what is in them.
            let table = table.unwrap();
            let of = |(keys, values): &(Held, Held)| {
                let tensor = |held: &Held| {
                    let is = |dtype: &&DType| dtype.name() == held.dtype;
                    let dtype = *DType::ALL.iter().find(is).unwrap();
                    let dims: Vec<_> = held.shape.iter().map(|dim| *dim as i64).collect();
                    let shape = Shape::new(&dims).unwrap();
                    Tensor::new(dtype, shape, base64(&held.content)).unwrap().into()
                };
                Table { keys: tensor(keys), values: tensor(values) }
            };
            let is_known = known.tables.values().any(|known| {
                let known = of(known);
                known.keys.dtype() == table.keys.dtype()
                    && known.values.dtype() == table.values.dtype()
                    && known.values.shape() == table.values.shape()
                    && entries(&known) == entries(table)
            });
            assert!(is_known, "{case} {key:?} {table:?}");
        }
    }
}

/// All SavedModels of the corpus whose variables are there.
fn saved_models() -> Vec<std::path::PathBuf> {
    let mut folders = vec![std::path::PathBuf::from("tests/data")];
    let mut found = Vec::new();
    while let Some(folder) = folders.pop() {
        let entries = std::fs::read_dir(&folder).unwrap().map(|entry| entry.unwrap().path());
        folders.extend(entries.filter(|path| path.is_dir()));
        let is_whole = folder.join("variables/variables.index").exists();
        if is_whole && folder.join("saved_model.pb").exists() {
            found.push(folder);
        }
    }
    found.sort();
    found
}

#[test]
fn what_a_saved_model_restores_it_saves_again() {
    let dir = tempfile::tempdir().unwrap();
    let mut count = 0;
    for path in saved_models() {
        // These do not fit on purpose.
        if path.starts_with("tests/data/fit") && !path.starts_with("tests/data/fit/object_good") {
            continue;
        }
        count += 1;
        let graph = meta_graph(&path);
        let variables = restored(&path);
        let known = path.join("variables/variables");
        let saved = dir.path().join(count.to_string()).join("variables");
        std::fs::create_dir(saved.parent().unwrap()).unwrap();
        let content = Model { graph: &graph, variables: &variables };
        let mut saver = Saver::new(saver(&graph));
        let options = SaveOptions { write_state: false, ..SaveOptions::default() };
        let done = saver.save(&content, &saved, &options, &Silent).unwrap();
        assert_eq!(done.path.as_deref(), Some(&*saved));
        let open = |path: &Path| Checkpoint::open(path).unwrap();
        let (known, saved) = (open(&known), open(&saved));
        let names = |checkpoint: &Checkpoint| -> Vec<String> {
            checkpoint.tensors().map(|entry| entry.name.printable()).collect()
        };
        assert_eq!(names(&known), names(&saved), "{}", path.display());
        for entry in known.tensors() {
            let read = |checkpoint: &Checkpoint| checkpoint.get_tensor(&entry.name).unwrap();
            if entry.name.as_bytes() == KEY.as_bytes() {
                // It is a constant of the graph, in which a variable may have another name than in the checkpoint.
                let graph = read(&saved);
                ObjectGraph::new(Form::Trackable, &graph.content()[8..]).unwrap();
                continue;
            }
            assert_eq!(read(&known), read(&saved), "{} {:?}", path.display(), entry.name);
        }
    }
    assert!(count >= 8, "{count}");
}

/// A graph with the file that is fed, a node `all`, and these functions.
fn of_functions(functions: &str, all: &str) -> Message<'static> {
    let text = format!(
        "graph_def {{
            node {{ name: 'file' op: 'Placeholder' attr {{ key: 'dtype' value {{ type: DT_STRING }} }} }}
            node {{ name: 'all' {all} }}
            library {{ {functions} }}
        }}"
    );
    let options = ReadOptions {
        message: Some("tensorflow.MetaGraphDef".into()),
        form: Some(artifact::Form::Text),
        ..ReadOptions::default()
    };
    let document =
        Document::read(text.as_bytes(), Path::new("a"), Schema::tensorflow(), &options).unwrap();
    document.message().clone()
}

/// What comes of restoring by a node that is as given, with these functions.
fn run(functions: &str, call: &str) -> Result<(), String> {
    let saver = SaverDef {
        filename_tensor_name: "file:0".into(),
        restore_op_name: "all".into(),
        ..SaverDef::default()
    };
    let path = "tests/data/savers/run/of_references/model.ckpt";
    let mut variables = Variables::default();
    let done = restore(&of_functions(functions, call), &saver, path, &mut variables);
    done.map_err(|error| error.to_string())
}

fn function(name: &str, arguments: &[&str], nodes: &str, results: &[(&str, &str)]) -> String {
    let arg = |name: &&str| format!("input_arg {{ name: '{name}' type: DT_STRING }} ");
    let arguments: String = arguments.iter().map(arg).collect();
    let out =
        |(name, _): &(&str, &str)| format!("output_arg {{ name: '{name}' type: DT_STRING }} ");
    let ret = |(name, from): &(&str, &str)| format!("ret {{ key: '{name}' value: '{from}' }} ");
    let (outputs, rets): (String, String) =
        (results.iter().map(out).collect(), results.iter().map(ret).collect());
    let nodes = nodes.replace("node {", "node_def {");
    format!("function {{ signature {{ name: '{name}' {arguments}{outputs} }} {nodes} {rets} }} ")
}

fn calls(name: &str, inputs: &str) -> String {
    let inputs: String = inputs.split_whitespace().map(|i| format!("input: '{i}' ")).collect();
    format!(
        "op: 'StatefulPartitionedCall' {inputs}
         attr {{ key: 'Tout' value {{ list {{ type: DT_STRING }} }} }}
         attr {{ key: 'f' value {{ func {{ name: '{name}' }} }} }}"
    )
}

/// What the output of a graph is whose node `all` is as given, with these functions and the file `F`.
fn value(functions: &str, all: &str, output: &str) -> Result<String, String> {
    let graph = of_functions(functions, all);
    let saver = SaverDef {
        filename_tensor_name: "file:0".into(),
        save_tensor_name: output.into(),
        ..SaverDef::default()
    };
    struct Nothing;
    impl WriteCheckpoint for Nothing {
        fn write(
            &mut self,
            _: &str,
            _: &[Written<'_>],
            _: CheckpointFormatVersion,
        ) -> ckdiff::Result<()> {
            unreachable!()
        }
        fn merge(&mut self, _: &[&str], _: &str, _: MergeOptions) -> ckdiff::Result<()> {
            unreachable!()
        }
    }
    let saved = save(&graph, &saver, "F", &Variables::default(), &mut Nothing);
    saved.map_err(|error| error.to_string())
}

/// A constant with a text.
fn text(name: &str, text: &str) -> String {
    let tensor = format!("tensor {{ dtype: DT_STRING tensor_shape {{}} string_val: '{text}' }}");
    format!(
        "node {{ name: '{name}' op: 'Const' attr {{ key: 'dtype' value {{ type: DT_STRING }} }}
         attr {{ key: 'value' value {{ {tensor} }} }} }}"
    )
}

#[test]
fn functions_are_called_as_a_graph_calls_them() {
    let same = function("same", &["x"], "", &[("y", "x")]);
    let joined = "node { name: 'both' op: 'StringJoin' input: 'a' input: 'b:0' }";
    let join = function("join", &["a", "b"], joined, &[("y", "both:output:0")]);
    // By its name as an op; a result that is an argument; one function in another.
    let inside = format!(
        "node {{ name: 'once' op: 'same' input: 'x' }} {} node {{ name: 'again' {} }}",
        text("t", "-t"),
        calls("join", "once:y t:output:0")
    );
    let nested = function("nested", &["x"], &inside, &[("y", "again:output:0")]);
    let all = same + &join + &nested;
    assert_eq!(value(&all, &calls("nested", "file"), "all:0").unwrap(), "F-t");
    assert_eq!(value(&all, "op: 'join' input: 'file' input: 'file'", "all:0").unwrap(), "FF");
}

#[test]
fn outputs_go_by_the_names_that_their_function_has_for_them() {
    let nodes = text("t", "T");
    // In another order than their names are.
    let pair = function("pair", &["x"], &nodes, &[("second", "x"), ("first", "t:output:0")]);
    assert_eq!(value(&pair, "op: 'pair' input: 'file'", "all:0").unwrap(), "F");
    assert_eq!(value(&pair, "op: 'pair' input: 'file'", "all:1").unwrap(), "T");
    let from = |port: &str| {
        let nodes = "node { name: 'p' op: 'pair' input: 'x' }";
        let result = format!("p:{port}");
        let outer = function("outer", &["x"], nodes, &[("y", &result)]);
        value(&(pair.clone() + &outer), &calls("outer", "file"), "all:0")
    };
    assert_eq!(from("second:0").unwrap(), "F");
    assert_eq!(from("first:0").unwrap(), "T");
    assert_eq!(from("first").unwrap(), "T");
    for port in ["first:1", "third:0", "output:0", "0"] {
        let error = from(port).unwrap_err();
        assert!(error.contains("which is no output"), "{port}: {error}");
    }
}

#[test]
fn a_function_says_what_all_its_results_are() {
    let whole = function("f", &["x"], "", &[("a", "x"), ("b", "x")]);
    assert_eq!(value(&whole, &calls("f", "file"), "all:1").unwrap(), "F");
    let ret = "ret { key: 'a' value: 'x' }";
    for bad in ["", "ret { key: 'c' value: 'x' }"] {
        let error = value(&whole.replace(ret, bad), &calls("f", "file"), "all:0").unwrap_err();
        assert!(error.contains("for each of its results"), "{error}");
    }
}

#[test]
fn what_a_function_does_beside_its_results_is_done() {
    // Without state, so that nothing but the control result asks for it; and it cannot be run.
    let wrong = "node { name: 'n' op: 'MatMul' input: 'x' }";
    let control = |rest: &str| {
        let plain = function("f", &["x"], wrong, &[("y", "x")]);
        plain.replacen("ret {", &format!("{rest} ret {{"), 1)
    };
    assert_eq!(value(&control(""), &calls("f", "file"), "all:0").unwrap(), "F");
    let with = control("control_ret { key: 'c' value: 'n' }");
    let error = value(&with, &calls("f", "file"), "all:0").unwrap_err();
    assert!(error.contains("the op MatMul"), "{error}");
}

#[test]
fn a_call_is_worth_what_its_function_takes() {
    // Few nodes, many inputs; each function calls the next one twice.
    let inputs = "input: 'x' ".repeat(20_000);
    let wide =
        function("f0", &["x"], &format!("node {{ name: 'n' op: 'NoOp' {inputs} }}"), &[("y", "x")]);
    let wide = wide.replacen("ret {", "control_ret { key: 'c' value: 'n' } ret {", 1);
    let mut all = wide;
    for level in 1..=17 {
        let callee = format!("f{}", level - 1);
        let nodes = format!(
            "node {{ name: 'a' {} }} node {{ name: 'b' {} }}",
            calls(&callee, "x"),
            calls(&callee, "a:output:0")
        );
        all += &function(&format!("f{level}"), &["x"], &nodes, &[("y", "b:output:0")]);
    }
    let error = value(&all, &calls("f17", "file"), "all:0").unwrap_err();
    assert!(error.contains("number of steps to be taken"), "{error}");
}

/// A table, and what is imported into it.
fn table(keys: &str, values: &str, inputs: &str) -> String {
    let inputs: String = inputs.split(' ').map(|input| format!("input: '{input}' ")).collect();
    format!(
        "node {{ name: 't' op: 'MutableHashTableV2'
           attr {{ key: 'key_dtype' value {{ type: {keys} }} }}
           attr {{ key: 'value_dtype' value {{ type: {values} }} }} }}
         node {{ name: 'i' op: 'LookupTableImportV2' input: 't:table_handle:0' {inputs} }}"
    )
}

#[test]
fn a_table_that_was_given_nothing_is_saved_empty() {
    let path = Path::new("tests/data/object_savers/tables");
    let (graph, known) = (meta_graph(path), restored(path));
    let dir = tempfile::tempdir().unwrap();
    let target = dir.path().join("variables");
    let save = |variables: &Variables| {
        let content = Model { graph: &graph, variables };
        let options = SaveOptions { write_state: false, ..SaveOptions::default() };
        Saver::new(saver(&graph)).save(&content, &target, &options, &Silent)
    };
    let mut variables = Variables::of(&graph).unwrap();
    for (key, value) in known.iter() {
        variables.set(key.clone(), value.unwrap().clone());
    }
    assert_eq!(variables.tables().filter(|(_, table)| table.is_none()).count(), 4);
    // A dense one has empty buckets in TensorFlow, and none here.
    let error = save(&variables).unwrap_err().to_string();
    assert!(error.ends_with(" was given nothing"), "{error}");
    assert_eq!(std::fs::read_dir(dir.path()).unwrap().count(), 0);
    // Of all, it alone has buckets: two dimensions of keys.
    let is_dense = |table: &Table| table.keys.shape().rank() == 2;
    let (key, dense) = known.tables().find(|(_, table)| table.is_some_and(is_dense)).unwrap();
    assert_eq!(variables.set_table(key.clone(), dense.unwrap().clone()), None);
    assert_eq!(variables.table(key), dense);
    save(&variables).unwrap();
    let saved = Checkpoint::open(&target).unwrap();
    for (name, dtype, dims) in [
        ("words/.ATTRIBUTES/table-keys", DType::String, &[0][..]),
        ("words/.ATTRIBUTES/table-values", DType::I64, &[0]),
        ("rows/.ATTRIBUTES/table-values", DType::F32, &[0, 2]),
        ("dense/.ATTRIBUTES/table-keys", DType::I64, &[4, 1]),
    ] {
        let tensor = saved.get_tensor(name).unwrap();
        assert_eq!((tensor.dtype(), tensor.shape().dims()), (dtype, dims), "{name}");
    }
}

#[test]
fn what_keeps_a_function_from_running_is_told() {
    let of = |nodes: &str, result: &str| function("f", &["x"], nodes, &[("y", result)]);
    let same = of("", "x");
    let call = calls("f", "file");
    let cases = [
        (same.clone(), calls("g", "file")),
        (same.clone(), calls("f", "")),
        (same.clone(), calls("f", "file file")),
        (same, "op: 'StatefulPartitionedCall' input: 'file'".to_owned()),
        (of("", "gone:output:0"), call.clone()),
        (of("node { name: 'n' op: 'Identity' input: 'x' }", "n"), call.clone()),
        (of("node { name: 'n' op: 'Identity' input: 'x' }", "n:output:1"), call.clone()),
        (of("node { name: 'n' op: 'Identity' input: 'x:1' }", "n:output:0"), call.clone()),
        (of("node { name: 'n' op: 'MatMul' input: 'x' }", "n:product:0"), call.clone()),
        (of("node { name: 'n' op: 'PrintV2' input: 'x' }", "x"), call.clone()),
        (of("node { name: 'n' op: 'Identity' input: 'n:output:0' }", "n:output:0"), call.clone()),
        (of(&table("DT_STRING", "DT_STRING", "x x"), "x"), call.clone()),
        (of(&table("DT_INT64", "DT_STRING", "x x"), "x"), call.clone()),
        (of(&table("DT_STRING", "DT_FLOAT", "x x"), "x"), call.clone()),
        (of("node { name: 'n' op: 'LookupTableExportV2' input: 'x' }", "x"), call.clone()),
        (of(&table("DT_STRING", "DT_STRING", "t:table_handle:0 x"), "x"), call.clone()),
        // It calls itself, and so do two that call each other.
        (of(&format!("node {{ name: 'n' {} }}", calls("f", "x")), "n:output:0"), call.clone()),
        (
            of("node { name: 'n' op: 'g' input: 'x' }", "n:y:0")
                + &function(
                    "g",
                    &["x"],
                    "node { name: 'n' op: 'f' input: 'x' }",
                    &[("y", "n:y:0")],
                ),
            call,
        ),
    ];
    let said: String = cases
        .iter()
        .map(|(functions, call)| match run(functions, call) {
            Ok(()) => "runs\n".to_owned(),
            Err(error) => error + "\n",
        })
        .collect();
    named_snapshot("saver", "functions_refused", &said);
}

#[test]
fn calls_that_double_are_refused() {
    // 2^40 calls of the last, none of which makes anything.
    let mut functions = function("f40", &["x"], "", &[("y", "x")]);
    for at in 0..40 {
        let next = format!("f{}", at + 1);
        let nodes = format!(
            "node {{ name: 'a' {} }} node {{ name: 'b' {} }}",
            calls(&next, "x"),
            calls(&next, "a:output:0")
        );
        functions += &function(&format!("f{at}"), &["x"], &nodes, &[("y", "b:output:0")]);
    }
    let error = run(&functions, &calls("f0", "file")).unwrap_err();
    assert!(error.contains("number of steps to be taken is"), "{error}");
}

#[test]
fn damaged_saved_models_are_run_or_refused() {
    let mut random = Random::new(7);
    for case in ["devices", "tables"] {
        let path = Path::new("tests/data/object_savers").join(case);
        let bytes = std::fs::read(path.join("saved_model.pb")).unwrap();
        let good = SavedModel::decode(&*bytes).unwrap().meta_graphs.remove(0);
        let saver = good.saver_def.clone().unwrap();
        let checkpoint = path.join("variables/variables");
        let mut refused = 0;
        for _ in 0..150 {
            let mut other = good.clone();
            for _ in 0..1 + random.below(3) {
                damage(&mut other, &mut random);
            }
            let options = ReadOptions {
                message: Some("tensorflow.MetaGraphDef".into()),
                form: Some(artifact::Form::Binary),
                ..ReadOptions::default()
            };
            let bytes = other.encode_to_vec();
            let document = Document::read(&*bytes, Path::new("a"), Schema::tensorflow(), &options);
            let document = document.unwrap();
            let mut variables = Variables::of(document.message()).unwrap();
            let before = variables.clone();
            let checkpoint = checkpoint.to_str().unwrap();
            if restore(document.message(), &saver, checkpoint, &mut variables).is_err() {
                assert_eq!(variables, before);
                refused += 1;
            }
        }
        assert!((10..140).contains(&refused), "{case}: {refused}");
    }
}

/// Changes something in the function that restores.
fn damage(meta: &mut MetaGraphDef, random: &mut Random) {
    let library = meta.graph_def.as_mut().unwrap().library.as_mut().unwrap();
    let restores = library
        .function
        .iter_mut()
        .find(|function| function.signature.as_ref().unwrap().name.contains("traced_restore"));
    let function = restores.unwrap();
    let count = function.node_def.len() as u64;
    let (at, other) = (random.below(count) as usize, random.below(count) as usize);
    let copy = function.node_def[other].clone();
    let node = &mut function.node_def[at];
    match random.below(7) {
        0 => node.op = copy.op,
        1 => node.attr = copy.attr,
        2 => node.input.push(format!("{}:output:0", copy.name)),
        3 => drop(node.input.pop()),
        4 => node.name = copy.name,
        5 => drop(function.ret.pop_first()),
        _ => drop(function.signature.as_mut().unwrap().input_arg.pop()),
    }
}
