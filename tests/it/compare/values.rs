//! The values of each side by sign and magnitude, against a definition that is written down once more here.

use std::collections::BTreeMap;
use std::sync::Arc;

use ckdiff::Error;
use ckdiff::compare::{
    Baseline, CompareOptions, Comparison, Device, Sides, ValueHistogram, compare, compare_all,
};
use ckdiff::progress::Silent;
use ckdiff::tensor::{
    ComplexNumber, DType, Extent, Kind, Number, Scalar, Shape, Tensor, TensorSource, TensorStream,
    TensorView, Visit,
};
use serde_json::{Value, json};

use crate::compare::accelerator::Plain;
use crate::support::gpu::{text, view};
use crate::support::{Random, fixed_width};

fn options() -> CompareOptions {
    CompareOptions { values: true, ..CompareOptions::default() }
}

fn has_values(dtype: DType) -> bool {
    matches!(dtype.kind(), Kind::Float | Kind::Integer)
}

/// The power of two of a positive number that is normal as `f64`.
fn power(mut magnitude: f64) -> i32 {
    let mut power = 0;
    while magnitude >= 2.0 {
        (magnitude, power) = (magnitude / 2.0, power + 1);
    }
    while magnitude < 1.0 {
        (magnitude, power) = (magnitude * 2.0, power - 1);
    }
    power
}

/// The bin of a positive number, by comparison with its borders.
fn bin(magnitude: f64) -> i32 {
    let (power, borders) = if magnitude < f64::MIN_POSITIVE {
        (-1023, [0.25, 0.5, 0.75].map(|part| part * f64::MIN_POSITIVE))
    } else {
        let power = power(magnitude);
        let unit = if power < -1021 { f64::MIN_POSITIVE } else { 2f64.powi(power) };
        (power, [1.25, 1.5, 1.75].map(|part| part * unit))
    };
    4 * power + borders.iter().filter(|&&border| magnitude >= border).count() as i32
}

/// The histogram of some values, as JSON.
fn histogram(values: &[f64]) -> Value {
    let mut zeros = 0;
    let mut bins = [BTreeMap::<i32, u64>::new(), BTreeMap::new()];
    for value in values.iter().filter(|value| value.is_finite()) {
        if *value == 0.0 {
            zeros += 1;
        } else {
            *bins[usize::from(*value > 0.0)].entry(bin(value.abs())).or_default() += 1;
        }
    }
    let [negative, positive] = bins.map(|bins| bins.into_iter().collect::<Vec<_>>());
    json!({"zeros": zeros, "negative": negative, "positive": positive})
}

fn numbers(dtype: DType, content: &[u8]) -> Vec<f64> {
    content.chunks_exact(dtype.size().unwrap()).map(|bytes| dtype.visit(AsF64(bytes))).collect()
}

/// The number that is stored in these bytes.
struct AsF64<'a>(&'a [u8]);

impl Visit for AsF64<'_> {
    type Out = f64;

    fn number<T: Number>(self) -> f64 {
        match bytemuck::pod_read_unaligned::<T>(self.0).scalar() {
            Scalar::Float(value) => value,
            Scalar::Integer(value) => value as f64,
            other => panic!("{other:?} is no real number"),
        }
    }

    fn complex<T: ComplexNumber>(self) -> f64 {
        panic!("complex numbers have no order")
    }

    fn boolean(self) -> f64 {
        panic!("truth values are no numbers")
    }

    fn bytes(self) -> f64 {
        panic!("bytes are no number")
    }
}

/// Elements of random bits, among them many zeros, subnormal numbers, infinities and NaN.
fn content(dtype: DType, elements: usize, random: &mut Random) -> Vec<u8> {
    let size = dtype.size().unwrap();
    let mut content = random.bytes(elements * size);
    for element in content.chunks_exact_mut(size) {
        if random.one_in(8) {
            element.fill(0);
        }
        if random.one_in(4) {
            element[size - 1] = [0, 0x80, 0x7f, 0xff][random.below(4) as usize];
            if let Some(at) = size.checked_sub(2) {
                element[at] &= [0, 0x0f, 0x7f, 0xff][random.below(4) as usize];
                element[at] |= [0, 0xf0, 0x7c, 0x80][random.below(4) as usize];
            }
        }
    }
    content
}

/// Two sides whose first half is equal.
fn pair(dtype: DType, elements: usize, random: &mut Random) -> (Vec<u8>, Vec<u8>) {
    let lhs = content(dtype, elements, random);
    let mut rhs = lhs.clone();
    let size = dtype.size().unwrap();
    let half = elements / 2 * size;
    rhs.splice(half.., content(dtype, elements - elements / 2, random));
    (lhs, rhs)
}

