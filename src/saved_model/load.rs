//! Reads a SavedModel: finds the meta graph with some tags, and plans its use.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use prost::Message as _;

use super::op::Ops;
use super::{SHOWN, assets, tag_list};
use crate::artifact::{Document, FileKind, ReadOptions, Sniffed, layout, message_type};
use crate::error::{Error, Result};
use crate::message::{Message, nested};
use crate::meta_graph::{self, ImportOptions, meta_graphs_in};
use crate::saver::Saver;
use crate::saver::builder::BuilderOptions;
use crate::saver::run::Variables;
use crate::schema::Schema;
use crate::schema::field::{meta_graph_def, saved_model};
use crate::schema::tensorflow::meta_graph_def::MetaInfoDef;
use crate::schema::tensorflow::{SaverDef, SignatureDef};

/// A SavedModel on disk.
///
/// ```
/// use ckdiff::saved_model::SavedModel;
///
/// let model = SavedModel::open("tests/data/saved_models/builder")?;
/// assert_eq!(model.tag_sets()?, [vec!["serve", "gpu"], vec!["train"]]);
/// let plan = model.load(&["gpu", "serve"])?;
/// assert_eq!(plan.init_op.as_deref(), Some("InitializeTableFromTextFileV2"));
/// assert!(plan.assets["asset_path:0"].ends_with("assets/vocabulary.txt"));
/// let variables = plan.restore()?;
/// assert_eq!(variables.find("weights").and_then(|w| w.elements::<f32>()), Some(vec![1.0; 4]));
/// # Ok::<(), ckdiff::Error>(())
/// ```
#[derive(Debug)]
pub struct SavedModel {
    dir: PathBuf,
    message: Message<'static>,
}

/// A meta graph of a SavedModel, and the steps before its use: restore the variables, then run the init op with the assets fed.
#[derive(Debug, Clone)]
pub struct LoadPlan {
    /// The meta graph.
    pub meta_graph: Message<'static>,
    /// The saver that restores the variables, if the meta graph has one.
    pub saver: Option<SaverDef>,
    /// The prefix of the checkpoint with the variables.
    pub variables_path: PathBuf,
    /// The paths of the assets, by the tensors that receive them. They are paths inside the SavedModel, but may be symbolic links.
    pub assets: BTreeMap<String, PathBuf>,
    /// The op or tensor to run after the variables are restored.
    pub init_op: Option<String>,
    /// The signatures by name.
    pub signatures: BTreeMap<String, SignatureDef>,
}

impl SavedModel {
    /// Reads the SavedModel in a directory.
    ///
    /// # Errors
    /// If there is none, or its message cannot be read.
    pub fn open(dir: impl AsRef<Path>) -> Result<Self> {
        let dir = dir.as_ref();
        let found = Sniffed::of_path(dir);
        let FileKind::SavedModel(_) = found.kind() else { return Err(no_saved_model(&found)) };
        let message = Some(saved_model::MESSAGE_NAME.into());
        let options = ReadOptions { message, ..ReadOptions::default() };
        let document = Document::of(&found, Schema::tensorflow(), &options)?;
        Ok(Self { dir: dir.to_path_buf(), message: document.into_message() })
    }

    /// The directory.
    pub fn dir(&self) -> &Path {
        &self.dir
    }

