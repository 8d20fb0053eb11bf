//! The files in `tests/data`, and the facts about them from the libraries that wrote them.

use ckdiff::tensor::Name;
use serde_json::Value;
use sha2::{Digest, Sha256};

/// A tensor of a checkpoint of the corpus, according to the library that wrote it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Known {
    pub name: Name,
    pub dtype: String,
    pub shape: Vec<u64>,
    /// The digest of the content, row-major, little-endian; `None` for variants, whose content TensorFlow does not return.
    pub sha256: Option<String>,
}

/// The facts in a file of `tests/data/oracle`.
pub fn oracle(file: &str) -> Value {
    let text = std::fs::read_to_string(format!("tests/data/oracle/{file}")).unwrap();
    serde_json::from_str(&text).unwrap()
}

/// The fact with this name; it may be null but must exist. Indexing a [`Value`] does not tell the two apart.
#[track_caller]
pub fn fact<'a>(facts: &'a Value, name: &str) -> &'a Value {
    facts.get(name).unwrap_or_else(|| panic!("{name} is missing: {facts}"))
}

/// The cases of an oracle, at least `least` of them.
#[track_caller]
pub fn cases(file: &str, least: usize) -> Vec<(String, Value)> {
    let Value::Object(cases) = oracle(file) else { panic!("{file} is not an object") };
    assert!(
        cases.len() >= least,
        "{file} has {} cases, at least {least} are expected",
        cases.len()
    );
    cases.into_iter().collect()
}

/// The lines of `graphs/random.jsonl`: random messages written by Python.
pub fn random_messages() -> Vec<Value> {
    let lines = std::fs::read_to_string("tests/data/graphs/random.jsonl").unwrap();
    let messages: Vec<_> = lines.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert!(messages.len() >= 306, "{} messages", messages.len());
    messages
}

/// The checkpoints of the corpus, sorted by name, with their tensors according to TensorFlow or the safetensors library.
pub fn known_tensors() -> Vec<(String, Vec<Known>)> {
    let of_checkpoint = |tensors: &Value| tensors.as_array().unwrap().iter().map(known).collect();
    let known: Vec<(_, Vec<Known>)> = cases("tensors.json", 28)
        .into_iter()
        .chain(cases("safetensors.json", 7))
        .map(|(path, tensors)| (path, of_checkpoint(&tensors)))
        .collect();
    let tensors: usize = known.iter().map(|(_, tensors)| tensors.len()).sum();
    assert!(tensors >= 1401, "{tensors} tensors");
    known
}

fn known(tensor: &Value) -> Known {
    let text = |key: &str| tensor[key].as_str().map(str::to_owned);
    let name = text("name").map(String::into_bytes);
    let dtype = text("dtype").unwrap();
    let sha256 = fact(tensor, "sha256").as_str().map(str::to_owned);
    assert_eq!(sha256.is_none(), dtype == "variant", "{tensor}");
    Known {
        name: Name::from(&name.unwrap_or_else(|| base64(&text("name_b64").unwrap()))),
        dtype,
        shape: tensor["shape"].as_array().unwrap().iter().map(|d| d.as_u64().unwrap()).collect(),
        sha256,
    }
}

/// A directory with copies of the demo's checkpoint under these prefixes.
pub fn demo_directory(prefixes: &[&str]) -> tempfile::TempDir {
    let dir = tempfile::tempdir().unwrap();
    for prefix in prefixes {
        for suffix in ["index", "data-00000-of-00001"] {
            let from = format!("tests/data/demo/model.ckpt.{suffix}");
            std::fs::copy(from, dir.path().join(format!("{prefix}.{suffix}"))).unwrap();
        }
    }
    dir
}

/// The SHA-256 of `bytes` in hexadecimal.
pub fn sha256(bytes: &[u8]) -> String {
    Sha256::digest(bytes).iter().map(|byte| format!("{byte:02x}")).collect()
}

/// Decodes base64.
pub fn base64(text: &str) -> Vec<u8> {
    const DIGITS: &str = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let (mut bits, mut count, mut out) = (0u32, 0, Vec::new());
    for digit in text.bytes().filter_map(|byte| DIGITS.bytes().position(|digit| digit == byte)) {
        bits = bits << 6 | digit as u32;
        count += 6;
        if count >= 8 {
            count -= 8;
            out.push((bits >> count) as u8);
        }
    }
    out
}
