//! Unusual headers: each is accepted or refused as by the safetensors library, except for the differences that the
//! format's documentation lists.

use std::fmt::Write as _;

use ckdiff::checkpoint::Checkpoint;

use super::facts;
use crate::support::fuzz_checkpoint::put;
use crate::support::named_snapshot;

/// A header and its expected result.
struct Case {
    what: String,
    library: String,
    /// `accepted`, `refused` or `unsupported`.
    ckdiff: String,
    file: Vec<u8>,
}

fn cases() -> Vec<Case> {
    let facts = facts("headers.json");
    let case = |case: &serde_json::Value| {
        let text = |key: &str| case[key].as_str().unwrap().to_owned();
        // Every byte stands for one character.
        let file = text("file").chars().map(|c| u8::try_from(u32::from(c)).unwrap()).collect();
        Case { what: text("what"), library: text("library"), ckdiff: text("ckdiff"), file }
    };
    facts.as_array().unwrap().iter().map(case).collect()
}

/// All errors in a file of these bytes.
fn errors(bytes: &[u8]) -> Vec<String> {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("m.safetensors");
    put(&path, bytes);
    let errors = match Checkpoint::open(&path) {
        Err(error) => vec![error.to_string()],
        Ok(checkpoint) => {
            let of_tensors = checkpoint.tensors().filter_map(|entry| entry.source.as_ref().err());
            checkpoint.damage().iter().chain(of_tensors).map(ToString::to_string).collect()
        }
    };
    let dir = format!("{}/", dir.path().display());
    errors.into_iter().map(|error| error.replace(&dir, "")).collect()
}

#[test]
fn the_verdict_is_that_of_the_library_but_for_named_differences() {
    let cases = cases();
    for case in &cases {
        let errors = errors(&case.file);
        let verdict = match errors.as_slice() {
            [] => "accepted",
            [only] if only.contains("are not supported") => "unsupported",
            _ => "refused",
        };
        assert_eq!(verdict, case.ckdiff, "{}: {errors:?}", case.what);
    }
    let count = |verdict: &str| cases.iter().filter(|case| case.library == verdict).count();
    assert!(count("accepted") > 50 && count("refused") > 90, "{}", cases.len());
    let differing: Vec<_> = cases.iter().filter(|case| case.library != case.ckdiff).collect();
    assert!(differing.len() < 15, "{}", differing.len());
}

#[test]
fn every_damage_is_named_with_its_location() {
    let mut out = String::new();
    for case in cases().iter().filter(|case| case.ckdiff != "accepted") {
        writeln!(out, "{}", case.what).unwrap();
        for error in errors(&case.file) {
            writeln!(out, "  {error}").unwrap();
        }
    }
    named_snapshot("safetensors", "headers", &out);
}

#[test]
fn damage_of_one_entry_leaves_the_others() {
    let good = r#""good":{"dtype":"U8","shape":[4],"data_offsets":[0,4]}"#;
    let entries = [
        r#"{"dtype":"F32","shape":[2],"data_offsets":[4,8]}"#,
        r#"{"dtype":"f32","shape":[1],"data_offsets":[4,8]}"#,
        r#"{"dtype":"F32","shape":[-1],"data_offsets":[4,8]}"#,
        r#"{"dtype":"F32","shape":[1],"data_offsets":[8,4]}"#,
        r#"{"dtype":"F32","shape":[2],"data_offsets":[4,12]}"#,
        r#"{"dtype":"F32","shape":[1]}"#,
        "[]",
        "null",
    ];
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("m.safetensors");
    for entry in entries {
        let header = format!("{{{good},\"bad\":{entry}}}");
        put(&path, &super::file_of(&header, b"12345678"));
        let checkpoint = Checkpoint::open(&path).unwrap();
        // Bytes outside of all ranges are not reported, since they may belong to the damaged entry.
        assert_eq!(checkpoint.damage().len(), 0, "{entry}");
        assert_eq!(checkpoint.get_tensor("good").unwrap().content(), b"1234", "{entry}");
        let error = checkpoint.get_tensor("bad").unwrap_err();
        assert_eq!(error.tensor().unwrap().as_str(), Some("bad"), "{entry}");
        assert!(error.file().is_some() && error.offset().is_some(), "{entry}: {error}");
    }
}
