//! The built-in profiles: rules to start from.

use crate::serial::named_enum;

named_enum! {
    /// Rules that come with ckdiff. `docs/rules.md` has the measurements behind their numbers.
    #[derive(Debug, Clone, Copy, PartialEq, Eq)]
    pub enum Profile {
        /// For copies, exports and resumed trainings: nothing may change.
        Exact = "exact",
        /// For fine-tuning and warm starts: every weight changes, and none far.
        SameStart = "same-start",
        /// For a training from another seed: distributions stay, elements do not.
        Fresh = "fresh",
    }
}

impl Profile {
    /// The profile with this name.
    pub fn by_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|profile| profile.name() == name)
    }

    /// The text of its rules, as a file would have it.
    pub fn text(self) -> &'static str {
        match self {
            Self::Exact => include_str!("profiles/exact.toml"),
            Self::SameStart => include_str!("profiles/same-start.toml"),
            Self::Fresh => include_str!("profiles/fresh.toml"),
        }
    }
}
