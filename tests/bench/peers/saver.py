"""Saves a checkpoint from memory with the kernel behind TensorFlow's Saver.

    python saver.py CHECKPOINT OUT

Prints the median seconds of five saves, and of five saves with an fsync of the data, which TensorFlow omits.
"""

import os
import statistics
import sys
import time

import tensorflow as tf


def main(checkpoint, out):
    """Saves all tensors of the checkpoint to `out`."""
    reader = tf.train.load_checkpoint(checkpoint)
    names = sorted(reader.get_variable_to_shape_map())
    tensors = [tf.constant(reader.get_tensor(name)) for name in names]
    plain, synced = [], []
    for _ in range(5):
        for suffix in (".index", ".data-00000-of-00001"):
            if os.path.exists(out + suffix):
                os.remove(out + suffix)
        os.sync()
        start = time.perf_counter()
        tf.raw_ops.SaveV2(prefix=out, tensor_names=names, shape_and_slices=[""] * len(names), tensors=tensors)
        plain.append(time.perf_counter() - start)
        with open(out + ".data-00000-of-00001", "rb") as file:
            os.fsync(file.fileno())
        synced.append(time.perf_counter() - start)
    print(f"{statistics.median(plain):.3f} s, with an fsync {statistics.median(synced):.3f} s")


main(*sys.argv[1:])
