"""TensorFlow's dtypes as those of NumPy and ml_dtypes, which are imported when an array is first used."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import numpy as np

# TensorFlow's own arrays of these types are plain integers; the dtypes that it names for some are structured.
_QUANTIZED = {"qint8": "int8", "quint8": "uint8", "qint16": "int16", "quint16": "uint16", "qint32": "int32"}
_BYTES = ("string", "variant", "resource")


def to_numpy(name: str) -> np.dtype[Any]:
    """The dtype of an array with elements of TensorFlow's dtype ``name``."""
    import numpy as np

    if name in _BYTES:
        return np.dtype(object)
    if name in _QUANTIZED:
        return np.dtype(_QUANTIZED[name])
    try:
        return np.dtype(name)
    except TypeError:
        import ml_dtypes

        if not hasattr(ml_dtypes, name):
            raise TypeError(f"this version of ml_dtypes has no {name}, a later one may have it") from None
        dtype: np.dtype[Any] = np.dtype(getattr(ml_dtypes, name))
        return dtype


def to_tensorflow(dtype: np.dtype[Any]) -> str:
    """TensorFlow's name of a dtype of fixed width."""
    names = dtype.names
    if names is not None and len(names) == 1 and dtype[0].name == _QUANTIZED.get(names[0]) and dtype[0].isnative:
        return str(names[0])
    return str(dtype.name)
