//! Walks both messages at once, along the paths of changes, to the parts that are shown.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};

use super::find::{FieldValues, NamedValues};
use super::hops::{self, Hop, SideSelector};
use super::{ChangedPart, PartMessage};
use crate::diff::walk::model::CommonPart;
use crate::diff::{Change, ChangeKind, Detail};
use crate::message::{canonical, fields, records};
use crate::meta_graph::item_type;
use crate::schema::field::{
    attr_value,
    collection_def::{self, bytes_list, node_list},
    function_def, function_def_library, graph_def,
    meta_graph_def::{self, meta_info_def},
    node_def, op_list, saved_model, saved_object_graph, tensor_proto, trackable_object_graph,
};
use crate::schema::{Field, MessageType, Schema, WellKnown};

/// The maximum number of nodes of a group that are shown.
const NODES: usize = 8;

/// The largest message in bytes that is shown as a whole rather than by fields.
const SMALL: usize = 64 << 10;

/// Messages whose parts are shown one by one.
const CONTAINERS: [&str; 12] = [
    saved_model::MESSAGE_NAME,
    meta_graph_def::MESSAGE_NAME,
    meta_info_def::MESSAGE_NAME,
    graph_def::MESSAGE_NAME,
    function_def_library::MESSAGE_NAME,
    function_def::MESSAGE_NAME,
    op_list::MESSAGE_NAME,
    bytes_list::MESSAGE_NAME,
    node_list::MESSAGE_NAME,
    collection_def::int64_list::MESSAGE_NAME,
    collection_def::float_list::MESSAGE_NAME,
    collection_def::any_list::MESSAGE_NAME,
];

/// Messages that are shown as a whole, however large.
const WHOLE: [&str; 3] =
    [node_def::MESSAGE_NAME, attr_value::MESSAGE_NAME, tensor_proto::MESSAGE_NAME];

/// Messages whose paths do not follow their fields.
const OBJECTS: [&str; 2] = [trackable_object_graph::MESSAGE_NAME, saved_object_graph::MESSAGE_NAME];

/// A change, or a node of a group, and the hops to it.
#[derive(Debug)]
struct Target<'a> {
    hops: Vec<Hop<'a>>,
    change: usize,
    /// For a node of a group: the changed part, and the position in the group.
    block: Option<(usize, usize)>,
}

/// Two messages that differ, and the changes in them, whose first `depth` hops lead here.
#[derive(Debug, Clone, Copy)]
struct MessagePair<'a, 'e> {
    ty: &'a MessageType,
    lhs: Option<&'a [u8]>,
    rhs: Option<&'a [u8]>,
    depth: usize,
    entries: &'e [Target<'a>],
}

/// The state of the walk.
#[derive(Debug)]
pub(super) struct Walk<'a> {
    schema: &'a Schema,
    changes: &'a [Change],
    parts: Vec<ChangedPart<'a>>,
    /// The messages of node groups, by changed part and position.
    nodes: BTreeMap<(usize, usize), Sides<'a>>,
}

