//! Edge cases of export and import: refusals with the reason, odd names, large graphs, hand-made collections.

use std::collections::BTreeMap;
use std::time::{Duration, Instant};

use ckdiff::message::{Message, Writer};
use ckdiff::meta_graph::{
    Collections, ExportOptions, ImportOptions, Item, Kind, add_to_collection, export, import,
    with_graph,
};
use ckdiff::schema::tensorflow::{CondContextDef, SaverDef, VariableDef};
use ckdiff::schema::{Schema, WireType};
use prost::Message as _;
use prost_reflect::prost_types::{DescriptorProto, FileDescriptorProto, FileDescriptorSet};

use crate::meta_graph::tensorflow::{fixture, meta_graph, text};
use crate::support::message_forms::{decoded, parsed};

fn of_text(text: &str) -> Message<'static> {
    parsed("tensorflow.MetaGraphDef", text)
}

fn scoped(scope: &str) -> ExportOptions {
    ExportOptions { export_scope: scope.into(), ..ExportOptions::default() }
}

fn below(scope: &str) -> ImportOptions<'static> {
    ImportOptions { import_scope: scope.into(), ..ImportOptions::default() }
}

fn bound(pairs: &[(&str, &str)]) -> ImportOptions<'static> {
    let input_map = pairs.iter().map(|(from, to)| ((*from).into(), (*to).into())).collect();
    ImportOptions { input_map, ..ImportOptions::default() }
}

#[test]
fn a_graph_is_exported_as_a_meta_graph() {
    let graph = parsed("tensorflow.GraphDef", "node { name: 's/a' op: 'NoOp' }");
    let meta = with_graph(&graph).unwrap();
    assert_eq!(meta.bytes(), of_text("graph_def { node { name: 's/a' op: 'NoOp' } }").bytes());
    let exported = export(&meta, &scoped("s")).unwrap().message;
    assert!(text(&exported).contains("name: \"a\""), "{}", text(&exported));
    assert_eq!(
        with_graph(&meta).unwrap_err().to_string(),
        "message: expected tensorflow.GraphDef, found tensorflow.MetaGraphDef"
    );
}

#[test]
fn a_schema_without_meta_graphs_is_an_error() {
    let graph = DescriptorProto { name: Some("GraphDef".to_owned()), ..Default::default() };
    let file = FileDescriptorProto {
        name: Some("graph.proto".to_owned()),
        package: Some("tensorflow".to_owned()),
        message_type: vec![graph],
        ..Default::default()
    };
    let set = FileDescriptorSet { file: vec![file] }.encode_to_vec();
    let schema = Schema::from_descriptor_set(&set).unwrap();
    let ty = schema.message("tensorflow.GraphDef").unwrap();
    let graph = Message::decode(&schema, ty, Vec::new()).unwrap();
    assert_eq!(
        with_graph(&graph).unwrap_err().to_string(),
        "the schema has no message tensorflow.MetaGraphDef"
    );
}

#[test]
fn impossible_exports_are_refused() {
    let towers = fixture("towers.meta");
    let collection = |key: &str| ExportOptions {
        collection_list: Some(vec![key.into()]),
        ..ExportOptions::default()
    };
    let garbage = of_text(
        "graph_def { node { name: 's/a' } } collection_def { key: 'variables' value { bytes_list { value: 'garbage' } } }",
    );
    let same = of_text("graph_def { node { name: 's2/a' } node { name: 's/s2/a' } }");
    for (meta, options, said) in [
        (
            &towers,
            scoped("towr/"),
            "no node has a name that begins with towr/; did you mean tower?",
        ),
        (&towers, collection("loses"), "there is no collection loses; did you mean losses?"),
        (&same, scoped("s"), "s/s2/a and s2/a are both s2/a without their scope"),
        (&of_text(""), scoped(""), "the meta graph has no graph_def"),
        (
            &garbage,
            scoped("s"),
            "collection_def[\"variables\"][0]: item of a collection is not a tensorflow.VariableDef: byte 0: wire type: expected 0 to 5, found 7",
        ),
    ] {
        assert_eq!(export(meta, &options).unwrap_err().to_string(), said);
    }
    // Without a scope, unreadable items are copied.
    assert_eq!(export(&garbage, &scoped("")).unwrap().message.bytes(), garbage.bytes());
    let graph = decoded("tensorflow.GraphDef", Vec::new());
    let said = "message: expected tensorflow.MetaGraphDef, found tensorflow.GraphDef";
    assert_eq!(export(&graph, &scoped("")).unwrap_err().to_string(), said);
}

