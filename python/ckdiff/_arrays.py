"""Arrays in memory as checkpoints."""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from . import _ckdiff, _dtypes, _names
from ._checkpoint import Checkpoint

if TYPE_CHECKING:
    import numpy.typing as npt

# The name of a tensor and its dtype, shape and content.
_Tensor = tuple[bytes, str, list[int], Any]


def tensors_of(value: npt.ArrayLike | Mapping[str, npt.ArrayLike] | str | os.PathLike[str], side: str) -> _ckdiff.Artifact:
    """The tensors of an array, a dict of arrays, or a checkpoint. Reports call arrays by their side."""
    __tracebackhide__ = True
    if isinstance(value, Checkpoint):
        return value._artifact
    if isinstance(value, (str, os.PathLike)):
        return _ckdiff.Artifact.open(value, meta_graph=False)
    arrays = value if isinstance(value, Mapping) else {"array": value}
    return _ckdiff.Artifact.of_arrays(f"<arrays of {side}>", [_tensor(name, array) for name, array in arrays.items()])


def _tensor(name: str, value: npt.ArrayLike) -> _Tensor:
    """A tensor with the content of an array, which is copied only if it is not contiguous."""
    import numpy as np

    __tracebackhide__ = True
    if isinstance(value, np.ma.MaskedArray):
        raise TypeError(f"{name}: a masked array has no values to compare where it is masked; compare value.filled(…)")
    array = np.asarray(value)
    if array.dtype.kind in "SU" and not isinstance(value, np.ndarray):
        # NumPy's own strings end at their last byte that is not 0.
        array = np.asarray(value, object)
    if array.dtype.hasobject or array.dtype.kind in "SU":
        return _names.to_bytes(name), "string", list(array.shape), [_string(name, item) for item in array.flat]
    if array.dtype.byteorder == ">":
        array = array.astype(array.dtype.newbyteorder("<"))
    content = np.ascontiguousarray(array).reshape(-1).view(np.uint8)
    return _names.to_bytes(name), _dtypes.to_tensorflow(array.dtype), list(array.shape), content


def _string(name: str, item: object) -> bytes:
    __tracebackhide__ = True
    if isinstance(item, bytes):
        return item
    if isinstance(item, str):
        return item.encode()
    found = item.__class__.__name__
    raise TypeError(f"{name}: an array of objects must hold bytes or str, found {found}")
