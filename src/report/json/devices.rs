//! A list of devices.

use std::io::{self, Write};

use serde::Serialize;

use crate::report::{Devices, Listed, Tested};

#[derive(Serialize)]
struct Out<'a> {
    schema: &'static str,
    cpu: Cpu,
    adapters: Vec<AdapterOut<'a>>,
}

#[derive(Serialize)]
struct Cpu {
    threads: usize,
}

#[derive(Serialize)]
struct AdapterOut<'a> {
    device: String,
    name: &'a str,
    kind: &'static str,
    interface: &'a str,
    driver: &'a str,
    bus: &'a str,
    most_bytes: u64,
    passed: Option<bool>,
    failure: Option<&'a str>,
}

/// Tells a program what there is to compare on.
///
/// # Errors
/// When `out` cannot be written.
pub fn write(devices: &Devices, out: &mut dyn Write) -> io::Result<()> {
    let adapters = devices.adapters.iter().map(|Listed { adapter, tested }| AdapterOut {
        device: format!("gpu:{}", adapter.name),
        name: &adapter.name,
        kind: adapter.kind.name(),
        interface: &adapter.interface,
        driver: &adapter.driver,
        bus: &adapter.bus,
        most_bytes: adapter.most_bytes,
        passed: (*tested != Tested::No).then_some(*tested == Tested::Passed),
        failure: match tested {
            Tested::Failed(why) => Some(why),
            Tested::No | Tested::Passed => None,
        },
    });
    let cpu = Cpu { threads: devices.threads };
    let devices = Out { schema: "ckdiff-devices/1", cpu, adapters: adapters.collect() };
    super::layout::write(&devices, out)
}
