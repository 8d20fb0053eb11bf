"""Assertions about models, for tests. Arguments are in the order of NumPy's: what the test made, then what it should be."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from . import _ckdiff
from ._arrays import tensors_of
from ._checkpoint import Checkpoint
from ._compare import CompareOptions, Path, artifact, compared, compiled
from ._diff import Diff
from ._message import Message, Protobuf

if TYPE_CHECKING:
    import numpy.typing as npt
    from typing_extensions import Unpack

__all__ = ["assert_arrays_close", "assert_checkpoints_close", "assert_graphs_equal"]

# Rows of each list in the message of a failure.
_MAX_ROWS = 20


def assert_checkpoints_close(
    actual: Path | Checkpoint | Mapping[str, npt.ArrayLike],
    expected: Path | Checkpoint | Mapping[str, npt.ArrayLike],
    **options: Unpack[CompareOptions],
) -> None:
    """Asserts that the tensors of two checkpoints are close; without a tolerance, that they are the same bits.

    Each is a path, an open ``Checkpoint``, or a dict of arrays, such as weights in memory. The options are those of
    ``ckdiff.compare``; with ``rules`` or ``config``, the rules decide.

    Raises:
        AssertionError: if they differ, with the report of ``ckdiff EXPECTED ACTUAL``.
    """
    __tracebackhide__ = True
    options.setdefault("only", "tensors")
    _assert_same(tensors_of(actual, "actual"), tensors_of(expected, "expected"), options)


def assert_arrays_close(actual: npt.ArrayLike, expected: npt.ArrayLike, **options: Unpack[CompareOptions]) -> None:
    """Asserts that two arrays have one dtype, one shape and close values; without a tolerance, the same bits.

    Raises:
        AssertionError: if they differ.
    """
    __tracebackhide__ = True
    _assert_same(tensors_of({"array": actual}, "actual"), tensors_of({"array": expected}, "expected"), options)


def assert_graphs_equal(
    actual: Path | Message | Protobuf, expected: Path | Message | Protobuf, **options: Unpack[CompareOptions]
) -> None:
    """Asserts that two graphs, meta graphs or SavedModels do not differ in meaning: in nodes, signatures, savers.

    Each is a path, a ``Message``, or a message of the protobuf library, such as ``graph.as_graph_def()``. For a checkpoint
    it is the graph in its ``.meta`` file.

    Raises:
        AssertionError: if they differ, with the report of ``ckdiff EXPECTED ACTUAL``.
    """
    __tracebackhide__ = True
    options.setdefault("only", "graph")
    _assert_same(artifact(actual), artifact(expected), options)


def _assert_same(actual: _ckdiff.Artifact, expected: _ckdiff.Artifact, options: CompareOptions) -> None:
    __tracebackhide__ = True
    diff = compared(expected, actual, compiled(options), stacklevel=4)
    if diff.verdict != "same":
        raise AssertionError(failure(diff))


def failure(diff: Diff) -> str:
    """The message of a failure: the report, whose first line is the answer."""
    return diff.report(max_rows=_MAX_ROWS).rstrip("\n")
