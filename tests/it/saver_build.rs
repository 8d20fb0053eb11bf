//! A saver built into a graph is the one that TensorFlow builds.

use std::collections::BTreeMap;

use ckdiff::artifact::{Document, ReadOptions};
use ckdiff::graph::Graph;
use ckdiff::message::{Message, Records, Value};
use ckdiff::saver::build::{
    Options, RestoreNodes, TakenNames, ToSave, VarList, Variable, all_saveable, build, with_saver,
};
use ckdiff::schema::Schema;
use ckdiff::schema::tensorflow::saver_def::CheckpointFormatVersion;

pub fn meta_graph(path: &str) -> Message<'static> {
    let path = format!("tests/data/savers/{path}");
    let document = Document::open(path, Schema::tensorflow(), &ReadOptions::default()).unwrap();
    document.message().clone()
}

/// The bytes of a field.
pub fn field<'m>(message: &'m Message<'_>, number: u32) -> &'m [u8] {
    let mut found = Records::new(message.bytes(), 0).map(Result::unwrap);
    match found.find(|record| record.number == number).map(|record| record.value) {
        Some(Value::Len(bytes)) => bytes,
        _ => &[],
    }
}

pub fn graph(message: &Message<'static>) -> Message<'static> {
    let ty = Schema::tensorflow().message("tensorflow.GraphDef").unwrap();
    Message::decode(Schema::tensorflow(), ty, field(message, 2).to_vec()).unwrap()
}

/// The variables of these names, as the collection describes them.
fn variables(case: &str, names: &[&str]) -> Vec<Variable> {
    let all = all_saveable(&meta_graph(&format!("build/{case}.before.meta"))).unwrap();
    let named = |name: &&str| all.iter().find(|variable| variable.name == **name).unwrap().clone();
    names.iter().map(named).collect()
}

fn one(case: &str, name: &str) -> ToSave {
    ToSave::Variable(variables(case, &[name]).remove(0))
}

/// What the script gives to TensorFlow's Saver in this case.
fn options(case: &str) -> Options {
    let sharded = Options { sharded: true, ..Options::default() };
    let reshape = Options { reshape: true, ..Options::default() };
    let v1 = Options { write_version: CheckpointFormatVersion::V1, ..Options::default() };
    let named = |name: &str| Options { name: Some(name.into()), ..Options::default() };
    let dict = |dict: Vec<(&str, ToSave)>| {
        let dict: BTreeMap<_, _> = dict.into_iter().map(|(name, one)| (name.into(), one)).collect();
        Options { var_list: VarList::Dict(dict), ..Options::default() }
    };
    match case {
        "sharded" | "sharded_resource" | "sharded_one" | "second" => sharded,
        "v1_format" => v1,
        "v1_sharded" => Options { sharded: true, ..v1 },
        "reshape" => reshape,
        "reshape_sharded_parts" => Options { sharded: true, ..reshape },
        "mapped" => dict(vec![("z/first", one(case, "one")), ("a/second", one(case, "two"))]),
        "mapped_parts" => {
            let parts = ToSave::Slices(variables(case, &["p/part_0", "p/part_1"]));
            dict(vec![("other", parts), ("whole", one(case, "w"))])
        }
        "some" => {
            let list = VarList::List(vec![one(case, "three"), one(case, "one")]);
            Options { var_list: list, ..Options::default() }
        }
        "named" => named("my/saver"),
        "in_open_scope" => Options { sharded: true, ..named("mine/") },
        "with_filename" => {
            Options { filename: Some("/tmp/known.ckpt".into()), ..Options::default() }
        }
        "each" => Options { restore: RestoreNodes::Each, ..Options::default() },
        "each_sharded" => Options { restore: RestoreNodes::Each, ..sharded },
        "kept" => {
            Options { max_to_keep: None, keep_checkpoint_every_n_hours: 1.5, ..Options::default() }
        }
        "imported" => Options { taken: TakenNames::Nodes, ..sharded },
        "nothing" => Options { allow_empty: true, ..Options::default() },
        _ => Options::default(),
    }
}

pub fn cases() -> Vec<String> {
    let files = std::fs::read_dir("tests/data/savers/build").unwrap();
    let names = files.map(|file| file.unwrap().file_name().into_string().unwrap());
    let mut cases: Vec<_> =
        names.filter_map(|name| Some(name.strip_suffix(".before.meta")?.to_owned())).collect();
    cases.sort();
    cases
}

/// The nodes of a graph as text: what an assertion that fails shows.
fn listed(graph: &Message<'_>) -> Vec<String> {
    let nodes = Graph::new(graph.bytes()).unwrap().nodes().to_vec();
    nodes
        .iter()
        .map(|node| String::from_utf8_lossy(node.bytes).escape_debug().to_string())
        .collect()
}

#[test]
fn every_saver_is_built_as_tensorflow_builds_it() {
    let cases = cases();
    assert!(cases.len() >= 28, "{cases:?}");
    for case in cases {
        let before = meta_graph(&format!("build/{case}.before.meta"));
        let after = meta_graph(&format!("build/{case}.after.meta"));
        let Some(built) = build(&before, &options(&case)).unwrap() else {
            assert_eq!((&*case, field(&after, 3)), ("nothing", [].as_slice()));
            continue;
        };
        let (ours, theirs) = (graph(&built.message), graph(&after));
        for (ours, theirs) in listed(&ours).iter().zip(listed(&theirs)) {
            assert_eq!(*ours, theirs, "{case}");
        }
        assert_eq!(ours.bytes(), theirs.bytes(), "{case}");
        let ours = with_saver(&built.message, &built.saver_def).unwrap();
        assert_eq!(field(&ours, 3), field(&after, 3), "{case}");
        assert_eq!(ours.bytes(), after.bytes(), "{case}");
    }
}
