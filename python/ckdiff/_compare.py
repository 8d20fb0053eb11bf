"""Compares checkpoints, graphs, SavedModels and arrays."""

from __future__ import annotations

import operator
import os
import sys
import warnings
from collections.abc import Callable, Iterable, Mapping
from numbers import Real
from typing import TYPE_CHECKING, Any, Literal, TypedDict

from . import _ckdiff
from ._arrays import tensors_of
from ._checkpoint import Checkpoint
from ._diff import Diff
from ._errors import UnusedWarning, UsageError
from ._message import Message, Protobuf, parse_message

if sys.version_info >= (3, 11):
    from typing import Unpack
elif TYPE_CHECKING:
    from typing_extensions import Unpack

if TYPE_CHECKING:
    import numpy.typing as npt

Path = str | os.PathLike[str]
Patterns = str | Iterable[str]

# The most warnings of one comparison.
_MAX_WARNINGS = 20


class CompareOptions(TypedDict, total=False):
    """The options of a comparison, which are those of the command.

    Elements are close if ``|rhs - lhs| <= atol + rtol * |lhs|``, and at most ``ulp`` representable values apart. Without
    a tolerance, values compare by bits.
    """

    atol: float | Mapping[str, float] | None
    """Absolute tolerance: of all tensors, or by globs of their names, of which the last that matches counts."""
    rtol: float | Mapping[str, float] | None
    """Relative tolerance, likewise."""
    ulp: int | None
    """Maximum distance in representable values."""
    max_rel_l2: float | None
    """Accept tensors that moved by at most this share of their norm."""
    max_changed: float | None
    """Accept tensors of which at most this share of elements differs."""
    equal_nan: bool
    """Whether NaN is close to NaN; ``True`` by default."""
    include: Patterns
    """Compare only tensors whose names match one of these globs."""
    exclude: Patterns
    """Leave out tensors whose names match one of these globs."""
    rename: Mapping[str, str] | Patterns
    """Compare tensors of lhs that match a regular expression under another name."""
    only: Literal["tensors", "graph"] | None
    """Compare this part only."""
    ignore: Patterns
    """Leave out changes of graphs at matching paths and below."""
    ignore_kind: Patterns
    """Leave out changes of this kind: added, removed, modified or renamed."""
    strict: bool
    """Count cosmetic changes of graphs as differences."""
    deny_unused: bool
    """Whether a pattern that matches nothing is an error."""
    histogram: bool
    """Count differences, and the values of each side, by powers of two."""
    mismatch_map: bool
    """Count where mismatches lie."""
    rules: str | None
    """Judge by a built-in profile: exact, same-start or fresh."""
    config: Path | None
    """Judge by the rules of this file."""
    profile: str | None
    """Use this profile of the rules file."""
    threads: int
    """The number of threads, 0 for one per core."""
    device: str
    """auto, cpu, gpu or gpu:NAME."""


def _refuse(name: str, expected: str, value: object) -> TypeError:
    return TypeError(f"{name}: expected {expected}, found {value!r}")


def _number(name: str, value: object) -> float | None:
    if value is None or (isinstance(value, Real) and not isinstance(value, bool)):
        return None if value is None else float(value)
    raise _refuse(name, "a number", value)


def _bounds(name: str, value: object) -> list[tuple[str | None, float | None]]:
    if isinstance(value, Mapping):
        return [(_text(name, glob), _number(name, number)) for glob, number in value.items()]
    return [] if value is None else [(None, _number(name, value))]


def _count(name: str, value: object) -> int | None:
    if value is None:
        return None
    if not hasattr(value, "__index__") or isinstance(value, bool):
        raise _refuse(name, "a whole number", value)
    count = operator.index(value)
    if not 0 <= count < 2**63:
        raise UsageError(f"{name}: expected a number that is not negative, found {value!r}")
    return count


def _threads(name: str, value: object) -> int:
    return _count(name, value) or 0


def _flag(name: str, value: object) -> bool:
    if not isinstance(value, bool):
        raise _refuse(name, "True or False", value)
    return value


def _text(name: str, value: object) -> str | None:
    if value is None or isinstance(value, str):
        return value
    raise _refuse(name, "a text", value)


def _path(name: str, value: object) -> str | None:
    return None if value is None else os.fsdecode(value) if isinstance(value, os.PathLike) else _text(name, value)


def _patterns(name: str, value: object) -> list[str]:
    values = [value] if isinstance(value, str) or not isinstance(value, Iterable) else list(value)
    patterns = [pattern for pattern in values if isinstance(pattern, str)]
    if len(patterns) < len(values):
        raise _refuse(name, "a text or several", value)
    return patterns


