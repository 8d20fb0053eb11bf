//! Models of any number of tensors, and their comparison with everything that an HTML report draws.

use ckdiff::artifact::Artifact;
use ckdiff::compare::CompareOptions;
use ckdiff::diff::{Diff, DiffOptions, diff};
use ckdiff::progress::Silent;
use ckdiff::report::{Format, Report, ReportOptions, write};
use ckdiff::tensor::{DType, Shape, Tensor};

use crate::support::Random;
use crate::support::written::checkpoint;

pub type Named = (String, Tensor);

/// The parts of a layer, and the number of axes of each.
const PARTS: [(&str, usize); 5] = [
    ("attention/self/query/kernel", 2),
    ("attention/self/query/bias", 1),
    ("attention/output/dense/kernel", 2),
    ("intermediate/dense/kernel", 2),
    ("output/LayerNorm/gamma", 1),
];

/// A model of `count` tensors, whose axes have `side` indices.
pub fn model(count: usize, side: usize) -> Vec<Named> {
    let mut random = Random::new(1);
    let tensor = |at: usize| {
        let (part, axes) = PARTS[at % PARTS.len()];
        let dims = vec![side as i64; axes];
        // The sum of uniform numbers is about normal.
        let mut value = || (0..4).map(|_| random.below(2001) as f32 / 1000.0 - 1.0).sum::<f32>();
        let values = (0..side.pow(axes as u32)).map(|_| value() / 40.0);
        let content = values.flat_map(f32::to_le_bytes).collect();
        let tensor = Tensor::new(DType::F32, Shape::new(&dims).unwrap(), content).unwrap();
        (format!("bert/encoder/layer_{}/{part}", at / PARTS.len()), tensor)
    };
    (0..count).map(tensor).collect()
}

/// The model after more training: most elements of most tensors moved, each layer another distance.
pub fn retrained(model: &[Named]) -> Vec<Named> {
    let mut random = Random::new(2);
    let moved = |(at, (name, tensor)): (usize, &Named)| {
        let layer = at / PARTS.len();
        let distance = 10f32.powi(-(layer as i32 % 4) - 1);
        let values = tensor.content().chunks_exact(4).map(|bytes| {
            let value = f32::from_le_bytes(bytes.try_into().unwrap());
            let step = random.below(2001) as f32 / 1000.0 - 1.0;
            let is_kept = layer % 11 == 4 || (layer.is_multiple_of(5) && step > 0.0);
            if is_kept { value } else { value + 0.025 * distance * step }
        });
        let content = values.flat_map(f32::to_le_bytes).collect();
        (name.clone(), Tensor::new(DType::F32, tensor.shape().clone(), content).unwrap())
    };
    model.iter().enumerate().map(moved).collect()
}

/// The comparison of two models, with histograms and the places of mismatches.
pub fn compared(lhs: &[Named], rhs: &[Named]) -> Diff {
    let dir = tempfile::tempdir().unwrap();
    let open = |name, tensors| Artifact::open(checkpoint(dir.path(), name, tensors)).unwrap();
    let compare = CompareOptions { histogram: true, values: true, ..CompareOptions::default() };
    let options = DiffOptions { compare, mismatch_map: true, ..DiffOptions::default() };
    diff(&open("lhs", lhs), &open("rhs", rhs), &options, &Silent).unwrap()
}

/// The page of a comparison.
pub fn page(diff: &Diff) -> String {
    let mut out = Vec::new();
    write(&Report::Diff(diff, None), Format::HTML, &ReportOptions::default(), &mut out).unwrap();
    String::from_utf8(out).unwrap()
}

/// The page of a retrained model of `count` tensors.
pub fn page_of(count: usize, side: usize) -> String {
    let lhs = model(count, side);
    page(&compared(&lhs, &retrained(&lhs)))
}
