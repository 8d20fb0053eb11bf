//! Tables, read block by block.

use std::ops::ControlFlow;
use std::sync::Arc;

use ckdiff::Limits;
use ckdiff::bytes::Memory;
use ckdiff::table::Table;

use crate::support::encoding::{self, Pair};

fn open(bytes: &[u8]) -> Table {
    Table::open(Arc::new(Memory(bytes.into())), &Limits::default()).unwrap()
}

/// The entries of a table, and the damage found in it.
fn scan(bytes: &[u8]) -> (Vec<Pair>, Vec<String>) {
    let mut entries = Vec::new();
    let damage = open(bytes).scan(&mut |key, value| {
        entries.push((key.to_vec(), value.bytes(u64::MAX).unwrap().into_owned()));
        ControlFlow::Continue(())
    });
    (entries, damage.iter().map(ToString::to_string).collect())
}

fn pairs(keys: &[&str]) -> Vec<Pair> {
    keys.iter().map(|key| (key.as_bytes().to_vec(), format!("<{key}>").into_bytes())).collect()
}

/// Blocks, each with its separator and its keys.
type Blocks<'a> = &'a [(&'a str, &'a [&'a str])];

fn blocks(blocks: Blocks<'_>) -> Vec<u8> {
    let blocks: Vec<_> =
        blocks.iter().map(|(end, keys)| (end.as_bytes().to_vec(), pairs(keys))).collect();
    encoding::table_of(&blocks)
}

#[test]
fn entries_are_read_in_the_order_of_the_blocks() {
    let table = blocks(&[("b", &["", "a", "ab"]), ("d", &["c", "cab"]), ("z", &["x"])]);
    assert_eq!(scan(&table), (pairs(&["", "a", "ab", "c", "cab", "x"]), vec![]));
}

#[test]
fn a_table_may_be_empty() {
    assert_eq!(scan(&encoding::table_of(&[])), (vec![], vec![]));
    assert_eq!(scan(&encoding::table(&[])), (vec![], vec![]));
}

#[test]
fn a_value_of_many_mebibytes_is_read_piece_by_piece() {
    let value: Vec<u8> = (0..3 << 20).map(|i: u32| (i % 251) as u8).collect();
    let entries = vec![(b"a".to_vec(), value), (b"b".to_vec(), b"small".to_vec())];
    let mut table = encoding::table(&entries);
    assert_eq!(scan(&table), (entries, vec![]));

    table[2 << 20] ^= 1;
    let (entries, damage) = scan(&table);
    assert_eq!(entries, []);
    assert!(damage[0].starts_with("byte 0: checksum of a block"), "{damage:?}");
}

#[test]
fn a_damaged_block_leaves_the_others() {
    let mut table = blocks(&[("b", &["a"]), ("d", &["c"]), ("z", &["x"])]);
    let c = table.windows(3).position(|bytes| bytes == b"<c>").unwrap();
    table[c] = b'[';
    let (entries, damage) = scan(&table);
    assert_eq!(entries, pairs(&["a", "x"]));
    assert_eq!(damage.len(), 1);
}

#[test]
fn keys_out_of_order_are_read_and_reported() {
    let order = |table: Blocks<'_>| {
        let (entries, damage) = scan(&blocks(table));
        (entries.len(), damage.join("\n"))
    };
    let cases: [(usize, Blocks<'_>, &str); 5] = [
        (
            4,
            &[("z", &["a", "c", "b", "d"])],
            "byte 18: key: expected one greater than the one before it, found \"b\"",
        ),
        (
            2,
            &[("z", &["a", "a"])],
            "byte 10: key: expected one greater than the one before it, found \"a\"",
        ),
        (
            3,
            &[("b", &["a", "c"]), ("z", &["d"])],
            "byte 0: separator: expected one that is no less than the keys of its block, found \"b\"",
        ),
        (
            3,
            &[("c", &["a", "b"]), ("z", &["c"])],
            "byte 31: key: expected one greater than the one before it, found \"c\"",
        ),
        (
            1,
            &[("z", &["a"]), ("c", &["b"])],
            "byte 63: separator: expected one greater than the one before it, found \"c\"",
        ),
    ];
    for (given, table, damage) in cases {
        assert_eq!(order(table), (given, damage.to_owned()), "{table:?}");
    }
}

#[test]
fn keys_longer_than_the_limit_are_refused() {
    let table = encoding::table(&[(vec![b'k'; 100], vec![])]);
    let limits = Limits { key_bytes: 99, ..Limits::default() };
    let table = Table::open(Arc::new(Memory(table.into())), &limits).unwrap();
    let damage = table.scan(&mut |_, _| ControlFlow::Continue(()));
    insta::assert_snapshot!(damage[0], @"byte 129: length of a key: expected at most 99, found 100");
}
