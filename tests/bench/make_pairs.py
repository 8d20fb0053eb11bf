"""Writes the checkpoints that BENCHMARKS.md measures, with TensorFlow, into a directory.

    python make_pairs.py FOLDER

large: 349 tensors, 1.1 GB; `few` has 7 tensors changed, `all` every one. many: 20,000 variables of 16 floats.
"""

import sys
from pathlib import Path

import numpy as np
import tensorflow as tf

RANDOM = np.random.default_rng(0)


def save(path, tensors):
    """A V2 checkpoint of these tensors."""
    names = list(tensors)
    tf.raw_ops.SaveV2(
        prefix=str(path),
        tensor_names=names,
        shape_and_slices=[""] * len(names),
        tensors=list(tensors.values()),
    )


def normal(*shape):
    """Random weights."""
    return tf.constant(RANDOM.standard_normal(shape, dtype=np.float32))


def nudged(tensor):
    """The tensor after a little training."""
    factor = 1.01 if tensor.dtype == tf.bfloat16 else 1.001
    return tensor * tf.constant(factor, tensor.dtype)


def large(directory):
    """Two pairs of 1.1 GB: few tensors changed, and all."""
    base = {}
    for i in range(349):
        weights = normal(640, 1280)
        base[f"layer_{i:03d}/kernel"] = tf.cast(weights, tf.bfloat16) if i % 40 == 0 else weights
    changed = set(list(base)[5::50])
    save(directory / "large_base.ckpt", base)
    few = {name: nudged(t) if name in changed else t for name, t in base.items()}
    save(directory / "large_few.ckpt", few)
    save(directory / "large_all.ckpt", {name: nudged(t) for name, t in base.items()})


def many(directory):
    """20,000 small variables, a tenth of them changed."""
    base = {f"model/layer_{i // 8:04d}/unit_{i % 8}/weights_{i:05d}": normal(16) for i in range(20000)}
    save(directory / "many_base.ckpt", base)
    twin = {name: nudged(t) if i % 10 == 0 else t for i, (name, t) in enumerate(base.items())}
    save(directory / "many_twin.ckpt", twin)


if __name__ == "__main__":
    target = Path(sys.argv[1])
    target.mkdir(parents=True, exist_ok=True)
    large(target)
    many(target)
