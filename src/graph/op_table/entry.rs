//! An entry of an op table: the range of bytes with a definition.

use std::ops::Range;
use std::sync::OnceLock;

use prost::Message as _;

use crate::error::{Error, Result};
use crate::message::{Record, Records, Value};
use crate::schema::field::op_def;
use crate::schema::tensorflow::OpDef;

/// The size limit of a definition. TensorFlow's largest has 1,701 bytes without documentation.
const MAX_DEFINITION: usize = 1 << 20;

/// The bytes of a definition, and the definition once it was decoded.
#[derive(Debug)]
pub(super) struct Entry {
    name: Range<usize>,
    pub(super) content: Range<usize>,
    /// The inner `None` is a definition that cannot be decoded, which [`OpTable::decode`](super::OpTable::decode) refuses.
    definition: OnceLock<Option<Box<OpDef>>>,
}

impl Entry {
    /// The definition in a record of the `OpList`.
    pub(super) fn new(record: &Record<'_>, content: &[u8]) -> Result<Self> {
        if content.len() > MAX_DEFINITION {
            let found = format!("{} bytes", content.len());
            let expected = format!("at most {MAX_DEFINITION} bytes");
            return Err(Error::unexpected("op definition", found, expected).at(record.offset));
        }
        let mut name = None;
        for field in Records::new(content, record.content) {
            let field = field?;
            if let (op_def::NAME, Value::Len(text)) = (field.number, field.value) {
                let start = usize::try_from(field.content).unwrap_or(usize::MAX);
                name = Some(start..start.saturating_add(text.len()));
            }
        }
        let name = name.filter(|name| !name.is_empty()).ok_or_else(|| {
            let error = Error::not_found("an op definition has no name");
            error.at(record.offset)
        })?;
        let start = usize::try_from(record.content).unwrap_or(usize::MAX);
        let content = start..start.saturating_add(content.len());
        Ok(Self { name, content, definition: OnceLock::new() })
    }

    /// The name of the op; `list` is the `OpList` that the entry was made from.
    pub(super) fn name<'l>(&self, list: &'l [u8]) -> &'l [u8] {
        list.get(self.name.clone()).unwrap_or_default()
    }

    /// The bytes of the definition.
    pub(super) fn content<'l>(&self, list: &'l [u8]) -> &'l [u8] {
        list.get(self.content.clone()).unwrap_or_default()
    }

    /// The definition, which is decoded on the first call.
    pub(super) fn definition(&self, list: &[u8]) -> Option<&OpDef> {
        self.definition.get_or_init(|| self.read(list).ok().map(Box::new)).as_deref()
    }

    /// Decodes the definition.
    pub(super) fn read(&self, list: &[u8]) -> Result<OpDef> {
        OpDef::decode(self.content(list))
            .map_err(|error| Error::malformed("op definition", "an OpDef", error))
    }
}
