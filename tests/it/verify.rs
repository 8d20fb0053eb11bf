//! Verification: what is sound, and what is damaged.

use std::fs;
use std::path::Path;

use ckdiff::artifact::Artifact;
use ckdiff::progress::Silent;
use ckdiff::verify::{Verification, verify};

use crate::support::{known_tensors, oracle};

fn verified(path: impl AsRef<Path>) -> Verification {
    verify(&Artifact::open(Path::new("tests/data").join(path)).unwrap(), 2, &Silent).unwrap()
}

#[test]
fn everything_that_tensorflow_wrote_is_sound() {
    for (path, known) in known_tensors() {
        let found = verified(&path);
        assert!(found.is_sound(), "{path}: {found:?}");
        assert_eq!(found.tensors(), known.len() as u64, "{path}");
    }
}

#[test]
fn every_damage_is_noticed() {
    for (case, facts) in oracle("hostile.json").as_object().unwrap() {
        let broken = facts["broken"].as_array().is_some_and(|broken| !broken.is_empty());
        let opens = facts["opens"].as_bool().unwrap();
        let Ok(artifact) = Artifact::open(Path::new("tests/data/hostile").join(case)) else {
            assert!(broken || !opens, "{case} has to open");
            continue;
        };
        assert_eq!(
            verify(&artifact, 1, &Silent).unwrap().is_sound(),
            !broken && opens,
            "{case}: {facts}"
        );
    }
}

#[test]
fn the_number_of_threads_changes_nothing() {
    let artifact = Artifact::open("tests/data/hostile/bit_data").unwrap();
    let one = verify(&artifact, 1, &Silent).unwrap();
    for threads in [0, 2, 7] {
        assert_eq!(
            format!("{:?}", verify(&artifact, threads, &Silent).unwrap()),
            format!("{one:?}")
        );
    }
}

#[test]
fn an_index_alone_is_not_sound() {
    let dir = tempfile::tempdir().unwrap();
    let index = dir.path().join("model.ckpt.index");
    fs::copy("tests/data/demo/model.ckpt.index", &index).unwrap();
    let found = verify(&Artifact::open(&index).unwrap(), 1, &Silent).unwrap();
    assert!(found.damage[0].to_string().contains("its data is not here"), "{found:?}");
}
