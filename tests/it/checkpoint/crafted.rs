//! Hand-made checkpoints that TensorFlow never writes: valid ones, and ones that look valid.

use std::time::{Duration, Instant};

use ckdiff::Result;
use ckdiff::bytes::Crc32c;
use ckdiff::checkpoint::Checkpoint;
use ckdiff::tensor::Tensor;

use crate::support::encoding::{self, bytes, entry, fixed32, int, packed, slice, slice_key};
use crate::support::fuzz_checkpoint::{self, put};

/// Reads a V1 file that contains one tensor, `t`.
fn v1(dtype: i64, dims: &[i64], proto: &[u8]) -> Result<Tensor> {
    let dir = tempfile::tempdir().unwrap();
    put(&dir.path().join("m"), &encoding::v1("t", dtype, dims, proto));
    Checkpoint::open(dir.path().join("m"))?.get_tensor("t")
}

/// The error of a read, without the file's name.
fn trouble<T: std::fmt::Debug>(read: Result<T>) -> String {
    let text = read.unwrap_err().to_string();
    text.split_once("tensor t: ").map_or(text.clone(), |(_, kind)| kind.to_owned())
}

const F32: i64 = 1;
const I32: i64 = 3;
const U8: i64 = 4;
const I8: i64 = 6;
const COMPLEX64: i64 = 8;
const I64: i64 = 9;
const BOOL: i64 = 10;
const STRING: i64 = 7;

fn floats(values: &[f32]) -> Vec<u8> {
    values.iter().flat_map(|value| value.to_le_bytes()).collect()
}

#[test]
fn v1_lists_may_be_packed_unpacked_and_split() {
    let ints: [Vec<u8>; 4] = [
        bytes(7, &packed(&[1, -2, 300])),
        [int(7, 1), int(7, -2), int(7, 300)].concat(),
        [bytes(7, &packed(&[1])), bytes(7, &[]), bytes(7, &packed(&[-2, 300]))].concat(),
        [int(99, 5), bytes(7, &packed(&[1, -2])), bytes(98, b"?"), int(7, 300)].concat(),
    ];
    for proto in &ints {
        assert_eq!(v1(I32, &[3], proto).unwrap().elements::<i32>(), Some(vec![1, -2, 300]));
    }
    let whole = bytes(9, &floats(&[1.0, 2.0, 3.0, 4.0]));
    let cut = [bytes(9, &floats(&[1.0, 2.0, 3.0])), fixed32(9, 4f32.to_bits())].concat();
    assert_eq!(v1(COMPLEX64, &[2], &whole).unwrap(), v1(COMPLEX64, &[2], &cut).unwrap());
}

#[test]
fn v1_content_may_be_bytes() {
    let tensor = v1(F32, &[2], &bytes(4, &floats(&[1.5, -2.0]))).unwrap();
    assert_eq!(tensor.elements::<f32>(), Some(vec![1.5, -2.0]));
    let both = [bytes(4, &floats(&[1.5])), bytes(5, &floats(&[2.0]))].concat();
    insta::assert_snapshot!(trouble(v1(F32, &[2], &both)), @"content: expected a list of values or bytes, found a list and bytes");
}

#[test]
fn v1_values_must_fit_their_type() {
    assert_eq!(v1(BOOL, &[3], &bytes(11, &packed(&[0, 1, 2]))).unwrap().content(), [0, 1, 1]);
    assert_eq!(v1(I8, &[1], &int(7, -128)).unwrap().elements::<i8>(), Some(vec![-128]));
    assert_eq!(v1(I64, &[1], &int(10, i64::MIN)).unwrap().elements::<i64>(), Some(vec![i64::MIN]));
    insta::assert_snapshot!(trouble(v1(I8, &[1], &int(7, 300))), @"value: expected -128 to 127, found 300");
    insta::assert_snapshot!(trouble(v1(U8, &[1], &int(7, -1))), @"value: expected 0 to 255, found -1");
    insta::assert_snapshot!(trouble(v1(F32, &[1], &bytes(5, &[0; 5]))), @"bytes of values: expected a multiple of 4, found 5");
    insta::assert_snapshot!(trouble(v1(F32, &[1], &int(5, 1))), @"wire type of values: expected 2 or 5, found 0");
    insta::assert_snapshot!(trouble(v1(STRING, &[2], &bytes(8, b"one"))), @"number of values: expected 2, as shape [2] has, found 1");
    insta::assert_snapshot!(trouble(v1(STRING, &[0], &bytes(8, b"one"))), @"number of values: expected 0, as shape [0] has, found more");
    insta::assert_snapshot!(trouble(v1(I32, &[2], &bytes(7, &[1, 0x80]))), @"a value needs 1 byte, 0 left");
    insta::assert_snapshot!(trouble(v1(14, &[1], &int(13, 1 << 16))), @"value: expected 0 to 65535, found 65536");
    insta::assert_snapshot!(trouble(v1(24, &[1], &bytes(18, &[1]))), @"float8_e5m2 in a V1 checkpoint is not read");
}

