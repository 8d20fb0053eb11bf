"""Checkpoints of modules in a list, and of a step."""

import numpy as np
import tensorflow as tf

from .modules import Dense


def layers(path, widths=(8, 16, 3), seed=1, dtype=tf.float32, momentum=False):
    random = np.random.default_rng(seed)
    made = [Dense(inputs, outputs, random) for inputs, outputs in zip(widths, widths[1:])]
    parts = {"layers": made, "step": tf.Variable(100, name="step")}
    for layer in made:
        layer.w, layer.b = (tf.Variable(tf.cast(variable, dtype), name=variable.name.split(":")[0]) for variable in (layer.w, layer.b))
    if momentum:
        parts["momentum"] = [tf.Variable(tf.zeros_like(variable)) for layer in made for variable in layer.trainable_variables]
    return tf.train.Checkpoint(**parts).save(path)
