//! Adds the nodes that restore.
//!
//! ```text
//! filename ─► RestoreV2 ─► [Reshape] ─► Assign                        a reference variable
//!                       └► [Reshape] ─► Identity ─► AssignVariableOp  a resource variable … ─► restore_all
//! ```

use std::collections::BTreeMap;

use super::devices::{cpu, cpu_of};
use super::nodes::SaverNodes;
use super::save::{identity, names_and_slices, tensor};
use super::value::{dims, dtype, dtypes, truth};
use super::{BuilderOptions, RestoreNodes};
use crate::error::Result;
use crate::graph::DeviceSpec;
use crate::graph::save_op::RESTORE_V2;
use crate::saver::{SaveSpec, SaveableObject, VariableKind};
use crate::tensor::DType;

/// The shape of a reshaped tensor: known, or the output of a node.
enum NewShape {
    Dims(Vec<u64>),
    Node(String),
}

/// Restores the variables of one device; returns the node that runs all assignments.
pub(super) fn one(
    nodes: &mut SaverNodes<'_>,
    filename: &str,
    saveables: &[SaveableObject],
    options: &BuilderOptions,
    name: &str,
) -> Result<String> {
    let tensors = match options.restore {
        RestoreNodes::One => {
            let specs: Vec<&SaveSpec> = saveables.iter().flat_map(|one| &one.specs).collect();
            nodes.on(&cpu(), |nodes| Ok(restore_op(nodes, filename, &specs)))?
        }
        RestoreNodes::Each => each(nodes, filename, saveables)?,
    };
    let mut tensors = tensors.into_iter();
    let mut assigned = Vec::new();
    for saveable in saveables {
        let mut shapes = Vec::new();
        if options.reshape {
            for spec in &saveable.specs {
                shapes.push(new_shape(nodes, spec)?);
            }
        }
        let mut of_saveable = tensors.by_ref().take(saveable.specs.len());
        let (Some(tensor), Some(spec)) = (of_saveable.next(), saveable.specs.first()) else {
            continue;
        };
        of_saveable.for_each(drop);
        assigned.push(assign(nodes, saveable, spec, tensor, shapes.into_iter().next())?);
    }
    group(nodes, &assigned, name)
}

/// Restores the variables of each device separately.
pub(super) fn sharded(
    nodes: &mut SaverNodes<'_>,
    filename: &str,
    groups: &[(String, Vec<SaveableObject>)],
    options: &BuilderOptions,
) -> Result<String> {
    let mut restored = Vec::new();
    for (device, saveables) in groups {
        restored.push(nodes.on(&device.parse()?, |nodes| {
            one(nodes, filename, saveables, options, "restore_shard")
        })?);
    }
    group(nodes, &restored, "restore_all")
}

/// Reads each tensor by its own node.
fn each(
    nodes: &mut SaverNodes<'_>,
    filename: &str,
    saveables: &[SaveableObject],
) -> Result<Vec<String>> {
    let mut tensors = Vec::new();
    for saveable in saveables {
        let device = saveable.specs.first().map_or("", |spec| &spec.device);
        let device = if device.is_empty() { DeviceSpec::default() } else { cpu_of(device)? };
        nodes.on(&device, |nodes| {
            for spec in &saveable.specs {
                tensors.extend(restore_op(nodes, filename, &[spec]));
            }
            Ok(())
        })?;
    }
    Ok(tensors)
}

/// Adds a node that reads these tensors; returns its outputs.
fn restore_op(nodes: &mut SaverNodes<'_>, filename: &str, specs: &[&SaveSpec]) -> Vec<String> {
    let outer = nodes.name(RESTORE_V2.name);
    let [names, slices] = names_and_slices(nodes, &outer, &RESTORE_V2, specs);
    let attrs = vec![(RESTORE_V2.dtypes, dtypes(specs))];
    let node = nodes.add(RESTORE_V2.name, outer, &[filename, &names, &slices], attrs);
    let output = |at: usize| if at == 0 { node.clone() } else { format!("{node}:{at}") };
    (0..specs.len()).map(output).collect()
}

/// The shape of a saved tensor; as in TensorFlow, this adds the nodes of the tensor again.
fn new_shape(nodes: &mut SaverNodes<'_>, spec: &SaveSpec) -> Result<NewShape> {
    let tensor = tensor(nodes, spec)?;
    if let Some(dims) = spec.full_shape() {
        return Ok(NewShape::Dims(dims));
    }
    Ok(NewShape::Node(nodes.add_shape(&tensor, spec.dtype)))
}

/// Assigns a restored tensor to its variable.
fn assign(
    nodes: &mut SaverNodes<'_>,
    saveable: &SaveableObject,
    spec: &SaveSpec,
    mut tensor: String,
    shape: Option<NewShape>,
) -> Result<String> {
    let is_checked = shape.is_none() && spec.full_shape().is_some();
    if let Some(shape) = shape {
        tensor = reshape(nodes, spec.dtype, &tensor, shape);
    }
    let variable = &*saveable.op;
    match saveable.kind {
        VariableKind::Reference => {
            let name = nodes.name("Assign");
            let attrs = vec![
                ("T", dtype(spec.dtype)),
                ("use_locking", truth(true)),
                ("validate_shape", truth(is_checked)),
            ];
            Ok(nodes.add_colocated(variable, "Assign", name, &[variable, &tensor], &[], attrs))
        }
        VariableKind::Resource => nodes.on(&spec.device.parse()?, |nodes| {
            let value = identity(nodes, &tensor, spec.dtype);
            let attrs = vec![("dtype", dtype(spec.dtype)), ("validate_shape", truth(false))];
            Ok(nodes.add_named("AssignVariableOp", &[variable, &value], attrs))
        }),
    }
}

fn reshape(nodes: &mut SaverNodes<'_>, ty: DType, tensor: &str, shape: NewShape) -> String {
    let outer = nodes.name("Reshape");
    let (shape, shape_type) = match shape {
        NewShape::Node(node) => (node, DType::I32),
        NewShape::Dims(known) => {
            let constant = dims(&known);
            let ty = constant.0;
            (nodes.constant_in(&outer, "shape", constant), ty)
        }
    };
    let attrs = vec![("T", dtype(ty)), ("Tshape", dtype(shape_type))];
    nodes.add("Reshape", outer, &[tensor, &shape], attrs)
}

/// Adds a node that runs all of `ops`: directly if they are on one device, else by a node on each device.
fn group(nodes: &mut SaverNodes<'_>, ops: &[String], name: &str) -> Result<String> {
    let name = nodes.name(name);
    let mut by_device: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for op in ops {
        by_device.entry(nodes.device_of(op).to_owned()).or_default().push(op.clone());
    }
    if by_device.len() == 1
        && let Some((device, ops)) = by_device.pop_first()
    {
        let no_op =
            |nodes: &mut SaverNodes<'_>| Ok(nodes.add_after("NoOp", name, &[], &ops, Vec::new()));
        return nodes.on(&device.parse()?, no_op);
    }
    let mut waits = Vec::new();
    for (device, ops) in by_device {
        let inner = nodes.name_in(&name, "NoOp");
        waits.push(nodes.on(&device.parse()?, |nodes| {
            Ok(nodes.add_after("NoOp", inner, &[], &ops, Vec::new()))
        })?);
    }
    Ok(nodes.add_after("NoOp", name, &[], &waits, Vec::new()))
}
