//! What was verified: schema `ckdiff-verify/1`.

use std::borrow::Cow;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use serde::Serialize;

use crate::error::Error;
use crate::tensor::Name;
use crate::verify::Verification;

use super::fit::Graph;
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
    let all = |is: fn(&Verification) -> bool| results.iter().all(|(_, r)| r.as_ref().is_ok_and(is));
    let report = Report {
        schema: "ckdiff-verify/1",
        verdict: verdict(all(Verification::is_sound), all(Verification::fits)),
        artifacts: results.iter().map(|(path, result)| Artifact::new(path, result)).collect(),
    };
    layout::write(&report, out)
}

fn verdict(sound: bool, fits: bool) -> &'static str {
    match (sound, fits) {
        (true, true) => "sound",
        (true, false) => "unfit",
        (false, _) => "trouble",
    }
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
    kind: Option<&'a str>,
    format: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    checksum: Option<&'static str>,
    tensors: Option<Counts>,
    bytes: Option<u64>,
    damage: Vec<String>,
    errors: Vec<TensorError<'a>>,
    graphs: Vec<Graph<'a>>,
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
                verdict: verdict(found.is_sound(), found.fits()),
                kind: Some(&found.kind),
                format: Some(found.format),
                checksum: (!found.has_checksums).then_some("none"),
                tensors: found
                    .has_tensors
                    .then_some(Counts { sound: found.sound, error: found.unsound.len() }),
                bytes: found.has_tensors.then_some(found.bytes),
                damage: found.damage.iter().map(ToString::to_string).collect(),
                errors: found.unsound.iter().map(TensorError::new).collect(),
                graphs: found.graphs.iter().map(Graph::new).collect(),
            },
            Err(error) => Self {
                path,
                verdict: verdict(false, false),
                kind: None,
                format: None,
                checksum: None,
                tensors: None,
                bytes: None,
                damage: vec![error.to_string()],
                errors: Vec::new(),
                graphs: Vec::new(),
            },
        }
    }
}

impl<'a> TensorError<'a> {
    fn new((name, error): &'a (Name, Error)) -> Self {
        Self { name: Text(name), name_b64: exact(name), error: error.to_string() }
    }
}
