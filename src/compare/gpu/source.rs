//! The text of the shaders: the constants that they share with Rust, then `soft_f64.wgsl`, `pair.wgsl` and the kernel.

use super::super::counts::Counts;
use super::super::histogram::LEAST_POWER;
use super::super::tile::TILE;
use super::constants::{
    ABS_BINS, ALL_ONES, ATOL_RTOL, ATOL_RTOL_ULP, BITS_ONLY, EQUALITY, FLOAT, IEEE, INVOCATIONS,
    MAX_FURTHER, MINUS_ZERO, RELATIVE_BIAS, RELATIVE_FRACTION, SIGNED, ULP_BINS,
};
use super::needs::KERNELS;
use super::words::{FurtherWords, TILE_WORDS};

const SOFT_F64: &str = include_str!("../../../shaders/soft_f64.wgsl");
const PAIR: &str = include_str!("../../../shaders/pair.wgsl");
/// The kernels, in the order of [`Needs::kernels`](super::needs::Needs::kernels).
const SOURCES: [&str; KERNELS] = [
    include_str!("../../../shaders/compare.wgsl"),
    include_str!("../../../shaders/tolerances.wgsl"),
    include_str!("../../../shaders/histogram.wgsl"),
];

/// The text of each kernel.
pub(super) fn kernels() -> [String; KERNELS] {
    let mut number = 0..;
    SOURCES.map(|kernel| {
        let number = declaration("KERNEL", number.next().unwrap_or(KERNELS), "u");
        [&constants(), &*number, SOFT_F64, PAIR, kernel].concat()
    })
}

/// Declares a constant; `suffix` is that of its type.
fn declaration(name: &str, value: impl std::fmt::Display, suffix: &str) -> String {
    format!("const {name} = {value}{suffix};\n")
}

/// Declares the shared constants, and the position of each word of a tile.
fn constants() -> String {
    macro_rules! declare {
        ($suffix:literal, $($name:ident),* $(,)?) => {
            [$(declaration(stringify!($name), $name, $suffix)),*].concat()
        };
    }
    let words = Counts::NAMES.iter().chain(FurtherWords::NAMES).zip(0..);
    let words = words.map(|(name, at)| declaration(&name.to_uppercase(), at, "u"));
    let unsigned = declare!(
        "u",
        TILE,
        TILE_WORDS,
        INVOCATIONS,
        MAX_FURTHER,
        FLOAT,
        SIGNED,
        EQUALITY,
        IEEE,
        ALL_ONES,
        MINUS_ZERO,
        BITS_ONLY,
        ATOL_RTOL,
        ATOL_RTOL_ULP,
        RELATIVE_FRACTION,
        ABS_BINS,
        ULP_BINS,
    );
    let signed = declare!("", RELATIVE_BIAS, LEAST_POWER);
    words.chain([unsigned, signed]).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The words of a shader, without comments.
    fn words(text: &str) -> Vec<&str> {
        let code = text.lines().map(|line| line.split("//").next().unwrap_or_default());
        code.flat_map(|line| line.split(|c: char| !(c.is_alphanumeric() || c == '_'))).collect()
    }

    /// Name and value of each shared constant.
    fn shared() -> Vec<(String, i64)> {
        let declared = |line: &str| {
            let (name, value) = line.strip_prefix("const ")?.split_once(" = ")?;
            Some((name.to_owned(), value.trim_end_matches([';', 'u']).parse().ok()?))
        };
        constants().lines().map(|line| declared(line).unwrap()).collect()
    }

    #[test]
    fn the_shaders_use_every_shared_constant_and_declare_none() {
        let all = [&[SOFT_F64, PAIR][..], &SOURCES].concat().concat();
        for (name, _) in shared() {
            assert!(words(&all).contains(&&*name), "{name} is not used");
            for keyword in ["const", "let", "var", "override"] {
                assert!(!all.contains(&format!("{keyword} {name} ")), "{name} is declared twice");
            }
        }
    }

    #[test]
    fn the_kernels_write_no_shared_number_and_no_position_as_a_literal() {
        let literal = |word: &str| word.trim_end_matches(['u', 'i']).parse::<i64>().ok();
        for kernel in SOURCES {
            for word in words(kernel) {
                // Small numbers stand for other things as well.
                let is_shared = |value: i64| value.abs() > 20 && literal(word) == Some(value.abs());
                let known = shared().into_iter().find(|&(_, value)| is_shared(value));
                assert_eq!(known, None, "{word}");
            }
            for index in kernel.split("results[").skip(1) {
                let index = index.split(']').next().unwrap();
                assert!(!index.contains(|c: char| c.is_ascii_digit()), "results[{index}]");
            }
        }
    }
}