def _renames(name: str, value: object) -> list[str]:
    if not isinstance(value, Mapping):
        return _patterns(name, value)
    for new in value.values():
        if "=" in str(new):
            raise UsageError(f"{name}: a new name cannot have an equals sign, found {new!r}")
    return [f"{_text(name, old)}={_text(name, new)}" for old, new in value.items()]


# The default of each option, and the form in which the compiled part takes it.
_OPTIONS: dict[str, tuple[Any, Callable[[str, Any], Any]]] = {
    "atol": (None, _bounds),
    "rtol": (None, _bounds),
    "ulp": (None, _count),
    "max_rel_l2": (None, _number),
    "max_changed": (None, _number),
    "equal_nan": (True, _flag),
    "include": ((), _patterns),
    "exclude": ((), _patterns),
    "rename": ((), _renames),
    "only": (None, _text),
    "ignore": ((), _patterns),
    "ignore_kind": ((), _patterns),
    "strict": (False, _flag),
    "deny_unused": (False, _flag),
    "histogram": (False, _flag),
    "mismatch_map": (False, _flag),
    "rules": (None, _text),
    "config": (None, _path),
    "profile": (None, _text),
    "threads": (0, _threads),
    "device": ("auto", _text),
}


def compiled(options: Mapping[str, Any]) -> dict[str, Any]:
    """The options in the form in which the compiled part takes them."""
    __tracebackhide__ = True
    unknown = sorted(options.keys() - _OPTIONS.keys())
    if unknown:
        raise TypeError(f"there is no option {unknown[0]}; the options are {', '.join(_OPTIONS)}")
    return {name: form(name, options.get(name, default)) for name, (default, form) in _OPTIONS.items()}


def artifact(model: Path | Checkpoint | Message | Protobuf, meta_graph: bool = True) -> _ckdiff.Artifact:
    """What a path names, with the meta graph of a checkpoint; or what is open already."""
    __tracebackhide__ = True
    if isinstance(model, (Checkpoint, Message)):
        return model._artifact
    if isinstance(model, (str, os.PathLike)):
        return _ckdiff.Artifact.open(model, meta_graph)
    if hasattr(model, "SerializeToString"):
        return parse_message(model)._artifact
    expected = "a path as str or os.PathLike, a Checkpoint, or a message"
    raise TypeError(f"expected {expected}, found {type(model).__name__}; compare_arrays compares arrays and dicts of them")


def compared(lhs: _ckdiff.Artifact, rhs: _ckdiff.Artifact, arguments: dict[str, Any], stacklevel: int = 3) -> Diff:
    """The differences of two artifacts. Warns of what the command warns of, at the call of the public function."""
    __tracebackhide__ = True
    diff = _ckdiff.compare(lhs, rhs, arguments)
    for warning in diff.warnings()[:_MAX_WARNINGS]:
        warnings.warn(warning, UnusedWarning, stacklevel)
    return Diff(diff)


def compare(
    lhs: Path | Checkpoint | Message | Protobuf,
    rhs: Path | Checkpoint | Message | Protobuf,
    **options: Unpack[CompareOptions],
) -> Diff:
    """Compares two checkpoints, graphs, SavedModels or other messages; ``lhs`` is the baseline.

    Each is a path, as the command takes it; or an open ``Checkpoint``, of which only the tensors are compared; a
    ``Message``, or a message of the protobuf library. See ``CompareOptions`` for the options.

    Raises:
        Error: if a side cannot be opened, or nothing can be compared. A tensor that cannot be read is in the result.
    """
    arguments = compiled(options)
    if isinstance(lhs, (str, os.PathLike)) and isinstance(rhs, (str, os.PathLike)):
        sides = _ckdiff.Artifact.open_both(lhs, rhs, arguments["only"] != "tensors", arguments["threads"])
        return compared(*sides, arguments)
    if isinstance(lhs, Checkpoint) or isinstance(rhs, Checkpoint):
        # It was opened without its graph.
        arguments["only"] = arguments["only"] or "tensors"
    has_graphs = arguments["only"] != "tensors"
    return compared(artifact(lhs, has_graphs), artifact(rhs, has_graphs), arguments)


def compare_arrays(
    lhs: npt.ArrayLike | Mapping[str, npt.ArrayLike] | Path,
    rhs: npt.ArrayLike | Mapping[str, npt.ArrayLike] | Path,
    **options: Unpack[CompareOptions],
) -> Diff:
    """Compares arrays, dicts of arrays, and checkpoints, as paths or open; ``lhs`` is the baseline.

    Arrays are read where they are: do not change them meanwhile. Two single arrays are compared as the tensor ``array``.
    """
    arguments = compiled(options)
    return compared(tensors_of(lhs, "lhs"), tensors_of(rhs, "rhs"), arguments)
