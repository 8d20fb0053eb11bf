//! Collections: reads their items by kind, and adds items.

use std::collections::BTreeMap;
use std::fmt;

use prost::{self, Name};

use super::parts::Parts;
use crate::error::{Error, Result, shortened, with_article};
use crate::message::{
    Message, Record, Value, Writer, canonical_tensorflow, encoded, fields, nested, numbers,
    records, strings,
};
use crate::schema::Kind as Scalar;
use crate::schema::field::{any, collection_def};

/// The field number of the items in every kind of list.
pub(super) const VALUE: u32 = collection_def::node_list::VALUE;

/// The kind of a collection, by the field of `CollectionDef`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
#[repr(u32)]
pub enum Kind {
    /// Names of nodes or tensors.
    NodeList = collection_def::NODE_LIST,
    /// Strings, or messages such as `VariableDef`.
    BytesList = collection_def::BYTES_LIST,
    /// Integers.
    Int64List = collection_def::INT64_LIST,
    /// Numbers.
    FloatList = collection_def::FLOAT_LIST,
    /// Messages of any type: `google.protobuf.Any`.
    AnyList = collection_def::ANY_LIST,
}

impl Kind {
    const ALL: [Self; 5] =
        [Self::NodeList, Self::BytesList, Self::Int64List, Self::FloatList, Self::AnyList];

    /// The kind with this field number.
    fn of(number: u32) -> Option<Self> {
        Self::ALL.into_iter().find(|kind| kind.number() == number)
    }

    /// The number of its field in `CollectionDef`.
    fn number(self) -> u32 {
        self as u32
    }

    /// Whether the items are numbers, which are packed.
    fn is_packed(self) -> bool {
        matches!(self, Self::Int64List | Self::FloatList)
    }

    /// The name of the field: `node_list`.
    pub fn name(self) -> &'static str {
        match self {
            Self::NodeList => "node_list",
            Self::BytesList => "bytes_list",
            Self::Int64List => "int64_list",
            Self::FloatList => "float_list",
            Self::AnyList => "any_list",
        }
    }
}

impl fmt::Display for Kind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// An item of a collection.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Item<'a> {
    /// The name of a node, or of a tensor.
    Node(&'a str),
    /// A string, or a message.
    Bytes(&'a [u8]),
    /// An integer.
    Int(i64),
    /// A number.
    Float(f32),
    /// A `google.protobuf.Any` in the binary format.
    Any(&'a [u8]),
}

impl Item<'_> {
    /// The kind of collection that the item belongs to.
    pub fn kind(&self) -> Kind {
        match self {
            Self::Node(_) => Kind::NodeList,
            Self::Bytes(_) => Kind::BytesList,
            Self::Int(_) => Kind::Int64List,
            Self::Float(_) => Kind::FloatList,
            Self::Any(_) => Kind::AnyList,
        }
    }

    /// The item in an error: `an item of a bytes_list`.
    pub(crate) fn described(&self) -> String {
        format!("an item of {}", with_article(self.kind().name()))
    }
}

/// The collections of a meta graph.
///
/// ```
/// use ckdiff::artifact::{Document, ReadOptions};
/// use ckdiff::meta_graph::{Collections, Kind};
/// use ckdiff::schema::{Schema, tensorflow::VariableDef};
///
/// let file = "tests/data/demo/model.ckpt.meta";
/// let document = Document::open(file, Schema::tensorflow(), &ReadOptions::default())?;
/// let collections = Collections::of(document.message())?;
/// assert_eq!(collections.kind("variables"), Some(Kind::BytesList));
/// let variables: Vec<VariableDef> = collections.read("variables")?;
/// assert_eq!(variables[0].variable_name, "v1:0");
/// # Ok::<(), ckdiff::Error>(())
/// ```
#[derive(Debug, Clone)]
pub struct Collections<'m>(BTreeMap<&'m str, &'m [u8]>);

impl<'m> Collections<'m> {
    /// The collections of `meta`, a `MetaGraphDef`.
    ///
    /// # Errors
    /// If `meta` is another message.
    pub fn of(meta: &'m Message<'_>) -> Result<Self> {
        Ok(Self::of_parts(Parts::of(meta)?))
    }

    /// The collections among the parts of a meta graph.
    pub(super) fn of_parts(parts: Parts<'m>) -> Self {
        Self(parts.collections.into_iter().map(|(key, collection)| (key, collection.def)).collect())
    }

    /// The names, sorted.
    pub fn keys(&self) -> impl Iterator<Item = &'m str> {
        self.0.keys().copied()
    }

    /// The kind of a collection; `None` if there is no such collection, or it is empty.
    pub fn kind(&self, key: &str) -> Option<Kind> {
        self.0.get(key).and_then(|def| list(def)).map(|(kind, _)| kind)
    }

    /// The items of a collection; empty if there is no such collection.
    pub fn items(&self, key: &str) -> Vec<Item<'m>> {
        let Some((kind, list)) = self.0.get(key).and_then(|def| list(def)) else {
            return Vec::new();
        };
        match kind {
            Kind::NodeList => strings(list, VALUE).map(Item::Node).collect(),
            Kind::BytesList => fields(list, VALUE).map(Item::Bytes).collect(),
            Kind::AnyList => fields(list, VALUE).map(Item::Any).collect(),
            Kind::Int64List => numbers(list, VALUE, Scalar::Int64)
                .map(|bits| Item::Int(bits.cast_signed()))
                .collect(),
            Kind::FloatList => numbers(list, VALUE, Scalar::Float)
                .map(|bits| Item::Float(f32::from_bits(u32::try_from(bits).unwrap_or_default())))
                .collect(),
        }
    }

    /// The messages in a collection; empty if there is no such collection.
    ///
    /// # Errors
    /// If an item is anything else; the error has the item.
    pub fn read<M: prost::Message + Name + Default>(&self, key: &str) -> Result<Vec<M>> {
        let read = |(index, item): (usize, Item<'_>)| match item {
            Item::Bytes(bytes) => {
                M::decode(bytes).map_err(|error| malformed_item(key, index, M::NAME, &error))
            }
            other => Err(other_item(key, index, M::NAME, &other.described())),
        };
        self.items(key).into_iter().enumerate().map(read).collect()
    }
}

