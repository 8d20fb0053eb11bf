"""Models as people make them, and edits that people make: a script, one edit, the script again.

`EDITS` has a row for each edit: its name, a function that writes the model before and after it, and whether a snapshot is to be
the same. Each function takes the path of the model without its extension, and returns the path that opens it.
"""

import functools
import os
import shutil

import numpy as np
import tensorflow as tf

v1 = tf.compat.v1


# Training graphs of TensorFlow 1.


def dense(x, units, name, kernel=None, l2=None):
    with v1.variable_scope(name, default_name="dense"):
        weights = v1.get_variable(
            "kernel", [x.shape[-1], units], initializer=v1.glorot_uniform_initializer(seed=kernel or 1),
            regularizer=l2 and (lambda w: tf.multiply(l2, tf.nn.l2_loss(w), name="l2")))
        bias = v1.get_variable("bias", [units], initializer=v1.zeros_initializer())
        return tf.nn.bias_add(tf.matmul(x, weights), bias)


def batch_norm(x, name):
    with v1.variable_scope(name):
        gamma = v1.get_variable("gamma", [x.shape[-1]], initializer=v1.ones_initializer())
        beta = v1.get_variable("beta", [x.shape[-1]], initializer=v1.zeros_initializer())
        mean, variance = tf.nn.moments(x, [0])
        return tf.nn.batch_normalization(x, mean, variance, beta, gamma, 1e-3)


def losses(logits, labels, mean_squared):
    if mean_squared:
        return tf.reduce_mean(tf.square(logits - tf.one_hot(labels, 3)), name="mse")
    return tf.reduce_mean(tf.nn.sparse_softmax_cross_entropy_with_logits(labels=labels, logits=logits), name="xent")


def training(path, activation=tf.nn.relu, inserted=False, front=False, seed=42, rate=0.4, units=8, mean_squared=False,
             batch=None, head=False, clip=False, l2=1e-4, summary=False, device=None, swapped=False, inference=False,
             sharded=False, keys=None, strip=False, init=False, metric=False, numbered=False):
    graph = tf.Graph()
    with graph.as_default():
        v1.set_random_seed(seed)
        x = v1.placeholder(tf.float32, [batch, 6], "features")
        labels = v1.placeholder(tf.int64, [batch], "labels")
        v1.train.get_or_create_global_step()
        names = [None, None, None] if numbered else ["hidden0", "hidden1", "logits"]
        y = dense(x, 6, None) if front else x
        with tf.device(device):
            y = activation(dense(y, units, names[0], l2=l2))
        if not inference:
            y = batch_norm(y, "norm")
            y = tf.nn.dropout(y, rate=rate, seed=3)
        if inserted:
            y = tf.nn.relu(dense(y, units, "inserted", kernel=4))
        with v1.variable_scope("head") if head else graph.name_scope(None):
            y = tf.nn.relu(dense(y, 4, names[1], kernel=2))
            logits = dense(y, 3, names[2], kernel=3)
        target = tf.one_hot(labels, 3)
        tf.subtract(*((target, logits) if swapped else (logits, target)), name="error")
        if not inference:
            loss = losses(logits, labels, mean_squared) + tf.add_n(v1.losses.get_regularization_losses())
            optimizer = v1.train.AdamOptimizer(1e-3)
            gradients = optimizer.compute_gradients(loss)
            if clip:
                clipped, _ = tf.clip_by_global_norm([gradient for gradient, _ in gradients], 1.0)
                gradients = list(zip(clipped, [variable for _, variable in gradients]))
            optimizer.apply_gradients(gradients, v1.train.get_global_step())
            v1.summary.scalar("loss", loss)
        if summary:
            v1.summary.histogram("logits", logits)
        if metric:
            v1.metrics.accuracy(labels, tf.argmax(logits, 1), name="accuracy")
        variables = v1.global_variables()
        saved = {f"{keys}/{variable.op.name}": variable for variable in variables} if keys else variables
        saver = v1.train.Saver(saved, sharded=sharded)
        if init:
            v1.global_variables_initializer()
    return export(graph, path, saver, strip)


def export(graph, path, saver=None, strip=False):
    with graph.as_default():
        v1.train.export_meta_graph(
            path + ".meta", graph=graph, saver_def=saver and saver.as_saver_def(), strip_default_attrs=strip)
    return path + ".meta"


def servers(path, tasks=1):
    """Variables that are placed on parameter servers in turn."""
    with tf.Graph().as_default() as graph:
        with v1.device(v1.train.replica_device_setter(ps_tasks=tasks)):
            y = v1.placeholder(tf.float32, [None, 6], "features")
            for layer in range(3):
                y = dense(y, 6, f"layer{layer}")
        return export(graph, path)


