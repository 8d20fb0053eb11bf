//! The sides of a comparison.

use crate::serial::named_enum;

named_enum! {
    /// The side of a comparison.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
    pub enum Side {
        /// The baseline.
        Lhs = "lhs",
        /// The side that is compared with the baseline.
        Rhs = "rhs",
    }
}
