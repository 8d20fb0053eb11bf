//! Tensors of several units that are stored in slices: the same result as of whole ones, on any number of threads.

use std::fs;
use std::path::Path;

use ckdiff::checkpoint::{Checkpoint, CheckpointBuilder, Format, IfExists};
use ckdiff::compare::{CompareOptions, compare};
use ckdiff::progress::Silent;
use ckdiff::schema::tensorflow::saver_def::CheckpointFormatVersion;
use ckdiff::tensor::{DType, Shape, Slice, Tensor, TensorSource};

use crate::support::Random;

/// More than three units of `float32`, whose rows do not end where units do.
const DIMS: [i64; 3] = [130, 31, 811];

fn tensor(seed: u64) -> Tensor {
    let mut random = Random::new(seed);
    let elements = DIMS.iter().product::<i64>();
    let numbers = (0..elements).map(|_| random.below(2000) as f32 / 1000.0 - 1.0);
    let content = numbers.flat_map(f32::to_le_bytes).collect();
    Tensor::new(DType::F32, Shape::new(&DIMS).unwrap(), content).unwrap()
}

/// The elements of a tensor in a slice.
fn cut(whole: &Tensor, slice: &Slice) -> Tensor {
    let [(i, rows), (j, columns), (k, len)] = *slice.extents() else { panic!("the rank is 3") };
    let mut content = Vec::new();
    for row in i..i + rows {
        for column in j..j + columns {
            let start = ((row * DIMS[1] as u64 + column) * DIMS[2] as u64 + k) as usize * 4;
            content.extend_from_slice(&whole.content()[start..start + len as usize * 4]);
        }
    }
    Tensor::new(whole.dtype(), slice.shape().clone(), content).unwrap()
}

/// Writes a tensor in the slices between these cuts of each dimension.
fn write(path: &Path, whole: &Tensor, cuts: [&[i64]; 3]) {
    let between = |dimension: usize| {
        let ends: Vec<i64> = [&[0], cuts[dimension], &[DIMS[dimension]]].concat();
        ends.windows(2).map(|ends| (ends[0], ends[1] - ends[0])).collect::<Vec<_>>()
    };
    let mut slices = Vec::new();
    for row in between(0) {
        for column in between(1) {
            for range in between(2) {
                slices.push(Slice::new(&[row, column, range], whole.shape()).unwrap());
            }
        }
    }
    let parts: Vec<Tensor> = slices.iter().map(|slice| cut(whole, slice)).collect();
    let mut builder = CheckpointBuilder::default();
    for (slice, part) in slices.iter().zip(&parts) {
        builder.add_slice("embedding", whole.shape(), slice, part).unwrap();
    }
    let format = Format::of(CheckpointFormatVersion::V2).unwrap();
    builder.write(path, format, IfExists::Replace, &Silent).unwrap();
}

fn compared(lhs: &dyn TensorSource, rhs: &dyn TensorSource, threads: usize) -> String {
    let options =
        CompareOptions { threads, histogram: true, values: true, ..CompareOptions::default() };
    format!("{:?}", compare(lhs, rhs, &options))
}

#[test]
fn slices_are_compared_as_the_whole_tensor_is() {
    let directory = tempfile::tempdir().unwrap();
    let (lhs, rhs) = (tensor(1), tensor(2));
    let expected = compared(&lhs, &rhs, 1);
    let columns: Vec<i64> = (1..DIMS[2]).step_by(90).collect();
    for (at, cuts) in [
        [&[][..], &[], &[]],
        [&[40, 41, 100], &[], &[]],
        [&[], &[7, 30], &[]],
        [&[], &[], &columns],
        [&[1, 128], &[15], &[400, 402]],
    ]
    .into_iter()
    .enumerate()
    {
        let path = directory.path().join(format!("{at}.ckpt"));
        write(&path, &lhs, cuts);
        let stored = Checkpoint::open(&path).unwrap();
        let stored = &**stored.tensor("embedding").unwrap().source.as_ref().unwrap();
        for threads in [1, 3] {
            assert_eq!(compared(stored, &rhs, threads), expected, "{cuts:?} {threads}");
        }
        assert_eq!(compared(stored, stored, 2), compared(&lhs, &lhs, 1), "{cuts:?}");
    }
}

#[test]
fn a_flipped_bit_of_any_slice_is_noticed() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("sliced.ckpt");
    let lhs = tensor(1);
    write(&path, &lhs, [&[100], &[], &[400]]);
    let data = directory.path().join("sliced.ckpt.data-00000-of-00001");
    let bytes = fs::read(&data).unwrap();
    for at in [0, bytes.len() / 3, bytes.len() / 2, bytes.len() - 1] {
        let mut damaged = bytes.clone();
        damaged[at] ^= 1;
        fs::write(&data, damaged).unwrap();
        let stored = Checkpoint::open(&path).unwrap();
        let stored = &**stored.tensor("embedding").unwrap().source.as_ref().unwrap();
        let found = compared(stored, &lhs, 2);
        assert!(found.starts_with("Err") && found.contains("Checksum"), "byte {at}: {found}");
    }
    fs::write(&data, &bytes[..bytes.len() / 2]).unwrap();
    let stored = Checkpoint::open(&path).unwrap();
    let stored = &**stored.tensor("embedding").unwrap().source.as_ref().unwrap();
    assert!(compared(stored, &lhs, 2).starts_with("Err"));
}
