"""Pairs of tensors that a comparison is likely to get wrong, with the expected results."""

import math
import warnings

import numpy as np

from . import definition
from .bundle import save_v2
from .tensors import COMPLEX, FLOATS, INTEGERS, Known, storage, strings, value_bits

WIDE = ("float16", "bfloat16", "float32", "float64")


def adversarial():
    """compare/lhs.ckpt and compare/rhs.ckpt."""
    found = pairs()
    lhs, rhs = [pair[0] for pair in found], [pair[1] for pair in found]
    save_v2("compare/lhs.ckpt", lhs)
    save_v2("compare/rhs.ckpt", rhs)
    return {"compare/lhs.ckpt": lhs, "compare/rhs.ckpt": rhs}


def expected():
    """oracle/compare.json, checked against numpy where numpy follows the same rules."""
    tensors = {}
    for lhs, rhs in pairs():
        tensors[lhs.name.decode()] = definition.compare(lhs, rhs)
        _check_with_numpy(lhs, rhs)
    return {"lhs": "compare/lhs.ckpt", "rhs": "compare/rhs.ckpt", "tensors": tensors}


def pairs():
    """All (lhs, rhs), in name order."""
    found = []
    for dtype in FLOATS:
        found += _float_pairs(dtype) if dtype in WIDE else _small_float_pairs(dtype)
    for dtype in INTEGERS:
        found += _integer_pairs(dtype)
    for dtype in COMPLEX:
        found += _complex_pairs(dtype)
    found.append(_pair("adv/bool", "bool", [0, 0, 1, 1] * 16, [0, 1, 0, 1] * 16))
    found.append(
        (
            strings("adv/string", ["", "", "a", "same", "\0", b"\xff"] * 11),
            strings("adv/string", ["", "a", "", "same", "", b"\xff\xff"] * 11),
        )
    )
    return sorted(found, key=lambda pair: pair[0].name)


def _pair(name, dtype, lhs, rhs):
    """Two tensors from element codes."""
    assert len(lhs) == len(rhs)
    unsigned = np.dtype(f"<u{storage(dtype).itemsize}")
    return tuple(
        Known(name.encode(), dtype, _shape(len(codes)), np.array(codes, unsigned).tobytes())
        for codes in (lhs, rhs)
    )


