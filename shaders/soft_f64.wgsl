// Double precision in integers: magnitudes in IEEE 754 binary64, every operation rounded to nearest, ties to even.
//
// WGSL defines neither rounding nor denormals nor fusion for its floating types, so none is used. The operations that are used
// (addition, multiplication, shifts and comparison of u32 and i32, countLeadingZeros) are defined to the bit.

/// 64 bits: low word, high word.
alias Wide = vec2<u32>;

fn is_zero(a: Wide) -> bool {
    return (a.x | a.y) == 0u;
}

fn is_less(a: Wide, b: Wide) -> bool {
    return a.y < b.y || (a.y == b.y && a.x < b.x);
}

fn plus(a: Wide, b: Wide) -> Wide {
    let low = a.x + b.x;
    return Wide(low, a.y + b.y + u32(low < a.x));
}

fn minus(a: Wide, b: Wide) -> Wide {
    return Wide(a.x - b.x, a.y - b.y - u32(a.x < b.x));
}

fn leading_zeros(a: Wide) -> u32 {
    return select(countLeadingZeros(a.y), 32u + countLeadingZeros(a.x), a.y == 0u);
}

/// `a << by`, for `by` below 64.
fn shift_left(a: Wide, by: u32) -> Wide {
    if by == 0u {
        return a;
    }
    if by >= 32u {
        return Wide(0u, a.x << (by - 32u));
    }
    return Wide(a.x << by, (a.y << by) | (a.x >> (32u - by)));
}

/// `a >> by` for any `by`; the lowest bit is also set when a bit that is not zero was lost.
fn shift_right_sticky(a: Wide, by: u32) -> Wide {
    if by == 0u {
        return a;
    }
    if by < 32u {
        let lost = a.x << (32u - by);
        return Wide((a.x >> by) | (a.y << (32u - by)) | u32(lost != 0u), a.y >> by);
    }
    if by == 32u {
        return Wide(a.y | u32(a.x != 0u), 0u);
    }
    if by < 64u {
        let lost = a.x | (a.y << (64u - by));
        return Wide((a.y >> (by - 32u)) | u32(lost != 0u), 0u);
    }
    return Wide(u32(!is_zero(a)), 0u);
}

/// `significand / 2^63 * 2^(exponent - 1023)`. The highest bit of the significand is set, except in zero. A number in binary64
/// leaves the lowest 11 bits free, which rounding needs.
struct Real {
    exponent: i32,
    significand: Wide,
}

/// The exponent of zero, which is below that of every other number.
const ZERO_EXPONENT = -10000;

fn zero() -> Real {
    return Real(ZERO_EXPONENT, Wide(0u, 0u));
}

/// The number with this significand, whose highest bits may be 0.
fn normal(exponent: i32, significand: Wide) -> Real {
    if is_zero(significand) {
        return zero();
    }
    let by = leading_zeros(significand);
    return Real(exponent - i32(by), shift_left(significand, by));
}

/// The number with these bits. Infinity becomes 2^1024, which is larger than all others and rounds to infinity.
fn from_bits(bits: Wide) -> Real {
    let exponent = i32(bits.y >> 20u);
    let fraction = Wide(bits.x, bits.y & 0xfffffu);
    if exponent == 0 {
        return normal(12, fraction);
    }
    return Real(exponent, shift_left(Wide(fraction.x, fraction.y | 0x100000u), 11u));
}

/// The bits of the number, rounded; it may become subnormal or infinite.
fn to_bits(a: Real) -> Wide {
    if is_zero(a.significand) {
        return Wide(0u, 0u);
    }
    var exponent = a.exponent;
    var significand = a.significand;
    if exponent < 1 {
        significand = shift_right_sticky(significand, u32(1 - exponent));
        exponent = 1;
    }
    let rest = significand.x & 0x7ffu;
    var bits = Wide((significand.x >> 11u) | (significand.y << 21u), significand.y >> 11u);
    let up = rest > 0x400u || (rest == 0x400u && (bits.x & 1u) == 1u);
    bits = plus(bits, Wide(u32(up), 0u));
    // The bit above the fraction, which is set in normal numbers, adds 1 to the exponent; so does a carry into it.
    bits.y += u32(exponent - 1) << 20u;
    return select(bits, Wide(0u, 0x7ff00000u), bits.y >= 0x7ff00000u);
}

/// `a + b`, not yet rounded.
fn sum(a: Real, b: Real) -> Real {
    let swap = a.exponent < b.exponent;
    var large = a;
    var small = b;
    if swap {
        large = b;
        small = a;
    }
    let aligned = shift_right_sticky(small.significand, u32(large.exponent - small.exponent));
    let total = plus(large.significand, aligned);
    if is_less(total, large.significand) {
        let half = shift_right_sticky(total, 1u);
        return Real(large.exponent + 1, Wide(half.x, half.y | 0x80000000u));
    }
    return Real(large.exponent, total);
}

/// `|a - b|`, not yet rounded.
fn distance(a: Real, b: Real) -> Real {
    let swap = a.exponent < b.exponent || (a.exponent == b.exponent && is_less(a.significand, b.significand));
    var large = a;
    var small = b;
    if swap {
        large = b;
        small = a;
    }
    let aligned = shift_right_sticky(small.significand, u32(large.exponent - small.exponent));
    return normal(large.exponent, minus(large.significand, aligned));
}

/// The 64 bits of a product of two words.
fn product_of_words(a: u32, b: u32) -> Wide {
    let low = (a & 0xffffu) * (b & 0xffffu);
    let middle = (a >> 16u) * (b & 0xffffu) + (low >> 16u);
    let other = (a & 0xffffu) * (b >> 16u) + (middle & 0xffffu);
    return Wide((other << 16u) | (low & 0xffffu), (a >> 16u) * (b >> 16u) + (middle >> 16u) + (other >> 16u));
}

/// `a * b`, not yet rounded.
fn product(a: Real, b: Real) -> Real {
    if is_zero(a.significand) || is_zero(b.significand) {
        return zero();
    }
    var top = product_of_words(a.significand.y, b.significand.y);
    let low_high = product_of_words(a.significand.x, b.significand.y);
    var rest = Wide(0u, low_high.x);
    top = plus(top, Wide(low_high.y, 0u));
    // The low word is 0 in numbers of 32 bits and less.
    if b.significand.x != 0u {
        let high_low = product_of_words(a.significand.y, b.significand.x);
        let low_low = product_of_words(a.significand.x, b.significand.x);
        let middle = plus(Wide(low_high.x, 0u), plus(Wide(high_low.x, 0u), Wide(low_low.y, 0u)));
        rest = Wide(low_low.x, middle.x);
        top = plus(top, plus(Wide(high_low.y, 0u), Wide(middle.y, 0u)));
    }
    let exponent = a.exponent + b.exponent - 1023;
    if (top.y & 0x80000000u) != 0u {
        return Real(exponent + 1, Wide(top.x | u32(!is_zero(rest)), top.y));
    }
    top = Wide((top.x << 1u) | (rest.y >> 31u), (top.y << 1u) | (top.x >> 31u));
    return Real(exponent, Wide(top.x | u32(((rest.y << 1u) | rest.x) != 0u), top.y));
}
