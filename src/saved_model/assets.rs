//! Assets: the files of a SavedModel, and the names that they get.

use std::collections::{BTreeMap, BTreeSet};
use std::ffi::OsStr;
use std::fmt::Display;
use std::fs;
use std::path::{Path, PathBuf};

use super::tensor_info::full_name;
use crate::artifact::asset_file;
use crate::error::{Error, Result, shortened};
use crate::files::{CompleteFile, IfExists, Publication, have_same_content};
use crate::graph::{Constant, Graph, OpTable, attrs, is_constant};
use crate::message::Message;
use crate::meta_graph;
use crate::schema::tensorflow::tensor_info::Encoding;
use crate::schema::tensorflow::{AssetFileDef, TensorInfo};
use crate::tensor::DType;

/// A file whose path a tensor of the graph receives.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct AssetSource {
    /// The tensor, `x:0`.
    pub tensor: String,
    /// The path of the file; `None` if the tensor is a constant that contains it.
    pub path: Option<PathBuf>,
}

/// An asset whose file exists.
pub(super) struct AssetFile {
    /// The tensor, `x:0`.
    tensor: String,
    path: PathBuf,
    /// The name of the file.
    name: String,
}

/// Finds the files of all assets, before anything is written.
pub(super) fn find(meta: &Message<'_>, assets: &[AssetSource]) -> Result<Vec<AssetFile>> {
    let (graph, ops) = (Graph::new(meta_graph::graph_of(meta)?)?, meta_graph::op_table(meta)?);
    let mut paths = BTreeMap::new();
    let find = |(at, asset): (usize, &AssetSource)| {
        let found = find_one(&graph, &ops, asset).and_then(|found| {
            // An asset that is given twice is listed twice, as by TensorFlow.
            let known = paths.entry(found.tensor.clone()).or_insert_with(|| found.path.clone());
            if *known == found.path {
                return Ok(found);
            }
            let kind = format!("{} already receives another path", shortened(&found.tensor));
            Err(Error::usage(kind))
        });
        found.map_err(|error| error.in_field(&format!("assets[{at}]")))
    };
    assets.iter().enumerate().map(find).collect()
}

fn find_one(graph: &Graph<'_>, ops: &OpTable<'_>, asset: &AssetSource) -> Result<AssetFile> {
    let tensor = full_name(&asset.tensor);
    let path = match &asset.path {
        Some(path) => graph.output(&tensor, ops).map(|_| path.clone()),
        None => path_in(graph, &tensor),
    };
    let path = path.map_err(|error| error.in_field(&shortened(&tensor)))?;
    let name = path.file_name().and_then(OsStr::to_str).map(str::to_owned);
    let metadata = fs::metadata(&path);
    let metadata = metadata.map_err(|error| Error::io("open", error).in_file(&path))?;
    match name.filter(|_| metadata.is_file()) {
        Some(name) => Ok(AssetFile { tensor, path, name }),
        None => {
            Err(Error::usage("an asset must be a regular file with a name in UTF-8").in_file(&path))
        }
    }
}

/// The names of the asset files of a SavedModel that is being built.
///
/// A file keeps its name. A second file of that name is the same asset if its content is equal; otherwise it gets a suffix `_1`,
/// `_2`, …. TensorFlow follows this rule within a meta graph, but gives a second meta graph the file of the first; here the rule
/// holds for all meta graphs.
#[derive(Debug, Default, Clone)]
pub(super) struct Assets {
    copied: BTreeSet<String>,
}

/// The names of the files of one meta graph.
#[derive(Default)]
struct MetaGraphNames {
    /// By the original name, the name of the first such file.
    first: BTreeMap<String, String>,
    taken: BTreeSet<String>,
}

impl Assets {
    /// Copies files into `directory`, and returns the file of each tensor.
    pub(super) fn add(
        &mut self,
        files: &[AssetFile],
        directory: &Path,
    ) -> Result<Vec<AssetFileDef>> {
        let mut names = MetaGraphNames::default();
        let mut defs = Vec::new();
        for AssetFile { tensor, path, name } in files {
            let filename = self.name(path, name, &names, directory)?;
            if self.copied.insert(filename.clone()) {
                copy(path, directory, &filename)?;
            }
            names.taken.insert(filename.clone());
            names.first.entry(name.clone()).or_insert_with(|| filename.clone());
            let encoding = Some(Encoding::Name(tensor.clone()));
            let info = TensorInfo { encoding, ..TensorInfo::default() };
            defs.push(AssetFileDef { tensor_info: Some(info), filename });
        }
        Ok(defs)
    }

