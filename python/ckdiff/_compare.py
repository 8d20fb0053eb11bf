"""Compares checkpoints, graphs, SavedModels and arrays."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Mapping
from typing import TYPE_CHECKING, Any, Literal, TypedDict

from . import _ckdiff
from ._arrays import of_arrays
from ._checkpoint import Checkpoint
from ._diff import Diff
from ._message import Message, Protobuf, parse_message

if TYPE_CHECKING:
    import numpy.typing as npt
    from typing_extensions import Unpack

Path = str | os.PathLike[str]
Patterns = str | Iterable[str]


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


def _bounds(value: float | Mapping[str, float] | None) -> list[tuple[str | None, float]]:
    if value is None:
        return []
    return list(value.items()) if isinstance(value, Mapping) else [(None, value)]


def _patterns(value: Patterns) -> list[str]:
    return [value] if isinstance(value, str) else list(value)


def _renames(value: Mapping[str, str] | Patterns) -> list[str]:
    return [f"{old}={new}" for old, new in value.items()] if isinstance(value, Mapping) else _patterns(value)


def _as_is(value: Any) -> Any:
    return value


# The default of each option, and the form in which the compiled part takes it.
_OPTIONS: dict[str, tuple[Any, Callable[[Any], Any]]] = {
    "atol": (None, _bounds),
    "rtol": (None, _bounds),
    "ulp": (None, _as_is),
    "max_rel_l2": (None, _as_is),
    "max_changed": (None, _as_is),
    "equal_nan": (True, bool),
    "include": ((), _patterns),
    "exclude": ((), _patterns),
    "rename": ((), _renames),
    "only": (None, _as_is),
    "ignore": ((), _patterns),
    "ignore_kind": ((), _patterns),
    "strict": (False, bool),
    "deny_unused": (False, bool),
    "histogram": (False, bool),
    "mismatch_map": (False, bool),
    "rules": (None, _as_is),
    "config": (None, _as_is),
    "profile": (None, _as_is),
    "threads": (0, _as_is),
    "device": ("auto", _as_is),
}


def compiled(options: CompareOptions) -> dict[str, Any]:
    """The options in the form in which the compiled part takes them."""
    unknown = sorted(options.keys() - _OPTIONS.keys())
    if unknown:
        raise TypeError(f"there is no option {unknown[0]}; the options are {', '.join(_OPTIONS)}")
    return {name: form(options.get(name, default)) for name, (default, form) in _OPTIONS.items()}


def artifact(model: Path | Checkpoint | Message | Protobuf) -> _ckdiff.Artifact:
    """What a path names, with its meta graph; or what is open already."""
    if isinstance(model, (Checkpoint, Message)):
        return model._artifact
    if isinstance(model, (str, os.PathLike)):
        return _ckdiff.Artifact.open(model, meta_graph=True)
    return parse_message(model)._artifact


def compare(
    lhs: Path | Checkpoint | Message | Protobuf,
    rhs: Path | Checkpoint | Message | Protobuf,
    **options: Unpack[CompareOptions],
) -> Diff:
    """Compares two checkpoints, graphs, SavedModels or other messages; ``lhs`` is the baseline.

    Each is a path, as the command takes it; or an open ``Checkpoint``, a ``Message``, or a message of the protobuf
    library. See ``CompareOptions`` for the options.

    Raises:
        Error: if a side cannot be opened, or nothing can be compared. A tensor that cannot be read is in the result.
    """
    arguments = compiled(options)
    if isinstance(lhs, (str, os.PathLike)) and isinstance(rhs, (str, os.PathLike)):
        sides = _ckdiff.Artifact.open_both(lhs, rhs, arguments["only"] != "tensors", arguments["threads"])
    else:
        sides = artifact(lhs), artifact(rhs)
    return Diff(_ckdiff.compare(*sides, arguments))


def compare_arrays(
    lhs: npt.ArrayLike | Mapping[str, npt.ArrayLike] | Path,
    rhs: npt.ArrayLike | Mapping[str, npt.ArrayLike] | Path,
    **options: Unpack[CompareOptions],
) -> Diff:
    """Compares arrays, dicts of arrays, and checkpoints, as paths or open; ``lhs`` is the baseline.

    Arrays are read where they are: do not change them meanwhile. Two single arrays are compared as the tensor ``array``.
    """
    arguments = compiled(options)
    return Diff(_ckdiff.compare(of_arrays(lhs, "lhs"), of_arrays(rhs, "rhs"), arguments))
