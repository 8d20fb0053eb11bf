"""The result of a comparison, as records with the keys of the JSON report."""

from __future__ import annotations

import html
import json
from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any, Literal, overload

from . import _ckdiff

if TYPE_CHECKING:
    import pandas

Verdict = Literal["same", "different", "trouble"]
Format = Literal["human", "json", "markdown", "html", "junit", "github"]
Status = Literal["identical", "uncompared", "close", "different", "added", "removed", "dtype", "shape", "error"]

# JSON has no numbers for them.
_NOT_FINITE = {"NaN": float("nan"), "Infinity": float("inf"), "-Infinity": float("-inf")}


def _numbers(value: Any) -> Any:
    """A value of the report in which every text that stands for a number is one."""
    if isinstance(value, str):
        return _NOT_FINITE.get(value, value)
    if isinstance(value, list):
        return [_numbers(item) for item in value]
    if isinstance(value, dict):
        return {key: _numbers(item) for key, item in value.items()}
    return value


class Record(Mapping[str, Any]):
    """An object of the JSON report, whose keys are attributes too."""

    __slots__ = ("_json",)

    def __init__(self, json: dict[str, Any]) -> None:
        self._json = json

    def __getitem__(self, key: str) -> Any:
        return self._json[key]

    def __getattr__(self, key: str) -> Any:
        if key.startswith("_"):
            raise AttributeError(key)
        try:
            return self[key]
        except KeyError:
            raise AttributeError(f"{type(self).__name__} has no {key}") from None

    def __iter__(self) -> Iterator[str]:
        return iter(self._json)

    def __len__(self) -> int:
        return len(self._json)

    def __dir__(self) -> list[str]:
        return [*super().__dir__(), *self._json]

    def __repr__(self) -> str:
        shown = ", ".join(f"{key}={value!r}" for key, value in self.items() if value is not None)
        return f"{type(self).__name__}({shown})"

    def __reduce__(self) -> tuple[Any, ...]:
        return (type(self), (self._json,))


class TensorDiff(Record):
    """The result for one tensor. A statistic is ``None`` where no values were compared, or it has no meaning."""

    __slots__ = ()

    _TEXTS = frozenset(["name", "renamed_from", "full_name", "status", "role", "lhs", "rhs", "error"])

    if TYPE_CHECKING:
        name: str
        renamed_from: str | None
        full_name: str | None
        status: Status
        role: Literal["weight", "optimizer", "counter"] | None
        lhs: dict[str, Any] | None
        rhs: dict[str, Any] | None
        error: str | None
        elements: int | None
        differing: int | None
        mismatched: int | None
        first: list[int] | None
        max_abs: float | None
        max_rel: float | None
        max_ulp: int | None
        worst: dict[str, Any] | None
        rms: float | None
        rel_l2: float | None
        cosine: float | None
        nan_new: int | None

    def __getitem__(self, key: str) -> Any:
        value = self._json[key]
        if key in self._TEXTS or self._has_strings:
            return value
        return _numbers(value)

    @property
    def _has_strings(self) -> bool:
        side = self._json["lhs"] or self._json["rhs"]
        return bool(side and side["dtype"] == "string")


class Change(Record):
    """A change of a graph, a signature, a saver or another message; equal edits are one change."""

    __slots__ = ()

    if TYPE_CHECKING:
        path: str
        kind: Literal["added", "removed", "modified", "renamed"]
        weight: Literal["semantic", "cosmetic"]
        lhs: str | None
        rhs: str | None
        count: int


class CheckedRule(Record):
    """A rule that is broken."""

    __slots__ = ()

    if TYPE_CHECKING:
        tensor: str | None
        path: str | None
        gate: str
        rule: dict[str, Any]
        limit: Any
        severity: str

    def __getitem__(self, key: str) -> Any:
        value = self._json[key]
        return _numbers(value) if key in ("limit", "found") else value


class Tensors(Sequence[TensorDiff]):
    """The results for all tensors, sorted by name; also found by name."""

    def __init__(self, tensors: list[dict[str, Any]]) -> None:
        self._tensors = [TensorDiff(tensor) for tensor in tensors]

    @cached_property
    def _by_name(self) -> dict[str, TensorDiff]:
        return {tensor.name: tensor for tensor in self._tensors}

    @overload
    def __getitem__(self, at: int | str) -> TensorDiff: ...

    @overload
    def __getitem__(self, at: slice) -> Sequence[TensorDiff]: ...

    def __getitem__(self, at: int | str | slice) -> TensorDiff | Sequence[TensorDiff]:
        return self._by_name[at] if isinstance(at, str) else self._tensors[at]

    def __len__(self) -> int:
        return len(self._tensors)

    def __contains__(self, tensor: object) -> bool:
        return tensor in self._by_name if isinstance(tensor, str) else tensor in self._tensors

    def __repr__(self) -> str:
        return f"<ckdiff.Tensors: {len(self)}>"

    def to_pandas(self) -> pandas.DataFrame:
        """A DataFrame with a row per tensor, by name. Sides and pairs of numbers are columns such as ``lhs.dtype``."""
        import pandas

        rows = [_flat(tensor) for tensor in self._tensors]
        table = pandas.DataFrame(rows)
        return table.set_index("name") if rows else table


