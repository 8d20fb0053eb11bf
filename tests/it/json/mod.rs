//! Messages as JSON.

mod depth;
mod python;
mod refused;
mod well_known;
