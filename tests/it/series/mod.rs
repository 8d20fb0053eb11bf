//! Many checkpoints in a row.

mod cache;
mod checkpoints;
mod first;
mod judged;
mod memory;

use std::path::{Path, PathBuf};

use ckdiff::progress::Silent;
use ckdiff::series::{Checkpoints, Series, SeriesOptions, compare};
use ckdiff::tensor::Tensor;

use crate::support::written::{checkpoint, floats};

/// The checkpoints at these paths.
fn found(paths: &[PathBuf]) -> Checkpoints {
    Checkpoints::find(paths, 1).unwrap()
}

/// The series of a directory, with default options.
fn series(directory: &Path) -> Series {
    compared(&found(&[directory.into()]), &SeriesOptions::default())
}

fn compared(checkpoints: &Checkpoints, options: &SeriesOptions) -> Series {
    compare(checkpoints, options, None, &mut None, &Silent).unwrap()
}

/// The file names of the checkpoints, in order.
fn names(checkpoints: &Checkpoints) -> Vec<String> {
    let name = |path: &Path| path.file_name().unwrap().to_str().unwrap().to_owned();
    checkpoints.members().iter().map(|member| name(&member.path)).collect()
}

/// Writes a checkpoint with a `global_step`, unless it is negative, and the weights `w` and `v`.
fn write(dir: &Path, name: &str, step: i64, w: &[f32]) -> PathBuf {
    let shape = ckdiff::tensor::Shape::new(&[]).unwrap();
    let counter =
        Tensor::new(ckdiff::tensor::DType::I64, shape, step.to_le_bytes().to_vec()).unwrap();
    let mut tensors = vec![("a/w".to_owned(), floats(w)), ("b/v".to_owned(), floats(&[1.0, 2.0]))];
    if step >= 0 {
        tensors.push(("global_step".to_owned(), counter));
    }
    checkpoint(dir, name, &tensors)
}
