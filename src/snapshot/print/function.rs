//! Prints functions.

use super::lines::Lines;
use super::{facts, nodes, proto};
use crate::error::Result;
use crate::schema::tensorflow::FunctionDef;
use crate::schema::tensorflow::op_def::ArgDef;
use crate::snapshot::quote::quoted;

/// Prints a function; `level` is that of its first line.
///
/// # Errors
/// If a part cannot be printed.
pub(super) fn print(function: &FunctionDef, level: usize, out: &mut Lines) -> Result<()> {
    let mut rest = FunctionDef { node_def: Vec::new(), ..without_nodes(function) };
    let mut signature = rest.signature.take().unwrap_or_default();
    let name = std::mem::take(&mut signature.name);
    out.line(level, &format!("function {}", quoted(&name)));
    let level = level + 1;
    for arg in std::mem::take(&mut signature.input_arg) {
        argument("arg", &arg, level, out)?;
    }
    for arg in std::mem::take(&mut signature.output_arg) {
        argument("result", &arg, level, out)?;
    }
    for control in std::mem::take(&mut signature.control_output) {
        out.line(level, &format!("control {}", quoted(&control)));
    }
    let attrs = std::mem::take(&mut rest.attr);
    if !attrs.is_empty() {
        out.begin(level).push_str("with");
        nodes::attrs(&attrs, out.begin(0))?;
        out.end();
    }
    let returns = std::mem::take(&mut rest.ret);
    let controls = std::mem::take(&mut rest.control_ret);
    rest.signature = Some(signature).filter(|signature| *signature != Default::default());
    proto::rest(level, &rest, out)?;
    out.line(level, "nodes");
    nodes::print(&function.node_def, level + 1, out)?;
    for (key, value) in &returns {
        out.line(level, &format!("return {} = {}", quoted(key), quoted(value)));
    }
    for (key, value) in &controls {
        out.line(level, &format!("always {} = {}", quoted(key), quoted(value)));
    }
    Ok(())
}

/// A copy of a function without its nodes, which may be large.
fn without_nodes(function: &FunctionDef) -> FunctionDef {
    FunctionDef {
        signature: function.signature.clone(),
        node_def: Vec::new(),
        ret: function.ret.clone(),
        attr: function.attr.clone(),
        control_ret: function.control_ret.clone(),
        arg_attr: function.arg_attr.clone(),
        resource_arg_unique_id: function.resource_arg_unique_id.clone(),
    }
}

/// Prints an argument or a result, which mostly has a name and a type only.
fn argument(what: &str, arg: &ArgDef, level: usize, out: &mut Lines) -> Result<()> {
    let plain = ArgDef { name: arg.name.clone(), r#type: arg.r#type, ..ArgDef::default() };
    let mut dtype = String::new();
    let text = match plain == *arg && facts::dtype(arg.r#type, &mut dtype) {
        true => format!("{what} {} {dtype}", quoted(&arg.name)),
        false => format!("{what} {}", proto::braced(arg)?),
    };
    out.line(level, &text);
    Ok(())
}
