//! Whether there is any list that a pattern can mean: what never applies is a mistake, and nobody would notice it.
//!
//! Walks types and places in the pattern together, each pair once: as much work as the schema is large, however deep its
//! messages can be nested.

use std::collections::{BTreeSet, VecDeque};

use super::rules::KeyField;
use super::{Lists, PathPattern};
use crate::bytes::near;
use crate::error::{ErrorKind, Result};
use crate::schema::{Field, MessageId, MessageType, Schema, WellKnown};

/// What becomes of a field, and of what is in it, whose messages are compared by more than their schema.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Passage {
    /// It is compared as any other field.
    Plain,
    /// It is bytes that hold messages of one of these types.
    Holds(&'static [&'static str]),
    /// Its items find each other in a way of their own; what is in them is compared as anywhere.
    Around,
    /// All of it is compared in a way of its own.
    Closed,
}

/// Where patterns start, and what is known on the way.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Ground<'s> {
    /// The schema of all types.
    pub(crate) schema: &'s Schema,
    /// What is compared, each with the field that leads into it where it is not the outermost message.
    pub(crate) roots: &'s [(Option<&'s str>, &'s MessageType)],
    /// What becomes of the field of a message, given by its full name.
    pub(crate) passage: fn(&str, &str) -> Passage,
}

impl Lists {
    /// Checks that each pattern means some list.
    ///
    /// # Errors
    /// When one cannot; the error says what there is in its place.
    pub(crate) fn check(&self, ground: &Ground<'_>) -> Result<()> {
        for pattern in &self.as_set {
            Walk::new(ground, pattern, &[]).check("--as-set")?;
        }
        for keyed in &self.keyed {
            Walk::new(ground, &keyed.list, &keyed.keys).check("--key")?;
        }
        Ok(())
    }
}

/// The first of the keys that leads to no one value of the items, and the message that lacks it.
pub(super) fn missing_key<'s, 'k>(
    schema: &'s Schema,
    item: &'s MessageType,
    keys: &'k [KeyField],
) -> Option<(&'s MessageType, &'k str)> {
    keys.iter().find_map(|key| {
        let mut inside = Some(item);
        let mut last = item;
        key.split('.').find_map(|step| {
            let ty = inside.unwrap_or(last);
            last = ty;
            let field = inside.and_then(|ty| ty.field_by_name(step.as_bytes()));
            let field = field.filter(|field| !field.is_repeated());
            inside = field.and_then(|field| field.kind.message()).map(|id| &schema[id]);
            field.is_none().then_some((ty, step))
        })
    })
}

struct Walk<'s> {
    ground: &'s Ground<'s>,
    pattern: &'s PathPattern,
    keys: &'s [KeyField],
    seen: BTreeSet<State>,
    next: VecDeque<State>,
    /// Why it means nothing so far; the more it came to, the higher the number.
    miss: Option<((Miss, usize), String)>,
}

/// A type, a place in the pattern, and whether all there is compared in a way of its own.
type State = (MessageId, usize, bool);

/// What a pattern lacks to mean a list, the worst first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Miss {
    Field,
    List,
    Key,
    Effect,
}

impl<'s> Walk<'s> {
    fn new(ground: &'s Ground<'s>, pattern: &'s PathPattern, keys: &'s [KeyField]) -> Self {
        let (seen, next) = (BTreeSet::new(), VecDeque::new());
        Self { ground, pattern, keys, seen, next, miss: None }
    }

    fn check(mut self, option: &str) -> Result<()> {
        for (field, root) in self.ground.roots {
            let starts = match field {
                Some(name) => self.pattern.after(0, name),
                None => self.pattern.open(0),
            };
            starts.into_iter().for_each(|place| self.go((root.id, place, false)));
        }
        let schema = self.ground.schema;
        while let Some((id, place, is_closed)) = self.next.pop_front() {
            if self.message(&schema[id], place, is_closed) {
                return Ok(());
            }
        }
        let why = self.miss.map_or_else(|| "there is no message to compare".into(), |miss| miss.1);
        Err(ErrorKind::Usage(format!("{option} {}: {why}", self.pattern)).into())
    }

    fn go(&mut self, state: State) {
        if self.seen.insert(state) {
            self.next.push_back(state);
        }
    }

    fn miss(&mut self, miss: (Miss, usize), why: impl FnOnce() -> String) {
        if self.miss.as_ref().is_none_or(|(known, _)| *known < miss) {
            self.miss = Some((miss, why()));
        }
    }

