"""Pairs of SavedModels: directories `lhs` and `rhs`, by TensorFlow 1's builder and by tf.saved_model.save."""

import pathlib
import shutil

import tensorflow as tf
from tensorflow.core.protobuf import fingerprint_pb2

from .pair import EDITED, Pair, change, renamed, v1

UUIDS = {"lhs": "0" * 20, "rhs": "1" * 20}
"""Values that TensorFlow chooses at random."""


def _pair(folder, what, *expected, **more):
    return Pair(what, f"{folder}/lhs", f"{folder}/rhs", *expected, **more)


def _tensor(name, status="different"):
    return {"name": name, "status": status}


# --- the builder of TensorFlow 1 ----------------------------------------------------------------


def _model(words):
    path = tf.constant(words, name="words")
    v1.add_to_collection(v1.GraphKeys.ASSET_FILEPATHS, path)
    x = v1.placeholder(tf.float32, [None], name="x")
    weights = v1.get_variable("weights", [2], initializer=v1.ones_initializer(), use_resource=False)
    return x, tf.multiply(x, tf.reduce_sum(weights), name="y"), weights


def _built(folder, side, method="predict", second=True, value=0.5, words=b"the\nof\n", as_text=False):
    """A SavedModel of two tag sets with a signature each, an asset and a variable."""
    asset = pathlib.Path(folder, "words.txt")
    asset.write_bytes(words)
    made = v1.saved_model.Builder(f"{folder}/{side}")
    signature = v1.saved_model.signature_def_utils.build_signature_def
    info = v1.saved_model.build_tensor_info
    with tf.Graph().as_default(), v1.Session() as session:
        x, y, weights = _model(str(asset))
        session.run(v1.variables_initializer([weights]))
        weights.load([value, 2.0], session)
        signatures = {
            "serving_default": signature({"x": info(x)}, {"y": info(y)}, "tensorflow/serving/predict")
        }
        assets = v1.get_collection(v1.GraphKeys.ASSET_FILEPATHS)
        made.add_meta_graph_and_variables(session, ["serve"], signatures, assets)
    if second:
        with tf.Graph().as_default():
            x, y, _ = _model(str(asset))
            signatures = {
                "serving_default": signature({"x": info(x)}, {"y": info(y)}, f"tensorflow/serving/{method}")
            }
            made.add_meta_graph(["serve", "gpu"], signatures)
    made.save(as_text=as_text)
    asset.unlink()


def builder_signature(folder):
    for side, method in (("lhs", "predict"), ("rhs", "regress")):
        _built(folder, side, method)
    where = [
        change(
            "modified",
            path_ends='signature_def["serving_default"].method_name',
            about="of the tags gpu, serve",
        )
    ]
    return _pair(folder, "two tag sets, the method of a signature of the second", where)


def builder_tag_set(folder):
    for side, second in (("lhs", True), ("rhs", False)):
        _built(folder, side, second=second)
    return _pair(folder, "a tag set less", [change("removed", about="the meta graph of the tags gpu, serve")])


def builder_retrained(folder):
    for side, value in (("lhs", 0.5), ("rhs", 0.75)):
        _built(folder, side, value=value)
    more = {"tensors": [_tensor("weights")], "exit_with": {"--atol 0.25": 0, "--only graph": 0}}
    return _pair(folder, "the same graphs, one number of a variable is another", more=more)


def builder_asset(folder):
    for side, words in (("lhs", b"the\nof\n"), ("rhs", b"the\nor\n")):
        _built(folder, side, words=words)
    return _pair(
        folder, "an asset of the same name with other content", [change("modified", about="assets/words.txt")]
    )


def builder_text(folder):
    for side, as_text in (("lhs", False), ("rhs", True)):
        _built(folder, side, as_text=as_text)
    return _pair(folder, "the same SavedModel in binary and as text")


# --- tf.saved_model.save ------------------------------------------------------------------------


class Layer(tf.Module):
    """One variable."""

    def __init__(self, value):
        super().__init__()
        self.kernel = tf.Variable([value, -0.5], name="kernel")


class Model(tf.Module):
    """A layer under an attribute that can be named, and a function."""

    def __init__(self, attribute="dense", value=0.5, factor=2.0):
        super().__init__()
        inner = Layer(value)
        setattr(self, attribute, inner)
        self.scale = tf.Variable(1.0, name="scale")

        def apply(x):
            return {"y": x * inner.kernel * self.scale * factor}

        self.apply = tf.function(apply, input_signature=[tf.TensorSpec([None, 2], tf.float32, name="x")])


def _save(model, folder, side):
    path = f"{folder}/{side}"
    tf.saved_model.save(model, path, {"serving_default": model.apply})
    _sign(path, UUIDS[side])


def _sign(path, uuid):
    file = pathlib.Path(path, "fingerprint.pb")
    fingerprint = fingerprint_pb2.FingerprintDef.FromString(file.read_bytes())
    fingerprint.uuid = uuid
    file.write_bytes(fingerprint.SerializeToString(deterministic=True))


