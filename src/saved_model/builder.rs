//! Writes a SavedModel: collects meta graphs and files, and publishes all at once.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

use super::assets::{self, AssetFile, Assets};
use super::op::Ops;
use super::tensor_info::full_name;
use super::values::Values;
use super::{AssetSource, signature, tag_list};
use crate::artifact::{layout, message_type};
use crate::error::{Error, Result, shortened};
use crate::files::{NewDirectory, cannot_write, replace};
use crate::graph::Graph;
use crate::message::{Losses, MAX_BYTES, Message, Writer};
use crate::meta_graph::{self, ExportOptions, Item, MAIN_OP};
use crate::progress::Progress;
use crate::saver::builder::{self, BuilderOptions, with_saver};
use crate::schema::Schema;
use crate::schema::field::saved_model;
use crate::schema::tensorflow::{AssetFileDef, SaverDef, SignatureDef};
use crate::text::{PrintOptions, Style, print};

/// The version of the layout.
const SCHEMA_VERSION: u64 = 1;

/// Writes a SavedModel: TensorFlow's `tf.compat.v1.saved_model.Builder`.
///
/// Everything is written to a temporary directory, which [`save`](Self::save) renames once it is on disk, so that no reader sees an
/// incomplete SavedModel. If the target is an empty directory, that is filled instead, the message last. A refused meta graph leaves
/// the builder unchanged, and a builder that is dropped leaves nothing; a program that is killed leaves the temporary directory,
/// `.ckdiff-….tmp`.
///
/// Mutable tables among the `saveable_objects` of a TensorFlow 1 graph are not saved by the saver that is built. A SavedModel that
/// is built from the meta graphs of another does not get its `fingerprint.pb`, `debug` and `assets.extra`.
///
/// ```
/// use ckdiff::artifact::Artifact;
/// use ckdiff::checkpoint::Checkpoint;
/// use ckdiff::progress::Silent;
/// use ckdiff::saved_model::{Builder, MetaGraphOptions, SavedModel, Values};
///
/// let model = Artifact::open("tests/data/demo/model.ckpt.meta")?;
/// let meta_graph = model.message().expect("it is a meta graph").message();
/// let values = Checkpoint::open("tests/data/demo/model.ckpt")?;
///
/// let directory = tempfile::tempdir().unwrap();
/// let mut builder = Builder::new(directory.path().join("export/1"))?;
/// let options = MetaGraphOptions { tags: vec!["serve".into()], ..MetaGraphOptions::default() };
/// builder.add_meta_graph_and_variables(meta_graph, Values::Checkpoint(&values), &options, &Silent)?;
/// let saved = builder.save()?;
///
/// let plan = SavedModel::open(&saved.dir)?.load(&["serve"])?;
/// assert_eq!(plan.restore()?.find("v1").and_then(|v1| v1.elements::<f32>()), Some(vec![1.0; 3]));
/// # Ok::<(), ckdiff::Error>(())
/// ```
#[derive(Debug)]
pub struct Builder {
    directory: NewDirectory,
    meta_graphs: Vec<Added>,
    has_variables: bool,
    assets: Assets,
}

/// A meta graph that was added.
#[derive(Debug)]
struct Added {
    tags: BTreeSet<String>,
    bytes: Vec<u8>,
}

/// Options for a meta graph.
#[derive(Debug, Clone, Default)]
pub struct MetaGraphOptions {
    /// The tags, such as `serve`, which replace those of the meta graph. No two meta graphs may have the same.
    pub tags: Vec<String>,
    /// Signatures by name, which are added to those of the meta graph, or replace them.
    pub signatures: BTreeMap<String, SignatureDef>,
    /// The files that the nodes read: at least those that the meta graph lists.
    pub assets: Vec<AssetSource>,
    /// The op to run after the variables are restored; also for what was once called `legacy_init_op`.
    pub main_op: Option<String>,
    /// Whether the devices of nodes are removed, except in functions.
    pub clear_devices: bool,
    /// Whether attributes with default values are removed.
    pub strip_default_attrs: bool,
    /// The saver of the variables. If `None`, a sharded saver is built for the variables of the collections; if these list none,
    /// the saver of the meta graph is used.
    pub saver: Option<SaverDef>,
}

/// The result of building.
#[derive(Debug)]
#[non_exhaustive]
pub struct BuildOutcome {
    /// The directory.
    pub dir: PathBuf,
    /// The file with the message.
    pub file: PathBuf,
    /// The parts of the message that text cannot represent.
    pub losses: Losses,
}

