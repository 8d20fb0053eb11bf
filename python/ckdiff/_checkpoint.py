"""Reads checkpoints."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

from . import _dtypes, _names
from ._ckdiff import Artifact

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt


class Checkpoint(Mapping[str, Any]):
    """An open checkpoint: a mapping of names to arrays, with the methods of TensorFlow's ``NewCheckpointReader``.

    Each access reads the tensor from its file, and verifies its checksums.
    """

    def __init__(self, artifact: Artifact) -> None:
        self._artifact = artifact

    @property
    def path(self) -> str:
        """The path as it was given; for a directory with a state file, that of the latest checkpoint."""
        return self._artifact.path

    @property
    def format(self) -> str:
        """The format, such as ``V2``."""
        return self._artifact.format

    def get_tensor(self, name: str | bytes) -> Any:
        """The tensor with this name: an array; of a scalar, a scalar of NumPy. A string is ``bytes``, in an array of objects.

        Raises:
            MissingTensorError: if there is no such tensor.
            Error: if it cannot be read, or a checksum does not match.
        """
        import numpy as np

        key = _names.to_bytes(name)
        dtype, shape = self._artifact.tensor_info(key)
        numpy = _dtypes.to_numpy(dtype)
        if numpy == object:
            strings = self._artifact.strings(key)
            out = np.empty(len(strings), object)
            out[:] = strings
            return out.reshape(shape)[()]
        array = np.empty(shape, numpy)
        self._artifact.read_into(key, array.reshape(-1).view(np.uint8))
        # An empty index makes a scalar of an array without dimensions, and leaves others as they are.
        return array[()]

    def chunks(self, name: str | bytes, max_bytes: int = 16 << 20) -> Iterator[npt.NDArray[Any]]:
        """The elements of a tensor in order, in one-dimensional arrays of at most ``max_bytes`` bytes, which is at least 64.

        Checksums are verified after the last array: an error may come when all has been read.
        """
        key = _names.to_bytes(name)
        dtype, _ = self._artifact.tensor_info(key)
        numpy = _dtypes.to_numpy(dtype)
        if numpy == object:
            raise TypeError(f"{name!r} is a tensor of strings, whose elements have no fixed size; get_tensor reads it")
        return (chunk.view(numpy) for chunk in self._artifact.chunks(key, max_bytes))

    def has_tensor(self, name: str | bytes) -> bool:
        """Whether a tensor has this name, readable or not."""
        return self._artifact.has_tensor(_names.to_bytes(name))

    def get_variable_to_shape_map(self) -> dict[str, list[int]]:
        """The shapes of all tensors."""
        return {_names.to_str(name): shape for name, _, shape in self._artifact.tensors()}

    def get_variable_to_dtype_map(self) -> dict[str, np.dtype[Any]]:
        """The dtypes of all tensors; strings are objects."""
        return {_names.to_str(name): _dtypes.to_numpy(dtype) for name, dtype, _ in self._artifact.tensors()}

    def debug_string(self) -> bytes:
        """A line per tensor: its name, dtype and shape."""
        return self._artifact.debug_string().encode("utf-8", "surrogateescape")

    def __getitem__(self, name: str) -> Any:
        return self.get_tensor(name)

    def __contains__(self, name: object) -> bool:
        return isinstance(name, (str, bytes)) and self.has_tensor(name)

    def __iter__(self) -> Iterator[str]:
        return map(_names.to_str, self._artifact.names())

    def __len__(self) -> int:
        return len(self._artifact.names())

    # A mapping is equal to another if its values are, which arrays do not say.
    __eq__ = object.__eq__
    __hash__ = object.__hash__

    def __repr__(self) -> str:
        return f"<ckdiff.Checkpoint {self.path!r}: {len(self)} tensors, {self.format}>"


def open(path: str | os.PathLike[str]) -> Checkpoint:
    """Opens a checkpoint of any format, or the variables of a SavedModel. Tensors are read when they are asked for.

    Raises:
        NotFoundError: if there is none.
        Error: if it cannot be read.
    """
    artifact = Artifact.open(path, meta_graph=False)
    # Says what it is instead, if it has no tensors.
    artifact.names()
    return Checkpoint(artifact)
