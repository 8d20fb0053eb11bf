//! What becomes of a collection when its graph is exported or imported.

use std::borrow::Cow;
use std::collections::BTreeSet;

use super::UNBOUND;
use super::collection::{Kind, VALUE, list, no_message};
use super::names::{Placed, Rename, Scope};
use super::registered::{Registered, registered};
use super::rename::{NameKind, renamed};
use super::replace::Replacements;
use crate::error::{ErrorKind, Result, shortened};
use crate::graph::node_of;
use crate::message::{Value, Writer, canonical_tensorflow, nested, records, string, strings};
use crate::schema::field::{collection_def, saver_def, variable_def};

/// What leaves a graph.
#[derive(Debug)]
pub(super) struct Export<'a> {
    /// The scope that is kept.
    pub(super) scope: Option<Scope<'a>>,
    /// Nodes that are left out.
    pub(super) gone: BTreeSet<&'a str>,
}

impl Export<'_> {
    /// Whether what goes by this name stays.
    fn keeps(&self, name: &str) -> bool {
        let inside = self.scope.is_none_or(|scope| scope.has(name));
        !self.gone.contains(name) && (inside || name.starts_with(UNBOUND))
    }

    /// The `CollectionDef` without what is not exported; `None` where nothing is.
    ///
    /// # Errors
    /// When an item is not the message that it must be.
    pub(super) fn collection(&self, key: &str, def: &[u8]) -> Result<Option<Vec<u8>>> {
        let Some((kind, _)) = list(def) else { return Ok(Some(def.to_vec())) };
        let mut kept = 0;
        let new = match (registered(key), kind) {
            (Some(registered), Kind::BytesList) => mapped(def, |index, item| {
                let item = canonical(key, index, item, registered)?;
                if registered.name.is_some_and(|name| !self.keeps(string(&item, name))) {
                    return Ok(None);
                }
                kept += 1;
                Ok(self.message(item, registered))
            }),
            (_, Kind::NodeList | Kind::BytesList) => mapped(def, |_, item| {
                let name = std::str::from_utf8(item);
                if name.is_ok_and(|name| !self.keeps(name)) {
                    return Ok(None);
                }
                kept += 1;
                Ok(Some(match (name, self.scope) {
                    // A string is not the name of anything for sure.
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

    /// An item with the names that it has outside its scope; `None` where the message as a whole is not inside.
    fn message<'i>(&self, item: Cow<'i, [u8]>, registered: &Registered) -> Option<Cow<'i, [u8]>> {
        let Some(scope) = self.scope else { return Some(item) };
        let inside = |number: &u32| scope.has(string(&item, *number));
        let all = registered.inside.iter().all(inside);
        all.then(|| renamed(&item, registered.names, &scope).into())
    }
}

/// What comes into a graph.
pub(super) struct Import<'a> {
    /// Where it is put.
    pub(super) placed: &'a Placed<'a>,
    /// Whether the graph has a node of this name.
    pub(super) has: &'a dyn Fn(&str) -> bool,
    /// The trainable variables, where the meta graph is from before TensorFlow 1.9 and variables do not say so.
    pub(super) trainable: Option<BTreeSet<&'a [u8]>>,
}

impl Import<'_> {
    /// The `CollectionDef` with the names that its items get; `None` of one that is empty.
    ///
    /// # Errors
    /// When an item is not the message that it must be, or names a node that is not there.
    pub(super) fn collection(&self, key: &str, def: &[u8]) -> Result<Option<Vec<u8>>> {
        let Some((kind, _)) = list(def) else { return Ok(None) };
        let new = match (registered(key), kind) {
            (Some(registered), Kind::BytesList) => mapped(def, |index, item| {
                let message = canonical(key, index, item, registered)?;
                self.check(key, &message, registered)?;
                let new = if self.placed.is_nothing() {
                    item.to_vec()
                } else {
                    renamed(&message, registered.names, self.placed)
                };
                Ok(Some(self.with_trainable(key, item, new)?.into()))
            }),
            (_, Kind::NodeList) => mapped(def, |_, item| {
                let name = std::str::from_utf8(item).unwrap_or_default();
                self.need_node(key, name)?;
                Ok(Some(self.placed.rename(name).as_bytes().to_vec().into()))
            }),
            (_, Kind::BytesList) => mapped(def, |_, item| {
                Ok(Some(match std::str::from_utf8(item) {
                    Ok(text) => self.placed.below(text).as_bytes().to_vec().into(),
                    Err(_) => item.into(),
                }))
            }),
            _ => Ok(def.to_vec()),
        };
        new.map(Some)
    }

    fn check(&self, key: &str, item: &[u8], registered: &Registered) -> Result<()> {
        if registered.names_nodes {
            let fields = registered.names.0.iter();
            let own = fields.filter(|(_, kind)| !matches!(kind, NameKind::In(_)));
            let mut names = own.flat_map(|(number, _)| strings(item, *number));
            names.try_for_each(|name| self.need_node(key, name))?;
        }
        let need = |(number, field): (u32, &str)| match string(item, number) {
            "" if key == "savers" => {
                let kind = format!("a SaverDef in the collection savers has no {field}");
                Err(ErrorKind::NotFound(kind).into())
            }
            _ => Ok(()),
        };
        [
            (saver_def::SAVE_TENSOR_NAME, "save_tensor_name"),
            (saver_def::RESTORE_OP_NAME, "restore_op_name"),
        ]
        .into_iter()
        .try_for_each(need)
    }

    fn need_node(&self, key: &str, name: &str) -> Result<()> {
        if (self.has)(node_of(name)) {
            return Ok(());
        }
        let (key, name) = (shortened(key), shortened(name));
        let kind = format!("the collection {key} names {name}, which is not in the graph");
        Err(ErrorKind::NotFound(kind).into())
    }

    /// A variable of an old meta graph is trainable where it is in the collection of those.
    fn with_trainable(&self, key: &str, old: &[u8], new: Vec<u8>) -> Result<Vec<u8>> {
        let Some(trainable) = &self.trainable else { return Ok(new) };
        if !key.ends_with("variables") {
            return Ok(new);
        }
        let mut replaced = Replacements::default();
        replaced.set_bool(variable_def::TRAINABLE, trainable.contains(old));
        let message = canonical_tensorflow("tensorflow.VariableDef", &new)?;
        Ok(replaced.apply_to("tensorflow.VariableDef", &message))
    }
}

/// The item of a collection as the message that it must be.
fn canonical<'i>(
    key: &str,
    index: usize,
    item: &'i [u8],
    registered: &Registered,
) -> Result<Cow<'i, [u8]>> {
    canonical_tensorflow(registered.message, item)
        .map_err(|error| no_message(key, index, registered.message, &error))
}

/// A `CollectionDef` with the items that `map` makes of those of its list; one of which none is left has no list.
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
            if item.number != VALUE {
                out.raw(item.bytes);
                is_empty = false;
            } else if let Some(new) = map(index, item.payload())? {
                out.put_bytes(VALUE, &new);
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

/// The names in a collection of strings.
pub(super) fn texts(def: &[u8]) -> impl Iterator<Item = &str> {
    strings(nested(def, collection_def::BYTES_LIST), VALUE)
}
