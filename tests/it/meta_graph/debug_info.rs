//! Debug info: which of it an export and an import keep.

use std::collections::BTreeMap;

use ckdiff::artifact::{Document, ReadOptions};
use ckdiff::checkpoint::CheckpointBuilder;
use ckdiff::message::Message;
use ckdiff::meta_graph::{ExportOptions, ImportOptions, debug_info, export, import};
use ckdiff::progress::Silent;
use ckdiff::saver::{SaveOptions, Saver};
use ckdiff::schema::Schema;
use ckdiff::schema::tensorflow::{GraphDebugInfo, MetaGraphDef, SaverDef};
use prost::Message as _;

use crate::support::command::ckdiff;
use crate::support::message_forms::decoded;

fn read(path: &str) -> Vec<u8> {
    std::fs::read(format!("tests/data/debug_info/{path}")).unwrap()
}

fn meta() -> Message<'static> {
    decoded("tensorflow.MetaGraphDef", read("model.meta"))
}

fn info() -> Message<'static> {
    decoded("tensorflow.GraphDebugInfo", read("model.debug"))
}

/// The frames of each name: file, line, function.
type Traces = BTreeMap<String, Vec<(String, i32, String)>>;

fn traces(info: &GraphDebugInfo) -> Traces {
    let frames = |id: &u64| -> Vec<_> {
        let ids = &info.traces_by_id[id].frame_id;
        let frame = |id| &info.frames_by_id[id];
        let reported = ids.iter().map(frame).map(|frame| {
            let file = info.files[frame.file_index() as usize].clone();
            (file, frame.line(), frame.func().to_owned())
        });
        reported.collect()
    };
    info.name_to_trace_id.iter().map(|(name, id)| (name.clone(), frames(id))).collect()
}

fn of(bytes: &[u8]) -> (GraphDebugInfo, Traces) {
    let info = GraphDebugInfo::decode(bytes).unwrap();
    let traces = traces(&info);
    (info, traces)
}

/// TensorFlow's traces of the scope, with the names that the nodes have in the export.
fn of_tower() -> Traces {
    let (_, known) = of(&read("tower.debug"));
    let bare = |name: &String| name.strip_prefix("tower/").unwrap().to_owned();
    known.iter().map(|(name, frames)| (bare(name), frames.clone())).collect()
}

fn tower() -> ExportOptions {
    ExportOptions { export_scope: "tower".into(), ..ExportOptions::default() }
}

#[test]
fn the_traces_of_a_scope_equal_those_of_tensorflow() {
    let exported = export(&meta(), &tower()).unwrap();
    let kept = debug_info(&info(), &exported.message, "tower", "").unwrap();
    let (kept, found) = of(kept.bytes());
    assert_eq!(found, of_tower());
    assert_eq!(found.len(), 2);
    // Unreferenced traces and frames are removed.
    assert_eq!(
        kept.traces_by_id.len(),
        kept.name_to_trace_id.values().collect::<std::collections::BTreeSet<_>>().len()
    );
    let frames: std::collections::BTreeSet<_> =
        kept.traces_by_id.values().flat_map(|trace| &trace.frame_id).collect();
    assert_eq!(kept.frames_by_id.len(), frames.len());

    let whole = export(&meta(), &ExportOptions::default()).unwrap();
    let options = ImportOptions { import_scope: "put/here".into(), ..ImportOptions::default() };
    let imported = import(&whole.message, None, &options).unwrap();
    let placed = debug_info(&info(), &imported.message, "", "put/here/").unwrap();
    let names: Vec<_> = of(placed.bytes()).1.into_keys().collect();
    let expected =
        ["four@", "one@", "tower/three@", "tower/two@"].map(|name| format!("put/here/{name}"));
    assert_eq!(names, expected);
    let same = debug_info(&info(), &whole.message, "", "").unwrap();
    assert_eq!(same.bytes(), info().bytes());
}

/// The meta graph with its debug info embedded in the graph; one name belongs to a function.
fn with_inside() -> Message<'static> {
    let mut meta = MetaGraphDef::decode(&*read("model.meta")).unwrap();
    let mut info = GraphDebugInfo::decode(&*read("model.debug")).unwrap();
    let any = *info.traces_by_id.keys().next().unwrap();
    info.name_to_trace_id.insert("node@function".into(), any);
    info.traces.insert("tower/two".into(), Default::default());
    info.traces.insert("four".into(), Default::default());
    meta.graph_def.as_mut().unwrap().debug_info = Some(info);
    decoded("tensorflow.MetaGraphDef", meta.encode_to_vec())
}