/// The error for bytes that are not the message of their collection.
pub(super) fn malformed_item(
    key: &str,
    index: usize,
    message: &str,
    reason: &dyn fmt::Display,
) -> Error {
    in_item(key, index, Error::malformed(ITEM, with_article(message), reason))
}

/// The error for an item that is another message or value than its collection has.
pub(super) fn other_item(
    key: &str,
    index: usize,
    message: &str,
    found: &dyn fmt::Display,
) -> Error {
    in_item(key, index, Error::unexpected(ITEM, found, with_article(message)))
}

fn in_item(key: &str, index: usize, error: Error) -> Error {
    error.in_field(&format!("collection_def[{:?}][{index}]", shortened(key)))
}

const ITEM: &str = "item of a collection";

/// The kind of a `CollectionDef`, and its list.
pub(super) fn list(def: &[u8]) -> Option<(Kind, &[u8])> {
    records(def).find_map(|record| match record.value {
        Value::Len(list) => Some((Kind::of(record.number)?, list)),
        _ => None,
    })
}

/// Adds `items` to the end of the collection `key`, which is created if it is missing.
///
/// The first item determines the kind of a collection. All others must have the same, except that integers may be added to numbers.
///
/// # Errors
/// If `meta` is not a `MetaGraphDef`, an item is of another kind than the collection, or an `Any` cannot be decoded.
pub fn add_to_collection<'s>(
    meta: &Message<'s>,
    key: &str,
    added: &[Item<'_>],
) -> Result<Message<'s>> {
    let mut parts = Parts::of(meta)?;
    let old = parts.collections.get(key).map(|collection| collection.def).unwrap_or_default();
    let Some(kind) = list(old).map(|(kind, _)| kind).or_else(|| added.first().map(Item::kind))
    else {
        return Ok(meta.clone());
    };
    let canonical =
        added.iter().map(|item| canonical(key, kind, item)).collect::<Result<Vec<_>>>()?;
    let def = joined(kind, old, &wire(kind, &canonical));
    parts.set_collection(key, def);
    Ok(parts.message(meta))
}

/// Encodes an item for a collection of this kind.
fn canonical(key: &str, kind: Kind, item: &Item<'_>) -> Result<Vec<u8>> {
    Ok(match (kind, *item) {
        (Kind::NodeList, Item::Node(name)) => name.as_bytes().to_vec(),
        (Kind::BytesList, Item::Bytes(bytes)) => bytes.to_vec(),
        (Kind::Int64List, Item::Int(number)) => {
            let mut out = Writer::default();
            out.varint(number.cast_unsigned());
            out.finish()
        }
        (Kind::FloatList, Item::Float(number)) => number.to_le_bytes().to_vec(),
        #[expect(clippy::cast_precision_loss, reason = "as Python does")]
        (Kind::FloatList, Item::Int(number)) => (number as f32).to_le_bytes().to_vec(),
        (Kind::AnyList, Item::Any(bytes)) => {
            canonical_tensorflow(any::MESSAGE_NAME, bytes)?.into_owned()
        }
        (kind, item) => {
            return Err(Error::usage(format!(
                "collection {key} is a {kind}, which cannot have {} items",
                item.kind()
            )));
        }
    })
}

/// Encodes the records of a list.
fn wire(kind: Kind, items: &[Vec<u8>]) -> Vec<u8> {
    if !kind.is_packed() {
        return items.iter().flat_map(|item| encoded(VALUE, item)).collect();
    }
    if items.is_empty() { Vec::new() } else { encoded(VALUE, &items.concat()) }
}

/// Appends the records of a list of this kind to a `CollectionDef`.
pub(super) fn joined(kind: Kind, def: &[u8], more: &[u8]) -> Vec<u8> {
    let old = list(def).map(|(_, list)| list).unwrap_or_default();
    let all = || records(old).chain(records(more));
    let has_len = |record: &Record<'_>| matches!(record.value, Value::Len(_));
    let is_item = |record: &Record<'_>| record.number == VALUE && has_len(record);
    let is_list = |record: &Record<'_>| Kind::of(record.number).is_some() && has_len(record);
    let mut out = Writer::default();
    out.put_message(kind.number(), |out| {
        if kind.is_packed() {
            out.put_bytes(VALUE, &[nested(old, VALUE), nested(more, VALUE)].concat());
        } else {
            all().filter(is_item).for_each(|record| out.raw(record.bytes));
        }
        all().filter(|record| !is_item(record)).for_each(|record| out.raw(record.bytes));
    });
    let unknown = records(def).filter(|record| !is_list(record));
    unknown.for_each(|record| out.raw(record.bytes));
    out.finish()
}
