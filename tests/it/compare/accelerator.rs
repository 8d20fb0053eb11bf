//! The interface between the engine and a GPU, tested with two accelerators: one counts by the definition, the other fails
//! at a chosen moment. No GPU is needed.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use ckdiff::Error;
use ckdiff::compare::{
    Accelerator, Baseline, Batch, CompareOptions, Comparison, Counted, Counting, Device, Failure,
    NanPolicy, TILE, Tolerance, Work, compare, compare_all,
};
use ckdiff::progress::Silent;
use ckdiff::tensor::{DType, Kind};

use crate::support::gpu::{text, tolerance, view};
use crate::support::{Random, dtypes, fixed_width};

const UNIT: usize = 16 * 65_536;

/// The call in which an accelerator fails.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum When {
    Begin,
    Finish,
}

/// An accelerator that counts by the definition, unless it is set to fail.
#[derive(Debug)]
pub(super) struct Plain {
    most_bytes: usize,
    accepts: fn(DType) -> bool,
    fails: Option<(When, usize, Failure)>,
    requests: AtomicUsize,
    forgot: Mutex<Vec<u64>>,
}

impl Plain {
    pub(super) fn new(most_bytes: usize) -> Self {
        let (requests, forgot) = (AtomicUsize::new(0), Mutex::default());
        Self { most_bytes, accepts: |_| true, fails: None, requests, forgot }
    }

    fn failing(when: When, nth: usize, failure: Failure) -> Self {
        Self { fails: Some((when, nth, failure)), ..Self::new(1 << 17) }
    }

    fn requests(&self) -> usize {
        self.requests.load(Ordering::Relaxed)
    }
}

impl Accelerator for Plain {
    fn name(&self) -> &str {
        "plain"
    }

    fn accepts(&self, dtype: DType, _: &CompareOptions) -> bool {
        (self.accepts)(dtype)
    }

    fn most_bytes(&self) -> usize {
        self.most_bytes
    }

    fn begin(&self, batch: &Batch<'_>) -> Result<Box<dyn Counting>, Failure> {
        assert!(batch.lhs.len() == batch.rhs.len() && !batch.lhs.is_empty());
        let least = TILE * batch.dtype.size().unwrap();
        assert!(
            batch.lhs.len() <= self.most_bytes.max(least),
            "the batch is larger than the accelerator accepts"
        );
        let nth = self.requests.fetch_add(1, Ordering::Relaxed);
        match &self.fails {
            Some((When::Begin, n, failure)) if *n == nth => Err(failure.clone()),
            Some((When::Finish, n, failure)) if *n == nth => {
                Ok(Box::new(Answer(Err(failure.clone()))))
            }
            _ => Ok(Box::new(Answer(Ok(Counted::of(batch))))),
        }
    }

    fn forget(&self, kept: u64) {
        self.forgot.lock().unwrap().push(kept);
    }
}

struct Answer(Result<Counted, Failure>);

impl Counting for Answer {
    fn finish(self: Box<Self>) -> Result<Counted, Failure> {
        self.0
    }
}

fn with(plain: &Arc<Plain>) -> Device {
    Device::with(Arc::clone(plain) as Arc<dyn Accelerator>)
}

/// Random bits, and a second side whose lowest bits differ; the first quarter is equal.
fn pair(dtype: DType, elements: usize, random: &mut Random) -> (Vec<u8>, Vec<u8>) {
    let size = dtype.size().unwrap();
    let lhs = random.bytes(elements * size);
    let mut rhs = lhs.clone();
    for (i, element) in rhs.chunks_exact_mut(size).enumerate().skip(elements / 4) {
        element[0] ^= (i % 3) as u8;
        element[size - 1] ^= u8::from(i % 101 == 0) << 7;
    }
    (lhs, rhs)
}

fn everything() -> CompareOptions {
    let further = vec![tolerance(0.0, 0.25), Tolerance::BITS];
    CompareOptions {
        tolerance: tolerance(1e-3, 1e-3),
        further,
        histogram: true,
        values: true,
        ..CompareOptions::default()
    }
}

