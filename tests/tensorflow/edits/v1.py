"""Training graphs of TensorFlow 1: two dense layers with batch norm and dropout, Adam, a saver, summaries."""

import dataclasses

import numpy as np
import tensorflow as tf

v1 = tf.compat.v1


def export(path, graph, saver=None, strip=False):
    v1.train.export_meta_graph(
        path + ".meta", graph=graph, saver_def=saver and saver.as_saver_def(), strip_default_attrs=strip)
    return path + ".meta"


def classic(behavior=1):
    """A graph as TensorFlow 1 makes it, where variables are references and loops are nodes, or as TensorFlow 2 does."""
    if behavior == 1:
        v1.disable_v2_behavior()
    return tf.Graph().as_default()


@dataclasses.dataclass
class Script:
    """What can be edited in the script."""

    behavior: int = 1
    seed: int | None = 42
    seeded: bool = True
    batch: int | None = None
    dtype: tf.DType = tf.float32
    named: bool = False
    front: bool = False
    inserted: bool = False
    last: bool = False
    units: int = 64
    activation: str = "relu"
    trainable: bool = True
    norm: bool = True
    rate: float = 0.4
    model: str | None = None
    head: str | None = None
    device: object = None
    layer_device: str | None = None
    inference: bool = False
    mean_squared: bool = False
    swapped: bool = False
    l2: float | None = None
    optimizer: str = "Adam"
    learning_rate: float = 1e-3
    clip: str | None = None
    summary: bool = False
    metric: bool = False
    init: bool = False
    sharded: bool = False
    keys: str | None = None
    strip: bool = False
    steps: int = 0


def training(path, **edit):
    """A meta graph, or a checkpoint with one if there are steps."""
    script = Script(**edit)
    with classic(script.behavior) as graph, v1.device(script.device):
        if script.seed is not None:
            v1.set_random_seed(script.seed)
        features = v1.placeholder(script.dtype, [script.batch, 20], "features")
        labels = v1.placeholder(tf.int64, [script.batch], "labels")
        with v1.variable_scope(script.model or v1.get_variable_scope()):
            logits = network(script, features)
        if script.inference:
            tf.nn.softmax(logits, name="probabilities")
        else:
            train(script, logits, labels)
        saver = made_saver(script)
        if script.init or script.steps:
            v1.global_variables_initializer()
        return saved(script, path, saver) if script.steps else export(path, graph, saver, script.strip)


def network(script, x):
    y = dense(script, x, 20, tf.nn.relu, "front") if script.front else x
    with tf.device(script.layer_device):
        y = hidden(script, y, script.units, getattr(tf.nn, script.activation), "hidden0", script.trainable)
    if script.inserted:
        y = dense(script, y, script.units, tf.nn.relu, "inserted")
    with v1.name_scope(script.head):
        y = hidden(script, y, 32, tf.nn.relu, "hidden1")
    if script.last:
        y = dense(script, y, 16, tf.nn.relu, "last")
    return dense(script, y, 10, None, "logits")


def hidden(script, x, units, activation, name, trainable=True):
    y = dense(script, x, units, activation, name, trainable)
    if script.norm:
        y = v1.layers.batch_normalization(y, training=not script.inference, trainable=trainable)
    return v1.layers.dropout(y, script.rate, seed=1 if script.seeded else None, training=not script.inference)


def dense(script, x, units, activation, name, trainable=True):
    initializer = v1.glorot_uniform_initializer(seed=1) if script.seeded else None
    return v1.layers.dense(
        x, units, activation, kernel_initializer=initializer, trainable=trainable, name=name if script.named else None)


def train(script, logits, labels):
    step = v1.train.get_or_create_global_step()
    if script.metric:
        v1.metrics.accuracy(labels, tf.argmax(logits, 1))
    loss = made_loss(script, logits, labels)
    if script.l2:
        kernels = [variable for variable in v1.trainable_variables() if "kernel" in variable.name]
        loss += script.l2 * tf.add_n([tf.nn.l2_loss(kernel) for kernel in kernels])
    right = tf.equal(tf.argmax(logits, 1), labels)
    accuracy = tf.reduce_mean(tf.cast(right, tf.float32), name="accuracy")
    momentum = {"momentum": 0.9} if script.optimizer == "Momentum" else {}
    optimizer = getattr(v1.train, script.optimizer + "Optimizer")(script.learning_rate, **momentum)
    with tf.control_dependencies(v1.get_collection(v1.GraphKeys.UPDATE_OPS)):
        gradients, variables = zip(*optimizer.compute_gradients(loss))
        if script.clip == "norm":
            gradients, _ = tf.clip_by_global_norm(gradients, 1.0)
        elif script.clip == "value":
            gradients = [tf.clip_by_value(gradient, -1.0, 1.0) for gradient in gradients]
        optimizer.apply_gradients(zip(gradients, variables), step, name="train")
    v1.summary.scalar("loss", loss)
    v1.summary.scalar("accuracy", accuracy)
    if script.summary:
        v1.summary.histogram("logits", logits)
    v1.summary.merge_all()


def made_loss(script, logits, labels):
    if not script.mean_squared:
        return tf.reduce_mean(tf.nn.sparse_softmax_cross_entropy_with_logits(labels=labels, logits=logits))
    target = tf.one_hot(labels, 10)
    error = target - logits if script.swapped else logits - target
    return tf.reduce_mean(tf.square(error))


def made_saver(script):
    variables = {f"{script.keys}/{variable.op.name}": variable for variable in v1.global_variables()} if script.keys else None
    return v1.train.Saver(variables, sharded=script.sharded)


def saved(script, path, saver):
    """A checkpoint after some steps with batches in an order of their own."""
    random = np.random.default_rng()
    with v1.Session() as session:
        session.run("init")
        for _ in range(script.steps):
            session.run("train", {"features:0": random.random((32, 20)), "labels:0": random.integers(10, size=32)})
        return saver.save(session, path + ".ckpt")