#[test]
fn impossible_imports_are_refused() {
    let part = fixture("unbound_scope.meta");
    let base = fixture("base.meta");
    let circle =
        of_text("graph_def { node { name: 'a' input: 'b' } node { name: 'b' input: '^a' } }");
    let twice = of_text("graph_def { node { name: 'a' } node { name: 'a' } }");
    let dangling = of_text("graph_def { node { name: 'a' input: 'gone:1' } }");
    let unbound = of_text("graph_def { node { name: 'a' input: '^$unbound_inputs_b' } }");
    let class = of_text(
        "graph_def { node { name: 'a' attr { key: '_class' value { list { s: 'loc:@b' } } } } }",
    );
    let collection = of_text(
        "graph_def { node { name: 'a' } } collection_def { key: 'c' value { node_list { value: 'b:0' } } }",
    );
    let variable = of_text(
        "graph_def { node { name: 'a' } } collection_def { key: 'variables' value { bytes_list { value: '\\n\\001b' } } }",
    );
    let saver = of_text(
        "graph_def { } collection_def { key: 'savers' value { bytes_list { value: '\\n\\001b' } } }",
    );
    let odd = of_text("graph_def { node { name: '^a' } }");
    let returned = |name: &str| ImportOptions {
        return_elements: vec![name.into()],
        ..bound(&[("$unbound_inputs_outside", "base/y")])
    };
    let map = |to| bound(&[("$unbound_inputs_outside", to)]);
    let more = bound(&[("$unbound_inputs_outside", "base/y"), ("kepd", "base/y")]);
    for (meta, options, said) in [
        (&part, below(""), "unbound inputs, which input_map must bind: $unbound_inputs_outside"),
        (
            &part,
            map("base/z"),
            "input_map binds to base/z, which is in neither graph; did you mean base/y?",
        ),
        (
            &part,
            map("^base/y"),
            "input_map: ^base/y is not a tensor, as $unbound_inputs_outside must be",
        ),
        (&part, more, "input_map names kepd, which is not in the graph; did you mean kept?"),
        (&part, returned("some:0"), "some:0 is not in the graph; did you mean sum?"),
        (
            &part,
            returned("sum:x"),
            "element to return: expected NODE or NODE:OUTPUT, found \"sum:x\"",
        ),
        (&circle, below(""), "node a is in a cycle of inputs that is not a loop"),
        (&twice, below(""), "node name: expected a unique node name, found \"a\" twice"),
        (&dangling, below(""), "node a: input gone:1 is not in the graph"),
        (
            &unbound,
            below(""),
            "node a: input ^$unbound_inputs_b is unbound; input_map must bind it",
        ),
        (
            &odd,
            below("x"),
            "name of a node: expected a name that does not begin with ^ or /, found \"^a\"",
        ),
        (&class, below("x"), "_class names b, which is not in the graph"),
        (&collection, below(""), "the collection c names b:0, which is not in the graph"),
        (&variable, below(""), "the collection variables names b, which is not in the graph"),
        (&saver, below(""), "a SaverDef in the collection savers has no save_tensor_name"),
        (&of_text(""), below(""), "the meta graph has no graph_def"),
        (
            &part,
            below("_x"),
            "name of a scope: expected a letter, a digit or a dot, followed by these or _ \\ / > -, found \"_x\"",
        ),
    ] {
        assert_eq!(import(meta, Some(&base), &options).unwrap_err().to_string(), said);
    }
}

#[test]
fn conflicting_graphs_are_not_joined() {
    let with = |op: &str, kind: &str| {
        of_text(&format!(
            "graph_def {{ node {{ name: 'a' }} library {{ function {{ signature {{ name: 'f' }} node_def {{ name: 'x' op: '{op}' }} }} }} }}
             collection_def {{ key: 'c' value {{ {kind} {{ value: 1 }} }} }}"
        ))
    };
    let (one, other) = (with("A", "int64_list"), with("B", "int64_list"));
    let floats = with("A", "float_list");
    let error = |meta, into| import(meta, Some(into), &below("x")).unwrap_err().to_string();
    assert_eq!(error(&one, &other), "function f differs between the two graphs");
    assert_eq!(
        error(&one, &floats),
        "collection c is a float_list in one meta graph and an int64_list in the other"
    );
    let both = import(&one, Some(&one), &below("x")).unwrap();
    let collections = Collections::of(&both.message).unwrap();
    assert_eq!(collections.items("c"), [Item::Int(1), Item::Int(1)]);
}

