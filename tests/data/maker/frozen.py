"""Checkpoints, and graphs that were frozen from them or seem to be, in `frozen/`. See README.md.

Usage: python make_fixtures.py --frozen
"""

import pathlib
import shutil

import numpy as np
import tensorflow as tf
from tensorflow.python.framework import convert_to_constants

v1 = tf.compat.v1
FOLDER = "frozen"


def values(shape, start):
    """Numbers made without a random generator."""
    return (np.arange(np.prod(shape), dtype=np.float32).reshape(shape) + start) / 8


def model(resource, parts):
    """Two layers with an optimizer, and constants that no checkpoint has; returns the name of the result."""
    by = v1.fixed_size_partitioner(parts) if parts else None

    def variable(name, value):
        def initial(shape, dtype, partition_info=None):
            start = partition_info.var_offset if partition_info else [0] * len(shape)
            return tf.constant(value[tuple(slice(a, a + n) for a, n in zip(start, shape))], dtype)

        by_rows = by if value.ndim == 2 else None
        return v1.get_variable(name, value.shape, initializer=initial, use_resource=resource, partitioner=by_rows)

    x = v1.placeholder(tf.float32, [None, 4], name="x")
    hidden = tf.nn.relu(tf.matmul(x, variable("dense/kernel", values((4, 3), 1))) + variable("dense/bias", values((3,), 5)))
    y = tf.matmul(hidden, variable("logits/kernel", values((3, 2), -3)), name="y")
    tf.reshape(y, [-1, 2, 1], name="shaped")
    step = v1.train.get_or_create_global_step()
    loss = tf.reduce_sum(y * 0.5)
    train = v1.train.MomentumOptimizer(0.125, 0.5).minimize(loss, global_step=step)
    return train


def freeze(name, resource=False, parts=None):
    """One model: `model.ckpt`, `frozen.pb` made from it, `later.ckpt` after one more step of training."""
    folder = pathlib.Path(FOLDER, name)
    folder.mkdir(parents=True)
    with tf.Graph().as_default() as graph, v1.Session() as session:
        train = model(resource, parts)
        session.run(v1.global_variables_initializer())
        saver = v1.train.Saver()
        save = lambda file: saver.save(session, str(folder / file), write_meta_graph=False, write_state=False)
        save("model.ckpt")
        frozen = v1.graph_util.convert_variables_to_constants(session, graph.as_graph_def(), ["shaped"])
        (folder / "frozen.pb").write_bytes(frozen.SerializeToString(deterministic=True))
        session.run(train, {"x:0": values((2, 4), 1)})
        save("later.ckpt")


class Net(tf.Module):
    """A layer of TensorFlow 2."""

    def __init__(self):
        super().__init__()
        self.kernel = tf.Variable(values((4, 3), 1), name="kernel")
        self.bias = tf.Variable(values((3,), 5), name="bias")

    @tf.function(input_signature=[tf.TensorSpec([None, 4], tf.float32, name="x")])
    def __call__(self, x):
        return x @ self.kernel + self.bias


def module():
    """TensorFlow 2 names the constants by the order in which they are captured, and not by the variables."""
    folder = pathlib.Path(FOLDER, "module")
    folder.mkdir(parents=True)
    net = Net()
    tf.train.Checkpoint(net=net).write(str(folder / "model.ckpt"))
    frozen = convert_to_constants.convert_variables_to_constants_v2(net.__call__.get_concrete_function())
    data = frozen.graph.as_graph_def().SerializeToString(deterministic=True)
    (folder / "frozen.pb").write_bytes(data)


def main():
    """Writes all of them."""
    shutil.rmtree(FOLDER, ignore_errors=True)
    freeze("reference")
    freeze("resource", resource=True)
    freeze("partitioned", parts=2)
    freeze("partitioned_resource", resource=True, parts=2)
    module()
