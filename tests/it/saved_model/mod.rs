//! SavedModels: reading, showing, building.

mod built;
mod callables;
mod directory;
mod hostile;
mod refused;
mod signatures;
