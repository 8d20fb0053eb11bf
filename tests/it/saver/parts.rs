//! Savers of some parts of partitioned variables: what they save, they restore.

use std::collections::BTreeMap;
use std::path::Path;

use ckdiff::checkpoint::{Checkpoint, CheckpointBuilder, Format, IfExists, Listing};
use ckdiff::message::Message;
use ckdiff::progress::Silent;
use ckdiff::saver::builder::{BuilderOptions, ToSave, VarList, Variable, all_saveable, build};
use ckdiff::saver::plan::restore_plan;
use ckdiff::saver::run::{VariableKey, Variables, restore};
use ckdiff::saver::{Model, SaveOptions, Saver};
use ckdiff::schema::tensorflow::SaverDef;
use ckdiff::schema::tensorflow::saver_def::CheckpointFormatVersion;
use ckdiff::tensor::{DType, Name, Shape, Tensor};
use ckdiff::text::{PrintOptions, Style};

use crate::support::message_forms::{parsed, text_of};
use crate::support::saver::meta_graph;

const CASES: [(&str, &str); 2] = [("partitioned", "p"), ("partitioned_resource", "p")];

fn all(case: &str) -> Vec<Variable> {
    all_saveable(&meta_graph(&format!("build/{case}.before.meta"))).unwrap()
}

/// The graph with a saver of these parts of `of`.
fn saving(
    case: &str,
    of: &str,
    parts: &[usize],
    write_version: CheckpointFormatVersion,
) -> (Message<'static>, SaverDef) {
    let names: Vec<String> = parts.iter().map(|part| format!("{of}/part_{part}")).collect();
    let list: Vec<_> = all(case).into_iter().filter(|one| names.contains(&one.name)).collect();
    assert_eq!(list.len(), parts.len(), "{case}");
    let var_list = VarList::List(list.into_iter().map(ToSave::Variable).collect());
    let options = BuilderOptions { var_list, write_version, ..BuilderOptions::default() };
    let built = build(&meta_graph(&format!("build/{case}.before.meta")), &options);
    let built = built.unwrap().unwrap();
    (built.message, built.saver_def)
}

fn key(variable: &Variable) -> VariableKey {
    VariableKey::new(variable.kind, &variable.name)
}

/// A store in which the elements of all variables are different.
fn numbered(case: &str) -> Variables {
    let mut store = Variables::default();
    let mut next = 0.0f32;
    for variable in all(case).iter().filter(|variable| variable.dtype == DType::F32) {
        let dims = variable.shape.as_ref().unwrap().iter().map(|dim| dim.unwrap());
        let dims: Vec<i64> = dims.map(u64::cast_signed).collect();
        let count = dims.iter().product::<i64>();
        let values = (0..count).flat_map(|_| {
            next += 1.0;
            next.to_le_bytes()
        });
        let shape = Shape::new(&dims).unwrap();
        let tensor = Tensor::new(DType::F32, shape, values.collect()).unwrap();
        store.set(key(variable), tensor);
    }
    store
}

/// Saves these parts to `directory/m`, and returns the graph and the saver.
fn saved(
    directory: &Path,
    (case, of): (&str, &str),
    parts: &[usize],
    version: CheckpointFormatVersion,
) -> (Message<'static>, SaverDef) {
    let (graph, def) = saving(case, of, parts, version);
    let model = Model { graph: &graph, variables: &numbered(case) };
    let target = directory.join("m");
    Saver::new(def.clone()).save(&model, &target, &SaveOptions::default(), &Silent).unwrap();
    (graph, def)
}

const FORMATS: [CheckpointFormatVersion; 2] =
    [CheckpointFormatVersion::V1, CheckpointFormatVersion::V2];

