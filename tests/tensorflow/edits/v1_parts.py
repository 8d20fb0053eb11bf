"""Graphs of TensorFlow 1 with one part that is edited: devices, towers, partitions, loops, queues, datasets, recurrent cells."""

import tensorflow as tf

from .v1 import classic, export, training

v1 = tf.compat.v1


def servers(path, tasks=1):
    """A training graph whose variables are placed on parameter servers in turn."""
    return training(path, device=v1.train.replica_device_setter(ps_tasks=tasks, worker_device="/job:worker/task:0"))


def towers(path, count=2):
    """A training graph with copies of the model that share variables, as for several GPUs."""
    with classic() as graph:
        v1.set_random_seed(1)
        features = tf.split(v1.placeholder(tf.float32, [32, 20], "features"), count)
        labels = tf.split(v1.placeholder(tf.int64, [32], "labels"), count)
        optimizer = v1.train.GradientDescentOptimizer(0.1)
        gradients = []
        for at in range(count):
            with tf.device(f"/device:GPU:{at}"), tf.name_scope(f"tower_{at}"), v1.variable_scope("model", reuse=at > 0):
                y = v1.layers.dense(features[at], 32, tf.nn.relu, name="hidden")
                logits = v1.layers.dense(y, 10, name="logits")
                loss = tf.reduce_mean(tf.nn.sparse_softmax_cross_entropy_with_logits(labels=labels[at], logits=logits))
                gradients.append(optimizer.compute_gradients(loss))
        averages = []
        for pairs in zip(*gradients):
            averages.append((tf.reduce_mean(tf.stack([gradient for gradient, _ in pairs]), 0), pairs[0][1]))
        optimizer.apply_gradients(averages, name="train")
        return export(path, graph, v1.train.Saver())


def partitions(path, count=2):
    with classic() as graph:
        v1.set_random_seed(1)
        with v1.variable_scope("words", partitioner=v1.fixed_size_partitioner(count)):
            table = v1.get_variable("embedding", [100, 16])
        y = tf.nn.embedding_lookup(table, v1.placeholder(tf.int64, [None, 5], "ids"))
        logits = v1.layers.dense(tf.reduce_mean(y, 1), 2)
        loss = tf.reduce_mean(tf.nn.sparse_softmax_cross_entropy_with_logits(
            labels=v1.placeholder(tf.int64, [None], "labels"), logits=logits))
        v1.train.GradientDescentOptimizer(0.1).minimize(loss)
        return export(path, graph, v1.train.Saver())


def loop(path, bound=10):
    """A loop whose condition and body are functions."""
    with classic() as graph:
        v1.enable_control_flow_v2()
        x = v1.placeholder(tf.float32, [4], "x")
        tf.while_loop(lambda i, x: i < bound, lambda i, x: (i + 1, x * 2.0), [0, x], name="loop")
        return export(path, graph)


def queue(path, capacity=64):
    with classic() as graph:
        queue = v1.FIFOQueue(capacity, [tf.float32], [[4]], name="queue")
        v1.train.add_queue_runner(v1.train.QueueRunner(queue, [queue.enqueue(tf.zeros([4]))]))
        v1.layers.dense(queue.dequeue_many(8), 3)
        return export(path, graph, v1.train.Saver())


def pipeline(path, scale=255.0):
    with classic() as graph:
        data = v1.data.Dataset.range(64).map(lambda x: tf.cast(x, tf.float32) / scale).batch(8)
        v1.data.make_initializable_iterator(data).get_next(name="next")
        return export(path, graph)


def unrolled(path, steps=5):
    """An unrolled LSTM, and its training."""
    with classic() as graph:
        v1.set_random_seed(1)
        x = v1.placeholder(tf.float32, [8, steps, 4], "x")
        outputs, _ = v1.nn.static_rnn(v1.nn.rnn_cell.LSTMCell(16), tf.unstack(x, axis=1), dtype=tf.float32)
        return trained(path, graph, v1.layers.dense(outputs[-1], 3))


def recurrent(path, cell="LSTMCell", units=16):
    """A recurrent network as a loop, and its training."""
    with classic() as graph:
        v1.set_random_seed(1)
        x = v1.placeholder(tf.float32, [None, None, 4], "x")
        outputs, _ = v1.nn.dynamic_rnn(getattr(v1.nn.rnn_cell, cell)(units), x, dtype=tf.float32)
        return trained(path, graph, v1.layers.dense(outputs[:, -1], 3))


def trained(path, graph, logits):
    labels = v1.placeholder(tf.int64, [None], "labels")
    loss = tf.reduce_mean(tf.nn.sparse_softmax_cross_entropy_with_logits(labels=labels, logits=logits))
    v1.train.AdamOptimizer().minimize(loss)
    return export(path, graph, v1.train.Saver())
