//! The saved objects and their names, sorted and checked as in TensorFlow.

use std::collections::{BTreeMap, BTreeSet};

use super::variable::Variable;
use crate::error::{Error, Result};
use crate::graph::DeviceSpec;
use crate::graph::node_of;
use crate::saver::{SaveSource, SaveSpec, SaveableObject, VariableKind};
use crate::tensor::slice_spec;

/// An object to save.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ToSave {
    /// A variable, or a slice of one.
    Variable(Variable),
    /// The slices of one variable.
    Slices(Vec<Variable>),
    /// A partitioned variable: its name and its slices, in order.
    Partitioned(String, Vec<Variable>),
    /// A saveable object.
    Object(SaveableObject),
}

impl ToSave {
    /// The sort key in a list.
    fn key(&self) -> String {
        match self {
            Self::Variable(variable) => format!("{}:0", variable.name),
            Self::Slices(parts) => {
                parts.first().map(|part| format!("{}:0", part.name)).unwrap_or_default()
            }
            Self::Partitioned(name, _) => name.clone(),
            Self::Object(object) => object.name.clone(),
        }
    }
}

fn usage<T>(what: String) -> Result<T> {
    Err(Error::usage(what))
}

/// Names the objects of a list by their variables; the slices of a partitioned variable become one object, in the order of their names.
///
/// # Errors
/// If two objects have the same name, even if one of them is a slice.
pub fn op_list_to_dict(list: Vec<ToSave>) -> Result<BTreeMap<String, ToSave>> {
    // Lists of slices are flattened.
    let flat = list.into_iter().flat_map(|one| match one {
        ToSave::Slices(parts) => parts.into_iter().map(ToSave::Variable).collect(),
        one => vec![one],
    });
    let mut flat: Vec<_> = flat.map(|one| (one.key(), one)).collect();
    flat.sort_by(|(lhs, _), (rhs, _)| lhs.cmp(rhs));
    let mut dict = BTreeMap::new();
    for (_, one) in flat {
        add_named(&mut dict, one)?;
    }
    Ok(dict)
}

fn add_named(dict: &mut BTreeMap<String, ToSave>, one: ToSave) -> Result<()> {
    let name = match &one {
        ToSave::Object(object) => {
            dict.insert(object.name.clone(), one);
            return Ok(());
        }
        ToSave::Variable(variable) => match &variable.slice {
            Some(slice) => slice.full_name.clone(),
            None => variable.name.clone(),
        },
        ToSave::Partitioned(name, _) => name.clone(),
        ToSave::Slices(_) => return Ok(()),
    };
    match (dict.get_mut(&name), one) {
        (None, ToSave::Variable(part)) if part.slice.is_some() => {
            dict.insert(name, ToSave::Slices(vec![part]));
        }
        (None, one) => {
            dict.insert(name, one);
        }
        (Some(ToSave::Slices(parts)), ToSave::Variable(part)) if part.slice.is_some() => {
            parts.push(part);
        }
        (Some(_), ToSave::Variable(part)) if part.slice.is_some() => {
            return usage(format!("slices and a whole variable have the same name: {name}"));
        }
        (Some(_), _) => return usage(format!("two variables have the same name: {name}")),
    }
    Ok(())
}

/// The saveable objects, in the order of the names.
///
/// # Errors
/// If a variable is saved under two names, or slices are not of one variable.
pub fn validate_and_slice(dict: BTreeMap<String, ToSave>) -> Result<Vec<SaveableObject>> {
    let (mut saveables, mut seen) = (Vec::new(), BTreeMap::new());
    for (name, one) in dict {
        for saveable in saveables_of(one, &name)? {
            add_saveable(&mut saveables, &mut seen, saveable)?;
        }
    }
    Ok(saveables)
}

/// Adds a saveable object, and its variable with its name to `seen`, where slices are apart from whole variables.
///
/// # Errors
/// If the variable was seen before.
pub fn add_saveable(
    saveables: &mut Vec<SaveableObject>,
    seen: &mut BTreeMap<(String, bool), String>,
    saveable: SaveableObject,
) -> Result<()> {
    // TensorFlow does not recognize a variable that is saved as a whole and as a slice.
    let is_slice = saveable.specs.iter().any(|spec| !spec.slice_spec.is_empty());
    if let Some(name) = seen.insert((saveable.op.clone(), is_slice), saveable.name.clone()) {
        return usage(format!(
            "variable {}: expected one name, found {name} and {}",
            saveable.op, saveable.name
        ));
    }
    saveables.push(saveable);
    Ok(())
}

