//! For a program: stable contracts, each with its JSON Schema beside this file.
//!
//! | schema | written by | says |
//! | --- | --- | --- |
//! | `ckdiff/1` | [`diff`] | `ckdiff-1.schema.json` |
//! | `ckdiff-show/1` | [`listing`] | `ckdiff-show-1.schema.json` |
//! | `ckdiff-verify/1` | [`verifications`] | `ckdiff-verify-1.schema.json` |
//!
//! NaN and infinities are the strings `"NaN"`, `"Infinity"`, `"-Infinity"`; floats have the shortest form of their type;
//! equal results give equal bytes.

mod base64;
mod diff;
mod layout;
mod listing;
mod number;
mod tensor;
mod verification;

pub use base64::encode as base64;
pub use diff::write as diff;
pub use listing::write as listing;
pub use verification::write as verifications;
