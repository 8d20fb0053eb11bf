"""The result of a comparison, as records with the keys of the JSON report."""

from __future__ import annotations

import base64
import json
from collections.abc import Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any, Literal, overload

from . import _ckdiff, _names

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


class Record:
    """An object of the JSON report, whose keys are attributes."""

    __slots__ = ("_json",)

    def __init__(self, json: dict[str, Any]) -> None:
        self._json = json

    def __getitem__(self, key: str) -> Any:
        return self._json[key]

    def __getattr__(self, key: str) -> Any:
        if key.startswith("_") or key not in self._json:
            raise AttributeError(f"{type(self).__name__} has no {key}")
        return self[key]

    def to_dict(self) -> dict[str, Any]:
        """The keys and values."""
        return {key: self[key] for key in self._json}

    def __dir__(self) -> list[str]:
        return [*super().__dir__(), *self._json]

    def __eq__(self, other: object) -> bool:
        return type(other) is type(self) and isinstance(other, Record) and other._json == self._json

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        shown = ", ".join(f"{key}={value!r}" for key, value in self.to_dict().items() if value is not None)
        return f"{type(self).__name__}({shown})"

    def __reduce__(self) -> tuple[Any, ...]:
        return (type(self), (self._json,))


def _name(json: dict[str, Any], key: str) -> Any:
    """A name of a tensor, exactly: the report has its bytes too if they are not UTF-8."""
    exact = json.get(f"{key}_b64")
    return json[key] if exact is None else _names.to_str(base64.b64decode(exact))


class TensorDiff(Record):
    """The result for one tensor. A statistic is ``None`` where no values were compared, or it has no meaning."""

    __slots__ = ()

    _NAMES = frozenset(["name", "renamed_from", "full_name"])
    _TEXTS = frozenset(["status", "role", "lhs", "rhs", "error"])

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
        if key in self._NAMES:
            return _name(self._json, key)
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
        rule: dict[str, Any] | None
        limit: Any
        found: Any
        severity: str

    def __getitem__(self, key: str) -> Any:
        if key == "tensor":
            return _name(self._json, key)
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
        table: pandas.DataFrame = pandas.DataFrame(rows)
        return table.set_index("name") if rows else table


def _flat(tensor: TensorDiff) -> dict[str, Any]:
    row: dict[str, Any] = {}
    for key, value in tensor.to_dict().items():
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
        """The first sentence of the report, whose first word is the verdict."""
        return self._diff.answer

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
    """The answer, and a table of the rules that are broken, or else of the tensors that changed most."""
    from html import escape

    lines = [f"<p><b>{escape(diff.answer)}</b></p>"]
    if diff.broken_rules is None:
        changed = [tensor for tensor in diff.tensors if tensor.status not in ("identical", "close", "uncompared")]
        rows = [_row(tensor) for tensor in sorted(changed, key=_rank)]
        heads, what = ["tensor", "status", "rel l2", "max abs", "mismatched"], "tensors"
    else:
        rows = [[str(rule.tensor or rule.path), rule.gate, _cell(rule.found), _cell(rule.limit)] for rule in diff.broken_rules]
        heads, what = ["name", "gate", "found", "allowed"], "rules"
    if rows:
        cells = ["".join(f"<td>{escape(cell)}</td>" for cell in row) for row in rows[:_MAX_ROWS]]
        heading = "".join(f"<th>{escape(head)}</th>" for head in heads)
        lines += ["<table>", f"<tr>{heading}</tr>", *(f"<tr>{row}</tr>" for row in cells), "</table>"]
    if len(rows) > _MAX_ROWS:
        lines.append(f"<p>… and {len(rows) - _MAX_ROWS} more {what}; print the diff to see all</p>")
    return "\n".join(lines)


def _rank(tensor: TensorDiff) -> tuple[int, float]:
    """What comes first: tensors that cannot be compared, those with new NaN, those that moved far."""
    if tensor.rel_l2 is None:
        return 0, 0.0
    return (1 if tensor.nan_new else 2), -tensor.rel_l2


def _row(tensor: TensorDiff) -> list[str]:
    mismatched = "" if tensor.mismatched is None else f"{tensor.mismatched:,} of {tensor.elements:,}"
    return [tensor.name, tensor.status, _cell(tensor.rel_l2), _cell(tensor.max_abs), mismatched]


def _cell(value: Any) -> str:
    if value is None:
        return ""
    return f"{value:.3g}" if isinstance(value, float) else str(value)
