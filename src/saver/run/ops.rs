//! Runs a node by its op.

use super::operation::Operation;
use super::session::Session;
use super::value::Value;
use super::{arrays, assign, branches, calls, files, tables};
use crate::error::{Error, Result};
use crate::graph::{Action, Constant, Node, SaveOp, attrs, is_case, is_if, is_saved_table};
use crate::saver::VariableKind;

/// Runs a node, and returns its outputs.
pub(super) fn run<'m>(
    session: &mut Session<'_, 'm>,
    node: &Node<'m>,
    inputs: Vec<Value>,
) -> Result<Vec<Value>> {
    if let Some(function) = session.functions.callee(node)? {
        return calls::call(session, function, inputs);
    }
    if is_if(node.op) || is_case(node.op) {
        return branches::run(session, node, inputs);
    }
    let op = &mut Operation { session, node, inputs: &inputs };
    if let Some(save_op) = SaveOp::of(node.op) {
        return match save_op.action {
            Action::Save => files::save(op, save_op).map(none),
            Action::Restore => files::restore(op, save_op),
        };
    }
    match node.op {
        "NoOp" | "DisableCopyOnRead" => Ok(Vec::new()),
        "Const" => constant(op).map(one),
        "Placeholder" => Err(Error::not_found("nothing is fed to this placeholder")),
        "PlaceholderWithDefault" | "Identity" => assign::pass_on(op).map(one),
        name if VariableKind::of_op(name).is_some() => assign::variable(op).map(one),
        "ReadVariableOp" => assign::read(op).map(one),
        "Assign" => assign::assign(op).map(one),
        "AssignVariableOp" => assign::assign_handle(op).map(none),
        name if is_saved_table(name) => tables::table(op).map(one),
        "LookupTableExportV2" => tables::export(op),
        "LookupTableImportV2" => tables::import(op).map(none),
        "MergeV2Checkpoints" => files::merge(op).map(none),
        "ShardedFilename" | "ShardedFilespec" => files::sharded_name(op).map(one),
        "Pack" => arrays::pack(op).map(one),
        "StringJoin" => arrays::string_join(op).map(one),
        "StaticRegexFullMatch" => arrays::regex_full_match(op).map(one),
        "Select" => arrays::select(op).map(one),
        "Shape" => arrays::shape(op).map(one),
        "Reshape" => arrays::reshape(op).map(one),
        op => {
            let op = crate::error::shortened(op);
            Err(Error::unsupported(format!("the op {op} is not supported: savers do not use it")))
        }
    }
}

fn constant(op: &mut Operation<'_, '_, '_>) -> Result<Value> {
    let proto = op.node.attr("value").and_then(attrs::tensor).unwrap_or_default();
    let tensor = Constant::parse(proto).and_then(|constant| constant.tensor(op.session.room));
    let tensor = tensor.map_err(Error::without_offset)?;
    op.check_dtype("dtype", tensor.dtype())?;
    op.session.made(tensor)
}

/// The outputs of a node with one output.
fn one(value: Value) -> Vec<Value> {
    vec![value]
}

/// The outputs of a node without outputs.
fn none((): ()) -> Vec<Value> {
    Vec::new()
}
