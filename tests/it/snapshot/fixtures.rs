//! Every model among the fixtures.

use std::fs;
use std::path::{Path, PathBuf};

use ckdiff::artifact::Artifact;

/// Opens a fixture.
pub fn open(path: impl AsRef<Path>) -> Artifact<'static> {
    let path = Path::new("tests/data").join(path);
    Artifact::open(&path).and_then(Artifact::with_meta_graph).unwrap()
}

fn collect(directory: &Path, found: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(directory).unwrap() {
        let path = entry.unwrap().path();
        let extension = path.extension().and_then(|extension| extension.to_str());
        if path.join("saved_model.pb").exists() {
            found.push(path);
        } else if path.is_dir() {
            collect(&path, found);
        } else if matches!(extension, Some("meta" | "index" | "pb")) {
            found.push(path);
        }
    }
}

/// The models of these directories, which have no damaged ones, with their paths.
pub fn all() -> Vec<(PathBuf, Artifact<'static>)> {
    let mut paths = Vec::new();
    for directory in [
        "built",
        "by_name",
        "callables",
        "demo",
        "frozen",
        "graphs",
        "meta_graphs",
        "object_savers",
        "pairs",
        "roles",
        "saved_models",
        "savers",
        "snapshots",
        "tf2",
        "v1",
    ] {
        collect(&Path::new("tests/data").join(directory), &mut paths);
    }
    paths.sort();
    let open = |path: PathBuf| {
        let artifact = Artifact::open(&path).and_then(Artifact::with_meta_graph);
        (path.clone(), artifact.unwrap_or_else(|error| panic!("{}: {error}", path.display())))
    };
    let found: Vec<_> = paths.into_iter().map(open).collect();
    assert!(found.len() > 300, "{}", found.len());
    found
}
