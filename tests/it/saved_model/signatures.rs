//! Signatures and descriptions of tensors, compared with TensorFlow's for the same graphs.

use std::collections::BTreeMap;

use ckdiff::message::Message;
use ckdiff::saved_model::{Encoding, SavedModel, Tensors, signature};
use ckdiff::schema::tensorflow::tensor_info::{self, CompositeTensor};
use ckdiff::schema::tensorflow::{DataType, SignatureDef, TensorInfo};
use insta::assert_snapshot;

use crate::saved_model::built::{before, directory};

/// The signatures written by TensorFlow's helper functions.
fn theirs(case: &str, tags: &[&str]) -> BTreeMap<String, SignatureDef> {
    SavedModel::open(directory(case).join("saved")).unwrap().load(tags).unwrap().signatures
}

/// The tensor name in a dense tensor info.
fn name(info: &TensorInfo) -> &str {
    match &info.encoding {
        Some(tensor_info::Encoding::Name(name)) => name,
        other => panic!("{other:?}"),
    }
}

#[test]
fn tensors_are_described_as_tensorflow_describes_them() {
    let mut compared = 0;
    for (case, tags) in [
        ("plain", &["serve"][..]),
        ("two", &["serve", "gpu"]),
        ("composite", &["serve"]),
        ("nothing", &[]),
    ] {
        let meta = before(case, 0);
        let tensors = Tensors::of(&meta).unwrap();
        for (key, signature) in theirs(case, tags) {
            for (at, info) in signature.inputs.iter().chain(&signature.outputs) {
                let ours = match tensors.find(info, "").unwrap() {
                    Encoding::Dense(name) => tensors.info(&name).unwrap(),
                    Encoding::Sparse { indices, values, dense_shape } => {
                        tensors.sparse(&indices, &values, &dense_shape).unwrap()
                    }
                    Encoding::Composite { type_spec, components } => {
                        let components: Vec<_> = components.iter().map(String::as_str).collect();
                        tensors.composite(type_spec.unwrap(), &components).unwrap()
                    }
                };
                assert_eq!(ours, *info, "{case} {key} {at}");
                compared += 1;
            }
        }
    }
    assert_eq!(compared, 16);
}

#[test]
fn signatures_are_made_as_tensorflow_makes_them() {
    let theirs = theirs("two", &["serve", "gpu"]);
    let (examples, scores) =
        (&theirs["regress"].inputs["inputs"], &theirs["regress"].outputs["outputs"]);
    let labels = &theirs["classify"].outputs["classes"];
    assert_eq!(name(examples), "words:0");
    assert_eq!(signature::regression(examples, scores).unwrap(), theirs["regress"]);
    assert_eq!(
        signature::classification(examples, Some(labels), Some(scores)).unwrap(),
        theirs["classify"]
    );
    let one = |key: &str, info: &TensorInfo| BTreeMap::from([(key.to_owned(), info.clone())]);
    let predict = signature::predict(one("words", examples), one("scores", scores)).unwrap();
    assert_eq!(predict, theirs["serving_default"]);
    let own = signature::build_signature_def(
        one("wörter", examples),
        BTreeMap::new(),
        "own",
        BTreeMap::new(),
    );
    assert_eq!(own, theirs["naïve"]);
    let valid: Vec<_> =
        theirs.iter().filter(|(_, s)| signature::is_valid(s)).map(|(key, _)| &**key).collect();
    assert_eq!(valid, ["classify", "regress", "serving_default"]);
}

#[test]
fn invalid_signatures_are_noticed() {
    let theirs = theirs("two", &["serve", "gpu"]);
    let classify = &theirs["classify"];
    let changed = |change: &dyn Fn(&mut SignatureDef)| {
        let mut signature = classify.clone();
        change(&mut signature);
        signature::is_valid(&signature)
    };
    assert!(changed(&|_| ()));
    assert!(changed(&|s| drop(s.outputs.remove("classes"))));
    assert!(!changed(&|s| s.outputs.clear()));
    assert!(!changed(&|s| s.method_name.push('2')));
    assert!(!changed(&|s| drop(s.inputs.insert("more".into(), TensorInfo::default()))));
    assert!(!changed(&|s| drop(s.outputs.insert("more".into(), TensorInfo::default()))));
    assert!(!changed(&|s| s.outputs.get_mut("scores").unwrap().set_dtype(DataType::DtDouble)));
    assert!(!changed(&|s| s.inputs.get_mut("inputs").unwrap().set_dtype(DataType::DtInt64)));
    let of = |key: &str, change: &dyn Fn(&mut SignatureDef)| {
        let mut signature = theirs[key].clone();
        change(&mut signature);
        signature::is_valid(&signature)
    };
    assert!(of("regress", &|_| ()) && of("serving_default", &|_| ()));
    assert!(!of("regress", &|s| s.outputs.clear()));
    assert!(!of("regress", &|s| s.outputs.get_mut("outputs").unwrap().set_dtype(DataType::DtHalf)));
    assert!(!of("regress", &|s| s.inputs.get_mut("inputs").unwrap().set_dtype(DataType::DtInt8)));
    assert!(!of("regress", &|s| drop(s.inputs.insert("more".into(), TensorInfo::default()))));
    assert!(!of("serving_default", &|s| s.inputs.clear()));
    assert!(!of("serving_default", &|s| s.outputs.clear()));
}

