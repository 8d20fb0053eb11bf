//! Damaged SavedModels: they are loaded, restored and rebuilt, or refused, without panics and partial output.

use std::fs;
use std::path::Path;

use ckdiff::progress::Silent;
use ckdiff::saved_model::{
    AssetSource, Builder, LoadPlan, MetaGraphOptions, SavedModel, Tensors, Values,
};
use ckdiff::text::{PrintOptions, Style, print};
use tempfile::TempDir;

use crate::saved_model::built::files;
use crate::support::Random;
use crate::support::damage::{mutate, mutate_lines, mutations};

const MODELS: [&str; 5] = [
    "built/two/saved",
    "built/composite/saved",
    "saved_models/builder",
    "saved_models/legacy",
    "saved_models/module",
];

/// The message of a SavedModel as lines of text.
fn lines(dir: &Path) -> Vec<String> {
    let model = SavedModel::open(dir).unwrap();
    let mut text = Vec::new();
    print(model.message(), &PrintOptions::new(Style::TensorFlow), &mut text).unwrap();
    String::from_utf8(text).unwrap().lines().map(str::to_owned).collect()
}

/// Copies all files of a SavedModel except its message.
fn copy_without_message(dir: &Path, out: &Path) {
    for (name, content) in files(dir) {
        if !name.starts_with("saved_model.pb") {
            fs::create_dir_all(out.join(&name).parent().unwrap()).unwrap();
            fs::write(out.join(&name), content).unwrap();
        }
    }
}

/// Uses every part of a loaded SavedModel. Returns whether it could be rebuilt.
fn use_all(plan: &LoadPlan, out: &Path) -> bool {
    let tensors = Tensors::of(&plan.meta_graph);
    for signature in plan.signatures.values() {
        for info in signature.inputs.values().chain(signature.outputs.values()) {
            // The result is ignored: a damaged signature only has to be read without a panic.
            drop(tensors.as_ref().map(|tensors| tensors.find(info, "")));
        }
    }
    let Ok(variables) = plan.restore() else { return false };
    let Ok(mut builder) = Builder::new(out) else { panic!("{} is not usable", out.display()) };
    let asset = |(tensor, path): (&String, &_)| AssetSource {
        tensor: tensor.clone(),
        path: Some(Clone::clone(path)),
    };
    let options = MetaGraphOptions {
        tags: vec!["again".into()],
        assets: plan.assets.iter().map(asset).collect(),
        strip_default_attrs: true,
        ..MetaGraphOptions::default()
    };
    let values = Values::Variables(&variables);
    if builder.add_meta_graph_and_variables(&plan.meta_graph, values, &options, &Silent).is_err() {
        return false;
    }
    let saved = builder.save().unwrap();
    assert!(SavedModel::open(&saved.dir).is_ok());
    true
}

#[test]
fn damaged_saved_models_are_survived() {
    let count = mutations(200, 50);
    let (mut opened, mut loaded, mut built) = (0, 0, 0);
    let directory = TempDir::new().unwrap();
    let models = MODELS.map(|model| {
        let source = Path::new("tests/data").join(model);
        let copy = directory.path().join(model);
        copy_without_message(&source, &copy);
        (copy, lines(&source))
    });
    for seed in 0..count {
        let mut random = Random::new(seed);
        let (dir, lines) = &models[seed as usize % models.len()];
        let mut lines = lines.clone();
        mutate_lines(&mut lines, &mut random);
        fs::write(dir.join("saved_model.pbtxt"), lines.join("\n")).unwrap();
        let Ok(model) = SavedModel::open(dir) else { continue };
        opened += 1;
        for tags in model.tag_sets().unwrap() {
            let tags: Vec<_> = tags.iter().map(String::as_str).collect();
            if let Ok(plan) = model.load(&tags) {
                loaded += 1;
                let out = directory.path().join(format!("again-{seed}-{loaded}"));
                built += u64::from(use_all(&plan, &out));
            }
        }
    }
    let all = format!("{opened} opened, {loaded} loaded, {built} built anew of {count}");
    assert!(opened > count / 4 && loaded > count / 8 && built > count / 20, "{all}");
}

#[test]
fn damaged_bytes_are_survived() {
    let count = mutations(200, 50);
    let directory = TempDir::new().unwrap();
    let source = Path::new("tests/data/saved_models/builder");
    copy_without_message(source, directory.path());
    let bytes = fs::read(source.join("saved_model.pb")).unwrap();
    let (mut opened, mut restored) = (0, 0);
    for seed in 0..count {
        let mut random = Random::new(seed);
        let mut bytes = bytes.clone();
        mutate(&mut bytes, &mut random);
        fs::write(directory.path().join("saved_model.pb"), &bytes).unwrap();
        let Ok(model) = SavedModel::open(directory.path()) else { continue };
        opened += 1;
        for tags in model.tag_sets().unwrap() {
            let tags: Vec<_> = tags.iter().map(String::as_str).collect();
            let plan = model.load(&tags);
            restored += u32::from(plan.and_then(|plan| plan.restore()).is_ok());
        }
    }
    assert!(opened > count / 20 && restored > 0, "{opened} opened, {restored} restored of {count}");
}