    /// Goes on from a message at one place of the pattern; whether a list was found.
    fn message(&mut self, ty: &'s MessageType, place: usize, is_closed: bool) -> bool {
        if ty.well_known == Some(WellKnown::Any) {
            let schema = self.ground.schema;
            for held in schema.messages().filter(|held| !held.is_map_entry) {
                let places = self.pattern.after_any(place, &held.full_name);
                places.into_iter().for_each(|place| self.go((held.id, place, is_closed)));
            }
        }
        let mut is_known = false;
        for field in &ty.fields {
            let places = self.pattern.after(place, &field.text_name);
            is_known |= !places.is_empty();
            let passage = match (self.ground.passage)(&ty.full_name, &field.name) {
                _ if is_closed => Passage::Closed,
                passage => passage,
            };
            if places.contains(&self.pattern.len()) && self.list(ty, field, passage, place) {
                return true;
            }
            self.inside(ty, field, passage, (place, &places));
        }
        if !is_known && place < self.pattern.len() {
            self.miss((Miss::Field, place), || {
                let step = self.pattern.step(place).unwrap_or_default();
                let hint = near::hint(step.as_bytes(), ty.field_names());
                format!("{} has no field {step}{}", ty.full_name, or(hint, || fields(ty, |_| true)))
            });
        }
        false
    }

    /// Goes into the messages that a field holds, from `place` to `places` of the pattern.
    fn inside(
        &mut self,
        ty: &MessageType,
        field: &Field,
        passage: Passage,
        (place, places): (usize, &[usize]),
    ) {
        let schema = self.ground.schema;
        let own = field.kind.message().map(|id| &schema[id]);
        let value = |ty: &'s MessageType| match ty.entry() {
            Some((_, value)) => value.kind.message().map(|id| &schema[id]),
            None => Some(ty),
        };
        let inside: Vec<_> = own.and_then(value).into_iter().chain(self.held(passage)).collect();
        let is_closed = passage == Passage::Closed;
        for &next in places.iter().filter(|next| **next < self.pattern.len()) {
            inside.iter().for_each(|ty| self.go((ty.id, next, is_closed)));
            // A `**` goes on elsewhere.
            if inside.is_empty() && self.pattern.step(place) != Some("**") {
                let of = format!("{}.{}", ty.full_name, field.text_name);
                self.miss((Miss::Field, next), || format!("{of} holds no message"));
            }
        }
    }

    /// The messages that bytes hold.
    fn held(&self, passage: Passage) -> impl Iterator<Item = &'s MessageType> + use<'s> {
        let held: &[&str] = if let Passage::Holds(names) = passage { names } else { &[] };
        let schema = self.ground.schema;
        held.iter().filter_map(|name| schema.message(name))
    }

    /// Whether the field is a list that the pattern may mean.
    fn list(&mut self, ty: &MessageType, field: &Field, passage: Passage, place: usize) -> bool {
        let schema = self.ground.schema;
        let of = format!("{}.{}", ty.full_name, field.text_name);
        if field.is_map() {
            self.miss((Miss::List, place), || {
                format!("{of} is a map, whose entries go by their keys")
            });
        } else if !field.is_repeated() {
            self.miss((Miss::List, place), || {
                let lists = fields(ty, |field| field.is_repeated() && !field.is_map());
                format!("{of} is no list{lists}")
            });
        } else if matches!(passage, Passage::Around | Passage::Closed) {
            self.closed(ty, field, place);
        } else if self.keys.is_empty() {
            return true;
        } else {
            let own = field.kind.message().map(|id| &schema[id]);
            let items = own.into_iter().chain(self.held(passage));
            let items: Vec<_> = items.collect();
            let mut missing = items.iter().filter_map(|item| missing_key(schema, item, self.keys));
            match missing.next() {
                None if items.is_empty() => self.miss((Miss::Key, place), || {
                    let kind = field.kind.name();
                    format!("the items of {of} are of type {kind}, and have no fields to go by")
                }),
                Some((ty, key)) if 1 + missing.count() == items.len() => {
                    let what = fields(ty, |field| !field.is_repeated());
                    self.miss((Miss::Key, place), || {
                        format!("{} has no single field {key:?} to go by{what}", ty.full_name)
                    });
                }
                _ => return true,
            }
        }
        false
    }

    fn closed(&mut self, ty: &MessageType, field: &Field, place: usize) {
        let of = format!("{}.{}", ty.full_name, field.text_name);
        self.miss((Miss::Effect, place), || {
            format!("{of} is compared by what it means in the model, and not as a list of its own")
        });
    }
}

/// What fields a message has, as the end of an error.
fn fields(ty: &MessageType, is: impl Fn(&Field) -> bool) -> String {
    /// More than these are no help.
    const SHOWN: usize = 12;
    let names: Vec<_> = ty.fields.iter().filter(|field| is(field)).map(|f| &*f.text_name).collect();
    let more = if names.len() > SHOWN { ", …" } else { "" };
    match names.get(..SHOWN.min(names.len())) {
        None | Some([]) => String::new(),
        Some(names) => format!("; it has {}{more}", names.join(", ")),
    }
}

fn or(text: String, other: impl FnOnce() -> String) -> String {
    if text.is_empty() { other() } else { text }
}
