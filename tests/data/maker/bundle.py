"""Writes checkpoints with TensorFlow, and checks their content with it."""

import tensorflow as tf

from . import table
from .tensors import content_of, raw

NOT_REASSEMBLED = ("Dtype half not supported", "Dtype string not supported")
"""TensorFlow's error for slices that it can write but not join."""


def save_v2(prefix, tensors, specs=None):
    """Writes a V2 checkpoint; `specs` gives a slice spec for each tensor ("" is all of it)."""
    raw.SaveV2(
        prefix=prefix,
        tensor_names=[tensor.name for tensor in tensors],
        shape_and_slices=specs or [""] * len(tensors),
        tensors=[tensor.tensor() for tensor in tensors],
    )


def save_v1(path, tensors, specs=None):
    """Writes a V1 checkpoint file."""
    raw.SaveSlices(
        filename=path,
        tensor_names=[tensor.name for tensor in tensors],
        shapes_and_slices=specs or [""] * len(tensors),
        data=[tensor.tensor() for tensor in tensors],
    )


def merge(prefix, parts):
    """Writes each list of (tensors, specs) as a shard, then merges the shards."""
    names = [f"{prefix}_temp/part-{i:05d}-of-{len(parts):05d}" for i in range(len(parts))]
    for name, (tensors, specs) in zip(names, parts):
        save_v2(name, tensors, specs)
    raw.MergeV2Checkpoints(
        checkpoint_prefixes=names, destination_prefix=prefix, delete_old_dirs=True
    )


def spec(shape, ranges, full=()):
    """A slice spec; dimensions listed in `full` are written as `-`."""
    extents = (
        "-" if axis in full else f"{start},{length}" for axis, (start, length) in enumerate(ranges)
    )
    return " ".join(str(size) for size in shape) + " " + ":".join(extents)


def grid(tensor, cuts, full=()):
    """All slices of a tensor, as (tensors, specs), from the lengths of the pieces on each axis."""
    corners = [()]
    for lengths in cuts:
        starts = [sum(lengths[:i]) for i in range(len(lengths))]
        corners = [corner + (pair,) for corner in corners for pair in zip(starts, lengths)]
    parts = [tensor.part(*corner) for corner in corners]
    return parts, [spec(tensor.shape, corner, full) for corner in corners]


def check(prefix, tensors):
    """Stops unless TensorFlow reads exactly these tensors from the checkpoint."""
    for tensor in tensors:
        _check_content(prefix, tensor)
    try:
        _check_maps(prefix, tensors)
    except UnicodeDecodeError:
        assert _names_in_index(prefix) == {tensor.name for tensor in tensors}, prefix


def _names_in_index(prefix):
    """The keys of a V2 index, without the empty key and those of slices."""
    with open(prefix + ".index", "rb") as file:
        keys = {key for key, _ in table.read(file.read())} - {b""}
    parents = [b"\0" + name + b"\0\x01" for name in keys]
    return {key for key in keys if not any(key.startswith(parent) for parent in parents)}


def _check_content(prefix, tensor):
    try:
        (found,) = raw.RestoreV2(
            prefix=prefix,
            tensor_names=[tensor.name],
            shape_and_slices=[""],
            dtypes=[tf.as_dtype(tensor.dtype)],
        )
    except tf.errors.OpError as error:
        assert any(text in str(error) for text in NOT_REASSEMBLED), (prefix, tensor.name, error)
        return
    assert tuple(found.shape) == tensor.shape, (prefix, tensor.name, found.shape)
    if tensor.dtype != "variant":
        assert content_of(found) == tensor.content, (prefix, tensor.name)


def _check_maps(prefix, tensors):
    """Compares names, dtypes and shapes as CheckpointReader lists them."""
    reader = tf.train.load_checkpoint(prefix)
    dtypes = reader.get_variable_to_dtype_map()
    shapes = reader.get_variable_to_shape_map()
    assert dtypes.keys() == {tensor.name.decode() for tensor in tensors}, prefix
    for tensor in tensors:
        name = tensor.name.decode()
        assert dtypes[name].name == tensor.dtype, (prefix, name, dtypes[name])
        assert tuple(shapes[name]) == tensor.shape, (prefix, name, shapes[name])