def _flat(tensor: TensorDiff) -> dict[str, Any]:
    row: dict[str, Any] = {}
    for key, value in tensor.items():
        if isinstance(value, dict) and key not in ("histogram", "values", "mismatch_map"):
            row.update({f"{key}.{inner}": item for inner, item in value.items()})
        else:
            row[key] = value
    return row


class Diff:
    """What changed between two artifacts."""

    def __init__(self, diff: _ckdiff.Diff) -> None:
        self._diff = diff

    @property
    def verdict(self) -> Verdict:
        """``same``, ``different``, or ``trouble`` if something could not be read; by the rules, if there are any."""
        return self._diff.verdict

    @property
    def answer(self) -> str:
        """The answer, as the report begins with it."""
        return " ".join(self.report(max_rows=0).split("\n\n", 1)[0].split("\n  ", 1)[0].split())

    def report(self, format: Format = "human", *, max_rows: int | None = None) -> str:
        """The report; ``max_rows`` limits the rows of each list in the formats for people."""
        return self._diff.report(format, max_rows)

    @cached_property
    def _json(self) -> dict[str, Any]:
        report: dict[str, Any] = json.loads(self._diff.report("json", None))
        return report

    def to_dict(self) -> dict[str, Any]:
        """The JSON report, with the schema ``ckdiff/1``."""
        report: dict[str, Any] = json.loads(self._diff.report("json", None))
        return report

    @cached_property
    def tensors(self) -> Tensors:
        """Every tensor of either side."""
        return Tensors(self._json["tensors"])

    @cached_property
    def changes(self) -> list[Change]:
        """The changes of graphs and other messages."""
        return [Change(change) for change in self._json["changes"]]

    @cached_property
    def broken_rules(self) -> list[CheckedRule] | None:
        """The rules that are broken, the worst first; ``None`` without rules."""
        rules = self._json["rules"]
        return None if rules is None else [CheckedRule(rule) for rule in rules["failures"]]

    def __str__(self) -> str:
        return self.report()

    def __repr__(self) -> str:
        return f"<ckdiff.Diff: {self.verdict}>"

    def _repr_html_(self) -> str:
        return _table(self)


# Rows of the table in a notebook.
_MAX_ROWS = 20


def _table(diff: Diff) -> str:
    """The answer, and a table of the tensors that changed most."""
    changed = [tensor for tensor in diff.tensors if tensor.status not in ("identical", "close", "uncompared")]
    changed.sort(key=_rank)
    lines = [f"<p><b>{html.escape(diff.answer)}</b></p>"]
    if changed:
        lines.append("<table><tr><th>tensor</th><th>status</th><th>rel l2</th><th>max abs</th><th>mismatched</th></tr>")
        lines.extend(map(_row, changed[:_MAX_ROWS]))
        lines.append("</table>")
    if len(changed) > _MAX_ROWS:
        lines.append(f"<p>… and {len(changed) - _MAX_ROWS} more tensors; print the diff to see all</p>")
    if diff.changes:
        count = len(diff.changes)
        lines.append(f"<p>{count} {'change' if count == 1 else 'changes'} of graphs; print the diff to see them</p>")
    return "\n".join(lines)


def _rank(tensor: TensorDiff) -> tuple[int, float]:
    """What comes first: tensors that cannot be compared, those with new NaN, those that moved far."""
    if tensor.rel_l2 is None:
        return 0, 0.0
    return (1 if tensor.nan_new else 2), -tensor.rel_l2


def _row(tensor: TensorDiff) -> str:
    def number(value: float | None) -> str:
        return "" if value is None else f"{value:.3g}"

    mismatched = "" if tensor.mismatched is None else f"{tensor.mismatched:,} of {tensor.elements:,}"
    cells = [tensor.name, tensor.status, number(tensor.rel_l2), number(tensor.max_abs), mismatched]
    return "<tr>" + "".join(f"<td>{html.escape(cell)}</td>" for cell in cells) + "</tr>"