impl Builder {
    /// A builder of the SavedModel `dir`, which may be missing or an empty directory. Missing parents are created.
    ///
    /// # Errors
    /// If `dir` is anything else, or cannot be written.
    pub fn new(dir: impl AsRef<Path>) -> Result<Self> {
        Ok(Self {
            directory: NewDirectory::create(dir.as_ref())?,
            meta_graphs: Vec::new(),
            has_variables: false,
            assets: Assets::default(),
        })
    }

    /// Adds the first meta graph, and the values of the variables that all meta graphs share.
    ///
    /// # Errors
    /// If there is already a meta graph, the graph lacks a node that an option names, a signature is incomplete, an asset is not a
    /// file, a variable has no value, or a file cannot be written.
    pub fn add_meta_graph_and_variables(
        &mut self,
        meta_graph: &Message<'_>,
        values: Values<'_>,
        options: &MetaGraphOptions,
        progress: &dyn Progress,
    ) -> Result<()> {
        if self.has_variables {
            let kind = "variables were already added; use add_meta_graph for further meta graphs";
            return Err(Error::usage(kind));
        }
        self.add(meta_graph, Some((values, progress)), options)?;
        self.has_variables = true;
        Ok(())
    }

    /// Adds another meta graph, whose variables are those of the first.
    ///
    /// # Errors
    /// If there is no first one, or its tags are those of another; otherwise as for [`add_meta_graph_and_variables`](Self::add_meta_graph_and_variables).
    pub fn add_meta_graph(
        &mut self,
        meta_graph: &Message<'_>,
        options: &MetaGraphOptions,
    ) -> Result<()> {
        if !self.has_variables {
            let kind = "there are no variables yet; call add_meta_graph_and_variables first";
            return Err(Error::usage(kind));
        }
        self.add(meta_graph, None, options)
    }

    /// Saves everything, the message in binary.
    ///
    /// # Errors
    /// If a file cannot be written; then nothing is left.
    pub fn save(self) -> Result<BuildOutcome> {
        self.save_in(&[layout::BINARY])
    }

    /// Saves everything, the message as text, which not all servers of SavedModels read.
    ///
    /// # Errors
    /// As [`save`](Self::save).
    pub fn save_as_text(self) -> Result<BuildOutcome> {
        self.save_in(&[layout::TEXT])
    }

    /// Saves everything, the message in binary and as text. Readers take the binary file, which is the one that is returned.
    ///
    /// # Errors
    /// As [`save`](Self::save).
    pub fn save_in_both_forms(self) -> Result<BuildOutcome> {
        self.save_in(&[layout::BINARY, layout::TEXT])
    }

    /// Saves everything, the message in these files.
    fn save_in(self, names: &[&str]) -> Result<BuildOutcome> {
        let mut out = Writer::default();
        out.put_varint(saved_model::SAVED_MODEL_SCHEMA_VERSION, SCHEMA_VERSION);
        for added in &self.meta_graphs {
            out.put_bytes(saved_model::META_GRAPHS, &added.bytes);
        }
        let bytes = out.finish();
        let dir = self.directory.target().to_path_buf();
        let file = names.first().map(|name| dir.join(name)).unwrap_or_default();
        if bytes.len() as u64 > MAX_BYTES {
            let expected = format!("at most {MAX_BYTES}");
            return Err(Error::unexpected("bytes", bytes.len(), expected).in_file(&file));
        }
        let schema = Schema::tensorflow();
        let ty = message_type(schema, saved_model::MESSAGE_NAME)?;
        let message = Message::decode(schema, ty, bytes)?;
        let mut losses = Losses::default();
        for name in names {
            let written = replace(&self.directory.path().join(name), |out| match *name {
                layout::TEXT => print(&message, &PrintOptions::new(Style::TensorFlow), out),
                _ => {
                    out.write_all(message.bytes()).map_err(cannot_write)?;
                    Ok(Losses::default())
                }
            });
            losses.add(written.map_err(|error| self.directory.at_target(error))?);
        }
        self.directory.publish()?;
        Ok(BuildOutcome { file, dir, losses })
    }

