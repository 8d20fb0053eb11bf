//! Numbers that were computed in `f64`, and that the kernels take as elements.

/// Implements `Number` for a type that has its value as an `f64`, with the members that differ.
macro_rules! computed_number {
    ($ty:ty { $($member:item)* }) => {
        impl Number for $ty {
            const ENCODING: Encoding = f64::ENCODING;
            const WIDE: bool = true;
            const HAS_ULPS: bool = false;
            type Ulps = u64;
            type Count = u64;
            type Wide = Self;
            type Exact = Self;

            #[inline(always)]
            fn widen(self) -> Self {
                self
            }

            #[inline(always)]
            fn to_f64(self) -> f64 {
                self.0
            }

            $($member)*
        }
    };
}
pub(super) use computed_number;
