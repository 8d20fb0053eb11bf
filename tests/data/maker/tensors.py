"""A tensor with known content, and its conversion to and from TensorFlow."""

import base64
import hashlib
import struct
from dataclasses import dataclass

import ml_dtypes
import numpy as np
import tensorflow as tf
from tensorflow.core.framework import tensor_pb2

raw = tf.raw_ops

INTEGERS = {
    "int2": (2, True), "uint2": (2, False), "int4": (4, True), "uint4": (4, False),
    "int8": (8, True), "uint8": (8, False), "int16": (16, True), "uint16": (16, False),
    "int32": (32, True), "uint32": (32, False), "int64": (64, True), "uint64": (64, False),
    "qint8": (8, True), "quint8": (8, False), "qint16": (16, True), "quint16": (16, False),
    "qint32": (32, True),
}  # fmt: skip
FLOATS = (
    "float16", "float32", "float64", "bfloat16", "float8_e5m2", "float8_e4m3fn",
    "float8_e4m3fnuz", "float8_e4m3b11fnuz", "float8_e5m2fnuz", "float4_e2m1fn",
)  # fmt: skip
COMPLEX = {"complex64": "float32", "complex128": "float64"}
NUMERIC = (*FLOATS, *INTEGERS, "bool", *COMPLEX)
V1_DTYPES = (
    "float16", "float32", "float64", "int8", "uint8", "int16", "uint16", "int32", "int64",
    "qint8", "quint8", "qint32", "bool", "complex64", "complex128", "string",
)  # fmt: skip


def value_bits(dtype):
    """How many low bits of an element's byte hold its value; None when all do."""
    return {"int2": 2, "uint2": 2, "int4": 4, "uint4": 4, "float4_e2m1fn": 4, "bool": 1}.get(dtype)


def storage(dtype):
    """The numpy dtype with the same bytes as `dtype` on disk, little-endian."""
    if dtype in INTEGERS:
        width, signed = INTEGERS[dtype]
        return np.dtype(f"<{'i' if signed and width >= 8 else 'u'}{max(width, 8) // 8}")
    if hasattr(ml_dtypes, dtype):
        return np.dtype(getattr(ml_dtypes, dtype))
    return np.dtype(dtype).newbyteorder("<")


@dataclass(frozen=True)
class Known:
    """A tensor whose content is known without reading a checkpoint."""

    name: bytes
    dtype: str
    shape: tuple
    content: object
    """Row-major little-endian bytes; for strings a tuple of bytes; for variant a TensorFlow tensor."""

    def tensor(self):
        """The same tensor in TensorFlow, bit for bit."""
        if self.dtype == "variant":
            return self.content
        proto = tensor_pb2.TensorProto(dtype=tf.as_dtype(self.dtype).as_datatype_enum)
        proto.tensor_shape.CopyFrom(tf.TensorShape(self.shape).as_proto())
        if self.dtype == "string":
            proto.string_val.extend(self.content)
        else:
            proto.tensor_content = self.content
        return tf.io.parse_tensor(proto.SerializeToString(), tf.as_dtype(self.dtype))

    def array(self):
        """The numbers as a numpy array of the stored type."""
        return np.frombuffer(self.content, storage(self.dtype)).reshape(self.shape)

    def renamed(self, name):
        """The same tensor under another name."""
        return Known(_bytes(name), self.dtype, self.shape, self.content)

    def part(self, *ranges):
        """The slice given as a (start, length) pair for each dimension."""
        index = tuple(slice(start, start + length) for start, length in ranges)
        shape = tuple(length for _, length in ranges)
        if self.dtype == "string":
            grid = np.array(self.content, dtype=object).reshape(self.shape)
            return Known(self.name, "string", shape, tuple(grid[index].ravel()))
        return Known(self.name, self.dtype, shape, self.array()[index].tobytes())

    def oracle(self):
        """The facts that a reader should report."""
        try:
            name = {"name": self.name.decode()}
        except UnicodeDecodeError:
            name = {"name_b64": base64.b64encode(self.name).decode()}
        return {**name, "dtype": self.dtype, "shape": list(self.shape), "sha256": self.digest()}

    def digest(self):
        """sha256 of the content; string elements are preceded by their length as u64 LE."""
        if self.dtype == "variant":
            return None
        content = self.content
        if self.dtype == "string":
            content = b"".join(struct.pack("<Q", len(item)) + item for item in content)
        return hashlib.sha256(content).hexdigest()


def _bytes(name):
    return name.encode() if isinstance(name, str) else name


def known(name, array, dtype=None):
    """A Known from a numpy array (or anything that numpy can make one of)."""
    array = np.asarray(array) if dtype is None else np.asarray(array).astype(storage(dtype))
    dtype = dtype or array.dtype.name
    return Known(_bytes(name), dtype, array.shape, array.astype(storage(dtype)).tobytes())


def strings(name, items, shape=None):
    """A string tensor, by default of rank 1."""
    items = tuple(_bytes(item) for item in items)
    return Known(_bytes(name), "string", (len(items),) if shape is None else shape, items)


def content_of(tensor):
    """The bytes (or strings) of a TensorFlow tensor."""
    array = tensor.numpy()
    return tuple(np.ravel(array).tolist()) if tensor.dtype == tf.string else array.tobytes()
