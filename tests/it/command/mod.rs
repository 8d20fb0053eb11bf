//! The command as a user runs it.

mod cli;
mod convert;
mod export;
mod fmt;
mod git;
mod judge;
#[cfg(target_os = "linux")]
mod limits;
mod output_files;
mod save_as;
mod series;
mod show;
mod verdicts;
mod way_in;
