"""SavedModels of TensorFlow 1's builder and of tf.saved_model.save, in `saved_models/`."""

import os
import pathlib

import tensorflow as tf
from tensorflow.core.protobuf import fingerprint_pb2

v1 = tf.compat.v1
FOLDER = "saved_models"
SAVED, PRINT = "tensorflow.SavedModel", "tensorflow.FingerprintDef"
UUID = "00000000000000000000"


def _regression():
    """A small graph with a hash table from an asset: (signatures, initializer, asset collection)."""
    asset = tf.constant(f"{FOLDER}/vocabulary.txt", name="asset_path")
    v1.add_to_collection(v1.GraphKeys.ASSET_FILEPATHS, asset)
    table = tf.raw_ops.HashTableV2(key_dtype=tf.string, value_dtype=tf.int64, shared_name="words")
    fill = tf.raw_ops.InitializeTableFromTextFileV2(
        table_handle=table, filename=asset, key_index=-2, value_index=-1
    )
    words = v1.placeholder(tf.string, [None], name="words")
    found = tf.raw_ops.LookupTableFindV2(
        table_handle=table, keys=words, default_value=tf.constant(-1, tf.int64)
    )
    weights = v1.get_variable("weights", [4], initializer=v1.ones_initializer(), use_resource=True)
    scores = tf.gather(weights, tf.maximum(found, tf.constant(0, tf.int64)), name="scores")
    utils = v1.saved_model.signature_def_utils
    signatures = {
        "serving_default": utils.predict_signature_def({"words": words}, {"scores": scores}),
        "regress": utils.regression_signature_def(words, scores),
        "classify": utils.classification_signature_def(words, None, scores),
        "naïve → 模型": utils.predict_signature_def({"wörter": words}, {"'\"\\": scores}),
    }
    return signatures, fill


def builder(name, as_text):
    """The builder of TensorFlow 1: two tag sets, an asset, a main op, signatures."""
    made = v1.saved_model.Builder(f"{FOLDER}/{name}")
    with tf.Graph().as_default(), v1.Session() as session:
        signatures, fill = _regression()
        session.run(v1.global_variables_initializer())
        made.add_meta_graph_and_variables(
            session,
            ["serve", "gpu"],
            signatures,
            v1.get_collection(v1.GraphKeys.ASSET_FILEPATHS),
            main_op=fill,
            strip_default_attrs=True,
        )
    with tf.Graph().as_default():
        _regression()
        made.add_meta_graph(["train"], clear_devices=True)
    made.save(as_text=as_text)
    return {f"{FOLDER}/{name}/saved_model.{'pbtxt' if as_text else 'pb'}": SAVED}


def legacy():
    """simple_save with the legacy init op, which is stored as the main op today."""
    with tf.Graph().as_default(), v1.Session() as session:
        x = v1.placeholder(tf.float32, [None], name="x")
        y = tf.multiply(x, v1.get_variable("y", [], use_resource=False), name="times")
        session.run(v1.variables_initializer(v1.global_variables(), name="init"))
        session.run(v1.assign(v1.global_variables()[0], 0.25))
        start = tf.group(v1.tables_initializer(), name="legacy")
        v1.saved_model.simple_save(session, f"{FOLDER}/legacy", {"x": x}, {"y": y}, legacy_init_op=start)
    return {f"{FOLDER}/legacy/saved_model.pb": SAVED}


class Model(tf.Module):
    """Variables, a list and a dict of them, a table with an asset, two functions."""

    def __init__(self):
        super().__init__(name="model")
        self.kernel = tf.Variable([[0.5, -0.5], [0.25, 1 / 3]], name="kernel")
        self.layers = [tf.Variable([1, 2], name="layer"), tf.Variable("naïve", name="text")]
        self.scales = {"odd/key": tf.Variable(1.0), "naïve": tf.Variable(2.0, trainable=False)}
        self.vocabulary = tf.saved_model.Asset(f"{FOLDER}/vocabulary.txt")
        words = tf.lookup.TextFileIndex
        self.table = tf.lookup.StaticHashTable(
            tf.lookup.TextFileInitializer(
                self.vocabulary.asset_path, tf.string, words.WHOLE_LINE, tf.int64, words.LINE_NUMBER
            ),
            -1,
        )
        self.captured = tf.constant([float("nan"), float("inf"), -0.0, 1e-8])

    @tf.function(input_signature=[tf.TensorSpec([None, 2], tf.float32, name="x")])
    def apply(self, x):
        """A loop over captured state."""
        for _ in tf.range(3):
            x = tf.matmul(x, self.kernel)
        return {"y": x, "captured": self.captured * self.scales["odd/key"]}

    @tf.function(input_signature=[tf.RaggedTensorSpec([None, None], tf.string)])
    def look_up(self, words):
        """A ragged argument, a table."""
        return self.table.lookup(words.flat_values)


def module():
    """tf.saved_model.save of a tf.Module with signatures, captures, assets, and function aliases."""
    model = Model()
    options = tf.saved_model.SaveOptions(function_aliases={"applied": model.apply})
    signatures = {"serving_default": model.apply}
    tf.saved_model.save(model, f"{FOLDER}/module", signatures, options)
    return _finished("module")


def stateless():
    """A function alone, of nested structures, without variables."""
    root = tf.Module()

    @tf.function
    def nested(pair, scale=2.0, *, name="naïve"):
        del name
        return [pair[0] * scale, {"second": pair[1]["key"]}]

    spec = tf.TensorSpec([], tf.float32)
    nested.get_concrete_function((spec, {"key": tf.TensorSpec(None, tf.int8)}))
    root.nested = nested
    tf.saved_model.save(root, f"{FOLDER}/stateless")
    return _finished("stateless")


def _finished(name):
    """Replaces the random uuid in the fingerprint with a constant."""
    path = f"{FOLDER}/{name}/fingerprint.pb"
    print_ = fingerprint_pb2.FingerprintDef.FromString(pathlib.Path(path).read_bytes())
    print_.uuid = UUID
    pathlib.Path(path).write_bytes(print_.SerializeToString(deterministic=True))
    return {f"{FOLDER}/{name}/saved_model.pb": SAVED, path: PRINT}


def object_graph():
    """The object graph in the checkpoint of `module`, which is stored as a string."""
    path = f"{FOLDER}/trackable_object_graph.pb"
    reader = tf.train.load_checkpoint(f"{FOLDER}/module/variables/variables")
    pathlib.Path(path).write_bytes(reader.get_tensor("_CHECKPOINTABLE_OBJECT_GRAPH"))
    return {path: "tensorflow.TrackableObjectGraph"}


def write():
    """Writes all SavedModels; returns {path: message}."""
    os.makedirs(FOLDER, exist_ok=True)
    pathlib.Path(f"{FOLDER}/vocabulary.txt").write_text("the\nof\nnaïve\n", encoding="utf-8")
    made = {**builder("builder", False), **builder("builder_text", True), **legacy()}
    return {**made, **module(), **stateless(), **object_graph()}
