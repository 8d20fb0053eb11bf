//! Scenarios in which TensorFlow must agree, for `scenarios.py`:
//!
//! ```text
//! parts.VERSION/m          parts 1 and 3 of a partitioned variable, whose elements are 2 and 4; restored by ckdiff already
//! directory/made/m         a V2 checkpoint in a directory that was missing
//! state/checkpoint         a sharded V2 checkpoint with the name of the state file, saved by a relative path
//! names/NUMBER/NAME        a V1 checkpoint with a name like a pattern
//! unsorted                 a V1 checkpoint of SaveSlices with unsorted names
//! parts.VERSION/whole.json whether a plan restores all of the partitioned variable, and the shapes
//! imports.json, imports.pb what ckdiff accepts when it imports a graph, and the graph
//! slash/NUMBER             a checkpoint saved as `sub/` or `sub/.`
//! paths.json, paths/       the paths that a saver restores
//! bound.json, bound.pb     the inputs of a loop and control inputs after one is replaced, and the graph
//! ```

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use ckdiff::checkpoint::Checkpoint;
use ckdiff::message::Message;
use ckdiff::meta_graph::{ImportOptions, import};
use ckdiff::progress::Silent;
use ckdiff::saver::builder::{BuilderOptions, ToSave, VarList, all_saveable};
use ckdiff::saver::plan::restore_plan;
use ckdiff::saver::run::{VariableKey, Variables};
use ckdiff::saver::{Model, SaveOptions, Saver};
use ckdiff::schema::Schema;
use ckdiff::schema::tensorflow::saver_def::CheckpointFormatVersion;
use ckdiff::schema::tensorflow::{MetaGraphDef, SaverDef};
use ckdiff::tensor::{DType, Shape, Tensor};
use ckdiff::text::{ParseOptions, parse};
use prost::Message as _;

use super::{Result, read};

use CheckpointFormatVersion::{V1, V2};

/// Writes the files of every scenario.
pub(crate) fn write(out: &Path) -> Result {
    for version in [V1, V2] {
        parts(&out.join(format!("parts.{version:?}")), version)?;
    }
    fs::create_dir_all(out.join("directory"))?;
    saved(&out.join("directory/made/m"), false, V2)?;
    fs::create_dir_all(out.join("state"))?;
    saved(&relative(&out.join("state/checkpoint"))?, true, V2)?;
    let names = ["m-?????-of-?????", "m-?????-of-00002", "m-00000-of-00002"];
    for (number, name) in names.into_iter().enumerate() {
        let directory = out.join("names").join(number.to_string());
        fs::create_dir_all(&directory)?;
        saved(&directory.join(name), false, V1)?;
    }
    unsorted(&out.join("unsorted"))?;
    imports(out)?;
    slash(out)?;
    paths(out)?;
    bound(out)
}

/// Saves to paths that end with a directory; `case.json` has the path, and the options of TensorFlow's saver.
fn slash(out: &Path) -> Result {
    let cases = [
        ("sub/", false, V2, "{}"),
        ("sub/.", false, V2, "{}"),
        ("sub/", true, V2, "{\"sharded\": true}"),
        ("sub/", true, V1, "{\"sharded\": true, \"write_version\": 1}"),
    ];
    for (number, (path, sharded, version, options)) in cases.into_iter().enumerate() {
        let directory = out.join("slash").join(number.to_string());
        fs::create_dir_all(directory.join("sub"))?;
        saved(&directory.join(path), sharded, version)?;
        fs::write(directory.join("case.json"), format!("[\"{path}\", {options}]\n"))?;
    }
    Ok(())
}

/// Says of paths in `paths/` whether a saver restores them.
fn paths(out: &Path) -> Result {
    let directory = out.join("paths");
    fs::create_dir_all(&directory)?;
    saved(&directory.join("m"), false, V2)?;
    saved(&directory.join("s"), true, V1)?;
    let mut lines = Vec::new();
    for name in ["m", "m.index", "m.data-00000-of-00001", "s-?????-of-00004", "s-00000-of-00004"] {
        let graph = read(&directory.join(format!("{}.meta", &name[..1])))?;
        let def = MetaGraphDef::decode(graph.bytes())?.saver_def.ok_or("a saver")?;
        let mut variables = Variables::of(&graph)?;
        let restored = Saver::new(def).restore(&graph, &directory.join(name), &mut variables);
        lines.push(format!("  {name:?}: {}", restored.is_ok()));
    }
    fs::write(out.join("paths.json"), format!("{{\n{}\n}}\n", lines.join(",\n")))?;
    Ok(())
}

