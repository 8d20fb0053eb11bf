//! Automatic numbers: `dense_3` is the fourth `dense` of a program, and the first of its model.
//!
//! ```text
//! part   := stem ("_" number)*
//! number := "0" | [1-9][0-9]*
//! ```
//! The parts of names in one scope that have one stem are numbered anew, in the order of their numbers: the first is the stem
//! alone, as TensorFlow and Keras name the first. Two parts never get one name.

use std::collections::{BTreeMap, BTreeSet};

use super::renames::Renames;
use crate::schema::tensorflow::MetaGraphDef;
use crate::snapshot::variable::Variable;
use crate::tensor::Name;

/// The numbers of a part, so that shorter ones sort first; none for a stem alone.
type Numbers<'n> = Vec<(usize, &'n str)>;

/// Splits a part into its stem and its numbers.
fn split(part: &str) -> (&str, Numbers<'_>) {
    let (mut stem, mut numbers) = (part, Numbers::new());
    while let Some((before, number)) = stem.rsplit_once('_') {
        let is_number = !number.is_empty() && number.bytes().all(|byte| byte.is_ascii_digit());
        // Nobody writes a leading zero automatically.
        if before.is_empty() || !is_number || number.len() > 1 && number.starts_with('0') {
            break;
        }
        numbers.insert(0, (number.len(), number));
        stem = before;
    }
    (stem, numbers)
}

/// The numbers of each stem, by scope and stem.
type Stems<'n> = BTreeMap<(&'n str, &'n str), BTreeSet<Numbers<'n>>>;

fn stems_of<'n>(names: impl Iterator<Item = &'n str>) -> Stems<'n> {
    let mut stems = Stems::new();
    for (scope, part) in names.flat_map(parts_of) {
        let (stem, numbers) = split(part);
        stems.entry((scope, stem)).or_default().insert(numbers);
    }
    stems
}

/// The scopes of a name and the parts in them, from the outermost on: `a/b` has `a` in the root, and `b` in `a`.
fn parts_of(name: &str) -> impl Iterator<Item = (&str, &str)> {
    let mut start = 0;
    name.split('/').map(move |part| {
        let scope = name.get(..start).unwrap_or_default();
        start += part.len() + 1;
        (scope, part)
    })
}

/// The renames of names, and of the scopes in them, that number all anew.
pub(super) fn renumbered<'n>(names: impl Iterator<Item = &'n str> + Clone) -> Renames {
    let stems = stems_of(names.clone());
    let mut ranks = BTreeMap::new();
    for (&(scope, stem), all) in &stems {
        ranks.extend(all.iter().enumerate().map(|(rank, numbers)| ((scope, stem, numbers), rank)));
    }
    let mut renames = Renames::default();
    for name in names {
        let mut new = String::new();
        let mut end = 0;
        for (scope, part) in parts_of(name) {
            if end > 0 || !scope.is_empty() {
                new.push('/');
            }
            let (stem, numbers) = split(part);
            new.push_str(stem);
            match ranks.get(&(scope, stem, &numbers)) {
                Some(0) | None => {}
                Some(rank) => new += &format!("_{rank}"),
            }
            end += part.len();
            renames.add(name.get(..end).unwrap_or(name), &new);
            end += 1;
        }
    }
    renames
}

/// The inputs and outputs of signatures whose numbers are those of a program: all but `output_0` and its kin.
pub(super) fn in_signatures(meta_graph: &mut MetaGraphDef) {
    for signature in meta_graph.signature_def.values_mut() {
        for tensors in [&mut signature.inputs, &mut signature.outputs] {
            let keys: Vec<String> = tensors.keys().cloned().collect();
            let counted = keys.iter().map(String::as_str).filter(|key| split(key).0 != "output");
            let renames = renumbered(counted);
            let renamed = std::mem::take(tensors)
                .into_iter()
                .map(|(key, info)| (renames.get(&key).map(str::to_owned).unwrap_or(key), info));
            *tensors = renamed.collect();
        }
    }
}

/// Numbers the names of variables anew.
pub(super) fn in_variables(variables: &mut [Variable]) {
    let names: Vec<String> =
        variables.iter().filter_map(|row| row.name.as_str().map(str::to_owned)).collect();
    let renames = renumbered(names.iter().map(String::as_str));
    for row in variables.iter_mut() {
        if let Some(new) = row.name.as_str().and_then(|name| renames.get(name)) {
            row.name = Name::from(new);
        }
    }
    variables.sort_by(|a, b| a.name.cmp(&b.name));
}

#[cfg(test)]
mod tests {
    use super::*;

    fn all(names: &[&str]) -> Vec<String> {
        let renames = renumbered(names.iter().copied());
        names.iter().map(|name| renames.get(name).unwrap_or(name).to_owned()).collect()
    }

    #[test]
    fn parts_are_numbered_in_the_order_of_their_numbers() {
        for (names, expected) in [
            (vec!["dense_3/kernel", "dense_10/kernel"], vec!["dense/kernel", "dense_1/kernel"]),
            (vec!["dense", "dense_1"], vec!["dense", "dense_1"]),
            (vec!["a_1", "b_1/a_7"], vec!["a", "b/a"]),
            (vec!["s/dense_1", "s/dense_1_2"], vec!["s/dense", "s/dense_1"]),
            (vec!["s/dense_4_1", "s/dense_5_1"], vec!["s/dense", "s/dense_1"]),
            (vec!["x_007", "_1", "a__2", "2"], vec!["x_007", "_1", "a_", "2"]),
            (vec!["/x_1", "//y_2", "a//b_1", ""], vec!["/x", "//y", "a//b", ""]),
        ] {
            assert_eq!(all(&names), expected, "{names:?}");
        }
    }

    #[test]
    fn different_names_stay_different() {
        let parts =
            ["a", "a_1", "a_2", "a_1_1", "a_1_2", "a_0", "a_01", "b_1", "b_1_1", "_", "", "_1"];
        let names: Vec<String> =
            parts.iter().flat_map(|a| parts.iter().map(move |b| format!("{a}/{b}"))).collect();
        let names: Vec<&str> = names.iter().map(String::as_str).collect();
        let new: BTreeSet<String> = all(&names).into_iter().collect();
        assert_eq!(new.len(), names.len());
    }

    #[test]
    fn numbering_again_changes_nothing() {
        let once = all(&["a_3/x_1", "a_5/x_2", "a_5/x_9", "b"]);
        assert_eq!(all(&once.iter().map(String::as_str).collect::<Vec<_>>()), once);
    }
}