#[test]
fn a_saver_of_some_parts_restores_them() {
    for (case, of) in CASES {
        for version in FORMATS {
            let directory = tempfile::tempdir().unwrap();
            let (graph, def) = saved(directory.path(), (case, of), &[1], version);
            let mut variables = Variables::of(&graph).unwrap();
            Saver::new(def)
                .restore(&graph, &directory.path().join("m"), &mut variables)
                .unwrap_or_else(|error| panic!("{case} {version:?}: {error}"));
            let known = numbered(case);
            for variable in all(case) {
                let part = variable.name == format!("{of}/part_1");
                let expected = known.get(&key(&variable)).filter(|_| part);
                assert_eq!(variables.get(&key(&variable)), expected, "{case} {}", variable.name);
            }
        }
    }
}

/// Restores the elements of `spec` of the saved parts 1, 2 and 4 of `p` into the variable `p/part_0`.
fn restored(
    directory: &Path,
    spec: &str,
    version: CheckpointFormatVersion,
) -> Result<Vec<f32>, String> {
    saved(directory, ("partitioned", "p"), &[1, 2, 4], version);
    let (graph, def) = saving("partitioned", "p", &[0], version);
    // The slice of part 0 is in the graph once per direction.
    let (text, _) = text_of(&graph, &PrintOptions::new(Style::TensorFlow));
    let text = String::from_utf8(text).unwrap().replace("24 2 0,2:0,2", spec);
    let graph = parsed("tensorflow.MetaGraphDef", &text);
    let mut variables = Variables::of(&graph).unwrap();
    let path = directory.join("m");
    restore(&graph, &def, path.to_str().unwrap(), &mut variables)
        .map_err(|error| error.to_string())?;
    let plan = restore_plan(&graph, &def, &Checkpoint::open(&path).unwrap()).unwrap();
    assert!(plan.restores(), "{spec}: {plan:?}");
    Ok(variables.find("p/part_0").unwrap().elements().unwrap())
}

/// As in TensorFlow: a slice is read from all stored slices that have some of it.
#[test]
fn a_slice_of_saved_parts_is_restored() {
    for version in FORMATS {
        let directory = tempfile::tempdir().unwrap();
        let restored = |spec: &str| restored(directory.path(), spec, version);
        assert_eq!(restored("24 2 2,2:0,2"), Ok(vec![5.0, 6.0, 7.0, 8.0]));
        assert_eq!(restored("24 2 3,2:0,2").map(|all| all[..2].to_vec()), Ok(vec![7.0, 8.0]));
        // A slice of another shape is read, and then not assigned.
        assert!(restored("24 2 2,4:1,1").unwrap_err().contains("shape"));
        for missing in ["24 2 0,2:0,2", "24 2 5,2:0,2", "24 2 22,2:0,2"] {
            let error = restored(missing).unwrap_err();
            let slice = missing.rsplit(' ').next().unwrap();
            let says = format!("the checkpoint does not have all of slice {slice}");
            assert!(error.ends_with(&says), "{error}");
        }
    }
}

#[test]
fn a_plan_knows_which_slices_are_missing() {
    for version in FORMATS {
        let directory = tempfile::tempdir().unwrap();
        saved(directory.path(), ("partitioned", "p"), &[1, 2, 4], version);
        let checkpoint = Checkpoint::open(directory.path().join("m")).unwrap();
        let plan = |parts: &[usize]| {
            let (graph, def) = saving("partitioned", "p", parts, version);
            restore_plan(&graph, &def, &checkpoint).unwrap()
        };
        assert!(plan(&[1, 2, 4]).restores());
        let plan = plan(&[2, 3]);
        let misfits: Vec<_> = plan.misfits().map(|(read, misfit)| (&*read.slice, misfit)).collect();
        assert_eq!(misfits.len(), 1, "{misfits:?}");
        assert_eq!(misfits[0].0, "24 2 6,2:0,2");
        let says = "slice \"24 2 6,2:0,2\": the checkpoint does not have all of it";
        assert_eq!(misfits[0].1.to_string(), says);
        // As a whole, the tensor is not there.
        let (graph, def) = whole_p();
        let plan = restore_plan(&graph, &def, &checkpoint).unwrap();
        let misfits: Vec<_> = plan.misfits().map(|(_, misfit)| misfit.to_string()).collect();
        assert_eq!(misfits, ["the checkpoint does not have all of it"]);
        assert!(!plan.restores());
        let mut variables = Variables::of(&graph).unwrap();
        let path = directory.path().join("m");
        assert!(Saver::new(def).restore(&graph, &path, &mut variables).is_err());
        assert!(checkpoint.get_tensor("p").is_err());
    }
}

