//! A node that runs, with its inputs.

use std::sync::Arc;

use super::session::Session;
use super::value::Value;
use crate::error::{Error, Result};
use crate::graph::{Node, OpTable};
use crate::schema::tensorflow::op_def::ArgDef;
use crate::tensor::{DType, Tensor};

/// A node that runs, with its inputs and the state of the run.
pub(super) struct Operation<'o, 'r, 'm> {
    pub(super) session: &'o mut Session<'r, 'm>,
    pub(super) node: &'o Node<'m>,
    pub(super) inputs: &'o [Value],
}

impl<'o> Operation<'o, '_, '_> {
    /// The input at this position.
    pub(super) fn input(&self, at: usize) -> Result<&'o Value> {
        let missing = || {
            let op = crate::error::shortened(self.node.op);
            let args = OpTable::builtin().definition(self.node.op).map(|op| &*op.input_arg);
            // A list of inputs has any length.
            let is_one = |arg: &ArgDef| arg.number_attr.is_empty() && arg.type_list_attr.is_empty();
            let expected = match args {
                Some(args) if args.iter().all(is_one) => {
                    format!("{}, those of op {op}", args.len())
                }
                _ => format!("at least {}, for op {op}", at + 1),
            };
            Error::unexpected("number of inputs", self.inputs.len(), expected)
        };
        self.inputs.get(at).ok_or_else(missing)
    }

    /// The tensor at this position; the value, if the input is a variable.
    pub(super) fn tensor(&self, at: usize) -> Result<Arc<Tensor>> {
        self.session.read(self.input(at)?)
    }

    /// The tensors from this position on.
    pub(super) fn tensors(&self, from: usize) -> Result<Vec<Arc<Tensor>>> {
        self.inputs.iter().skip(from).map(|value| self.session.read(value)).collect()
    }

    /// Checks a dtype against an attribute of the node, if the node has it.
    pub(super) fn check_dtype(&self, attr: &str, found: DType) -> Result<()> {
        match self.node.types(attr).first() {
            Some(&code) if code != found.code() => {
                let expected = format!("{}, as its node states", DType::name_of(code));
                Err(Error::unexpected("dtype", found, expected))
            }
            _ => Ok(()),
        }
    }
}
