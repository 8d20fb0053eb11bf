//! Runs of fuzz targets on whole files and directories, as the commands do: show, verify, and diff with itself and with others.

use std::fs;
use std::path::{Path, PathBuf};

use ckdiff::artifact::Artifact;
use ckdiff::checkpoint::Listing;
use ckdiff::compare;
use ckdiff::diff::{self, Diff, Verdict};
use ckdiff::overview::Overview;
use ckdiff::progress::Silent;
use ckdiff::report::Report;
use ckdiff::verify::Targets;

use super::fuzz_checkpoint::put;
use super::{encoding, fuzz_report};

/// The names of a file that the first byte picks from.
const NAMES: &[&str] = &[
    "a.pb",
    "a.pbtxt",
    "a.json",
    "a.meta",
    "m.index",
    "m.data-00000-of-00001",
    "m.safetensors",
    "m.safetensors.index.json",
    "checkpoint",
    "a",
];

/// Shows, verifies and compares a file of any content. The first byte picks its name. Returns whether it could be opened.
pub(crate) fn open_file(dir: &Path, input: &[u8]) -> bool {
    let Some((&first, content)) = input.split_first() else { return false };
    let dir = emptied(dir);
    let path = dir.join(NAMES[usize::from(first) % NAMES.len()]);
    put(&path, content);
    check(&path)
}

/// The files of a SavedModel that an input has: each begins with a byte that picks one, and two bytes for its length.
const PARTS: &[&str] = &[
    "saved_model.pb",
    "saved_model.pbtxt",
    "variables/variables.index",
    "variables/variables.data-00000-of-00001",
    "assets/vocabulary.txt",
    "assets.extra/more",
    "fingerprint.pb",
    "debug/saved_model_debug_info.pb",
    "keras_metadata.pb",
];

/// Shows, verifies and compares a SavedModel of any files. Returns whether it could be opened.
pub(crate) fn open_saved_model(dir: &Path, input: &[u8]) -> bool {
    let dir = emptied(dir);
    let model = dir.join("model");
    put_model(&model, input);
    let is_open = check(&model);
    let Ok(lhs) = Artifact::open(&model) else { return is_open };
    // A copy elsewhere says the same.
    let copy = dir.join("copy");
    put_model(&copy, input);
    let rhs = Artifact::open(&copy).expect("its copy can be opened");
    assert_self(&lhs, &rhs);
    let known = dir.join("known");
    put_known(&known);
    let known = Artifact::open(&known).expect("the known model can be opened");
    if let (Some(there), Some(back)) = (compared(&lhs, &known), compared(&known, &lhs)) {
        assert_eq!(there.verdict(), back.verdict(), "{there:#?}\nback: {back:#?}");
    }
    is_open
}

/// An empty directory in `dir`.
fn emptied(dir: &Path) -> PathBuf {
    let dir = dir.join("files");
    // It is missing the first time.
    drop(fs::remove_dir_all(&dir));
    fs::create_dir(&dir).expect("the directory is writable");
    dir
}

fn put_in(dir: &Path, name: &str, content: &[u8]) {
    let path = dir.join(name);
    let parent = path.parent().expect("it is in the directory");
    fs::create_dir_all(parent).expect("the directory is writable");
    put(&path, content);
}

fn put_model(dir: &Path, mut input: &[u8]) {
    fs::create_dir_all(dir).expect("the directory is writable");
    while let Some((&[name, low, high], rest)) = input.split_first_chunk::<3>() {
        let (content, after) =
            rest.split_at(usize::from(u16::from_le_bytes([low, high])).min(rest.len()));
        let part = PARTS[usize::from(name) % PARTS.len()];
        // Any bytes are a block more often than a table.
        let is_block = part.ends_with(".index") && name >= 128;
        let table = is_block.then(|| encoding::table_around(content));
        put_in(dir, part, table.as_deref().unwrap_or(content));
        input = after;
    }
}

/// A small SavedModel that TensorFlow wrote.
fn put_known(dir: &Path) {
    let files: &[(&str, &[u8])] = &[
        ("saved_model.pb", include_bytes!("../../data/saved_models/legacy/saved_model.pb")),
        (
            "variables/variables.index",
            include_bytes!("../../data/saved_models/legacy/variables/variables.index"),
        ),
        (
            "variables/variables.data-00000-of-00001",
            include_bytes!(
                "../../data/saved_models/legacy/variables/variables.data-00000-of-00001"
            ),
        ),
    ];
    files.iter().for_each(|(name, content)| put_in(dir, name, content));
}

/// Shows and verifies a path, and compares it with itself. Returns whether it could be opened.
fn check(path: &Path) -> bool {
    let targets = Targets::open(&[path.to_path_buf()]);
    fuzz_report::check_verifications(&targets.verify(None, 1, &Silent));
    let Ok(artifact) = Artifact::open_readable(path) else {
        assert!(Artifact::open(path).is_err(), "what is not readable cannot be opened");
        return false;
    };
    if let Some(checkpoint) = artifact.checkpoint() {
        let listing = Listing::with_digests(checkpoint, |_| true, 1, &Silent);
        fuzz_report::check_shown(&Report::Listing(&listing, None));
    }
    if artifact.message().is_some()
        && let Ok(overview) = Overview::of_artifact(&artifact)
    {
        fuzz_report::check_shown(&Report::Overview(&overview));
    }
    assert_self(&artifact, &artifact);
    true
}

fn compared(lhs: &Artifact<'_>, rhs: &Artifact<'_>) -> Option<Diff> {
    let compare = compare::CompareOptions { threads: 1, ..compare::CompareOptions::default() };
    let options = diff::DiffOptions { compare, ..diff::DiffOptions::default() };
    let diff = diff::diff(lhs, rhs, &options, &Silent).ok()?;
    fuzz_report::check_diff(&diff);
    Some(diff)
}

/// Asserts that equal artifacts are the same, unless something cannot be read.
fn assert_self(lhs: &Artifact<'_>, rhs: &Artifact<'_>) {
    let Some(diff) = compared(lhs, rhs) else { return };
    assert_ne!(diff.verdict(), Verdict::Different, "{diff:#?}");
}
