//! SavedModels of TensorFlow 2: the variables that their savers, which are functions, restore and save.

use std::collections::BTreeMap;
use std::path::Path;

use ckdiff::artifact::Form;
use ckdiff::checkpoint::Checkpoint;
use ckdiff::graph::ObjectGraph;
use ckdiff::graph::object_graph::{KEY, ObjectGraphKind};
use ckdiff::progress::Silent;
use ckdiff::saver::run::{Table, Variables, restore};
use ckdiff::saver::{Model, SaveOptions, Saver};
use ckdiff::schema::tensorflow::{MetaGraphDef, SavedModel};
use ckdiff::tensor::{DType, Tensor};
use prost::Message as _;
use serde::Deserialize;

use crate::support::Random;
use crate::support::message_forms::document;
use crate::support::saver::{KnownTensor, meta_graph_of, saver_def};

/// TensorFlow's state after a restore: variables (null if not saved), and the keys and values of tables.
#[derive(Debug, Deserialize)]
struct Known {
    variables: BTreeMap<String, Option<KnownTensor>>,
    tables: BTreeMap<String, (KnownTensor, KnownTensor)>,
}

fn oracle() -> BTreeMap<String, Known> {
    let text = std::fs::read("tests/data/object_savers/restored.json").unwrap();
    serde_json::from_slice(&text).unwrap()
}

fn restored(path: &Path) -> Variables {
    let graph = meta_graph_of(path);
    let mut variables = Variables::of(&graph).unwrap();
    let checkpoint = path.join("variables/variables");
    restore(&graph, &saver_def(&graph), checkpoint.to_str().unwrap(), &mut variables).unwrap();
    variables
}

/// The entries of a table sorted by key, as in TensorFlow's script; the buckets of a dense table, unsorted.
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
    let (mut variable_count, mut table_count) = (0, 0);
    for (case, known) in &oracle {
        let variables = restored(&Path::new("tests/data/object_savers").join(case));
        assert_eq!(variables.iter().count(), known.variables.len(), "{case}");
        for (name, known) in &known.variables {
            match (variables.find(name), known) {
                (Some(found), Some(known)) => {
                    known.assert_is(found, &format!("{case} {name}"));
                    variable_count += 1;
                }
                (found, known) => {
                    assert!(found.is_none() && known.is_none(), "{case} {name}: {found:?}");
                }
            }
        }
        assert_eq!(variables.tables().count(), known.tables.len(), "{case}");
        for (key, table) in variables.tables() {
            // The names of tables are partly random, so tables are matched by content.
            let table = table.unwrap();
            let of = |(keys, values): &(KnownTensor, KnownTensor)| Table {
                keys: keys.tensor().into(),
                values: values.tensor().into(),
            };
            let is_known = known.tables.values().any(|known| {
                let known = of(known);
                known.keys.dtype() == table.keys.dtype()
                    && known.values.dtype() == table.values.dtype()
                    && known.values.shape() == table.values.shape()
                    && entries(&known) == entries(table)
            });
            assert!(is_known, "{case} {key:?} {table:?}");
            table_count += 1;
        }
    }
    assert_eq!((variable_count, table_count), (31, 4));
}

/// All SavedModels of the corpus that have their variables.
fn saved_models() -> Vec<std::path::PathBuf> {
    let mut directories = vec![std::path::PathBuf::from("tests/data")];
    let mut found = Vec::new();
    while let Some(directory) = directories.pop() {
        let entries = std::fs::read_dir(&directory).unwrap().map(|entry| entry.unwrap().path());
        directories.extend(entries.filter(|path| path.is_dir()));
        let is_whole = directory.join("variables/variables.index").exists();
        if is_whole && directory.join("saved_model.pb").exists() {
            found.push(directory);
        }
    }
    found.sort();
    found
}

#[test]
fn a_saved_model_saves_again_what_it_restores() {
    let dir = tempfile::tempdir().unwrap();
    let (mut count, mut tensors) = (0, 0);
    for path in saved_models() {
        // These models do not fit their checkpoint on purpose.
        if path.starts_with("tests/data/fit") && !path.starts_with("tests/data/fit/object_good") {
            continue;
        }
        count += 1;
        let graph = meta_graph_of(&path);
        let variables = restored(&path);
        let known = path.join("variables/variables");
        let saved = dir.path().join(count.to_string()).join("variables");
        std::fs::create_dir(saved.parent().unwrap()).unwrap();
        let content = Model { graph: &graph, variables: &variables };
        let mut saver = Saver::new(saver_def(&graph));
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
                // The object graph is a constant of the graph, which may name variables differently than the checkpoint.
                let graph = read(&saved);
                ObjectGraph::new(ObjectGraphKind::Trackable, &graph.content()[8..]).unwrap();
                continue;
            }
            assert_eq!(read(&known), read(&saved), "{} {:?}", path.display(), entry.name);
            tensors += 1;
        }
    }
    assert!(count >= 8 && tensors >= 40, "{count} models, {tensors} tensors");
}

#[test]
fn a_table_without_entries_is_saved_empty() {
    let path = Path::new("tests/data/object_savers/tables");
    let (graph, known) = (meta_graph_of(path), restored(path));
    let dir = tempfile::tempdir().unwrap();
    let target = dir.path().join("variables");
    let save = |variables: &Variables| {
        let content = Model { graph: &graph, variables };
        let options = SaveOptions { write_state: false, ..SaveOptions::default() };
        Saver::new(saver_def(&graph)).save(&content, &target, &options, &Silent)
    };
    let mut variables = Variables::of(&graph).unwrap();
    for (key, value) in known.iter() {
        variables.set(key.clone(), value.unwrap().clone());
    }
    assert_eq!(variables.tables().filter(|(_, table)| table.is_none()).count(), 4);
    // A dense table has empty buckets in TensorFlow, but no content here.
    let error = save(&variables).unwrap_err().to_string();
    assert!(error.ends_with(" has no content"), "{error}");
    assert_eq!(std::fs::read_dir(dir.path()).unwrap().count(), 0);
    // Only the dense table has keys with two dimensions: its buckets.
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
            let document =
                document("tensorflow.MetaGraphDef", Form::Binary, &other.encode_to_vec());
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

/// Changes a node of the restore function.
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
