//! What is known of an object besides its key path: the variables at and below it, by name, type and content.

use std::collections::{BTreeMap, BTreeSet};
use std::hash::{DefaultHasher, Hash, Hasher};
use std::ops::Range;

use super::structure::kind_and_class;
use super::tensor_table::{TensorTable, TensorTraits};
use crate::diff::matching::graph::numbers;
use crate::graph::object_graph::{Label, ObjectGraph, ObjectGraphKind, ObjectId, Route};
use crate::message::{nested, records};
use crate::schema::field::{saved_object, saved_variable};

/// The traits of an object, as hashes; 0 is unknown.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default, Hash)]
pub(super) struct Traits {
    /// The name without the numbers that make it unique: `dense/kernel` of `dense_2/kernel`.
    pub(super) stem: u64,
    /// The numbers in the name.
    pub(super) numbers: u64,
    /// The name of a variable, or of a layer: the scope of its variables.
    pub(super) name: u64,
    /// The last part of the stem.
    pub(super) last: u64,
    /// The kind of the object, and the names of its children.
    pub(super) class: u64,
    /// The dtypes and shapes of the variables at and below the object.
    pub(super) ty: u64,
    /// The content of these variables.
    pub(super) content: u64,
}

/// The traits of all objects. An object that is no variable counts only where it is reached first, so the time is linear.
pub(super) fn traits(graph: &ObjectGraph<'_>, tensors: &TensorTable) -> Vec<Traits> {
    let mut all: Vec<(Traits, &str)> = graph
        .ids()
        .map(|id| match is_variable(graph, id) {
            true => (of_variable(graph, id, tensors), graph.variable_name(id)),
            false => Default::default(),
        })
        .collect();
    add_content_of_scopes(&mut all);
    for &id in graph.order().iter().rev().filter(|id| !is_variable(graph, **id)) {
        let below = graph.children(id).map(|(name, child)| {
            let is_first = graph.route(child) == Route::From(id, Label::Child(name));
            let counts = is_first || is_variable(graph, child);
            (name, all.get(child.position()).copied().filter(|_| counts).unwrap_or_default())
        });
        let of_object = of_children(kind_and_class(graph, id), below);
        if let Some(slot) = all.get_mut(id.position()) {
            *slot = of_object;
        }
    }
    all.into_iter().map(|(traits, name)| named(traits, name)).collect()
}

/// Identifies variables that cannot be told apart by their own content, such as biases of zeros, by that of the others in their
/// scope: the kernel of the layer.
fn add_content_of_scopes(all: &mut [(Traits, &str)]) {
    let mut scopes = BTreeMap::<&str, BTreeSet<(&str, u64)>>::new();
    for (traits, name) in all.iter().filter(|(traits, _)| traits.content != 0) {
        if let Some((scope, last)) = name.rsplit_once('/') {
            scopes.entry(scope).or_default().insert((last, traits.content));
        }
    }
    let scopes: BTreeMap<_, _> =
        scopes.into_iter().map(|(scope, contents)| (scope, hash_of(&contents))).collect();
    for (traits, name) in all.iter_mut().filter(|(traits, _)| traits.content == 0) {
        let known = name.rsplit_once('/').and_then(|(scope, _)| scopes.get(scope));
        traits.content = known.map(|content| hash_of(&(content, traits.ty))).unwrap_or_default();
    }
}

fn is_variable(graph: &ObjectGraph<'_>, id: ObjectId) -> bool {
    match graph.kind() {
        ObjectGraphKind::Trackable => graph.attributes(id).next().is_some(),
        ObjectGraphKind::Saved => {
            records(graph.object_bytes(id)).any(|record| record.number == saved_object::VARIABLE)
        }
    }
}

