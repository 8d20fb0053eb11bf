//! Correctly rounded decimal digits of a binary number, and the fewest of them that read back.
//!
//! ```text
//! value = m * 2^e;  value * 10^k = num / den, both whole, in 128 bits;  num = digits * den + rest
//! ```
//! 128 bits are enough for all weights of real models. For other numbers the caller uses the standard library.

/// `d.ddd * 10^exponent`, the digits as one whole number without trailing zeros.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Decimal {
    pub(super) digits: u64,
    pub(super) exponent: i32,
}

impl Decimal {
    /// From `count` digits, or from 10^`count` after rounding up.
    fn new(mut digits: u64, mut count: u32, mut exponent: i32) -> Self {
        if digits == pow10(count) {
            digits = 1;
            count = 1;
            exponent += 1;
        }
        // Most numbers end in no zero.
        while digits.is_multiple_of(10) && count > 1 {
            digits /= 10;
            count -= 1;
        }
        Self { digits, exponent }
    }

    /// From `d.ddde-xx`, as the standard library writes a number.
    pub(super) fn parse(text: &str) -> Option<Self> {
        let (significand, exponent) = text.split_once('e')?;
        let mut digits = 0;
        let mut count = 0;
        for digit in significand.bytes().filter(u8::is_ascii_digit) {
            digits = 10 * digits + u64::from(digit - b'0');
            count += 1;
        }
        Some(Self::new(digits, count, exponent.parse().ok()?))
    }
}

/// A positive number, and the distance to its neighbors of the same type.
#[derive(Debug, Clone, Copy)]
pub(super) struct Binary {
    /// `m * 2^e`.
    pub(super) m: u64,
    pub(super) e: i32,
    /// Whether the next smaller number is only half as far away as the next larger one.
    pub(super) is_power: bool,
}

/// The first digits of a number, and the exact rest.
#[derive(Debug, Clone, Copy)]
pub(super) struct Exact {
    count: u32,
    digits: u64,
    exponent: i32,
    rest: u128,
    den: u128,
    /// The distance to the next number, in the unit of `rest`.
    ulp: u128,
    is_power: bool,
}

const POW10: [u128; 39] = {
    let mut powers = [1; 39];
    let mut k = 1;
    while k < 39 {
        #[expect(clippy::indexing_slicing, reason = "k < 39")]
        {
            powers[k] = 10 * powers[k - 1];
        }
        k += 1;
    }
    powers
};

#[expect(clippy::cast_possible_truncation, reason = "callers pass up to 19")]
fn pow10(k: u32) -> u64 {
    POW10.get(k as usize).map_or(u64::MAX, |power| *power as u64)
}

/// `a << shift`, if no bit is lost.
fn shifted(a: u128, shift: u32) -> Option<u128> {
    (shift < a.leading_zeros()).then(|| a << shift)
}

impl Exact {
    /// The first `count` digits of a number; `None` where 128 bits are not enough.
    pub(super) fn new(number: Binary, count: u32) -> Option<Self> {
        let bits = 63 - number.m.leading_zeros().cast_signed();
        // log10(2) as a fraction: the result is right or off by one.
        let guess = ((i64::from(number.e + bits) * 315_653) >> 20).try_into().ok()?;
        let exact = Self::at(number, count, guess)?;
        if exact.digits >= pow10(count) {
            Self::at(number, count, guess + 1)
        } else if exact.digits < pow10(count - 1) {
            Self::at(number, count, guess - 1)
        } else {
            Some(exact)
        }
    }

    /// The digits of which the first one counts 10^`exponent`.
    fn at(number: Binary, count: u32, exponent: i32) -> Option<Self> {
        let Binary { m, e, is_power } = number;
        let k = count.cast_signed() - 1 - exponent;
        let up = e.max(0).cast_unsigned();
        let power = *POW10.get(k.unsigned_abs() as usize)?;
        let (num, den, ulp);
        if k >= 0 {
            num = shifted(u128::from(m).checked_mul(power)?, up)?;
            den = shifted(1, e.min(0).unsigned_abs())?;
            ulp = shifted(power, up)?;
        } else {
            num = shifted(m.into(), up)?;
            // A number of that size is whole.
            den = (e >= 0).then_some(power)?;
            ulp = shifted(1, up)?;
        }
        // Dividing 128 bits is slow; a shift is not.
        let (digits, rest) = if den.is_power_of_two() {
            (num >> den.trailing_zeros(), num & (den - 1))
        } else {
            (num / den, num % den)
        };
        Some(Self { count, digits: digits.try_into().ok()?, exponent, rest, den, ulp, is_power })
    }

    /// Rounds to `count` digits, at most as many as there are; a tie to even.
    pub(super) fn round(&self, count: u32) -> Decimal {
        let (digits, _) = self.rounded(count);
        Decimal::new(digits, count, self.exponent)
    }

    /// The fewest digits, `least` or more, that read back; `None` if that cannot be decided here.
    pub(super) fn fewest(&self, least: u32) -> Option<Decimal> {
        for count in least..self.count {
            if self.reads_back(count)? {
                return Some(self.round(count));
            }
        }
        Some(self.round(self.count))
    }

    /// The rounded digits, and their value in the unit of all digits.
    fn rounded(&self, count: u32) -> (u64, u64) {
        let unit = pow10(self.count - count);
        let (digits, cut) = (self.digits / unit, self.digits % unit);
        let is_odd = digits % 2 == 1;
        let up = if unit == 1 {
            let twice = 2 * self.rest;
            twice > self.den || twice == self.den && is_odd
        } else {
            2 * cut > unit || 2 * cut == unit && (self.rest > 0 || is_odd)
        };
        let digits = digits + u64::from(up);
        (digits, digits * unit)
    }

    /// Whether `count` digits read back as the number; `None` if that cannot be decided here.
    pub(super) fn reads_back(&self, count: u32) -> Option<bool> {
        let (_, rounded) = self.rounded(count);
        let mut ulp = self.ulp;
        let off = if rounded > self.digits {
            u128::from(rounded - self.digits).checked_mul(self.den)? - self.rest
        } else {
            // Below a power of two the distance is half.
            ulp >>= u32::from(self.is_power);
            u128::from(self.digits - rounded).checked_mul(self.den)?.checked_add(self.rest)?
        };
        let twice = off.checked_mul(2)?;
        // A reader may convert to `double` first, which matters near the middle of two `float`s.
        (twice.abs_diff(ulp) > ulp >> 20).then_some(twice < ulp)
    }
}
