//! The GPU says what the CPU says, to the bit, on every adapter there is.
//!
//! Runs on the adapter that `CKDIFF_TEST_ADAPTER` names, else on the first there is. Without one the tests say so and pass,
//! unless `CKDIFF_REQUIRE_GPU` is set.

use std::io::Write;
use std::sync::OnceLock;

use ckdiff::compare::{Comparison, Device, NanPolicy, Options, Tolerance, adapters};
use ckdiff::tensor::{DType, Kind, Shape, TensorView};

use crate::support::Random;
use crate::support::command::{Run, assert_valid, ckdiff};

/// The adapter to test.
pub(crate) fn adapter() -> Option<String> {
    let named = std::env::var("CKDIFF_TEST_ADAPTER").ok();
    let name = named.or_else(|| adapters().first().map(|adapter| adapter.name.clone()));
    if name.is_none() {
        assert!(std::env::var_os("CKDIFF_REQUIRE_GPU").is_none(), "there is no adapter");
        // Past the test runner, which shows nothing of a test that passes; whether it can be written is no matter.
        let _ = writeln!(std::io::stderr(), "skipped: no adapter");
    }
    name
}

/// The device to test, with a record of its own.
pub(crate) fn new_device() -> Option<Device> {
    device().map(|device| device.with_own_record())
}

/// The device to test, one for all tests: kernels are built once.
pub(crate) fn device() -> Option<Device> {
    static DEVICE: OnceLock<Device> = OnceLock::new();
    let name = adapter()?;
    Some(DEVICE.get_or_init(|| Device::gpu(Some(&name)).unwrap()).clone())
}

/// A tensor of one row that these bytes are.
pub(crate) fn view(dtype: DType, bytes: &[u8]) -> TensorView<'_> {
    let elements = bytes.len() / dtype.size().unwrap();
    TensorView::of_bytes(dtype, Shape::new(&[elements as i64]).unwrap(), bytes).unwrap()
}

/// All that a comparison says. As text, since a NaN would not equal itself.
pub(crate) fn text(comparison: &Comparison) -> String {
    format!("{comparison:#?}")
}

/// Holds what the device says of these bytes against what the CPU says.
pub(crate) fn check(device: &Device, dtype: DType, (lhs, rhs): (&[u8], &[u8]), options: &Options) {
    let on =
        |device: &Device| device.compare(&view(dtype, lhs), &view(dtype, rhs), options).unwrap();
    let (cpu, gpu) = (on(&Device::cpu()), on(device));
    assert_eq!(device.work().failure, None);
    assert_eq!(text(&gpu), text(&cpu), "{dtype} {options:?}");
}

pub(crate) fn tolerance(atol: f64, rtol: f64) -> Tolerance {
    Tolerance::new(Some(atol), Some(rtol), None).unwrap()
}

#[test]
fn random_bits_of_every_dtype_count_as_on_the_cpu() {
    let Some(device) = device() else { return };
    let mut random = Random::new(11);
    let counted = |dtype: &&DType| matches!(dtype.kind(), Kind::Float | Kind::Integer | Kind::Bool);
    for &dtype in DType::ALL.iter().filter(counted) {
        let size = dtype.size().unwrap();
        for elements in [1, 3, 255, 4095, 4097, 70_001] {
            let lhs = random.bytes(elements * size);
            let mut rhs = random.bytes(elements * size);
            for (i, (x, y)) in lhs.chunks(size).zip(rhs.chunks_mut(size)).enumerate() {
                if i % 3 == 0 {
                    y.copy_from_slice(x);
                    y[0] ^= (i % 4) as u8;
                }
            }
            for nan in [NanPolicy::Equal, NanPolicy::Differ] {
                let further = vec![tolerance(0.0, 0.0), tolerance(1e-3, 1e-3), tolerance(0.0, 0.5)];
                let options = Options { nan, further, histogram: true, ..Options::default() };
                check(&device, dtype, (&lhs, &rhs), &options);
                let options =
                    Options { tolerance: tolerance(1e-3, 1e-2), nan, ..Options::default() };
                check(&device, dtype, (&lhs, &rhs), &options);
            }
        }
    }
}

fn on_device(name: &str, args: &[&str]) -> Run {
    ckdiff(&[args, &[&format!("--device=gpu:{name}")]].concat())
}

#[test]
fn the_reports_of_checkpoints_are_the_same_but_for_the_device() {
    let Some(name) = adapter() else { return };
    for args in [
        &["retrain/baseline.ckpt", "retrain/retrained.ckpt"][..],
        &["retrain/baseline.ckpt", "retrain/retrained.ckpt", "--rtol=1e-4", "--nan=differ"],
        &[
            "retrain/retrained.ckpt",
            "retrain/baseline.ckpt",
            "--histogram",
            "--tolerance=0,1e-4",
            "--tolerance=1e-6,0",
        ],
        &["retrain/baseline.ckpt", "retrain/baseline.ckpt"],
    ] {
        let json = [args, &["--format=json"]].concat();
        let (cpu, gpu) = (ckdiff(&json), on_device(&name, &json));
        assert_eq!((cpu.code, &*gpu.stderr), (gpu.code, ""));
        assert_valid(&gpu.json());
        let without = |run: &Run| {
            let mut report = run.json();
            (report["options"]["device"].take(), report)
        };
        let ((cpu_device, cpu), (gpu_device, gpu)) = (without(&cpu), without(&gpu));
        assert_eq!(cpu, gpu, "{args:?}");
        assert_eq!(cpu_device, "cpu");
        let gpu_device = gpu_device.as_str().unwrap().to_owned();
        // Equal bytes are no work for a GPU.
        let expected = if args[0] == args[1] { "cpu" } else { "gpu:" };
        assert!(gpu_device.starts_with(expected), "{gpu_device}");
    }
    let human = on_device(&name, &["retrain/baseline.ckpt", "retrain/retrained.ckpt"]);
    assert!(human.text().contains(&format!("  device: gpu:{name} for ")), "{}", human.text());
}

#[test]
fn devices_are_listed_and_tested() {
    let run = ckdiff(&["devices", "--device=cpu"]);
    assert_eq!(run.code, 2, "devices takes no device");
    let Some(name) = adapter() else { return };
    let run = ckdiff(&["devices", "--test", "--format=json"]);
    assert_eq!((run.code, &*run.stderr), (0, ""));
    let report = run.json();
    assert_valid(&report);
    let adapters = report["adapters"].as_array().unwrap();
    let ours = adapters.iter().find(|adapter| adapter["name"] == *name).unwrap();
    assert_eq!((&ours["passed"], &ours["device"]), (&true.into(), &format!("gpu:{name}").into()));
}

#[test]
fn a_gpu_that_is_not_there_is_an_error() {
    let run =
        ckdiff(&["retrain/baseline.ckpt", "retrain/baseline.ckpt", "--device=gpu:no such thing"]);
    assert_eq!((run.code, run.text()), (2, ""));
    let known = ["there is no GPU called \"no such thing\"", "built without GPU support"];
    assert!(known.iter().any(|why| run.stderr.contains(why)), "{}", run.stderr);
}
