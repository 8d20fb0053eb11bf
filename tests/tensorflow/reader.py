"""Checks that the Python package reads every checkpoint of the tests as TensorFlow's own reader does.

    python tests/tensorflow/reader.py

in the root of the repository, with tensorflow-cpu and the package installed.
"""

import re
from pathlib import Path

import numpy as np
import tensorflow as tf

import ckdiff



def prefixes() -> list[str]:
    """The paths by which TensorFlow may open a checkpoint: prefixes of V2, files and shards of V1.

    Hostile files abort TensorFlow.
    """
    files = [path for path in Path("tests/data").rglob("*") if path.is_file() and "hostile" not in path.parts]
    paths = {str(path.with_suffix("")) if path.suffix == ".index" else str(path) for path in files}
    return sorted({re.sub(r"(?<!\.data)-\d{5}-of-(\d{5})$", r"-?????-of-\1", path) for path in paths})


def plain(dtype: tf.DType) -> np.dtype:
    """The dtype of arrays that the reader returns: of quantized types, integers."""
    if dtype in (tf.variant, tf.resource):
        return np.dtype(object)
    dtype = np.dtype(dtype.as_numpy_dtype)
    return dtype if dtype.names is None else dtype[0]


def same(ours: np.generic | np.ndarray | bytes, theirs: np.generic | np.ndarray | bytes) -> bool:
    """Whether two arrays or scalars have one dtype, one shape and the same bits."""
    if isinstance(ours, bytes) or isinstance(theirs, bytes):
        return ours == theirs
    if ours.dtype != theirs.dtype or ours.shape != theirs.shape:
        return False
    return ours.tolist() == theirs.tolist() if ours.dtype == object else ours.tobytes() == theirs.tobytes()


def main() -> None:
    """Compares the two readers, and prints what was compared."""
    checkpoints = tensors = more = 0
    for prefix in prefixes():
        try:
            reader = tf.train.load_checkpoint(prefix)
            shapes = reader.get_variable_to_shape_map()
        except Exception:
            continue
        checkpoint = ckdiff.open(prefix)
        checkpoints += 1
        assert checkpoint.get_variable_to_shape_map() == shapes, prefix
        dtypes = {name: plain(dtype) for name, dtype in reader.get_variable_to_dtype_map().items()}
        assert dtypes == checkpoint.get_variable_to_dtype_map(), prefix
        for name in shapes:
            assert checkpoint.has_tensor(name) == reader.has_tensor(name)
            try:
                theirs = reader.get_tensor(name)
            except Exception:
                try:
                    checkpoint.get_tensor(name)
                except Exception:
                    continue
                more += 1
                continue
            ours = checkpoint.get_tensor(name)
            assert same(ours, theirs), f"{name} of {prefix}: {ours!r}, expected {theirs!r}"
            if not isinstance(ours, bytes) and ours.dtype != object:
                parts = list(checkpoint.chunks(name, 1000))
                assert b"".join(part.tobytes() for part in parts) == theirs.tobytes(), f"{name} of {prefix}"
            tensors += 1
    assert checkpoints > 50 and tensors > 500, (checkpoints, tensors)
    print(f"{tensors} tensors of {checkpoints} checkpoints are as TensorFlow reads them; {more} more it does not read")


main()