fn values(comparison: &Comparison) -> Sides<&ValueHistogram> {
    let Sides { lhs, rhs } = comparison.values.as_deref().unwrap();
    Sides { lhs, rhs }
}

fn check(comparison: &Comparison, lhs: (DType, &[u8]), rhs: (DType, &[u8]), context: &str) {
    let counted = values(comparison);
    for (ours, (dtype, content)) in [(counted.lhs, lhs), (counted.rhs, rhs)] {
        let expected = histogram(&numbers(dtype, content));
        assert_eq!(serde_json::to_value(ours).unwrap(), expected, "{dtype} {context}");
        let collected: ValueHistogram = numbers(dtype, content).into_iter().collect();
        assert_eq!(ours, &collected, "{dtype} {context}");
    }
    assert_eq!(comparison.zeros, Some(counted.map(ValueHistogram::zeros)), "{context}");
    assert_eq!(comparison.ks, counted.lhs.ks_distance(counted.rhs), "{context}");
}

#[test]
fn values_are_counted_as_defined_for_every_dtype() {
    let mut random = Random::new(91);
    for dtype in fixed_width() {
        for elements in [0, 1, 15, 700, 1024, 9001] {
            let (lhs, rhs) = pair(dtype, elements, &mut random);
            for chunk_bytes in [1, 4096, 256 << 10] {
                let options = CompareOptions { chunk_bytes, ..options() };
                let found = compare(&view(dtype, &lhs), &view(dtype, &rhs), &options).unwrap();
                if has_values(dtype) {
                    let context = format!("{elements} {chunk_bytes}");
                    check(&found, (dtype, &lhs), (dtype, &rhs), &context);
                } else {
                    assert_eq!((found.values, found.zeros, found.ks), (None, None, None));
                }
            }
        }
    }
}

#[test]
fn each_side_of_two_dtypes_is_counted_by_its_own() {
    let mut random = Random::new(92);
    let numbers = || fixed_width().into_iter().filter(|&dtype| has_values(dtype));
    for lhs_dtype in numbers() {
        for rhs_dtype in numbers() {
            let lhs = content(lhs_dtype, 1500, &mut random);
            let rhs = content(rhs_dtype, 1500, &mut random);
            let found =
                compare(&view(lhs_dtype, &lhs), &view(rhs_dtype, &rhs), &options()).unwrap();
            check(&found, (lhs_dtype, &lhs), (rhs_dtype, &rhs), "mixed");
        }
    }
    for other in [DType::Complex64, DType::Bool] {
        let bytes = vec![1; 8 * other.size().unwrap()];
        let ints = vec![1; 8];
        let found = compare(&view(other, &bytes), &view(DType::I8, &ints), &options()).unwrap();
        assert_eq!(found.values, None, "{other}");
    }
}

#[test]
fn values_are_counted_only_if_requested() {
    let bytes = [1; 64];
    let side = view(DType::F32, &bytes);
    let found = compare(&side, &side, &CompareOptions::default()).unwrap();
    assert_eq!((found.values, found.zeros, found.ks), (None, None, None));
}

/// A tensor that can only be read in order.
#[derive(Debug)]
struct InOrder<'a>(TensorView<'a>);

impl TensorSource for InOrder<'_> {
    fn dtype(&self) -> DType {
        self.0.dtype()
    }

    fn shape(&self) -> &Shape {
        self.0.shape()
    }

    fn stored_bytes(&self) -> u64 {
        self.0.stored_bytes()
    }

    fn stream(&self) -> ckdiff::Result<Box<dyn TensorStream + '_>> {
        self.0.stream()
    }
}

#[test]
fn no_way_of_comparing_changes_the_values() {
    let mut random = Random::new(93);
    for dtype in [DType::F32, DType::F64, DType::BF16, DType::I8, DType::I64] {
        // Two units and a part of one.
        let (lhs, rhs) = pair(dtype, 2_200_007, &mut random);
        let (lhs, rhs) = (view(dtype, &lhs), view(dtype, &rhs));
        let once = compare(&lhs, &rhs, &CompareOptions { threads: 1, ..options() }).unwrap();
        check(&once, (dtype, lhs.content()), (dtype, rhs.content()), "once");
        let expected = text(&once);
        for (threads, chunk_bytes) in [(2, 1 << 18), (3, 4000), (2, 1 << 24)] {
            let options = CompareOptions { threads, chunk_bytes, ..options() };
            assert_eq!(text(&compare(&lhs, &rhs, &options).unwrap()), expected, "{dtype}");
            let device = Device::with(Arc::new(Plain::new(1 << 20)));
            let accelerated = device.compare(&lhs, &rhs, &options).unwrap();
            assert_eq!(text(&accelerated), expected, "{dtype}");
            for _ in 0..2 {
                let kept = Baseline::new(&lhs, &device).compare(&rhs, &options).unwrap();
                assert_eq!(text(&kept), expected, "{dtype}");
            }
            let in_order = compare(&InOrder(lhs.clone()), &InOrder(rhs.clone()), &options).unwrap();
            assert_eq!(in_order.values, once.values, "{dtype}");
        }
    }
}

