//! Object graphs whose objects are renumbered, numerous, or refer to each other in unusual ways.

use std::time::{Duration, Instant};

use ckdiff::artifact::Form;
use ckdiff::diff::Verdict;
use ckdiff::message::{Record, Records, Value};

use crate::graph::object_graph::changes::{TRACKABLE, change_lines, compared};
use crate::support::Random;
use crate::support::encoding::{bytes, int};
use crate::support::message_forms::document;

/// The objects of the object graph in a fixture.
fn real() -> Vec<Vec<u8>> {
    let bytes = std::fs::read("tests/data/saved_models/trackable_object_graph.pb").unwrap();
    records(&bytes).into_iter().map(|(_, value)| value).collect()
}

fn records(bytes: &[u8]) -> Vec<(u32, Vec<u8>)> {
    let records = Records::new(bytes, 0).map(Result::unwrap);
    let field = |record: Record<'_>| match record.value {
        Value::Len(bytes) => (record.number, bytes.to_vec()),
        Value::Varint(bits) => (record.number, bits.to_le_bytes().to_vec()),
        other => panic!("{other:?}"),
    };
    records.map(field).collect()
}

/// The same graph with renumbered objects: object `i` becomes object `to[i]`.
fn permuted(objects: &[Vec<u8>], to: &[usize]) -> Vec<u8> {
    let mut moved = vec![Vec::new(); objects.len()];
    for (from, object) in objects.iter().enumerate() {
        let mut out = Vec::new();
        for (field, value) in records(object) {
            let mut inside = Vec::new();
            // The fields of children and of slot variables that are object numbers.
            let ids: &[u32] = match field {
                1 => &[1],
                3 => &[1, 3],
                _ => {
                    out.extend(bytes(field.into(), &value));
                    continue;
                }
            };
            for (part, value) in records(&value) {
                if ids.contains(&part) {
                    let id = u64::from_le_bytes(value.try_into().unwrap()) as usize;
                    inside.extend(int(part.into(), to[id] as i64));
                } else {
                    inside.extend(bytes(part.into(), &value));
                }
            }
            out.extend(bytes(field.into(), &inside));
        }
        moved[to[from]] = out;
    }
    graph(&moved)
}

fn graph(objects: &[Vec<u8>]) -> Vec<u8> {
    objects.iter().flat_map(|object| bytes(1, object)).collect()
}

#[test]
fn renumbered_objects_are_unchanged() {
    let objects = real();
    assert!(objects.len() > 5, "{} objects", objects.len());
    let plain = graph(&objects);
    let mut random = Random::new(1);
    for _ in 0..20 {
        let mut to: Vec<usize> = (0..objects.len()).collect();
        // The root stays object 0.
        for at in (2..to.len()).rev() {
            to.swap(at, 1 + random.below(at as u64) as usize);
        }
        let other = permuted(&objects, &to);
        assert_ne!(plain, other);
        let read = |bytes: &[u8]| document(TRACKABLE, Form::Binary, bytes).into();
        assert_eq!(change_lines(&compared(&read(&plain), &read(&other))), [""; 0], "{to:?}");
    }
}

fn child(id: usize, name: &str) -> Vec<u8> {
    bytes(1, &[int(1, id as i64), bytes(2, name.as_bytes())].concat())
}

#[test]
fn large_and_strange_object_graphs_take_little_time_and_stack() {
    const LEN: usize = 100_000;
    let chain = |name: &str, len: usize| -> Vec<Vec<u8>> {
        (0..len).map(|at| if at + 1 < len { child(at + 1, name) } else { Vec::new() }).collect()
    };
    let star = |start: &str, len: usize| {
        let mut objects = vec![Vec::new(); len];
        objects[0] = (1..len).flat_map(|at| child(at, &format!("{start}{at}"))).collect();
        objects
    };
    // Each object is the slot of the previous one, for the variable after it.
    let slots: Vec<Vec<u8>> = (0..LEN)
        .map(|at| {
            let (variable, state) = (((at + 2) % LEN) as i64, ((at + 1) % LEN) as i64);
            bytes(3, &[int(1, variable), bytes(2, b"s"), int(3, state)].concat())
        })
        .collect();
    let mut ring = chain("next", LEN);
    ring[LEN - 1] = child(0, "next");
    let graphs = [
        chain("a", LEN),
        chain("a", LEN - 1),
        chain("b", LEN),
        ring,
        star("a", LEN),
        star("b", LEN),
        slots,
        vec![Vec::new(); LEN],
    ];
    for lhs in &graphs {
        for rhs in &graphs {
            let start = Instant::now();
            let read =
                |objects: &[Vec<u8>]| document(TRACKABLE, Form::Binary, &graph(objects)).into();
            let diff = compared(&read(lhs), &read(rhs));
            assert_eq!(diff.verdict() == Verdict::Same, std::ptr::eq(lhs, rhs));
            assert!(start.elapsed() < Duration::from_secs(20), "{:?}", start.elapsed());
        }
    }
}
