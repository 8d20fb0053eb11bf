"""SavedModels of TensorFlow 1's builder, each with the meta graphs that it was built from, in `built/`. See README.md.

Usage: python make_fixtures.py --built
"""

import os
import pathlib
import shutil

import numpy as np
import tensorflow as tf

v1 = tf.compat.v1
utils = v1.saved_model
# Paths in the graphs start at the root of the repository, as in the tests.
ROOT = pathlib.Path(__file__).resolve().parents[3]
FOLDER = "tests/data/built"
FILES = f"{FOLDER}/files"
CASES = {}


def case(make):
    """Registers a SavedModel."""
    CASES[make.__name__] = make
    return make


class Built:
    """A builder that stores the meta graphs passed to it."""

    def __init__(self, name):
        self.folder = f"{FOLDER}/{name}"
        os.makedirs(self.folder)
        self.builder = utils.Builder(f"{self.folder}/saved")
        self.added = 0

    def add(self, tags, signatures=None, **options):
        """Adds the graph of the session that is open, with its variables if it is the first."""
        graph = v1.get_default_graph()
        meta = v1.train.export_meta_graph(graph=graph).SerializeToString(deterministic=True)
        pathlib.Path(f"{self.folder}/before.{self.added}.meta").write_bytes(meta)
        if self.added == 0:
            session = v1.get_default_session()
            self.builder.add_meta_graph_and_variables(session, tags, signatures, **options)
        else:
            self.builder.add_meta_graph(tags, signatures, **options)
        self.added += 1


def filled():
    """Assigns values to all variables without a random generator."""
    session = v1.get_default_session()
    for at, one in enumerate(v1.global_variables()):
        count = int(np.prod(one.shape.as_list()))
        numbers = (np.arange(count) * 3 + 7 * at + 1).reshape(one.shape.as_list())
        session.run(one.assign(numbers.astype(one.dtype.base_dtype.as_numpy_dtype)))


def variable(name, shape, resource=True, dtype=tf.float32, **options):
    """A variable of zeros."""
    return v1.get_variable(name, shape, dtype, v1.zeros_initializer(), use_resource=resource, **options)


def asset(name, path):
    """A constant with the path of a file."""
    return tf.constant(f"{FILES}/{path}", name=name)


def table(path, name):
    """A table from a file, and the op that fills it."""
    made = tf.raw_ops.HashTableV2(key_dtype=tf.string, value_dtype=tf.int64, shared_name=name)
    fill = tf.raw_ops.InitializeTableFromTextFileV2(
        table_handle=made, filename=path, key_index=-2, value_index=-1, name=f"{name}/fill"
    )
    return made, fill


@case
def plain(built):
    """One reference variable, one signature."""
    with tf.Graph().as_default(), v1.Session():
        x = v1.placeholder(tf.float32, [None, 2], name="x")
        y = tf.matmul(x, variable("w", [2, 3], resource=False), name="y")
        filled()
        signatures = {"serving_default": utils.predict_signature_def({"x": x}, {"y": y})}
        built.add(["serve"], signatures)
    built.builder.save()


@case
def two(built):
    """Two tag sets, variables on devices, parts, files of one name, a main op; the second without devices and defaults."""
    with tf.Graph().as_default(), v1.Session(config=v1.ConfigProto(allow_soft_placement=True)):
        first, second = asset("first", "a/words.txt"), asset("second", "b/words.txt")
        again, third = asset("again", "c/words.txt"), asset("third", "d/words.txt")
        words = v1.placeholder(tf.string, [None], name="words")
        made, fill = table(first, "words_table")
        other, fill_other = table(second, "other_table")
        with tf.device("/device:CPU:0"):
            weights = variable("weights", [4], resource=False)
            variable("p", [5, 2], partitioner=v1.fixed_size_partitioner(2))
        variable("step", [], dtype=tf.int64)
        found = tf.raw_ops.LookupTableFindV2(
            table_handle=made, keys=words, default_value=tf.constant(-1, tf.int64)
        )
        scores = tf.gather(weights, tf.maximum(found, tf.constant(0, tf.int64)), name="scores")
        labels = tf.as_string(found, name="labels")
        filled()
        signatures = {
            "serving_default": utils.predict_signature_def({"words": words}, {"scores": scores}),
            "regress": utils.regression_signature_def(words, scores),
            "classify": utils.classification_signature_def(words, labels, scores),
            "naïve": utils.build_signature_def({"wörter": utils.build_tensor_info(words)}, method_name="own"),
        }
        assert other is not made
        start = tf.group(fill, fill_other, name="start")
        built.add(["serve", "gpu"], signatures, assets_collection=[first, second, again, third], main_op=start)
    with tf.Graph().as_default():
        with tf.device("/device:CPU:0"):
            variable("weights", [4])
        variable("step", [], dtype=tf.int64)
        x = v1.placeholder(tf.float32, [4], name="x")
        v1.nn.l2_loss(x, name="loss")
        files = [asset("first", "a/words.txt"), asset("second", "b/words.txt")]
        built.add(["train"], None, assets_collection=files, clear_devices=True, strip_default_attrs=True)
    built.builder.save(as_text=True)


@case
def composite(built):
    """Ragged and sparse tensors in signatures, a legacy init op, a saver for some variables."""
    with tf.Graph().as_default(), v1.Session():
        sparse = v1.sparse_placeholder(tf.float32, [None, 4], name="sparse")
        known = tf.SparseTensor(v1.placeholder(tf.int64, [None, 2]), v1.placeholder(tf.int8, [None]), [3, 5])
        ragged = v1.ragged.placeholder(tf.int32, 1, [], name="ragged")
        kept = variable("kept", [2])
        variable("left", [3])
        y = tf.identity(kept, name="y")
        filled()
        v1.train.Saver()
        own = v1.train.Saver([kept], name="own")
        infos = {"sparse": sparse, "known": known, "ragged": ragged}
        inputs = {name: utils.build_tensor_info(tensor) for name, tensor in infos.items()}
        outputs = {"y": utils.build_tensor_info(y)}
        signature = utils.build_signature_def(inputs, outputs, "own/method")
        legacy = tf.group(name="legacy")
        built.add(["serve"], {"mixed": signature}, legacy_init_op=legacy, saver=own)
    built.builder.save()


@case
def nothing(built):
    """No variables."""
    with tf.Graph().as_default(), v1.Session():
        x = v1.placeholder(tf.float32, [], name="x")
        y = tf.add(x, 1.0, name="y")
        built.add([], {"add": utils.predict_signature_def({"x": x}, {"y": y})})
    built.builder.save()


def main():
    """Writes all of `built/`."""
    os.chdir(ROOT)
    shutil.rmtree(FOLDER, ignore_errors=True)
    for name, words in {"a": "the\nof\n", "b": "of\nthe\n", "c": "the\nof\n", "d": "naïve\n"}.items():
        os.makedirs(f"{FILES}/{name}")
        pathlib.Path(f"{FILES}/{name}/words.txt").write_text(words, encoding="utf-8")
    for name, make in CASES.items():
        make(Built(name))