/// Imports a graph with a loop and control inputs, one of which is replaced: `bound.json` has what is returned as `x:0`, and the inputs of nodes.
fn bound(out: &Path) -> Result {
    let float = ("T", "type: DT_FLOAT");
    let placeholder = |name: &str| node(name, "Placeholder", &[], &[("dtype", "type: DT_FLOAT")]);
    let graph = [
        placeholder("x"),
        node("b", "NoOp", &[], &[]),
        node("c", "NoOp", &[], &[]),
        node("y", "Identity", &["x", "^b", "^c"], &[float]),
        node("enter", "Enter", &["x"], &[float, ("frame_name", "s: 'w'")]),
        node("merge", "Merge", &["enter", "next"], &[float, ("N", "i: 2")]),
        node("next", "NextIteration", &["merge"], &[float]),
    ];
    let graph = meta_graph(&format!("graph_def {{ {} }}", graph.concat()))?;
    let into = meta_graph(&format!("graph_def {{ {} }}", placeholder("src")))?;
    let mut lines = Vec::new();
    for element in ["x", "enter", "^b", "^c"] {
        let options = ImportOptions {
            import_scope: "e".into(),
            input_map: BTreeMap::from([(element.into(), "src".into())]),
            return_elements: vec!["x:0".into()],
            ..ImportOptions::default()
        };
        let outcome = import(&graph, Some(&into), &options)?;
        let nodes = MetaGraphDef::decode(outcome.message.bytes())?.graph_def.ok_or("a graph")?.node;
        let inputs: Vec<String> =
            nodes.iter().map(|node| format!("{:?}: {:?}", node.name, node.input)).collect();
        let returned = outcome.return_elements.first().ok_or("an element")?;
        lines.push(format!("  {element:?}: [{returned:?}, {{ {} }}]", inputs.join(", ")));
    }
    fs::write(out.join("bound.json"), format!("{{\n{}\n}}\n", lines.join(",\n")))?;
    let graph = MetaGraphDef::decode(graph.bytes())?.graph_def.ok_or("a graph")?;
    fs::write(out.join("bound.pb"), graph.encode_to_vec())?;
    Ok(())
}

/// The path from the working directory.
fn relative(to: &Path) -> Result<PathBuf> {
    let here = std::env::current_dir()?;
    let up = here.components().skip(1).map(|_| Path::new(".."));
    Ok(up
        .chain(fs::canonicalize(to.parent().ok_or("a directory")?)?.iter().skip(1).map(Path::new))
        .chain(to.file_name().map(Path::new))
        .collect())
}

/// A store in which the elements of the variable number N are N, from 1.
fn numbered(graph: &Message<'_>) -> Result<Variables> {
    let mut store = Variables::default();
    for (number, variable) in (1u8..).zip(all_saveable(graph)?) {
        let dims: Option<Vec<i64>> =
            variable.shape.iter().flatten().map(|dim| Some(dim.as_ref()?.cast_signed())).collect();
        let shape = Shape::new(&dims.ok_or("a shape")?)?;
        let value = match variable.dtype {
            DType::F32 => f32::from(number).to_le_bytes().to_vec(),
            DType::F64 => f64::from(number).to_le_bytes().to_vec(),
            DType::I32 => i32::from(number).to_le_bytes().to_vec(),
            DType::I64 => i64::from(number).to_le_bytes().to_vec(),
            other => vec![0; other.size().ok_or("a number")?],
        };
        let content = value.repeat(usize::try_from(shape.elements())?);
        let key = VariableKey::new(variable.kind, &variable.name);
        store.set(key, Tensor::new(variable.dtype, shape, content)?);
    }
    Ok(store)
}

