//! The function library of a graph.

use super::node::{bytes_of, text_of};
use crate::error::Result;
use crate::message::Records;
use crate::schema::field::{function_def, function_def_library, op_def};

/// The functions of a graph, and which is the gradient of which.
#[derive(Debug, Clone, Default)]
pub struct Library<'m> {
    /// Its functions, in the order of the message.
    pub functions: Vec<Function<'m>>,
    /// The wire bytes of the library.
    pub bytes: &'m [u8],
}

/// A function.
#[derive(Debug, Clone, Copy)]
pub struct Function<'m> {
    /// Its name.
    pub name: &'m str,
    /// The `FunctionDef` in canonical form.
    pub bytes: &'m [u8],
}

impl<'m> Library<'m> {
    /// The library of a `FunctionDefLibrary` in canonical form.
    ///
    /// # Errors
    /// When the bytes are no message.
    pub fn new(bytes: &'m [u8]) -> Result<Self> {
        let mut functions = Vec::new();
        for record in Records::new(bytes, 0) {
            let record = record?;
            if record.number == function_def_library::FUNCTION {
                let bytes = bytes_of(&record);
                functions.push(Function { name: name(bytes)?, bytes });
            }
        }
        Ok(Self { functions, bytes })
    }
}

/// The name in a function's signature.
fn name(function: &[u8]) -> Result<&str> {
    for record in Records::new(function, 0) {
        let record = record?;
        if record.number == function_def::SIGNATURE {
            for record in Records::new(bytes_of(&record), 0) {
                let record = record?;
                if record.number == op_def::NAME {
                    return Ok(text_of(&record));
                }
            }
        }
    }
    Ok("")
}
