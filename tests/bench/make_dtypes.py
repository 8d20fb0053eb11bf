"""Writes a pair of checkpoints for each of several dtypes, of which every element differs, with TensorFlow, into a directory.

    python make_dtypes.py FOLDER [MIB]

16 tensors and 512 MiB (or MIB) a side. cast_b and nan_b have the weights of float32_a as bfloat16, and NaN in their place. Floats differ by a factor, as after a little training; integers in their low bits.
"""

import sys
from pathlib import Path

import numpy as np
import tensorflow as tf

from make_pairs import save

DTYPES = "float32 float64 int32 int64 bfloat16 float16 float8_e4m3fn float8_e5m2 int8 uint8 int16 complex64".split()
TENSORS = 16
RANDOM = np.random.default_rng(0)
# By size of an element: far enough apart that no two floats are equal after rounding.
FACTORS = {8: 1.001, 4: 1.001, 2: 1.02, 1: 1.3}


def integers(dtype, count):
    """Random integers, and the same with other low bits."""
    info = np.iinfo(dtype)
    low, high = max(info.min, -(10**6)), min(info.max, 10**6)
    lhs = RANDOM.integers(low, high, count, dtype=dtype, endpoint=True)
    return lhs, lhs ^ RANDOM.integers(1, 8, count).astype(dtype)


def pair(dtype, count):
    """Two tensors of `count` elements."""
    if dtype.is_complex:
        lhs = RANDOM.standard_normal(2 * count, dtype=np.float32).view(np.complex64)
        return lhs, lhs * np.float32(1.001)
    if dtype.is_integer:
        return integers(dtype.as_numpy_dtype, count)
    lhs = RANDOM.standard_normal(count, dtype=np.float32)
    lhs = np.where(np.abs(lhs) < 0.02, np.float32(0.02), lhs)
    return lhs, lhs * np.float32(FACTORS[dtype.size])


def main(directory, mib):
    directory.mkdir(parents=True, exist_ok=True)
    for name in DTYPES:
        dtype = tf.as_dtype(name)
        count = (mib << 20) // TENSORS // dtype.size
        sides = {}, {}
        for i in range(TENSORS):
            for side, values in zip(sides, pair(dtype, count)):
                side[f"layer_{i:02d}/kernel"] = tf.cast(tf.constant(values), dtype)
        for side, tensors in zip("ab", sides):
            save(directory / f"{name}_{side}.ckpt", tensors)
        if name == "float32":
            weights = sides[0]
            save(directory / "cast_b.ckpt", {name: tf.cast(w, tf.bfloat16) for name, w in weights.items()})
            save(directory / "nan_b.ckpt", {name: w * np.nan for name, w in weights.items()})


if __name__ == "__main__":
    main(Path(sys.argv[1]), int(sys.argv[2]) if len(sys.argv) > 2 else 512)
