//! The changes of a report.

use crate::compare::Comparison;
use crate::diff::{
    BoundaryChange, Change, Detail, KerasLayer, NodeGroup, ObjectGroup, Path, PathReader,
};
use crate::error::Result;
use crate::serial::{Json, Object, Read};

use super::remarks::count;

/// Reads every change.
///
/// # Errors
/// If one is malformed, or paths have too many steps.
pub(super) fn read_all(json: Json<'_>, paths: &mut PathReader) -> Result<Vec<Change>> {
    let mut changes = Vec::new();
    json.each(|item| {
        changes.push(read(item, paths)?);
        Ok(())
    })?;
    Ok(changes)
}

fn read(json: Json<'_>, paths: &mut PathReader) -> Result<Change> {
    let object = Object::read(json)?;
    Ok(Change {
        path: path(&object, paths)?,
        kind: object.get("kind")?,
        weight: object.get("weight")?,
        lhs: object.get("lhs")?,
        rhs: object.get("rhs")?,
        detail: detail(&object, paths)?,
    })
}

/// The path, with the names of lhs if they differ.
fn path(object: &Object<'_>, paths: &mut PathReader) -> Result<Path> {
    let in_lhs = object.optional_with("lhs_path", Json::string)?;
    object.with("path", |json| {
        let text = json.string()?;
        let path = paths.read(&text, in_lhs.as_deref());
        path.ok_or_else(|| json.unexpected("the path of a field"))
    })
}

fn detail(object: &Object<'_>, paths: &mut PathReader) -> Result<Detail> {
    if let Some(op) = object.optional::<String>("op")? {
        return Ok(Detail::Op(op.into()));
    }
    if let Some(nodes) = object.optional_with("nodes", |json| nodes(json, paths))? {
        return Ok(Detail::Nodes(Box::new(nodes)));
    }
    if let Some(names) = object.optional("signatures")? {
        return Ok(Detail::Signatures(names));
    }
    if let Some(variables) = object.optional("variables")? {
        // Reports of older versions have no more than the variables.
        let number = |key| object.optional_with(key, count).map(Option::unwrap_or_default);
        return Ok(Detail::Objects(Box::new(ObjectGroup {
            node_id: number("node_id")?,
            user_objects: number("user_objects")?,
            layer: object.optional_with("layer", keras_layer)?,
            variables,
        })));
    }
    let values = object.optional_with("values", values)?;
    Ok(values.map_or(Detail::None, |values| Detail::Tensor(Box::new(values))))
}

fn keras_layer(json: Json<'_>) -> Result<KerasLayer> {
    let object = Object::read(json)?;
    Ok(KerasLayer { class: object.get("class")?, name: object.get("name")? })
}

fn nodes(json: Json<'_>, paths: &mut PathReader) -> Result<NodeGroup> {
    let object = Object::read(json)?;
    // Reports of older versions lack some lists.
    let strings = |name| object.optional(name).map(Option::unwrap_or_default);
    let (mut ops, mut boundary) = (Vec::new(), Vec::new());
    object.with("ops", |json| {
        json.each(|item| {
            let of_op = Object::read(item)?;
            ops.push((of_op.get("op")?, of_op.with("count", count)?));
            Ok(())
        })
    })?;
    object.with("boundary", |json| {
        json.each(|item| {
            let change = Object::read(item)?;
            boundary.push(BoundaryChange {
                path: path(&change, paths)?,
                lhs: change.get("lhs")?,
                rhs: change.get("rhs")?,
            });
            Ok(())
        })
    })?;
    Ok(NodeGroup {
        names: object.get("names")?,
        ops,
        layer: object.optional("layer")?,
        variables: strings("variables")?,
        inputs: strings("inputs")?,
        consumers: strings("consumers")?,
        boundary,
    })
}

/// The statistics of two constants that a report has.
fn values(json: Json<'_>) -> Result<Comparison> {
    let object = Object::read(json)?;
    Ok(Comparison {
        elements: object.get("elements")?,
        differing: object.get("differing")?,
        mismatched: object.get("mismatched")?,
        max_abs: object.get("max_abs")?,
        max_rel: object.get("max_rel")?,
        max_ulp: object.get("max_ulp")?,
        rel_l2: object.get("rel_l2")?,
        ..Comparison::default()
    })
}
