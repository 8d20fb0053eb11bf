"""Checkpoints of models whose layers and variables are in lists, before and after an edit, in `layer_lists/`. See README.md.

Usage: python make_fixtures.py --layer-lists
"""

import shutil

import numpy as np
import tensorflow as tf

FOLDER = "layer_lists"


def values(shape, start):
    """Numbers made without a random generator."""
    return (np.arange(np.prod(shape), dtype=np.float32).reshape(shape) + start) / 8


def write(name, layers, seed=0):
    """A model of dense layers, given by name, units of their inputs and outputs, and the number that their values start with.

    The objects are those that Keras makes: layers under `layer-N` and `layer_with_weights-N`, all variables in a list, and again, in the
    opposite order, in a list of copies, as `model.export` makes from a set.
    """
    children, variables = {}, []
    for at, (scope, inputs, outputs, start) in enumerate(layers):
        layer = tf.Module()
        layer.kernel = tf.Variable(values((inputs, outputs), start + seed), name=f"{scope}/kernel")
        layer.bias = tf.Variable(tf.zeros([outputs]) + seed, name=f"{scope}/bias")
        children[f"layer-{at}"] = children[f"layer_with_weights-{at}"] = layer
        variables += [layer.kernel, layer.bias]
    copies = [tf.Variable(variable, name=variable.name.partition(":")[0]) for variable in reversed(variables)]
    tf.train.Checkpoint(**children, variables=variables, _all_variables=copies).write(f"{FOLDER}/{name}")


FIRST, LAST = ("dense", 4, 3, 1), ("dense_1", 3, 2, 20)


def main():
    """Writes all checkpoints."""
    shutil.rmtree(FOLDER, ignore_errors=True)
    write("base", [FIRST, LAST])
    write("retrained", [FIRST, LAST], seed=1)
    write("widened", [("dense", 4, 5, 1), ("dense_1", 5, 2, 20)])
    write("middle", [FIRST, ("extra", 3, 3, 40), LAST])
    # The same layers with other numbers.
    write("twice", [("dense_2", 4, 3, 1), ("dense_3", 3, 2, 20)])
    write("front", [("dense", 4, 4, 40), ("dense_1", 4, 3, 1), ("dense_2", 3, 2, 20)])
    # Layers of one shape, told apart by content, else by name.
    alike = [("dense", 3, 3, 1), ("dense_1", 3, 3, 30)]
    write("alike", alike)
    write("alike_front", [("dense", 3, 3, 60), ("dense_1", 3, 3, 1), ("dense_2", 3, 3, 30)])
    write("named", [("first", 3, 3, 1), ("second", 3, 3, 30)])
    write("exchanged", [("second", 3, 3, 30), ("first", 3, 3, 1)], seed=1)
