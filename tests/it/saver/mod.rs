//! Savers: built into graphs, and run.

mod build;
mod functions;
mod hostile;
mod restore;
mod run;
