//! The GPU says what the CPU says, to the bit, on every adapter there is.
//!
//! Runs on the adapter that `CKDIFF_TEST_ADAPTER` names, else on the first there is. Without one the tests say so and pass,
//! unless `CKDIFF_REQUIRE_GPU` is set.

use ckdiff::compare::{Comparison, Device, NanPolicy, Options, Tolerance, adapters, compare};
use ckdiff::tensor::{DType, Kind, Shape, TensorView};

use crate::support::Random;

/// The device to test.
pub(crate) fn device() -> Option<Device> {
    let named = std::env::var("CKDIFF_TEST_ADAPTER").ok();
    let name = named.or_else(|| adapters().first().map(|adapter| adapter.name.clone()));
    if name.is_none() {
        assert!(std::env::var_os("CKDIFF_REQUIRE_GPU").is_none(), "there is no adapter");
        println!("skipped: no adapter");
    }
    name.map(|name| Device::gpu(Some(&name)).unwrap())
}

/// Holds what the device says of these bytes against what the CPU says.
pub(crate) fn check(device: &Device, dtype: DType, (lhs, rhs): (&[u8], &[u8]), options: &Options) {
    let elements = lhs.len() / dtype.size().unwrap();
    let view = |bytes| {
        TensorView::of_bytes(dtype, Shape::new(&[elements as i64]).unwrap(), bytes).unwrap()
    };
    let on = |device: &Device| {
        let options = Options { device: device.clone(), ..options.clone() };
        compare(&view(lhs), &view(rhs), &options).unwrap()
    };
    let (cpu, gpu) = (on(&Device::cpu()), on(device));
    assert_eq!(device.work().failure, None);
    // As text, since a NaN would not equal itself.
    let text = |comparison: &Comparison| format!("{comparison:#?}");
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