    /// The message, a `SavedModel`.
    pub fn message(&self) -> &Message<'static> {
        &self.message
    }

    /// The prefix of the checkpoint with the variables.
    pub fn variables_path(&self) -> PathBuf {
        layout::variables_path(&self.dir)
    }

    /// The tags of each meta graph.
    ///
    /// # Errors
    /// If the `meta_info_def` of a meta graph cannot be decoded.
    pub fn tag_sets(&self) -> Result<Vec<Vec<String>>> {
        meta_graphs_in(&self.message).into_iter().map(tags).collect()
    }

    /// Finds the first meta graph with exactly these tags, in any order.
    ///
    /// # Errors
    /// If there is none, an asset is missing, or the meta graph names an op that it does not have.
    pub fn load(&self, tags: &[&str]) -> Result<LoadPlan> {
        let meta = self.meta_graph(tags)?;
        let in_dir = |error: Error| error.in_file(&self.dir);
        let assets = assets::paths(&meta, &self.dir).map_err(in_dir)?;
        LoadPlan::new(meta, assets, &self.dir).map_err(in_dir)
    }

    /// As [`load`](Self::load), with all names of the meta graph inside the scope `import_scope`.
    ///
    /// # Errors
    /// As [`load`](Self::load), or if the scope is not valid.
    pub fn load_under(&self, tags: &[&str], import_scope: &str) -> Result<LoadPlan> {
        if import_scope.is_empty() {
            return self.load(tags);
        }
        let options =
            ImportOptions { import_scope: import_scope.into(), ..ImportOptions::default() };
        self.load_with(tags, &options)
    }

    /// As [`load`](Self::load), with the meta graph imported by these options: TensorFlow's `loader.load` with the arguments of
    /// `import_meta_graph`, such as `clear_devices` and `input_map`.
    ///
    /// ```
    /// use ckdiff::meta_graph::ImportOptions;
    /// use ckdiff::saved_model::SavedModel;
    ///
    /// let model = SavedModel::open("tests/data/saved_models/builder")?;
    /// let options = ImportOptions { clear_devices: true, ..ImportOptions::default() };
    /// let plan = model.load_with(&["serve", "gpu"], &options)?;
    /// assert!(plan.restore()?.find("weights").is_some());
    /// # Ok::<(), ckdiff::Error>(())
    /// ```
    /// # Errors
    /// As [`load`](Self::load), or if the meta graph cannot be imported.
    pub fn load_with(&self, tags: &[&str], options: &ImportOptions<'_>) -> Result<LoadPlan> {
        let in_dir = |error: Error| error.in_file(&self.dir);
        let meta = self.meta_graph(tags)?;
        let mut assets = assets::paths(&meta, &self.dir).map_err(in_dir)?;
        let imported = meta_graph::import(&meta, None, options).map_err(in_dir)?;
        if !imported.scope.is_empty() {
            // The import does not change asset definitions, which are inside an `Any`.
            let in_scope = |(tensor, path)| (format!("{}/{tensor}", imported.scope), path);
            assets = assets.into_iter().map(in_scope).collect();
        }
        LoadPlan::new(imported.message, assets, &self.dir).map_err(in_dir)
    }

    /// The meta graph with these tags.
    fn meta_graph(&self, wanted: &[&str]) -> Result<Message<'static>> {
        let set: BTreeSet<&str> = wanted.iter().copied().collect();
        let mut known = Vec::new();
        for meta in meta_graphs_in(&self.message) {
            let tags = tags(meta)?;
            if tags.iter().map(String::as_str).collect::<BTreeSet<_>>() == set {
                let schema = Schema::tensorflow();
                let ty = message_type(schema, meta_graph_def::MESSAGE_NAME)?;
                return Message::decode(schema, ty, meta.to_vec());
            }
            known.push(tags);
        }
        let list = |tags: &Vec<String>| tag_list(tags.iter().map(String::as_str));
        let shown: Vec<_> = known.iter().take(SHOWN).map(list).collect();
        let known = match known.len().saturating_sub(SHOWN) {
            _ if known.is_empty() => "no meta graphs".to_owned(),
            0 => format!("those with {}", shown.join(", ")),
            more => format!("those with {}, and {more} more", shown.join(", ")),
        };
        let wanted = tag_list(set.into_iter());
        let kind = format!("there is no meta graph with the tags {wanted}; there are {known}");
        Err(Error::not_found(kind).in_file(&self.dir))
    }
}

impl LoadPlan {
    fn new(
        meta_graph: Message<'static>,
        assets: BTreeMap<String, PathBuf>,
        dir: &Path,
    ) -> Result<Self> {
        let ops = Ops::of(&meta_graph)?;
        let init_op = ops.init_op()?;
        let signatures = ops.into_signatures();
        let saver = meta_graph::saver_def(&meta_graph)?;
        let variables_path = layout::variables_path(dir);
        Ok(Self { saver, variables_path, assets, init_op, signatures, meta_graph })
    }

    /// The training op or tensor.
    ///
    /// # Errors
    /// If the meta graph names several, or one that it does not have.
    pub fn train_op(&self) -> Result<Option<String>> {
        Ops::of(&self.meta_graph)?.train_op()
    }

    /// Restores the variables with the nodes of the saver; if the meta graph has none, with those of the saver that TensorFlow
    /// would build. Variables that the saver does not restore, such as local ones, have no value.
    ///
    /// # Errors
    /// As [`Saver::restore`].
    pub fn restore(&self) -> Result<Variables> {
        let mut variables = Variables::of(&self.meta_graph)?;
        let (saver, graph) = match &self.saver {
            Some(def) => (Saver::new(def.clone()), Cow::Borrowed(&self.meta_graph)),
            None => {
                let options = BuilderOptions { allow_empty: true, ..BuilderOptions::default() };
                let (saver, graph) = Saver::build(&self.meta_graph, &options)?;
                (saver, Cow::Owned(graph))
            }
        };
        saver.restore(&graph, &self.variables_path, &mut variables)?;
        Ok(variables)
    }
}

/// The tags of a meta graph.
fn tags(meta: &[u8]) -> Result<Vec<String>> {
    let info = MetaInfoDef::decode(nested(meta, meta_graph_def::META_INFO_DEF))
        .map_err(|error| Error::malformed("meta_info_def", "a MetaInfoDef", error))?;
    Ok(info.tags)
}

/// The error for a path that is not the directory of a SavedModel.
fn no_saved_model(found: &Sniffed) -> Error {
    let error = match found.kind() {
        FileKind::Unsupported(kind) => Error::unsupported(kind.to_string()),
        _ if found.probe().is_directory() => {
            let [binary, text] = layout::GRAPHS;
            Error::not_found(format!("there is no SavedModel: neither {binary} nor {text}"))
        }
        _ => Error::not_found("there is no such directory"),
    };
    error.in_file(found.path())
}
