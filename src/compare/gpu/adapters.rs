//! The adapters of a machine, and the selection of one by name.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use wgpu::{Backends, DeviceType, Instance, InstanceDescriptor, InstanceFlags};

use crate::error::{Error, Result};

use super::super::{Accelerator, Adapter, AdapterKind, TILE};
use super::context::Context;
use super::device::Gpu;

/// All adapters, the best first; none where no driver is found.
pub(in super::super) fn list() -> Vec<Adapter> {
    found().into_iter().map(|(adapter, _)| adapter).collect()
}

/// Opens the adapter with this name or bus address, else the first whose name contains it; without a name, the first GPU.
pub(in super::super) fn open(name: Option<&str>) -> Result<Arc<dyn Accelerator>> {
    let found = found();
    let names: Vec<_> = found.iter().map(|(adapter, _)| adapter.name.clone()).collect();
    let (adapter, handle) = found
        .into_iter()
        .filter_map(|found| Some((rank(&found.0, name)?, found)))
        .min_by_key(|&(rank, _)| rank)
        .map(|(_, found)| found)
        .ok_or_else(|| none(name, &names))?;
    let context = Context::open(&handle, watchdog(adapter.kind)).map_err(|failure| {
        Error::usage(format!("the GPU {} cannot be used: {failure}", adapter.name))
    })?;
    Ok(Arc::new(Gpu::new(adapter, context)))
}

/// How closely the adapter matches the requested name: 0 is the best match, `None` is no match.
fn rank(adapter: &Adapter, name: Option<&str>) -> Option<usize> {
    let Some(name) = name else { return adapter.kind.is_gpu().then_some(0) };
    let (name, own, bus) =
        (name.to_lowercase(), adapter.name.to_lowercase(), adapter.bus.to_lowercase());
    let matches = [own == name, bus == name, own.contains(&name)];
    matches.iter().position(|&matches| matches)
}

/// The longest time that a batch may take. A GPU needs milliseconds; software that acts as one may need a minute, including
/// the batches before it.
fn watchdog(kind: AdapterKind) -> Duration {
    Duration::from_secs(if kind.is_gpu() { 30 } else { 600 })
}

fn none(name: Option<&str>, names: &[String]) -> Error {
    let there = match names {
        [] => "no driver offers one".into(),
        names => format!("there is {}", names.join(", ")),
    };
    let why = match name {
        None if names.is_empty() => format!("there is no GPU: {there}"),
        None => format!("there is no GPU: {there}; software must be named, as in gpu:NAME"),
        Some(name) => format!("there is no GPU called {name:?}: {there}"),
    };
    Error::usage(why)
}

fn found() -> Vec<(Adapter, wgpu::Adapter)> {
    let backends = Backends::VULKAN | Backends::METAL | Backends::DX12;
    let instance = Instance::new(InstanceDescriptor {
        backends,
        flags: InstanceFlags::empty(),
        ..InstanceDescriptor::new_without_display_handle()
    });
    let adapters = pollster::block_on(instance.enumerate_adapters(backends));
    let mut found: Vec<_> = adapters
        .into_iter()
        .filter(|handle| handle.get_info().backend != wgpu::Backend::Noop)
        .map(|handle| (describe(&handle), handle))
        .collect();
    found.sort_by_key(|(adapter, _)| adapter.kind);
    // Names are made unique, so that each adapter can be selected.
    let mut names = BTreeMap::<String, usize>::new();
    for (adapter, _) in &mut found {
        let count = names.entry(adapter.name.clone()).or_default();
        *count += 1;
        if *count > 1 {
            adapter.name = format!("{} #{count}", adapter.name);
        }
    }
    found
}

fn describe(handle: &wgpu::Adapter) -> Adapter {
    let (info, limits) = (handle.get_info(), handle.limits());
    let driver = [info.driver, info.driver_info].join(" ").trim().to_owned();
    Adapter {
        name: info.name,
        kind: match info.device_type {
            DeviceType::DiscreteGpu => AdapterKind::Discrete,
            DeviceType::IntegratedGpu => AdapterKind::Integrated,
            DeviceType::VirtualGpu => AdapterKind::Virtual,
            DeviceType::Cpu => AdapterKind::Software,
            DeviceType::Other => AdapterKind::Other,
        },
        interface: match info.backend {
            wgpu::Backend::Vulkan => "Vulkan".into(),
            wgpu::Backend::Metal => "Metal".into(),
            wgpu::Backend::Dx12 => "Direct3D 12".into(),
            other => format!("{other:?}"),
        },
        driver,
        bus: info.device_pci_bus_id,
        most_bytes: limits
            .max_storage_buffer_binding_size
            .min(limits.max_buffer_size)
            .min(u64::from(limits.max_compute_workgroups_per_dimension) * TILE as u64),
    }
}
