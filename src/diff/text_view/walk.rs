//! Down both messages at once, along the ways that changes lead, to what is shown of each.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};

use super::find::{Alike, Values};
use super::hops::{self, Hop, Which};
use super::{Piece, Place};
use crate::diff::model::{Common, treatment};
use crate::diff::{Change, ChangeKind, Detail};
use crate::message::{canonical, fields, records};
use crate::schema::field::collection_def::{self, bytes_list};
use crate::schema::{Field, MessageType, Schema, WellKnown};

/// Nodes that are shown of those that came or went together.
const NODES: usize = 8;

/// Bytes up to which a message is shown as a whole, and not by what is in it.
const SMALL: usize = 64 << 10;

/// Messages whose parts are what people know.
const CONTAINERS: [&str; 7] = [
    "tensorflow.SavedModel",
    "tensorflow.MetaGraphDef",
    "tensorflow.MetaGraphDef.MetaInfoDef",
    "tensorflow.GraphDef",
    "tensorflow.FunctionDefLibrary",
    "tensorflow.FunctionDef",
    "tensorflow.OpList",
];

/// Messages that are shown as a whole, however large.
const WHOLE: [&str; 3] = ["tensorflow.NodeDef", "tensorflow.AttrValue", "tensorflow.TensorProto"];

/// Messages whose parts go by paths that are in no field.
const OBJECTS: [&str; 2] = ["tensorflow.TrackableObjectGraph", "tensorflow.SavedObjectGraph"];

/// A change, or a node of one, and the way there.
#[derive(Debug)]
struct Entry<'a> {
    hops: Vec<Hop<'a>>,
    change: usize,
    /// The place of the nodes that it is one of, and which of them it is.
    block: Option<(usize, usize)>,
}

/// Two messages that differ, and the changes in them: their first `depth` hops lead here.
#[derive(Debug, Clone, Copy)]
struct Level<'a, 'e> {
    ty: &'a MessageType,
    lhs: Option<&'a [u8]>,
    rhs: Option<&'a [u8]>,
    depth: usize,
    entries: &'e [Entry<'a>],
}

/// The places that were found.
#[derive(Debug)]
pub(super) struct Walk<'a> {
    schema: &'a Schema,
    changes: &'a [Change],
    places: Vec<Place<'a>>,
    /// What goes into places of several nodes, by place and node.
    nodes: BTreeMap<(usize, usize), Sides<'a>>,
}