/// Opens a V2 checkpoint with these entries over `data`.
fn v2(entries: &[(Vec<u8>, Vec<u8>)], data: &[u8]) -> (tempfile::TempDir, Result<Checkpoint>) {
    let dir = tempfile::tempdir().unwrap();
    let mut all = vec![(Vec::new(), encoding::header(1))];
    all.extend_from_slice(entries);
    all.sort();
    put(&dir.path().join("m.index"), &encoding::table(&all));
    put(&dir.path().join("m.data-00000-of-00001"), data);
    let checkpoint = Checkpoint::open(dir.path().join("m"));
    (dir, checkpoint)
}

fn parent(dtype: i64, dims: &[i64], slices: &[&[(i64, i64)]]) -> Vec<u8> {
    let slices: Vec<u8> = slices.iter().flat_map(|extents| bytes(7, &slice(extents))).collect();
    [int(1, dtype), bytes(2, &encoding::shape(dims)), slices].concat()
}

/// The entries of a partitioned int8 tensor; the slices take the bytes of `data` one after another.
fn partitioned(
    name: &str,
    dims: &[i64],
    slices: &[&[(i64, i64)]],
    data: &[u8],
) -> Vec<(Vec<u8>, Vec<u8>)> {
    let mut entries = vec![(name.as_bytes().to_vec(), parent(I8, dims, slices))];
    let mut start = 0;
    for extents in slices {
        let dims: Vec<i64> = extents.iter().map(|&(_, len)| len).collect();
        let len: i64 = dims.iter().product();
        let entry = entry(I8, &dims, start, len, &data[start as usize..][..len as usize]);
        start += len;
        entries.push((slice_key(name, extents), entry));
    }
    entries
}

#[test]
fn the_last_value_of_a_repeated_scalar_field_counts() {
    let content = floats(&[1.0]);
    let twice = [int(4, 99), int(5, 7), entry(F32, &[1], 0, 4, &content)].concat();
    let (_dir, checkpoint) = v2(&[(b"t".to_vec(), twice)], &content);
    assert_eq!(checkpoint.unwrap().get_tensor("t").unwrap().elements::<f32>(), Some(vec![1.0]));
}

#[test]
fn an_unknown_field_is_skipped_and_a_wrong_wire_type_is_an_error() {
    let content = floats(&[1.0]);
    let good = entry(F32, &[1], 0, 4, &content);
    let unknown = [good.clone(), int(90, 1), bytes(91, b"x"), fixed32(92, 3)].concat();
    let wrong = [good, fixed32(4, 0)].concat();
    let (_dir, checkpoint) = v2(&[(b"s".to_vec(), unknown), (b"t".to_vec(), wrong)], &content);
    let checkpoint = checkpoint.unwrap();
    assert!(checkpoint.get_tensor("s").is_ok());
    insta::assert_snapshot!(trouble(checkpoint.get_tensor("t")), @"offset: expected a varint, found 4 fixed bytes");
}

