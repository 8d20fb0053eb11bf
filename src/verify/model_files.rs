//! Checks that a SavedModel has the files that its graphs need.

use crate::artifact::{Artifact, asset_file};
use crate::error::{Error, Result};
use crate::meta_graph::{assets_in, meta_graphs_in};
use crate::saver::plan::Bodies;

use super::MetaGraph;

/// The errors of the files that a SavedModel misses: its variables, and each asset.
///
/// # Errors
/// If a graph is too large.
pub(super) fn missing(artifact: &Artifact<'_>) -> Result<Vec<Error>> {
    let Some((model, document)) = artifact.model_directory().zip(artifact.message()) else {
        return Ok(Vec::new());
    };
    let in_file = |error: Error| error.in_file(document.path());
    let (mut errors, mut names) = (Vec::new(), Vec::new());
    for meta in meta_graphs_in(document.message()) {
        match assets_in(meta) {
            Ok(assets) => names.extend(assets.into_iter().map(|asset| asset.filename)),
            Err(error) => errors.push(in_file(error)),
        }
    }
    errors.extend(missing_variables(artifact)?);
    names.sort_unstable();
    names.dedup();
    errors.extend(names.iter().filter_map(|name| asset_file(model, name).err()));
    Ok(errors)
}

/// The error of a SavedModel without variables whose graphs restore some.
///
/// # Errors
/// If a graph is too large.
pub(crate) fn missing_variables(artifact: &Artifact<'_>) -> Result<Option<Error>> {
    let Some((model, document)) = artifact.model_directory().zip(artifact.message()) else {
        return Ok(None);
    };
    if artifact.checkpoint().is_some() {
        return Ok(None);
    }
    let in_file = |error: Error| error.in_file(document.path());
    for meta in MetaGraph::all_in(document.message()).map_err(in_file)? {
        let restores = Bodies::new(&meta.graph).map_err(in_file)?.restores();
        let mut tensors = restores.iter().filter_map(|restore| restore.tensors.as_ref());
        if tensors.any(|tensors| !tensors.is_empty()) {
            let why = "the graph restores variables, but the SavedModel has none";
            return Ok(Some(Error::not_found(why).in_file(model)));
        }
    }
    Ok(None)
}
