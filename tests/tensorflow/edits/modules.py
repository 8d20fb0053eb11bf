"""Modules of TensorFlow 2, saved as SavedModels: a small one, a transformer, one with a vocabulary."""

import os

import numpy as np
import tensorflow as tf

from .frozen import frozen_function


class Dense(tf.Module):
    def __init__(self, inputs, outputs, random, name=None):
        super().__init__(name)
        self.w = tf.Variable(random.normal(size=(inputs, outputs)).astype("f"), name="w")
        self.b = tf.Variable(tf.zeros([outputs]), name="b")

    def __call__(self, x):
        return x @ self.w + self.b


class Classifier(tf.Module):
    def __init__(self, seed, dtype, batch, method):
        super().__init__()
        random = np.random.default_rng(seed)
        self.hidden = Dense(8, 16, random)
        self.out = Dense(16, 3, random)
        signature = [tf.TensorSpec([batch, 8], dtype, "x")]
        setattr(self, method, tf.function(self.predict, input_signature=signature))
        self.score = tf.function(self.best, input_signature=signature)

    def predict(self, x):
        y = tf.nn.relu(self.hidden(tf.cast(x, tf.float32)))
        return {"probabilities": tf.nn.softmax(self.out(y))}

    def best(self, x):
        return {"score": tf.reduce_max(self.predict(x)["probabilities"], 1)}


def module(path, seed=1, dtype=tf.float32, batch=None, more=False, traced=0, version=None, method="serve", serving="serving_default"):
    made = Classifier(seed, dtype, batch, method)
    if version:
        made.version = tf.Variable(version, name="version")
    for size in range(traced):
        tf.function(lambda x: x + 1.0)(tf.zeros([size]))
    signatures = {serving: getattr(made, method)}
    if more:
        signatures["score"] = made.score
    tf.saved_model.save(made, path, signatures)
    return path


class Norm(tf.Module):
    def __init__(self, width):
        super().__init__()
        self.gamma = tf.Variable(tf.ones([width]), name="gamma")
        self.beta = tf.Variable(tf.zeros([width]), name="beta")

    def __call__(self, x):
        mean, variance = tf.nn.moments(x, [-1], keepdims=True)
        return tf.nn.batch_normalization(x, mean, variance, self.beta, self.gamma, 1e-5)


class Block(tf.Module):
    def __init__(self, width, heads, activation, norm_first, random):
        super().__init__()
        self.heads, self.activation, self.norm_first = heads, activation, norm_first
        self.norm0, self.norm1 = Norm(width), Norm(width)
        self.qkv, self.project = Dense(width, 3 * width, random), Dense(width, width, random)
        self.up, self.down = Dense(width, 4 * width, random), Dense(4 * width, width, random)

    def attention(self, x):
        batch, length, width = tf.shape(x)[0], x.shape[1], x.shape[2]
        parts = tf.split(self.qkv(x), 3, axis=-1)
        q, k, v = (tf.transpose(tf.reshape(part, [batch, length, self.heads, width // self.heads]), [0, 2, 1, 3]) for part in parts)
        weights = tf.nn.softmax(tf.matmul(q, k, transpose_b=True) / (width // self.heads) ** 0.5)
        return self.project(tf.reshape(tf.transpose(weights @ v, [0, 2, 1, 3]), [batch, length, width]))

    def mlp(self, x):
        return self.down(self.activation(self.up(x)))

    def __call__(self, x):
        if self.norm_first:
            x = x + self.attention(self.norm0(x))
            return x + self.mlp(self.norm1(x))
        x = self.norm0(x + self.attention(x))
        return self.norm1(x + self.mlp(x))


class Transformer(tf.Module):
    def __init__(self, depth, heads, activation, norm_first):
        super().__init__()
        random = np.random.default_rng(1)
        self.embedding = tf.Variable(random.normal(size=(100, 16)).astype("f"), name="embedding")
        self.blocks = [Block(16, heads, activation, norm_first, random) for _ in range(depth)]
        self.out = Dense(16, 100, np.random.default_rng(2))

    @tf.function(input_signature=[tf.TensorSpec([None, 12], tf.int32, "ids")])
    def __call__(self, ids):
        x = tf.gather(self.embedding, ids)
        for block in self.blocks:
            x = block(x)
        return {"logits": self.out(x)}


def transformer(path, depth=2, heads=4, activation=tf.nn.gelu, norm_first=False, frozen=False):
    made = Transformer(depth, heads, activation, norm_first)
    if frozen:
        return frozen_function(path, made.__call__)
    tf.saved_model.save(made, path)
    return path


class Lookup(tf.Module):
    def __init__(self, vocabulary):
        super().__init__()
        initializer = tf.lookup.TextFileInitializer(
            vocabulary, tf.string, tf.lookup.TextFileIndex.WHOLE_LINE, tf.int64, tf.lookup.TextFileIndex.LINE_NUMBER)
        self.words = tf.lookup.StaticVocabularyTable(initializer, 1)

    @tf.function(input_signature=[tf.TensorSpec([None], tf.string, "words")])
    def __call__(self, words):
        return {"ids": self.words.lookup(words)}


def vocab(path, name="vocab.txt", words=("the", "a", "of"), extra=None):
    vocabulary = os.path.join(os.path.dirname(path), name)
    with open(vocabulary, "w") as file:
        file.write("".join(word + "\n" for word in words))
    tf.saved_model.save(Lookup(vocabulary), path)
    os.remove(vocabulary)
    if extra:
        os.mkdir(os.path.join(path, "assets.extra"))
        with tf.io.TFRecordWriter(os.path.join(path, "assets.extra/tf_serving_warmup_requests")) as writer:
            writer.write(extra)
    return path