def towers(path, count=2):
    with tf.Graph().as_default() as graph:
        parts = tf.split(v1.placeholder(tf.float32, [8, 6], "features"), count)
        outputs = []
        for at, part in enumerate(parts):
            with tf.name_scope(f"tower_{at}"), v1.variable_scope("model", reuse=at > 0):
                outputs.append(dense(part, 4, "dense"))
        tf.concat(outputs, 0, name="all")
        return export(graph, path)


def partitions(path, count=2):
    with tf.Graph().as_default() as graph:
        table = v1.get_variable("embedding", [16, 4], partitioner=v1.fixed_size_partitioner(count))
        tf.nn.embedding_lookup(table, v1.placeholder(tf.int64, [None], "ids"))
        saver = v1.train.Saver()
        return export(graph, path, saver)


def loop(path, bound=10):
    with tf.Graph().as_default() as graph:
        v1.enable_control_flow_v2()
        x = v1.placeholder(tf.float32, [4], "x")
        tf.while_loop(lambda i, x: i < bound, lambda i, x: (i + 1, x * 2.0), [0, x], name="loop")
        v1.disable_control_flow_v2()
        return export(graph, path)


def queue(path, capacity=64):
    with tf.Graph().as_default() as graph:
        queue = v1.FIFOQueue(capacity, [tf.float32], [[4]], name="queue")
        v1.train.add_queue_runner(v1.train.QueueRunner(queue, [queue.enqueue(tf.zeros([4]))]))
        tf.identity(queue.dequeue(), name="next")
        return export(graph, path)


def pipeline(path, scale=255.0):
    with tf.Graph().as_default() as graph:
        data = v1.data.Dataset.range(8).map(lambda x: tf.cast(x, tf.float32) / scale)
        v1.data.make_initializable_iterator(data).get_next(name="next")
        return export(graph, path)


# Frozen graphs.


def frozen(path, seed=1, scope="", output="probabilities", swapped=False):
    random = np.random.RandomState(seed)
    with tf.Graph().as_default() as graph:
        x = v1.placeholder(tf.float32, [None, 6], "x")
        y = tf.matmul(x, tf.constant(random.rand(6, 8).astype("f"), name="kernel0"))
        scale = tf.constant(random.rand(8).astype("f"), name="scale")
        y = tf.nn.relu(tf.multiply(*((scale, y) if swapped else (y, scale)), name="scaled"))
        y = tf.matmul(y, tf.constant(random.rand(8, 3).astype("f"), name="kernel1"))
        tf.nn.softmax(y, name=output)
        graph_def = graph.as_graph_def()
    if scope:
        with tf.Graph().as_default() as graph:
            tf.import_graph_def(graph_def, name=scope)
            graph_def = graph.as_graph_def()
    with open(path + ".pb", "wb") as file:
        file.write(graph_def.SerializeToString())
    return path + ".pb"


# SavedModels.


class Module(tf.Module):
    def __init__(self, dtype, vocabulary):
        super().__init__()
        initializer = tf.lookup.TextFileInitializer(
            vocabulary, tf.string, tf.lookup.TextFileIndex.WHOLE_LINE, tf.int64, tf.lookup.TextFileIndex.LINE_NUMBER)
        self.words = tf.lookup.StaticHashTable(initializer, -1)
        self.weight = tf.Variable(tf.ones([2, 2]), name="weight")
        signature = [tf.TensorSpec([None, 2], dtype, "x")]
        self.scale = tf.function(lambda x: {"y": tf.matmul(tf.cast(x, tf.float32), self.weight)}, input_signature=signature)
        self.score = tf.function(lambda x: {"y": tf.reduce_sum(tf.cast(x, tf.float32), 1)}, input_signature=signature)
        self.lookup = tf.function(
            lambda x: {"y": self.words.lookup(x)}, input_signature=[tf.TensorSpec([None], tf.string, "x")])


def module(path, value=1.0, retraced=False, dtype=tf.float32, more=False, vocabulary="vocab.txt", words="a\nb\n"):
    shutil.rmtree(path, ignore_errors=True)
    vocabulary = os.path.join(os.path.dirname(path), vocabulary)
    with open(vocabulary, "w") as file:
        file.write(words)
    made = Module(dtype, vocabulary)
    made.weight.assign(tf.fill([2, 2], value))
    if retraced:
        for size in range(1, 4):
            tf.function(lambda x: x + 1.0)(tf.zeros([size]))
    signatures = {"serving_default": made.scale, "lookup": made.lookup}
    if more:
        signatures["score"] = made.score
    tf.saved_model.save(made, path, signatures)
    return path


