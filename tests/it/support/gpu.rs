//! The GPU under test, and comparisons on it.
//!
//! Tests use the adapter that `CKDIFF_TEST_ADAPTER` names, or else the first one. Without an adapter they are skipped,
//! which is an error if `CKDIFF_REQUIRE_GPU` is set.

use std::env;
use std::sync::OnceLock;

use ckdiff::compare::{CompareOptions, Comparison, Device, Tolerance, adapters};
use ckdiff::tensor::{DType, Shape, TensorView};

use crate::support::process::skip;

/// The name of the adapter under test.
pub(crate) fn adapter() -> Option<String> {
    let named = env::var("CKDIFF_TEST_ADAPTER").ok();
    let name = named.or_else(|| adapters().first().map(|adapter| adapter.name.clone()));
    if name.is_none() {
        skip("there is no adapter", "CKDIFF_REQUIRE_GPU");
    }
    name
}

/// A new device for the adapter under test, with its own record of work.
pub(crate) fn new_device() -> Option<Device> {
    device().map(|device| device.with_own_record())
}

/// The device that all tests share, so that kernels are built once.
pub(crate) fn device() -> Option<Device> {
    static DEVICE: OnceLock<Device> = OnceLock::new();
    let name = adapter()?;
    Some(DEVICE.get_or_init(|| Device::gpu(Some(&name)).unwrap()).clone())
}

/// These bytes as a tensor with one dimension.
pub(crate) fn view(dtype: DType, bytes: &[u8]) -> TensorView<'_> {
    let elements = bytes.len() / dtype.size().unwrap();
    TensorView::of_bytes(dtype, Shape::new(&[elements as i64]).unwrap(), bytes).unwrap()
}

/// All numbers of a comparison as text, because a NaN is not equal to itself.
pub(crate) fn text(comparison: &Comparison) -> String {
    format!("{comparison:#?}")
}

/// Asserts that the device and the CPU give the same comparison of these bytes.
pub(crate) fn check(
    device: &Device,
    dtype: DType,
    (lhs, rhs): (&[u8], &[u8]),
    options: &CompareOptions,
) {
    let on =
        |device: &Device| device.compare(&view(dtype, lhs), &view(dtype, rhs), options).unwrap();
    let (cpu, gpu) = (on(&Device::cpu()), on(device));
    assert_eq!(device.work().failure, None);
    assert_eq!(text(&gpu), text(&cpu), "{dtype} {options:?}");
}

pub(crate) fn tolerance(atol: f64, rtol: f64) -> Tolerance {
    Tolerance::new(Some(atol), Some(rtol), None).unwrap()
}
