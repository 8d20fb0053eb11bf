//! What is saved under which name, sorted and checked as TensorFlow does.

use std::collections::{BTreeMap, BTreeSet};

use super::variable::Variable;
use crate::error::{ErrorKind, Result};
use crate::graph::DeviceSpec;
use crate::graph::node_of;
use crate::saver::{SaveSpec, SaveableObject, Saved, VariableKind};
use crate::tensor::slice_spec;

/// Something that is to be saved.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ToSave {
    /// A variable, or a part of one.
    Variable(Variable),
    /// Parts of one variable.
    Slices(Vec<Variable>),
    /// A partitioned variable: its name, and its parts in their order.
    Partitioned(String, Vec<Variable>),
    /// What is a saveable object already.
    Object(SaveableObject),
}

impl ToSave {
    /// What a list is sorted by.
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
    Err(ErrorKind::Usage(what).into())
}

/// Gives each of a list its name: that of the variable, or of the whole that it is a part of; parts of one whole come together, in
/// the order of their names.
///
/// # Errors
/// When two have the same name, or a variable is whole and another one of that name is a part.
pub fn op_list_to_dict(list: Vec<ToSave>) -> Result<BTreeMap<String, ToSave>> {
    // Parts given as a list are one by one in it.
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

/// What is saved, in the order of the names.
///
/// # Errors
/// When a variable is saved under two names, or slices are not all of the same whole.
pub fn validate_and_slice(dict: BTreeMap<String, ToSave>) -> Result<Vec<SaveableObject>> {
    let (mut saveables, mut seen) = (Vec::new(), BTreeSet::new());
    for (name, one) in dict {
        for saveable in saveables_of(one, &name)? {
            add_saveable(&mut saveables, &mut seen, saveable)?;
        }
    }
    Ok(saveables)
}

/// Adds a saveable object whose variable is not among those `seen`.
///
/// # Errors
/// When it is.
pub fn add_saveable(
    saveables: &mut Vec<SaveableObject>,
    seen: &mut BTreeSet<String>,
    saveable: SaveableObject,
) -> Result<()> {
    if !seen.insert(saveable.op.clone()) {
        return usage(format!(
            "the variable {} would be saved under two names, one of them {}",
            saveable.op, saveable.name
        ));
    }
    saveables.push(saveable);
    Ok(())
}

/// The saveable objects that `one` is made of, to be saved under `name`.
///
/// # Errors
/// When slices are none, are of several variables, or their variables have another shape.
pub fn saveables_of(one: ToSave, name: &str) -> Result<Vec<SaveableObject>> {
    match one {
        ToSave::Object(object) => Ok(vec![object]),
        ToSave::Variable(variable) => Ok(vec![whole(variable, name)]),
        ToSave::Slices(parts) | ToSave::Partitioned(_, parts) => {
            let mut full_name: Option<String> = None;
            let mut saveables = Vec::new();
            for part in parts {
                let Some(slice) = &part.slice else {
                    return usage(format!("{} is among slices and is none", part.name));
                };
                let known = full_name.get_or_insert_with(|| slice.full_name.clone());
                if *known != slice.full_name {
                    return usage(format!(
                        "slices must be of one variable, and these are of {known} and {}",
                        slice.full_name
                    ));
                }
                saveables.push(slice_of(part, name)?);
            }
            Ok(saveables)
        }
    }
}

/// A variable that is saved whole.
fn whole(variable: Variable, name: &str) -> SaveableObject {
    let (tensor, device) = match variable.kind {
        VariableKind::Reference => (variable.name.clone(), variable.device.clone()),
        VariableKind::Resource => (input(&variable.snapshot), variable.snapshot_device.clone()),
    };
    saveable(variable, Saved::Tensor(tensor), device, String::new(), name)
}

/// A variable that is a part of another one.
fn slice_of(part: Variable, name: &str) -> Result<SaveableObject> {
    let spec = part.slice.as_ref().map(|slice| slice.spec()).unwrap_or_default();
    let wrong = |reason: String| usage(format!("slice {spec:?} of {}: {reason}", part.name));
    let (_, slice) = match slice_spec::parse(&spec) {
        Ok(parsed) => parsed,
        Err(reason) => return wrong(reason),
    };
    let fits = |dims: &Vec<Option<u64>>| {
        let found = slice.shape().dims();
        dims.len() == found.len()
            && dims.iter().zip(found).all(|(dim, found)| dim.is_none_or(|dim| dim == *found))
    };
    if !part.shape.as_ref().is_none_or(fits) {
        return wrong("the variable has another shape".into());
    }
    let tensor = match part.kind {
        VariableKind::Reference => Saved::Tensor(input(&part.snapshot)),
        VariableKind::Resource => Saved::Read(part.name.clone()),
    };
    let device = part.device.clone();
    Ok(saveable(part, tensor, device, spec, name))
}

fn saveable(
    variable: Variable,
    tensor: Saved,
    device: String,
    slice_spec: String,
    name: &str,
) -> SaveableObject {
    let Variable { name: op, kind, dtype, shape, .. } = variable;
    let spec = SaveSpec { tensor, slice_spec, name: name.to_owned(), dtype, device, shape };
    SaveableObject { op, kind, specs: vec![spec], name: name.to_owned() }
}

/// A tensor as inputs spell it: the first output by the name of its node.
fn input(tensor: &str) -> String {
    tensor.strip_suffix(":0").map_or(tensor, node_of).to_owned()
}

/// The saveable objects of each device, in the order of the devices' canonical names.
///
/// # Errors
/// When one has tensors on several devices, or a device is none.
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
