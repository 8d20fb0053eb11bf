//! SavedModels: reading, showing, building.

mod built;
mod callables;
mod directory;
mod hostile;
mod keras;
mod overview_limits;
mod refused;
mod signatures;
mod unread;
