//! What tests share.

pub mod command;
pub mod encoding;
pub mod everything;
pub mod floats;
pub mod fuzz_checkpoint;
pub mod fuzz_message;
pub mod fuzz_models;
pub mod graph;
pub mod json_message;
pub mod json_schema;
pub mod message_forms;
pub mod property;
pub mod proto2;
pub mod random_message;
pub mod random_text;
pub mod random_value;
pub mod text_layout;
pub mod text_message;

use ckdiff::tensor::Name;
use serde_json::Value;
use sha2::{Digest, Sha256};

/// Random numbers that are the same in every run.
#[derive(Debug)]
pub enum Random {
    /// A small generator (SplitMix64).
    Seed(u64),
    /// Numbers that something else has drawn; behind them there are zeros.
    Tape(std::vec::IntoIter<u64>),
}

impl Random {
    pub fn new(seed: u64) -> Self {
        Self::Seed(seed)
    }

    pub fn of_tape(numbers: &[u64]) -> Self {
        let numbers = numbers.to_vec();
        Self::Tape(numbers.into_iter())
    }

    pub fn next(&mut self) -> u64 {
        let state = match self {
            Self::Seed(state) => state,
            Self::Tape(numbers) => return numbers.next().unwrap_or_default(),
        };
        *state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = *state;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    pub fn below(&mut self, bound: u64) -> u64 {
        let number = self.next();
        match self {
            Self::Seed(_) => number % bound,
            // Smaller for a smaller number: that is how a tape is made simpler.
            Self::Tape(_) => ((u128::from(number) * u128::from(bound)) >> 64) as u64,
        }
    }

    pub fn one_in(&mut self, n: u64) -> bool {
        self.below(n) == 0
    }

    pub fn bytes(&mut self, len: usize) -> Vec<u8> {
        (0..len).map(|_| self.next() as u8).collect()
    }
}

/// A tensor that a checkpoint of the corpus is known to have.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Known {
    pub name: Name,
    pub dtype: String,
    pub shape: Vec<u64>,
    /// Of the content: row-major, little-endian; `None` for variants, which TensorFlow does not give out.
    pub sha256: Option<String>,
}

/// A file of facts beside the corpus.
pub fn oracle(file: &str) -> Value {
    let text = std::fs::read_to_string(format!("tests/data/oracle/{file}")).unwrap();
    serde_json::from_str(&text).unwrap()
}

/// The checkpoints of the corpus, and what the libraries that wrote them say is in them, tensors sorted by name.
pub fn known_tensors() -> Vec<(String, Vec<Known>)> {
    let of_checkpoint = |tensors: &Value| tensors.as_array().unwrap().iter().map(known).collect();
    let mut checkpoints = Vec::new();
    for file in ["tensors.json", "safetensors.json"] {
        let oracle = oracle(file);
        let oracle = oracle.as_object().unwrap().iter();
        checkpoints.extend(oracle.map(|(path, tensors)| (path.clone(), of_checkpoint(tensors))));
    }
    checkpoints
}

fn known(tensor: &Value) -> Known {
    let text = |key: &str| tensor[key].as_str().map(str::to_owned);
    let name = text("name").map(String::into_bytes);
    Known {
        name: Name::from(&name.unwrap_or_else(|| base64(&text("name_b64").unwrap()))),
        dtype: text("dtype").unwrap(),
        shape: tensor["shape"].as_array().unwrap().iter().map(|d| d.as_u64().unwrap()).collect(),
        sha256: text("sha256"),
    }
}

/// The hash of `bytes` in hexadecimal.
pub fn sha256(bytes: &[u8]) -> String {
    Sha256::digest(bytes).iter().map(|byte| format!("{byte:02x}")).collect()
}

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

/// Holds `text` against `snapshots/AREA/NAME.snap`.
pub fn named_snapshot(area: &str, name: &str, text: &str) {
    let mut settings = insta::Settings::clone_current();
    settings.set_snapshot_path(format!("../../../snapshots/{area}"));
    settings.set_prepend_module_to_snapshot(false);
    settings.set_omit_expression(true);
    settings.bind(|| insta::assert_snapshot!(name, text));
}
