//! `float16`, and `float8_e5m2`, which is its upper byte, widened by the instruction of AVX-512 for it. Elsewhere they are widened
//! by arithmetic, which takes two to four times as long.

use crate::tensor::Number;

/// Widens elements, whole blocks of them. Returns false, and writes nothing, for other types and on other machines.
#[cfg(target_arch = "x86_64")]
pub(super) fn widen<T: Number>(from: &[T], to: &mut [T::Wide]) -> bool {
    use pulp::Arch;

    if !T::IS_HALF {
        return false;
    }
    let Arch::V4(simd) = Arch::new() else { return false };
    simd.vectorize(x86::WidenHalves { simd, from, to: bytemuck::cast_slice_mut(to) });
    true
}

/// As on x86-64, for machines without the instruction.
#[cfg(not(target_arch = "x86_64"))]
pub(super) fn widen<T: Number>(_: &[T], _: &mut [T::Wide]) -> bool {
    false
}

#[cfg(target_arch = "x86_64")]
mod x86 {
    use pulp::x86::V4;

    use crate::compare::grid::LANES;
    use crate::tensor::Number;

    pub(super) struct WidenHalves<'a, T> {
        pub(super) simd: V4,
        pub(super) from: &'a [T],
        pub(super) to: &'a mut [f32],
    }

    impl<T: Number> pulp::NullaryFnOnce for WidenHalves<'_, T> {
        type Output = ();

        #[inline(always)]
        fn call(self) {
            let (from, to) = (self.from.as_chunks::<LANES>().0, self.to.as_chunks_mut().0);
            for (from, to) in from.iter().zip(to) {
                let bits: [u16; LANES] = from.map(T::half_bits);
                let wide = self.simd.avx512f._mm512_cvtph_ps(bytemuck::cast(bits));
                *to = bytemuck::cast::<_, [f32; LANES]>(wide);
            }
        }
    }
}
