"""Tells what changed between two trained models, and whether it matters.

``compare`` compares checkpoints, graphs and SavedModels, ``compare_arrays`` what is in memory, ``open`` reads a
checkpoint, and ``read_message`` and ``parse_message`` convert messages. ``ckdiff.testing`` has assertions for tests.
"""

from ._checkpoint import Checkpoint, open
from ._ckdiff import __version__
from ._compare import compare, compare_arrays
from ._diff import Change, CheckedRule, Diff, TensorDiff, Tensors
from ._errors import Error, FileError, MissingTensorError, NotFoundError, UsageError
from ._message import Message, parse_message, read_message

__all__ = [
    "Change",
    "CheckedRule",
    "Checkpoint",
    "Diff",
    "Error",
    "FileError",
    "Message",
    "MissingTensorError",
    "NotFoundError",
    "TensorDiff",
    "Tensors",
    "UsageError",
    "__version__",
    "compare",
    "compare_arrays",
    "open",
    "parse_message",
    "read_message",
]
