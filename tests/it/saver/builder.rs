//! Savers built into graphs equal those that TensorFlow builds.

use std::collections::BTreeMap;

use ckdiff::graph::Graph;
use ckdiff::message::Message;
use ckdiff::saver::SaveSpec;
use ckdiff::saver::builder::{
    BuilderOptions, DefaultSaver, RestoreNodes, TakenNames, ToSave, VarList, Variable,
    add_to_savers, all_saveable, build, group_by_device, saveables_of, saver_or_default,
    with_saver,
};
use ckdiff::schema::tensorflow::saver_def::CheckpointFormatVersion;
use insta::assert_snapshot;

use crate::support::saver::{field, graph, meta_graph};

/// The variables with these names, from the collection.
fn variables(case: &str, names: &[&str]) -> Vec<Variable> {
    let all = all_saveable(&meta_graph(&format!("build/{case}.before.meta"))).unwrap();
    let named = |name: &&str| all.iter().find(|variable| variable.name == **name).unwrap().clone();
    names.iter().map(named).collect()
}

fn one(case: &str, name: &str) -> ToSave {
    ToSave::Variable(variables(case, &[name]).remove(0))
}

/// The options that the fixture script passes to TensorFlow's Saver for this case.
fn options(case: &str) -> BuilderOptions {
    let sharded = BuilderOptions { sharded: true, ..BuilderOptions::default() };
    let reshape = BuilderOptions { reshape: true, ..BuilderOptions::default() };
    let v1 =
        BuilderOptions { write_version: CheckpointFormatVersion::V1, ..BuilderOptions::default() };
    let named =
        |name: &str| BuilderOptions { name: Some(name.into()), ..BuilderOptions::default() };
    let dict = |dict: Vec<(&str, ToSave)>| {
        let dict: BTreeMap<_, _> = dict.into_iter().map(|(name, one)| (name.into(), one)).collect();
        BuilderOptions { var_list: VarList::Dict(dict), ..BuilderOptions::default() }
    };
    match case {
        "sharded" | "sharded_resource" | "sharded_one" | "second" => sharded,
        "v1_format" => v1,
        "v1_sharded" => BuilderOptions { sharded: true, ..v1 },
        "reshape" => reshape,
        "reshape_sharded_parts" => BuilderOptions { sharded: true, ..reshape },
        "mapped" => dict(vec![("z/first", one(case, "one")), ("a/second", one(case, "two"))]),
        "mapped_parts" => {
            let parts = ToSave::Slices(variables(case, &["p/part_0", "p/part_1"]));
            dict(vec![("other", parts), ("whole", one(case, "w"))])
        }
        "some" => {
            let list = VarList::List(vec![one(case, "three"), one(case, "one")]);
            BuilderOptions { var_list: list, ..BuilderOptions::default() }
        }
        "named" => named("my/saver"),
        "in_open_scope" => BuilderOptions { sharded: true, ..named("mine/") },
        "with_filename" => {
            BuilderOptions { filename: Some("/tmp/known.ckpt".into()), ..BuilderOptions::default() }
        }
        "each" => BuilderOptions { restore: RestoreNodes::Each, ..BuilderOptions::default() },
        "each_sharded" => BuilderOptions { restore: RestoreNodes::Each, ..sharded },
        "kept" => BuilderOptions {
            max_to_keep: None,
            keep_checkpoint_every_n_hours: 1.5,
            ..BuilderOptions::default()
        },
        "imported" => BuilderOptions { taken: TakenNames::Nodes, ..sharded },
        "nothing" => BuilderOptions { allow_empty: true, ..BuilderOptions::default() },
        _ => BuilderOptions::default(),
    }
}

fn cases() -> Vec<String> {
    let files = std::fs::read_dir("tests/data/savers/build").unwrap();
    let names = files.map(|file| file.unwrap().file_name().into_string().unwrap());
    let mut cases: Vec<_> =
        names.filter_map(|name| Some(name.strip_suffix(".before.meta")?.to_owned())).collect();
    cases.sort();
    cases
}

