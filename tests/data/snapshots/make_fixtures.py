"""Writes one set of models with the TensorFlow that runs this script: python make_fixtures.py OUT

The fixtures here are the output of three versions, of one version in a second process, and of Keras models that were built
twice in one process. README.md lists the commands.
"""

import os
import shutil
import sys

os.environ["TF_CPP_MIN_LOG_LEVEL"] = "3"

import tensorflow as tf


def training(out):
    """A training graph of TensorFlow 1 with Adam and a saver, as an exported meta graph."""
    v1 = tf.compat.v1
    graph = tf.Graph()
    with graph.as_default(), v1.variable_scope("", use_resource=True):
        v1.set_random_seed(42)
        features = v1.placeholder(tf.float32, [None, 6], "features")
        labels = v1.placeholder(tf.int64, [None], "labels")
        v1.train.get_or_create_global_step()
        with v1.variable_scope("hidden"):
            kernel = v1.get_variable("kernel", [6, 4], initializer=v1.glorot_uniform_initializer(seed=1))
            bias = v1.get_variable("bias", [4], initializer=v1.zeros_initializer())
            hidden = tf.nn.relu(tf.matmul(features, kernel) + bias)
        with v1.variable_scope("logits"):
            kernel = v1.get_variable("kernel", [4, 3], initializer=v1.glorot_uniform_initializer(seed=2))
            logits = tf.matmul(hidden, kernel, name="logits")
        loss = v1.losses.sparse_softmax_cross_entropy(labels, logits)
        v1.train.AdamOptimizer(1e-3).minimize(loss, v1.train.get_global_step())
        table = tf.lookup.StaticHashTable(
            tf.lookup.KeyValueTensorInitializer(tf.constant(["cat", "dog"]), tf.constant([0, 1], tf.int64)), -1)
        table.lookup(tf.constant(["cat"]), name="known")
        saver = v1.train.Saver(sharded=True)
        v1.train.export_meta_graph(os.path.join(out, "training.meta"), graph=graph, saver_def=saver.as_saver_def())


class Scorer(tf.Module):
    """Two signatures, a loop, a condition and a table from a file."""

    def __init__(self, vocabulary):
        super().__init__("scorer")
        initializer = tf.lookup.TextFileInitializer(
            vocabulary, tf.string, tf.lookup.TextFileIndex.WHOLE_LINE, tf.int64, tf.lookup.TextFileIndex.LINE_NUMBER)
        self.words = tf.lookup.StaticHashTable(initializer, -1)
        self.embedding = tf.Variable(tf.zeros([3, 2]), name="embedding")
        self.weight = tf.Variable(tf.ones([2, 2]), name="weight")
        self.count = tf.Variable(0, name="count", trainable=False, dtype=tf.int64)

    @tf.function(input_signature=[tf.TensorSpec([None], tf.string, "words")])
    def embed(self, words):
        rows = tf.maximum(self.words.lookup(words), 0)
        return {"vectors": tf.gather(self.embedding, rows)}

    @tf.function(input_signature=[tf.TensorSpec([None, 2], tf.float32, "vectors")])
    def score(self, vectors):
        for _ in tf.range(3):
            vectors = tf.matmul(vectors, self.weight)
        if tf.reduce_sum(vectors) > 0.0:
            vectors = -vectors
        return {"scores": self.total(vectors)}

    @tf.function
    def total(self, vectors):
        return tf.reduce_sum(vectors, 1)


def module(out):
    vocabulary = os.path.join(out, "words.txt")
    with open(vocabulary, "w") as file:
        file.write("cat\ndog\nemu\n")
    scorer = Scorer(vocabulary)
    signatures = {"serving_default": scorer.embed, "score": scorer.score}
    options = tf.saved_model.SaveOptions(function_aliases={"embedding": scorer.embed, "scoring": scorer.score})
    tf.saved_model.save(scorer, os.path.join(out, "module"), signatures, options)
    os.remove(vocabulary)


def keras(out, times):
    """A model of Keras without names of its own, built `times` times; the last one is exported."""
    tf.keras.utils.set_random_seed(1)
    for _ in range(times):
        model = tf.keras.Sequential([
            tf.keras.layers.Input([6]),
            tf.keras.layers.Dense(4, activation="relu"),
            tf.keras.layers.Dropout(0.5),
            tf.keras.layers.Dense(3),
        ])
        model.compile(optimizer="adam", loss="mse")
    model.export(os.path.join(out, f"keras_{times}"))


def main(out):
    shutil.rmtree(out, ignore_errors=True)
    os.makedirs(out)
    training(out)
    module(out)
    keras(out, 1)
    keras(out, 2)


if __name__ == "__main__":
    main(sys.argv[1])
