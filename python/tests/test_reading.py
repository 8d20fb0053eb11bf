"""Reading checkpoints."""

from __future__ import annotations

import errno
import os
import pickle
import shutil
import threading
import time
from pathlib import Path

import ml_dtypes
import numpy as np
import pytest

import ckdiff

BASELINE = "tests/data/retrain/baseline.ckpt"


def test_a_checkpoint_is_a_mapping_of_names_to_arrays() -> None:
    checkpoint = ckdiff.open(BASELINE)
    assert len(checkpoint) == len(list(checkpoint)) == 20
    assert sorted(checkpoint) == list(checkpoint.keys())
    assert "global_step" in checkpoint and "nothing" not in checkpoint and 3 not in checkpoint
    assert {name: list(array.shape) for name, array in checkpoint.items()} == checkpoint.get_variable_to_shape_map()
    dtypes = checkpoint.get_variable_to_dtype_map()
    assert {name: array.dtype for name, array in checkpoint.items()} == dtypes
    assert repr(checkpoint) == f"<ckdiff.Checkpoint '{BASELINE}': 20 tensors, V2>"
    assert checkpoint.debug_string().startswith(b"global_step (DT_INT64) []\n")


def test_chunks_are_the_content_of_the_tensor() -> None:
    checkpoint = ckdiff.open(BASELINE)
    whole = checkpoint["model/attention/kernel"]
    for size in (1, 64, 1000, 1 << 20):
        chunks = list(checkpoint.chunks("model/attention/kernel", size))
        assert all(chunk.nbytes <= max(size, 64) and chunk.dtype == whole.dtype for chunk in chunks)
        assert np.array_equal(np.concatenate(chunks), whole.ravel())


def test_a_reader_of_chunks_may_stop_early() -> None:
    def threads() -> int:
        return len(os.listdir("/proc/self/task")) if os.path.isdir("/proc/self/task") else threading.active_count()

    before = threads()
    for _ in range(100):
        next(ckdiff.open(BASELINE).chunks("model/attention/kernel", 64))
    waited = time.monotonic()
    while threads() > before and time.monotonic() - waited < 10:
        time.sleep(0.01)
    assert threads() <= before
    # Errors come with the call.
    with pytest.raises(TypeError, match="strings"):
        ckdiff.open(BASELINE).chunks("vocab")
    with pytest.raises(KeyError):
        ckdiff.open(BASELINE).chunks("nothing")


def test_arrays_are_writable_aligned_and_independent() -> None:
    checkpoint = ckdiff.open(BASELINE)
    kernel = checkpoint["model/attention/kernel"]
    assert kernel.flags.writeable and kernel.flags.aligned and kernel.flags.c_contiguous
    kernel[:] = 0
    assert checkpoint["model/attention/kernel"].any()


def test_a_tensor_without_dimensions_is_a_scalar() -> None:
    step = ckdiff.open(BASELINE)["global_step"]
    assert isinstance(step, np.int64) and step == 10_000
    graph = ckdiff.open("tests/data/by_name/objects.ckpt")["_CHECKPOINTABLE_OBJECT_GRAPH"]
    assert isinstance(graph, bytes)
    assert ckdiff.compare_arrays({"a": b"x\0"}, {"a": b"x"}).tensors["a"].status == "different"
    assert ckdiff.compare_arrays({"a": [b"x\0"]}, {"a": [b"x"]}).tensors["a"].status == "different"


def test_strings_are_bytes() -> None:
    vocab = ckdiff.open(BASELINE)["vocab"]
    assert vocab.dtype == object and all(isinstance(word, bytes) for word in vocab.flat)


def test_a_missing_tensor_is_a_key_error_that_suggests_a_name() -> None:
    with pytest.raises(KeyError, match="did you mean global_step") as raised:
        ckdiff.open(BASELINE)["global_stp"]
    assert isinstance(raised.value, ckdiff.MissingTensorError) and raised.value.file == BASELINE