def _shape(elements):
    """Rank 2 where the number of elements is even; one element is a scalar."""
    if elements == 1:
        return ()
    return (2, elements // 2) if elements % 2 == 0 else (elements,)


def _cross(name, dtype, codes):
    """All pairs of codes."""
    return _pair(name, dtype, [a for a in codes for _ in codes], [b for _ in codes for b in codes])


def _padding(dtype):
    """Equal values whose padding bits differ."""
    keep = value_bits(dtype)
    codes = list(range(1 << keep)) * 4
    garbage = [(i * 37 % 256) >> keep << keep for i in range(len(codes))]
    return _pair(f"padding/{dtype}", dtype, codes, [c | g for c, g in zip(codes, garbage)])


# --- floating point -----------------------------------------------------------------------------


class Format:
    """Codes of the special values of an IEEE-like type."""

    def __init__(self, dtype):
        self.dtype = dtype
        self.width = 8 * storage(dtype).itemsize
        self.mantissa = {"float16": 10, "bfloat16": 7, "float32": 23, "float64": 52}[dtype]
        self.sign = 1 << self.width - 1
        self.infinity = (1 << self.width - 1) - (1 << self.mantissa)
        self.largest = self.infinity - 1
        self.quiet = self.infinity | 1 << self.mantissa - 1
        self.smallest_normal = 1 << self.mantissa

    def ends(self):
        """The codes of the largest and the smallest finite value."""
        return [self.largest, self.largest | self.sign]

    def code(self, value):
        """The code of the nearest value."""
        with np.errstate(all="ignore"):
            data = np.float64(value).astype(storage(self.dtype)).tobytes()
        return int.from_bytes(data, "little")

    def value(self, code):
        """The value of a code, as f64."""
        return float(
            np.frombuffer(code.to_bytes(self.width // 8, "little"), storage(self.dtype))[0]
        )


def _float_pairs(dtype):
    form = Format(dtype)
    edges = _edges(form)
    everything = _specials(form) + _ulps(form) + edges
    near = _ulps(form) + edges
    one = form.code(1)
    return [
        _pair(f"adv/{dtype}", dtype, *zip(*_even(everything))),
        _pair(f"near/{dtype}", dtype, *zip(*_even(near))),
        _pair(f"zeros/{dtype}", dtype, *zip(*_zeros(form))),
        _cross(f"far/{dtype}", dtype, [one, one | form.sign, *form.ends()]),
        _pair(f"scalar/{dtype}", dtype, [one], [one + 1]),
        _pair(f"same/{dtype}", dtype, *zip(*[(a, a) for a, _ in everything])),
        _pair(f"empty/{dtype}", dtype, [], []),
    ]


def _even(codes):
    return codes if len(codes) % 2 == 0 else codes + codes[-1:]


def _specials(form):
    """NaNs, infinities, zeros and the ends of the range, each against each."""
    codes = [
        0, form.sign, 1, form.sign | 1, form.smallest_normal - 1, form.smallest_normal,
        form.code(1), form.largest, form.largest | form.sign,
        form.infinity, form.infinity | form.sign,
        form.quiet, form.quiet | form.sign, form.quiet | 1, form.infinity | 1,
    ]  # fmt: skip
    return [(a, b) for a in codes for b in codes]


def _zeros(form):
    """Only the sign of zeros and the payload of NaNs differ."""
    return [
        (0, form.sign), (form.sign, 0), (0, 0), (form.sign, form.sign),
        (form.quiet, form.quiet | form.sign), (form.quiet, form.infinity | 1),
        (form.quiet, form.quiet), (form.infinity, form.infinity),
    ]  # fmt: skip


def _ulps(form):
    """Steps of 1 to 5 ulps, over a power of two and over the end of the denormals."""
    found = []
    for start in (form.code(1), form.code(-1), form.code(0.1), form.smallest_normal, 3):
        found += [(start, start + step) for step in (0, 1, -1, 2, 4, -4, 5) if start + step >= 0]
    return found


def _edges(form):
    """Just within and just beyond the tolerances in definition.OPTIONS."""
    found = []
    for rtol, atol in ((1e-5, 1e-8), (0.0, 0.5), (0.001, 0.0)):
        for lhs in (1.0, -1.0, 3.0, 0.7, 1000.0, 1e-3, 1e4, 1e-6):
            code = form.code(lhs)
            exact = form.value(code)
            for sign in (1, -1):
                target = form.code(exact + sign * (atol + rtol * abs(exact)))
                for step in (-1, 0, 1):
                    if math.isfinite(form.value(target + step)):
                        found.append((code, target + step))
    return found


def _small_float_pairs(dtype):
    """Every code of an 8-bit type against the next and against its negative; 4 bits: all pairs."""
    if dtype == "float4_e2m1fn":
        return [_cross(f"adv/{dtype}", dtype, range(16)), _padding(dtype)]
    codes = list(range(256))
    finite = [code for code in codes if code & 0x7F and math.isfinite(_value8(dtype, code))]
    near = [(code, code + 1) for code in finite if code + 1 in finite]
    mixed = [0x00, 0x80, 0x01, 0x38, 0x40, 0x7B, 0x7C, 0x7E, 0x7F, 0xFC, 0xFF]
    return [
        _pair(f"adv/{dtype}", dtype, codes, codes[1:] + codes[:1]),
        _pair(f"negative/{dtype}", dtype, codes, [code ^ 0x80 for code in codes]),
        _pair(f"near/{dtype}", dtype, *zip(*_even(near))),
        _cross(f"mixed/{dtype}", dtype, mixed),
    ]


def _value8(dtype, code):
    return float(np.frombuffer(bytes([code]), storage(dtype))[0])


# --- integers and complex numbers ---------------------------------------------------------------


def _integer_pairs(dtype):
    width, signed = INTEGERS[dtype]
    if width <= 4:
        return [_cross(f"adv/{dtype}", dtype, range(1 << width)), _padding(dtype)]
    low, high = (-1 << width - 1, (1 << width - 1) - 1) if signed else (0, (1 << width) - 1)
    values = [0, 1, 2, 3, -1, -2, 100, -100, 1000, 100_000, low, low + 1, high, high - 1]
    values += [1 << 53, (1 << 53) + 1, (1 << 53) - 1, -(1 << 53) - 1, 1 << 63]
    kept = sorted({value for value in values if low <= value <= high})
    codes = [value & (1 << width) - 1 for value in kept]
    steps = [(a, b) for a, b in zip(codes, codes[1:] + codes[:1]) if a]
    near = [value for value in kept if value and value + 1 in kept]
    found = [
        _cross(f"adv/{dtype}", dtype, codes),
        _pair(f"next/{dtype}", dtype, *zip(*_even(steps))),
    ]
    if near:
        mask = (1 << width) - 1
        found.append(
            _pair(f"near/{dtype}", dtype, *zip(*_even([(v & mask, v + 1 & mask) for v in near])))
        )
    return found


def _complex_pairs(dtype):
    """Components whose squares leave the range, infinities and NaNs; each against each."""
    huge, tiny = (1e200, 1e-170) if dtype == "complex128" else (1e30, 1e-30)
    largest = float(np.finfo(COMPLEX[dtype]).max)
    smallest = float(np.finfo(COMPLEX[dtype]).smallest_subnormal)
    inf, nan = math.inf, math.nan
    values = [
        0, complex(0.0, -0.0), complex(-0.0, 0.0), 1, 1j, complex(1, 1e-6), complex(3, 4),
        complex(huge, huge), complex(huge, 0.9 * huge), complex(tiny, tiny), complex(tiny, 2 * tiny),
        complex(largest, -largest), complex(-largest, largest), complex(smallest, 0),
        complex(inf, 0), complex(inf, -0.0), complex(0, inf), complex(-inf, 1), complex(inf, inf),
        complex(nan, 0), complex(nan, 1), complex(inf, nan), complex(1, nan),
    ]  # fmt: skip
    lhs = [a for a in values for _ in values]
    rhs = [b for _ in values for b in values]
    near_lhs, near_rhs = _complex_edges(huge, tiny)
    return [
        _complex_pair(f"adv/{dtype}", dtype, lhs, rhs),
        _complex_pair(f"near/{dtype}", dtype, near_lhs, near_rhs),
    ]


def _complex_edges(huge, tiny):
    """Near the tolerances, at every scale, with differences in one component and in both."""
    lhs, rhs = [], []
    for scale in (1.0, huge, tiny, 3e-5):
        for value in (complex(3, 4), complex(-5, 12), complex(0, 1), complex(1e-3, 1)):
            for relative in (1e-5, 1.001e-5, 0.999e-5, 1e-3, 1.001e-3, 0.1):
                lhs += [value * scale] * 2
                step = relative * abs(value) * scale
                rhs += [value * scale + step, value * scale + complex(0.6 * step, -0.8 * step)]
    return lhs, rhs


def _complex_pair(name, dtype, lhs, rhs):
    shape = _shape(len(lhs))
    with np.errstate(all="ignore"):
        return tuple(
            Known(name.encode(), dtype, shape, np.array(values).astype(storage(dtype)).tobytes())
            for values in (lhs, rhs)
        )


# --- numpy --------------------------------------------------------------------------------------


def _check_with_numpy(lhs, rhs):
    """Asserts that numpy's isclose finds the same mismatches, except those that `_free` allows."""
    if lhs.dtype not in (*FLOATS, *COMPLEX) or lhs.name.startswith(b"padding/"):
        return  # numpy reads the padding of float4_e2m1fn as part of the value
    wide = np.complex128 if lhs.dtype in COMPLEX else np.float64
    elements = list(zip(definition.elements(lhs), definition.elements(rhs)))
    for options in definition.OPTIONS:
        if not options.keys() & {"atol", "rtol"}:
            continue
        ours = np.array([definition.is_mismatch(a, b, options) for a, b in elements])
        with warnings.catch_warnings(), np.errstate(all="ignore"):
            warnings.simplefilter("ignore")
            a, b = (tensor.array().ravel().astype(wide) for tensor in (lhs, rhs))
            rtol, atol = options.get("rtol", 0), options.get("atol", 0)
            equal_nan = options.get("nan") != "differ"
            theirs = ~np.isclose(b, a, rtol=rtol, atol=atol, equal_nan=equal_nan)
            free = _free(a, b, atol + rtol * np.abs(a)) if lhs.dtype in COMPLEX else False
        assert np.all((ours == theirs) | free), (lhs.name, options)


def _free(a, b, tolerance):
    """The complex pairs for which numpy may give another verdict.

    Where |lhs| of finite components overflows to infinity, so does numpy's tolerance, and any
    infinite rhs is within it; by the definition it is not. And numpy's |z| may be an ulp off ours.
    """
    overflows = np.isfinite(a) & np.isinf(np.abs(a)) & ~np.isfinite(b)
    return overflows | (np.abs(np.abs(b - a) - tolerance) <= 1e-15 * tolerance)


MAKERS = {"compare": adversarial}