#[test]
fn signatures_that_tensorflow_refuses_are_refused() {
    let theirs = theirs("two", &["serve", "gpu"]);
    let (examples, scores) =
        (&theirs["regress"].inputs["inputs"], &theirs["regress"].outputs["outputs"]);
    let refused = |made: ckdiff::Result<SignatureDef>| made.unwrap_err().to_string();
    let composite = TensorInfo {
        encoding: Some(tensor_info::Encoding::CompositeTensor(CompositeTensor::default())),
        ..TensorInfo::default()
    };
    assert_snapshot!(refused(signature::regression(scores, scores)), @"examples: dtype: expected DT_STRING, found DT_FLOAT");
    assert_snapshot!(refused(signature::regression(examples, examples)), @"predictions: dtype: expected DT_FLOAT, found DT_STRING");
    assert_snapshot!(refused(signature::regression(&composite, scores)), @"examples must be one tensor");
    // Outputs may be sparse.
    let sparse = TensorInfo { dtype: scores.dtype, ..composite.clone() };
    assert!(signature::is_valid(&signature::regression(examples, &sparse).unwrap()));
    assert_snapshot!(refused(signature::classification(examples, None, None)), @"a classification must have classes, scores or both");
    assert_snapshot!(refused(signature::classification(examples, Some(scores), None)), @"classes: dtype: expected DT_STRING, found DT_FLOAT");
    assert_snapshot!(refused(signature::classification(examples, None, Some(examples))), @"scores: dtype: expected DT_FLOAT, found DT_STRING");
    assert_snapshot!(refused(signature::predict(BTreeMap::new(), BTreeMap::new())), @"a prediction must have inputs, but none are given");
    let inputs = BTreeMap::from([("x".to_owned(), examples.clone())]);
    assert_snapshot!(refused(signature::predict(inputs, BTreeMap::new())), @"a prediction must have outputs, but none are given");
}

#[test]
fn a_missing_tensor_is_an_error() {
    let meta: Message<'_> = before("composite", 0);
    let tensors = Tensors::of(&meta).unwrap();
    let refused = |name: &str| tensors.info(name).unwrap_err().to_string();
    assert_snapshot!(refused("z"), @"the graph has no z");
    assert_snapshot!(refused("y:1"), @"there is no output 1: y has 1 output");
    assert_snapshot!(refused("y:no"), @"name of a tensor: expected NODE:OUTPUT, a node's name and a number, found y:no");
    assert_snapshot!(refused("legacy:0"), @"there is no output 0: legacy has 0 outputs");
    assert_snapshot!(refused(""), @"the name of the tensor is empty");
    let info = tensors.info("y:0").unwrap();
    assert_snapshot!(tensors.find(&info, "under/").unwrap_err(), @"the graph has no under/y:0");
    assert_snapshot!(tensors.find(&TensorInfo::default(), "").unwrap_err(), @"it names no tensor");
    let no_number = TensorInfo { encoding: Some(tensor_info::Encoding::Name("y".into())), ..info };
    assert_snapshot!(tensors.find(&no_number, "").unwrap_err(), @"name of a tensor: expected NODE:OUTPUT, a node's name and a number, found y");
}

#[test]
fn tensors_are_found_under_a_scope() {
    let model = SavedModel::open(directory("composite").join("saved")).unwrap();
    let plan = model.load_under(&["serve"], "under").unwrap();
    let tensors = Tensors::of(&plan.meta_graph).unwrap();
    let (plain, mut found) = (theirs("composite", &["serve"]), 0);
    for info in plain["mixed"].inputs.values().chain(plain["mixed"].outputs.values()) {
        let names = match tensors.find(info, "under").unwrap() {
            Encoding::Dense(name) => vec![name],
            Encoding::Sparse { indices, values, dense_shape } => vec![indices, values, dense_shape],
            Encoding::Composite { components, .. } => components,
        };
        assert!(names.iter().all(|name| name.starts_with("under/")), "{names:?}");
        found += names.len();
    }
    assert_eq!(found, 9);
}
