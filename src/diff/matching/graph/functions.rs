//! Matches the functions of two libraries.
//!
//! TensorFlow appends counters to the names that it generates (`__inference_f_123`, `while_body_6_grad_62`),
//! and restarts them in each export. Functions are therefore matched by their names without counters, and
//! among several by their bodies.

use std::borrow::Cow;
use std::cmp::Ordering;
use std::collections::{BTreeMap, BTreeSet};
use std::hash::{DefaultHasher, Hash, Hasher};

use super::renames::Renames;
use crate::diff::ChangeKind;
use crate::diff::counters::{counted, stem, without_last};
use crate::diff::meaning::is_internal;
use crate::graph::{Function, Library, LookupMap};
use crate::message::{Value, entry, records};
use crate::schema::field::function_def;
use crate::schema::{Cardinality, Kind, MessageType, Schema};

/// The functions of two libraries, matched.
#[derive(Debug, Default)]
pub(in crate::diff) struct FunctionMatching<'g, 'm> {
    /// The matched functions, by name in rhs.
    pub(in crate::diff) pairs: Vec<(&'g Function<'m>, &'g Function<'m>)>,
    /// The functions that only lhs has.
    pub(in crate::diff) removed: Vec<&'g Function<'m>>,
    /// The functions that only rhs has.
    pub(in crate::diff) added: Vec<&'g Function<'m>>,
    /// The names that several functions of a side have, if the sides differ in them, and the number of functions in lhs and in rhs.
    pub(in crate::diff) repeated: Vec<(&'m str, [u64; 2])>,
    /// The renames of functions, and of scopes in their names.
    pub(in crate::diff) renames: Renames,
    /// The renames of scopes in the names of functions.
    pub(in crate::diff) scopes: Renames,
}

impl<'g, 'm> FunctionMatching<'g, 'm> {
    /// Matches the functions of two libraries; `nodes` has the renames of nodes.
    pub(in crate::diff) fn new(
        schema: &'g Schema,
        lhs: &'g Library<'m>,
        rhs: &'g Library<'m>,
        nodes: &Renames,
    ) -> Self {
        let scopes = nodes.without_slashes();
        let (lhs_hasher, rhs_hasher) = (BodyHasher::new(schema, lhs), BodyHasher::new(schema, rhs));
        let ((l, of_lhs), (r, of_rhs)) = (named_once(lhs), named_once(rhs));
        let repeated = repeated(&of_lhs, &of_rhs);
        let mut l: Vec<_> = l.into_iter().map(|f| lhs_hasher.candidate(f)).collect();
        let mut r: Vec<_> = r.into_iter().map(|f| rhs_hasher.candidate(f)).collect();
        let mut pairs = Vec::new();
        let of_moved = pair_moved(&scopes, &mut l, &mut r, &mut pairs);
        // From the most to the least reliable criterion.
        let names: [fn(&Candidate<'_, 'm>) -> Cow<'m, str>; 3] =
            [|c| c.function.name.into(), |c| without_last(c.function.name), |c| c.stem.clone()];
        for name in names {
            pair(&mut l, &mut r, &mut pairs, |c| (name(c), c.body));
        }
        for name in names {
            pair(&mut l, &mut r, &mut pairs, |c| (name(c), 0));
        }
        l.extend(of_moved);
        for candidate in l.iter_mut() {
            if let Some(stem) = scopes.new_name_by_start(&candidate.stem) {
                candidate.stem = stem.into();
            }
        }
        pair(&mut l, &mut r, &mut pairs, |c| (c.stem.clone(), 0));
        pair(&mut l, &mut r, &mut pairs, |c| ("".into(), c.body));
        // A function that was not matched by name may make its callers look different; compare them without
        // the names of functions.
        l.iter_mut().for_each(|c| c.body = lhs_hasher.body(c.function, CalleeNames::Unknown));
        r.iter_mut().for_each(|c| c.body = rhs_hasher.body(c.function, CalleeNames::Unknown));
        pair(&mut l, &mut r, &mut pairs, |c| ("".into(), c.body));
        pairs.sort_by_key(|(_, r)| r.name);
        let mut renames = nodes.without_slashes();
        for (l, r) in pairs.iter().filter(|(l, r)| l.name != r.name) {
            renames.add(l.name, r.name);
        }
        let others: BTreeSet<_> = rhs.functions.iter().map(|function| function.name).collect();
        for (l, r) in pairs.iter().filter(|(l, r)| l.name != r.name && others.contains(l.name)) {
            renames.add_exchanged(l.name, r.name);
        }
        let rest = |candidates: Vec<Candidate<'g, 'm>>| {
            let mut rest: Vec<_> = candidates.into_iter().map(|c| c.function).collect();
            rest.sort_by_key(|function| function.name);
            rest
        };
        Self { pairs, removed: rest(l), added: rest(r), repeated, renames, scopes }
    }

    /// Whether the function `name` was added to a library, or removed from it.
    pub(in crate::diff) fn is_one_sided(&self, kind: ChangeKind, name: &str) -> bool {
        let functions = if kind == ChangeKind::Added { &self.added } else { &self.removed };
        functions.binary_search_by_key(&name, |function| function.name).is_ok()
    }
}

/// The functions after the first with a name, by name: their number, and the hash of their bytes.
type Repeated<'m> = BTreeMap<&'m str, (u64, DefaultHasher)>;

/// The first function of each name, which is the one that TensorFlow would call, and the others.
fn named_once<'g, 'm>(library: &'g Library<'m>) -> (Vec<&'g Function<'m>>, Repeated<'m>) {
    let (mut names, mut repeated) = (BTreeSet::new(), Repeated::new());
    let mut first = Vec::new();
    for function in &library.functions {
        if names.insert(function.name) {
            first.push(function);
        } else {
            let (count, bytes) = repeated.entry(function.name).or_default();
            *count += 1;
            function.bytes.hash(bytes);
        }
    }
    (first, repeated)
}

/// The names with other functions on the two sides, and the number of functions on each.
fn repeated<'m>(lhs: &Repeated<'m>, rhs: &Repeated<'m>) -> Vec<(&'m str, [u64; 2])> {
    let known = |side: &Repeated<'_>, name| {
        side.get(name).map_or((0, None), |(count, bytes)| (*count, Some(bytes.finish())))
    };
    let names: BTreeSet<&'m str> = lhs.keys().chain(rhs.keys()).copied().collect();
    let differing = names.into_iter().map(|name| (name, known(lhs, name), known(rhs, name)));
    let differing = differing.filter(|(_, l, r)| l != r);
    differing.map(|(name, l, r)| (name, [l.0 + 1, r.0 + 1])).collect()
}