#[test]
fn counts_of_an_accelerator_are_joined_like_those_of_the_cpu() {
    let mut random = Random::new(51);
    for dtype in fixed_width() {
        for elements in [0, 1, TILE, 70_001] {
            let (lhs, rhs) = pair(dtype, elements, &mut random);
            for nan in [NanPolicy::Equal, NanPolicy::Differ] {
                for options in [CompareOptions::default(), everything()] {
                    let on = |device: Device| {
                        let options = CompareOptions { nan, ..options.clone() };
                        device.compare(&view(dtype, &lhs), &view(dtype, &rhs), &options).unwrap()
                    };
                    let expected = text(&on(Device::cpu()));
                    for most_bytes in [1, 100_000, usize::MAX] {
                        let device = with(&Arc::new(Plain::new(most_bytes)));
                        assert_eq!(text(&on(device)), expected, "{dtype} {elements} {most_bytes}");
                    }
                }
            }
        }
    }
}

#[test]
fn pieces_of_units_are_joined_in_order_on_any_number_of_threads() {
    let mut random = Random::new(52);
    for dtype in [DType::I8, DType::BF16, DType::F64] {
        let (lhs, rhs) = pair(dtype, 2 * UNIT + 3, &mut random);
        let on = |device: Device, threads, chunk_bytes| {
            let options = CompareOptions { threads, chunk_bytes, ..CompareOptions::default() };
            text(&device.compare(&view(dtype, &lhs), &view(dtype, &rhs), &options).unwrap())
        };
        let expected = on(Device::cpu(), 1, 256 << 10);
        for (most_bytes, threads, chunk_bytes) in
            [(1, 1, 256 << 10), (77_777, 3, 4000), (1 << 20, 8, 1 << 24), (usize::MAX, 2, 1)]
        {
            let device = with(&Arc::new(Plain::new(most_bytes)));
            assert_eq!(on(device, threads, chunk_bytes), expected, "{dtype} {most_bytes}");
        }
    }
}

#[test]
fn the_cpu_compares_the_dtypes_that_an_accelerator_refuses() {
    let mut random = Random::new(53);
    let plain =
        Arc::new(Plain { accepts: |dtype| dtype.kind() == Kind::Integer, ..Plain::new(1 << 20) });
    let device = with(&plain);
    for dtype in dtypes(|dtype| dtype.size().is_some() && dtype.kind() != Kind::Integer) {
        let (lhs, rhs) = pair(dtype, 5000, &mut random);
        device.compare(&view(dtype, &lhs), &view(dtype, &rhs), &CompareOptions::default()).unwrap();
    }
    assert_eq!((plain.requests(), device.work().to_string()), (0, "cpu".into()));
}

/// Every kind of failure.
fn failures() -> Vec<Failure> {
    let why = || "why".to_owned();
    vec![
        Failure::Lost(why()),
        Failure::Memory(why()),
        Failure::Map(why()),
        Failure::Timeout(Duration::from_secs(60)),
        Failure::Refused(why()),
        Failure::Wrong(why()),
    ]
}

type Tensors = Vec<(DType, Vec<u8>, Vec<u8>)>;

/// Tensors of several units, of one, and of a few elements.
fn tensors() -> Tensors {
    let mut random = Random::new(54);
    let sizes = [
        (DType::I8, UNIT + 3),
        (DType::F16, 200_001),
        (DType::F32, 777),
        (DType::Bool, 9),
        (DType::I16, 150_000),
    ];
    let tensor = |(dtype, elements)| {
        let (lhs, rhs) = pair(dtype, elements, &mut random);
        (dtype, lhs, rhs)
    };
    sizes.map(tensor).into()
}

fn compare_tensors(tensors: &Tensors, device: &Device, threads: usize) -> Vec<String> {
    let options = CompareOptions { threads, values: true, ..CompareOptions::default() };
    let views: Vec<_> =
        tensors.iter().map(|(dtype, lhs, rhs)| (view(*dtype, lhs), view(*dtype, rhs))).collect();
    let pairs: Vec<_> = views.iter().map(|(lhs, rhs)| (lhs as _, rhs as _)).collect();
    let compared = |found: Result<Box<Comparison>, Error>| text(&found.unwrap());
    compare_all(&pairs, &options, device, &Silent).into_iter().map(compared).collect()
}

