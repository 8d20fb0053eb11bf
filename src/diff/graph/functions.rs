//! Which function of lhs is which function of rhs.
//!
//! TensorFlow puts counters into the names that it makes (`__inference_f_123`, `while_body_6_grad_62`), and it counts anew in
//! each export. So functions meet by what is left of their names without them, and of several by what they do.

use std::collections::{BTreeMap, BTreeSet};
use std::hash::{DefaultHasher, Hash, Hasher};
use std::ops::Range;

use super::renames::Renames;
use crate::graph::{Function, Index, Library};
use crate::message::{Value, entry, records};
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
    /// What became of their names, and of the scopes in them.
    pub(in crate::diff) renames: Renames,
    /// What became of the scopes in their names.
    pub(super) scopes: Renames,
}

impl<'g, 'm> Functions<'g, 'm> {
    /// Brings the functions of two libraries together; `nodes` says what became of the names of nodes.
    pub(in crate::diff) fn new(
        schema: &'g Schema,
        lhs: &'g Library<'m>,
        rhs: &'g Library<'m>,
        nodes: &Renames,
    ) -> Self {
        let scopes = nodes.without_slashes();
        let (left, right) = (Bodies::new(schema, lhs), Bodies::new(schema, rhs));
        let mut l: Vec<_> = lhs.functions.iter().map(|f| left.candidate(f)).collect();
        let mut r: Vec<_> = rhs.functions.iter().map(|f| right.candidate(f)).collect();
        let mut pairs = Vec::new();
        // From the surest sign to the least.
        let names: [fn(&Candidate<'_, '_>) -> String; 3] =
            [|c| c.function.name.to_owned(), |c| without_last(c.function.name), |c| c.stem.clone()];
        for name in names {
            pair(&mut l, &mut r, &mut pairs, |c| (name(c), c.body));
        }
        for name in names {
            pair(&mut l, &mut r, &mut pairs, |c| (name(c), 0));
        }
        for candidate in l.iter_mut() {
            if let Some(stem) = scopes.follow_start(&candidate.stem) {
                candidate.stem = stem;
            }
        }
        pair(&mut l, &mut r, &mut pairs, |c| (c.stem.clone(), 0));
        pair(&mut l, &mut r, &mut pairs, |c| (String::new(), c.body));
        // With another name of one function, those that name it do the same as before.
        l.iter_mut().for_each(|c| c.body = left.body(c.function, Names::Unknown));
        r.iter_mut().for_each(|c| c.body = right.body(c.function, Names::Unknown));
        pair(&mut l, &mut r, &mut pairs, |c| (String::new(), c.body));
        pairs.sort_by_key(|(_, r)| r.name);
        let mut renames = nodes.without_slashes();
        for (l, r) in pairs.iter().filter(|(l, r)| l.name != r.name) {
            renames.add(l.name, r.name);
        }
        let others: BTreeSet<_> = rhs.functions.iter().map(|function| function.name).collect();
        for (l, r) in pairs.iter().filter(|(l, r)| l.name != r.name && others.contains(l.name)) {
            renames.exchange(l.name, r.name);
        }
        let rest = |candidates: Vec<Candidate<'g, 'm>>| {
            let mut rest: Vec<_> = candidates.into_iter().map(|c| c.function).collect();
            rest.sort_by_key(|function| function.name);
            rest
        };
        Self { pairs, removed: rest(l), added: rest(r), renames, scopes }
    }
}

/// A function that has no partner yet.
#[derive(Debug)]
struct Candidate<'g, 'm> {
    function: &'g Function<'m>,
    /// Its name without counters.
    stem: String,
    /// What it does, whatever it and the functions that it calls are called.
    body: u64,
}

