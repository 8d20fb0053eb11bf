//! The list of devices.

use std::io::{self, Write};

use crate::compare::Adapter;
use crate::report::{Devices, ListedAdapter, Tested};

use super::ReportOptions;
use super::terminal_text::{padded, plural, printable, width_of};

/// Writes the devices, by the names that `--device` accepts.
pub(super) fn write(
    devices: &Devices,
    options: &ReportOptions,
    out: &mut dyn Write,
) -> io::Result<()> {
    let palette = options.palette;
    let names = devices.adapters.iter().map(|listed| name(&listed.adapter));
    let names: Vec<_> = ["cpu".to_owned()].into_iter().chain(names).collect();
    let width = names.iter().map(|name| width_of(name)).max().unwrap_or_default();
    let threads = plural(devices.threads as u64, "thread");
    let details = devices.adapters.iter().map(details);
    for (name, details) in names.iter().zip([threads].into_iter().chain(details)) {
        writeln!(out, "{}  {details}", padded(name, width))?;
    }
    for listed in &devices.adapters {
        match &listed.tested {
            Tested::No => {}
            Tested::Passed => writeln!(
                out,
                "\n{}{} computes the same results as the CPU.{:#}",
                palette.good,
                name(&listed.adapter),
                palette.good
            )?,
            Tested::Failed(why) => {
                let name = name(&listed.adapter);
                writeln!(out, "\n{}{name}: {}{:#}", palette.bad, printable(why), palette.bad)?;
            }
        }
    }
    match devices.adapters.first() {
        None => writeln!(out, "\nNo driver offers a GPU."),
        Some(best) if !best.adapter.kind.is_gpu() => {
            writeln!(
                out,
                "\nNo driver offers a GPU; the software adapter is used only if --device names it."
            )
        }
        Some(_) => Ok(()),
    }
}

fn name(adapter: &Adapter) -> String {
    format!("gpu:{}", printable(&adapter.name))
}

fn details(listed: &ListedAdapter) -> String {
    let Adapter { kind, interface, driver, bus, .. } = &listed.adapter;
    let parts = [kind.name(), interface, driver, bus];
    let parts = parts.into_iter().filter(|part| !part.is_empty()).map(printable);
    parts.collect::<Vec<_>>().join(", ")
}
