"""SavedModels of TensorFlow 2, whose savers are functions, and the values that these restore, in `object_savers/`. See README.md.

Usage: python make_fixtures.py --object-savers
"""

import base64
import os
import shutil

import numpy as np
import tensorflow as tf

from maker import oracle

v1 = tf.compat.v1
FOLDER = "object_savers"
MODELS = {}
DTYPES = (tf.float32, tf.float64, tf.int64, tf.uint8, tf.bool, tf.complex64, tf.bfloat16, tf.half)


def model(make):
    """Registers a model."""
    MODELS[make.__name__] = make
    return make


def numbers(shape, dtype=tf.float32, start=0):
    """Numbers made without a random generator."""
    return tf.cast(tf.constant((np.arange(np.prod(shape)).reshape(shape) + start) % 5), dtype)


@model
def dtypes():
    """Variables of many types with the same name; a scalar, an empty one, one of any shape."""
    module = tf.Module()
    module.all = [tf.Variable(numbers([2, 3], dtype, at), name="same") for at, dtype in enumerate(DTYPES)]
    module.text = tf.Variable(["a", "", "long " * 9])
    module.scalar, module.empty = tf.Variable(3.5), tf.Variable(tf.zeros([0, 4]))
    module.open = tf.Variable([1.0, 2.0], shape=tf.TensorShape(None))
    return module, None


@model
def devices():
    """Variables on two devices, whose names are kept, with a shard per device."""
    module = tf.Module()
    with tf.device("cpu:0"):
        module.a = tf.Variable([1.0, 2.0], name="a")
    with tf.device("cpu:1"):
        module.b = {"odd/key": tf.Variable([3, 4, 5], name="b")}
    policy = tf.saved_model.experimental.VariablePolicy.SAVE_VARIABLE_DEVICES
    return module, tf.saved_model.SaveOptions(experimental_variable_policy=policy)


@model
def tables():
    """Tables whose content changes, one of them empty, one with values of more than one element, and a variable."""
    module, lookup = tf.Module(), tf.lookup.experimental
    module.words = lookup.MutableHashTable(tf.string, tf.int64, -1)
    module.words.insert(tf.constant(["b", "", "a"]), tf.constant([1, 2, 3], tf.int64))
    module.rows = lookup.MutableHashTable(tf.int64, tf.float32, [0.0, 0.0])
    module.rows.insert(tf.constant([7], tf.int64), tf.constant([[0.5, 0.25]]))
    module.none = lookup.MutableHashTable(tf.int64, tf.string, "")
    module.dense = lookup.DenseHashTable(tf.int64, tf.float32, -1.0, -1, -2, initial_num_buckets=4)
    module.dense.insert(tf.constant([5], tf.int64), tf.constant([1.5]))
    module.variable = tf.Variable([True, False])
    return module, None


@model
def keras():
    """A model of Keras 3 with its optimizer."""
    layers = tf.keras.layers
    net = tf.keras.Sequential([tf.keras.Input((3,)), layers.Dense(2), layers.BatchNormalization()])
    net.compile("adam", "mse")
    net.optimizer.build(net.trainable_variables)
    for at, weight in enumerate(net.weights):
        weight.assign(numbers(weight.shape, start=at))
    return net, None


def held(value):
    """A tensor in the oracle's form."""
    value = np.asarray(value)
    if value.dtype == object:
        content = b"".join(len(text).to_bytes(8, "little") + text for text in value.ravel())
    else:
        content = value.tobytes()
    name = "string" if value.dtype == object else value.dtype.name
    return {"dtype": name, "shape": list(value.shape), "content": base64.b64encode(content).decode()}