/// TensorFlow keeps the old names here, and then cannot import the graph.
#[test]
fn nested_contexts_lose_the_scope_too() {
    let exported = export(&fixture("nested.meta"), &scoped("net")).unwrap().message;
    assert!(text(&fixture("nested.meta")).contains("net/outer"));
    let collections = Collections::of(&exported).unwrap();
    let contexts: Vec<CondContextDef> = collections.read("cond_context").unwrap();
    assert!(contexts.iter().any(|context| !context.nested_contexts.is_empty()));
    assert!(!format!("{contexts:?}").contains("net/"), "{contexts:?}");
}

#[test]
fn odd_names_are_accepted() {
    let name = "naïve \u{1f642} \"q\" \\ \t\n^ $.*[x]";
    let quoted = name.replace('\\', "\\\\").replace('"', "\\\"").replace('\n', "\\n");
    let meta = of_text(&format!(
        "graph_def {{ node {{ name: \"s.x/{quoted}\" op: 'A' }} node {{ name: 's.x/b' input: 'sax/c' input: \"^s.x/{quoted}\" }} node {{ name: 'sax/c' }} }}"
    ));
    let exported = export(&meta, &scoped("s.x")).unwrap();
    let lines = text(&exported.message);
    let name = lines.lines().find(|line| line.contains("na\\303\\257ve")).unwrap();
    let input = name.replace("name: \"", "input: \"^");
    assert!(lines.contains(&input) && lines.contains("name: \"b\""), "{lines}");
    assert_eq!(exported.unbound_inputs, ["$unbound_inputs_sax/c"]);
    let options =
        ImportOptions { import_scope: "z".into(), ..bound(&[("$unbound_inputs_sax/c", "z/b")]) };
    let error = import(&exported.message, None, &options);
    assert!(error.is_ok(), "{error:?}");
}

#[test]
fn old_variables_are_trainable_where_their_collection_says_so() {
    let meta = |version: &str| {
        of_text(&format!(
            "meta_info_def {{ tensorflow_version: '{version}' }} graph_def {{ node {{ name: 'a' }} node {{ name: 'b' }} }}
             collection_def {{ key: 'variables' value {{ bytes_list {{ value: '\\n\\001a' value: '\\n\\001b' }} }} }}
             collection_def {{ key: 'trainable_variables' value {{ bytes_list {{ value: '\\n\\001b' }} }} }}"
        ))
    };
    let trainable = |version| -> Vec<bool> {
        let imported = import(&meta(version), None, &below("x")).unwrap().message;
        let variables: Vec<VariableDef> =
            Collections::of(&imported).unwrap().read("variables").unwrap();
        assert_eq!(variables[0].variable_name, "x/a");
        variables.iter().map(|variable| variable.trainable).collect()
    };
    assert_eq!(trainable("1.8.0-rc1"), [false, true]);
    for version in ["1.9.0", "1.10.1", "2.21.0", "", "?"] {
        assert_eq!(trainable(version), [false, false], "{version}");
    }
}

#[test]
fn only_requested_collections_are_imported() {
    let meta = fixture("towers.meta");
    let wanted = |key: &str| key == "losses" || key == "floats";
    let options = ImportOptions { restore_collections_predicate: Some(&wanted), ..below("x") };
    let imported = import(&meta, None, &options).unwrap().message;
    let collections = Collections::of(&imported).unwrap();
    assert_eq!(collections.keys().collect::<Vec<_>>(), ["floats", "losses"]);
    assert_eq!(collections.items("losses")[0], Item::Node("x/tower/near:0"));
}

#[test]
fn signatures_go_with_their_scope() {
    let signature = |key: &str, name: &str| {
        format!(
            "signature_def {{ key: '{key}' value {{ inputs {{ key: 'x' value {{ name: '{name}' }} }} }} }} asset_file_def {{ filename: '{key}' tensor_info {{ name: '{name}' }} }}"
        )
    };
    let meta = of_text(&format!(
        "graph_def {{ node {{ name: 's/a' }} node {{ name: 'b' }} }} {} {}",
        signature("in", "s/a:0"),
        signature("out", "b:0")
    ));
    let exported = export(&meta, &scoped("s")).unwrap();
    assert_eq!(exported.left_out, ["signature_def[\"out\"]", "asset_file_def[1]"]);
    let imported = import(&exported.message, Some(&meta), &below("t")).unwrap();
    assert_eq!(imported.left_out, ["signature_def[\"in\"]"]);
    assert!(text(&imported.message).contains("name: \"t/a:0\""));
}

