//! Verification of intact and damaged artifacts.

use std::fs;
use std::path::Path;

use ckdiff::artifact::Artifact;
use ckdiff::progress::Silent;
use ckdiff::verify::{Verdict, Verification, verify};

use crate::support::command::{assert_valid, ckdiff};
use crate::support::encoding;
use crate::support::{cases, known_tensors};

fn verified(path: impl AsRef<Path>) -> Verification {
    verify(&Artifact::open(Path::new("tests/data").join(path)).unwrap(), None, 2, &Silent).unwrap()
}

#[test]
fn everything_that_a_library_wrote_is_sound() {
    for (path, known) in known_tensors() {
        let found = verified(&path);
        assert!(found.is_sound(), "{path}: {found:?}");
        assert_eq!(found.tensors(), known.len() as u64, "{path}");
    }
}

#[test]
fn every_damage_is_noticed() {
    let mut opened = 0;
    for (case, facts) in cases("hostile.json", 125) {
        let broken = !facts["broken"].as_array().unwrap().is_empty();
        let opens = facts["opens"].as_bool().unwrap();
        let Ok(artifact) = Artifact::open(Path::new("tests/data/hostile").join(&case)) else {
            assert!(broken || !opens, "{case} must open");
            continue;
        };
        assert_eq!(
            verify(&artifact, None, 1, &Silent).unwrap().is_sound(),
            !broken && opens,
            "{case}: {facts}"
        );
        opened += 1;
    }
    assert!(opened >= 64, "{opened}");
}

#[test]
fn the_number_of_threads_changes_nothing() {
    let artifact = Artifact::open("tests/data/hostile/bit_data").unwrap();
    let one = verify(&artifact, None, 1, &Silent).unwrap();
    for threads in [0, 2, 7] {
        assert_eq!(
            format!("{:?}", verify(&artifact, None, threads, &Silent).unwrap()),
            format!("{one:?}")
        );
    }
}

#[test]
fn an_index_alone_is_not_sound() {
    let dir = tempfile::tempdir().unwrap();
    let index = dir.path().join("model.ckpt.index");
    fs::copy("tests/data/demo/model.ckpt.index", &index).unwrap();
    let found = verify(&Artifact::open(&index).unwrap(), None, 1, &Silent).unwrap();
    assert!(found.damage[0].to_string().contains("the data files are missing"), "{found:?}");
}

#[test]
fn verify_accepts_the_expansion_of_a_pattern() {
    let run = ckdiff(&[
        "verify",
        "demo/model.ckpt.data-00000-of-00001",
        "demo/model.ckpt.index",
        "./demo/model.ckpt",
    ]);
    assert_eq!((run.code, run.stderr.as_str()), (0, ""));
    assert_eq!(
        run.text(),
        "ok  demo/model.ckpt: checkpoint V2, 2 tensors, 32 B, all checksums match, and its graph fits\n"
    );
    let run = ckdiff(&[
        "verify",
        "demo/checkpoint",
        "./demo/model.ckpt.meta",
        "demo/model.ckpt.data-00000-of-00001",
        "demo/model.ckpt.index",
        "demo/v1format.ckpt",
    ]);
    assert_eq!((run.code, run.stderr.as_str()), (0, ""));
    assert_eq!(
        run.text(),
        "ok  demo/model.ckpt: checkpoint V2, 2 tensors, 32 B, all checksums match, and its graph fits\n\
         ok  demo/v1format.ckpt: checkpoint V1, 2 tensors, 32 B, all checksums match\n\
         note: demo/checkpoint is a state file and has nothing to verify\n"
    );
}

#[test]
fn a_graph_is_checked_against_the_checkpoint_given_with_it() {
    let run = ckdiff(&["verify", "demo/model.ckpt.meta", "demo/v1format.ckpt"]);
    assert_eq!((run.code, run.stderr.as_str()), (0, ""));
    assert_eq!(
        run.text(),
        "ok  demo/v1format.ckpt: checkpoint V1, 2 tensors, 32 B, all checksums match, and its graph fits\n"
    );
    let run = ckdiff(&["verify", "fit/missing/model.ckpt.meta", "demo/v1format.ckpt"]);
    assert_eq!(run.code, 1);
    assert!(
        run.text().starts_with("unfit  demo/v1format.ckpt: the graph does not fit: "),
        "{run:?}"
    );
}

#[test]
fn a_graph_alone_has_its_nodes_checked() {
    let run = ckdiff(&["verify", "graphs/frozen.pb"]);
    assert_eq!((run.code, run.stderr.as_str()), (0, ""));
    assert!(run.text().ends_with(" nodes, which match their op definitions\n"), "{run:?}");
}

#[test]
fn verify_refuses_a_state_file_alone() {
    let state = ckdiff(&["verify", "demo/checkpoint"]);
    assert_eq!(state.code, 2);
    assert!(state.text().contains("state file"), "{state:?}");
}

#[test]
fn verify_reports_damage() {
    let run = ckdiff(&[
        "verify",
        "hostile/good",
        "hostile/bit_data",
        "hostile/index_magic",
        "--format=json",
    ]);
    assert_eq!(run.code, 2);
    assert_valid(&run.json());
    let report = run.json();
    let artifacts = report["artifacts"].as_array().unwrap();
    let verdicts: Vec<_> = artifacts.iter().map(|artifact| &artifact["verdict"]).collect();
    assert_eq!(verdicts, ["sound", "trouble", "trouble"]);
    assert_eq!(run.stderr.lines().count(), 2, "{}", run.stderr);
    assert_eq!(ckdiff(&["verify", "-q", "hostile/good"]).text(), "");
}

#[test]
fn entries_that_no_list_of_tensors_has_are_damage() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("m");
    let entries = |name| encoding::v1_entries(name, 4, &[1], &[0x3a, 1, 0]);
    let [list, listed] = entries("t");
    fs::write(&path, encoding::table(&[list.clone(), listed.clone()])).unwrap();
    assert_eq!(verified(&path).verdict(), Verdict::Sound);
    let [[_, before], [_, behind]] = ["lost", "u"].map(entries);
    fs::write(&path, encoding::table(&[list, before, listed, behind])).unwrap();
    let found = verified(&path);
    assert_eq!(found.verdict(), Verdict::Trouble);
    let said = found.damage[0].kind().to_string();
    assert_eq!(
        said,
        "slice: expected a slice that the list of tensors has, found a slice of tensor lost, and 1 more"
    );
}

#[test]
fn savers_that_cannot_be_decoded_are_reported() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("graph.pbtxt");
    let text = r#"graph_def { node { name: "a" op: "NoOp" } }
        collection_def { key: "savers" value { bytes_list { value: "\377\377" } } }"#;
    fs::write(&path, text).unwrap();
    let run = ckdiff(&["verify", path.to_str().unwrap()]);
    assert_eq!(run.code, 2, "{}", run.text());
    let said = format!("{}{}", run.text(), run.stderr);
    assert!(
        said.contains(r#"collection_def["savers"][0]: saver is not a tensorflow.SaverDef"#),
        "{said}"
    );
}
