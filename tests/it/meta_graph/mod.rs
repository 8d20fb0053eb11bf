//! Meta graphs: export and import.

mod debug_info;
mod edges;
mod properties;
mod tensorflow;
