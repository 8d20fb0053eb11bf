//! Writes the files that `check.py` reads with TensorFlow: `write FOLDER`, from the fixtures in `tests/data/savers`.
//!
//! ```text
//! built/NAME.meta        a graph that TensorFlow wrote without a saver, with a saver built by ckdiff
//! saved/NAME/model-7     a checkpoint saved by ckdiff with TensorFlow's saver nodes, after a restore with them
//! objects/NAME.VALUES    a SavedModel of TensorFlow 2, rebuilt from a store of variables or from its checkpoint
//! scenarios/               see `scenarios.rs`
//! models/NAME.FORM       a SavedModel in binary or text, built from the same meta graphs as in `tests/data/built`
//! ```

use std::error::Error;
use std::path::Path;
use std::{env, fs};

use ckdiff::artifact::{Document, ReadOptions};
use ckdiff::checkpoint::Checkpoint;
use ckdiff::files::{cannot_write, replace};
use ckdiff::message::Message;
use ckdiff::progress::Silent;
use ckdiff::saved_model::{Builder, SavedModel, Values};
use ckdiff::saver::builder::{BuilderOptions, build, with_saver};
use ckdiff::saver::run::{Variables, restore};
use ckdiff::saver::{Model, SaveOptions, Saver};
use ckdiff::schema::Schema;
use ckdiff::schema::tensorflow::MetaGraphDef;
use ckdiff::schema::tensorflow::saver_def::CheckpointFormatVersion;
use prost::Message as _;

#[path = "../it/support/built_models.rs"]
mod built_models;
mod scenarios;

use built_models::{CASES, Case, From, add_all, rebuild};

type Result<T = ()> = std::result::Result<T, Box<dyn Error>>;

fn main() -> Result {
    let out = env::args_os().nth(1).ok_or("usage: write FOLDER")?;
    let out = Path::new(&out);
    for directory in ["built", "saved", "models"] {
        fs::create_dir_all(out.join(directory))?;
    }
    for case in ["reference", "resource", "partitioned", "partitioned_resource"] {
        for sharded in [false, true] {
            for (name, write_version) in
                [("v2", CheckpointFormatVersion::V2), ("v1", CheckpointFormatVersion::V1)]
            {
                let shards = if sharded { "sharded" } else { "one" };
                let options =
                    BuilderOptions { sharded, write_version, ..BuilderOptions::default() };
                built(case, &options, &out.join(format!("built/{case}.{shards}.{name}.meta")))?;
            }
        }
    }
    for entry in fs::read_dir("tests/data/savers/run")? {
        saved(&entry?.path(), &out.join("saved"))?;
    }
    for case in CASES {
        model(case, &out.join("models"))?;
    }
    for name in ["saved_models/module", "object_savers/keras", "object_savers/tables"] {
        objects(&Path::new("tests/data").join(name), &out.join("objects"))?;
    }
    fs::create_dir_all(out.join("scenarios"))?;
    scenarios::write(&out.join("scenarios"))
}

fn read(path: &Path) -> Result<Message<'static>> {
    let document = Document::open(path, Schema::tensorflow(), &ReadOptions::default())?;
    Ok(document.message().clone())
}

/// Builds a saver into a graph that has none.
fn built(case: &str, options: &BuilderOptions, out: &Path) -> Result {
    let before = format!("tests/data/savers/build/{case}.before.meta");
    let built = build(&read(Path::new(&before))?, options)?.ok_or("nothing to save")?;
    let message = with_saver(&built.message, &built.saver_def)?;
    replace(out, |out| out.write_all(message.bytes()).map_err(cannot_write))?;
    Ok(())
}

/// Restores a TensorFlow checkpoint into a store of variables and saves these, both with the nodes of the graph.
fn saved(case: &Path, out: &Path) -> Result {
    let name = case.file_name().ok_or("a directory is needed")?;
    let graph = read(&case.join("model.ckpt.meta"))?;
    let def = MetaGraphDef::decode(graph.bytes())?.saver_def.ok_or("no saver")?;
    let sharded_v1 = def.sharded && def.version() != CheckpointFormatVersion::V2;
    let checkpoint = if sharded_v1 { "model.ckpt-?????-of-00002" } else { "model.ckpt" };
    let path = case.join(checkpoint);
    let mut variables = Variables::of(&graph)?;
    restore(&graph, &def, path.to_str().ok_or("a path in UTF-8 is needed")?, &mut variables)?;
    let directory = out.join(name);
    fs::create_dir_all(&directory)?;
    let model = Model { graph: &graph, variables: &variables };
    let options = SaveOptions { global_step: Some(7), ..SaveOptions::default() };
    Saver::new(def).save(&model, &directory.join("model"), &options, &Silent)?;
    Ok(())
}

/// Builds the SavedModel of a case: in binary from its checkpoint, in text from a store of variables.
fn model(case: &Case, out: &Path) -> Result {
    for (form, from) in [("binary", From::Checkpoint), ("text", From::Store)] {
        let mut builder = Builder::new(out.join(format!("{}.{form}", case.name)))?;
        // The devices belong to other machines.
        add_all(&mut builder, case, from, |options| options.clear_devices = true)?;
        if form == "text" {
            builder.save_as_text()?
        } else {
            builder.save()?
        };
    }
    Ok(())
}

/// Rebuilds a SavedModel of TensorFlow 2.
fn objects(theirs: &Path, out: &Path) -> Result {
    let name = theirs.file_name().and_then(|name| name.to_str()).ok_or("a name is needed")?;
    let model = SavedModel::open(theirs)?;
    let plan = model.load(&["serve"])?;
    let (store, checkpoint) = (plan.restore()?, Checkpoint::open(model.variables_path())?);
    rebuild(&plan, Values::Variables(&store), &out.join(format!("{name}.store")))?;
    rebuild(&plan, Values::Checkpoint(&checkpoint), &out.join(format!("{name}.checkpoint")))?;
    Ok(())
}
