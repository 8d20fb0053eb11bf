//! Savers: built into graphs, and run.

mod builder;
mod functions;
mod hostile;
mod restore;
mod run;
