//! Signatures: the inputs and outputs of a model.
//!
//! ```
//! use std::collections::BTreeMap;
//! use ckdiff::artifact::Artifact;
//! use ckdiff::saved_model::{Tensors, signature};
//!
//! let meta = Artifact::open("tests/data/meta_graphs/towers.meta")?;
//! let tensors = Tensors::of(meta.message().expect("it is a meta graph").message())?;
//! let inputs = BTreeMap::from([("x".to_owned(), tensors.info("outside:0")?)]);
//! let outputs = BTreeMap::from([("y".to_owned(), tensors.info("outside:0")?)]);
//! let predict = signature::predict(inputs, outputs)?;
//! assert!(signature::is_valid(&predict));
//! # Ok::<(), ckdiff::Error>(())
//! ```

use std::collections::BTreeMap;

use crate::error::{Error, Result};
use crate::meta_graph::{name_of, named_by_signature};
use crate::schema::tensorflow::tensor_info::Encoding;
use crate::schema::tensorflow::{
    DataType, SignatureDef, TensorInfo, TensorProto, TensorShapeProto,
};

/// The method of signatures that [`regression`] makes.
pub const REGRESS_METHOD_NAME: &str = "tensorflow/serving/regress";
/// The method of signatures that [`classification`] makes.
pub const CLASSIFY_METHOD_NAME: &str = "tensorflow/serving/classify";
/// The method of signatures that [`predict`] makes.
pub const PREDICT_METHOD_NAME: &str = "tensorflow/serving/predict";
/// The name of the default signature.
pub const DEFAULT_SERVING_SIGNATURE_DEF_KEY: &str = "serving_default";

/// The input of a regression or a classification.
const INPUTS: &str = "inputs";
/// The output of a regression.
const OUTPUTS: &str = "outputs";
/// The outputs of a classification.
const CLASSES: &str = "classes";
const SCORES: &str = "scores";

/// A signature of these parts; `defaults` has the values of inputs that are not given.
pub fn build_signature_def(
    inputs: BTreeMap<String, TensorInfo>,
    outputs: BTreeMap<String, TensorInfo>,
    method_name: &str,
    defaults: BTreeMap<String, TensorProto>,
) -> SignatureDef {
    SignatureDef { inputs, outputs, method_name: method_name.to_owned(), defaults }
}

/// The signature of a regression: from serialized examples to numbers.
///
/// # Errors
/// If `examples` is not one tensor of strings, or `predictions` is not `float32`.
pub fn regression(examples: &TensorInfo, predictions: &TensorInfo) -> Result<SignatureDef> {
    check_examples(examples)?;
    check(predictions, DataType::DtFloat, "predictions")?;
    Ok(build_signature_def(
        one(INPUTS, examples),
        one(OUTPUTS, predictions),
        REGRESS_METHOD_NAME,
        BTreeMap::new(),
    ))
}

/// The signature of a classification: from serialized examples to classes, scores, or both.
///
/// # Errors
/// If there are neither classes nor scores, `examples` is not one tensor of strings, `classes` are not strings, or `scores` are
/// not `float32`.
pub fn classification(
    examples: &TensorInfo,
    classes: Option<&TensorInfo>,
    scores: Option<&TensorInfo>,
) -> Result<SignatureDef> {
    check_examples(examples)?;
    let mut outputs = BTreeMap::new();
    let dtypes = [(CLASSES, classes, DataType::DtString), (SCORES, scores, DataType::DtFloat)];
    for (key, info, dtype) in dtypes {
        let Some(info) = info else { continue };
        check(info, dtype, key)?;
        outputs.extend(one(key, info));
    }
    if outputs.is_empty() {
        return Err(Error::usage("a classification must have classes, scores or both"));
    }
    let inputs = one(INPUTS, examples);
    Ok(build_signature_def(inputs, outputs, CLASSIFY_METHOD_NAME, BTreeMap::new()))
}

/// The signature of a prediction: from any tensors to any others.
///
/// # Errors
/// If there are no inputs or no outputs.
pub fn predict(
    inputs: BTreeMap<String, TensorInfo>,
    outputs: BTreeMap<String, TensorInfo>,
) -> Result<SignatureDef> {
    for (what, tensors) in [("inputs", &inputs), ("outputs", &outputs)] {
        if tensors.is_empty() {
            return Err(Error::usage(format!("a prediction must have {what}, but none are given")));
        }
    }
    Ok(build_signature_def(inputs, outputs, PREDICT_METHOD_NAME, BTreeMap::new()))
}

