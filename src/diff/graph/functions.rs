//! Which function of lhs is which function of rhs.
//!
//! TensorFlow puts a counter behind the names that it makes (`__inference_f_123`), and it counts anew in each export. So
//! functions meet by what is left of their names without it, and of several by what they do.

use std::collections::BTreeMap;
use std::hash::{DefaultHasher, Hash, Hasher};

use super::renames::Renames;
use crate::graph::{Function, Index, Library, attr, bytes_of};
use crate::message::{Records, Value};
use crate::schema::{Cardinality, Kind, MessageType, Schema};

/// The functions of two graphs.
#[derive(Debug)]
pub(in crate::diff) struct Functions<'g, 'm> {
    /// Those that are the same one, by the name in rhs.
    pub(super) pairs: Vec<(&'g Function<'m>, &'g Function<'m>)>,
    /// Those that only lhs has.
    pub(super) removed: Vec<&'g Function<'m>>,
    /// Those that only rhs has.
    pub(super) added: Vec<&'g Function<'m>>,
    /// What became of their names.
    pub(in crate::diff) renames: Renames,
}

impl<'g, 'm> Functions<'g, 'm> {
    /// Brings the functions of two libraries together.
    pub(in crate::diff) fn new(
        schema: &'g Schema,
        lhs: &'g Library<'m>,
        rhs: &'g Library<'m>,
    ) -> Self {
        let (left, right) = (Bodies::new(schema, lhs), Bodies::new(schema, rhs));
        let mut l: Vec<_> = lhs.functions.iter().map(|f| left.candidate(f)).collect();
        let mut r: Vec<_> = rhs.functions.iter().map(|f| right.candidate(f)).collect();
        let mut pairs = Vec::new();
        // From the surest sign to the least.
        pair(&mut l, &mut r, &mut pairs, |c| Some((c.function.name, c.body)));
        pair(&mut l, &mut r, &mut pairs, |c| Some((without_last(c.function.name), c.body)));
        pair(&mut l, &mut r, &mut pairs, |c| Some((c.stem, c.body)));
        pair(&mut l, &mut r, &mut pairs, |c| Some((c.function.name, 0)));
        pair(&mut l, &mut r, &mut pairs, |c| Some((without_last(c.function.name), 0)));
        pair(&mut l, &mut r, &mut pairs, |c| Some((c.stem, 0)));
        pair(&mut l, &mut r, &mut pairs, |c| Some(("", c.body)));
        pairs.sort_by_key(|(_, r)| r.name);
        let mut renames = Renames::default();
        for (l, r) in pairs.iter().filter(|(l, r)| l.name != r.name) {
            renames.add(l.name, r.name);
        }
        let rest = |candidates: Vec<Candidate<'g, 'm>>| {
            let mut rest: Vec<_> = candidates.into_iter().map(|c| c.function).collect();
            rest.sort_by_key(|function| function.name);
            rest
        };
        Self { pairs, removed: rest(l), added: rest(r), renames }
    }
}

/// A function that has no partner yet.
#[derive(Debug, Clone, Copy)]
struct Candidate<'g, 'm> {
    function: &'g Function<'m>,
    /// Its name without counters.
    stem: &'m str,
    /// What it does, whatever it and the functions that it calls are called.
    body: u64,
}

/// Pairs the candidates that have the same key, in the order of their counters; the others stay.
fn pair<'g, 'm>(
    lhs: &mut Vec<Candidate<'g, 'm>>,
    rhs: &mut Vec<Candidate<'g, 'm>>,
    pairs: &mut Vec<(&'g Function<'m>, &'g Function<'m>)>,
    key: impl Fn(&Candidate<'g, 'm>) -> Option<(&'m str, u64)>,
) {
    let mut waiting = BTreeMap::<_, Vec<Candidate<'g, 'm>>>::new();
    rhs.sort_by_key(|c| std::cmp::Reverse(counted(c.function.name)));
    for candidate in std::mem::take(rhs) {
        match key(&candidate) {
            Some(key) => waiting.entry(key).or_default().push(candidate),
            None => rhs.push(candidate),
        }
    }
    lhs.sort_by_key(|c| counted(c.function.name));
    lhs.retain(|candidate| {
        let partner = key(candidate).and_then(|key| waiting.get_mut(&key)?.pop());
        if let Some(partner) = partner {
            pairs.push((candidate.function, partner.function));
        }
        partner.is_none()
    });
    rhs.extend(waiting.into_values().flatten());
}

/// The name without the counters at its end.
pub(super) fn stem(name: &str) -> &str {
    let mut stem = name;
    while stem != without_last(stem) {
        stem = without_last(stem);
    }
    stem
}

/// The name without the last counter at its end: others before that may be its own, as in `__inference_dense_1_123`.
fn without_last(name: &str) -> &str {
    match name.rsplit_once('_') {
        Some((rest, counter))
            if !rest.is_empty()
                && !counter.is_empty()
                && counter.bytes().all(|byte| byte.is_ascii_digit()) =>
        {
            rest
        }
        _ => name,
    }
}

/// A name in the order of its counters.
fn counted(name: &str) -> (&str, usize, &str) {
    let stem = stem(name);
    (stem, name.len(), name)
}

/// What the functions of a library do.
struct Bodies<'g, 'm> {
    schema: &'g Schema,
    library: &'g Library<'m>,
    names: Index,
}

impl<'g, 'm> Bodies<'g, 'm> {
    fn new(schema: &'g Schema, library: &'g Library<'m>) -> Self {
        let mut names = Index::with_room_for(library.functions.len());
        for (position, function) in (0..).zip(&library.functions) {
            let is = |at: u32| {
                library.functions.get(at as usize).is_some_and(|f| f.name == function.name)
            };
            // Of several that share a name, the first counts.
            names.insert(function.name, position, is);
        }
        Self { schema, library, names }
    }

    fn candidate(&self, function: &'g Function<'m>) -> Candidate<'g, 'm> {
        let mut state = DefaultHasher::new();
        if let Some(ty) = self.schema.message("tensorflow.FunctionDef") {
            self.message(function.name, ty, function.bytes, &mut state);
        }
        Candidate { function, stem: stem(function.name), body: state.finish() }
    }

    /// Takes in all that a message says; names of functions without their counters, and no notes of TensorFlow's own.
    /// Messages are as deep here as they were allowed to be when they were read.
    fn message(&self, own: &str, ty: &MessageType, bytes: &[u8], state: &mut DefaultHasher) {
        for record in Records::new(bytes, 0).map_while(Result::ok) {
            let Some(field) = ty.field(record.number) else {
                record.bytes.hash(state);
                continue;
            };
            record.number.hash(state);
            let content = bytes_of(&record);
            match (field.kind, record.value) {
                (Kind::Message(id), _) => {
                    let is_map = field.cardinality == Cardinality::Map;
                    if is_map && super::attrs::is_note(attr(content).0) {
                        continue;
                    }
                    self.message(own, &self.schema[id], content, state);
                    "end".hash(state);
                }
                (Kind::String | Kind::Bytes, Value::Len(text)) => self.text(own, text, state),
                _ => record.bytes.hash(state),
            }
        }
    }

    fn text(&self, own: &str, text: &[u8], state: &mut DefaultHasher) {
        let Ok(name) = std::str::from_utf8(text) else { return text.hash(state) };
        if name == own {
            return "itself".hash(state);
        }
        let is = |at: u32| self.library.functions.get(at as usize).is_some_and(|f| f.name == name);
        match self.names.find(name, is) {
            Some(_) => stem(name).hash(state),
            None => name.hash(state),
        }
    }
}