fn inside(meta: &Message<'_>) -> GraphDebugInfo {
    MetaGraphDef::decode(meta.bytes()).unwrap().graph_def.unwrap().debug_info.unwrap()
}

#[test]
fn debug_info_inside_a_graph_follows_its_nodes() {
    let exported = export(&with_inside(), &tower()).unwrap();
    let info = inside(&exported.message);
    let mut found = traces(&info);
    assert!(found.remove("node@function").is_some());
    assert_eq!(found, of_tower());
    assert_eq!(info.traces.into_keys().collect::<Vec<_>>(), ["two"]);
    let options = ImportOptions { import_scope: "there".into(), ..ImportOptions::default() };
    let imported = import(&with_inside(), None, &options).unwrap();
    let names: Vec<_> = inside(&imported.message).name_to_trace_id.into_keys().collect();
    let expected =
        ["node@function", "there/four@", "there/one@", "there/tower/three@", "there/tower/two@"];
    assert_eq!(names, expected);
}

#[test]
fn a_saver_writes_debug_info_next_to_the_meta_graph() {
    let dir = tempfile::tempdir().unwrap();
    let (meta, info) = (meta(), info());
    let mut saver = Saver::new(SaverDef { version: 2, ..SaverDef::default() });
    let options = SaveOptions {
        global_step: Some(3),
        meta_graph: Some(&meta),
        debug_info: Some(&info),
        ..SaveOptions::default()
    };
    let target = dir.path().join("m");
    saver.save(&CheckpointBuilder::default(), &target, &options, &Silent).unwrap();
    assert_eq!(std::fs::read(dir.path().join("m-3.debug")).unwrap(), info.bytes());
    assert_eq!(std::fs::read(dir.path().join("m-3.meta")).unwrap(), meta.bytes());
    for suffix in ["debug", "v2.debug"] {
        let options =
            SaveOptions { meta_graph_suffix: suffix, global_step: Some(4), ..options.clone() };
        let error =
            saver.save(&CheckpointBuilder::default(), &target, &options, &Silent).unwrap_err();
        assert!(error.to_string().contains("would be the same file"), "{error}");
    }
    let options = SaveOptions { debug_info: Some(&meta), global_step: Some(4), ..options };
    let error = saver.save(&CheckpointBuilder::default(), &target, &options, &Silent).unwrap_err();
    assert!(error.to_string().contains("expected tensorflow.GraphDebugInfo"), "{error}");
    assert!(!dir.path().join("m-4.index").exists());
}

#[test]
fn a_saver_replaces_a_meta_graph_and_its_debug_info_together() {
    let dir = tempfile::tempdir().unwrap();
    let (meta, info) = (meta(), info());
    std::fs::write(dir.path().join("m.meta"), "old").unwrap();
    std::fs::create_dir(dir.path().join("m.debug")).unwrap();
    let options =
        SaveOptions { meta_graph: Some(&meta), debug_info: Some(&info), ..SaveOptions::default() };
    let mut saver = Saver::new(SaverDef { version: 2, ..SaverDef::default() });
    let target = dir.path().join("m");
    let saved = saver.save(&CheckpointBuilder::default(), &target, &options, &Silent);
    assert!(saved.unwrap_err().to_string().contains("m.debug"));
    assert_eq!(std::fs::read(dir.path().join("m.meta")).unwrap(), b"old");
}

#[test]
fn another_message_is_not_debug_info() {
    let error = debug_info(&meta(), &meta(), "", "").unwrap_err();
    assert!(error.to_string().contains("expected tensorflow.GraphDebugInfo"), "{error}");
}