def test_a_missing_file_is_a_file_not_found_error() -> None:
    with pytest.raises(FileNotFoundError, match="similar names: model.ckpt") as raised:
        ckdiff.open("tests/data/demo/model.cpkt")
    assert isinstance(raised.value, ckdiff.Error)
    assert (raised.value.errno, raised.value.filename) == (errno.ENOENT, "tests/data/demo/model.cpkt")
    assert type(raised.value).__module__ == "ckdiff"


def test_a_graph_is_no_checkpoint() -> None:
    with pytest.raises(ckdiff.Error, match="meta graph"):
        ckdiff.open("tests/data/demo/model.ckpt.meta")


def copy_of_demo(to: Path) -> Path:
    for file in Path("tests/data/demo").glob("model.ckpt.*"):
        shutil.copy(file, to)
    return to / "model.ckpt"


def test_damage_is_an_error_with_its_place(tmp_path: Path) -> None:
    path = copy_of_demo(tmp_path)
    data = path.with_suffix(".ckpt.data-00000-of-00001")
    content = bytearray(data.read_bytes())
    content[0] ^= 1
    data.write_bytes(content)
    with pytest.raises(ckdiff.Error, match="checksum") as raised:
        ckdiff.open(path)["v1"]
    assert (raised.value.file, raised.value.tensor) == (str(data), "v1")
    with pytest.raises(ckdiff.Error, match="checksum"):
        list(ckdiff.open(path).chunks("v1"))
    diff = ckdiff.compare("tests/data/demo/model.ckpt", path)
    assert diff.verdict == "trouble"
    assert "checksum" in (diff.tensors["v1"].error or "") and diff.tensors["v2"].status == "identical"


def test_a_checkpoint_that_is_deleted_while_it_is_open(tmp_path: Path) -> None:
    checkpoint = ckdiff.open(copy_of_demo(tmp_path))
    shutil.rmtree(tmp_path)
    try:
        # A file that is open stays readable.
        assert checkpoint["v1"].tolist() == [1, 1, 1]
    except ckdiff.Error as error:
        assert error.file is not None and isinstance(error, FileNotFoundError)


def test_a_checkpoint_that_is_cut_while_it_is_open(tmp_path: Path) -> None:
    path = copy_of_demo(tmp_path)
    checkpoint = ckdiff.open(path)
    os.truncate(f"{path}.data-00000-of-00001", 3)
    with pytest.raises(ckdiff.Error) as raised:
        checkpoint["v1"]
    assert raised.value.file is not None


@pytest.mark.parametrize("name", ["bfloat16", "float8_e5m2", "float8_e4m3fn", "int4"])
def test_types_of_ml_dtypes_are_theirs(name: str, tmp_path: Path) -> None:
    dtype = np.dtype(getattr(ml_dtypes, name))
    array = np.arange(-4, 4).astype(dtype).reshape(2, 4)
    diff = ckdiff.compare_arrays({"x": array}, {"x": array.copy()})
    assert diff.verdict == "same" and diff.tensors["x"].lhs == {"dtype": name, "shape": [2, 4]}
    other = array.copy()
    other[1, 2] = 0
    diff = ckdiff.compare_arrays(array, other)
    assert (diff.tensors["array"].mismatched, diff.tensors["array"].first) == (1, [1, 2])


def test_errors_cross_processes() -> None:
    with pytest.raises(ckdiff.Error) as raised:
        ckdiff.open("tests/data/nothing")
    again = pickle.loads(pickle.dumps(raised.value))
    assert (type(again), str(again), again.file) == (type(raised.value), str(raised.value), raised.value.file)
    assert again.errno == errno.ENOENT


def test_names_are_text_or_bytes() -> None:
    checkpoint = ckdiff.open(BASELINE)
    assert checkpoint.has_tensor(b"global_step") and checkpoint.get_tensor(b"global_step") == 10_000
    with pytest.raises(TypeError, match="expected the name of a tensor as str or bytes, found int"):
        checkpoint.get_tensor(3)  # type: ignore[arg-type]


def test_a_checkpoint_is_equal_to_itself_alone() -> None:
    checkpoint = ckdiff.open(BASELINE)
    assert checkpoint == checkpoint and checkpoint != ckdiff.open(BASELINE) and len({checkpoint}) == 1