/// A signature with one output, `key`, which is an op or a tensor: the form in which a SavedModel names its init op.
pub fn op(op: &str, key: &str) -> SignatureDef {
    let info = TensorInfo {
        dtype: DataType::DtInvalid.into(),
        tensor_shape: Some(TensorShapeProto { dim: Vec::new(), unknown_rank: true }),
        encoding: Some(Encoding::Name(op.to_owned())),
    };
    build_signature_def(BTreeMap::new(), one(key, &info), "", BTreeMap::new())
}

/// Whether TensorFlow Serving accepts the signature: it must be a valid regression, classification or prediction.
pub fn is_valid(signature: &SignatureDef) -> bool {
    let is = |info: Option<&TensorInfo>, dtype| info.is_some_and(|info| info.dtype() == dtype);
    let SignatureDef { inputs, outputs, method_name, .. } = signature;
    let takes_examples = inputs.len() == 1 && is(inputs.get(INPUTS), DataType::DtString);
    match method_name.as_str() {
        PREDICT_METHOD_NAME => !inputs.is_empty() && !outputs.is_empty(),
        REGRESS_METHOD_NAME => {
            takes_examples && outputs.len() == 1 && is(outputs.get(OUTPUTS), DataType::DtFloat)
        }
        CLASSIFY_METHOD_NAME => {
            let fits = |(key, info): (&String, &TensorInfo)| match key.as_str() {
                CLASSES => info.dtype() == DataType::DtString,
                SCORES => info.dtype() == DataType::DtFloat,
                _ => false,
            };
            takes_examples && !outputs.is_empty() && outputs.iter().all(fits)
        }
        _ => false,
    }
}

/// Checks signatures as TensorFlow's builder does.
pub(super) fn validate(signatures: &BTreeMap<String, SignatureDef>) -> Result<()> {
    for (key, signature) in signatures {
        let in_signature = |error: Error| error.in_field(&format!("signature_def[{key:?}]"));
        if named_by_signature(key).is_some() {
            let kind = "this name is reserved for an op of the SavedModel";
            return Err(in_signature(Error::usage(kind)));
        }
        for (field, infos) in [("inputs", &signature.inputs), ("outputs", &signature.outputs)] {
            for (name, info) in infos {
                validate_info(info)
                    .map_err(|error| in_signature(error.in_field(&format!("{field}[{name:?}]"))))?;
            }
        }
    }
    Ok(())
}

/// Checks that a tensor has a name and a dtype.
fn validate_info(info: &TensorInfo) -> Result<()> {
    match &info.encoding {
        None => {
            let kind = "it names no tensor: name, coo_sparse or composite_tensor must be set";
            Err(Error::usage(kind))
        }
        Some(Encoding::CompositeTensor(composite)) => {
            let components = composite.components.iter().enumerate();
            components.into_iter().try_for_each(|(at, component)| {
                let at = format!("composite_tensor.components[{at}]");
                validate_info(component).map_err(|error| error.in_field(&at))
            })
        }
        Some(_) if info.dtype() == DataType::DtInvalid => {
            Err(Error::unexpected("dtype", "DT_INVALID", "the dtype of the tensor"))
        }
        Some(_) => Ok(()),
    }
}

fn one(key: &str, info: &TensorInfo) -> BTreeMap<String, TensorInfo> {
    BTreeMap::from([(key.to_owned(), info.clone())])
}

/// Checks that `examples` is one tensor of strings.
fn check_examples(info: &TensorInfo) -> Result<()> {
    if name_of(info).is_none() {
        return Err(Error::usage("examples must be one tensor"));
    }
    check(info, DataType::DtString, "examples")
}

/// Checks the dtype of a tensor.
fn check(info: &TensorInfo, dtype: DataType, what: &'static str) -> Result<()> {
    if info.dtype() != dtype {
        let expected = dtype.as_str_name();
        return Err(Error::unexpected("dtype", info.dtype().as_str_name(), expected).in_field(what));
    }
    Ok(())
}