#[test]
fn the_cpu_takes_over_whenever_and_however_an_accelerator_fails() {
    let tensors = tensors();
    let expected = compare_tensors(&tensors, &Device::cpu(), 1);
    let plain = Arc::new(Plain::new(1 << 17));
    assert_eq!(compare_tensors(&tensors, &with(&plain), 1), expected);
    let batches = plain.requests();
    assert!(batches >= 8, "{batches}");
    for (i, failure) in failures().into_iter().enumerate() {
        for when in [When::Begin, When::Finish] {
            for nth in [0, batches / 2, batches - 1] {
                let threads = 1 + i % 3;
                let plain = Arc::new(Plain::failing(when, nth, failure.clone()));
                let device = with(&plain);
                let context = format!("{when:?} {nth} {failure:?}");
                assert_eq!(compare_tensors(&tensors, &device, threads), expected, "{context}");
                assert_eq!(device.work().failure, Some(failure.clone()), "{context}");
                if threads == 1 && when == When::Begin {
                    assert_eq!(plain.requests(), nth + 1, "used again: {context}");
                }
                let requests = plain.requests();
                assert_eq!(compare_tensors(&tensors, &device, threads), expected, "{context}");
                assert_eq!(plain.requests(), requests, "used later: {context}");
                assert_eq!(device.work().tensors, 2 * tensors.len());
            }
        }
    }
}

#[test]
fn an_accelerator_that_fails_at_first_is_not_used_again() {
    let tensors = tensors();
    for (when, most) in [(When::Begin, 1), (When::Finish, 7)] {
        let plain = Arc::new(Plain::failing(when, 0, Failure::Lost("gone".into())));
        let device = with(&plain);
        compare_tensors(&tensors, &device, 1);
        // Two units are in flight before the engine awaits the first result: six batches, and one.
        assert!((1..=most).contains(&plain.requests()), "{when:?}: {} requests", plain.requests());
        assert_eq!(device.work().accelerator, None);
    }
}

/// An accelerator that fails each time, with another reason.
#[derive(Debug, Default)]
struct Failing(AtomicUsize);

impl Accelerator for Failing {
    fn name(&self) -> &str {
        "failing"
    }

    fn accepts(&self, _: DType, _: &CompareOptions) -> bool {
        true
    }

    fn most_bytes(&self) -> usize {
        1 << 20
    }

    fn begin(&self, _: &Batch<'_>) -> Result<Box<dyn Counting>, Failure> {
        let nth = self.0.fetch_add(1, Ordering::Relaxed);
        Ok(Box::new(Answer(Err(Failure::Refused(format!("reason {nth}"))))))
    }
}

/// An accelerator whose answers leave something out.
#[derive(Debug)]
struct Short(fn(&mut Counted));

impl Accelerator for Short {
    fn name(&self) -> &str {
        "short"
    }

    fn accepts(&self, _: DType, _: &CompareOptions) -> bool {
        true
    }

    fn most_bytes(&self) -> usize {
        1 << 20
    }

    fn begin(&self, batch: &Batch<'_>) -> Result<Box<dyn Counting>, Failure> {
        let mut counted = Counted::of(batch);
        (self.0)(&mut counted);
        Ok(Box::new(Answer(Ok(counted))))
    }
}

#[test]
fn an_incomplete_result_is_discarded() {
    let mut random = Random::new(56);
    let (lhs, rhs) = pair(DType::F32, 10_000, &mut random);
    let on = |device: Device| {
        let (lhs, rhs) = (view(DType::F32, &lhs), view(DType::F32, &rhs));
        let found = text(&device.compare(&lhs, &rhs, &everything()).unwrap());
        (found, device.work().failure)
    };
    let (expected, _) = on(Device::cpu());
    let shorten: [fn(&mut Counted); 4] = [
        |counted| counted.tiles.truncate(1),
        |counted| counted.further.truncate(1),
        |counted| counted.histogram = None,
        |counted| *counted = Counted::default(),
    ];
    for shorten in shorten {
        let (found, failure) = on(Device::with(Arc::new(Short(shorten))));
        assert_eq!(found, expected);
        assert!(matches!(failure, Some(Failure::Wrong(_))), "{failure:?}");
    }
}

