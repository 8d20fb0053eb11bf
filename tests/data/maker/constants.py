"""Constants of every element type, in `tensor_content` and in the `*_val` fields, in `graphs/`."""

import struct

import numpy as np
import tensorflow as tf
from tensorflow.core.framework import graph_pb2, resource_handle_pb2, tensor_pb2

from .graphs import FOLDER, GRAPH, put
from .tensors import COMPLEX, FLOATS, INTEGERS, NUMERIC, storage

v1 = tf.compat.v1
STRINGS = (b"", b"plain", bytes(range(256)), "naïve → 模型 🙂".encode(), b"\x80cut \xe2\x82", b"x" * 300)


UNSUPPORTED = ("float8_e4m3fnuz", "float8_e4m3b11fnuz", "float8_e5m2fnuz", "float4_e2m1fn")
"""tf.constant refuses them."""
POWERS = (*range(-8, 24), *range(-320, 309, 41), -45, -38, 38, 308, -308)


def doubles():
    """Special float64 values: the limits, NaNs of several signs and payloads, powers of ten, random bits."""
    bits = [0x7FF8 << 48, 0xFFF8 << 48, (0x7FF8 << 48) + 1, 0x7FF0000000000001, (1 << 64) - 1]
    values = [0.0, -0.0, 0.1, 1 / 3, 2.0**53, 2.0**53 + 2, 1e15 + 0.3, 123456789012345678.0]
    values += [5e-324, -5e-324, 2.2250738585072014e-308, 2.225073858507201e-308]
    values += [1.7976931348623157e308, -1.7976931348623157e308, np.inf, -np.inf]
    values += [factor * 10.0**i for i in POWERS for factor in (1, -1.5, 1 / 3)]
    return struct.pack("<5Q", *bits) + np.array(values, "<f8").tobytes() + random(8 * 30)


def floats():
    """Special float32 values of the same kinds."""
    bits = [0x7FC00000, 0xFFC00000, 0x7FC00001, 0x7F800001, 0xFFFFFFFF, 0x7FA00000]
    values = [0.0, -0.0, 0.1, 1 / 3, 2.0**24, 2.0**24 + 2, 123456789, 1234567.8, 999999.5, 9999995]
    values += [1.4e-45, -1.4e-45, 1.17549435e-38, 1.1754942e-38, 3.4028235e38, -3.4028235e38]
    values += [np.inf, -np.inf]
    values += [factor * 10.0**i for i in range(-45, 39) for factor in (1, -1.5, 1 / 3)]
    with np.errstate(all="ignore"):
        return struct.pack("<6I", *bits) + np.array(values).astype("<f4").tobytes() + random(160)


def random(size):
    """Random bytes, the same at every call."""
    return np.random.RandomState(5).bytes(size)


def edges(dtype):
    """The bytes of a vector of special values of this type."""
    if dtype in ("float64", "complex128"):
        return doubles()
    if dtype in ("float32", "complex64"):
        return floats()
    if dtype in INTEGERS:
        width, signed = INTEGERS[dtype]
        low, high = (-1 << width - 1, (1 << width - 1) - 1) if signed else (0, (1 << width) - 1)
        values = [low, high, 0, 1, high - 1, low + 1]
        values = [v & ((1 << width) - 1) for v in values] if width < 8 else values
        return np.array(values, storage(dtype)).tobytes()
    if dtype in FLOATS:
        values = [1.5, -0.0, 0.0, np.inf, -np.inf, np.nan, -1.0, 0.1, 6.0, 1e-3, 65504.0]
        with np.errstate(all="ignore"):
            return np.array(values).astype(storage(dtype)).tobytes()
    return np.array([True, False, True]).tobytes()


def content(dtype):
    """A vector in `tensor_content`."""
    data = edges(dtype)
    size = len(data) // storage(dtype).itemsize
    proto = tensor_pb2.TensorProto(dtype=tf.as_dtype(dtype).as_datatype_enum, tensor_content=data)
    proto.tensor_shape.dim.add(size=size)
    return proto


