//! Checkpoints written by TensorFlow and other libraries.

use std::path::Path;

use ckdiff::checkpoint::{Checkpoint, FORMATS};
use ckdiff::tensor::{DType, Name};

use crate::support::corpus::demo_directory;
use crate::support::fuzz_checkpoint;
use crate::support::{Known, known_tensors, named_snapshot, sha256};

const DATA: &str = "tests/data";

fn open(path: &str) -> Checkpoint {
    Checkpoint::open(Path::new(DATA).join(path)).unwrap()
}

/// The error of opening a path.
fn refusal(path: impl AsRef<Path>) -> String {
    Checkpoint::open(path).unwrap_err().to_string()
}

/// Every checkpoint of the corpus, with its tensors according to the library that wrote it.
fn corpus() -> impl Iterator<Item = (String, Vec<Known>)> {
    known_tensors().into_iter()
}

#[test]
fn a_slice_in_two_v1_files_is_an_error_that_names_both() {
    let dir = tempfile::tempdir().unwrap();
    for number in 0..2 {
        let to = format!("m-0000{number}-of-00002");
        std::fs::copy("tests/data/v1/sharded.ckpt-00000-of-00002", dir.path().join(to)).unwrap();
    }
    let (code, said) = crate::support::directory::run(dir.path(), "verify DIR/m-?????-of-00002");
    assert_eq!(code, 2);
    let slice = "slices: expected distinct slices, found ";
    let line = said.lines().find(|line| line.contains(slice)).unwrap();
    let (file, found) = line.split_once(slice).unwrap();
    assert!(file.contains("DIR/m-00000-of-00002"), "{line}");
    assert!(found.ends_with(", which DIR/m-00001-of-00002 has too"), "{line}");
    assert!(!found.contains(['(', '[']), "{line}");
}

#[test]
fn every_checkpoint_has_the_tensors_that_its_writer_reports() {
    for (path, known) in corpus() {
        let checkpoint = open(&path);
        assert!(checkpoint.damage().is_empty(), "{path}: {:?}", checkpoint.damage());
        let found: Vec<Known> = checkpoint
            .tensors()
            .map(|entry| {
                let source = entry.source.as_ref().unwrap();
                let content = fuzz_checkpoint::read(&**source, 1000).unwrap();
                Known {
                    name: entry.name.clone(),
                    dtype: source.dtype().to_string(),
                    shape: source.shape().dims().to_vec(),
                    sha256: (source.dtype() != DType::Variant).then(|| sha256(&content)),
                }
            })
            .collect();
        assert_eq!(found, known, "{path}");
    }
}

#[test]
fn the_size_of_chunks_makes_no_difference() {
    let mut tensors = 0;
    for (path, known) in corpus() {
        let checkpoint = open(&path);
        for (entry, known) in checkpoint.tensors().zip(known) {
            let source = entry.source.as_ref().unwrap();
            let Some(expected) = known.sha256 else {
                continue;
            };
            for chunk in [1, 2, 3, 7, 64, 100_000] {
                let content = fuzz_checkpoint::read(&**source, chunk).unwrap();
                assert_eq!(sha256(&content), expected, "{path} {} by {chunk}", entry.name);
            }
            tensors += 1;
        }
    }
    assert!(tensors >= 1280, "{tensors}");
}

#[test]
fn the_corpus_has_every_format() {
    for format in FORMATS {
        let any = corpus().any(|(path, _)| open(&path).format().name == format.name);
        assert!(any, "{format}");
    }
}

#[test]
fn every_path_of_a_checkpoint_opens_it() {
    let all = [
        ("demo/model.ckpt", "V2", 2),
        ("demo/model.ckpt.index", "V2", 2),
        ("demo/model.ckpt.data-00000-of-00001", "V2", 2),
        ("demo/v1format.ckpt", "V1", 1),
        ("shards/three.ckpt", "V2", 4),
        ("shards/three.ckpt.data-00002-of-00003", "V2", 4),
        ("v1/sharded.ckpt-?????-of-00002", "V1", 2),
        ("v1/sharded.ckpt-00000-of-00002", "V1", 2),
        ("v1/sharded.ckpt-00001-of-00002", "V1", 2),
        ("safetensors/demo.safetensors", "safetensors", 1),
        ("safetensors/sharded/model.safetensors.index.json", "safetensors", 4),
        ("safetensors/sharded/model-00003-of-00003.safetensors", "safetensors", 4),
        ("safetensors/sharded", "safetensors", 4),
    ];
    for (path, format, files) in all {
        let checkpoint = open(path);
        assert_eq!(checkpoint.format().to_string(), format, "{path}");
        assert_eq!(checkpoint.files().len(), files, "{path}");
        assert!(checkpoint.has_data(), "{path}");
    }
}

#[test]
fn pattern_characters_in_names_are_literal() {
    let names =
        ["m*", "m[0-9]", "m?", "{a,b}", "m.index", "m.data-00000-of-00001", "m-00000-of-00002"];
    let dir = demo_directory(&names);
    for name in names {
        assert_eq!(Checkpoint::open(dir.path().join(name)).unwrap().tensors().len(), 2, "{name}");
    }
    assert!(Checkpoint::open(dir.path().join("m*x")).is_err());
    assert!(Checkpoint::open(dir.path().join("??")).is_err());
}

#[test]
fn v2_takes_precedence_over_v1() {
    let dir = demo_directory(&["m"]);
    std::fs::copy(format!("{DATA}/v1/all.ckpt"), dir.path().join("m")).unwrap();
    assert_eq!(Checkpoint::open(dir.path().join("m")).unwrap().format().name, "V2");
}

