//! The models of `tests/data/built`, built by ckdiff as the fixture script builds them with TensorFlow, and rebuilt models
//! of TensorFlow 2. `tests/tensorflow` uses this file too.

use std::path::{Path, PathBuf};

use ckdiff::Result;
use ckdiff::artifact::{Document, ReadOptions};
use ckdiff::checkpoint::Checkpoint;
use ckdiff::message::Message;
use ckdiff::progress::Silent;
use ckdiff::saved_model::{
    AssetSource, BuildOutcome, Builder, LoadPlan, MetaGraphOptions, SavedModel, Values,
};
use ckdiff::schema::Schema;

/// A model of the fixture script.
pub(crate) struct Case {
    pub(crate) name: &'static str,
    /// The tags of each meta graph.
    pub(crate) tag_sets: &'static [&'static [&'static str]],
    /// Whether the model saves any variable.
    has_variables: bool,
}

pub(crate) const CASES: &[Case] = &[
    Case { name: "plain", tag_sets: &[&["serve"]], has_variables: true },
    Case { name: "two", tag_sets: &[&["serve", "gpu"], &["train"]], has_variables: true },
    Case { name: "composite", tag_sets: &[&["serve"]], has_variables: true },
    Case { name: "nothing", tag_sets: &[&[]], has_variables: false },
];

/// The directory of a case.
pub(crate) fn directory(case: &str) -> PathBuf {
    Path::new("tests/data/built").join(case)
}

/// The meta graph with this number, as it was passed to TensorFlow's builder.
pub(crate) fn before(case: &str, number: usize) -> Result<Message<'static>> {
    let path = directory(case).join(format!("before.{number}.meta"));
    let document = Document::open(path, Schema::tensorflow(), &ReadOptions::default())?;
    Ok(document.message().clone())
}

/// The options that the script passes to TensorFlow's builder; signatures are those written by TensorFlow.
fn options(case: &str, number: usize, tags: &[&str], theirs: &LoadPlan) -> MetaGraphOptions {
    let asset = |tensor: &str| AssetSource { tensor: tensor.into(), path: None };
    let mut options = MetaGraphOptions {
        tags: tags.iter().map(|&tag| tag.to_owned()).collect(),
        signatures: theirs.signatures.clone(),
        ..MetaGraphOptions::default()
    };
    match (case, number) {
        ("two", 0) => {
            options.assets = ["first:0", "second", "again:0", "third:0"].map(asset).to_vec();
            options.main_op = Some("start".into());
        }
        ("two", 1) => {
            options.assets = vec![asset("first:0"), asset("second:0")];
            options.clear_devices = true;
            options.strip_default_attrs = true;
        }
        ("composite", _) => {
            options.main_op = Some("legacy".into());
            // This case saves only some of the variables.
            options.saver = theirs.saver.clone();
        }
        _ => {}
    }
    options
}

/// The source of the values of variables.
#[derive(Debug, Clone, Copy)]
pub(crate) enum From {
    /// Restored variables.
    Store,
    /// The checkpoint in TensorFlow's SavedModel.
    Checkpoint,
}

/// Adds all meta graphs of a case, with the script's options changed by `adjust`.
pub(crate) fn add_all(
    builder: &mut Builder,
    case: &Case,
    from: From,
    adjust: impl Fn(&mut MetaGraphOptions),
) -> Result<()> {
    let theirs = SavedModel::open(directory(case.name).join("saved"))?;
    for (number, tags) in case.tag_sets.iter().enumerate() {
        let plan = theirs.load(tags)?;
        let meta = before(case.name, number)?;
        let mut options = options(case.name, number, tags, &plan);
        adjust(&mut options);
        if number > 0 {
            builder.add_meta_graph(&meta, &options)?;
        } else if let (From::Checkpoint, true) = (from, case.has_variables) {
            let checkpoint = Checkpoint::open(theirs.variables_path())?;
            let values = Values::Checkpoint(&checkpoint);
            builder.add_meta_graph_and_variables(&meta, values, &options, &Silent)?;
        } else {
            let store = plan.restore()?;
            let values = Values::Variables(&store);
            builder.add_meta_graph_and_variables(&meta, values, &options, &Silent)?;
        }
    }
    Ok(())
}

/// Rebuilds a loaded model of TensorFlow 2 with these values.
pub(crate) fn rebuild(plan: &LoadPlan, values: Values<'_>, out: &Path) -> Result<BuildOutcome> {
    let asset = |(tensor, path): (&String, &PathBuf)| AssetSource {
        tensor: tensor.clone(),
        path: Some(path.clone()),
    };
    let options = MetaGraphOptions {
        tags: vec!["serve".into()],
        assets: plan.assets.iter().map(asset).collect(),
        ..MetaGraphOptions::default()
    };
    let mut builder = Builder::new(out)?;
    builder.add_meta_graph_and_variables(&plan.meta_graph, values, &options, &Silent)?;
    builder.save()
}
