//! Writing: meta graphs, one after the other, and all at once to its place.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};

use super::assets::{self, Assets, Found};
use super::load::{MOST, shown, ty};
use super::op::Ops;
use super::tensor_info::full_name;
use super::values::Values;
use super::{ASSETS_FOLDER, FILES, MAIN_OP, VARIABLES, signature, variables_path};
use crate::error::{Error, ErrorKind, Result, shortened};
use crate::files::{NewFolder, cannot_write, replace};
use crate::graph::Graph;
use crate::message::{Losses, Message, Writer};
use crate::meta_graph::{self, ExportOptions, Item};
use crate::progress::Progress;
use crate::saver::builder::{self, Options, with_saver};
use crate::schema::field::saved_model;
use crate::schema::tensorflow::{AssetFileDef, SaverDef, SignatureDef};
use crate::schema::{Schema, WireType};
use crate::text::{PrintOptions, Style, print};

/// The version of the layout that is written.
const SCHEMA_VERSION: u64 = 1;

/// Writes a SavedModel: TensorFlow's `tf.compat.v1.saved_model.Builder`.
///
/// All is written to a folder of another name, which gets its own when [`save`](Self::save) has everything on disk, so that nobody sees a
/// part of a SavedModel; an empty folder that is there already is filled, the message last. What is refused leaves the builder as it
/// was, and one that is dropped leaves nothing. A program that is killed leaves the folder of another name, `.ckdiff-….tmp`.
///
/// Tables that change, among the `saveable_objects` of a graph of TensorFlow 1, are not saved by the saver that is built. Of a SavedModel
/// that is built anew, `fingerprint.pb`, `debug` and `assets.extra` do not come along: they say what the meta graphs do not.
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
/// let folder = tempfile::tempdir().unwrap();
/// let mut builder = Builder::new(folder.path().join("export/1"))?;
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
    folder: NewFolder,
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

/// What becomes of a meta graph that is added.
#[derive(Debug, Clone, Default)]
pub struct MetaGraphOptions {
    /// What it is for, as `serve`; in place of the tags that it has. No two meta graphs may have the same.
    pub tags: Vec<String>,
    /// Its signatures by name, beside those that it has, and in place of those of the same names.
    pub signatures: BTreeMap<String, SignatureDef>,
    /// The files that its nodes read: every one that it says it reads, and others.
    pub assets: Vec<AssetSource>,
    /// The op that is run when the SavedModel is loaded, after its variables are restored. What older versions take as
    /// `legacy_init_op` is this too.
    pub main_op: Option<String>,
    /// Whether its nodes lose their devices, those in functions apart.
    pub clear_devices: bool,
    /// Whether attributes go whose value is the default.
    pub strip_default_attrs: bool,
    /// The saver of its variables, by the nodes of its graph. `None` for one that is built, sharded, for the variables of its
    /// collections; where they list none, for its own.
    pub saver: Option<SaverDef>,
}

/// A file that a graph reads.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct AssetSource {
    /// The tensor that takes its path, `x:0`.
    pub tensor: String,
    /// Where the file is now; `None` where the tensor is a constant that says so.
    pub path: Option<PathBuf>,
}

/// What came of building.
#[derive(Debug)]
pub struct BuildOutcome {
    /// The directory.
    pub dir: PathBuf,
    /// The file with the message in it.
    pub file: PathBuf,
    /// What text has no place for.
    pub losses: Losses,
}

impl Builder {
    /// A builder of the SavedModel `dir`, where nothing is or an empty folder. The folders that it is to be in are made.
    ///
    /// # Errors
    /// When something is there, or nothing may be written there.
    pub fn new(dir: impl AsRef<Path>) -> Result<Self> {
        Ok(Self {
            folder: NewFolder::create(dir.as_ref())?,
            meta_graphs: Vec::new(),
            has_variables: false,
            assets: Assets::default(),
        })
    }

    /// Adds the first meta graph, and what the variables hold that all of them share.
    ///
    /// # Errors
    /// When there is one already; the graph lacks what an option names, a signature says too little, an asset is no file, or the tags are
    /// taken; when a variable holds nothing, or something cannot be written.
    pub fn add_meta_graph_and_variables(
        &mut self,
        meta_graph: &Message<'_>,
        values: Values<'_>,
        options: &MetaGraphOptions,
        progress: &dyn Progress,
    ) -> Result<()> {
        if self.has_variables {
            let kind = "there are variables already; further meta graphs are added without".into();
            return Err(ErrorKind::Usage(kind).into());
        }
        self.add(meta_graph, Some((values, progress)), options)?;
        self.has_variables = true;
        Ok(())
    }

    /// Adds a meta graph more, whose variables are those of the first.
    ///
    /// # Errors
    /// When there is no first one; else as for [`add_meta_graph_and_variables`](Self::add_meta_graph_and_variables).
    pub fn add_meta_graph(
        &mut self,
        meta_graph: &Message<'_>,
        options: &MetaGraphOptions,
    ) -> Result<()> {
        if !self.has_variables {
            let kind = "there are no variables yet; the first meta graph is added with them".into();
            return Err(ErrorKind::Usage(kind).into());
        }
        self.add(meta_graph, None, options)
    }

