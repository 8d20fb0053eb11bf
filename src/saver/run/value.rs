//! The outputs of nodes.

use std::sync::Arc;

use super::variables::{DeclaredTable, DeclaredVariable};
use crate::error::{Error, Result};
use crate::tensor::{DType, Shape, Tensor};

/// An output of a node.
#[derive(Debug, Clone)]
pub(super) enum Value {
    /// A tensor.
    Tensor(Arc<Tensor>),
    /// A reference variable, whose value is read later.
    Reference(Arc<DeclaredVariable>),
    /// The handle of a resource variable.
    Handle(Arc<DeclaredVariable>),
    /// The handle of a table.
    Table(Arc<DeclaredTable>),
}

impl Value {
    /// A description for messages.
    pub(super) fn description(&self) -> String {
        match self {
            Self::Tensor(tensor) => format!("a {} tensor", tensor.dtype()),
            Self::Reference(variable) => format!("a reference to the variable {}", variable.name()),
            Self::Handle(variable) => format!("the handle of the variable {}", variable.name()),
            Self::Table(table) => format!("the handle of the table {}", table.name()),
        }
    }
}

impl From<Tensor> for Value {
    fn from(tensor: Tensor) -> Self {
        Self::Tensor(Arc::new(tensor))
    }
}

/// A scalar string.
pub(super) fn of_string(string: &str) -> Result<Tensor> {
    Tensor::of_strings(Shape::new(&[])?, &[string.as_bytes()])
}

/// The elements of a tensor of strings.
pub(super) fn strings<'t>(tensor: &'t Tensor, what: &'static str) -> Result<Vec<&'t [u8]>> {
    let strings = tensor.byte_elements().filter(|_| tensor.dtype() == DType::String);
    strings.ok_or_else(|| Error::unexpected(what, tensor.dtype(), "strings"))
}

/// The elements of a tensor of strings, which must be UTF-8.
pub(super) fn texts<'t>(tensor: &'t Tensor, what: &'static str) -> Result<Vec<&'t str>> {
    strings(tensor, what)?.into_iter().map(|bytes| utf8(bytes, what)).collect()
}

/// The string of a tensor with one element.
pub(super) fn text<'t>(tensor: &'t Tensor, what: &'static str) -> Result<&'t str> {
    match *strings(tensor, what)? {
        [string] => utf8(string, what),
        ref more => {
            let found = format!("{} strings", more.len());
            Err(Error::unexpected(what, found, "one string"))
        }
    }
}

fn utf8<'t>(bytes: &'t [u8], what: &'static str) -> Result<&'t str> {
    str::from_utf8(bytes).map_err(|_| {
        let found = crate::tensor::Name::from(bytes).printable();
        Error::unexpected(what, crate::error::shortened(&found), "UTF-8")
    })
}

/// The numbers of an int32 or int64 tensor.
pub(super) fn ints(tensor: &Tensor, what: &'static str) -> Result<Vec<i64>> {
    match (tensor.dtype(), tensor.elements::<i32>(), tensor.elements::<i64>()) {
        (DType::I32, Some(short), _) => Ok(short.into_iter().map(i64::from).collect()),
        (DType::I64, _, Some(long)) => Ok(long),
        (dtype, ..) => Err(Error::unexpected(what, dtype, "int32 or int64")),
    }
}

/// The number of a tensor with one element.
pub(super) fn int(tensor: &Tensor, what: &'static str) -> Result<i64> {
    match *ints(tensor, what)? {
        [int] => Ok(int),
        ref more => {
            let found = format!("{} numbers", more.len());
            Err(Error::unexpected(what, found, "one number"))
        }
    }
}