#[test]
fn slices_without_their_tensor_are_damage() {
    let content = floats(&[1.0, 2.0, 3.0, 4.0, 5.0]);
    let whole = (b"w".to_vec(), entry(F32, &[2], 0, 8, &content[..8]));
    let lost = (slice_key("t", &[(0, 2), (1, 1)]), entry(F32, &[2, 1], 8, 8, &content[8..16]));
    let unlisted = (slice_key("w", &[(0, 1)]), entry(F32, &[1], 16, 4, &content[16..]));
    let (_dir, checkpoint) = v2(&[lost, unlisted, whole], &content);
    let checkpoint = checkpoint.unwrap();
    assert_eq!(checkpoint.tensors().len(), 1);
    assert!(checkpoint.get_tensor("w").is_ok());
    let damage: Vec<String> = checkpoint.damage().iter().map(|e| e.kind().to_string()).collect();
    assert_eq!(
        damage,
        [
            "slice: expected a slice of a tensor in the index, found a slice of tensor t",
            "slice: expected a slice that the tensor lists, found a slice of tensor w",
        ]
    );
}

#[test]
fn a_grid_of_empty_and_full_slices_is_one_tensor() {
    let rows: Vec<f32> = (0..12).map(|i| i as f32).collect();
    let left: Vec<f32> = [0, 1, 4, 5, 8, 9].map(|i| rows[i]).to_vec();
    let right: Vec<f32> = [2, 3, 6, 7, 10, 11].map(|i| rows[i]).to_vec();
    let data = [floats(&left), floats(&right)].concat();
    let boxes: [&[(i64, i64)]; 4] =
        [&[(0, -1), (0, 2)], &[(0, 3), (2, 2)], &[(3, 0), (0, -1)], &[(0, 3), (4, 0)]];
    let entries = [
        (b"t".to_vec(), parent(F32, &[3, 4], &boxes)),
        (slice_key("t", boxes[0]), entry(F32, &[3, 2], 0, 24, &data[..24])),
        (slice_key("t", boxes[1]), entry(F32, &[3, 2], 24, 24, &data[24..])),
        (slice_key("t", boxes[2]), entry(F32, &[0, 4], 0, 0, &[])),
        (slice_key("t", boxes[3]), entry(F32, &[3, 0], 0, 0, &[])),
    ];
    let (_dir, checkpoint) = v2(&entries, &data);
    let tensor = checkpoint.unwrap().get_tensor("t").unwrap();
    assert_eq!(tensor.elements::<f32>(), Some(rows));
}

#[test]
fn every_slice_is_checked_even_an_empty_one() {
    let data = floats(&[1.0, 2.0]);
    let boxes: [&[(i64, i64)]; 2] = [&[(0, 2)], &[(2, 0)]];
    let mut empty = entry(F32, &[0], 0, 0, &[]);
    let checksum = Crc32c::of(b"?").masked();
    empty.extend(fixed32(6, checksum));
    let entries = [
        (b"t".to_vec(), parent(F32, &[2], &boxes)),
        (slice_key("t", boxes[0]), entry(F32, &[2], 0, 8, &data)),
        (slice_key("t", boxes[1]), empty),
    ];
    let (_dir, checkpoint) = v2(&entries, &data);
    assert!(trouble(checkpoint.unwrap().get_tensor("t")).contains("checksum of content"));
}

#[test]
fn a_partitioned_name_may_start_with_nul() {
    let data = floats(&[1.0, 2.0]);
    let boxes: [&[(i64, i64)]; 2] = [&[(0, 1)], &[(1, 1)]];
    let entries = [
        (b"\0t".to_vec(), parent(F32, &[2], &boxes)),
        (slice_key("\0t", boxes[0]), entry(F32, &[1], 0, 4, &data[..4])),
        (slice_key("\0t", boxes[1]), entry(F32, &[1], 4, 4, &data[4..])),
    ];
    let (_dir, checkpoint) = v2(&entries, &data);
    let checkpoint = checkpoint.unwrap();
    assert_eq!(checkpoint.get_tensor("\0t").unwrap().elements::<f32>(), Some(vec![1.0, 2.0]));
    assert_eq!((checkpoint.tensors().len(), checkpoint.damage().len()), (1, 0));
}

