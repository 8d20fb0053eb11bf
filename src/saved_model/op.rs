//! The init op and the training op that a meta graph names.

use std::collections::BTreeMap;

use crate::error::{Error, Result, shortened};
use crate::graph::{Graph, OpTable};
use crate::message::Message;
use crate::meta_graph::{
    self, Collections, Item, NamedBy, OpPurpose, SPECIAL_OPS, graph_of, name_of, op_table,
};
use crate::schema::tensorflow::SignatureDef;

/// The parts of a meta graph in which ops are looked up.
pub(super) struct Ops<'m> {
    graph: Graph<'m>,
    ops: OpTable<'m>,
    collections: Collections<'m>,
    signatures: BTreeMap<String, SignatureDef>,
}

impl<'m> Ops<'m> {
    pub(super) fn of(meta: &'m Message<'_>) -> Result<Self> {
        Ok(Self {
            graph: Graph::new(graph_of(meta)?)?,
            ops: op_table(meta)?,
            collections: Collections::of(meta)?,
            signatures: meta_graph::signatures(meta)?,
        })
    }

    /// The signatures by name.
    pub(super) fn into_signatures(self) -> BTreeMap<String, SignatureDef> {
        self.signatures
    }

    /// The op or tensor to run after a restore.
    pub(super) fn init_op(&self) -> Result<Option<String>> {
        self.find(OpPurpose::initializes)
    }

    /// The training op or tensor.
    pub(super) fn train_op(&self) -> Result<Option<String>> {
        self.find(|purpose| purpose == OpPurpose::Train)
    }

    /// The first op with such a purpose.
    fn find(&self, is_wanted: impl Fn(OpPurpose) -> bool) -> Result<Option<String>> {
        let wanted = SPECIAL_OPS.into_iter().filter(|(_, purpose)| is_wanted(*purpose));
        let mut found = wanted.filter_map(|(by, _)| {
            match by {
                NamedBy::Signature(key) => self.in_signature(key),
                NamedBy::Collection(key) => self.in_collection(key),
            }
            .transpose()
        });
        found.next().transpose()
    }

    /// Checks that `op` can be added as the main op.
    pub(super) fn check_main_op(&self, op: &str) -> Result<()> {
        let known = |at: String| {
            let kind = format!("the meta graph already has a main op, in its {at}");
            Error::usage(kind).in_field("main_op")
        };
        for (by, _) in SPECIAL_OPS.into_iter().filter(|(_, purpose)| purpose.initializes()) {
            match by {
                // TensorFlow runs this op, and no other.
                NamedBy::Signature(key) if self.signatures.contains_key(key) => {
                    return Err(known(format!("signature {key}")));
                }
                NamedBy::Collection(key) if !self.collections.items(key).is_empty() => {
                    return Err(known(format!("collection {key}")));
                }
                _ => {}
            }
        }
        if op.contains(':') {
            let expected = "the name of a node, without an output";
            return Err(Error::unexpected("main_op", shortened(op), expected));
        }
        self.check(op).map_err(|error| error.in_field("main_op"))
    }

    /// The op in the output of a signature; both are called `key`.
    fn in_signature(&self, key: &str) -> Result<Option<String>> {
        let Some(signature) = self.signatures.get(key) else { return Ok(None) };
        let in_signature = |error: Error| error.in_field(&format!("signature_def[{key:?}]"));
        let output = signature.outputs.get(key).ok_or_else(|| {
            let kind = format!("it has no output {key}");
            in_signature(Error::not_found(kind))
        })?;
        let name = name_of(output).unwrap_or_default();
        self.check(name).map_err(in_signature)?;
        Ok(Some(name.to_owned()))
    }

    /// The only item of a collection; `None` if there is no such collection.
    fn in_collection(&self, key: &str) -> Result<Option<String>> {
        let in_collection = |error: Error| error.in_field(&format!("collection_def[{key:?}]"));
        if !self.collections.keys().any(|known| known == key) {
            return Ok(None);
        }
        let items = self.collections.items(key);
        let [Item::Node(name)] = items.as_slice() else {
            let found = match items.first() {
                Some(Item::Node(_)) => format!("{} nodes", items.len()),
                Some(other) => other.described(),
                None => "empty".into(),
            };
            return Err(in_collection(Error::unexpected("list", found, "one node")));
        };
        self.check(name).map_err(in_collection)?;
        Ok(Some((*name).to_owned()))
    }

    /// Checks that the graph has this op or tensor.
    fn check(&self, name: &str) -> Result<()> {
        match name.contains(':') {
            true => self.graph.output(name, &self.ops).map(drop),
            false => self.graph.tensor(name).map(drop),
        }
    }
}