/// The nodes of a graph as text, for failed assertions.
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

/// The error of building a saver with these options into `reference`.
fn refused(options: &BuilderOptions) -> String {
    build(&meta_graph("build/reference.before.meta"), options).unwrap_err().to_string()
}

fn of(var_list: VarList) -> BuilderOptions {
    BuilderOptions { var_list, ..BuilderOptions::default() }
}

#[test]
fn savers_that_tensorflow_refuses_are_refused() {
    let list = |list: &[ToSave]| refused(&of(VarList::List(list.to_vec())));
    let dict = |all: &[(&str, ToSave)]| {
        let all = all.iter().map(|(name, one)| ((*name).to_owned(), one.clone())).collect();
        refused(&of(VarList::Dict(all)))
    };
    let (a, b) = (one("reference", "a"), one("reference", "b"));
    let part = one("partitioned", "p/part_0");
    let (ToSave::Variable(p), ToSave::Variable(q)) = (part, one("partitioned", "q/part_0")) else {
        panic!()
    };
    let whole = ToSave::Variable(Variable { slice: None, name: "p".into(), ..p.clone() });
    let other = ToSave::Variable(Variable { shape: Some(vec![Some(3), None]), ..p.clone() });
    // Its name sorts after that of the whole variable.
    let late = ToSave::Variable(Variable { name: "z".into(), ..p.clone() });
    assert_snapshot!(refused(&of(VarList::List(Vec::new()))), @"there are no variables to save");
    assert_snapshot!(list(&[a.clone(), b.clone(), a.clone()]), @"two variables have the same name: a");
    assert_snapshot!(list(&[whole.clone(), late]), @"slices and a whole variable have the same name: p");
    assert_snapshot!(list(&[whole.clone(), ToSave::Partitioned("p".into(), vec![p.clone()])]), @"two variables have the same name: p");
    assert_snapshot!(list(&[other]), @r#"slice "24 2 0,2:0,2" of p/part_0: the variable has another shape"#);
    assert_snapshot!(dict(&[("x", a.clone()), ("y", a.clone())]), @"variable a: expected one name, found x and y");
    assert_snapshot!(dict(&[("x", ToSave::Slices(vec![p.clone(), q]))]), @"slices must be of one variable, but these are of p and q");
    assert_snapshot!(dict(&[("x", ToSave::Slices(vec![Variable { slice: None, ..p }]))]), @"p/part_0 is not a slice, but is listed among slices");
    assert_snapshot!(refused(&BuilderOptions { name: Some("_x".into()), ..BuilderOptions::default() }), @r#"name of a scope: expected a letter, a digit or a dot, followed by these or _ \ / > -, found "_x""#);
    let legacy = CheckpointFormatVersion::Legacy;
    assert_snapshot!(refused(&BuilderOptions { write_version: legacy, ..BuilderOptions::default() }), @"write version: expected V1 or V2, found LEGACY");
    let before = meta_graph("build/reference.before.meta");
    let graph = Graph::new(field(&before, 2)).unwrap();
    assert_snapshot!(Variable::find(&graph, "gone").unwrap_err(), @"the graph has no node gone");
    assert_snapshot!(Variable::find(&graph, "a/read").unwrap_err(), @"variable to save: expected a VariableV2, Variable or VarHandleOp, found a/read (Identity)");
    assert_snapshot!(build(&meta_graph("build/nothing.before.meta"), &BuilderOptions::default()).unwrap_err(), @"there are no variables to save");
}

#[test]
fn tensors_of_one_object_must_be_on_one_device() {
    let ToSave::Variable(variable) = one("reference", "b") else { panic!() };
    let mut object = saveables_of(ToSave::Variable(variable), "b").unwrap().remove(0);
    object.specs.push(SaveSpec { device: "/gpu:0".into(), ..object.specs[0].clone() });
    assert_snapshot!(group_by_device(&[object.clone()]).unwrap_err(), @"all tensors of b must be on one device");
    object.specs[0].device = "/device:GPU:0".into();
    let groups = group_by_device(&[object]).unwrap();
    assert_eq!(groups.iter().map(|(device, _)| &**device).collect::<Vec<_>>(), ["/device:GPU:0"]);
}

#[test]
fn the_default_saver_is_the_one_in_the_collection_or_a_sharded_one() {
    let before = meta_graph("build/sharded.before.meta");
    let DefaultSaver::Built(built) = saver_or_default(&before).unwrap() else { panic!() };
    assert_eq!(
        graph(&built.message).bytes(),
        graph(&meta_graph("build/sharded.after.meta")).bytes()
    );
    let DefaultSaver::Known(known) = saver_or_default(&built.message).unwrap() else { panic!() };
    assert_eq!(known, built.saver_def);
    let twice = add_to_savers(&built.message, &known).unwrap();
    assert_snapshot!(saver_or_default(&twice).unwrap_err(), @"savers: number of savers: expected 1, found 2; pass the saver to use");
    let nothing = meta_graph("build/nothing.before.meta");
    assert!(matches!(saver_or_default(&nothing).unwrap(), DefaultSaver::Empty));
    // Everything except the graph and the collection is unchanged.
    for number in [1, 3, 5] {
        assert_eq!(field(&twice, number), field(&before, number));
    }
}

#[test]
fn unknown_fields_survive() {
    let before = meta_graph("build/with_functions.before.meta");
    let unknown = b"\xf2\x7f\x03abc".as_slice();
    let graph = [field(&before, 2), unknown].concat();
    let mut bytes = vec![0x12];
    let len = graph.len();
    bytes.extend([len as u8 | 0x80, (len >> 7) as u8]);
    bytes.extend([&*graph, unknown].concat());
    assert!((0x80..0x4000).contains(&len), "the length takes two bytes");
    let whole = Message::decode(before.schema(), before.ty(), bytes).unwrap();
    let list = VarList::List(
        variables("with_functions", &["w"]).into_iter().map(ToSave::Variable).collect(),
    );
    let built = build(&whole, &of(list)).unwrap().unwrap();
    assert!(built.message.bytes().ends_with(unknown));
    assert!(field(&built.message, 2).ends_with(unknown));
}

#[test]
fn any_number_of_savers_share_no_names() {
    for taken in [TakenNames::Scopes, TakenNames::Nodes] {
        let mut message = meta_graph("build/sharded_resource.before.meta");
        for at in 0..12 {
            let options = BuilderOptions {
                taken,
                sharded: at % 2 == 0,
                reshape: at % 3 == 0,
                ..BuilderOptions::default()
            };
            message = build(&message, &options).unwrap().unwrap().message;
            let graph = Graph::new(field(&message, 2)).unwrap();
            assert!(graph.duplicates().is_empty(), "{taken:?} {at}");
            for node in graph.nodes() {
                assert!(
                    graph.inputs(node).iter().all(|input| input.source.is_some()),
                    "{}",
                    node.name
                );
            }
        }
    }
}

#[test]
fn a_saver_is_built_into_a_graph_alone() {
    let before = meta_graph("build/some.before.meta");
    let built = build(&graph(&before), &options("some")).unwrap().unwrap();
    assert_eq!(built.message.bytes(), graph(&meta_graph("build/some.after.meta")).bytes());
}

#[test]
fn variables_are_found_without_collections() {
    for case in ["reference", "resource", "unknown_shapes", "with_functions"] {
        let before = meta_graph(&format!("build/{case}.before.meta"));
        let found = Variable::all_in(&Graph::new(field(&before, 2)).unwrap()).unwrap();
        assert_eq!(found, all_saveable(&before).unwrap(), "{case}");
        let options = of(VarList::List(found.into_iter().map(ToSave::Variable).collect()));
        let built = build(&graph(&before), &options).unwrap().unwrap();
        let after = graph(&meta_graph(&format!("build/{case}.after.meta")));
        assert_eq!(built.message.bytes(), after.bytes(), "{case}");
    }
}
