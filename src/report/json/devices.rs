//! The list of devices: schema `ckdiff-devices/1`.

use std::io::{self, Write};

use serde::Serialize;

use crate::report::{Devices, Listed};

use super::layout;

/// Writes the devices of this machine.
///
/// # Errors
/// When `out` cannot be written.
pub fn write(devices: &Devices, out: &mut dyn Write) -> io::Result<()> {
    let cpu = Cpu { threads: devices.threads };
    layout::write(&Report { schema: "ckdiff-devices/1", cpu, adapters: &devices.adapters }, out)
}

#[derive(Serialize)]
struct Report<'a> {
    schema: &'static str,
    cpu: Cpu,
    adapters: &'a [Listed],
}

#[derive(Serialize)]
struct Cpu {
    threads: usize,
}
