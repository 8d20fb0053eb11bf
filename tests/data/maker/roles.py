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
    # The keys of `model.export`, which saves some variables twice, in an order that differs from run to run.
    copies = [tf.Variable(weight, name=weight.path) for weight in model.variables * 2]
    half = len(copies) // 2
    exported = tf.train.Checkpoint(variables=copies[:half], _all_variables=copies[half:])
    exported.write("roles/keras/exported")


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


def tracked():
    """Two checkpoints with the same variable, the second of which tracks a module without variables, too."""
    kernel = tf.Variable([1.0, 2.0], name="kernel")
    for name, has_more in (("before", False), ("after", True)):
        net = tf.Module()
        net.kernel = kernel
        if has_more:
            net.more = tf.Module()
        tf.train.Checkpoint(net=net).write(f"roles/tracked/{name}")


def named():
    """Names of optimizers other than TensorFlow's: BERT's, Adafactor's, those of Keras 2. All have a variable beside them."""
    kernel, row = values((3, 2), 1), values((3,), 1)
    tensors = {
        "bert/dense/kernel": kernel,
        "bert/dense/kernel/adam_m": kernel,
        "bert/dense/kernel/adam_v": kernel,
        "t5/wi/kernel": kernel,
        "t5/wi/kernel_slot_vc": values((2,), 1),
        "t5/wi/kernel_slot_vr": row,
        "dense/kernel": kernel,
        "Adam/m/dense/kernel": kernel,
        "training/Adam/dense/kernel/v": kernel,
        "Adam/learning_rate": np.float32(0.125),
        "Adam/iter": np.int64(7),
        # These are weights, in spite of their names.
        "other/adam_m": row,
        "Adam/embedding": row,
    }
    with tf.Graph().as_default(), v1.Session() as session:
        saved = [v1.Variable(value, name=name, use_resource=False) for name, value in tensors.items()]
        session.run(v1.global_variables_initializer())
        v1.train.Saver(saved).save(session, "roles/named/model.ckpt", write_meta_graph=False, write_state=False)


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
    for make in (keras, module, tracked, named, graph):
        make()
