"""Checkpoints that TensorFlow reads but does not write on today's machines.

TensorFlow wrote the originals, whose bytes are re-encoded here.
"""

import struct

import numpy as np
from tensorflow.core.protobuf import tensor_bundle_pb2

from . import table
from .bundle import save_v1, save_v2
from .tensors import COMPLEX, known, storage, strings


def read_file(path):
    """The bytes of a file."""
    with open(path, "rb") as file:
        return file.read()


def write_file(path, data):
    """Writes bytes to a file."""
    with open(path, "wb") as file:
        file.write(data)


def snappy():
    """A V2 and a V1 checkpoint whose table blocks are all compressed."""
    tensors = [
        known(f"model/block_{i:02d}/attention/{part}", np.arange(i, i + 3, dtype=np.float32))
        for i in range(12)
        for part in ("bias", "kernel", "norm/beta", "norm/gamma")
    ]
    save_v2("snappy/v2.ckpt", tensors)
    save_v1("snappy/v1.ckpt", tensors)
    for path in ("snappy/v2.ckpt.index", "snappy/v1.ckpt"):
        write_file(path, table.build_snappy(table.read(read_file(path)), 12))
    return {"snappy/v2.ckpt": tensors, "snappy/v1.ckpt": tensors}


def big_endian():
    """A V2 checkpoint as a big-endian host writes it."""
    prefix = "bigendian/model.ckpt"
    tensors = [
        known("bool", np.array([True, False, True])),
        known("complex128", np.array([1e200 + 2j, -0.0 - 1e-170j])),
        known("complex64", np.array([[1 + 2j], [3.5 - 4j]], np.complex64)),
        known("empty", np.zeros((0, 3), np.float32)),
        known("float32", np.array([[1, -2.5, np.nan], [np.inf, -0.0, 1e-45]], np.float32)),
        known("float64", np.float64(0.1)),
        known("int16", np.array([1, -2, 258], np.int16)),
        known("int64", np.array([1 << 40, -1])),
        known("int8", np.array([1, -2], np.int8)),
        strings("string", ["", "big", "x" * 200]),
    ]
    save_v2(prefix, tensors)
    data_path = prefix + ".data-00000-of-00001"
    entries = dict(table.read(read_file(prefix + ".index")))
    data = bytearray(read_file(data_path))
    for tensor in tensors:
        entries[tensor.name] = _swap(entries[tensor.name], data, tensor.dtype)
    header = tensor_bundle_pb2.BundleHeaderProto.FromString(entries[b""])
    header.endianness = tensor_bundle_pb2.BundleHeaderProto.BIG
    entries[b""] = header.SerializeToString(deterministic=True)
    write_file(prefix + ".index", table.build(entries.items()))
    write_file(data_path, data)
    return {prefix: tensors}


def _swap(value, data, dtype):
    """Swaps one tensor's bytes in `data`; returns its index entry with the new checksum."""
    found = tensor_bundle_pb2.BundleEntryProto.FromString(value)
    place = slice(found.offset, found.offset + found.size)
    if dtype == "string":
        data[place], crc = _swapped_strings(bytes(data[place]), found.shape.dim[0].size)
    else:
        width = storage(COMPLEX.get(dtype, dtype)).itemsize
        elements = np.frombuffer(bytes(data[place]), np.uint8).reshape(-1, width)
        data[place] = elements[:, ::-1].tobytes()
        crc = table.crc32c(data[place])
    found.crc32c = table.mask(crc)
    return found.SerializeToString(deterministic=True)


def _swapped_strings(payload, count):
    """Lengths stay varints; the checksum covers them as big-endian u32, and is stored big-endian."""
    pos = crc = 0
    for _ in range(count):
        length, pos = table.read_varint(payload, pos)
        crc = table.crc32c(struct.pack(">I", length), crc)
    stored = struct.pack(">I", table.mask(crc))
    swapped = payload[:pos] + stored + payload[pos + 4 :]
    return swapped, table.crc32c(payload[pos + 4 :], table.crc32c(stored, crc))


MAKERS = {"snappy": snappy, "bigendian": big_endian}