/// Saves a graph with a saver that ckdiff builds, and the meta graph.
fn saved(path: &Path, sharded: bool, write_version: CheckpointFormatVersion) -> Result {
    let before = read(Path::new("tests/data/savers/build/sharded.before.meta"))?;
    let options = BuilderOptions { sharded, write_version, ..BuilderOptions::default() };
    let (mut saver, graph) = Saver::build(&before, &options)?;
    let model = Model { graph: &graph, variables: &numbered(&before)? };
    saver.save(&model, path, &SaveOptions::default(), &Silent)?;
    Ok(())
}

fn parts(directory: &Path, write_version: CheckpointFormatVersion) -> Result {
    let before = read(Path::new("tests/data/savers/build/partitioned.before.meta"))?;
    let is_wanted = |name: &str| ["p/part_1", "p/part_3"].contains(&name);
    let list = all_saveable(&before)?.into_iter().filter(|one| is_wanted(&one.name));
    let var_list = VarList::List(list.map(ToSave::Variable).collect());
    let options = BuilderOptions { var_list, write_version, ..BuilderOptions::default() };
    let (mut saver, graph) = Saver::build(&before, &options)?;
    let variables = numbered(&before)?;
    fs::create_dir_all(directory)?;
    let path = directory.join("m");
    let model = Model { graph: &graph, variables: &variables };
    saver.save(&model, &path, &SaveOptions::default(), &Silent)?;
    let mut restored = Variables::of(&graph)?;
    saver.restore(&graph, &path, &mut restored)?;
    for (key, value) in restored.iter() {
        let expected = variables.get(key).filter(|_| is_wanted(&key.name.to_string()));
        assert_eq!(value, expected, "{key:?}");
    }
    whole(&path)
}

/// Writes whether all of `p` would be restored, and the shapes of the tensors.
fn whole(path: &Path) -> Result {
    let checkpoint = Checkpoint::open(path)?;
    let constant =
        |name: &str, text: &str| constant(name, "DT_STRING", &[format!("string_val: '{text}'")]);
    let dtypes = "list { type: DT_FLOAT }";
    let nodes = [
        node("file", "Placeholder", &[], &[("dtype", "type: DT_STRING")]),
        constant("names", "p"),
        constant("slices", ""),
        node("read", "RestoreV2", &["file", "names", "slices"], &[("dtypes", dtypes)]),
    ];
    let graph = meta_graph(&format!("graph_def {{ {} }}", nodes.concat()))?;
    let def = SaverDef {
        filename_tensor_name: "file:0".into(),
        restore_op_name: "read".into(),
        ..SaverDef::default()
    };
    let restores = restore_plan(&graph, &def, &checkpoint)?.restores();
    let shapes = checkpoint.shape_map();
    let shapes: Vec<String> =
        shapes.iter().map(|(name, shape)| format!("\"{name}\": {:?}", shape.dims())).collect();
    let text = format!("[{restores}, {{ {} }}]\n", shapes.join(", "));
    fs::write(path.with_file_name("whole.json"), text)?;
    Ok(())
}

fn meta_graph(text: &str) -> Result<Message<'static>> {
    let schema = Schema::tensorflow();
    let ty = schema.message("tensorflow.MetaGraphDef").ok_or("no MetaGraphDef")?;
    Ok(parse(schema, ty, text.as_bytes(), &ParseOptions::default())?.0)
}

/// A node with these inputs and attributes, as text.
fn node(name: &str, op: &str, inputs: &[&str], attrs: &[(&str, &str)]) -> String {
    let inputs: String = inputs.iter().map(|input| format!("input: '{input}' ")).collect();
    let attr =
        |(key, value): &(&str, &str)| format!("attr {{ key: '{key}' value {{ {value} }} }} ");
    let attrs: String = attrs.iter().map(attr).collect();
    format!("node {{ name: '{name}' op: '{op}' {inputs}{attrs}}}\n")
}

fn constant(name: &str, dtype: &str, values: &[String]) -> String {
    let (len, values) = (values.len(), values.join(" "));
    let value =
        format!("tensor {{ dtype: {dtype} tensor_shape {{ dim {{ size: {len} }} }} {values} }}");
    node(name, "Const", &[], &[("dtype", &format!("type: {dtype}")), ("value", &value)])
}