/// A tensor whose last bytes cannot be read.
#[derive(Debug)]
struct Damaged<'a>(TensorView<'a>);

impl Extent for Damaged<'_> {
    fn read_at(&self, offset: u64, out: &mut [u8]) -> ckdiff::Result<()> {
        if offset + out.len() as u64 == self.0.stored_bytes() {
            return Err(Error::truncated("a tensor", 1, 0));
        }
        self.0.extent().unwrap().read_at(offset, out)
    }
}

impl TensorSource for Damaged<'_> {
    fn dtype(&self) -> DType {
        self.0.dtype()
    }

    fn shape(&self) -> &Shape {
        self.0.shape()
    }

    fn stored_bytes(&self) -> u64 {
        self.0.stored_bytes()
    }

    fn extent(&self) -> Option<&dyn Extent> {
        Some(self)
    }

    fn stream(&self) -> ckdiff::Result<Box<dyn TensorStream + '_>> {
        self.0.stream()
    }
}

#[test]
fn a_tensor_that_cannot_be_read_leaves_no_values_behind() {
    let mut random = Random::new(94);
    let (lhs, rhs) = pair(DType::F32, 9000, &mut random);
    let (lhs, rhs) = (view(DType::F32, &lhs), view(DType::F32, &rhs));
    let damaged = Damaged(rhs.clone());
    let options = CompareOptions { threads: 1, chunk_bytes: 4096, ..options() };
    let alone = compare(&lhs, &rhs, &options).unwrap();
    for device in [Device::cpu(), Device::with(Arc::new(Plain::new(1 << 20)))] {
        let found = compare_all(&[(&lhs, &damaged), (&lhs, &rhs)], &options, &device, &Silent);
        assert!(found[0].is_err());
        assert_eq!(text(found[1].as_ref().unwrap()), text(&alone));
    }
}

fn of(values: &[f64]) -> ValueHistogram {
    values.iter().copied().collect()
}

/// The largest difference of two distributions, at each value of either.
fn exact_distance(lhs: &[f64], rhs: &[f64]) -> f64 {
    let up_to = |values: &[f64], most: f64| {
        values.iter().filter(|&&value| value <= most).count() as f64 / values.len() as f64
    };
    let distance = |&most: &f64| (up_to(lhs, most) - up_to(rhs, most)).abs();
    lhs.iter().chain(rhs).map(distance).fold(0.0, f64::max)
}

#[test]
fn the_distance_of_values_on_borders_is_that_of_kolmogorov_and_smirnov() {
    let mut random = Random::new(95);
    for _ in 0..500 {
        let mut values = || -> Vec<f64> {
            let number = |random: &mut Random| match random.below(6) {
                0 => 0.0,
                _ => {
                    let sign = if random.one_in(2) { 1.0 } else { -1.0 };
                    let quarter = 1.0 + random.below(4) as f64 / 4.0;
                    sign * quarter * 2f64.powi(random.below(5) as i32 - 2)
                }
            };
            (0..1 + random.below(30)).map(|_| number(&mut random)).collect()
        };
        let (lhs, rhs) = (values(), values());
        let distance = of(&lhs).ks_distance(&of(&rhs)).unwrap();
        let exact = exact_distance(&lhs, &rhs);
        assert!((distance - exact).abs() < 1e-12, "{distance} {exact} {lhs:?} {rhs:?}");
        assert_eq!(of(&rhs).ks_distance(&of(&lhs)), Some(distance));
        assert_eq!(of(&lhs).ks_distance(&of(&lhs)), Some(0.0));
    }
    assert_eq!(of(&[-1.0, -2.0]).ks_distance(&of(&[0.0, 3.0])), Some(1.0));
    assert_eq!(of(&[]).ks_distance(&of(&[1.0])), None);
    assert_eq!(of(&[f64::NAN]).ks_distance(&of(&[f64::INFINITY])), None);
}

