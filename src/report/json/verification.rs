//! What was verified: schema `ckdiff-verify/1`.

use std::borrow::Cow;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use serde::Serialize;

use crate::error::Error;
use crate::tensor::Name;
use crate::verify::Verification;

use super::layout;
use super::name::{Text, exact};

/// Tells a program what was found in each artifact, or why a path could not be opened.
///
/// # Errors
/// When `out` cannot be written.
pub fn write(
    results: &[(PathBuf, Result<Verification, Error>)],
    out: &mut dyn Write,
) -> io::Result<()> {
    let sound =
        |result: &Result<Verification, Error>| result.as_ref().is_ok_and(Verification::is_sound);
    let report = Report {
        schema: "ckdiff-verify/1",
        verdict: verdict(results.iter().all(|(_, result)| sound(result))),
        artifacts: results.iter().map(|(path, result)| Artifact::new(path, result)).collect(),
    };
    layout::write(&report, out)
}

fn verdict(sound: bool) -> &'static str {
    if sound { "sound" } else { "trouble" }
}

#[derive(Serialize)]
struct Report<'a> {
    schema: &'static str,
    verdict: &'static str,
    artifacts: Vec<Artifact<'a>>,
}

#[derive(Serialize)]
struct Artifact<'a> {
    path: Cow<'a, str>,
    verdict: &'static str,
    kind: Option<&'static str>,
    format: Option<&'static str>,
    tensors: Option<Counts>,
    bytes: Option<u64>,
    damage: Vec<String>,
    errors: Vec<TensorError<'a>>,
}

#[derive(Serialize)]
struct Counts {
    sound: u64,
    error: usize,
}

#[derive(Serialize)]
struct TensorError<'a> {
    name: Text<'a>,
    #[serde(skip_serializing_if = "Option::is_none")]
    name_b64: Option<String>,
    error: String,
}

impl<'a> Artifact<'a> {
    fn new(path: &'a Path, result: &'a Result<Verification, Error>) -> Self {
        let path = path.to_string_lossy();
        match result {
            Ok(found) => Self {
                path,
                verdict: verdict(found.is_sound()),
                kind: Some(found.kind),
                format: Some(found.format),
                tensors: Some(Counts { sound: found.sound, error: found.unsound.len() }),
                bytes: Some(found.bytes),
                damage: found.damage.iter().map(ToString::to_string).collect(),
                errors: found.unsound.iter().map(TensorError::new).collect(),
            },
            Err(error) => Self {
                path,
                verdict: verdict(false),
                kind: None,
                format: None,
                tensors: None,
                bytes: None,
                damage: vec![error.to_string()],
                errors: Vec::new(),
            },
        }
    }
}

impl<'a> TensorError<'a> {
    fn new((name, error): &'a (Name, Error)) -> Self {
        Self { name: Text(name), name_b64: exact(name), error: error.to_string() }
    }
}
