"""Functions of SavedModels, in `callables/`, and TensorFlow's facts about all SavedModels here: `oracle/callables.json`.

`structures/` has functions that were called with arguments of every kind: several times each, nested, by name, composite,
literals. The oracle has what `saved_model_cli show --all` prints, taken from the same objects: tag sets, signatures, ops,
and the arguments of the functions of the root; values have the form of `ckdiff show --format json`.
"""

import collections
import json
import math
import os
import pathlib
import shutil

import tensorflow as tf
from tensorflow.core.protobuf import fingerprint_pb2
from tensorflow.python.eager import def_function, function
from tensorflow.python.framework import extension_type, meta_graph, ops, type_spec, type_spec_registry
from tensorflow.python.saved_model import load, load_options, save
from tensorflow.python.tools import saved_model_utils

FOLDER = "callables"
ORACLE = "oracle/callables.json"
OTHERS = (
    "saved_models/builder",
    "saved_models/builder_text",
    "saved_models/legacy",
    "saved_models/module",
    "saved_models/stateless",
    "pairs/module_child_added/rhs",
    "pairs/builder_tag_set/rhs",
)

Point = collections.namedtuple("Point", "x y")


class Masked(tf.experimental.ExtensionType):
    """A type that is not TensorFlow's."""

    __name__ = "fixtures.Masked"
    values: tf.Tensor
    mask: tf.Tensor
    unit: str = "m"


class Layer(tf.Module):
    """A method that is called with and without its further arguments."""

    def __init__(self):
        super().__init__(name="layer")
        self.scale = tf.Variable(2.0, name="scale")

    @tf.function
    def __call__(self, x, training=False, mask=None):
        """Scales."""
        del training, mask
        return x * self.scale


def _spec(shape, dtype=tf.float32, name=None):
    return tf.TensorSpec(shape, dtype, name)


def _many():
    """One function for arguments of many kinds."""

    @tf.function
    def many(x, training=False, axes=None, *, scale=1.0, mode="it's \u6a21\n"):
        del training, axes, mode
        return x * tf.cast(scale, x.dtype)

    for shape in ([None, 2], [2, 3], None):
        for training in (True, False):
            many.get_concrete_function(_spec(shape), training)
    many.get_concrete_function(_spec([], tf.int32), None, [1, 2, 3], scale=_spec([], name="by"))
    many.get_concrete_function(_spec([]), (), {}, mode="")
    return many


def _nested():
    @tf.function
    def nested(tree, *rest, option=None, **more):
        return {"first": tree["list"][0], "others": (rest[0], more["extra"])}

    tree = {"list": [_spec([None, 2], tf.float16, "inner")], "literals": (1, -2.5, None, True, "s"), "empty": []}
    nested.get_concrete_function(tree, _spec([], tf.string), 1 << 40, extra=_spec([1], tf.bfloat16, "extra"))
    return nested


def _point():
    @tf.function
    def point(p):
        return Point(p.y, p.x)

    point.get_concrete_function(Point(_spec([2]), _spec([3])))
    return point


def _composite():
    @tf.function
    def composite(ragged, sparse, slices, masked):
        return ragged, sparse, slices.values, masked

    composite.get_concrete_function(
        tf.RaggedTensorSpec([None, None, None], tf.string, 2, tf.int32),
        tf.SparseTensorSpec([None, 4], tf.int8),
        tf.IndexedSlicesSpec([None, 3], tf.float32),
        Masked.Spec(_spec([2]), _spec([2], tf.bool), "kg"),
    )
    return composite


def _variable(variable):
    @tf.function
    def takes_variable(v, x):
        return v + x

    takes_variable.get_concrete_function(variable, tf.constant(1.0))
    return takes_variable


def structures():
    """Functions with arguments of every kind, on the root and below it."""
    root = Layer()
    root(tf.constant(1.0))
    root(tf.constant([1.0]), True)
    root.many = root.same = _many()
    root.nested, root.point, root.composite = _nested(), _point(), _composite()
    root.takes_variable = _variable(root.scale)
    root.concrete = root.many.get_concrete_function(_spec([7], name="seven"))
    root.never = tf.function(lambda x: x)

    @tf.function(jit_compile=True, input_signature=[])
    def nothing():
        return tf.constant(1)

    @tf.function(input_signature=[_spec([], name="x"), _spec([2], name="y"), _spec([2], tf.string, "words")])
    def serve(x, y=tf.constant([1.5, float("nan")]), words=tf.constant(["naïve", "b"])):
        del words
        return {"sum": x + tf.reduce_sum(y), "rows": tf.RaggedTensor.from_row_lengths(y, [1, 1])}

    root.nothing, root.serve = nothing, serve
    root.parts = [Layer()]
    root.parts[0](tf.constant(2.0))
    path = f"{FOLDER}/structures"
    tf.saved_model.save(root, path, {"serving_default": serve})
    print_ = fingerprint_pb2.FingerprintDef.FromString(pathlib.Path(path, "fingerprint.pb").read_bytes())
    print_.uuid = "0" * 20
    pathlib.Path(path, "fingerprint.pb").write_bytes(print_.SerializeToString(deterministic=True))