#[test]
fn quantiles_are_within_a_quarter_of_the_exact_ones() {
    let mut random = Random::new(96);
    for _ in 0..200 {
        let number = |_| {
            let scale = 2f64.powi(random.below(40) as i32 - 20);
            (random.below(1 << 20) as f64 / f64::from(1 << 19) - 1.0) * scale
        };
        let values: Vec<f64> = (0..999).map(number).collect();
        let mut magnitudes: Vec<f64> = values.iter().map(|value| value.abs()).collect();
        magnitudes.sort_by(f64::total_cmp);
        let counted = of(&values);
        let mut previous = 0.0;
        for rank in [1, 10, 500, 900, 999] {
            let exact = magnitudes[rank - 1];
            let found = counted.abs_quantile(rank as f64 / 999.0).unwrap();
            assert!((found - exact).abs() <= 0.25 * exact, "{found} {exact}");
            assert!(found >= previous);
            previous = found;
        }
    }
    let some = of(&[0.0, 0.0, 1.0, -1.0]);
    assert_eq!(some.abs_quantile(0.5), Some(0.0));
    assert_eq!(some.abs_quantile(0.75), Some(1.125));
    assert_eq!(some.abs_quantile(1.0), Some(1.25));
    assert_eq!(of(&[f64::MAX]).abs_quantile(1.0), Some(f64::MAX));
    for share in [-0.1, 1.1, f64::NAN] {
        assert_eq!(some.abs_quantile(share), None);
    }
    assert_eq!(of(&[]).abs_quantile(0.5), None);
}

#[test]
fn a_histogram_can_be_read_from_its_json() {
    let mut random = Random::new(97);
    for dtype in fixed_width().into_iter().filter(|&dtype| has_values(dtype)) {
        let counted = of(&numbers(dtype, &content(dtype, 500, &mut random)));
        let json = serde_json::to_string(&counted).unwrap();
        assert_eq!(serde_json::from_str::<ValueHistogram>(&json).unwrap(), counted, "{dtype}");
    }
}

#[test]
fn json_that_is_no_histogram_is_refused() {
    let read = |negative: Value, positive: Value| {
        let json = json!({"zeros": 1, "negative": negative, "positive": positive});
        serde_json::from_value::<ValueHistogram>(json).map_err(|error| error.to_string())
    };
    assert!(read(json!([[-4092, 1]]), json!([[-4092, 1], [4095, 1]])).is_ok());
    for (bins, reason) in [
        (json!([[3, 1], [3, 1]]), "one from 4 to 4095, in ascending order"),
        (json!([[3, 1], [2, 1]]), "found 2"),
        (json!([[4096, 1]]), "found 4096"),
        (json!([[-4093, 1]]), "found -4093"),
        (json!([[40_000, 1]]), "40000"),
        (json!([[4095, 1], [4095, 1]]), "found 4095"),
        (json!([[0, 0]]), "found 0"),
        (json!([[0, -1]]), "-1"),
        (json!([[0, 1, 2]]), "invalid length 3"),
        (json!([[0]]), "invalid length 1"),
        (json!([[0, 1.5]]), "1.5"),
        (json!({"0": 1}), "map"),
        (json!([[0, u64::MAX], [1, u64::MAX]]), "at most 2^63 - 1"),
        (json!([[0, i64::MAX]]), "at most 2^63 - 1"),
    ] {
        for (negative, positive) in [(bins.clone(), json!([])), (json!([]), bins.clone())] {
            let refused = read(negative, positive).unwrap_err();
            assert!(refused.contains(reason), "{bins}: {refused}");
        }
    }
    assert!(serde_json::from_str::<ValueHistogram>(r#"{"zeros": 1, "negative": []}"#).is_err());
}

#[test]
fn a_tensor_and_its_copy_in_another_dtype_are_near() {
    let values: Vec<f32> = (0..5000).map(|i| (i as f32 - 2500.0) / 997.0).collect();
    let bytes: Vec<u8> = values.iter().flat_map(|x| x.to_le_bytes()).collect();
    let wide: Vec<u8> = values.iter().flat_map(|&x| f64::from(x).to_le_bytes()).collect();
    let shape = Shape::new(&[5000]).unwrap();
    let lhs = Tensor::new(DType::F32, shape.clone(), bytes).unwrap();
    let rhs = Tensor::new(DType::F64, shape, wide).unwrap();
    let found = compare(&lhs, &rhs, &options()).unwrap();
    assert_eq!(found.ks, Some(0.0));
    assert_eq!(found.zeros, Some(Sides { lhs: 1, rhs: 1 }));
}
