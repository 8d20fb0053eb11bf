// A pair of elements of one dtype, as the definition in `src/compare/close.rs` sees it. Follows `soft_f64.wgsl`. Constants that no shader
// declares are shared with Rust: `src/compare/gpu/source.rs` declares them before `soft_f64.wgsl`.

/// `FLOAT`, `SIGNED`, `EQUALITY` (elements that are only equal or not), or unsigned.
override KIND: u32;
/// Bits of an element as stored: 8, 16, 32 or 64.
override WIDTH: u32;
/// Bits of its value: fewer than `WIDTH` in types of less than a byte.
override BITS: u32;

/// For floats: the bits of the fraction (for double precision, those in the high word), the bias of the exponent, and which bit
/// patterns are not finite: `IEEE`, `ALL_ONES`, `MINUS_ZERO` or none.
override FRACTION: u32;
override BIAS: i32;
override SPECIAL: u32;
/// The sign bit, in the high word.
override SIGN: u32 = 1u << (min(BITS, 32u) - 1u);

/// The parameters of all kernels.
struct Job {
    elements: u32,
    nan_differs: u32,
    /// Tolerances beyond the first.
    further: u32,
    /// Positions in `results` of the counts of further tolerances, of the bins, and of the proofs.
    further_at: u32,
    bins_at: u32,
    proofs_at: u32,
    /// The number that a tile adds to the proof of a kernel.
    serial: u32,
}

/// A tolerance: bits of two doubles, and a distance in representable values.
struct Rule {
    atol: Wide,
    rtol: Wide,
    ulp: Wide,
    /// `BITS_ONLY`, `ATOL_RTOL` or `ATOL_RTOL_ULP`.
    criteria: u32,
    unused: u32,
}

@group(0) @binding(0) var<storage, read> lhs: array<u32>;
@group(0) @binding(1) var<storage, read> rhs: array<u32>;
@group(0) @binding(2) var<uniform> job: Job;
@group(0) @binding(3) var<storage, read> rules: array<Rule>;
@group(0) @binding(4) var<storage, read_write> results: array<atomic<u32>>;

/// The bits of an element of less than 64 bits, from the word that contains it.
fn bits_in(word: u32, index: u32) -> u32 {
    let place = index % max(32u / WIDTH, 1u);
    return (word >> ((place * WIDTH) & 31u)) & (0xffffffffu >> (32u - min(BITS, 32u)));
}

fn lhs_at(index: u32) -> Wide {
    if WIDTH == 64u {
        return Wide(lhs[2u * index], lhs[2u * index + 1u]);
    }
    return Wide(bits_in(lhs[index * WIDTH / 32u], index), 0u);
}

fn rhs_at(index: u32) -> Wide {
    if WIDTH == 64u {
        return Wide(rhs[2u * index], rhs[2u * index + 1u]);
    }
    return Wide(bits_in(rhs[index * WIDTH / 32u], index), 0u);
}

/// Proves that the kernel has counted a tile. Without a proof, results that were never written would mean that no pair differs.
fn prove() {
    atomicAdd(&results[job.proofs_at + KERNEL], job.serial);
}

const FINITE = 0u;
const INFINITE = 1u;
const NAN = 2u;

struct Element {
    kind: u32,
    negative: bool,
    /// For floats, the bits without the sign; for integers, the value in 64 bits of two's complement.
    bits: Wide,
    /// `|value|`.
    magnitude: Real,
}

fn float(bits: Wide) -> Element {
    var absolute = bits;
    var negative = false;
    var magnitude = zero();
    var exponent = 0u;
    var fraction = 0u;
    var largest = 0u;
    if WIDTH == 64u {
        absolute.y &= 0x7fffffffu;
        negative = (bits.y >> 31u) == 1u;
        magnitude = from_bits(absolute);
        exponent = absolute.y >> 20u;
        fraction = (absolute.y & 0xfffffu) | absolute.x;
        largest = 0x7ffu;
    } else {
        absolute.x &= SIGN - 1u;
        negative = (bits.x & SIGN) != 0u;
        exponent = absolute.x >> FRACTION;
        fraction = absolute.x & ((1u << FRACTION) - 1u);
        largest = (SIGN - 1u) >> FRACTION;
        if exponent == 0u {
            magnitude = normal(1023 + 32 - BIAS - i32(FRACTION), Wide(0u, fraction));
        } else {
            let significand = ((1u << FRACTION) | fraction) << (31u - FRACTION);
            magnitude = Real(1023 - BIAS + i32(exponent), Wide(0u, significand));
        }
    }
    var kind = FINITE;
    if SPECIAL == IEEE && exponent == largest {
        kind = select(INFINITE, NAN, fraction != 0u);
    }
    if SPECIAL == ALL_ONES && absolute.x == SIGN - 1u {
        kind = NAN;
    }
    if SPECIAL == MINUS_ZERO && negative && is_zero(absolute) {
        kind = NAN;
    }
    return Element(kind, negative, absolute, magnitude);
}

