//! Which adapters there are, and which one is meant.

use std::sync::Arc;

use wgpu::{Backends, DeviceType, Instance, InstanceDescriptor, InstanceFlags};

use crate::error::{Error, ErrorKind, Result};

use super::super::{Accelerator, Adapter, AdapterKind, TILE};
use super::Gpu;
use super::context::Context;

/// All adapters, the best first; none where no driver is found.
pub(in super::super) fn list() -> Vec<Adapter> {
    found().into_iter().map(|(adapter, _)| adapter).collect()
}

/// Opens the first adapter whose name or place contains `name`; without a name the first that is no software.
pub(in super::super) fn open(name: Option<&str>) -> Result<Arc<dyn Accelerator>> {
    let found = found();
    let names: Vec<_> = found.iter().map(|(adapter, _)| adapter.name.clone()).collect();
    let (adapter, handle) = found
        .into_iter()
        .find(|(adapter, _)| is_meant(adapter, name))
        .ok_or_else(|| none(name, &names))?;
    let context = Context::open(&handle).map_err(|failure| {
        Error::from(ErrorKind::Usage(format!("the GPU {} cannot be used: {failure}", adapter.name)))
    })?;
    Ok(Arc::new(Gpu::new(adapter, context)))
}

fn is_meant(adapter: &Adapter, name: Option<&str>) -> bool {
    match name {
        None => adapter.kind != AdapterKind::Software,
        Some(name) => {
            let name = name.to_lowercase();
            [&adapter.name, &adapter.bus].iter().any(|text| text.to_lowercase().contains(&name))
        }
    }
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
    ErrorKind::Usage(why).into()
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
