//! Op definitions by name: from TensorFlow's registry, a file, or the op list of a graph.
//!
//! ```text
//! ops.pb := tensorflow.OpList, sorted by name, without documentation
//! ```
//! Source: the registry of TensorFlow 2.21; `make_op_table.py` writes the file. A definition is decoded when it is first
//! used, so that opening a table costs little more than a pass over its bytes.

use std::borrow::Cow;
use std::ops::Range;
use std::sync::{LazyLock, OnceLock};

use prost_reflect::prost::Message as _;

use crate::error::{Error, ErrorKind, Result};
use crate::message::{Record, Records, Value};
use crate::schema::field::{op_def, op_list};
use crate::schema::tensorflow::{AttrValue, OpDef};

/// The size limit of a definition. TensorFlow's largest has 1,701 bytes without documentation.
const MAX_DEFINITION: usize = 1 << 20;

const BUILTIN: &[u8] = include_bytes!("ops.pb");

static TABLE: LazyLock<OpTable<'static>> = LazyLock::new(|| {
    OpTable::index(Cow::Borrowed(BUILTIN)).expect("make_op_table.py has written a list of ops")
});

/// Op definitions by name.
///
/// One table may be put [`over`](Self::over) another: the op list of a graph takes precedence over today's definitions.
#[derive(Debug)]
pub struct OpTable<'a> {
    bytes: Cow<'a, [u8]>,
    /// Sorted by name, each name once.
    entries: Vec<Entry>,
    base: Option<&'a OpTable<'a>>,
}

/// The bytes of a definition, and the definition once it was decoded.
#[derive(Debug)]
struct Entry {
    name: Range<usize>,
    content: Range<usize>,
    /// The inner `None` is a definition that cannot be decoded, which [`OpTable::decode`] refuses.
    definition: OnceLock<Option<Box<OpDef>>>,
}

impl OpTable<'static> {
    /// The ops of TensorFlow 2.21, indexed on the first call.
    ///
    /// ```
    /// use ckdiff::graph::{OpTable, is_commutative};
    ///
    /// assert!(is_commutative(OpTable::builtin().definition("AddV2").unwrap()));
    /// // It also concatenates strings.
    /// assert!(!is_commutative(OpTable::builtin().definition("Add").unwrap()));
    /// ```
    pub fn builtin() -> &'static Self {
        &TABLE
    }
}

impl<'a> OpTable<'a> {
    /// Reads an `OpList` in the binary format. If an op is defined twice, the first definition counts.
    ///
    /// # Errors
    /// If `bytes` is not an `OpList`, or a definition has no name or is larger than 1 MiB.
    pub fn decode(bytes: impl Into<Cow<'a, [u8]>>) -> Result<Self> {
        let table = Self::index(bytes.into())?;
        for entry in &table.entries {
            table.read(entry).map_err(|error| error.at(entry.content.start as u64))?;
        }
        Ok(table)
    }

    /// Puts this table over `base`, which is used for ops that this table does not have.
    #[must_use]
    pub fn over(self, base: &'a OpTable<'a>) -> Self {
        Self { base: Some(base), ..self }
    }

    /// The definition of an op.
    pub fn definition(&self, op: &str) -> Option<&OpDef> {
        let found = self.entries.binary_search_by(|entry| self.name(entry).cmp(op.as_bytes()));
        match found.ok().and_then(|at| self.entries.get(at)) {
            Some(entry) => {
                let decode = || self.read(entry).ok().map(Box::new);
                entry.definition.get_or_init(decode).as_deref()
            }
            None => self.base?.definition(op),
        }
    }

    /// The definition of an op, as the bytes of an `OpDef`.
    pub(crate) fn bytes(&self, op: &str) -> Option<&[u8]> {
        let found = self.entries.binary_search_by(|entry| self.name(entry).cmp(op.as_bytes()));
        match found.ok().and_then(|at| self.entries.get(at)) {
            Some(entry) => self.bytes.get(entry.content.clone()),
            None => self.base?.bytes(op),
        }
    }

    /// The names of the ops, sorted, followed by those of the table below, some of which may be the same.
    pub fn names(&self) -> impl Iterator<Item = &str> + Clone {
        let mut table = Some(self);
        let tables = std::iter::from_fn(move || {
            let this = table?;
            table = this.base;
            Some(this)
        });
        tables.flat_map(|table| {
            table.entries.iter().filter_map(|entry| str::from_utf8(table.name(entry)).ok())
        })
    }

    /// The number of ops, without those of the table below.
    pub fn len(&self) -> usize {
        self.entries.len()
    }

    /// Whether there are no ops, apart from those of the table below.
    pub fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    /// Finds the definitions without decoding them.
    fn index(bytes: Cow<'a, [u8]>) -> Result<Self> {
        let mut entries = Vec::new();
        for record in Records::new(&bytes, 0) {
            let record = record?;
            if let (op_list::OP, Value::Len(content)) = (record.number, record.value) {
                entries.push(Entry::new(&record, content)?);
            }
        }
        let name = |entry: &Entry| bytes.get(entry.name.clone()).unwrap_or_default();
        // A stable sort, so that the first definition of a name stays first.
        entries.sort_by(|a, b| name(a).cmp(name(b)));
        entries.dedup_by(|b, a| name(a) == name(b));
        Ok(Self { bytes, entries, base: None })
    }

    fn name(&self, entry: &Entry) -> &[u8] {
        self.bytes.get(entry.name.clone()).unwrap_or_default()
    }

    fn read(&self, entry: &Entry) -> Result<OpDef> {
        let content = self.bytes.get(entry.content.clone()).unwrap_or_default();
        OpDef::decode(content)
            .map_err(|error| Error::unexpected("op definition", error, "it must be an OpDef"))
    }
}

impl Entry {
    /// The definition in a record of the `OpList`.
    fn new(record: &Record<'_>, content: &[u8]) -> Result<Self> {
        if content.len() > MAX_DEFINITION {
            let found = format!("{} bytes long", content.len());
            let allowed = format!("at most {MAX_DEFINITION} are allowed");
            return Err(Error::unexpected("op definition", found, allowed).at(record.offset));
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
            let error = Error::from(ErrorKind::NotFound("an op definition has no name".into()));
            error.at(record.offset)
        })?;
        let start = usize::try_from(record.content).unwrap_or(usize::MAX);
        let content = start..start.saturating_add(content.len());
        Ok(Self { name, content, definition: OnceLock::new() })
    }
}

/// Whether the data inputs of an op may be in any order: two inputs, or a list as of `AddN`.
pub fn is_commutative(op: &OpDef) -> bool {
    op.is_commutative
}

/// Whether an op has side effects, or its outputs depend on more than its inputs.
pub fn is_stateful(op: &OpDef) -> bool {
    op.is_stateful
}

/// The default of an attribute.
///
/// ```
/// use ckdiff::graph::{OpTable, default_of};
/// use ckdiff::schema::tensorflow::attr_value::Value;
///
/// let matmul = OpTable::builtin().definition("MatMul").unwrap();
/// assert_eq!(default_of(matmul, "transpose_b").unwrap().value, Some(Value::B(false)));
/// assert!(default_of(matmul, "T").is_none());
/// ```
pub fn default_of<'a>(op: &'a OpDef, attr: &str) -> Option<&'a AttrValue> {
    op.attr.iter().find(|definition| definition.name == attr)?.default_value.as_ref()
}
