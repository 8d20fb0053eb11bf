//! For a program: stable contracts, each with its JSON Schema beside this file.
//!
//! | schema | written by | says |
//! | --- | --- | --- |
//! | `ckdiff/1` | [`diff`] | `ckdiff-1.schema.json` |
//! | `ckdiff-show/1` | [`listing`] | `ckdiff-show-1.schema.json` |
//! | `ckdiff-show-message/1` | [`overview`] | `ckdiff-show-message-1.schema.json` |
//! | `ckdiff-devices/1` | [`devices`] | `ckdiff-devices-1.schema.json` |
//! | `ckdiff-verify/1` | [`verifications`] | `ckdiff-verify-1.schema.json` |
//!
//! NaN and infinities are the strings `"NaN"`, `"Infinity"`, `"-Infinity"`; floats have the shortest form of their type;
//! equal results give equal bytes.

mod devices;
mod diff;
mod layout;
mod listing;
mod overview;
mod verification;

pub use crate::serial::base64;
pub use devices::write as devices;
pub use diff::write as diff;
pub use listing::write as listing;
pub use overview::write as overview;
pub use verification::write as verifications;