    fn add(
        &mut self,
        meta: &Message<'_>,
        values: Option<(Values<'_>, &dyn Progress)>,
        options: &MetaGraphOptions,
    ) -> Result<()> {
        let tags: BTreeSet<String> = options.tags.iter().cloned().collect();
        if self.meta_graphs.iter().any(|added| added.tags == tags) {
            let list = tag_list(tags.iter().map(String::as_str));
            return Err(Error::usage(format!(
                "there already is a meta graph with the tags {list}"
            )));
        }
        signature::validate(&options.signatures)?;
        let found = assets::find(meta, &options.assets)?;
        check_assets(meta, options)?;
        let mut meta = meta.clone();
        if let Some(main_op) = &options.main_op {
            Ops::of(&meta)?.check_main_op(main_op)?;
            meta = meta_graph::add_to_collection(&meta, MAIN_OP, &[Item::Node(main_op)])?;
        }
        let (meta, saver) = with_own_saver(meta, options)?;
        let (before, has_values) = (self.assets.clone(), values.is_some());
        let written = self.write_files(&found, &meta, saver.as_ref(), values);
        let written = written.and_then(|assets| encode(&meta, &assets, options));
        match written {
            Ok(bytes) => self.meta_graphs.push(Added { tags, bytes }),
            Err(error) => {
                self.assets.undo(before, &self.directory.path().join(layout::ASSETS));
                if has_values {
                    // The directory may not exist.
                    let _ = fs::remove_dir_all(self.directory.path().join(layout::VARIABLES));
                }
                return Err(self.directory.at_target(error));
            }
        }
        Ok(())
    }

    /// Writes the files of a meta graph, and returns its assets.
    fn write_files(
        &mut self,
        found: &[AssetFile],
        meta: &Message<'_>,
        saver: Option<&SaverDef>,
        values: Option<(Values<'_>, &dyn Progress)>,
    ) -> Result<Vec<AssetFileDef>> {
        let directory = self.directory.path();
        let assets = self.assets.add(found, &directory.join(layout::ASSETS))?;
        if let Some((values, progress)) = values {
            let variables = directory.join(layout::VARIABLES);
            fs::create_dir(&variables)
                .map_err(|error| Error::io("create", error).in_file(&variables))?;
            if let Some(saver) = saver {
                values.write(meta, saver, &layout::variables_path(directory), progress)?;
            }
        }
        Ok(assets)
    }
}

/// Encodes a meta graph for the SavedModel.
fn encode(
    meta: &Message<'_>,
    assets: &[AssetFileDef],
    options: &MetaGraphOptions,
) -> Result<Vec<u8>> {
    let meta = meta_graph::with_assets(meta, assets)?;
    let export = ExportOptions {
        clear_devices: options.clear_devices,
        strip_default_attrs: options.strip_default_attrs,
        stripped_op_list: true,
        tags: Some(options.tags.clone()),
        ..ExportOptions::default()
    };
    let meta = meta_graph::export(&meta, &export)?.message;
    Ok(meta_graph::with_signatures(&meta, &options.signatures)?.into_bytes())
}

/// Checks that the options have all files that the meta graph lists.
fn check_assets(meta: &Message<'_>, options: &MetaGraphOptions) -> Result<()> {
    let given: BTreeSet<_> = options.assets.iter().map(|asset| full_name(&asset.tensor)).collect();
    for known in meta_graph::assets(meta)? {
        let info = known.tensor_info.unwrap_or_default();
        let tensor = meta_graph::name_of(&info).unwrap_or_default();
        if !given.contains(&full_name(tensor)) {
            let name = shortened(&known.filename);
            let kind = format!("the meta graph reads {name}, but no file is given");
            let asset = format!("asset of {}", shortened(tensor));
            return Err(Error::not_found(kind).in_field(&asset));
        }
    }
    Ok(())
}

/// Adds the saver that saves the variables, if there are any.
fn with_own_saver<'s>(
    meta: Message<'s>,
    options: &MetaGraphOptions,
) -> Result<(Message<'s>, Option<SaverDef>)> {
    if let Some(saver) = &options.saver {
        let graph = Graph::new(meta_graph::graph_of(&meta)?)?;
        let SaverDef { filename_tensor_name, save_tensor_name, restore_op_name, .. } = saver;
        for name in [filename_tensor_name, save_tensor_name, restore_op_name] {
            graph.tensor(name).map_err(|error| error.in_field("saver"))?;
        }
        return Ok((with_saver(&meta, saver)?, Some(saver.clone())));
    }
    let built = BuilderOptions { sharded: true, allow_empty: true, ..BuilderOptions::default() };
    if let Some(built) = builder::build(&meta, &built)? {
        let message = with_saver(&built.message, &built.saver_def)?;
        return Ok((message, Some(built.saver_def)));
    }
    let own = meta_graph::saver_def(&meta)?;
    Ok((meta, own))
}
