//! Assets: which names the files get, and where they come from.

use std::collections::BTreeMap;
use std::fmt::Display;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use super::{ASSETS, Asset};
use crate::error::{Error, ErrorKind, Result, shortened};
use crate::files::{Existing, NewFile, Publication, cannot_write, have_same_content};
use crate::graph::{Graph, attrs};
use crate::message::Message;
use crate::meta_graph;
use crate::schema::tensorflow::{
    AssetFileDef, DataType, TensorInfo, TensorProto, tensor_info::Encoding,
};
use prost_reflect::prost::Message as _;

/// The files of a SavedModel that is being built: by name, the file that each is a copy of.
///
/// A file goes by its own name. Another one of that name is the same if its path or its content is; else it gets `_1`, `_2` and so on
/// behind it. That is TensorFlow's rule within a meta graph, and holds here for all of them: TensorFlow gives the second meta graph
/// the file of the first.
#[derive(Debug, Default)]
pub(super) struct Assets {
    sources: BTreeMap<String, PathBuf>,
}

impl Assets {
    /// Copies the files of `assets` into `folder`, the SavedModel's, and says which tensor takes which of them.
    pub(super) fn add(
        &mut self,
        graph: &Graph<'_>,
        assets: &[Asset],
        folder: &Path,
    ) -> Result<Vec<AssetFileDef>> {
        let add = |(at, asset): (usize, &Asset)| {
            let added = self.add_one(graph, asset, folder);
            added.map_err(|error| error.in_field(&format!("assets[{at}]")))
        };
        assets.iter().enumerate().map(add).collect()
    }

    fn add_one(&mut self, graph: &Graph<'_>, asset: &Asset, folder: &Path) -> Result<AssetFileDef> {
        let tensor = &asset.tensor;
        let source = match &asset.path {
            Some(path) => graph.tensor(tensor).map(|_| path.clone()),
            None => path_in(graph, tensor),
        };
        let source = source.map_err(|error| error.in_field(&shortened(tensor)))?;
        let filename = self.name(&source)?;
        if !self.sources.contains_key(&filename) {
            copy(&source, &folder.join(ASSETS), &filename)?;
        }
        self.sources.insert(filename.clone(), source);
        let name = match tensor.contains(':') {
            true => tensor.clone(),
            false => format!("{tensor}:0"),
        };
        let info = TensorInfo { encoding: Some(Encoding::Name(name)), ..TensorInfo::default() };
        Ok(AssetFileDef { tensor_info: Some(info), filename })
    }

    /// The name that a file gets.
    fn name(&self, source: &Path) -> Result<String> {
        let name = source.file_name().and_then(|name| name.to_str()).ok_or_else(|| {
            let kind = "an asset is a file whose name is UTF-8".into();
            Error::from(ErrorKind::Usage(kind)).in_file(source)
        })?;
        let metadata = fs::metadata(source);
        let metadata = metadata.map_err(|error| Error::io("open", error).in_file(source))?;
        if !metadata.is_file() {
            let kind = "an asset is a file, and this is none".into();
            return Err(Error::from(ErrorKind::Usage(kind)).in_file(source));
        }
        match self.sources.get(name) {
            None => return Ok(name.to_owned()),
            Some(known) if known == source => return Ok(name.to_owned()),
            Some(known) if have_same_content(source, known)? => return Ok(name.to_owned()),
            Some(_) => {}
        }
        let mut numbered = (1..).map(|number: u64| format!("{name}_{number}"));
        // The numbers do not end.
        Ok(numbered.find(|name| !self.sources.contains_key(name)).unwrap_or_default())
    }
}

/// The path in a constant.
fn path_in(graph: &Graph<'_>, tensor: &str) -> Result<PathBuf> {
    let (node, output) = graph.tensor(tensor)?;
    let wrong =
        |what, found: &dyn Display, allowed: &str| Err(Error::unexpected(what, found, allowed));
    if node.op != "Const" || output != 0 {
        return wrong("op", &shortened(node.op), "the path of an asset is in a Const");
    }
    let value = node.attr("value").and_then(attrs::tensor).unwrap_or_default();
    let value = TensorProto::decode(value);
    let value =
        value.map_err(|error| Error::unexpected("value", error, "it must be a TensorProto"))?;
    if value.dtype() != DataType::DtString {
        return wrong("dtype", &value.dtype().as_str_name(), "the path of an asset is DT_STRING");
    }
    let [path] = value.string_val.as_slice() else {
        let found = value.string_val.len();
        return wrong("number of strings", &found, "the path of an asset is one");
    };
    if path.is_empty() {
        return wrong("path", &"empty", "it must name a file");
    }
    bytes_to_path(path)
}

#[cfg(unix)]
#[expect(clippy::unnecessary_wraps, reason = "elsewhere not all bytes are a path")]
fn bytes_to_path(path: &[u8]) -> Result<PathBuf> {
    use std::os::unix::ffi::OsStrExt;
    Ok(std::ffi::OsStr::from_bytes(path).into())
}

#[cfg(not(unix))]
fn bytes_to_path(path: &[u8]) -> Result<PathBuf> {
    let text = std::str::from_utf8(path);
    let text = text.map_err(|error| Error::unexpected("path", error, "it must be UTF-8"))?;
    Ok(text.into())
}

/// Copies a file into a folder, which is made where it is not there yet.
fn copy(source: &Path, folder: &Path, name: &str) -> Result<()> {
    fs::create_dir_all(folder).map_err(|error| Error::io("make", error).in_file(folder))?;
    let place = folder.join(name);
    let fail = |error| Error::io("open", error).in_file(source);
    let mut from = fs::File::open(source).map_err(fail)?;
    let mut new = NewFile::create(&place)?;
    io::copy(&mut from, &mut new).map_err(|error| cannot_write(error).in_file(&place))?;
    let mut publication = Publication::new(Existing::Refuse);
    publication.add(new.complete()?);
    publication.publish()
}

/// Where the assets of a meta graph are, by the tensors that take their paths.
pub(super) fn located(meta: &Message<'_>, dir: &Path) -> Result<BTreeMap<String, PathBuf>> {
    let mut found = BTreeMap::new();
    for asset in meta_graph::assets(meta)? {
        let info = asset.tensor_info.unwrap_or_default();
        let tensor = super::tensor_info::name(&info).unwrap_or_default();
        let in_asset = |error: Error| error.in_field(&format!("asset of {}", shortened(tensor)));
        if !is_inside(Path::new(&asset.filename)) {
            let allowed = "it must be in the folder assets";
            let found = shortened(&asset.filename).into_owned();
            return Err(in_asset(Error::unexpected("filename", found, allowed)));
        }
        let path = dir.join(ASSETS).join(&asset.filename);
        if !path.is_file() {
            let kind = "the file of an asset is missing".into();
            return Err(in_asset(Error::from(ErrorKind::NotFound(kind)).in_file(&path)));
        }
        found.insert(tensor.to_owned(), path);
    }
    Ok(found)
}

/// Whether a path leads to something in the folder that it is taken from.
fn is_inside(path: &Path) -> bool {
    use std::path::Component::{CurDir, Normal};
    let mut parts = path.components();
    path.file_name().is_some() && parts.all(|part| matches!(part, Normal(_) | CurDir))
}
