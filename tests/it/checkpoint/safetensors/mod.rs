//! Safetensors checkpoints: ckdiff reads the library's files, and writes the same bytes as the library.

mod headers;
mod hostile;
mod shards;
mod written;

use std::path::Path;

use ckdiff::checkpoint::Checkpoint;
use serde_json::Value;

use crate::support::fuzz_checkpoint;
use crate::support::sha256;

const DIR: &str = "tests/data/safetensors";

/// The library's facts about the fixtures.
fn facts(file: &str) -> Value {
    let text = std::fs::read_to_string(Path::new(DIR).join(file)).unwrap();
    serde_json::from_str(&text).unwrap()
}

/// A file with this header and content.
fn file_of(header: &str, content: &[u8]) -> Vec<u8> {
    [&(header.len() as u64).to_le_bytes(), header.as_bytes(), content].concat()
}

/// Name, dtype, shape and digest of every tensor that can be read.
fn tensors(checkpoint: &Checkpoint) -> Vec<Value> {
    let readable = checkpoint.tensors().filter_map(|entry| {
        let source = entry.source.as_ref().ok()?;
        let content = fuzz_checkpoint::read(&**source, 1000).unwrap();
        Some(serde_json::json!({
            "name": entry.name.as_str().unwrap(),
            "dtype": source.dtype().name(),
            "shape": source.shape().dims(),
            "sha256": sha256(&content),
        }))
    });
    readable.collect()
}

#[test]
fn metadata_is_kept_in_order() {
    let open = |file: &str| Checkpoint::open(Path::new(DIR).join(file)).unwrap();
    assert_eq!(open("baseline.safetensors").metadata(), [("format".into(), "np".into())]);
    let unordered = open("unordered.safetensors");
    let keys: Vec<&str> = unordered.metadata().iter().map(|(key, _)| &**key).collect();
    assert_eq!(keys, ["framework", "author", "notes", "zero"]);
    assert_eq!(open("demo.safetensors").metadata(), []);
}

#[test]
fn a_type_without_a_counterpart_is_one_tensors_error() {
    let checkpoint = Checkpoint::open(Path::new(DIR).join("unsupported.safetensors")).unwrap();
    let errors = checkpoint.tensors().filter_map(|entry| entry.source.as_ref().err());
    let errors: Vec<_> = errors.map(|error| error.kind().to_string()).collect();
    assert_eq!(
        errors,
        [
            "elements of type F8_E8M0 are not supported",
            "elements of type F6_E2M3 are not supported"
        ]
    );
    assert_eq!(checkpoint.get_tensor("c").unwrap().content(), [49]);
    assert_eq!(checkpoint.damage().len(), 0);
}