impl<'a> Walk<'a> {
    /// The places of the changes that count.
    pub(super) fn places(
        changes: &'a [Change],
        counts: impl Fn(&Change) -> bool,
        common: Option<Common<'a>>,
    ) -> Vec<Place<'a>> {
        let schema = common.map_or(Schema::tensorflow(), |common| common.schema);
        let mut walk = Self { schema, changes, places: Vec::new(), nodes: BTreeMap::new() };
        let mut entries = Vec::new();
        for (at, change) in changes.iter().enumerate().filter(|(_, change)| counts(change)) {
            match &change.detail {
                _ if change.kind == ChangeKind::Renamed || common.is_none() => walk.words(at),
                Detail::Nodes(nodes) => {
                    let block = walk.places.len();
                    walk.words(at);
                    if let Some(place) = walk.places.last_mut() {
                        place.more = nodes.names.len().saturating_sub(NODES) as u64;
                    }
                    let names = nodes.names.iter().take(NODES).enumerate();
                    entries.extend(names.map(|(node, name)| {
                        let hops = hops::of_node(change, name);
                        Entry { hops, change: at, block: Some((block, node)) }
                    }));
                }
                _ => entries.push(Entry { hops: hops::of_change(change), change: at, block: None }),
            }
        }
        entries.sort_by(|a, b| (&a.hops, a.change).cmp(&(&b.hops, b.change)));
        if let Some(Common { ty, lhs, rhs, .. }) = common.filter(|_| !entries.is_empty()) {
            let (lhs, rhs) = (Some(lhs), Some(rhs));
            let mut open = vec![Level { ty, lhs, rhs, depth: 0, entries: &entries }];
            while let Some(level) = open.pop() {
                walk.level(level, &mut open);
            }
        }
        for ((block, _), (lhs, rhs)) in std::mem::take(&mut walk.nodes) {
            if let Some(place) = walk.places.get_mut(block) {
                place.lhs.extend(lhs);
                place.rhs.extend(rhs);
            }
        }
        walk.places.sort_by_key(|place| place.changes.first().copied());
        walk.places
    }

    /// Either shows a message, or goes on into its fields.
    fn level<'e>(&mut self, at: Level<'a, 'e>, open: &mut Vec<Level<'a, 'e>>) {
        if OBJECTS.contains(&&*at.ty.full_name) {
            return self.words_of(at.entries);
        }
        if self.is_whole(&at) {
            return self.element(at);
        }
        let ends = at.entries.partition_point(|entry| entry.hops.len() <= at.depth);
        let Some((ending, rest)) = at.entries.split_at_checked(ends) else { return };
        if !ending.is_empty() {
            self.element(Level { entries: ending, ..at });
        }
        let field = |entry: &Entry<'a>| entry.hops.get(at.depth).map(|hop| hop.field);
        for entries in rest.chunk_by(|a, b| field(a) == field(b)) {
            let name = entries.first().and_then(field).unwrap_or_default();
            let known = at.ty.field_by_name(name.as_bytes());
            let at = Level { entries, ..at };
            match known.map(|known| (known, self.values(&at, known))) {
                None => self.words_of(entries),
                Some((known, None)) => self.field(at, known),
                Some((_, Some(values))) => self.values_of(at, &values, open),
            }
        }
    }

    fn values(&self, at: &Level<'a, '_>, field: &'a Field) -> Option<Values<'a>> {
        Values::new(self.schema, at.ty, field, self.collection(at))
    }

    /// The collection that a message is of, or in.
    fn collection(&self, at: &Level<'a, '_>) -> Option<&'a str> {
        let change = self.changes.get(at.entries.first()?.change)?;
        change.path.key_in("collection_def")
    }

    /// Whether a message is shown, and not what is in it.
    fn is_whole(&self, at: &Level<'a, '_>) -> bool {
        let name = &*at.ty.full_name;
        if CONTAINERS.contains(&name) || name.starts_with("tensorflow.CollectionDef") {
            // What is in other collections says little alone.
            let held =
                treatment("tensorflow.CollectionDef.BytesList", "value", self.collection(at));
            return name == "tensorflow.CollectionDef" && held.holds.is_none();
        }
        let is_small = |side: Option<&[u8]>| side.is_none_or(|bytes| bytes.len() <= SMALL);
        WHOLE.contains(&name)
            || at.ty.well_known == Some(WellKnown::Any)
            || at.ty.is_message_set
            || is_small(at.lhs) && is_small(at.rhs)
    }

    /// Goes on into the values of a field.
    fn values_of<'e>(
        &mut self,
        at: Level<'a, 'e>,
        values: &Values<'a>,
        open: &mut Vec<Level<'a, 'e>>,
    ) {
        let hop = |entry: &Entry<'a>| entry.hops.get(at.depth).copied();
        let hops = || at.entries.iter().filter_map(hop);
        let wanted_lhs: BTreeSet<_> = hops().map(|hop| hop.lhs).collect();
        let wanted_rhs: BTreeSet<_> = hops().map(|hop| hop.rhs).collect();
        let mut left = at.lhs.map(|lhs| values.find(lhs, &wanted_lhs)).unwrap_or_default();
        let mut right = at.rhs.map(|rhs| values.find(rhs, &wanted_rhs)).unwrap_or_default();
        for entries in at.entries.chunk_by(|a, b| hop(a) == hop(b)) {
            let Some(hop) = entries.first().and_then(hop) else { continue };
            if hop.rhs == Which::Whole && values.field.is_repeated() {
                // Something about all of them, such as their order.
                self.words_of(entries);
                continue;
            }
            let lhs = left.remove(&hop.lhs).unwrap_or_default();
            let rhs = right.remove(&hop.rhs).unwrap_or_default();
            let depth = at.depth + 1;
            match (one(&lhs), one(&rhs)) {
                (Ok(None), Ok(None)) => self.words_of(entries),
                (Ok(lhs), Ok(rhs)) if !values.are_held() => {
                    open.push(Level { ty: values.ty, lhs, rhs, depth, entries });
                }
                _ => self.several(Level { depth, entries, ..at }, values, lhs, rhs),
            }
        }
    }

    /// Shows a message with all changes in it.
    fn element(&mut self, at: Level<'a, '_>) {
        let is_block = |entry: &&Entry<'_>| entry.block.is_some();
        let pieces = |name: Option<&'a str>, side: Option<&'a [u8]>| -> Vec<Piece<'a>> {
            let Some(bytes) = side else { return Vec::new() };
            let whole = || vec![Piece { name, ty: at.ty, bytes: Cow::Borrowed(bytes) }];
            self.opened(&at, bytes).unwrap_or_else(whole)
        };
        let sides = |name| (pieces(name, at.lhs), pieces(name, at.rhs));
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
        objects.iter().for_each(|entry| self.words(entry.change));
        self.place(&changes, at.depth, sides);
    }

    /// The messages that the bytes of a collection hold.
    fn opened(&self, at: &Level<'a, '_>, collection: &'a [u8]) -> Option<Vec<Piece<'a>>> {
        let held = treatment("tensorflow.CollectionDef.BytesList", "value", self.collection(at));
        let held = held.holds.filter(|_| &*at.ty.full_name == "tensorflow.CollectionDef")?;
        let ty = self.schema.message(held)?;
        let values = fields(collection, collection_def::BYTES_LIST)
            .flat_map(|list| fields(list, bytes_list::VALUE));
        let piece = |value| {
            let bytes = canonical(self.schema, ty, value, at.depth).ok()?;
            Some(Piece { name: Some("value"), ty, bytes })
        };
        values.map(piece).collect()
    }

    /// Shows messages that go by one name, or that bytes hold.
    fn several(
        &mut self,
        at: Level<'a, '_>,
        values: &Values<'a>,
        (lhs, more): Alike<'a>,
        (rhs, other): Alike<'a>,
    ) {
        let name = (lhs.len() > 1 || rhs.len() > 1).then_some(&*values.field.text_name);
        let pieces = |side: Vec<Cow<'a, [u8]>>| {
            side.into_iter().map(|bytes| Piece { name, ty: values.ty, bytes }).collect()
        };
        let entries: Vec<_> = at.entries.iter().collect();
        let sides: Sides<'a> = (pieces(lhs), pieces(rhs));
        if let Some(block) = entries.iter().find_map(|entry| entry.block) {
            self.nodes.insert(block, sides);
            return;
        }
        self.place(&entries, at.depth, sides);
        if let Some(place) = self.places.last_mut() {
            place.more = more.max(other);
        }
    }

    /// Shows a field of a message that is too large to be shown.
    fn field(&mut self, at: Level<'a, '_>, field: &Field) {
        let pieces = |side: Option<&'a [u8]>| -> Vec<Piece<'a>> {
            let run = side.map(|message| run(message, field.number)).filter(|run| !run.is_empty());
            let piece = |run| Piece { name: None, ty: at.ty, bytes: Cow::Borrowed(run) };
            run.into_iter().map(piece).collect()
        };
        let entries: Vec<_> = at.entries.iter().collect();
        let (lhs, rhs) = (pieces(at.lhs), pieces(at.rhs));
        let steps = entries.first().and_then(|entry| entry.hops.get(at.depth));
        self.push(&entries, steps.map_or(0, |hop| hop.steps.0), (lhs, rhs));
    }

    /// A place whose way is the first `depth` hops of its changes.
    fn place(&mut self, entries: &[&Entry<'a>], depth: usize, sides: Sides<'a>) {
        let hop = entries.first().zip(depth.checked_sub(1));
        let steps = hop.and_then(|(entry, hop)| entry.hops.get(hop));
        self.push(entries, steps.map_or(0, |hop| hop.steps.1), sides);
    }

    fn push(&mut self, entries: &[&Entry<'a>], steps: usize, (lhs, rhs): Sides<'a>) {
        let mut changes: Vec<usize> = entries.iter().map(|entry| entry.change).collect();
        changes.sort_unstable();
        let Some(change) = changes.first().and_then(|at| self.changes.get(*at)) else { return };
        let path = change.path.prefix(steps);
        self.places.push(Place { schema: self.schema, path, changes, lhs, rhs, more: 0 });
    }

    /// What is told in words; nodes that came or went have a place already.
    fn words_of(&mut self, entries: &[Entry<'a>]) {
        let alone = entries.iter().filter(|entry| entry.block.is_none());
        alone.for_each(|entry| self.words(entry.change));
    }

    /// What is told in words.
    fn words(&mut self, change: usize) {
        let path = self.changes.get(change).map(|change| change.path.clone()).unwrap_or_default();
        let (lhs, rhs) = (Vec::new(), Vec::new());
        let changes = vec![change];
        self.places.push(Place { schema: self.schema, path, changes, lhs, rhs, more: 0 });
    }
}

type Sides<'a> = (Vec<Piece<'a>>, Vec<Piece<'a>>);

/// The one value of a name, which may be none; an error where there are several.
fn one<'a>((values, more): &Alike<'a>) -> Result<Option<&'a [u8]>, ()> {
    match values.as_slice() {
        [] => Ok(None),
        [Cow::Borrowed(bytes)] if *more == 0 => Ok(Some(bytes)),
        _ => Err(()),
    }
}

/// Whether a change is about several nodes.
fn is_of_many(change: &Change) -> bool {
    matches!(&change.detail, Detail::Nodes(nodes) if nodes.names.len() > 1)
}

/// Whether a change in a node is in the object graph that a constant holds, whose text says nothing.
fn is_object(entry: &Entry<'_>) -> bool {
    let tensor = entry.hops.iter().position(|hop| hop.field == "tensor");
    tensor.is_some_and(|at| entry.hops.get(at + 1).is_some_and(|hop| hop.field == "nodes"))
}

/// The records of a field, which stand together.
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
