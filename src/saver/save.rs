//! Saves checkpoints: writes the checkpoint, updates the state file, and removes an old checkpoint.

use std::borrow::Cow;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::{SystemTime, UNIX_EPOCH};

use super::builder::{BuilderOptions, BuiltSaver, build, with_saver, without_saver};
use super::directory::{CheckpointDirectory, check_directory, directory_of, ends_with_directory};
use super::{Content, Rotation};
use crate::checkpoint::{
    self, CheckpointState, Format, META_GRAPH_SUFFIX, StateOptions, meta_graph_filename,
};
use crate::error::{Error, Result};
use crate::files::{self, Replacement};
use crate::message::Message;
use crate::meta_graph::{self, ExportOptions, debug_info_file};
use crate::progress::Progress;
use crate::schema::tensorflow::SaverDef;
use crate::schema::tensorflow::saver_def::CheckpointFormatVersion;

/// A saver: its `SaverDef`, and the checkpoints that it has saved.
///
/// ```
/// use ckdiff::checkpoint::{CheckpointState, CheckpointBuilder};
/// use ckdiff::progress::Silent;
/// use ckdiff::saver::{SaveOptions, Saver};
/// use ckdiff::schema::tensorflow::SaverDef;
/// use ckdiff::tensor::{DType, Shape, Tensor};
///
/// let dir = tempfile::tempdir().unwrap();
/// let step = Tensor::new(DType::I64, Shape::new(&[])?, 7i64.to_le_bytes().to_vec())?;
/// let mut builder = CheckpointBuilder::default();
/// builder.add("global_step", &step)?;
///
/// let mut saver = Saver::new(SaverDef { max_to_keep: 5, version: 2, ..SaverDef::default() });
/// let options = SaveOptions { global_step: Some(7), ..SaveOptions::default() };
/// let saved = saver.save(&builder, &dir.path().join("model.ckpt"), &options, &Silent)?;
/// assert_eq!(saved.path, Some(dir.path().join("model.ckpt-7")));
/// assert_eq!(CheckpointState::read(dir.path())?.latest()?, dir.path().join("model.ckpt-7"));
/// # Ok::<(), ckdiff::Error>(())
/// ```
#[derive(Debug)]
pub struct Saver {
    def: SaverDef,
    rotation: Rotation,
    /// Whether the saver has no variables.
    is_empty: bool,
    pad_step_number: bool,
    save_relative_paths: bool,
}

/// The options of one save.
#[derive(Debug, Clone)]
pub struct SaveOptions<'a> {
    /// Appended to the path, after a dash.
    pub global_step: Option<i64>,
    /// The name of the state file; by default `checkpoint`.
    pub latest_filename: Option<&'a str>,
    /// Whether the state file is written, and old checkpoints are removed.
    pub write_state: bool,
    /// Whether the meta graph is written next to the checkpoint.
    pub write_meta_graph: bool,
    /// The meta graph; by default that of the [content](Content::meta_graph), if it has one.
    pub meta_graph: Option<&'a Message<'a>>,
    /// Whether the meta graph is written without attributes that have their default value.
    pub strip_default_attrs: bool,
    /// The file name extension of the meta graph.
    pub meta_graph_suffix: &'a str,
    /// A `GraphDebugInfo`, whose part for the meta graph's nodes is written next to the meta graph, with the extension `debug`. TensorFlow's
    /// `save_debug_info` takes it from the running program.
    pub debug_info: Option<&'a Message<'a>>,
    /// The time of the save; by default now.
    pub time: Option<SystemTime>,
}

/// The result of a save.
#[derive(Debug)]
#[non_exhaustive]
pub struct SaveOutcome {
    /// The path that opens the checkpoint; `None` if the saver is empty.
    pub path: Option<PathBuf>,
    /// The error of removing an old checkpoint; the save itself succeeded.
    pub not_removed: Option<Error>,
}

impl Default for SaveOptions<'_> {
    fn default() -> Self {
        Self {
            global_step: None,
            latest_filename: None,
            write_state: true,
            write_meta_graph: true,
            meta_graph: None,
            strip_default_attrs: false,
            meta_graph_suffix: META_GRAPH_SUFFIX,
            debug_info: None,
            time: None,
        }
    }
}

impl Saver {
    /// A saver that begins now.
    pub fn new(def: SaverDef) -> Self {
        Self::since(def, SystemTime::now())
    }

    /// As [`new`](Self::new), with another beginning for `keep_checkpoint_every_n_hours`.
    pub fn since(def: SaverDef, begin: SystemTime) -> Self {
        let rotation = Rotation::new(&def, seconds(begin));
        Self { rotation, def, is_empty: false, pad_step_number: false, save_relative_paths: false }
    }

    /// The same saver with another beginning for `keep_checkpoint_every_n_hours`, and no saved checkpoints.
    #[must_use]
    pub fn beginning_at(self, begin: SystemTime) -> Self {
        Self { rotation: Rotation::new(&self.def, seconds(begin)), ..self }
    }

