"""Checkpoints with optimizers, before and after some training, in `roles/`. See README.md.

Usage: python make_fixtures.py --roles
"""

import shutil

import numpy as np
import tensorflow as tf

v1 = tf.compat.v1
FOLDER = "roles"


def values(shape, start):
    """Numbers made without a random generator."""
    return (np.arange(np.prod(shape), dtype=np.float32).reshape(shape) + start) / 8


def keras():
    """A Keras 3 model and its optimizer, whose state is in lists, not in slots of the object graph."""
    tf.keras.utils.set_random_seed(7)
    dense = tf.keras.layers.Dense
    model = tf.keras.Sequential([tf.keras.Input((3,)), dense(4, name="hidden"), dense(2, name="logits")])
    optimizer = tf.keras.optimizers.Adam(0.125)
    optimizer.build(model.trainable_variables)
    for at, weight in enumerate(model.trainable_variables):
        weight.assign(values(weight.shape, at))
    checkpoint = tf.train.Checkpoint(model=model, optimizer=optimizer)
    checkpoint.save("roles/keras/before")
    gradients = [tf.constant(values(w.shape, 1)) for w in model.trainable_variables]
    optimizer.apply_gradients(zip(gradients, model.trainable_variables))
    checkpoint.save("roles/keras/after")


class Net(tf.Module):
    """Two variables, one of which is not trained."""

    def __init__(self):
        super().__init__()
        self.kernel = tf.Variable(values((3, 2), 1), name="kernel")
        self.frozen = tf.Variable(values((2,), 5), trainable=False, name="frozen")


def module():
    """A module with an optimizer that has slots, a step counter of the user, and `save_counter`."""
    net, optimizer = Net(), v1.train.AdamOptimizer(0.125)
    step = tf.Variable(0, dtype=tf.int64, name="global_step")
    checkpoint = tf.train.Checkpoint(net=net, optimizer=optimizer, step=step)
    train = lambda: optimizer.apply_gradients([(tf.constant(values((3, 2), 3)), net.kernel)])
    train()
    checkpoint.save("roles/module/trained")
    train()
    step.assign_add(1)
    checkpoint.save("roles/module/trained")
    # The previous weights with everything else unchanged, as after a restore that omits the weights.
    net.kernel.assign(values((3, 2), 1))
    checkpoint.save("roles/module/trained")
    slot = optimizer.get_slot(net.kernel, "m")
    slot.assign(slot + 1)
    checkpoint.save("roles/module/trained")


def graph():
    """TensorFlow 1, which stores only names. One variable is named like a slot but is not one."""
    with tf.Graph().as_default(), v1.Session() as session:
        kernel = v1.get_variable("dense/kernel", initializer=values((3, 2), 1))
        bias = v1.get_variable("dense/bias", initializer=values((2,), 1))
        other = v1.get_variable("other/Adam", initializer=values((2,), 1), trainable=False)
        step = v1.train.get_or_create_global_step()
        loss = v1.reduce_sum(kernel * kernel) + v1.reduce_sum(bias * bias)
        adam = v1.train.AdamOptimizer(0.125).minimize(loss, global_step=step)
        momentum = v1.train.MomentumOptimizer(0.125, 0.5).minimize(loss, var_list=[kernel])
        session.run(v1.global_variables_initializer())
        saver = v1.train.Saver()
        save = lambda name: saver.save(session, f"roles/graph/{name}.ckpt", write_meta_graph=False, write_state=False)
        save("before")
        session.run([adam])
        session.run([momentum])
        save("after")


def main():
    """Writes all checkpoints."""
    shutil.rmtree(FOLDER, ignore_errors=True)
    for make in (keras, module, graph):
        make()
