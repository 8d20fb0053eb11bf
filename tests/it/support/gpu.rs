//! The GPU to test, and comparisons on it.
//!
//! Tests use the adapter that `CKDIFF_TEST_ADAPTER` names, or else the first one. Without an adapter they are skipped, which
//! is an error where `CKDIFF_REQUIRE_GPU` is set.

use std::env;
use std::sync::OnceLock;

use ckdiff::compare::{Comparison, Device, Options, Tolerance, adapters};
use ckdiff::tensor::{DType, Shape, TensorView};

use crate::support::process::skip;

/// The adapter to test.
pub(crate) fn adapter() -> Option<String> {
    let named = env::var("CKDIFF_TEST_ADAPTER").ok();
    let name = named.or_else(|| adapters().first().map(|adapter| adapter.name.clone()));
    if name.is_none() {
        skip("there is no adapter", "CKDIFF_REQUIRE_GPU");
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

/// These bytes as a tensor of one dimension.
pub(crate) fn view(dtype: DType, bytes: &[u8]) -> TensorView<'_> {
    let elements = bytes.len() / dtype.size().unwrap();
    TensorView::of_bytes(dtype, Shape::new(&[elements as i64]).unwrap(), bytes).unwrap()
}

/// Everything in a comparison. As text, since a NaN does not equal itself.
pub(crate) fn text(comparison: &Comparison) -> String {
    format!("{comparison:#?}")
}

/// Compares these bytes on the device and on the CPU; both must give the same.
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
