//! Devices, merged and formatted as in TensorFlow's Python.

use crate::error::Result;
use crate::graph::DeviceSpec;

/// `inner`, with its missing parts from `outer`.
pub(super) fn merged(inner: &DeviceSpec, outer: &DeviceSpec) -> DeviceSpec {
    DeviceSpec {
        job: inner.job.clone().or_else(|| outer.job.clone()),
        replica: inner.replica.or(outer.replica),
        task: inner.task.or(outer.task),
        ty: inner.ty.clone().or_else(|| outer.ty.clone()),
        id: inner.id.or(outer.id),
    }
}

/// The first CPU of the machine of `device`.
pub(super) fn cpu_of(device: &str) -> Result<DeviceSpec> {
    Ok(DeviceSpec { ty: Some("CPU".into()), id: Some(0), ..device.parse()? })
}

/// The first CPU.
pub(super) fn cpu() -> DeviceSpec {
    DeviceSpec { ty: Some("CPU".into()), id: Some(0), ..DeviceSpec::default() }
}

/// Any CPU.
pub(super) fn any_cpu() -> DeviceSpec {
    DeviceSpec { id: None, ..cpu() }
}