def keras(path, times=1, inserted=False, units=8, policy="float32", rate=0.0):
    shutil.rmtree(path, ignore_errors=True)
    tf.keras.backend.clear_session()
    tf.keras.utils.set_random_seed(1)
    tf.keras.mixed_precision.set_global_policy(policy)
    layers = tf.keras.layers
    for _ in range(times):
        model = tf.keras.Sequential([layers.Input([6])])
        model.add(layers.Dense(units, activation="relu"))
        if inserted:
            model.add(layers.Dense(units, activation="relu", name="inserted"))
        if rate:
            model.add(layers.Dropout(rate))
        model.add(layers.Dense(3))
    model.export(path, verbose=False)
    tf.keras.mixed_precision.set_global_policy("float32")
    return path


# Checkpoints of objects.


def objects(path, inserted=False, value=1.0):
    widths = [6, 4, 4, 3] if inserted else [6, 4, 3]
    kernels = [tf.Variable(tf.fill(list(pair), value), name=f"kernel{at}") for at, pair in enumerate(zip(widths, widths[1:]))]
    made = tf.train.Checkpoint(**{f"layer_with_weights-{at}": kernel for at, kernel in enumerate(kernels)})
    return made.write(path)


def rows(make, *rows):
    """Rows of edits to one model: what the edit is called, its arguments, and whether the structure stays the same."""
    return [(name, make, functools.partial(make, **edit), is_same) for name, edit, is_same in rows]


EDITS = [
    *rows(
        training,
        ("v1 activation", {"activation": tf.nn.elu}, False),
        ("v1 layer middle named", {"inserted": True}, False),
        ("v1 seed", {"seed": 43}, False),
        ("v1 dropout rate", {"rate": 0.2}, False),
        ("v1 widened named", {"units": 16}, False),
        ("v1 loss", {"mean_squared": True}, False),
        ("v1 batch fixed", {"batch": 64}, False),
        ("v1 half in scope", {"head": True}, False),
        ("v1 clip gradients", {"clip": True}, False),
        ("v1 l2 factor", {"l2": 1e-3}, False),
        ("v1 summary added", {"summary": True}, False),
        ("v1 device pinned", {"device": "/device:CPU:0"}, False),
        ("v1 swapped sub", {"swapped": True}, False),
        ("v1 training to inference", {"inference": True}, False),
        ("v1 saver sharded", {"sharded": True}, False),
        ("v1 saver keys", {"keys": "ema"}, False),
        ("v1 stripped defaults", {"strip": True}, True),
        ("v1 exported after run", {"init": True}, False),
        ("v1 metric added", {"metric": True}, False),
        ("v1 twin", {}, True),
    ),
    ("v1 layer front", functools.partial(training, numbered=True), functools.partial(training, numbered=True, front=True), False),
    *rows(servers, ("v1 parameter servers", {"tasks": 2}, False)),
    *rows(towers, ("v1 towers two to four", {"count": 4}, False)),
    *rows(partitions, ("v1 partitions", {"count": 4}, False)),
    *rows(loop, ("v1 while functional bound", {"bound": 12}, False)),
    *rows(queue, ("v1 queue capacity", {"capacity": 128}, False)),
    *rows(pipeline, ("v1 dataset map", {"scale": 127.5}, False)),
    *rows(
        frozen,
        ("frozen retrained", {"seed": 2}, False),
        ("frozen imported", {"scope": "import"}, False),
        ("frozen output renamed", {"output": "scores"}, False),
        ("frozen swapped mul", {"swapped": True}, True),
    ),
    *rows(
        module,
        ("module twin", {}, True),
        ("module retrained", {"value": 2.0}, True),
        ("module retraced", {"retraced": True}, True),
        ("module signature dtype", {"dtype": tf.float16}, False),
        ("module signature added", {"more": True}, False),
        ("vocab file renamed", {"vocabulary": "words.txt"}, False),
        ("vocab changed", {"words": "a\nc\n"}, False),
    ),
    *rows(
        keras,
        ("k3 twin", {}, True),
        ("k3 built twice", {"times": 2}, True),
        ("k3 layer middle named", {"inserted": True}, False),
        ("k3 widened", {"units": 16}, False),
        ("k3 dropout added", {"rate": 0.5}, False),
        ("k3 mixed bfloat16", {"policy": "mixed_bfloat16"}, False),
    ),
    *rows(objects, ("ckpt twin", {}, True), ("ckpt retrained", {"value": 2.0}, True), ("ckpt layer middle", {"inserted": True}, False)),
]
