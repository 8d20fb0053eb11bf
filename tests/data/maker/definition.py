"""Whether two tensors are equal or close, in plain Python, straight from the definition.

One element at a time and without cleverness, so that it can be read against the text:

1. Equal bits are equal. Without a tolerance, values compare by bits.
2. atol/rtol: both widened to f64; close when |rhs - lhs| <= atol + rtol * |lhs|, each operation
   rounded in f64. Infinities are close only to themselves; NaN to NaN, or to nothing.
3. ulp: both finite and of a floating type; the distance of their order keys, zeros on one key.
4. Integers: the exact difference, rounded once to f64. bool and string: equality.
5. Complex: |z| scaled by the exponent of the larger component. A NaN component makes the element
   NaN; else an infinite one makes it close only to its equal.

Python floats are f64 and every operation on them rounds to nearest, ties to even.
"""

import math
import struct

import numpy as np

from .tensors import COMPLEX, FLOATS, INTEGERS, storage, value_bits

OPTIONS = (
    {},
    {"atol": 0},
    {"rtol": 1e-5, "atol": 1e-8},
    {"atol": 0.5},
    {"rtol": 0.001},
    {"ulp": 1},
    {"ulp": 4},
    {"atol": 1e-8, "rtol": 1e-5, "nan": "differ"},
    {"nan": "differ"},
)


def compare(lhs, rhs):
    """The expected results for two tensors of one dtype and shape, as JSON."""
    pairs = list(zip(elements(lhs), elements(rhs)))
    mismatches = []
    for options in OPTIONS:
        found = [i for i, (a, b) in enumerate(pairs) if is_mismatch(a, b, options)]
        first = _index(found[0], lhs.shape) if found else None
        mismatches.append({"options": options, "mismatched": len(found), "first": first})
    return {
        "dtype": lhs.dtype,
        "shape": list(lhs.shape),
        "elements": len(pairs),
        "differing": sum(a.bits != b.bits for a, b in pairs),
        **_statistics(pairs, lhs.dtype, lhs.shape),
        "cases": mismatches,
    }


# --- elements -----------------------------------------------------------------------------------


class Element:
    """One element: its bits, its value, and how to take a difference and a magnitude."""

    __slots__ = ("bits", "value", "kind", "key")

    def __init__(self, bits, value, kind, key=None):
        self.bits, self.value, self.kind, self.key = bits, value, kind, key

    def parts(self):
        """The f64 components of a floating or complex element."""
        return (self.value.real, self.value.imag) if self.kind == "complex" else (self.value,)

    def is_nan(self):
        """A NaN component makes the element NaN."""
        return self.kind in ("float", "complex") and any(math.isnan(x) for x in self.parts())

    def is_inf(self):
        """An infinite component, and no NaN."""
        return (
            self.kind in ("float", "complex")
            and not self.is_nan()
            and any(math.isinf(x) for x in self.parts())
        )

    def is_finite(self):
        """Finite: neither NaN nor infinite."""
        return not self.is_nan() and not self.is_inf()


def elements(tensor):
    """The elements of a tensor, row-major."""
    dtype = tensor.dtype
    if dtype == "string":
        return [Element(item, item, "plain") for item in tensor.content]
    width = storage(dtype).itemsize
    chunks = [tensor.content[i : i + width] for i in range(0, len(tensor.content), width)]
    if dtype == "bool":
        return [Element(chunk, chunk, "plain") for chunk in chunks]
    if dtype in INTEGERS:
        return [_integer(chunk, *INTEGERS[dtype]) for chunk in chunks]
    if dtype in COMPLEX:
        return [_complex(chunk) for chunk in chunks]
    return [_float(chunk, dtype) for chunk in chunks]


def _integer(chunk, width, signed):
    value = int.from_bytes(chunk, "little") & (1 << width) - 1
    if signed and value >> width - 1:
        value -= 1 << width
    return Element(value, value, "integer")


def _complex(chunk):
    re, im = struct.unpack("<2f" if len(chunk) == 8 else "<2d", chunk)
    return Element(chunk, complex(re, im), "complex")


def _float(chunk, dtype):
    width = value_bits(dtype) or 8 * len(chunk)
    bits = int.from_bytes(chunk, "little") & (1 << width) - 1
    value = float(np.frombuffer(bits.to_bytes(len(chunk), "little"), storage(dtype))[0])
    sign = bits >> width - 1
    magnitude = bits & (1 << width - 1) - 1
    return Element(bits, value, "float", -magnitude if sign else magnitude)


# --- rules --------------------------------------------------------------------------------------


def is_mismatch(a, b, options):
    """Whether the options call this pair a mismatch."""
    both_nan = a.is_nan() and b.is_nan()
    if both_nan and options.get("nan") == "differ":
        return True
    if a.bits == b.bits:
        return False
    tolerances = options.keys() & {"atol", "rtol", "ulp"}
    if not tolerances or a.kind == "plain":
        return True
    if both_nan:
        return False
    return not (
        is_within(a, b, float(options.get("rtol", 0)), float(options.get("atol", 0)))
        or is_within_ulps(a, b, options.get("ulp", 0))
    )


