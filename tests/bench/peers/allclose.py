"""Compares two checkpoints as users do today: loads both with TensorFlow and calls np.allclose per tensor.

    python allclose.py A B

Prints the seconds without the import of TensorFlow, and the number of tensors that differ.
"""

import sys
import time

import numpy as np
import tensorflow as tf


def main(lhs, rhs):
    """Compares all tensors of the two checkpoints."""
    start = time.perf_counter()
    a, b = tf.train.load_checkpoint(lhs), tf.train.load_checkpoint(rhs)
    differing = 0
    for name in a.get_variable_to_shape_map():
        x, y = a.get_tensor(name), b.get_tensor(name)
        if x.dtype.name == "bfloat16":
            x, y = x.astype(np.float32), y.astype(np.float32)
        differing += not np.allclose(y, x)
    print(f"{time.perf_counter() - start:.3f} s, {differing} differ")


main(*sys.argv[1:])