fn unsorted(path: &Path) -> Result {
    let strings = |texts: [&str; 4]| texts.map(|text| format!("string_val: '{text}'"));
    let mut nodes = node("file", "Placeholder", &[], &[("dtype", "type: DT_STRING")]);
    nodes += &constant("names", "DT_STRING", &strings(["w", "b", "w", "a"]));
    nodes += &constant("slices", "DT_STRING", &strings(["4 2,2", "", "4 0,2", ""]));
    for number in 0..4 {
        let values = [format!("float_val: {number}"), "float_val: 0.5".to_owned()];
        nodes += &constant(&format!("c{number}"), "DT_FLOAT", &values);
    }
    let inputs = ["file", "names", "slices", "c0", "c1", "c2", "c3"];
    let types = format!("list {{ {} }}", "type: DT_FLOAT ".repeat(4));
    nodes += &node("save", "SaveSlices", &inputs, &[("T", &types)]);
    nodes += &node("saved", "Identity", &["file", "^save"], &[("T", "type: DT_STRING")]);
    let graph = meta_graph(&format!("graph_def {{ {nodes} }}"))?;
    let def = SaverDef {
        filename_tensor_name: "file:0".into(),
        save_tensor_name: "saved:0".into(),
        restore_op_name: "none".into(),
        version: V1.into(),
        ..SaverDef::default()
    };
    let model = Model { graph: &graph, variables: &Variables::default() };
    let options = SaveOptions { write_state: false, ..SaveOptions::default() };
    Saver::new(def).save(&model, path, &options, &Silent)?;
    Ok(())
}

/// The tensors of the graph that the other one is imported into.
const INTO: [(&str, &str); 2] = [("src", "DT_FLOAT"), ("srci", "DT_INT32")];

/// Says of each input that is replaced, and of each element that is returned, whether ckdiff accepts it.
fn imports(out: &Path) -> Result {
    let float = ("T", "type: DT_FLOAT");
    let placeholder = |name: &str, dtype: &str| {
        node(
            name,
            "Placeholder",
            &[],
            &[("dtype", &format!("type: {dtype}")), ("shape", "shape { unknown_rank: true }")],
        )
    };
    let graph = [
        placeholder("x", "DT_FLOAT"),
        placeholder("i", "DT_INT32"),
        node("y", "Identity", &["x"], &[float]),
        node("s", "Split", &["i", "x"], &[("num_split", "i: 3"), float]),
        node("z", "AddV2", &["y", "s"], &[float]),
        node("u", "Unique", &["i"], &[("T", "type: DT_INT32"), ("out_idx", "type: DT_INT32")]),
        node("n", "NoOp", &[], &[]),
    ];
    let graph = meta_graph(&format!("graph_def {{ {} }}", graph.concat()))?;
    let into = INTO.map(|(name, dtype)| placeholder(name, dtype)).concat();
    let into = meta_graph(&format!("graph_def {{ {into} }}"))?;
    let mut accepted = BTreeMap::new();
    let elements = ["x:0", "x:1", "x:7", "x", "s:2", "s:3", "u:1", "u:2", "n", "n:0", "i:0", "z:1"];
    for element in elements {
        let mut try_import = |map: &[(&str, &str)], returned: &[&str]| {
            let options = ImportOptions {
                import_scope: "imp".into(),
                input_map: map.iter().map(|(a, b)| ((*a).into(), (*b).into())).collect(),
                return_elements: returned.iter().map(|one| (*one).into()).collect(),
                ..ImportOptions::default()
            };
            let to = map.first().map_or("", |(_, to)| to);
            let is_accepted = import(&graph, Some(&into), &options).is_ok();
            accepted.insert(format!("{element} {to}"), is_accepted);
        };
        try_import(&[], &[element]);
        for (name, _) in INTO {
            try_import(&[(element, name)], &[]);
        }
    }
    let lines: Vec<String> =
        accepted.iter().map(|(case, accepted)| format!("  {case:?}: {accepted}")).collect();
    fs::write(out.join("imports.json"), format!("{{\n{}\n}}\n", lines.join(",\n")))?;
    let graph = MetaGraphDef::decode(graph.bytes())?.graph_def.ok_or("a graph")?;
    fs::write(out.join("imports.pb"), graph.encode_to_vec())?;
    Ok(())
}
