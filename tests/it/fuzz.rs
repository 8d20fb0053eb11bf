//! The corpora of the fuzz targets in `tests/fuzz/corpora`: every input that a target learned from, and every one that failed once.

use std::fs;
use std::path::Path;

use crate::support::fuzz_targets::{self, TARGETS};

const CORPORA: &str = "tests/fuzz/corpora";

/// Whether the fuzz targets are here: they are a package of their own, which the published one leaves out.
fn is_checkout() -> bool {
    Path::new("tests/fuzz").exists()
}

/// Runs a target on each file of its corpus.
#[expect(
    clippy::print_stderr,
    reason = "the last input that a failing test shows is the one that failed"
)]
fn replay(target: &str) {
    if !is_checkout() {
        return;
    }
    let mut inputs = 0;
    for entry in fs::read_dir(Path::new(CORPORA).join(target)).unwrap() {
        let path = entry.unwrap().path();
        // Shown only if the test fails; the last one is the input that failed.
        eprintln!("{}", path.display());
        fuzz_targets::run(target, &fs::read(path).unwrap());
        inputs += 1;
    }
    assert!(inputs > 0, "{target} has no corpus");
}

macro_rules! replayed {
    ($($target:ident)*) => {
        const REPLAYED: &[&str] = &[$(stringify!($target)),*];
        $(
            #[test]
            fn $target() {
                replay(stringify!($target));
            }
        )*
    };
}

replayed! {
    decode_message
    diff_checkpoints
    diff_messages
    format_text
    move_meta_graph
    open_checkpoint_v1
    open_checkpoint_v2
    open_file
    open_safetensors
    open_saved_model
    open_table
    parse_json
    parse_text
    read_document
    read_snapshot
    run_saver
    state_file
}

#[test]
fn every_target_is_built_and_replayed() {
    let targets: Vec<&str> = TARGETS.iter().map(|(name, _)| *name).collect();
    assert_eq!(REPLAYED, targets);
    if !is_checkout() {
        return;
    }
    let manifest = fs::read_to_string("tests/fuzz/Cargo.toml").unwrap();
    let bins = manifest.split("[[bin]]").skip(1);
    let names: Vec<&str> = bins.map(|bin| bin.split('"').nth(1).unwrap()).collect();
    assert_eq!(names, targets);
}
