//! The function library of a graph.

use super::budget::budget;
use crate::error::{Error, Result};
use crate::message::{Records, Value, fields, nested, string};
use crate::schema::field::{function_def, function_def_library, op_def};

/// The memory of a function and of what a comparison keeps for it, in bytes.
const MEMORY: usize = 40;

/// The functions of a graph, and their gradients.
#[derive(Debug, Clone, Default)]
pub struct Library<'m> {
    /// The functions in the order of the message.
    pub functions: Vec<Function<'m>>,
    /// The wire bytes of the `FunctionDefLibrary`.
    pub bytes: &'m [u8],
}

/// A function.
#[derive(Debug, Clone, Copy)]
pub struct Function<'m> {
    /// The name.
    pub name: &'m str,
    /// The `FunctionDef` in canonical form.
    pub bytes: &'m [u8],
}

impl<'m> Library<'m> {
    /// The library of a `FunctionDefLibrary` in canonical form.
    ///
    /// # Errors
    /// If the bytes are not a message, or have nearly nothing but functions without names.
    pub fn new(bytes: &'m [u8]) -> Result<Self> {
        let count = fields(bytes, function_def_library::FUNCTION).count();
        if count.saturating_mul(MEMORY) > budget(bytes) {
            let found = format!("{count} functions in {} bytes", bytes.len());
            return Err(Error::unexpected("function library", found, "functions with names"));
        }
        let mut functions = Vec::with_capacity(count);
        for record in Records::new(bytes, 0) {
            let record = record?;
            if let (function_def_library::FUNCTION, Value::Len(bytes)) =
                (record.number, record.value)
            {
                let name = string(nested(bytes, function_def::SIGNATURE), op_def::NAME);
                functions.push(Function { name, bytes });
            }
        }
        Ok(Self { functions, bytes })
    }
}
