//! Runs of a fuzz target on two V2 checkpoints: comparisons in both directions, and of each with itself.

use std::path::{Path, PathBuf};

use ckdiff::artifact::Artifact;
use ckdiff::checkpoint::{Checkpoint, CheckpointBuilder, FORMATS, IfExists};
use ckdiff::compare::{self, Tolerance};
use ckdiff::diff::{self, Diff, Side, Status, Verdict};
use ckdiff::progress::Silent;
use ckdiff::tensor::{DType, Shape, Tensor};

use super::fuzz_checkpoint::put;
use super::{encoding, fuzz_report};

/// Compares two checkpoints. The first byte is options; with its lowest bit, each side is the bytes of an index block and of a data
/// file, else a list of tensors. The next two bytes are the length of lhs. Returns whether they could be compared.
pub(crate) fn diff_checkpoints(dir: &Path, input: &[u8]) -> bool {
    let Some((&[first, low, high], rest)) = input.split_first_chunk::<3>() else { return false };
    let len = usize::from(u16::from_le_bytes([low, high])).min(rest.len());
    let (lhs, rhs) = rest.split_at(len);
    let prefixes = [(dir.join("lhs"), lhs), (dir.join("rhs"), rhs)];
    let open = |(prefix, bytes): (PathBuf, &[u8])| {
        if first & 1 == 0 {
            build(&prefix, bytes)
        } else {
            put_raw(&prefix, bytes)
        };
        let opened = Artifact::open(&prefix);
        assert!(first & 1 == 1 || opened.is_ok(), "what was written can be opened: {opened:?}");
        opened.ok()
    };
    let [Some(lhs), Some(rhs)] = prefixes.map(open) else { return false };
    let options = options(first);
    for side in [&lhs, &rhs] {
        if let Ok(same) = diff::diff(side, side, &options, &Silent) {
            fuzz_report::check_diff(&same);
            assert_ne!(same.verdict(), Verdict::Different, "a checkpoint is equal to itself");
        }
    }
    let there = diff::diff(&lhs, &rhs, &options, &Silent);
    let back = diff::diff(&rhs, &lhs, &options, &Silent);
    let (Ok(there), Ok(back)) = (&there, &back) else {
        assert_eq!(there.is_ok(), back.is_ok(), "{there:?}\n{back:?}");
        return false;
    };
    fuzz_report::check_diff(there);
    assert_mirrored(there, back);
    true
}

/// Tolerances that are the same in both directions, and statistics.
fn options(first: u8) -> diff::DiffOptions {
    let tolerance = match first >> 1 & 3 {
        0 => Tolerance::BITS,
        1 => Tolerance { atol: Some(0.5), ..Tolerance::BITS },
        2 => Tolerance { ulp: Some(3), ..Tolerance::BITS },
        _ => Tolerance { atol: Some(0.0), ..Tolerance::BITS },
    };
    let histogram = first & 8 != 0;
    // Small chunks, so that tensors have several.
    let chunk_bytes = if first & 16 == 0 { 256 << 10 } else { 64 };
    let compare = compare::CompareOptions {
        tolerance,
        histogram,
        values: histogram,
        chunk_bytes,
        threads: 1,
        ..Default::default()
    };
    diff::DiffOptions { compare, ..diff::DiffOptions::default() }
}

/// Writes an index with one block, and a data file. The first two bytes are the length of the block.
fn put_raw(prefix: &Path, bytes: &[u8]) {
    let (len, rest) = bytes.split_first_chunk::<2>().unwrap_or((&[0, 0], bytes));
    let (block, data) = rest.split_at(usize::from(u16::from_le_bytes(*len)).min(rest.len()));
    put(&prefix.with_extension("index"), &encoding::table_around(block));
    put(&prefix.with_extension("data-00000-of-00001"), data);
}

