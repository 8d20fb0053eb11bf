//! Meta graphs: export and import.

mod bindings;
mod debug_info;
mod edges;
mod properties;
mod tensorflow;
