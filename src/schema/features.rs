//! The features in which proto2, proto3 and the editions differ.

use super::descriptor::FeatureSet;
use crate::error::{Error, Result};

/// The features of a file, message, field or enum.
#[derive(Debug, Clone, Copy)]
pub(super) struct Features {
    pub(super) presence: Presence,
    /// Whether unknown enum numbers are unknown fields.
    pub(super) closed: bool,
    pub(super) packed: bool,
    pub(super) utf8: bool,
    /// Whether messages are written as groups.
    pub(super) delimited: bool,
}

/// The presence of a singular field.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Presence {
    Explicit,
    Implicit,
    Required,
}

const PROTO2: Features = Features {
    presence: Presence::Explicit,
    closed: true,
    packed: false,
    utf8: false,
    delimited: false,
};

const PROTO3: Features =
    Features { presence: Presence::Implicit, closed: false, packed: true, utf8: true, ..PROTO2 };

const EDITIONS: Features = Features { presence: Presence::Explicit, ..PROTO3 };

impl Features {
    /// The features of a file, by its `syntax`, or its edition (1000 is 2023, 1001 is 2024).
    pub(super) fn of_syntax(syntax: &str, edition: i32) -> Result<Self> {
        match (syntax, edition) {
            ("" | "proto2", _) => Ok(PROTO2),
            ("proto3", _) => Ok(PROTO3),
            ("editions", 1000 | 1001) => Ok(EDITIONS),
            ("editions", edition) => {
                let found = format!("number {edition}");
                Err(Error::unexpected("edition", found, "2023 (1000) or 2024 (1001)"))
            }
            (syntax, _) => Err(Error::unexpected(
                "syntax of a descriptor",
                format!("{syntax:?}"),
                "proto2, proto3 or editions",
            )),
        }
    }

    /// Overrides features by those in `set`.
    pub(super) fn with(mut self, set: Option<&FeatureSet>) -> Self {
        let Some(set) = set else { return self };
        self.presence = match set.field_presence {
            1 => Presence::Explicit,
            2 => Presence::Implicit,
            3 => Presence::Required,
            _ => self.presence,
        };
        let choose = |value, on, off, now| match value {
            v if v == on => true,
            v if v == off => false,
            _ => now,
        };
        self.closed = choose(set.enum_type, 2, 1, self.closed);
        self.packed = choose(set.repeated_field_encoding, 1, 2, self.packed);
        self.utf8 = choose(set.utf8_validation, 2, 3, self.utf8);
        self.delimited = choose(set.message_encoding, 2, 1, self.delimited);
        self
    }
}