def restored(path):
    """TensorFlow's variables and tables after the saver of a SavedModel restored them, by their nodes.

    A variable that is not saved has no value.
    """
    known = {"variables": {}, "tables": {}}
    with tf.Graph().as_default() as graph, v1.Session() as session:
        v1.saved_model.load(session, ["serve"], path)
        for node in graph.get_operations():
            if node.type == "VarHandleOp":
                handle, known["variables"][node.name] = node.outputs[0], None
                if session.run(tf.raw_ops.VarIsInitializedOp(resource=handle)):
                    value = tf.raw_ops.ReadVariableOp(resource=handle, dtype=node.get_attr("dtype"))
                    known["variables"][node.name] = held(session.run(value))
            elif node.type.startswith("Mutable"):
                types = node.get_attr("key_dtype"), node.get_attr("value_dtype")
                both = tf.raw_ops.LookupTableExportV2(
                    table_handle=node.outputs[0], Tkeys=types[0], Tvalues=types[1]
                )
                keys, values = session.run(both)
                # A dense table returns its buckets in order, other tables return their entries in any order.
                order = np.argsort(keys) if keys.ndim == 1 else slice(None)
                known["tables"][node.name] = [held(keys[order]), held(values[order])]
    return known


def names(kernel=(2, 3), dtype=tf.float32, more=()):
    """Variables of TensorFlow 1 with the names of those in `by_name()`."""
    for name, shape in (("dense/kernel", kernel), ("dense/bias", [3]), *more):
        v1.get_variable(name, shape, dtype if name == "dense/kernel" else tf.float32)
    v1.get_variable("step", [], tf.int64, use_resource=True)


def misspelled():
    """Only one variable, whose name differs slightly from that of an object."""
    v1.get_variable("dense/kernal", [2, 3])


def scoped():
    """As `names`, in another scope, so that no name is in the checkpoint."""
    with v1.variable_scope("other"):
        names()


GRAPHS = {
    "same": names,
    "part": lambda: v1.get_variable("dense/bias", [3]),
    "missing": lambda: names(more=(("dense/old_bias", [3]), ("gone", []))),
    "shape": lambda: names(kernel=(3, 2)),
    "dtype": lambda: names(dtype=tf.float64),
    "scoped": scoped,
    "misspelled": misspelled,
}


def by_name():
    """A checkpoint of objects, graphs of TensorFlow 1, and the values that their savers restore, or `None` and the error."""
    folder = f"{FOLDER}/by_name"
    kernel = tf.Variable(numbers([2, 3]), name="dense/kernel")
    bias = tf.Variable(numbers([3], start=2), name="dense/bias")
    step = tf.Variable(7, dtype=tf.int64, name="step")
    tf.train.Checkpoint(layers=[{"kernel": kernel, "bias": bias}], step=step).write(f"{folder}/model.ckpt")
    known = {}
    for name, make in GRAPHS.items():
        with tf.Graph().as_default() as graph, v1.Session() as session:
            make()
            saver = v1.train.Saver()
            meta = v1.train.export_meta_graph(graph=graph, saver_def=saver.saver_def)
            meta.meta_info_def.ClearField("stripped_op_list")
            with open(f"{folder}/{name}.meta", "wb") as file:
                file.write(meta.SerializeToString(deterministic=True))
            try:
                saver.restore(session, f"{folder}/model.ckpt")
                variables = v1.global_variables()
                known[name] = {one.op.name: held(session.run(one.value())) for one in variables}
            except tf.errors.OpError as error:
                known[name] = type(error).__name__
    return known


def main():
    """Writes all of `object_savers/`."""
    cpus = tf.config.list_physical_devices("CPU")
    tf.config.set_logical_device_configuration(cpus[0], [tf.config.LogicalDeviceConfiguration()] * 2)
    shutil.rmtree(FOLDER, ignore_errors=True)
    known = {}
    for name, make in MODELS.items():
        made, options = make()
        tf.saved_model.save(made, f"{FOLDER}/{name}", options=options)
        # The fingerprint has a random number, and no test needs it.
        os.remove(f"{FOLDER}/{name}/fingerprint.pb")
        shutil.rmtree(f"{FOLDER}/{name}/assets")
        known[name] = restored(f"{FOLDER}/{name}")
    oracle.write(f"{FOLDER}/restored.json", known, 3)
    oracle.write(f"{FOLDER}/by_name.json", by_name())
