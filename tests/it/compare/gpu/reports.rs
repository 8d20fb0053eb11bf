//! Reports with a GPU: bitwise the same numbers as on the CPU, and the options for the device.

use ckdiff::compare::{CompareOptions, NanPolicy};
use ckdiff::tensor::Kind;

use crate::support::command::{Run, assert_valid, ckdiff};
use crate::support::gpu::{adapter, check, device, tolerance};
use crate::support::{Random, dtypes};

#[test]
fn random_bits_of_every_dtype_give_the_same_counts_as_on_the_cpu() {
    let Some(device) = device() else { return };
    let mut random = Random::new(11);
    for dtype in dtypes(|d| matches!(d.kind(), Kind::Float | Kind::Integer | Kind::Bool)) {
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
                let options =
                    CompareOptions { nan, further, histogram: true, ..CompareOptions::default() };
                check(&device, dtype, (&lhs, &rhs), &options);
                let options = CompareOptions {
                    tolerance: tolerance(1e-3, 1e-2),
                    nan,
                    ..CompareOptions::default()
                };
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
        // Equal bytes are not sent to a GPU.
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
fn a_missing_gpu_is_an_error() {
    let run =
        ckdiff(&["retrain/baseline.ckpt", "retrain/baseline.ckpt", "--device=gpu:no such thing"]);
    assert_eq!((run.code, run.text()), (2, ""));
    let why = match cfg!(feature = "gpu") {
        true => "there is no GPU called \"no such thing\"",
        false => "built without GPU support",
    };
    assert!(run.stderr.contains(why), "{}", run.stderr);
}