fn of_variable(graph: &ObjectGraph<'_>, id: ObjectId, tensors: &TensorTable) -> Traits {
    let class = hash_of("variable");
    if graph.kind() == ObjectGraphKind::Trackable {
        let known =
            graph.attributes(id).find_map(|value| tensors.get(value.checkpoint_key).copied());
        let TensorTraits { ty, content } = known.unwrap_or_default();
        return Traits { class, ty, content, ..Traits::default() };
    }
    let mut state = DefaultHasher::new();
    for field in records(nested(graph.object_bytes(id), saved_object::VARIABLE)) {
        if matches!(field.number, saved_variable::DTYPE | saved_variable::SHAPE) {
            field.bytes.hash(&mut state);
        }
    }
    Traits { class, ty: state.finish(), ..Traits::default() }
}

/// The traits of an object that is no variable, from those of its children, and its name.
fn of_children<'m>(
    class: u64,
    children: impl Iterator<Item = (&'m str, (Traits, &'m str))>,
) -> (Traits, &'m str) {
    let [mut types, mut contents, mut classes] = [(); 3].map(|()| DefaultHasher::new());
    let (mut is_typed, mut has_content, mut name) = (false, false, "");
    class.hash(&mut classes);
    for (child, (traits, of_child)) in children {
        if !is_number(child) {
            child.hash(&mut classes);
        }
        if traits.ty != 0 {
            (child, traits.ty).hash(&mut types);
            is_typed = true;
        }
        if traits.content != 0 {
            (child, traits.content).hash(&mut contents);
            has_content = true;
        }
        if name.is_empty() {
            let scope = of_child.rsplit_once('/');
            name = scope.map(|(scope, _)| scope).unwrap_or_default();
        }
    }
    let traits = Traits {
        class: classes.finish(),
        ty: if is_typed { types.finish() } else { 0 },
        content: if has_content { contents.finish() } else { 0 },
        ..Traits::default()
    };
    (traits, name)
}

fn is_number(name: &str) -> bool {
    !name.is_empty() && name.bytes().all(|byte| byte.is_ascii_digit())
}

/// The traits with those of a name.
fn named(traits: Traits, name: &str) -> Traits {
    if name.is_empty() {
        return traits;
    }
    let (stem, numbers) = name_stem(name);
    let last = stem.rsplit('/').next().map(hash_of).unwrap_or_default();
    Traits { name: hash_of(name), stem: hash_of(&*stem), numbers, last, ..traits }
}

fn hash_of<T: Hash + ?Sized>(value: &T) -> u64 {
    let mut state = DefaultHasher::new();
    value.hash(&mut state);
    state.finish()
}

/// A name without the numbers that TensorFlow and Keras append to make parts of names unique, and these numbers in one:
/// `adam/dense_kernel` and 2 of `adam/dense_2_kernel`.
pub(in crate::diff) fn name_stem(name: &str) -> (String, u64) {
    let (mut stem, mut all, mut from) = (String::with_capacity(name.len()), 0u64, 0);
    for range in numbers(name) {
        let part = |range: Range<usize>| name.get(range).unwrap_or_default();
        let behind = part(range.end..name.len());
        let is_end = behind.is_empty() || behind.starts_with(['/', '_']);
        // A part of the name that is nothing but a number keeps it.
        let is_whole = part(0..range.start).ends_with('/');
        let number = part(range.start + 1..range.end).parse::<u64>();
        if let Ok(number) = number.as_ref()
            && is_end
            && !is_whole
        {
            stem.push_str(part(from..range.start));
            all = all.wrapping_mul(1_000).wrapping_add(*number);
            from = range.end;
        }
    }
    stem.push_str(name.get(from..).unwrap_or_default());
    (stem, all)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_numbers_that_make_names_unique_are_taken_out() {
        for (name, expected) in [
            ("dense/kernel", "dense/kernel"),
            ("sequential_1/dense_12/kernel", "sequential/dense/kernel"),
            (
                "adam_1/sequential_1_dense_2_kernel_momentum",
                "adam/sequential_dense_kernel_momentum",
            ),
            ("block1_conv2/kernel", "block1_conv2/kernel"),
            ("w_1x", "w_1x"),
            ("_1/a_", "_1/a_"),
            ("a_1_2", "a"),
            ("", ""),
        ] {
            assert_eq!(name_stem(name).0, expected, "{name}");
        }
    }
}