#[test]
fn the_first_item_decides_the_kind_of_a_collection() {
    let meta = of_text("graph_def { }");
    let any = [0x0a, 1, b'x'];
    for (items, kind) in [
        (vec![Item::Node("a"), Item::Node("b:0")], Kind::NodeList),
        (vec![Item::Bytes(b"a"), Item::Bytes(&[0xff])], Kind::BytesList),
        (vec![Item::Int(-1), Item::Int(1 << 40)], Kind::Int64List),
        (vec![Item::Float(0.5), Item::Float(-0.0)], Kind::FloatList),
        (vec![Item::Any(&any)], Kind::AnyList),
    ] {
        let one = add_to_collection(&meta, "key", &items[..1]).unwrap();
        let all = add_to_collection(&one, "key", &items[1..]).unwrap();
        let collections = Collections::of(&all).unwrap();
        assert_eq!(collections.kind("key"), Some(kind));
        assert_eq!(collections.items("key"), items);
        assert_eq!(meta_graph(all.bytes().to_vec()).bytes(), all.bytes());
        let other = if kind == Kind::NodeList { Item::Int(1) } else { Item::Node("a") };
        let said = add_to_collection(&all, "key", &[other]).unwrap_err().to_string();
        assert_eq!(
            said,
            format!("collection key is a {kind}, which cannot have {} items", other.kind())
        );
    }
    let floats = add_to_collection(&meta, "key", &[Item::Float(0.5), Item::Int(3)]).unwrap();
    assert_eq!(Collections::of(&floats).unwrap().items("key")[1], Item::Float(3.0));
    assert!(add_to_collection(&meta, "key", &[Item::Int(3), Item::Float(0.5)]).is_err());
    assert_eq!(add_to_collection(&meta, "key", &[]).unwrap().bytes(), meta.bytes());
    let savers: Vec<SaverDef> =
        Collections::of(&fixture("towers.meta")).unwrap().read("savers").unwrap();
    assert_eq!(savers.len(), 3);
    assert!(Collections::of(&fixture("towers.meta")).unwrap().read::<SaverDef>("losses").is_err());
}

/// A graph with this many nodes, as many scopes, savers and colocations, and names that almost collide.
fn large(count: usize) -> Message<'static> {
    let mut out = Writer::default();
    out.tag(2, WireType::Len);
    out.open();
    for number in 0..count {
        let (name, op) = match number % 4 {
            0 => (format!("s/saver_{number}/x/SaveV2"), "SaveV2"),
            1 => (format!("s/x_{number}"), "Const"),
            2 => (format!("s{}", "/a".repeat(number % 64)), "Conv2D"),
            _ => (format!("S/X_{number}/{number}"), "Enter"),
        };
        out.tag(1, WireType::Len);
        out.open();
        for (field, text) in
            [(1, &*format!("{name}_{number}")), (2, op), (3, "outside"), (4, "/cpu:0")]
        {
            out.tag(field, WireType::Len);
            out.len_prefixed(text.as_bytes());
        }
        out.close();
    }
    out.tag(1, WireType::Len);
    out.len_prefixed(b"\x0a\x07outside");
    out.close();
    meta_graph(out.finish())
}

#[test]
fn time_grows_linearly_with_the_nodes() {
    let all = ExportOptions {
        clear_devices: true,
        clear_extraneous_savers: true,
        strip_default_attrs: true,
        ..scoped("s")
    };
    let run = |count: usize| {
        let meta = large(count);
        let start = Instant::now();
        let exported = export(&meta, &all).unwrap();
        assert!(exported.unbound_inputs.len() > count / 3);
        let same = import(&meta, Some(&meta), &below("")).unwrap();
        let other = import(&meta, Some(&same.message), &below("s")).unwrap();
        assert_eq!(other.scope, "s_1");
        start.elapsed()
    };
    run(1_000);
    let (small, large) = (run(12_500), run(100_000));
    assert!(large < small * 24 + Duration::from_millis(500), "{small:?}, {large:?}");
    let by_node: BTreeMap<usize, Duration> = [(12_500, small), (100_000, large)].into();
    assert!(large < Duration::from_secs(30), "{by_node:?}");
}