    /// Saves everything, the message in binary.
    ///
    /// # Errors
    /// When something cannot be written; then there is nothing.
    pub fn save(self) -> Result<BuildOutcome> {
        let [file, _] = FILES;
        self.save_as(file, |message, out| {
            out.write_all(message.bytes()).map_err(cannot_write)?;
            Ok(Losses::default())
        })
    }

    /// Saves everything, the message as text, which not all that serve SavedModels read.
    ///
    /// # Errors
    /// As [`save`](Self::save).
    pub fn save_as_text(self) -> Result<BuildOutcome> {
        let [_, file] = FILES;
        self.save_as(file, |message, out| {
            print(message, &PrintOptions::new(Style::TensorFlow), out)
        })
    }

    fn save_as(
        self,
        file: &str,
        write: impl FnOnce(&Message<'_>, &mut dyn Write) -> Result<Losses>,
    ) -> Result<BuildOutcome> {
        let mut out = Writer::default();
        out.tag(saved_model::SAVED_MODEL_SCHEMA_VERSION, WireType::Varint);
        out.varint(SCHEMA_VERSION);
        for added in &self.meta_graphs {
            out.tag(saved_model::META_GRAPHS, WireType::Len);
            out.len_prefixed(&added.bytes);
        }
        let bytes = out.finish();
        let dir = self.folder.target().to_path_buf();
        if bytes.len() > MOST {
            let allowed = format!("{MOST} is the most that a message may have");
            return Err(Error::unexpected("bytes", bytes.len(), allowed).in_file(&dir.join(file)));
        }
        let message = Message::decode(Schema::tensorflow(), ty("tensorflow.SavedModel")?, bytes)?;
        let losses = replace(&self.folder.path().join(file), |out| write(&message, out));
        let losses = losses.map_err(|error| self.folder.at_target(error))?;
        self.folder.publish()?;
        Ok(BuildOutcome { file: dir.join(file), dir, losses })
    }

    fn add(
        &mut self,
        meta: &Message<'_>,
        values: Option<(Values<'_>, &dyn Progress)>,
        options: &MetaGraphOptions,
    ) -> Result<()> {
        let tags: BTreeSet<String> = options.tags.iter().cloned().collect();
        if self.meta_graphs.iter().any(|added| added.tags == tags) {
            let shown = shown(tags.iter().map(String::as_str));
            let kind = format!("there is a meta graph of the tags {shown} already");
            return Err(ErrorKind::Usage(kind).into());
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
        let written = written.and_then(|assets| finished(&meta, &assets, options));
        match written {
            Ok(bytes) => self.meta_graphs.push(Added { tags, bytes }),
            Err(error) => {
                self.assets.undo(before, &self.folder.path().join(ASSETS_FOLDER));
                if has_values {
                    // It may never have come to be there.
                    let _ = fs::remove_dir_all(self.folder.path().join(VARIABLES));
                }
                return Err(self.folder.at_target(error));
            }
        }
        Ok(())
    }

    /// Writes the files of a meta graph; returns its assets.
    fn write_files(
        &mut self,
        found: &[Found],
        meta: &Message<'_>,
        saver: Option<&SaverDef>,
        values: Option<(Values<'_>, &dyn Progress)>,
    ) -> Result<Vec<AssetFileDef>> {
        let folder = self.folder.path();
        let assets = self.assets.add(found, &folder.join(ASSETS_FOLDER))?;
        if let Some((values, progress)) = values {
            let variables = folder.join(VARIABLES);
            fs::create_dir(&variables)
                .map_err(|error| Error::io("create", error).in_file(&variables))?;
            if let Some(saver) = saver {
                values.write(meta, saver, &variables_path(folder), progress)?;
            }
        }
        Ok(assets)
    }
}

/// A meta graph as it is in the SavedModel.
fn finished(
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

/// Whether all files are given that the meta graph says it reads.
fn check_assets(meta: &Message<'_>, options: &MetaGraphOptions) -> Result<()> {
    let given: BTreeSet<_> = options.assets.iter().map(|asset| full_name(&asset.tensor)).collect();
    for known in meta_graph::assets(meta)? {
        let info = known.tensor_info.unwrap_or_default();
        let tensor = meta_graph::name_of(&info).unwrap_or_default();
        if !given.contains(&full_name(tensor)) {
            let name = shortened(&known.filename);
            let kind = format!("the meta graph reads {name}, and no file is given");
            let asset = format!("asset of {}", shortened(tensor));
            return Err(Error::from(ErrorKind::NotFound(kind)).in_field(&asset));
        }
    }
    Ok(())
}

/// The meta graph with the saver that it is saved by, where there is something to save.
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
    let built = Options { sharded: true, allow_empty: true, ..Options::default() };
    if let Some(built) = builder::build(&meta, &built)? {
        let message = with_saver(&built.message, &built.saver_def)?;
        return Ok((message, Some(built.saver_def)));
    }
    let own = meta_graph::saver_def(&meta)?;
    Ok((meta, own))
}