def is_within(a, b, rtol, atol):
    """Rule 2 for elements that are not both NaN."""
    if a.is_nan() or b.is_nan():
        return False
    if a.is_inf() or b.is_inf():
        return a.value == b.value
    return difference(a, b) <= atol + rtol * magnitude(a)


def is_within_ulps(a, b, ulps):
    """Rule 3."""
    return a.kind == "float" and a.is_finite() and b.is_finite() and abs(a.key - b.key) <= ulps


def difference(a, b):
    """|rhs - lhs| as f64."""
    if a.kind == "complex":
        return modulus(b.value.real - a.value.real, b.value.imag - a.value.imag)
    return float(abs(b.value - a.value))


def magnitude(a):
    """|lhs| as f64."""
    return modulus(*a.parts()) if a.kind == "complex" else float(abs(a.value))


def modulus(re, im):
    """sqrt(re² + im²) of components scaled by the exponent of the larger one, scaled back."""
    largest = max(abs(re), abs(im))
    if largest == 0 or math.isinf(largest):
        return largest
    exponent = math.frexp(largest)[1]
    re, im = math.ldexp(re, -exponent), math.ldexp(im, -exponent)
    try:
        return math.ldexp(math.sqrt(re * re + im * im), exponent)
    except OverflowError:
        return math.inf


# --- statistics ---------------------------------------------------------------------------------

ONLY_FLOATING = ("nan", "inf", "nan_new", "zero_sign", "nan_payload")
ONLY_NUMERIC = ("max_abs", "max_rel", "worst", "max_ulp", "zero_lhs", "passes_at")


def _statistics(pairs, dtype, shape):
    """The statistics that do not depend on the options; None if meaningless for the dtype."""
    result = dict.fromkeys((*ONLY_NUMERIC, *ONLY_FLOATING))
    if dtype in ("bool", "string"):
        return result
    finite = [(i, a, b) for i, (a, b) in enumerate(pairs) if a.is_finite() and b.is_finite()]
    distances = [(difference(a, b), -i) for i, a, b in finite]
    if distances:
        largest, minus_index = max(distances)
        result["max_abs"] = json_number(largest)
        result["worst"] = _index(-minus_index, shape)
    relative = [difference(a, b) / magnitude(a) for _, a, b in finite if a.value != 0]
    relative = [quotient for quotient in relative if not math.isnan(quotient)]  # inf / inf
    result["max_rel"] = json_number(max(relative)) if relative else None
    result["zero_lhs"] = sum(a.value == 0 and a.bits != b.bits for a, b in pairs)
    result["passes_at"] = _passes_at(pairs)
    if dtype in FLOATS and finite:
        result["max_ulp"] = max(abs(a.key - b.key) for _, a, b in finite)
    if dtype in FLOATS or dtype in COMPLEX:
        result.update(_counts(pairs))
    return result


def _counts(pairs):
    unequal = [(a, b) for a, b in pairs if a.bits != b.bits]
    return {
        "nan": {"lhs": sum(a.is_nan() for a, _ in pairs), "rhs": sum(b.is_nan() for _, b in pairs)},
        "inf": {"lhs": sum(a.is_inf() for a, _ in pairs), "rhs": sum(b.is_inf() for _, b in pairs)},
        "nan_new": sum(b.is_nan() and not a.is_nan() for a, b in pairs),
        "zero_sign": sum(a.value == b.value for a, b in unequal),
        "nan_payload": sum(a.is_nan() and b.is_nan() for a, b in unequal),
    }


def _passes_at(pairs):
    """The smallest rtol (atol 0) and atol (rtol 0) under which every pair passes, NaN equal."""
    unequal = [(a, b) for a, b in pairs if a.bits != b.bits and not (a.is_nan() and b.is_nan())]
    return {
        "rtol": _largest(
            _smallest(lambda t, a=a, b=b: is_within(a, b, t, 0.0)) for a, b in unequal
        ),
        "atol": _largest(
            _smallest(lambda t, a=a, b=b: is_within(a, b, 0.0, t)) for a, b in unequal
        ),
    }


def _largest(tolerances):
    tolerances = list(tolerances)
    return None if None in tolerances else max(tolerances, default=0.0)


def _smallest(passes):
    """The smallest finite f64 >= 0 that passes, by bisection over bit patterns."""
    low, high = -1, 0x7FEFFFFFFFFFFFFF
    if not passes(_from_bits(high)):
        return None
    while high - low > 1:
        middle = (low + high) // 2
        if passes(_from_bits(middle)):
            high = middle
        else:
            low = middle
    return _from_bits(high)


def _from_bits(bits):
    return struct.unpack("<d", struct.pack("<Q", bits))[0]


def _index(flat, shape):
    return [int(i) for i in np.unravel_index(flat, shape)] if shape else []


def json_number(value):
    """Converts numbers that JSON cannot represent to strings."""
    if math.isnan(value):
        return "NaN"
    if math.isinf(value):
        return "Infinity" if value > 0 else "-Infinity"
    return value