impl<'a> Walk<'a> {
    /// The changed parts for the selected changes.
    pub(super) fn parts(
        changes: &'a [Change],
        counts: impl Fn(usize) -> bool,
        common: Option<CommonPart<'a>>,
    ) -> Vec<ChangedPart<'a>> {
        let schema = common.map_or(Schema::tensorflow(), |common| common.schema);
        let mut walk = Self { schema, changes, parts: Vec::new(), nodes: BTreeMap::new() };
        let mut entries = Vec::new();
        for (at, change) in changes.iter().enumerate().filter(|(at, _)| counts(*at)) {
            match &change.detail {
                _ if change.kind == ChangeKind::Renamed || common.is_none() => {
                    walk.without_text(at)
                }
                Detail::Nodes(nodes) => {
                    let block = walk.parts.len();
                    walk.without_text(at);
                    if let Some(part) = walk.parts.last_mut() {
                        part.more = nodes.names.len().saturating_sub(NODES) as u64;
                    }
                    let names = nodes.names.iter().take(NODES).enumerate();
                    entries.extend(names.map(|(node, name)| {
                        let hops = hops::of_node(change, name);
                        Target { hops, change: at, block: Some((block, node)) }
                    }));
                }
                _ => {
                    entries.push(Target { hops: hops::of_change(change), change: at, block: None })
                }
            }
        }
        entries.sort_by(|a, b| (&a.hops, a.change).cmp(&(&b.hops, b.change)));
        if let Some(CommonPart { ty, lhs, rhs, .. }) = common.filter(|_| !entries.is_empty()) {
            let (lhs, rhs) = (Some(lhs), Some(rhs));
            let mut open = vec![MessagePair { ty, lhs, rhs, depth: 0, entries: &entries }];
            while let Some(level) = open.pop() {
                walk.level(level, &mut open);
            }
        }
        for ((block, _), (lhs, rhs)) in std::mem::take(&mut walk.nodes) {
            if let Some(part) = walk.parts.get_mut(block) {
                part.lhs.extend(lhs);
                part.rhs.extend(rhs);
            }
        }
        walk.parts.sort_by_key(|part| part.changes.first().copied());
        walk.parts
    }

    /// Shows a message, or descends into its fields.
    fn level<'e>(&mut self, at: MessagePair<'a, 'e>, open: &mut Vec<MessagePair<'a, 'e>>) {
        if OBJECTS.contains(&&*at.ty.full_name) {
            return self.without_texts(at.entries);
        }
        if self.is_whole(&at) {
            return self.element(at);
        }
        let ends = at.entries.partition_point(|entry| entry.hops.len() <= at.depth);
        let Some((ending, rest)) = at.entries.split_at_checked(ends) else { return };
        if !ending.is_empty() {
            self.element(MessagePair { entries: ending, ..at });
        }
        let field = |entry: &Target<'a>| entry.hops.get(at.depth).map(|hop| hop.field);
        for entries in rest.chunk_by(|a, b| field(a) == field(b)) {
            let name = entries.first().and_then(field).unwrap_or_default();
            let known = at.ty.field_by_name(name.as_bytes());
            let at = MessagePair { entries, ..at };
            let Some(field) = known else {
                self.without_texts(entries);
                continue;
            };
            match FieldValues::new(self.schema, at.ty, field, self.collection(&at)) {
                Some(values) => self.values_of(at, &values, open),
                None => self.field(at, field),
            }
        }
    }

    /// The collection that contains a message.
    fn collection(&self, at: &MessagePair<'a, '_>) -> Option<&'a str> {
        let change = self.changes.get(at.entries.first()?.change)?;
        change.path.key_in("collection_def")
    }

    /// The type of the messages embedded in the collection that contains a message.
    fn embedded_type(&self, at: &MessagePair<'a, '_>) -> Option<&'static str> {
        Some(item_type(self.collection(at)?)?.message)
    }

    /// Whether a message is shown as a whole.
    fn is_whole(&self, at: &MessagePair<'a, '_>) -> bool {
        let name = &*at.ty.full_name;
        if name == collection_def::MESSAGE_NAME {
            // The items of other collections say little by themselves.
            return self.embedded_type(at).is_none();
        }
        if CONTAINERS.contains(&name) {
            return false;
        }
        let is_small = |side: Option<&[u8]>| side.is_none_or(|bytes| bytes.len() <= SMALL);
        WHOLE.contains(&name)
            || at.ty.well_known == Some(WellKnown::Any)
            || at.ty.is_message_set
            || is_small(at.lhs) && is_small(at.rhs)
    }

    /// Descends into the values of a field.
    fn values_of<'e>(
        &mut self,
        at: MessagePair<'a, 'e>,
        values: &FieldValues<'a>,
        open: &mut Vec<MessagePair<'a, 'e>>,
    ) {
        let hop = |entry: &Target<'a>| entry.hops.get(at.depth).copied();
        let hops = || at.entries.iter().filter_map(hop);
        let wanted_lhs: BTreeSet<_> = hops().map(|hop| hop.lhs).collect();
        let wanted_rhs: BTreeSet<_> = hops().map(|hop| hop.rhs).collect();
        let mut left = at.lhs.map(|lhs| values.find(lhs, &wanted_lhs)).unwrap_or_default();
        let mut right = at.rhs.map(|rhs| values.find(rhs, &wanted_rhs)).unwrap_or_default();
        for entries in at.entries.chunk_by(|a, b| hop(a) == hop(b)) {
            let Some(hop) = entries.first().and_then(hop) else { continue };
            if hop.rhs == SideSelector::Whole && values.field.is_repeated() {
                // A change of the whole list, such as its order.
                self.without_texts(entries);
                continue;
            }
            let lhs = left.remove(&hop.lhs).unwrap_or_default();
            let rhs = right.remove(&hop.rhs).unwrap_or_default();
            let depth = at.depth + 1;
            match (one(&lhs), one(&rhs)) {
                (Ok(None), Ok(None)) => self.without_texts(entries),
                (Ok(lhs), Ok(rhs)) if !values.are_embedded() => {
                    open.push(MessagePair { ty: values.ty, lhs, rhs, depth, entries });
                }
                _ => self.several(MessagePair { depth, entries, ..at }, values, lhs, rhs),
            }
        }
    }

    /// Shows a message with all changes in it.
    fn element(&mut self, at: MessagePair<'a, '_>) {
        let is_block = |entry: &&Target<'_>| entry.block.is_some();
        let messages = |name: Option<&'a str>, side: Option<&'a [u8]>| -> Vec<PartMessage<'a>> {
            let Some(bytes) = side else { return Vec::new() };
            let whole = || vec![PartMessage { name, ty: at.ty, bytes: Cow::Borrowed(bytes) }];
            self.collection_messages(&at, bytes).unwrap_or_else(whole)
        };
        let sides = |name| (messages(name, at.lhs), messages(name, at.rhs));
        let mut nodes = Vec::new();
        for entry in at.entries.iter().filter(is_block) {
            let hop = at.depth.checked_sub(1).and_then(|hop| entry.hops.get(hop));
            let is_of_many = self.changes.get(entry.change).is_some_and(is_of_many);
            let name = hop.map(|hop| hop.field).filter(|_| is_of_many);
            nodes.extend(entry.block.map(|block| (block, sides(name))));
        }
        let (objects, changes): (Vec<_>, Vec<_>) =
            at.entries.iter().filter(|entry| !is_block(entry)).partition(|entry| is_object(entry));
        let sides = sides(None);
        self.nodes.extend(nodes);
        objects.iter().for_each(|entry| self.without_text(entry.change));
        self.message(&changes, at.depth, sides);
    }

    /// The messages embedded in a collection.
    fn collection_messages(
        &self,
        at: &MessagePair<'a, '_>,
        collection: &'a [u8],
    ) -> Option<Vec<PartMessage<'a>>> {
        let is_collection = *at.ty.full_name == *collection_def::MESSAGE_NAME;
        let ty = self.schema.message(self.embedded_type(at).filter(|_| is_collection)?)?;
        let values = fields(collection, collection_def::BYTES_LIST)
            .flat_map(|list| fields(list, bytes_list::VALUE));
        let message = |value| {
            let bytes = canonical(self.schema, ty, value, at.depth).ok()?;
            Some(PartMessage { name: Some("value"), ty, bytes })
        };
        values.map(message).collect()
    }

    /// Shows messages with the same name, or embedded ones.
    fn several(
        &mut self,
        at: MessagePair<'a, '_>,
        values: &FieldValues<'a>,
        (lhs, more): NamedValues<'a>,
        (rhs, other): NamedValues<'a>,
    ) {
        let name = (lhs.len() > 1 || rhs.len() > 1).then_some(&*values.field.text_name);
        let messages = |side: Vec<Cow<'a, [u8]>>| {
            side.into_iter().map(|bytes| PartMessage { name, ty: values.ty, bytes }).collect()
        };
        let sides: Sides<'a> = (messages(lhs), messages(rhs));
        if let Some(block) = at.entries.iter().find_map(|entry| entry.block) {
            self.nodes.insert(block, sides);
            return;
        }
        self.message(&at.entries.iter().collect::<Vec<_>>(), at.depth, sides);
        if let Some(part) = self.parts.last_mut() {
            part.more = more.max(other);
        }
    }

    /// Shows one field of a large message.
    fn field(&mut self, at: MessagePair<'a, '_>, field: &Field) {
        let messages = |side: Option<&'a [u8]>| -> Vec<PartMessage<'a>> {
            let run = side.map(|message| run(message, field.number)).filter(|run| !run.is_empty());
            let message = |run| PartMessage { name: None, ty: at.ty, bytes: Cow::Borrowed(run) };
            run.into_iter().map(message).collect()
        };
        let steps = at.entries.first().and_then(|entry| entry.hops.get(at.depth));
        let changes = at.entries.iter().map(|entry| entry.change);
        let sides = (messages(at.lhs), messages(at.rhs));
        self.push(changes.collect(), steps.map_or(0, |hop| hop.steps.0), sides);
    }

    /// Adds a part with the path of the first `depth` hops.
    fn message(&mut self, entries: &[&Target<'a>], depth: usize, sides: Sides<'a>) {
        let hop = entries.first().zip(depth.checked_sub(1));
        let steps = hop.and_then(|(entry, hop)| entry.hops.get(hop));
        let steps = steps.map_or(0, |hop| hop.steps.1);
        self.push(entries.iter().map(|entry| entry.change).collect(), steps, sides);
    }

    /// Adds a part whose path is the first `steps` steps of the path of its first change.
    fn push(&mut self, mut changes: Vec<usize>, steps: usize, (lhs, rhs): Sides<'a>) {
        changes.sort_unstable();
        let Some(change) = changes.first().and_then(|at| self.changes.get(*at)) else { return };
        let path = change.path.prefix(steps);
        self.parts.push(ChangedPart { schema: self.schema, path, changes, lhs, rhs, more: 0 });
    }

    /// Adds parts without text for these changes; node groups already have one.
    fn without_texts(&mut self, entries: &[Target<'a>]) {
        let alone = entries.iter().filter(|entry| entry.block.is_none());
        alone.for_each(|entry| self.without_text(entry.change));
    }

    /// Adds a part without text for a change.
    fn without_text(&mut self, change: usize) {
        self.push(vec![change], usize::MAX, Sides::default());
    }
}

type Sides<'a> = (Vec<PartMessage<'a>>, Vec<PartMessage<'a>>);

/// The only value with a name, if any; an error if there are several.
fn one<'a>((values, more): &NamedValues<'a>) -> Result<Option<&'a [u8]>, ()> {
    match values.as_slice() {
        [] => Ok(None),
        [Cow::Borrowed(bytes)] if *more == 0 => Ok(Some(bytes)),
        _ => Err(()),
    }
}

/// Whether a change is of several nodes.
fn is_of_many(change: &Change) -> bool {
    matches!(&change.detail, Detail::Nodes(nodes) if nodes.names.len() > 1)
}

/// Whether a change is in an object graph that a constant contains, whose text would not be readable.
fn is_object(entry: &Target<'_>) -> bool {
    let tensor = entry.hops.iter().position(|hop| hop.field == "tensor");
    tensor.is_some_and(|at| entry.hops.get(at + 1).is_some_and(|hop| hop.field == "nodes"))
}

/// The records of a field, which are adjacent.
fn run(message: &[u8], number: u32) -> &[u8] {
    let (mut start, mut end) = (0, 0);
    for record in records(message) {
        if record.number < number {
            start += record.bytes.len();
        } else if record.number > number {
            break;
        }
        end += record.bytes.len();
    }
    message.get(start..end).unwrap_or_default()
}