def _shape(shape):
    return None if shape.rank is None else shape.as_list()


def _value(value):
    """A value in the form of the report."""
    if value is None:
        return {"kind": "none"}
    if isinstance(value, bool):
        return {"kind": "bool", "value": value}
    if isinstance(value, int):
        return {"kind": "integer", "value": value}
    if isinstance(value, float):
        return {"kind": "float", "value": value if math.isfinite(value) else str(value)}
    if isinstance(value, (str, bytes)):
        return {"kind": "string", "value": value if isinstance(value, str) else value.decode()}
    if isinstance(value, tf.TensorSpec):
        name = value.name or ""
        return {"kind": "tensor", "name": name, "dtype": value.dtype.name, "shape": _shape(value.shape)}
    if isinstance(value, tf.TensorShape):
        return {"kind": "shape", "shape": _shape(value)}
    if isinstance(value, tf.DType):
        return {"kind": "dtype", "dtype": value.name}
    if isinstance(value, type_spec.TypeSpec):
        return {"kind": "type_spec", "class": _class(value), "state": _value(value._serialize())}
    if isinstance(value, tuple) and hasattr(value, "_fields"):
        entries = [{"key": key, "value": _value(item)} for key, item in zip(value._fields, value)]
        return {"kind": "named_tuple", "name": type(value).__name__, "entries": entries}
    if isinstance(value, (list, tuple)):
        kind = "list" if isinstance(value, list) else "tuple"
        return {"kind": kind, "items": [_value(item) for item in value]}
    if isinstance(value, dict):
        return {"kind": "dict", "entries": _entries(value)}
    raise TypeError(f"{value!r} is of no known kind")


def _class(spec):
    """The class name of a type spec; for a type that is not TensorFlow's, the registered name."""
    if isinstance(spec, extension_type.ExtensionTypeSpec):
        return type_spec_registry.get_name(type(spec))
    return type(spec).__name__


def _entries(values):
    return [{"key": key, "value": _value(values[key])} for key in sorted(values)]


def _functions(path):
    """The functions that saved_model_cli lists, each with the arguments that it can be called with."""
    with ops.Graph().as_default():
        root = load.load(path, options=load_options.LoadOptions(experimental_skip_checkpoint=True))
    found = {}
    for name, child in save._AugmentedGraphView(root).list_children(root):
        if isinstance(child, function.ConcreteFunction):
            concrete = [child]
        elif isinstance(child, def_function.Function):
            concrete = child._list_all_concrete_functions_for_serialization()
        else:
            continue
        options = []
        for option in concrete:
            args, kwargs = option.structured_input_signature
            options.append({"arguments": [_value(arg) for arg in args], "arguments_by_name": _entries(kwargs)})
        found[name] = sorted(options, key=json.dumps)
    return found


def _tensors(infos):
    found = {}
    for name, info in infos.items():
        shape = info.tensor_shape
        dims = None if shape.unknown_rank else [None if dim.size < 0 else dim.size for dim in shape.dim]
        dtype = tf.as_dtype(info.dtype).name if info.dtype else None
        found[name] = {"dtype": dtype, "shape": dims, "name": info.name}
    return found


def _told(path):
    """The facts that saved_model_cli prints about a SavedModel."""
    model = saved_model_utils.read_saved_model(path)
    graphs = []
    for graph in model.meta_graphs:
        signatures = {
            name: {
                "method": signature.method_name,
                "inputs": _tensors(signature.inputs),
                "outputs": _tensors(signature.outputs),
                "defaults": {
                    name: {"dtype": tf.as_dtype(value.dtype).name, "shape": list(tf.make_ndarray(value).shape)}
                    for name, value in signature.defaults.items()
                },
            }
            for name, signature in graph.signature_def.items()
        }
        used = sorted(meta_graph.ops_used_by_graph_def(graph.graph_def))
        graphs.append({"tags": list(graph.meta_info_def.tags), "signatures": signatures, "ops": used})
    has_objects = any(graph.HasField("object_graph_def") for graph in model.meta_graphs)
    return {"meta_graphs": graphs, "functions": _functions(path) if has_objects else None}


def main():
    """Writes all of them."""
    shutil.rmtree(FOLDER, ignore_errors=True)
    os.makedirs(FOLDER)
    structures()
    told = {path: _told(path) for path in (*OTHERS, f"{FOLDER}/structures")}
    text = json.dumps(told, indent=1, sort_keys=True, ensure_ascii=False)
    pathlib.Path(ORACLE).write_text(text + "\n", encoding="utf-8")