#[test]
fn an_index_alone_has_entries_and_no_data() {
    let dir = demo_directory(&["m"]);
    std::fs::remove_file(dir.path().join("m.data-00000-of-00001")).unwrap();
    let alone = Checkpoint::open(dir.path().join("m.index")).unwrap();
    assert!(!alone.has_data());
    assert_eq!(alone.files().len(), 1);
    assert_eq!(alone.shape_map().len(), 2);

    let by_prefix = Checkpoint::open(dir.path().join("m")).unwrap();
    assert!(by_prefix.has_data());
    assert!(by_prefix.get_tensor("v1").is_err());

    let whole = open("demo/model.ckpt");
    assert_eq!((alone.tensors().len(), whole.tensors().len()), (2, 2));
    for (of_alone, of_whole) in alone.tensors().zip(whole.tensors()) {
        let print =
            |entry: &ckdiff::checkpoint::Entry| entry.source.as_ref().unwrap().stored_checksums();
        assert_eq!(print(of_alone), print(of_whole));
    }
}

#[test]
fn a_missing_v1_shard_is_reported() {
    let dir = tempfile::tempdir().unwrap();
    let from = format!("{DATA}/v1/sharded.ckpt-00000-of-00002");
    std::fs::copy(from, dir.path().join("m-00000-of-00002")).unwrap();
    let checkpoint = Checkpoint::open(dir.path().join("m-?????-of-00002")).unwrap();
    let damage = checkpoint.damage()[0].to_string();
    insta::assert_snapshot!(
        damage.rsplit_once('/').unwrap().1,
        @"m-00001-of-00002: this shard of the checkpoint is missing"
    );
    assert!(checkpoint.get_tensor("bias").is_ok());
    let error = checkpoint.get_tensor("embedding").unwrap_err().to_string();
    insta::assert_snapshot!(
        error.rsplit_once('/').unwrap().1,
        @"m-00000-of-00002: tensor embedding: slices: expected slices that cover the tensor, found none from [4, 0] to [5, 2]"
    );
}

#[test]
fn other_files_are_refused_by_kind() {
    let dir = demo_directory(&["model.ckpt-100", "model.ckpt-200"]);
    let files: [(&str, &[u8]); 11] = [
        ("a.h5", b"\x89HDF\r\n\x1a\n........"),
        ("a.keras", b"PK\x03\x04........"),
        ("a.npz", b"PK\x03\x04........"),
        ("a.pth", b"PK\x03\x04........"),
        ("b.pt", b"\x80\x02}q\x00X\x01"),
        ("a.safetensors", b"\x40\x00\x00\x00\x00\x00\x00\x00{\"w\":{}}"),
        ("saved_model.pb", b"\x08\x01\x12\x00\xff"),
        ("checkpoint", b"model_checkpoint_path: \"model.ckpt-200\"\n"),
        ("graph.pbtxt", b"node {\n  name: \"a\"\n}\n"),
        ("empty", b""),
        ("noise", b"\x01\x02\x03\x04\xff\xfe"),
    ];
    let mut out = String::new();
    for (name, bytes) in files {
        std::fs::write(dir.path().join(name), bytes).unwrap();
        out += &(refusal(dir.path().join(name)) + "\n");
    }
    for name in ["model.ckpt-300", "model.ckpt", "none/m", ""] {
        out += &(refusal(dir.path().join(name)) + "\n");
    }
    out += &(refusal("gs://bucket/model.ckpt") + "\n");
    out += &(refusal("tests/data/hostile") + "\n");
    let out = out.replace(dir.path().to_str().unwrap(), "DIR");
    named_snapshot("checkpoint", "refusals", &out);
}

#[test]
fn a_missing_tensor_gets_a_suggestion() {
    let error = |name: &str| open("demo/model.ckpt").get_tensor(name).unwrap_err().to_string();
    insta::assert_snapshot!(
        error("v3"),
        @"tests/data/demo/model.ckpt: the checkpoint has no tensor v3; did you mean v1?"
    );
    insta::assert_snapshot!(
        error("nothing/like/it"),
        @"tests/data/demo/model.ckpt: the checkpoint has no tensor nothing/like/it"
    );
}

#[test]
fn the_maps_are_those_of_new_checkpoint_reader() {
    let checkpoint = open("dtypes/all.ckpt");
    let (shapes, dtypes) = (checkpoint.shape_map(), checkpoint.dtype_map());
    assert_eq!(shapes.len(), checkpoint.tensors().len());
    assert_eq!(dtypes.len(), checkpoint.tensors().len());
    let name = Name::from("float64/hollow");
    assert_eq!((shapes[&name].dims(), dtypes[&name]), (&[2, 0, 3][..], DType::F64));
    assert!(checkpoint.has_tensor("variant/vector") && !checkpoint.has_tensor("variant"));
}

#[test]
fn the_elements_of_variants_are_their_messages() {
    let tensor = open("dtypes/all.ckpt").get_tensor("variant/vector").unwrap();
    let elements = tensor.byte_elements().unwrap();
    assert_eq!(elements.len(), 2);
    assert!(elements.iter().all(|element| !element.is_empty()));
}

#[test]
fn names_are_found_by_their_bytes() {
    let checkpoint = open("names/odd.ckpt");
    assert_eq!(checkpoint.tensors().len(), 25);
    for entry in checkpoint.tensors() {
        let found = checkpoint.tensor(entry.name.as_bytes()).unwrap();
        assert_eq!(found.name, entry.name);
    }
    assert!(checkpoint.has_tensor("a/b:0"));
    assert!(checkpoint.has_tensor(b"\0leading nul"));
}