    /// The same saver; whether it pads steps to eight digits, so that paths sort by them: an argument of TensorFlow's `Saver`.
    #[must_use]
    pub fn pad_step_number(self, pad_step_number: bool) -> Self {
        Self { pad_step_number, ..self }
    }

    /// The same saver; whether the paths in the state file are relative to its directory, so that it can be moved: an argument of TensorFlow's
    /// `Saver`.
    #[must_use]
    pub fn save_relative_paths(self, save_relative_paths: bool) -> Self {
        Self { save_relative_paths, ..self }
    }

    /// Builds a saver into the graph of a meta graph; returns it, and the message with its nodes.
    ///
    /// With [`BuilderOptions::allow_empty`] and no variables, the saver is empty and the message unchanged: saving writes only the meta graph, and
    /// restoring does nothing. TensorFlow's `defer_build` has no counterpart, because options need no graph and can be used later.
    ///
    /// # Errors
    /// As [`build`](super::builder::build).
    pub fn build<'s>(
        meta_graph: &Message<'s>,
        options: &BuilderOptions,
    ) -> Result<(Self, Message<'s>)> {
        if let Some(BuiltSaver { message, saver_def }) = build(meta_graph, options)? {
            return Ok((Self::new(saver_def), message));
        }
        let def = SaverDef {
            max_to_keep: options.max_to_keep.unwrap_or(0),
            sharded: options.sharded,
            keep_checkpoint_every_n_hours: options.keep_checkpoint_every_n_hours,
            version: options.write_version.into(),
            ..SaverDef::default()
        };
        Ok((Self { is_empty: true, ..Self::new(def) }, meta_graph.clone()))
    }

    /// Whether the saver has no variables.
    pub fn is_empty(&self) -> bool {
        self.is_empty
    }

    /// The saver of `def` in a graph that was imported into `import_scope`, or without a scope if it is empty: TensorFlow's `from_proto`.
    pub fn from_proto(def: &SaverDef, import_scope: &str) -> Self {
        Self::new(meta_graph::saver_in_scope(def, import_scope))
    }

    /// The `SaverDef` for an export of `export_scope`, without that scope in its names: TensorFlow's `to_proto`. `None` for an empty saver, and
    /// if one of its names does not begin with the scope; as in TensorFlow, `tower2/save` begins with `tower`, and is unchanged.
    pub fn to_proto(&self, export_scope: Option<&str>) -> Option<SaverDef> {
        match export_scope {
            _ if self.is_empty => None,
            Some(scope) => meta_graph::saver_of_scope(&self.def, scope),
            None => Some(self.def.clone()),
        }
    }

    /// The `SaverDef`: TensorFlow's `as_saver_def`. That of an empty saver only says how checkpoints are kept.
    pub fn def(&self) -> &SaverDef {
        &self.def
    }

    /// The checkpoints that it keeps.
    pub fn rotation(&self) -> &Rotation {
        &self.rotation
    }

    /// The checkpoints that it keeps, mutably.
    pub fn rotation_mut(&mut self) -> &mut Rotation {
        &mut self.rotation
    }

    /// Replaces the list of saved checkpoints by the existing ones of `checkpoints`, with the times of their files: TensorFlow's
    /// `recover_last_checkpoints`.
    pub fn recover_last_checkpoints(&mut self, checkpoints: &[PathBuf]) {
        let mtimes = checkpoint::mtimes(checkpoints.iter().map(PathBuf::as_path));
        let found = checkpoints.iter().zip(mtimes);
        let found = found.filter_map(|(path, time)| Some((path.clone(), seconds(time?))));
        self.rotation.set_last_checkpoints_with_time(found.collect());
    }

    /// Saves `content` as `path`, or `path-STEP`.
    ///
    /// As in TensorFlow, the meta graph is written unless the options refuse it. The order is that of TensorFlow: write the checkpoint, write the state file, remove one old checkpoint, write the meta graph. The state
    /// file names a complete checkpoint at any time; while a checkpoint with the same path is replaced, that is the backup
    /// `path.ckdiff-previous`.
    ///
    /// # Errors
    /// If `latest_filename` contains a directory or is the name of the checkpoint, the path is empty, the directory is missing, or a file cannot
    /// be written; if `meta_graph_suffix` gives the debug information the same file. As in TensorFlow, a missing directory is created for a V2
    /// checkpoint that is not sharded, but not its parent; and a sharded V2 checkpoint can have the name of the state file if its path is
    /// relative. A path such as `sub/` is that of the files `sub/.index` and so on.
    pub fn save(
        &mut self,
        content: &dyn Content,
        path: &Path,
        options: &SaveOptions<'_>,
        progress: &dyn Progress,
    ) -> Result<SaveOutcome> {
        let latest = checkpoint::state_file_name(options.latest_filename)?;
        let target = self.target(path, latest, options)?;
        let file = meta_graph_filename(&target, options.meta_graph_suffix);
        if let Some(info) = options.debug_info {
            meta_graph::check_debug_info(info)?;
            debug_info_file(&file)?;
        }
        if self.is_empty {
            check_directory(&target)?;
            self.write_meta_graph(&file, content, options)?;
            return Ok(SaveOutcome { path: None, not_removed: None });
        }
        let dir = directory_of(&target);
        // What opens a V1 checkpoint in shards is another path.
        let is_opened = self.def.version() == CheckpointFormatVersion::V2 || !self.def.sharded;
        if options.write_state && is_opened {
            CheckpointState::check_latest(dir, &target, &self.state_options(options))?;
        }
        let _directory = CheckpointDirectory::of(&target, &self.def)?;
        let saved = content.write(&self.def, &target, &dir.join(latest), progress)?;
        let now = seconds(options.time.unwrap_or_else(SystemTime::now));
        if options.write_state {
            self.rotation.record(&saved, now);
            CheckpointState::update(dir, &saved, &self.state_options(options))?;
        }
        let suffix = options.meta_graph_suffix;
        let format = Format::of(self.def.version())?;
        let old = if options.write_state { self.rotation.next_to_remove() } else { None };
        let removed = old.map_or(Ok(()), |old| checkpoint::remove(&old, format, suffix));
        self.write_meta_graph(&file, content, options)?;
        Ok(SaveOutcome { path: Some(saved), not_removed: removed.err() })
    }

    /// Writes the meta graph, if it is requested and there is one.
    fn write_meta_graph(
        &self,
        file: &Path,
        content: &dyn Content,
        options: &SaveOptions<'_>,
    ) -> Result<()> {
        let given = options.meta_graph.map(|given| Ok(Cow::Borrowed(given)));
        let found = given.or_else(|| content.meta_graph().transpose()).transpose()?;
        let Some(meta_graph) = found.filter(|_| options.write_meta_graph) else { return Ok(()) };
        let meta_graph = self.exported(&meta_graph, options.strip_default_attrs)?;
        // The suffix may have a directory in it, which TensorFlow makes.
        let directory = files::directory_of(file);
        fs::create_dir_all(directory)
            .map_err(|error| Error::io("create", error).in_file(directory))?;
        let mut files = Replacement::default();
        let mut write = |file: &Path, message: &Message<'_>| {
            files.write(file, |out| out.write_all(message.bytes()).map_err(files::cannot_write))
        };
        if let Some(info) = options.debug_info {
            let info = meta_graph::debug_info(info, &meta_graph, "", "")?;
            write(&debug_info_file(file)?, &info)?;
        }
        write(file, &meta_graph)?;
        files.publish()
    }

    /// The meta graph with this saver as its `saver_def`.
    fn exported<'m>(
        &self,
        meta_graph: &Message<'m>,
        strip_default_attrs: bool,
    ) -> Result<Message<'m>> {
        // A saver of tensors without a graph has no nodes.
        let has_nodes = !self.is_empty && !self.def.save_tensor_name.is_empty();
        let own = match (self.is_empty, has_nodes) {
            (true, _) => without_saver(meta_graph)?,
            (false, false) => meta_graph.clone(),
            (false, true) => with_saver(meta_graph, &self.def)?,
        };
        if !strip_default_attrs && !has_nodes {
            return Ok(own);
        }
        let options = ExportOptions {
            strip_default_attrs,
            stripped_op_list: has_nodes,
            ..ExportOptions::default()
        };
        Ok(meta_graph::export(&own, &options)?.message)
    }

    /// The path of the checkpoint.
    fn target(&self, path: &Path, latest: &Path, options: &SaveOptions<'_>) -> Result<PathBuf> {
        let Some(step) = options.global_step else {
            // The names of V1 shards are not empty.
            let is_v2 = self.def.version() == CheckpointFormatVersion::V2;
            if path.as_os_str().is_empty() && (is_v2 || !self.def.sharded) {
                return Err(Error::usage("the path of the checkpoint is empty"));
            }
            let is_named = path.file_name() == Some(latest.as_os_str());
            if is_named && !ends_with_directory(path) && !self.def.sharded {
                let kind = "the checkpoint has the path of the state file";
                return Err(Error::usage(kind).in_file(path));
            }
            return Ok(path.to_path_buf());
        };
        let mut target = path.as_os_str().to_owned();
        target.push(match self.pad_step_number {
            true => format!("-{step:08}"),
            false => format!("-{step}"),
        });
        Ok(target.into())
    }

    fn state_options(&self, options: &SaveOptions<'_>) -> StateOptions {
        StateOptions {
            all_model_checkpoint_paths: self.rotation.last_checkpoints(),
            save_relative_paths: self.save_relative_paths,
            latest_filename: options.latest_filename.map(str::to_owned),
            ..StateOptions::default()
        }
    }
}

/// Seconds since 1970.
fn seconds(time: SystemTime) -> f64 {
    match time.duration_since(UNIX_EPOCH) {
        Ok(since) => since.as_secs_f64(),
        Err(before) => -before.duration().as_secs_f64(),
    }
}
