//! Exports and imports collections.

use std::borrow::Cow;
use std::collections::BTreeSet;

use super::collection::{Kind, VALUE, list, malformed_item};
use super::names::{ExportScope, ImportScope, Rename};
use super::registered::{ItemType, is_of_variables, item_type};
use super::rename::{NameField, renamed};
use super::replace::Replacements;
use crate::error::{Error, Result, shortened};
use crate::graph::UNBOUND;
use crate::message::{Value, Writer, canonical_tensorflow, nested, records, string, strings};
use crate::schema::field::{collection_def, variable_def};

/// The export of collections.
#[derive(Debug)]
pub(super) struct CollectionExport<'a> {
    /// The exported scope.
    pub(super) scope: Option<ExportScope<'a>>,
    /// The nodes that are left out.
    pub(super) dropped: BTreeSet<&'a str>,
}

impl CollectionExport<'_> {
    /// Whether a node is exported.
    fn keeps(&self, name: &str) -> bool {
        let inside = self.scope.is_none_or(|scope| scope.has(name));
        !self.dropped.contains(name) && (inside || name.starts_with(UNBOUND))
    }

    /// The exported part of a `CollectionDef`; `None` if there is none.
    ///
    /// # Errors
    /// If an item is not the message that its collection has.
    pub(super) fn collection(&self, key: &str, def: &[u8]) -> Result<Option<Vec<u8>>> {
        let Some((kind, _)) = list(def) else { return Ok(Some(def.to_vec())) };
        let mut kept = 0;
        let new = match (item_type(key), kind) {
            (Some(ty), Kind::BytesList) => mapped(def, |index, item| {
                let item = canonical(key, index, item, ty)?;
                if ty.name.is_some_and(|name| !self.keeps(string(&item, name.number))) {
                    return Ok(None);
                }
                kept += 1;
                Ok(self.message(item, ty))
            }),
            (_, Kind::NodeList | Kind::BytesList) => mapped(def, |_, item| {
                let name = std::str::from_utf8(item);
                if name.is_ok_and(|name| !self.keeps(name)) {
                    return Ok(None);
                }
                kept += 1;
                Ok(Some(match (name, self.scope) {
                    // A string need not be a name.
                    (Ok(name), Some(scope)) if kind == Kind::NodeList => match scope.rename(name) {
                        Cow::Borrowed(name) => name.as_bytes().into(),
                        Cow::Owned(name) => name.into_bytes().into(),
                    },
                    _ => item.into(),
                }))
            }),
            _ => return Ok(Some(def.to_vec())),
        }?;
        Ok((kept > 0).then_some(new))
    }

    /// An item with its names outside the scope; `None` if a part of the message is not in the scope.
    fn message<'i>(&self, item: Cow<'i, [u8]>, ty: &ItemType) -> Option<Cow<'i, [u8]>> {
        let Some(scope) = self.scope else { return Some(item) };
        let inside = |number: &u32| scope.has(string(&item, *number));
        let all = ty.inside.iter().all(inside);
        all.then(|| renamed(&item, ty.fields, &scope).into())
    }
}

/// The import of collections.
pub(super) struct CollectionImport<'a> {
    /// The scope of the import.
    pub(super) scope: &'a ImportScope<'a>,
    /// Whether the graph has this node, or this tensor.
    pub(super) has: &'a dyn Fn(&str) -> bool,
    /// The trainable variables, if the meta graph is from before TensorFlow 1.9, which did not store this in variables.
    pub(super) trainable: Option<BTreeSet<&'a [u8]>>,
}

