//! Snapshots: one text for one model, printing and parsing as inverses, checks that tell what the differ tells, and the command.

mod command;
mod fixtures;
mod hostile;
mod laws;
mod pairs;
mod variables;
mod versions;
