//! Text printed in pieces by several threads, and writers that fail.

use std::io::{self, Write};
use std::panic;

use ckdiff::message::Message;
use ckdiff::schema::Schema;
use ckdiff::text::{PrintOptions, print};

use crate::support::Random;
use crate::support::encoding::{bytes as len, group, int, packed};
use crate::support::proto2::proto2;
use crate::support::text_message::{STYLES, printed_all, printed_with};

/// A graph with many small nodes, some large ones, long strings, long lists, unknown fields and odd NaNs.
fn large_graph() -> Vec<u8> {
    // The function is a single message as large as all nodes, so it is cut inside.
    [large_nodes(1), len(2, &len(1, &large_nodes(3)))].concat()
}

fn large_nodes(number: u64) -> Vec<u8> {
    let mut random = Random::new(number);
    let mut nodes = Vec::new();
    for i in 0..3_000_u64 {
        let name = format!("node/{i}");
        let mut tensor = int(1, 1);
        let size = if random.one_in(500) { 150_000 } else { random.below(50) };
        match random.below(5) {
            0 => tensor.extend(len(4, &random.bytes(size as usize))),
            1 => tensor.extend(len(5, &random.bytes(size as usize * 4))),
            2 => tensor.extend(len(8, &random.bytes(size as usize))),
            3 => {
                let numbers: Vec<_> = (0..size).map(|_| (random.next() >> 32) as i64).collect();
                tensor.extend(len(16, &packed(&numbers)));
            }
            _ => tensor.extend(int(77, 1)),
        }
        let attr = len(5, &[len(1, b"value"), len(2, &len(8, &tensor))].concat());
        nodes.extend(len(number, &[len(1, name.as_bytes()), attr].concat()));
    }
    nodes
}

#[test]
fn any_number_of_threads_prints_the_same() {
    let graph = large_graph();
    for style in STYLES {
        for short_repeated in [false, true] {
            let one = PrintOptions { short_repeated, ..PrintOptions::new(style) };
            let expected = printed_all("tensorflow.GraphDef", &graph, &one);
            for threads in [2, 3, 8] {
                let options = PrintOptions { threads, ..one.clone() };
                let found = printed_all("tensorflow.GraphDef", &graph, &options);
                // Not `assert_eq`, whose message would contain both texts.
                assert!(found.0 == expected.0, "{threads} threads");
                assert_eq!(found.1, expected.1);
            }
        }
    }
}

/// The approximate number of bytes of a message that are printed in one piece.
const PIECE: usize = 128 << 10;

/// A message with `bytes` in the middle that is long enough for several threads.
fn between(bytes: &[u8]) -> Vec<u8> {
    let node = len(1, &len(1, &vec![b'n'; PIECE / 4]));
    [node.repeat(5), bytes.to_vec(), node.repeat(5)].concat()
}

/// A field, its content or an enclosing message has the length of a piece, or slightly more or less.
#[test]
fn values_about_as_long_as_a_piece_are_printed_whole() {
    for size in (PIECE - 8..=PIECE + 8).chain(2 * PIECE - 8..=2 * PIECE + 8) {
        let text = vec![b'x'; size];
        let attr = |value: &[u8]| len(5, &[len(1, b"v"), len(2, value)].concat());
        let node = |field: &[u8]| between(&len(1, field));
        let tensor = |field: &[u8]| between(&len(1, &attr(&len(8, field))));
        let floats = 1.5_f32.to_le_bytes().repeat(size / 4);
        let graphs = [
            (1, node(&len(1, &text))),
            (1, node(&[len(1, &text), len(2, b"op")].concat())),
            (1, tensor(&len(4, &text))),
            (1, tensor(&len(8, &text))),
            (size, tensor(&len(7, &vec![1; size]))),
            (size / 2, tensor(&len(7, &[0x81, 1].repeat(size / 2)))),
            (size / 4, tensor(&len(5, &floats))),
        ];
        // Lists are slow, so they are tested with every fourth size.
        let count = if size % 4 == 0 { 7 } else { 4 };
        for (i, (values, graph)) in graphs.iter().enumerate().take(count) {
            for style in STYLES {
                let one = PrintOptions::new(style);
                let expected = printed_all("tensorflow.GraphDef", graph, &one);
                let whole = match i {
                    0..=3 => format!(": \"{}\"\n", "x".repeat(size)),
                    4 => "int_val: 1\n".to_owned(),
                    5 => "int_val: 129\n".to_owned(),
                    _ => "float_val: 1.5\n".to_owned(),
                };
                assert_eq!(expected.0.matches(&whole).count(), *values, "{size}, graph {i}");
                for threads in [2, 3] {
                    let options = PrintOptions { threads, ..one.clone() };
                    let found = printed_all("tensorflow.GraphDef", graph, &options);
                    // Not `assert_eq`, whose message would contain both texts.
                    assert!(found == expected, "{size}, graph {i}, {threads} threads");
                }
            }
        }
    }
}

/// Nested groups and length-delimited fields, known and unknown, with about the length of a piece.
#[test]
fn groups_about_as_long_as_a_piece_are_printed_whole() {
    let schema = proto2();
    for size in (PIECE - 8..=PIECE + 8).chain([2 * PIECE - 1, 2 * PIECE, 2 * PIECE + 1]) {
        // Fields of two bytes each, and one of three for odd sizes.
        let numbers =
            [int(1, 6).repeat(size / 2 - size % 2), int(1, 200).repeat(size % 2)].concat();
        assert_eq!(numbers.len(), size);
        let part = group(3, &numbers);
        let text = len(1, &[b'x'].repeat(size));
        let bytes = [part.repeat(3), text.clone(), len(99, &text), group(98, &part)].concat();
        for style in STYLES {
            let one = PrintOptions::new(style);
            let expected = printed_with(&schema, "p.Outer", &bytes, &one);
            for threads in [2, 3] {
                let options = PrintOptions { threads, ..one.clone() };
                let found = printed_with(&schema, "p.Outer", &bytes, &options);
                assert!(found == expected, "{size}, {threads} threads");
            }
        }
    }
}

/// A writer that accepts this many bytes, then panics.
struct Broken(usize);

impl Write for Broken {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0 = self.0.checked_sub(bytes.len()).expect("the writer is broken");
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// The other threads must not wait for the one that panicked.
#[test]
fn a_panic_is_passed_on() {
    let schema = Schema::tensorflow();
    let ty = schema.message("tensorflow.GraphDef").unwrap();
    let message = Message::decode(schema, ty, large_graph()).unwrap();
    for threads in [1, 3] {
        for room in [0, 1 << 20] {
            let options = PrintOptions { threads, ..PrintOptions::default() };
            let printing = || print(&message, &options, &mut Broken(room));
            assert!(panic::catch_unwind(panic::AssertUnwindSafe(printing)).is_err());
        }
    }
}

/// A writer that accepts this many bytes, then fails.
struct Full(usize);

impl Write for Full {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        if bytes.len() > self.0 {
            return Err(io::Error::other("it is full"));
        }
        self.0 -= bytes.len();
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

#[test]
fn a_failing_writer_is_an_error() {
    let schema = Schema::tensorflow();
    let ty = schema.message("tensorflow.GraphDef").unwrap();
    let message = Message::decode(schema, ty, large_graph()).unwrap();
    for threads in [1, 3] {
        for room in [0, 1, 1 << 20] {
            let options = PrintOptions { threads, ..PrintOptions::default() };
            let error = print(&message, &options, &mut Full(room)).unwrap_err();
            assert_eq!(error.to_string(), "cannot write: it is full");
        }
    }
}