impl CollectionImport<'_> {
    /// The `CollectionDef` with its new names; `None` if it is empty.
    ///
    /// # Errors
    /// If an item is not the message that its collection has, or names a missing node.
    pub(super) fn collection(&self, key: &str, def: &[u8]) -> Result<Option<Vec<u8>>> {
        let Some((kind, _)) = list(def) else { return Ok(None) };
        let new = match (item_type(key), kind) {
            (Some(ty), Kind::BytesList) => mapped(def, |index, item| {
                let message = canonical(key, index, item, ty)?;
                self.check(key, &message, ty)?;
                let new = if self.scope.is_identity() {
                    item.to_vec()
                } else {
                    renamed(&message, ty.fields, self.scope)
                };
                Ok(Some(self.with_trainable(key, item, new)?.into()))
            }),
            (_, Kind::NodeList) => mapped(def, |_, item| {
                let name = std::str::from_utf8(item).unwrap_or_default();
                self.need_node(key, name)?;
                Ok(Some(self.scope.rename(name).as_bytes().to_vec().into()))
            }),
            (_, Kind::BytesList) => mapped(def, |_, item| {
                Ok(Some(match std::str::from_utf8(item) {
                    Ok(text) => self.scope.below(text).as_bytes().to_vec().into(),
                    Err(_) => item.into(),
                }))
            }),
            _ => Ok(def.to_vec()),
        };
        new.map(Some)
    }

    fn check(&self, key: &str, item: &[u8], ty: &ItemType) -> Result<()> {
        if ty.names_nodes {
            let fields = ty.fields.0.iter();
            let own = fields.filter(|(_, field)| !matches!(field, NameField::Message(_)));
            let mut names = own.flat_map(|(number, _)| strings(item, *number));
            names.try_for_each(|name| self.need_node(key, name))?;
        }
        match ty.required.iter().find(|(number, _)| string(item, *number).is_empty()) {
            Some((_, field)) => {
                let name = ty.message.rsplit('.').next().unwrap_or_default();
                let kind = format!("a {name} in the collection {key} has no {field}");
                Err(Error::not_found(kind))
            }
            None => Ok(()),
        }
    }

    fn need_node(&self, key: &str, name: &str) -> Result<()> {
        if (self.has)(name) {
            return Ok(());
        }
        let (key, name) = (shortened(key), shortened(name));
        Err(Error::not_found(format!(
            "the collection {key} names {name}, which is not in the graph"
        )))
    }

    /// Sets `trainable` in a variable of an old meta graph, if it is in the collection of trainable variables.
    fn with_trainable(&self, key: &str, old: &[u8], new: Vec<u8>) -> Result<Vec<u8>> {
        let Some(trainable) = &self.trainable else { return Ok(new) };
        if !is_of_variables(key) {
            return Ok(new);
        }
        let mut replaced = Replacements::default();
        replaced.set_bool(variable_def::TRAINABLE, trainable.contains(old));
        let message = canonical_tensorflow(variable_def::MESSAGE_NAME, &new)?;
        Ok(replaced.apply_to(variable_def::MESSAGE_NAME, &message))
    }
}

/// The canonical form of an item.
fn canonical<'i>(key: &str, index: usize, item: &'i [u8], ty: &ItemType) -> Result<Cow<'i, [u8]>> {
    canonical_tensorflow(ty.message, item)
        .map_err(|error| malformed_item(key, index, ty.message, &error))
}

/// Maps the items of a `CollectionDef`; if none is left, the result has no list.
fn mapped<'d>(
    def: &'d [u8],
    mut map: impl FnMut(usize, &'d [u8]) -> Result<Option<Cow<'d, [u8]>>>,
) -> Result<Vec<u8>> {
    let mut out = Writer::default();
    for record in records(def) {
        let (collection_def::NODE_LIST..=collection_def::ANY_LIST, Value::Len(list)) =
            (record.number, record.value)
        else {
            out.raw(record.bytes);
            continue;
        };
        let start = out.position();
        let (mut index, mut is_empty) = (0, true);
        out.begin(record.number);
        for item in records(list) {
            if let (VALUE, Value::Len(content)) = (item.number, item.value) {
                let new = map(index, content)?;
                is_empty &= new.is_none();
                new.iter().for_each(|new| out.put_bytes(VALUE, new));
            } else {
                out.raw(item.bytes);
                is_empty = false;
            }
            index += 1;
        }
        out.close();
        if is_empty && index > 0 {
            out.truncate(start);
        }
    }
    Ok(out.finish())
}

/// The strings of a collection.
pub(super) fn texts(def: &[u8]) -> impl Iterator<Item = &str> {
    strings(nested(def, collection_def::BYTES_LIST), VALUE)
}
