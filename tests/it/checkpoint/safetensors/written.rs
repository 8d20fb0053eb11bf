//! Written files: the same bytes as the library's for the same content; written completely or not at all.

use std::fs;
use std::path::Path;

use ckdiff::checkpoint::{Checkpoint, CheckpointBuilder, Format, IfExists};
use ckdiff::progress::Silent;
use ckdiff::tensor::{DType, Shape, Tensor};
use insta::assert_snapshot;

use super::DIR;
use crate::support::directory::{names, ok, refused, run};

/// Whether a file has the same bytes as a fixture.
fn assert_same_bytes(file: &Path, fixture: &str) {
    let expected = fs::read(Path::new(DIR).join(fixture)).unwrap();
    assert!(fs::read(file).unwrap() == expected, "{} is not {fixture}", file.display());
}

#[test]
fn a_file_of_the_library_is_written_with_the_same_bytes() {
    let dir = tempfile::tempdir().unwrap();
    let dir = dir.path();
    for name in ["all", "baseline", "retrained", "demo"] {
        ok(dir, &format!("save-as safetensors/{name}.safetensors DIR/{name}"));
        assert_same_bytes(&dir.join(format!("{name}.safetensors")), &format!("{name}.safetensors"));
    }
}

#[test]
fn shards_and_their_index_are_written_with_the_same_bytes() {
    let dir = tempfile::tempdir().unwrap();
    let dir = dir.path();
    ok(dir, "save-as safetensors/sharded DIR/model");
    let written = names(dir);
    assert_eq!(written, names(&Path::new(DIR).join("sharded")));
    for name in written {
        assert_same_bytes(&dir.join(&name), &format!("sharded/{name}"));
    }
    ok(dir, "save-as DIR/model.safetensors.index.json DIR/whole --shards 1");
    // The library's order does not depend on the shards.
    let whole = fs::read(dir.join("whole.safetensors")).unwrap();
    let baseline = fs::read(Path::new(DIR).join("baseline.safetensors")).unwrap();
    let header = |bytes: &[u8]| {
        String::from_utf8_lossy(bytes).replace(r#""format":"pt""#, r#""format":"np""#)
    };
    assert_eq!(header(&whole), header(&baseline));
}

#[test]
fn content_of_another_format_is_written_as_the_library_writes_it() {
    let dir = tempfile::tempdir().unwrap();
    let dir = dir.path();
    for (name, source) in [("v2", "demo/model.ckpt"), ("v1", "demo/v1format.ckpt")] {
        ok(dir, &format!("save-as {source} DIR/{name} --format safetensors"));
        assert_same_bytes(&dir.join(format!("{name}.safetensors")), "demo.safetensors");
    }
    ok(dir, "save-as safetensors/all.safetensors DIR/m --format v2");
    ok(dir, "save-as DIR/m DIR/n.safetensors --format safetensors");
    assert_same_bytes(&dir.join("n.safetensors"), "all.safetensors");
}

#[test]
fn the_content_stays_the_same_both_ways() {
    let dir = tempfile::tempdir().unwrap();
    let dir = dir.path();
    let sources = [
        ("slices/parts.ckpt", "--exclude **/string"),
        ("v1/sliced.ckpt", "--exclude **/string"),
        ("shards/three.ckpt", "--exclude vocab"),
        ("bigendian/model.ckpt", "--exclude string --exclude complex128"),
        ("retrain/baseline.ckpt", "--exclude vocab"),
        ("blocks/many.ckpt", "--include **"),
        ("tf2/ckpt-2", "--exclude _CHECKPOINTABLE_OBJECT_GRAPH"),
    ];
    for (i, (source, tensors)) in sources.into_iter().enumerate() {
        for (options, shards) in [("--shards 1", 1), ("--shards 3", 3)] {
            let (there, back) = (format!("{i}-{shards}"), format!("{i}-{shards}-v2"));
            ok(
                dir,
                &format!("save-as {source} DIR/{there} --format safetensors {options} {tensors}"),
            );
            let opened = match shards {
                1 => format!("DIR/{there}.safetensors"),
                _ => format!("DIR/{there}.safetensors.index.json"),
            };
            let same = |lhs: &str, rhs: &str| {
                let (code, said) = run(dir, &format!("diff --only tensors {tensors} {lhs} {rhs}"));
                assert_eq!(code, 0, "{source}: {said}");
            };
            same(source, &opened);
            ok(dir, &format!("save-as {opened} DIR/{back} --format v2"));
            same(source, &format!("DIR/{back}"));
        }
    }
}

#[test]
fn names_of_files_do_not_depend_on_how_the_path_ends() {
    for end in ["", ".safetensors", ".safetensors.index.json"] {
        let dir = tempfile::tempdir().unwrap();
        let dir = dir.path();
        ok(dir, &format!("save-as safetensors/demo.safetensors DIR/m{end}"));
        assert_eq!(names(dir), ["m.safetensors"]);
        ok(dir, &format!("save-as safetensors/demo.safetensors DIR/m{end} --shards 2"));
        assert_eq!(
            names(dir),
            [
                "m-00001-of-00002.safetensors",
                "m-00002-of-00002.safetensors",
                "m.safetensors",
                "m.safetensors.index.json"
            ]
        );
    }
}

#[test]
fn the_ending_of_the_path_chooses_the_format() {
    let dir = tempfile::tempdir().unwrap();
    let dir = dir.path();
    ok(dir, "save-as demo/model.ckpt DIR/a.safetensors");
    assert_same_bytes(&dir.join("a.safetensors"), "demo.safetensors");
    ok(dir, "save-as demo/model.ckpt DIR/b.safetensors --format v1");
    ok(dir, "save-as DIR/b.safetensors DIR/c");
    assert_eq!(names(dir), ["a.safetensors", "b.safetensors", "c"]);
    for (name, format) in [("a.safetensors", "safetensors"), ("b.safetensors", "V1"), ("c", "V1")] {
        assert_eq!(Checkpoint::open(dir.join(name)).unwrap().format().name, format, "{name}");
    }
}

#[test]
fn unsupported_tensors_are_refused_before_anything_is_written() {
    let dir = tempfile::tempdir().unwrap();
    let dir = dir.path();
    let save = |what: &str| refused(dir, &format!("save-as {what} DIR/m --format safetensors"));
    assert_snapshot!(save("retrain/baseline.ckpt"), @"ckdiff: error: DIR/m.safetensors: tensor vocab: safetensors has no type for string; --exclude leaves the tensor out");
    assert_snapshot!(save("retrain/baseline.ckpt --shards 3"), @"ckdiff: error: DIR/m.safetensors.index.json: tensor vocab: safetensors has no type for string; --exclude leaves the tensor out");
    for dtype in ["complex128", "qint8", "int4", "uint2", "variant", "float8_e4m3b11fnuz"] {
        let said = save(&format!("dtypes/all.ckpt --include {dtype}/**"));
        assert!(said.contains(&format!("safetensors has no type for {dtype};")), "{said}");
    }
    assert_snapshot!(save("dtypes/all.ckpt --include float4_e2m1fn/scalar"), @"ckdiff: error: DIR/m.safetensors: tensor float4_e2m1fn/scalar: safetensors stores float4_e2m1fn in whole bytes, which 1 elements do not fill");
    assert_snapshot!(save("names/odd.ckpt"), @r#"ckdiff: error: DIR/m.safetensors: tensor cut off \xe2\x82: safetensors needs names in UTF-8"#);
    assert_snapshot!(save("demo/model.ckpt --rename ^v1$=__metadata__"), @"ckdiff: error: DIR/m.safetensors: tensor __metadata__: safetensors has this name for its metadata");
}

#[test]
fn every_type_with_a_counterpart_is_stored() {
    let dir = tempfile::tempdir().unwrap();
    let dir = dir.path();
    let mut stored = 0;
    for dtype in DType::ALL.iter().filter(|dtype| dtype.size().is_some()) {
        let content = vec![1; 6 * dtype.size().unwrap()];
        let tensor = Tensor::new(*dtype, Shape::new(&[2, 3]).unwrap(), content).unwrap();
        let mut builder = CheckpointBuilder::default();
        builder.add("t", &tensor).unwrap();
        let path = dir.join(dtype.name());
        let format = Format::by_name("safetensors").unwrap();
        let Ok(opened) = builder.write(&path, format, IfExists::Refuse, &Silent) else { continue };
        assert_eq!(Checkpoint::open(opened).unwrap().get_tensor("t").unwrap(), tensor, "{dtype}");
        stored += 1;
    }
    assert_eq!(stored, 19);
}

#[test]
fn lost_metadata_is_reported() {
    let dir = tempfile::tempdir().unwrap();
    let dir = dir.path();
    let (code, said) = run(dir, "save-as safetensors/unordered.safetensors DIR/m --format v2");
    assert_eq!(code, 0);
    assert_snapshot!(said, @"ckdiff: warning: V2 checkpoints cannot store this metadata: framework, author, notes, zero");
    ok(dir, "save-as safetensors/unordered.safetensors DIR/n");
    let open = |path: &Path| Checkpoint::open(path).unwrap().metadata().to_vec();
    assert_eq!(
        open(&dir.join("n.safetensors")),
        open(&Path::new(DIR).join("unordered.safetensors"))
    );
    // A single file has one value per key.
    let entry = r#"{"dtype":"U8","shape":[0],"data_offsets":[0,0]}"#;
    for (name, value) in [("a", 1), ("b", 2)] {
        let header = format!(r#"{{"__metadata__":{{"part":"{value}","k":"v"}},"{name}":{entry}}}"#);
        fs::write(dir.join(format!("{name}.safetensors")), super::file_of(&header, b"")).unwrap();
    }
    let index = r#"{"weight_map":{"a":"a.safetensors","b":"b.safetensors"}}"#;
    fs::write(dir.join("i.safetensors.index.json"), index).unwrap();
    let (code, said) = run(dir, "save-as DIR/i.safetensors.index.json DIR/w --shards 1");
    assert_eq!(code, 0);
    assert_snapshot!(said, @"ckdiff: warning: the shards disagree on this metadata; the first shard's value was kept: part");
    let pairs = [("part", "1"), ("k", "v")].map(|(key, value)| (key.to_owned(), value.to_owned()));
    assert_eq!(open(&dir.join("w.safetensors")), pairs);
}

#[test]
fn a_checkpoint_is_replaced_as_a_whole() {
    let dir = tempfile::tempdir().unwrap();
    let dir = dir.path();
    ok(dir, "save-as safetensors/baseline.safetensors DIR/m");
    assert_snapshot!(refused(dir, "save-as safetensors/retrained.safetensors DIR/m"), @"ckdiff: error: DIR/m.safetensors: it already exists; --overwrite replaces it");
    ok(dir, "save-as safetensors/retrained.safetensors DIR/m --overwrite");
    assert_same_bytes(&dir.join("m.safetensors"), "retrained.safetensors");
    ok(dir, "save-as DIR/m.safetensors DIR/m.safetensors --overwrite");
    assert_same_bytes(&dir.join("m.safetensors"), "retrained.safetensors");
    assert_eq!(names(dir), ["m.safetensors"]);

    ok(dir, "save-as safetensors/baseline.safetensors DIR/s --shards 4");
    ok(dir, "save-as safetensors/baseline.safetensors DIR/s --shards 2 --overwrite");
    let index = "DIR/s.safetensors.index.json";
    assert_eq!(names(dir).len(), 4, "{:?}", names(dir));
    assert_eq!(run(dir, &format!("diff -q safetensors/baseline.safetensors {index}")).0, 0);
    ok(dir, &format!("save-as {index} DIR/s --shards 3 --overwrite"));
    assert_eq!(names(dir).len(), 5, "{:?}", names(dir));
    assert_eq!(run(dir, &format!("diff -q safetensors/baseline.safetensors {index}")).0, 0);
}

#[test]
fn files_that_are_not_checkpoints_are_not_replaced() {
    let dir = tempfile::tempdir().unwrap();
    let dir = dir.path();
    fs::write(
        dir.join("m.safetensors"),
        "version https://git-lfs.github.com/spec/v1\noid sha256:00\n",
    )
    .unwrap();
    assert_snapshot!(refused(dir, "save-as safetensors/demo.safetensors DIR/m --overwrite"), @"ckdiff: error: DIR/m.safetensors: this file is not part of a checkpoint; it is not replaced");
    fs::write(dir.join("n-00001-of-00002.safetensors"), [0x89, b'H', b'D', b'F', 13, 10]).unwrap();
    assert_snapshot!(refused(dir, "save-as safetensors/demo.safetensors DIR/n --shards 2 --overwrite"), @"ckdiff: error: DIR/n-00001-of-00002.safetensors: this file is not part of a checkpoint; it is not replaced");
}