#[test]
fn more_shards_than_open_files_are_read() {
    let dir = tempfile::tempdir().unwrap();
    let shards = 300;
    let mut all = vec![(Vec::new(), encoding::header(shards))];
    for i in 0..shards {
        let content = floats(&[i as f32]);
        let entry = [entry(F32, &[1], 0, 4, &content), int(3, i)].concat();
        all.push((format!("t{i:03}").into_bytes(), entry));
        put(&dir.path().join(format!("m.data-{i:05}-of-{shards:05}")), &content);
    }
    put(&dir.path().join("m.index"), &encoding::table(&all));
    let checkpoint = Checkpoint::open(dir.path().join("m")).unwrap();
    for i in (0..shards).chain((0..shards).rev()) {
        let tensor = checkpoint.get_tensor(format!("t{i:03}")).unwrap();
        assert_eq!(tensor.elements::<f32>(), Some(vec![i as f32]));
    }
}

#[test]
fn a_small_file_is_read_fast() {
    let data = vec![0; 1 << 16];
    let cell = |n: i64| [(n / 100, 1), (n % 100, 1)];
    let grid = |name: &str| {
        let cells: Vec<_> = (0..10_000).map(cell).collect();
        partitioned(name, &[100, 100], &cells.iter().map(|c| &c[..]).collect::<Vec<_>>(), &data)
    };
    let overlaps: Vec<_> = (0..10_000).map(|i| [(i, 6)]).collect();
    let overlaps: Vec<_> = overlaps.iter().map(|extents| &extents[..]).collect();
    let prefix = vec![b'k'; 1 << 16];
    let shared = (0..2000u16).map(|i| ([&prefix[..], &[(i >> 8) as u8, i as u8]].concat(), vec![]));
    let too_long = "which are left to a file of this size";
    let cases = [
        // The numbers are those of listed and of readable tensors; then the damage that must be reported.
        ("a grid", grid("t"), (1, 1), None),
        ("a grid of a long name", grid(&"n".repeat(200)), (1, 1), None),
        ("a grid of a name that is too long", grid(&"n".repeat(3_000)), (0, 0), Some(too_long)),
        ("long keys that share all but two bytes", shared.collect(), (50, 0), Some(too_long)),
        ("overlaps", partitioned("t", &[10_005], &overlaps, &data), (1, 0), None),
    ];
    for (what, entries, expected, damage) in cases {
        let (dir, _) = v2(&entries, &data);
        let started = Instant::now();
        let checkpoint = Checkpoint::open(dir.path().join("m")).unwrap();
        let mut read = 0;
        for entry in checkpoint.tensors() {
            let content = entry.source.as_ref().map(|s| fuzz_checkpoint::read(&**s, 1 << 16));
            read += usize::from(content.is_ok_and(|content| content.is_ok()));
        }
        let reported = checkpoint.damage().first().map(ToString::to_string);
        assert_eq!((checkpoint.tensors().len(), read), expected, "{what}: {reported:?}");
        let is_reported = match damage {
            Some(damage) => reported.as_ref().is_some_and(|error| error.contains(damage)),
            None => reported.is_none(),
        };
        assert!(is_reported, "{what}: {reported:?}");
        let took = started.elapsed();
        assert!(took < Duration::from_secs(20), "{what}: {took:?}");
    }
}

#[test]
fn a_long_name_and_many_blocks_are_read_fast() {
    let name = "n".repeat(200_000);
    let full = slice(&[(0, -1)]);
    let listed =
        [bytes(1, name.as_bytes()), bytes(2, &encoding::shape(&[1])), int(3, 1), bytes(4, &full)];
    let meta = bytes(1, &[bytes(1, &listed.concat()), bytes(2, &int(1, 1))].concat());
    let mut blocks = vec![(Vec::new(), vec![(Vec::new(), meta)])];
    let separators = (0..20_000u32).map(|i| vec![0, (i >> 16) as u8, (i >> 8) as u8, i as u8]);
    blocks.extend(separators.map(|separator| (separator, Vec::new())));
    let dir = tempfile::tempdir().unwrap();
    put(&dir.path().join("m"), &encoding::table_of(&blocks));
    let started = Instant::now();
    let checkpoint = Checkpoint::open(dir.path().join("m")).unwrap();
    assert!(checkpoint.get_tensor(&name).is_err());
    assert!(started.elapsed() < Duration::from_secs(10), "{:?}", started.elapsed());
}
