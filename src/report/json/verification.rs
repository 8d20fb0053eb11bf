//! The report of verifications: schema `ckdiff-verify/1`.

use std::io::{self, Write};
use std::path::{Path, PathBuf};

use serde::ser::SerializeMap;
use serde::{Serialize, Serializer};

use crate::error::Error;
use crate::serial;
use crate::tensor::Name;
use crate::verify::{Verification, VerifiedGraph};

use super::layout;

/// Writes the verification of each artifact, or the reason why it could not be opened.
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
    #[serde(serialize_with = "serial::path")]
    path: &'a Path,
    verdict: &'static str,
    kind: Option<&'a str>,
    format: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    checksum: Option<&'static str>,
    tensors: Option<Counts>,
    bytes: Option<u64>,
    damage: &'a [Error],
    errors: Vec<TensorError<'a>>,
    graphs: &'a [VerifiedGraph],
}

#[derive(Serialize)]
struct Counts {
    sound: u64,
    error: usize,
}

/// A tensor that cannot be read.
struct TensorError<'a>(&'a Name, &'a Error);

impl Serialize for TensorError<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(None)?;
        serial::name(&mut map, "name", Some(self.0))?;
        map.serialize_entry("error", self.1)?;
        map.end()
    }
}

impl<'a> Artifact<'a> {
    fn new(path: &'a Path, result: &'a Result<Verification, Error>) -> Self {
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
                damage: &found.damage,
                errors: found
                    .unsound
                    .iter()
                    .map(|(name, error)| TensorError(name, error))
                    .collect(),
                graphs: &found.graphs,
            },
            Err(error) => Self {
                path,
                verdict: verdict(false, false),
                kind: None,
                format: None,
                checksum: None,
                tensors: None,
                bytes: None,
                damage: std::slice::from_ref(error),
                errors: Vec::new(),
                graphs: &[],
            },
        }
    }
}