/// The saveable objects of `one`, with the name `name`.
///
/// # Errors
/// If slices are invalid, are of several variables, or do not have the shape of their variables.
pub fn saveables_of(one: ToSave, name: &str) -> Result<Vec<SaveableObject>> {
    match one {
        ToSave::Object(object) => Ok(vec![object]),
        ToSave::Variable(variable) => Ok(vec![whole(variable, name)]),
        ToSave::Slices(parts) | ToSave::Partitioned(_, parts) => {
            let mut full_name: Option<String> = None;
            let mut saveables = Vec::new();
            for part in parts {
                let Some(slice) = &part.slice else {
                    return usage(format!(
                        "{} is not a slice, but is listed among slices",
                        part.name
                    ));
                };
                let known = full_name.get_or_insert_with(|| slice.full_name.clone());
                if *known != slice.full_name {
                    return usage(format!(
                        "slices must be of one variable, but these are of {known} and {}",
                        slice.full_name
                    ));
                }
                saveables.push(slice_of(part, name)?);
            }
            Ok(saveables)
        }
    }
}

/// A whole variable.
fn whole(variable: Variable, name: &str) -> SaveableObject {
    let (tensor, device) = match variable.kind {
        VariableKind::Reference => (variable.name.clone(), variable.device.clone()),
        VariableKind::Resource => (input(&variable.snapshot), variable.snapshot_device.clone()),
    };
    saveable(variable, SaveSource::Tensor(tensor), device, String::new(), name)
}

/// A slice of a partitioned variable.
fn slice_of(part: Variable, name: &str) -> Result<SaveableObject> {
    let spec = part.slice.as_ref().map(|slice| slice.spec()).unwrap_or_default();
    let wrong = |reason: String| usage(format!("slice {spec:?} of {}: {reason}", part.name));
    let (_, slice) = match slice_spec::parse(&spec) {
        Ok(parsed) => parsed,
        Err(reason) => return wrong(reason),
    };
    if part.shape.as_ref().is_some_and(|dims| !slice.shape().is_compatible(dims)) {
        return wrong("the variable has another shape".into());
    }
    let tensor = match part.kind {
        VariableKind::Reference => SaveSource::Tensor(input(&part.snapshot)),
        VariableKind::Resource => SaveSource::Read(part.name.clone()),
    };
    let device = part.device.clone();
    Ok(saveable(part, tensor, device, spec, name))
}

fn saveable(
    variable: Variable,
    tensor: SaveSource,
    device: String,
    slice_spec: String,
    name: &str,
) -> SaveableObject {
    let Variable { name: op, kind, dtype, shape, .. } = variable;
    let spec = SaveSpec { tensor, slice_spec, name: name.to_owned(), dtype, device, shape };
    SaveableObject { op, kind, specs: vec![spec], name: name.to_owned() }
}

/// A tensor in the form of an input: the first output is named by its node.
fn input(tensor: &str) -> String {
    tensor.strip_suffix(":0").map_or(tensor, node_of).to_owned()
}

/// Groups saveable objects by device, in the order of the devices' canonical names.
///
/// # Errors
/// If an object has tensors on several devices, or a device is invalid.
pub fn group_by_device(saveables: &[SaveableObject]) -> Result<Vec<(String, Vec<SaveableObject>)>> {
    let mut groups: BTreeMap<String, Vec<SaveableObject>> = BTreeMap::new();
    for saveable in saveables {
        let mut devices = BTreeSet::new();
        for spec in &saveable.specs {
            devices.insert(spec.device.parse::<DeviceSpec>()?.to_string());
        }
        let (Some(device), None) = (devices.pop_first(), devices.pop_first()) else {
            return usage(format!("all tensors of {} must be on one device", saveable.name));
        };
        groups.entry(device).or_default().push(saveable.clone());
    }
    Ok(groups.into_iter().collect())
}