#[test]
fn export_writes_debug_info_next_to_the_meta_graph() {
    let dir = tempfile::tempdir().unwrap();
    let place = |name: &str| dir.path().join(name).display().to_string();
    let export = |from: &str, to: &str, more: &[&str]| {
        ckdiff(&[&["export", from, &place(to), "--save-debug-info"][..], more].concat())
    };
    let run = export("debug_info/model.meta", "a.meta", &["--export-scope=tower"]);
    assert_eq!(run.code, 0, "{run:?}");
    assert_eq!(of(&std::fs::read(place("a.debug")).unwrap()).1, of_tower());
    // Embedded debug info takes precedence, and is written in the form of the meta graph.
    std::fs::write(place("inside.meta"), with_inside().bytes()).unwrap();
    let run = export(&place("inside.meta"), "b.pbtxt", &[]);
    assert_eq!(run.code, 0, "{run:?}");
    let options =
        ReadOptions { message: Some("tensorflow.GraphDebugInfo".into()), ..ReadOptions::default() };
    let text = Document::open(place("b.debug"), Schema::tensorflow(), &options).unwrap();
    assert!(of(text.message().bytes()).1.contains_key("node@function"));
    for (from, to, more, says) in [
        ("demo/model.ckpt.meta", "c.meta", &[][..], "no debug information"),
        ("debug_info/model.meta", "c.debug", &["--to=binary"], "would be the same file"),
        (
            "debug_info/model.meta",
            "c.meta",
            &["--into=demo/model.ckpt.meta"],
            "cannot be used with",
        ),
    ] {
        let run = export(from, to, more);
        assert_eq!(run.code, 2, "{run:?}");
        assert!(run.stderr.contains(says), "{run:?}");
        assert!(!dir.path().join(to).exists() && !dir.path().join("c.debug").exists(), "{to}");
    }
}

#[test]
fn the_output_stays_if_its_debug_info_cannot_be_written() {
    let dir = tempfile::tempdir().unwrap();
    let output = dir.path().join("m.meta");
    std::fs::write(&output, "old").unwrap();
    std::fs::create_dir(dir.path().join("m.debug")).unwrap();
    let to = output.to_str().unwrap();
    let run = ckdiff(&["export", "debug_info/model.meta", to, "--save-debug-info"]);
    assert_eq!(run.code, 2, "{run:?}");
    assert!(run.stderr.contains("m.debug"), "{run:?}");
    assert_eq!(std::fs::read(&output).unwrap(), b"old");
}

#[test]
fn debug_info_stays_if_its_meta_graph_cannot_be_written() {
    let dir = tempfile::tempdir().unwrap();
    let place = |name: &str| dir.path().join(name).display().to_string();
    std::fs::copy("tests/data/graphs/any_of_unknown_type.meta", place("in.meta")).unwrap();
    std::fs::write(place("in.debug"), info().bytes()).unwrap();
    for old in ["out.json", "out.debug"] {
        std::fs::write(place(old), "old").unwrap();
    }
    let run = ckdiff(&["export", &place("in.meta"), &place("out.json"), "--save-debug-info"]);
    assert_eq!(run.code, 2, "{run:?}");
    assert!(run.stderr.contains("cannot be represented in JSON"), "{run:?}");
    for old in ["out.json", "out.debug"] {
        assert_eq!(std::fs::read(place(old)).unwrap(), b"old", "{old}");
    }
    assert_eq!(std::fs::read_dir(dir.path()).unwrap().count(), 4, "no other file is left");
}

#[test]
fn debug_info_of_the_input_is_not_replaced() {
    let dir = tempfile::tempdir().unwrap();
    let place = |name: &str| dir.path().join(name).display().to_string();
    for (name, content) in [("m.meta", meta()), ("m.debug", info())] {
        std::fs::write(place(name), content.bytes()).unwrap();
    }
    let scope = ["--save-debug-info", "--export-scope=tower"];
    let export =
        |to: &str| ckdiff(&[&["export", &place("m.meta"), &place(to)][..], &scope].concat());
    let run = export("m.pb");
    assert_eq!(run.code, 2, "{run:?}");
    assert!(run.stderr.contains("this is the debug information of the input"), "{run:?}");
    assert_eq!(std::fs::read(place("m.debug")).unwrap(), info().bytes());
    assert!(!dir.path().join("m.pb").exists());
    // Replacing the input includes replacing its debug info.
    assert_eq!(export("m.meta").code, 0);
    assert_eq!(of(&std::fs::read(place("m.debug")).unwrap()).1, of_tower());
}