    /// The name in the SavedModel of the file `path`, whose original name is `own`.
    fn name(
        &self,
        path: &Path,
        own: &str,
        names: &MetaGraphNames,
        directory: &Path,
    ) -> Result<String> {
        if let Some(first) = names.first.get(own)
            && have_same_content(path, &directory.join(first))?
        {
            return Ok(first.clone());
        }
        let numbered = (1..).map(|number: u64| format!("{own}_{number}"));
        for name in std::iter::once(own.to_owned()).chain(numbered) {
            let is_free = !names.taken.contains(&name);
            let is_copied = self.copied.contains(&name);
            if is_free && (!is_copied || have_same_content(path, &directory.join(&name))?) {
                return Ok(name);
            }
        }
        // Unreachable: the numbers are endless.
        Ok(own.to_owned())
    }

    /// Removes the files that were copied since the state `before`.
    pub(super) fn undo(&mut self, before: Self, directory: &Path) {
        for name in self.copied.difference(&before.copied) {
            // The file may not have been copied.
            let _ = fs::remove_file(directory.join(name));
        }
        *self = before;
    }
}

/// The path that a constant contains.
fn path_in(graph: &Graph<'_>, tensor: &str) -> Result<PathBuf> {
    let (node, output) = graph.tensor(tensor)?;
    let wrong =
        |what, found: &dyn Display, expected: &str| Err(Error::unexpected(what, found, expected));
    if !is_constant(node.op) || output != 0 {
        let found = format!("{} of a {}", shortened(tensor), shortened(node.op));
        return wrong("tensor", &found, "the output of a Const with the path of the asset");
    }
    let value = node.attr("value").and_then(attrs::tensor).unwrap_or_default();
    let value = Constant::parse(value).map_err(Error::without_offset)?;
    let strings = value.byte_elements().filter(|_| value.dtype() == DType::String);
    let Some(strings) = strings else {
        return wrong("dtype", &value.dtype(), "string, that of the path of an asset");
    };
    let [path] = *strings else {
        return wrong("number of strings", &strings.len(), "1, the path of the asset");
    };
    if path.is_empty() {
        return wrong("path", &"empty", "the name of a file");
    }
    bytes_to_path(path)
}

#[cfg(unix)]
#[expect(clippy::unnecessary_wraps, reason = "fails on other platforms, whose paths are not bytes")]
fn bytes_to_path(path: &[u8]) -> Result<PathBuf> {
    use std::os::unix::ffi::OsStrExt;
    Ok(OsStr::from_bytes(path).into())
}

#[cfg(not(unix))]
fn bytes_to_path(path: &[u8]) -> Result<PathBuf> {
    let text = std::str::from_utf8(path);
    let text = text.map_err(|error| Error::malformed("path", "UTF-8", error))?;
    Ok(text.into())
}

/// Copies a file into a directory, which is created if it is missing.
fn copy(source: &Path, directory: &Path, name: &str) -> Result<()> {
    fs::create_dir_all(directory).map_err(|error| Error::io("create", error).in_file(directory))?;
    let mut publication = Publication::new(IfExists::Refuse);
    publication.add(CompleteFile::copy(source, &directory.join(name))?);
    publication.publish()
}

/// The paths of the assets of a meta graph, by the tensors that receive them.
pub(super) fn paths(meta: &Message<'_>, dir: &Path) -> Result<BTreeMap<String, PathBuf>> {
    let mut found = BTreeMap::new();
    for asset in meta_graph::assets(meta)? {
        let info = asset.tensor_info.unwrap_or_default();
        let tensor = meta_graph::name_of(&info).unwrap_or_default();
        let in_asset = |error: Error| error.in_field(&format!("asset of {}", shortened(tensor)));
        let path = asset_file(dir, &asset.filename).map_err(in_asset)?;
        found.insert(tensor.to_owned(), path);
    }
    Ok(found)
}