/// The product of the largest quotient and a subnormal number may round up to the difference.
#[test]
fn the_largest_quotient_is_found_among_subnormal_numbers() {
    let mut lhs = vec![1.0_f64; 2 * TILE];
    let mut rhs = lhs.clone();
    let ulp = f64::EPSILON;
    (lhs[0], rhs[0]) = (1.15, 1.15 + 3.0 * ulp);
    let least = f64::from_bits(1);
    for at in [3000, TILE + 5] {
        (lhs[at], rhs[at]) = (f64::MIN_POSITIVE, f64::MIN_POSITIVE + 3.0 * least);
        let bytes = bytemuck::cast_slice::<f64, u8>;
        let (x, y) = (view(DType::F64, bytes(&lhs)), view(DType::F64, bytes(&rhs)));
        let on = |device: Device| device.compare(&x, &y, &CompareOptions::default()).unwrap();
        let (cpu, accelerated) = (on(Device::cpu()), on(with(&Arc::new(Plain::new(1 << 20)))));
        assert_eq!(text(&accelerated), text(&cpu));
        assert_eq!(cpu.max_rel, Some(3.0 * ulp));
    }
}

#[test]
fn the_first_of_many_failures_is_reported() {
    let device = Device::with(Arc::new(Failing::default()));
    compare_tensors(&tensors(), &device, 1);
    assert_eq!(device.work().failure, Some(Failure::Refused("reason 0".into())));
}

#[test]
fn a_kept_baseline_has_a_number_and_is_released() {
    let mut random = Random::new(55);
    let (lhs, rhs) = pair(DType::F32, UNIT + 5, &mut random);
    let (lhs, rhs) = (view(DType::F32, &lhs), view(DType::F32, &rhs));
    let plain = Arc::new(Plain::new(1 << 20));
    let (device, options) = (with(&plain), CompareOptions::default());
    let baseline = Baseline::new(&lhs, &device);
    let expected = text(&compare(&lhs, &rhs, &CompareOptions::default()).unwrap());
    for _ in 0..2 {
        assert_eq!(text(&baseline.compare(&rhs, &options).unwrap()), expected);
    }
    assert_eq!(plain.forgot.lock().unwrap().len(), 0);
    drop(baseline);
    assert_eq!(plain.forgot.lock().unwrap().len(), 1);
    drop(Baseline::new(&lhs, &device));
    let forgot = plain.forgot.lock().unwrap();
    assert!(forgot.len() == 2 && forgot[0] != forgot[1], "{forgot:?}");
}

#[test]
fn work_names_the_devices_and_their_tensors() {
    let of = |tensors, accelerated: Option<usize>| Work {
        tensors,
        accelerator: accelerated.map(|n| ("Foo 3000".into(), n)),
        failure: None,
    };
    for (work, said) in [
        (of(0, None), "cpu"),
        (of(7, None), "cpu"),
        (of(1, Some(1)), "gpu:Foo 3000"),
        (of(7, Some(7)), "gpu:Foo 3000"),
        (of(2, Some(1)), "gpu:Foo 3000 for 1 tensor, cpu for 1 tensor"),
        (of(7, Some(5)), "gpu:Foo 3000 for 5 tensors, cpu for 2 tensors"),
    ] {
        assert_eq!(work.to_string(), said);
    }
    let said: Vec<_> = failures().iter().map(Failure::to_string).collect();
    insta::assert_snapshot!(said.join("\n"), @r"
    the device is lost: why
    out of memory on the device: why
    the device's memory cannot be read: why
    no answer from the device in 60 s
    the device refused: why
    the results of the device are wrong: why
    ");
}

#[test]
fn a_device_counts_the_tensors_that_the_accelerator_took_part_in() {
    let tensors = tensors();
    let plain = Arc::new(Plain { accepts: |dtype| dtype.size() == Some(2), ..Plain::new(1 << 20) });
    let device = with(&plain);
    compare_tensors(&tensors, &device, 2);
    assert_eq!(device.work().to_string(), "gpu:plain for 2 tensors, cpu for 3 tensors");
    assert_eq!(format!("{device:?}"), "Device(plain)");
}
