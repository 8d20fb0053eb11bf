"""Tells what changed between two trained models, and whether it matters.

``compare`` compares checkpoints, graphs and SavedModels, ``compare_arrays`` what is in memory, ``open`` reads a
checkpoint, and ``read_message`` and ``parse_message`` convert messages. ``ckdiff.testing`` has assertions for tests.
"""

from ._checkpoint import Checkpoint, open
from ._ckdiff import __version__
from ._compare import CompareOptions, compare, compare_arrays
from ._diff import Change, CheckedRule, Diff, TensorDiff, Tensors
from ._errors import (
    Error,
    FileError,
    MissingTensorError,
    NotFoundError,
    PermissionDeniedError,
    UnusedWarning,
    UsageError,
)
from ._message import Message, parse_message, read_message

__all__ = [
    "Change",
    "CheckedRule",
    "Checkpoint",
    "CompareOptions",
    "Diff",
    "Error",
    "FileError",
    "Message",
    "MissingTensorError",
    "NotFoundError",
    "PermissionDeniedError",
    "TensorDiff",
    "Tensors",
    "UnusedWarning",
    "UsageError",
    "__version__",
    "compare",
    "compare_arrays",
    "open",
    "parse_message",
    "read_message",
]