/// Writes the tensors that some bytes describe, and checks that they are read as they were written.
fn build(prefix: &Path, bytes: &[u8]) {
    let tensors = tensors(bytes);
    let mut builder = CheckpointBuilder::default();
    let added: Vec<_> =
        tensors.iter().filter(|(name, tensor)| builder.add(&**name, tensor).is_ok()).collect();
    builder
        .write(prefix, FORMATS[0], IfExists::Replace, &Silent)
        .expect("tensors that were added are written");
    let checkpoint = Checkpoint::open(prefix).expect("what was written can be opened");
    assert_eq!(checkpoint.tensors().len(), added.len());
    for (name, tensor) in added {
        let read = checkpoint.get_tensor(name).expect("what was written can be read");
        assert!(read == *tensor, "{name}: {read:?} instead of {tensor:?}");
    }
}

/// Tensors of some bytes, each: a byte for the name, one for the dtype, one for two dimensions, and the content.
fn tensors(mut bytes: &[u8]) -> Vec<(String, Tensor)> {
    let mut tensors = Vec::new();
    while let Some((&[name, dtype, dims], rest)) = bytes.split_first_chunk::<3>() {
        let name = match name % 4 {
            0 => format!("layer/{}/kernel", name / 4),
            1 => format!("layer/{}/kernel/Adam", name / 4),
            2 => format!("{}/.ATTRIBUTES/VARIABLE_VALUE", name / 4),
            _ => format!("global_step{}", name / 4),
        };
        let dtype = DType::ALL[usize::from(dtype) % DType::ALL.len()];
        let dims = match dims >> 6 {
            0 => vec![],
            1 => vec![i64::from(dims & 63)],
            _ => vec![i64::from(dims & 7), i64::from(dims >> 3 & 7)],
        };
        let shape = Shape::new(&dims).expect("it is small");
        let elements = shape.elements() as usize;
        let len = (elements * dtype.size().unwrap_or(2)).min(rest.len());
        let (content, after) = rest.split_at(len);
        bytes = after;
        let tensor = match dtype.size() {
            Some(size) => {
                let mut content = content.to_vec();
                content.resize(elements * size, content.first().copied().unwrap_or_default());
                Tensor::new(dtype, shape, content)
            }
            None => {
                let strings: Vec<_> =
                    (0..elements).map(|at| content.get(at * 2..).unwrap_or_default()).collect();
                Tensor::of_strings(shape, &strings)
            }
        };
        // Not every dtype can be made of any bytes.
        tensors.extend(tensor.ok().map(|tensor| (name, tensor)));
    }
    tensors
}

/// Asserts that two comparisons say the same with their sides exchanged.
fn assert_mirrored(there: &Diff, back: &Diff) {
    assert_eq!(there.verdict(), back.verdict(), "{there:#?}\nback: {back:#?}");
    assert_eq!(there.tensors.len(), back.tensors.len());
    let mirrored = |status| match status {
        Status::Added => Status::Removed,
        Status::Removed => Status::Added,
        other => other,
    };
    for (one, other) in there.tensors.iter().zip(&back.tensors) {
        let both = || format!("{one:#?}\nback: {other:#?}");
        assert_eq!(one.name, other.name);
        assert_eq!(one.status, mirrored(other.status), "{}", both());
        let shown = |status: &diff::TensorDiff, side| match side {
            Side::Lhs => status.lhs.clone(),
            Side::Rhs => status.rhs.clone(),
        };
        assert_eq!(shown(one, Side::Lhs), shown(other, Side::Rhs), "{}", both());
        assert_eq!(shown(one, Side::Rhs), shown(other, Side::Lhs), "{}", both());
        let numbers = |tensor: &diff::TensorDiff| {
            tensor.comparison.as_ref().map(|of| {
                let max_abs = of.max_abs.map(f64::to_bits);
                (of.elements, of.differing, of.mismatched, of.first, max_abs, of.max_ulp)
            })
        };
        assert_eq!(numbers(one), numbers(other), "{}", both());
    }
    let pairs = |diff: &Diff| diff.renames.len();
    assert_eq!(pairs(there), pairs(back), "{:?}\n{:?}", there.renames, back.renames);
}
