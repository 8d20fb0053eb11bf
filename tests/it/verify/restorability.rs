//! Restorability: graphs checked against checkpoints, compared with TensorFlow's errors at restore time.

use std::path::{Path, PathBuf};

use ckdiff::artifact::Artifact;
use ckdiff::verify::{MetaGraph, Restorability, restorability};

use crate::support::command::{assert_valid, ckdiff};
use crate::support::{cases, fact};

/// The files of a case: a checkpoint with its meta graph, or a SavedModel.
fn place(case: &str) -> PathBuf {
    let directory = Path::new("tests/data/fit").join(case);
    let saved = directory.join("saved");
    if saved.is_dir() { saved } else { directory.join("model.ckpt") }
}

fn fitted(case: &str) -> Restorability {
    let artifact = Artifact::open(place(case)).unwrap().with_meta_graph().unwrap();
    let metas = MetaGraph::all_in(artifact.message().unwrap().message()).unwrap();
    assert_eq!(metas.len(), 1, "{case}");
    restorability(&metas[0], artifact.checkpoint().unwrap(), 20).unwrap()
}

/// Misfits that TensorFlow accepts: it gives a resource variable any shape.
const STRICTER: &[&str] = &["resource_shape", "object_shape"];

#[test]
fn graphs_that_tensorflow_restores_fit() {
    let mut misfits = 0;
    for (case, facts) in cases("fit.json", 57) {
        let found = fitted(&case);
        let restores = facts["restores"].as_bool().unwrap();
        assert_eq!(found.restores(), restores, "{case}: {found:#?}");
        let stricter = STRICTER.contains(&&*case);
        assert_eq!(found.fits(), found.restores() && !stricter, "{case}: {found:#?}");
        // The oracle gives a reason for each case that TensorFlow does not restore.
        let says = fact(&facts, "says").as_str();
        assert_eq!(says.is_none(), restores, "{case}");
        if let Some(says) = says {
            let kinds = found.savers[0].misfits.iter().map(|misfit| misfit.reason.kind().name());
            assert!(kinds.clone().any(|kind| kind == says), "{case}: {says}: {found:#?}");
            misfits += 1;
        }
    }
    assert!(misfits >= 33, "{misfits}");
}

#[test]
fn verify_reports_misfits() {
    let run = ckdiff(&["verify", "fit/several/model.ckpt"]);
    assert_eq!((run.code, run.stderr.as_str()), (1, ""));
    let expected = "\
unfit  fit/several/model.ckpt: the graph does not fit: 2 tensors missing, 1 of another shape, 1 of another dtype
  checkpoint V2, 4 tensors, 56 B, all checksums match

  Not in the checkpoint (2)
    gone/away
    lost       did you mean left?

  Different shape (1)
    a  graph [3], checkpoint [2]

  Different dtype (1)
    b  graph int32, checkpoint float32

  Not restored (1): left
";
    assert_eq!(run.text(), expected);
    let run = ckdiff(&["verify", "fit/several/model.ckpt", "--format=json"]);
    assert_eq!(run.code, 1);
    let report = run.json();
    assert_valid(&report);
    assert_eq!(report["verdict"], "unfit");
    let fit = &report["artifacts"][0]["graphs"][0]["fit"];
    assert_eq!(fit["savers"][0]["counts"]["missing"], 2);
    assert_eq!(fit["not_restored"]["names"][0]["name"], "left");
}

#[test]
fn every_case_is_reported_and_nothing_is_cut() {
    for (case, facts) in cases("fit.json", 57) {
        let place = place(&case);
        let path = place.strip_prefix("tests/data").unwrap().to_str().unwrap();
        let run = ckdiff(&["verify", path]);
        let fits = facts["restores"].as_bool().unwrap() && !STRICTER.contains(&&*case);
        assert_eq!(run.code, i32::from(!fits), "{case}: {run:?}");
        assert!(!run.text().contains('…'), "{case}: {}", run.text());
        assert_valid(&ckdiff(&["verify", path, "--format=json"]).json());
    }
}

#[test]
fn damage_is_reported_before_misfits() {
    let dir = tempfile::tempdir().unwrap();
    for name in ["model.ckpt.index", "model.ckpt.meta", "model.ckpt.data-00000-of-00001"] {
        let mut bytes = std::fs::read(Path::new("tests/data/fit/several").join(name)).unwrap();
        if name.contains("data") {
            bytes[0] ^= 1;
        }
        std::fs::write(dir.path().join(name), bytes).unwrap();
    }
    let run = ckdiff(&["verify", dir.path().join("model.ckpt").to_str().unwrap()]);
    assert_eq!(run.code, 2, "{run:?}");
    assert!(run.text().contains("the graph does not fit: 2 tensors missing"), "{run:?}");
}

#[test]
fn attributes_that_an_older_tensorflow_lacks_are_found() {
    let dir = tempfile::tempdir().unwrap();
    let ops = dir.path().join("ops.pbtxt");
    std::fs::write(&ops, "op { name: 'NoOp' }").unwrap();
    let run = ckdiff(&["verify", "demo/model.ckpt", "--ops", ops.to_str().unwrap()]);
    assert_eq!(run.code, 1, "{run:?}");
    assert!(run.text().contains("is neither an op nor a function"), "{run:?}");
}

#[test]
fn a_diff_says_that_a_side_does_not_fit() {
    let run = ckdiff(&["fit/good/model.ckpt", "fit/shape/model.ckpt", "--format=json"]);
    let findings = run.json()["findings"].as_array().unwrap().clone();
    assert_eq!(findings.len(), 1, "{run:?}");
    assert_eq!(findings[0]["side"], "rhs");
    let problem = findings[0]["problem"].as_str().unwrap();
    assert!(problem.contains("1 tensor of another shape, as dense/bias: "), "{problem}");
}