FOLLOWS = [change("modified", about="uuid, and hashes that follow, in fingerprint.pb", optional=True)]
COUNTERS = [change("renamed", about="counters of generated function names"), *FOLLOWS]
HELD = "the node Const holds the object graph of the checkpoint, serialized"
VALUE = ".ATTRIBUTES/VARIABLE_VALUE"


def fingerprint_uuid(folder):
    _save(Model(), folder, "lhs")
    shutil.copytree(f"{folder}/lhs", f"{folder}/rhs")
    _sign(f"{folder}/rhs", UUIDS["rhs"])
    return _pair(folder, "a copy whose fingerprint has another uuid", [], FOLLOWS, how=EDITED)


def saved_twice(folder):
    model = Model()
    for side in UUIDS:
        _save(model, folder, side)
    return _pair(folder, "one model saved twice", [], COUNTERS)


def built_twice(folder):
    for side in UUIDS:
        _save(Model(), folder, side)
    return _pair(folder, "one model built and saved twice", [], COUNTERS)


def module_retrained(folder):
    model = Model()
    _save(model, folder, "lhs")
    model.dense.kernel.assign([0.75, -0.5])
    _save(model, folder, "rhs")
    more = {"tensors": [_tensor(f"dense/kernel/{VALUE}")], "exit_with": {"--atol 0.25": 0, "--only graph": 0}}
    return _pair(folder, "a model saved, trained and saved again", [], COUNTERS, more=more)


def module_function_body(folder):
    for side, factor in (("lhs", 2.0), ("rhs", 3.0)):
        _save(Model(factor=factor), folder, side)
    where = [
        change(
            "modified",
            about="a constant in the body of __inference_apply_…",
            path_ends='.attr["value"].tensor',
        )
    ]
    return _pair(folder, "a constant in a function of a module", where, COUNTERS)


def module_attribute_added(folder):
    _save(Model(), folder, "lhs")
    model = Model()
    model.alpha = tf.Variable(3.0, name="alpha")
    _save(model, folder, "rhs")
    more = {
        "tensors": [_tensor(f"alpha/{VALUE}", "added")],
        "open": f"the nodes of the variable, and of the functions that save and restore it; {HELD}",
    }
    where = [
        change("added", about="child alpha of the root of the object graph"),
        change("added", about="nodes of the variable alpha"),
    ]
    what = (
        "an attribute more, before the others by name: node ids of the object graph shift, one child is new"
    )
    return _pair(folder, what, where, COUNTERS, more=more)


def module_child_added(folder):
    _save(Model(), folder, "lhs")
    model = Model()
    model.alpha = tf.Module()
    _save(model, folder, "rhs")
    where = [change("added", about="child alpha of the root of the object graph")]
    more = {"open": HELD}
    return _pair(
        folder, "an empty module more: only the object graph has another child", where, COUNTERS, more=more
    )


def module_attribute_renamed(folder):
    _save(Model(), folder, "lhs")
    _save(Model("layer"), folder, "rhs")
    follows = f"dense/kernel/{VALUE} is layer/kernel/{VALUE} in the checkpoint, and in the functions that save and restore"
    more = {"open": f"{follows}; {HELD}"}
    where = [renamed("dense", "layer", "child of the root of the object graph")]
    return _pair(
        folder, "an attribute has another name, and with it a variable's key", where, COUNTERS, more=more
    )


class _Looping(tf.Module):
    """A loop over a range, and a custom gradient, whose functions' names occur inside other names."""

    def __init__(self):
        super().__init__()
        self.scale = tf.Variable(2.0, name="scale")

    @tf.function(input_signature=[tf.TensorSpec([], tf.int32, name="n")])
    def power(self, n):
        @tf.custom_gradient
        def doubled(x):
            return x * 2.0, lambda upstream: upstream * 2.0

        total = tf.constant(1.0)
        for _ in tf.range(n):
            total *= self.scale
        return doubled(total)


def loop_saved_twice(folder):
    for side in ("lhs", "rhs"):
        options = tf.saved_model.SaveOptions(experimental_custom_gradients=True)
        model = _Looping()
        tf.saved_model.save(model, f"{folder}/{side}", options=options)
        _sign(f"{folder}/{side}", UUIDS[side])
    return _pair(folder, "a loop and a gradient of its own exported twice: counters inside of names")


def set_of_variables(folder):
    """Keras lists the variables of an export in the order of a set, which differs between runs."""
    for side, order in (("lhs", "abc"), ("rhs", "cab")):
        model = tf.Module()
        made = {name: tf.Variable([float(number)] * number, name=name) for number, name in enumerate("abc", 1)}
        model._all_variables = [made[name] for name in order]
        model.trainable = [made[name] for name in "abc"]
        model.apply = tf.function(lambda: made["a"] + made["b"][0], input_signature=[])
        _save(model, folder, side)
    return _pair(folder, "the list that Keras makes from a set of variables, in another order")


MAKERS = (
    builder_signature, builder_tag_set, builder_retrained, builder_asset, builder_text, fingerprint_uuid, saved_twice,
    built_twice, module_retrained, module_function_body, module_attribute_added, module_child_added,
    module_attribute_renamed, loop_saved_twice, set_of_variables,
)  # fmt: skip
