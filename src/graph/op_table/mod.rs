//! Op definitions by name: from TensorFlow's registry, a file, or the op list of a graph.
//!
//! ```text
//! ops.pb := tensorflow.OpList, sorted by name, without documentation
//! ```
//! Source: the registry of TensorFlow 2.21; `make_op_table.py` writes the file. A definition is decoded when it is first
//! used, so that opening a table costs little more than a pass over its bytes.

mod entry;
mod properties;

pub use properties::{default_of, is_commutative, is_stateful};

use std::borrow::Cow;
use std::sync::LazyLock;

use crate::error::Result;
use crate::message::{Records, Value};
use crate::schema::field::op_list;
use crate::schema::tensorflow::OpDef;
use entry::Entry;

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
            entry.read(&table.bytes).map_err(|error| error.at(entry.content.start as u64))?;
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
        let (table, entry) = self.find(op)?;
        entry.definition(&table.bytes)
    }

    /// The definition of an op, as the bytes of an `OpDef`.
    pub(crate) fn bytes(&self, op: &str) -> Option<&[u8]> {
        let (table, entry) = self.find(op)?;
        Some(entry.content(&table.bytes))
    }

    /// The entry of an op, and the table that has it.
    fn find(&self, op: &str) -> Option<(&Self, &Entry)> {
        let found =
            self.entries.binary_search_by(|entry| entry.name(&self.bytes).cmp(op.as_bytes()));
        match found.ok().and_then(|at| self.entries.get(at)) {
            Some(entry) => Some((self, entry)),
            None => self.base?.find(op),
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
            table.entries.iter().filter_map(|entry| str::from_utf8(entry.name(&table.bytes)).ok())
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
        // A stable sort, so that the first definition of a name stays first.
        entries.sort_by(|a, b| a.name(&bytes).cmp(b.name(&bytes)));
        entries.dedup_by(|b, a| a.name(&bytes) == b.name(&bytes));
        Ok(Self { bytes, entries, base: None })
    }
}