/// Pairs the candidates that have the same key, in the order of their counters; the others stay.
fn pair<'g, 'm>(
    lhs: &mut Vec<Candidate<'g, 'm>>,
    rhs: &mut Vec<Candidate<'g, 'm>>,
    pairs: &mut Vec<(&'g Function<'m>, &'g Function<'m>)>,
    key: impl Fn(&Candidate<'g, 'm>) -> (String, u64),
) {
    let mut waiting = BTreeMap::<_, Vec<Candidate<'g, 'm>>>::new();
    rhs.sort_by_key(|c| std::cmp::Reverse(counted(c.function.name)));
    for candidate in std::mem::take(rhs) {
        waiting.entry(key(&candidate)).or_default().push(candidate);
    }
    lhs.sort_by_key(|c| counted(c.function.name));
    lhs.retain(|candidate| {
        let partner = waiting.get_mut(&key(candidate)).and_then(Vec::pop);
        if let Some(partner) = &partner {
            pairs.push((candidate.function, partner.function));
        }
        partner.is_none()
    });
    rhs.extend(waiting.into_values().flatten());
}

/// What TensorFlow puts behind a counter, and often another counter behind that.
const MARKS: [&str; 3] = ["rewritten", "grad", "frozen"];

/// The name without its counters.
pub(super) fn stem(name: &str) -> String {
    let mut stem = name.to_owned();
    counters(name).for_each(|counter| stem.replace_range(counter, ""));
    stem
}

/// The name without its last counter: others before that may be its own, as in `__inference_dense_1_123`.
fn without_last(name: &str) -> String {
    let mut rest = name.to_owned();
    counters(name).take(1).for_each(|counter| rest.replace_range(counter, ""));
    rest
}

/// Where the counters at the end of a name are, each with the `_` before it; the last first.
fn counters(name: &str) -> impl Iterator<Item = Range<usize>> {
    let mut end = name.len();
    std::iter::from_fn(move || {
        loop {
            let start = name.get(..end)?.rfind('_').filter(|&start| start > 0)?;
            let part = name.get(start + 1..end)?;
            let range = start..std::mem::replace(&mut end, start);
            if !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_digit()) {
                return Some(range);
            }
            if !MARKS.contains(&part) {
                end = 0;
                return None;
            }
        }
    })
}

/// A name in the order of its counters.
fn counted(name: &str) -> (String, usize, &str) {
    (stem(name), name.len(), name)
}

/// What is known of the names of functions while it is found out what one does.
#[derive(Debug, Clone, Copy)]
enum Names {
    /// They are the same on both sides but for their counters.
    Counted,
    /// Nothing.
    Unknown,
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
        let body = self.body(function, Names::Counted);
        Candidate { function, stem: stem(function.name), body }
    }

    /// What a function does, as a hash.
    fn body(&self, function: &Function<'m>, names: Names) -> u64 {
        let mut state = DefaultHasher::new();
        if let Some(ty) = self.schema.message("tensorflow.FunctionDef") {
            self.message((function.name, names), ty, function.bytes, &mut state);
        }
        state.finish()
    }

    /// Takes in all that a message says; names of functions without their counters, and no notes of TensorFlow's own.
    /// Messages are as deep here as they were allowed to be when they were read.
    fn message(
        &self,
        own: (&str, Names),
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
                    if is_map && super::attrs::is_note(entry(content).0) {
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

    fn text(&self, (own, names): (&str, Names), text: &[u8], state: &mut DefaultHasher) {
        let Ok(name) = std::str::from_utf8(text) else { return text.hash(state) };
        if let Some((before, behind)) = name.split_once(own) {
            return (before, "itself", behind).hash(state);
        }
        let is = |at: u32| self.library.functions.get(at as usize).is_some_and(|f| f.name == name);
        match (self.names.find(name, is), names) {
            (Some(_), Names::Counted) => stem(name).hash(state),
            (Some(_), Names::Unknown) => "another".hash(state),
            (None, _) => name.hash(state),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counters_are_where_tensorflow_puts_them() {
        for (name, expected) in [
            ("__inference_f_123", "__inference_f"),
            ("__inference_dense_1_123", "__inference_dense"),
            ("while_body_6_grad_62", "while_body_grad"),
            ("while_cond_5_rewritten_grad_161", "while_cond_rewritten_grad"),
            ("cond_true_5_frozen_9", "cond_true_frozen"),
            ("conv_2_weights", "conv_2_weights"),
            ("_12", "_12"),
            ("grad", "grad"),
            ("", ""),
        ] {
            assert_eq!(stem(name), expected);
        }
        assert_eq!(without_last("while_body_6_grad_62"), "while_body_6_grad");
    }
}