fn integer(bits: Wide) -> Element {
    var value = bits;
    if KIND == SIGNED && BITS < 64u {
        let unused = 32u - min(BITS, 32u);
        let extended = i32(bits.x << unused) >> unused;
        value = Wide(u32(extended), u32(extended >> 31u));
    }
    let negative = KIND == SIGNED && (value.y >> 31u) == 1u;
    let absolute = select(value, minus(Wide(0u, 0u), value), negative);
    // A value of more than 53 bits is rounded, as in a conversion to double precision.
    var magnitude = normal(1023 + 63, absolute);
    if WIDTH == 64u {
        magnitude = from_bits(to_bits(magnitude));
    }
    return Element(FINITE, negative, value, magnitude);
}

struct Pair {
    differs: bool,
    lhs_kind: u32,
    rhs_kind: u32,
    finite: bool,
    /// Bits of `|rhs - lhs|` as a double, where both are finite.
    abs_diff: Wide,
    /// `|lhs|`.
    magnitude: Real,
    /// Representable values between the two, where both are finite floats.
    ulps: Wide,
}

fn pair_at(index: u32) -> Pair {
    let x_bits = lhs_at(index);
    let y_bits = rhs_at(index);
    let differs = any(x_bits != y_bits);
    let nothing = Wide(0u, 0u);
    if KIND == EQUALITY {
        return Pair(differs, FINITE, FINITE, true, nothing, zero(), nothing);
    }
    if KIND == FLOAT {
        let x = float(x_bits);
        let y = float(y_bits);
        let finite = x.kind == FINITE && y.kind == FINITE;
        if !differs || !finite {
            return Pair(differs, x.kind, y.kind, finite, nothing, x.magnitude, nothing);
        }
        var abs_diff = zero();
        var ulps = nothing;
        if x.negative == y.negative {
            abs_diff = distance(x.magnitude, y.magnitude);
            ulps = minus(x.bits, y.bits);
            if is_less(x.bits, y.bits) {
                ulps = minus(y.bits, x.bits);
            }
        } else {
            abs_diff = sum(x.magnitude, y.magnitude);
            ulps = plus(x.bits, y.bits);
        }
        return Pair(differs, x.kind, y.kind, finite, to_bits(abs_diff), x.magnitude, ulps);
    }
    let x = integer(x_bits);
    let y = integer(y_bits);
    var order = nothing;
    if KIND == SIGNED {
        order.y = 0x80000000u;
    }
    var abs_diff = minus(x.bits, y.bits);
    if is_less(x.bits ^ order, y.bits ^ order) {
        abs_diff = minus(y.bits, x.bits);
    }
    return Pair(differs, FINITE, FINITE, true, to_bits(normal(1023 + 63, abs_diff)), x.magnitude, nothing);
}

/// Whether the pair is close under the rule. For NaN and infinity only the policy matters, whatever the tolerance.
fn is_close(pair: Pair, rule: Rule) -> bool {
    if !pair.differs {
        return !(pair.lhs_kind == NAN && job.nan_differs != 0u);
    }
    if KIND == EQUALITY || rule.criteria == BITS_ONLY {
        return false;
    }
    if !pair.finite {
        return pair.lhs_kind == NAN && pair.rhs_kind == NAN && job.nan_differs == 0u;
    }
    let relative = from_bits(to_bits(product(from_bits(rule.rtol), pair.magnitude)));
    let bound = to_bits(sum(from_bits(rule.atol), relative));
    if !is_less(bound, pair.abs_diff) {
        return true;
    }
    return KIND == FLOAT && rule.criteria == ATOL_RTOL_ULP && !is_less(rule.ulp, pair.ulps);
}