def values(dtype):
    """A vector in its `*_val` field, written by the wire format: Python would quiet NaNs."""
    data = edges(dtype)
    proto = tensor_pb2.TensorProto(dtype=tf.as_dtype(dtype).as_datatype_enum)
    proto.tensor_shape.dim.add(size=len(data) // storage(dtype).itemsize)
    field = {"float32": 5, "float64": 6, "complex64": 9, "complex128": 12}.get(dtype)
    if field:
        proto.MergeFromString(bytes([field << 3 | 2]) + _varint(len(data)) + data)
        return proto
    numbers = np.frombuffer(data, _integers(dtype)).tolist()
    if dtype.startswith(("float8", "float4")):
        proto.float8_val = data
    elif dtype in ("float16", "bfloat16"):
        proto.half_val.extend(numbers)
    elif dtype == "bool":
        proto.bool_val.extend(numbers)
    elif dtype in ("int64", "uint32", "uint64"):
        getattr(proto, f"{dtype}_val").extend(numbers)
    else:
        proto.int_val.extend(numbers)
    return proto


def _integers(dtype):
    kind = storage(dtype)
    return kind if dtype in INTEGERS or dtype == "bool" else np.dtype(f"<u{kind.itemsize}")


def _varint(value):
    return bytes([value]) if value < 128 else bytes([value & 127 | 128]) + _varint(value >> 7)


def _constant(name, proto):
    """A Const node with this proto, unchanged."""
    dtype = tf.as_dtype(proto.dtype)
    attrs = {"value": v1.AttrValue(tensor=proto), "dtype": v1.AttrValue(type=proto.dtype)}
    v1.get_default_graph().create_op("Const", [], [dtype], attrs=attrs, name=name)


def of_protos():
    """Const nodes of every element type whose tensors were given as protos: GraphDef, binary and text."""
    for dtype in NUMERIC:
        _constant(f"content/{dtype}", content(dtype))
        _constant(f"values/{dtype}", values(dtype))
    shape = tf.TensorShape([len(STRINGS)]).as_proto()
    _constant("values/string", tensor_pb2.TensorProto(dtype=7, tensor_shape=shape, string_val=STRINGS))
    _constant("empty/float32", tf.make_tensor_proto(np.zeros([0, 3], np.float32)))
    graph_def = v1.get_default_graph().as_graph_def()
    tf.io.write_graph(graph_def, FOLDER, "constants.pb", as_text=False)
    tf.io.write_graph(graph_def, FOLDER, "constants.pbtxt")
    return {f"{FOLDER}/constants.pb": GRAPH, f"{FOLDER}/constants.pbtxt": GRAPH}


def of_values():
    """Constants made by tf.constant from scalars, vectors and repeated values."""
    with np.errstate(all="ignore"):
        for dtype in (*FLOATS, *COMPLEX):
            if dtype not in UNSUPPORTED:
                for i, value in enumerate((0.1, -0.0, np.nan, np.inf, 1e-7, 1.5e20)):
                    tf.constant(np.array(value).astype(storage(dtype)), name=f"{dtype}/{i}")
    for dtype, (width, _) in INTEGERS.items():
        if width >= 8 and not dtype.startswith("q"):
            numbers = np.frombuffer(edges(dtype), storage(dtype))
            tf.constant(numbers[1], name=f"{dtype}/scalar")
            tf.constant(numbers, name=f"{dtype}/vector")
    for value in (True, False):
        tf.constant(value, name="bool/scalar")
    tf.constant([[b"naive", "naïve".encode()], [b"\x00\xff", b"'\"\\?\n"]], name="string/matrix")
    tf.constant(7, tf.int64, [2, 3], name="int64/filled")
    tf.constant(0.5, tf.float32, [2, 3], name="float32/filled")
    return put("tf_constant.pb", v1.get_default_graph().as_graph_def())


def handles():
    """Tensors that no Const may contain: resource handles and variants, and a single one of each kind."""
    handle = resource_handle_pb2.ResourceHandleProto(
        device="/job:localhost/device:CPU:0",
        container="localhost",
        name="naïve\0",
        hash_code=2**64 - 1,
        maybe_type_name="N10tensorflow3VarE",
    )
    handle.dtypes_and_shapes.add(dtype=1).shape.dim.add(size=-1, name="rows")
    resource = tensor_pb2.TensorProto(dtype=20, resource_handle_val=[handle])
    resource.tensor_shape.SetInParent()
    variant = tensor_pb2.TensorProto(dtype=21, version_number=1)
    inner = variant.variant_val.add(type_name="tensorflow::TensorList", metadata=b"\x00\x01\xff")
    inner.tensors.add(dtype=1, float_val=[0.5]).tensor_shape.SetInParent()
    inner.tensors.add().CopyFrom(resource)
    node = graph_pb2.GraphDef().node.add
    graph = graph_pb2.GraphDef(
        node=[node(name="resource", op="Const"), node(name="variant", op="Const")]
    )
    graph.node[0].attr["value"].tensor.CopyFrom(resource)
    graph.node[1].attr["value"].tensor.CopyFrom(variant)
    return {
        **put("handles.pb", graph),
        **put("tensor.pb", tf.make_tensor_proto(np.linspace(-1, 1, 12, dtype=np.float32).reshape(3, 4))),
        **put("strings.pb", tf.make_tensor_proto(STRINGS)),
        **put("nan_payloads.pb", values("float32")),
        **put("doubles.pb", values("float64")),
    }


MAKERS = (of_protos, of_values, handles)


def write():
    """Writes all constants, each in its own graph."""
    made = {}
    for make in MAKERS:
        with tf.Graph().as_default():
            made.update(make())
    return made
