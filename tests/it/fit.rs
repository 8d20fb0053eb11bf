//! Graphs against checkpoints: what TensorFlow says at restore time, told before.

use std::path::{Path, PathBuf};

use ckdiff::artifact::Artifact;
use ckdiff::verify::{Fit, MetaGraph, fit};

use crate::support::oracle;

/// What a case has: a checkpoint with its meta graph, or a SavedModel.
fn place(case: &str) -> PathBuf {
    let folder = Path::new("tests/data/fit").join(case);
    let saved = folder.join("saved");
    if saved.is_dir() { saved } else { folder.join("model.ckpt") }
}

fn fitted(case: &str) -> Fit {
    let artifact = Artifact::open(place(case)).unwrap().with_meta_graph().unwrap();
    let metas = MetaGraph::all_in(artifact.message().unwrap().message());
    assert_eq!(metas.len(), 1, "{case}");
    fit(&metas[0], artifact.checkpoint().unwrap(), 20).unwrap()
}

/// Where TensorFlow lets a misfit pass: it gives a resource variable any shape.
const STRICTER: &[&str] = &["resource_shape", "object_shape"];

#[test]
fn what_tensorflow_restores_fits() {
    for (case, facts) in oracle("fit.json").as_object().unwrap() {
        let found = fitted(case);
        assert_eq!(found.restores(), facts["restores"].as_bool().unwrap(), "{case}: {found:#?}");
        let stricter = STRICTER.contains(&&**case);
        assert_eq!(found.fits(), found.restores() && !stricter, "{case}: {found:#?}");
        if let Some(says) = facts["says"].as_str() {
            let kinds = found.savers[0].misfits.iter().map(|misfit| misfit.problem.kind().name());
            assert!(kinds.clone().any(|kind| kind == says), "{case}: {says}: {found:#?}");
        }
    }
}