/// A graph that restores all of `p` into one variable.
fn whole_p() -> (Message<'static>, SaverDef) {
    let graph = parsed(
        "tensorflow.MetaGraphDef",
        "graph_def { node { name: 'p' op: 'VariableV2' attr { key: 'dtype' value { type: DT_FLOAT } }
            attr { key: 'shape' value { shape { dim { size: 24 } dim { size: 2 } } } } } }
         collection_def { key: 'variables' value { bytes_list { value: '\\n\\003p:0\\022\\010p/Assign' } } }",
    );
    let list = all_saveable(&graph).unwrap().into_iter().map(ToSave::Variable).collect();
    let options = BuilderOptions { var_list: VarList::List(list), ..BuilderOptions::default() };
    let built = build(&graph, &options).unwrap().unwrap();
    (built.message, built.saver_def)
}

/// As TensorFlow's reader, which lists what it cannot read as a whole.
#[test]
fn incomplete_tensors_are_listed_and_copied() {
    for version in FORMATS {
        let directory = tempfile::tempdir().unwrap();
        let (graph, def) = saved(directory.path(), ("partitioned", "p"), &[1, 2, 4], version);
        let checkpoint = Checkpoint::open(directory.path().join("m")).unwrap();
        let name = Name::from("p");
        assert_eq!(checkpoint.shape_map()[&name].dims(), [24, 2]);
        assert_eq!(checkpoint.dtype_map()[&name], DType::F32);
        assert_eq!(checkpoint.debug_string(), "p (DT_FLOAT) [24,2]\n");
        let listing = Listing::new(&checkpoint, |_| true);
        assert!(listing.tensors[0].facts.is_some() && listing.tensors[0].error.is_some());
        // A copy has the same slices.
        for format in FORMATS {
            let copy = directory.path().join("copy");
            let builder = CheckpointBuilder::of(&checkpoint).unwrap();
            let format = Format::of(format).unwrap();
            builder.write(&copy, format, IfExists::Replace, &Silent).unwrap();
            let mut variables = Variables::of(&graph).unwrap();
            Saver::new(def.clone()).restore(&graph, &copy, &mut variables).unwrap();
            let known = numbered("partitioned");
            for part in [1, 2, 4].map(|part| format!("p/part_{part}")) {
                assert_eq!(variables.find(&part), known.find(&part), "{part}");
            }
            assert!(Checkpoint::open(&copy).unwrap().get_tensor("p").is_err());
        }
        let safetensors = Format::by_name("safetensors").unwrap();
        let target = directory.path().join("all.safetensors");
        let builder = CheckpointBuilder::of(&checkpoint).unwrap();
        assert!(builder.write(&target, safetensors, IfExists::Refuse, &Silent).is_err());
        assert!(!target.exists());
    }
}

/// As in TensorFlow, to which a variable and its slice are two objects.
#[test]
fn a_part_is_saved_whole_and_as_a_slice() {
    for (case, of) in CASES {
        let part = all(case).into_iter().find(|one| one.name == format!("{of}/part_0")).unwrap();
        let built = |y: ToSave| {
            let dict =
                BTreeMap::from([("x".into(), ToSave::Variable(part.clone())), ("y".into(), y)]);
            let options = BuilderOptions { var_list: VarList::Dict(dict), ..Default::default() };
            build(&meta_graph(&format!("build/{case}.before.meta")), &options)
        };
        assert!(built(ToSave::Slices(vec![part.clone()])).is_ok(), "{case}");
        assert!(built(ToSave::Variable(part.clone())).is_err(), "{case}");
    }
}
