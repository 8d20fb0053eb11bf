"""Writes two large meta graphs exported by TensorFlow, for measurements: `lhs.meta`, and `rhs.meta` with one layer more in front.

Usage: python -m maker.layer_in_front OUT_DIR NODES

TensorFlow numbers the layers, so that the layer in front takes the name of the first, and each other layer that of the next. Two runs
write the same bytes.
"""

import pathlib
import sys

import numpy as np
import tensorflow as tf

v1 = tf.compat.v1
WIDTH = 4
LAYER = ("kernel", "product", "bias", "total", "active")


def tower(kernels):
    """Dense layers of constants, one after the other."""
    with tf.Graph().as_default():
        x = v1.placeholder(tf.float32, [None, WIDTH], name="x")
        for *kernel, bias in kernels:
            with v1.name_scope("dense"):
                product = tf.matmul(x, tf.constant(np.array(kernel), name="kernel"), name="product")
                x = tf.nn.relu(tf.add(product, tf.constant(bias, name="bias"), name="total"), name="active")
        return v1.train.export_meta_graph()


def main(folder, size):
    """Writes the pair."""
    folder = pathlib.Path(folder)
    folder.mkdir(parents=True, exist_ok=True)
    layers = size // len(LAYER)
    kernels = np.random.RandomState(0).standard_normal((layers + 1, WIDTH + 1, WIDTH)).astype(np.float32)
    for side, some in (("lhs", kernels[1:]), ("rhs", kernels)):
        meta = tower(some)
        data = meta.SerializeToString(deterministic=True)
        (folder / f"{side}.meta").write_bytes(data)
        print(f"{folder / side}.meta: {len(meta.graph_def.node)} nodes, {len(data)} bytes")


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]))