/// An unmatched function.
#[derive(Debug)]
struct Candidate<'g, 'm> {
    function: &'g Function<'m>,
    /// The name without counters.
    stem: Cow<'m, str>,
    /// The hash of the body, independent of counters in names of functions.
    body: u64,
}

/// Pairs candidates of equal keys in the order of their counters, and removes them.
fn pair<'g, 'm>(
    lhs: &mut Vec<Candidate<'g, 'm>>,
    rhs: &mut Vec<Candidate<'g, 'm>>,
    pairs: &mut Vec<(&'g Function<'m>, &'g Function<'m>)>,
    key: impl Fn(&Candidate<'g, 'm>) -> (Cow<'m, str>, u64),
) {
    let sorted = |candidates: &mut Vec<Candidate<'g, 'm>>| {
        let mut sorted = std::mem::take(candidates);
        let by_counter = |c: &Candidate<'g, 'm>| counted(c.function.name);
        sorted.sort_by(|a, b| key(a).cmp(&key(b)).then_with(|| by_counter(a).cmp(&by_counter(b))));
        sorted.into_iter().peekable()
    };
    let (mut l, mut r) = (sorted(lhs), sorted(rhs));
    while let (Some(left), Some(right)) = (l.peek(), r.peek()) {
        match key(left).cmp(&key(right)) {
            Ordering::Less => lhs.extend(l.next()),
            Ordering::Greater => rhs.extend(r.next()),
            Ordering::Equal => {
                let both = l.next().zip(r.next());
                pairs.extend(both.map(|(left, right)| (left.function, right.function)));
            }
        }
    }
    lhs.extend(l);
    rhs.extend(r);
}

/// Pairs the functions of layers that were numbered anew: of `dense_1`, which is `dense_2` in rhs, `__inference_dense_1_layer_call_fn_9`.
/// Their old names are those of other functions. Returns those of lhs that found no partner.
fn pair_moved<'g, 'm>(
    scopes: &Renames,
    lhs: &mut Vec<Candidate<'g, 'm>>,
    rhs: &mut Vec<Candidate<'g, 'm>>,
    pairs: &mut Vec<(&'g Function<'m>, &'g Function<'m>)>,
) -> Vec<Candidate<'g, 'm>> {
    if scopes.is_empty() {
        return Vec::new();
    }
    let known: BTreeSet<Cow<'m, str>> = rhs.iter().map(|c| c.stem.clone()).collect();
    let mut moved = Vec::new();
    for mut candidate in std::mem::take(lhs) {
        let stem = moved_stem(scopes, &candidate.stem).filter(|stem| known.contains(&**stem));
        match stem {
            Some(stem) => {
                candidate.stem = stem.into();
                moved.push(candidate);
            }
            None => lhs.push(candidate),
        }
    }
    pair(&mut moved, rhs, pairs, |c| (c.stem.clone(), c.body));
    pair(&mut moved, rhs, pairs, |c| (c.stem.clone(), 0));
    moved
}

/// What TensorFlow writes before the name of a function that it traced.
const TRACED: [&str; 3] = ["__inference_", "__forward_", "__backward_"];

/// The name of a function of a renamed scope; `None` for other functions.
fn moved_stem(scopes: &Renames, stem: &str) -> Option<String> {
    let (mark, rest) = TRACED.iter().find_map(|mark| Some((*mark, stem.strip_prefix(mark)?)))?;
    Some(format!("{mark}{}", scopes.new_name_by_start(rest)?))
}

/// How names of functions count in the hash of a body.
#[derive(Debug, Clone, Copy)]
enum CalleeNames {
    /// By name without counters.
    Counted,
    /// Not at all.
    Unknown,
}

/// Hashes the bodies of the functions of a library.
struct BodyHasher<'g, 'm> {
    schema: &'g Schema,
    library: &'g Library<'m>,
    names: LookupMap,
}

impl<'g, 'm> BodyHasher<'g, 'm> {
    fn new(schema: &'g Schema, library: &'g Library<'m>) -> Self {
        let mut names = LookupMap::with_room_for(library.functions.len());
        for (position, function) in (0..).zip(&library.functions) {
            let is = |at: u32| {
                library.functions.get(at as usize).is_some_and(|f| f.name == function.name)
            };
            // The first of several functions with the same name counts.
            names.insert(function.name, position, is);
        }
        Self { schema, library, names }
    }

    fn candidate(&self, function: &'g Function<'m>) -> Candidate<'g, 'm> {
        let body = self.body(function, CalleeNames::Counted);
        Candidate { function, stem: stem(function.name), body }
    }

    /// The hash of the body of a function.
    fn body(&self, function: &Function<'m>, names: CalleeNames) -> u64 {
        let mut state = DefaultHasher::new();
        if let Some(ty) = self.schema.message(function_def::MESSAGE_NAME) {
            self.message((function.name, names), ty, function.bytes, &mut state);
        }
        state.finish()
    }

    /// Hashes a message, except counters in names of functions and internal attributes. The depth was
    /// limited when the message was read.
    fn message(
        &self,
        own: (&str, CalleeNames),
        ty: &MessageType,
        bytes: &[u8],
        state: &mut DefaultHasher,
    ) {
        for record in records(bytes) {
            let Some(field) = ty.field(record.number) else {
                record.bytes.hash(state);
                continue;
            };
            record.number.hash(state);
            let content = record.payload();
            match (field.kind, record.value) {
                (Kind::Message(id), _) => {
                    let is_map = field.cardinality == Cardinality::Map;
                    if is_map && is_internal(entry(content).0) {
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

    fn text(&self, (own, names): (&str, CalleeNames), text: &[u8], state: &mut DefaultHasher) {
        let Ok(name) = std::str::from_utf8(text) else { return text.hash(state) };
        if let Some((before, behind)) = name.split_once(own) {
            return (before, "itself", behind).hash(state);
        }
        let is = |at: u32| self.library.functions.get(at as usize).is_some_and(|f| f.name == name);
        match (self.names.find(name, is), names) {
            (Some(_), CalleeNames::Counted) => stem(name).hash(state),
            (Some(_), CalleeNames::Unknown) => "another".hash(state),
            (None, _) => name.hash(state),
        }
    }
}
