//! The errors of a SavedModel that its overview reports.

use super::{Contents, Directory, Overview};
use crate::artifact::asset_file;
use crate::error::Error;

impl Overview<'_> {
    /// The errors of a SavedModel beyond its graphs: damaged variables, assets that cannot be read, and assets whose files are
    /// missing.
    pub fn errors(&self) -> Vec<Error> {
        let Contents::MetaGraphs(graphs) = &self.contents else { return Vec::new() };
        let unknown = graphs.iter().filter_map(|graph| graph.assets_error.clone());
        let unknown = unknown.map(|error| error.in_file(&self.path));
        let assets = graphs.iter().flat_map(|graph| &graph.assets);
        let missing = assets.filter(|asset| asset.is_there == Some(false));
        let missing = missing.filter_map(|asset| {
            let model = self.path.parent().unwrap_or(&self.path);
            asset_file(model, &asset.filename).err()
        });
        let damage = self.directory.iter().flat_map(Directory::damage).cloned();
        unknown.chain(damage).chain(missing).collect()
    }
}
