"""The plugin for pytest: the fixture ``ckdiff_snapshot``."""

from __future__ import annotations

import hashlib
import os
import re
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from ._compare import Patterns
    from ._message import Message, Protobuf

# The directory of snapshots beside a test file, and the extension, which are those of the command.
_DIRECTORY = "snapshots"
_EXTENSION = ".snapshot"


def pytest_addoption(parser: pytest.Parser) -> None:
    """Adds the option ``--ckdiff-update``."""
    group = parser.getgroup("ckdiff", "snapshots of models (ckdiff)")
    group.addoption("--ckdiff-update", action="store_true", help="write the snapshots of ckdiff_snapshot anew")


def pytest_configure(config: pytest.Config) -> None:
    """Refuses to update in CI, where it would hide that a model has changed."""
    in_ci = os.environ.get("CI", "").lower() not in ("", "0", "false") or "TF_BUILD" in os.environ
    if in_ci and config.getoption("--ckdiff-update"):
        raise pytest.UsageError("--ckdiff-update: CI is set, where snapshots are only checked")


@pytest.fixture
def ckdiff_snapshot(request: pytest.FixtureRequest) -> Snapshot:
    """Checks that a model or a graph has the structure of its snapshot: ``ckdiff_snapshot(model)``."""
    update = bool(request.config.getoption("--ckdiff-update"))
    return Snapshot(request.node.path, _label(request.node), update)


def _label(node: pytest.Item) -> str:
    """The names of the classes and of the test. Not its node ID, to which plugins add."""
    inside = [part.name for part in node.listchain() if not isinstance(part, (pytest.Session, pytest.Dir, pytest.File))]
    return ".".join(inside)


class Snapshot:
    """The snapshots of one test: files in ``snapshots/`` beside the test file, each of one test, so that workers do not meet."""

    def __init__(self, test_file: Path, label: str, update: bool) -> None:
        self._directory = test_file.parent / _DIRECTORY / test_file.stem
        self._test = label
        self._update = update
        self._names: set[str] = set()

    def __call__(
        self,
        model: str | os.PathLike[str] | Message | Protobuf,
        name: str | None = None,
        *,
        ignore: Patterns = (),
        ignore_kind: Patterns = (),
        strict: bool = False,
    ) -> None:
        """Checks a model: a path, a ``Message``, or a message of the protobuf library.

        ``name`` tells several of one test apart; the others are options of ``ckdiff.compare``.

        Raises:
            AssertionError: if it has another structure, or there is no snapshot; with ``--ckdiff-update``, it is written.
        """
        __tracebackhide__ = True
        from . import _ckdiff
        from ._compare import artifact, compiled
        from ._diff import Diff
        from .testing import failure

        file = self.file(name)
        options = compiled({"ignore": ignore, "ignore_kind": ignore_kind, "strict": strict})
        opened = artifact(model)
        if self._update:
            text = _ckdiff.snapshot(opened)
            if not file.exists() or file.read_bytes() != text.encode():
                _write(file, text)
            return
        if not file.exists():
            raise AssertionError(f"there is no snapshot {file}; --ckdiff-update writes it")
        diff = Diff(_ckdiff.check_snapshot(file.read_bytes(), file, opened, options))
        if diff.verdict != "same":
            raise AssertionError(f"{failure(diff)}\n\nTo accept the model as it is: pytest --ckdiff-update")

    def file(self, name: str | None = None) -> Path:
        """The file of the snapshot with this name.

        Raises:
            ValueError: if the test has checked a snapshot of this name already.
        """
        label = self._test if name is None else f"{self._test}-{name}"
        if label in self._names:
            raise ValueError("the test has this snapshot already; name= tells several apart")
        self._names.add(label)
        return self._directory / (_file_name(label) + _EXTENSION)


def _file_name(label: str) -> str:
    """A name that every file system accepts; different labels have different names, also where upper and lower case are one."""
    name = re.sub(r"[^a-z0-9_.=,+-]", "_", label)
    if name == label and len(name) <= 100:
        return name
    digest = hashlib.sha256(label.encode("utf-8", "surrogatepass")).hexdigest()
    return f"{re.sub(r'[^A-Za-z0-9_.=,+-]', '_', label)[:100]}-{digest[:8]}"


def _write(file: Path, text: str) -> None:
    """Writes a file that appears whole."""
    file.parent.mkdir(parents=True, exist_ok=True)
    descriptor, temporary = tempfile.mkstemp(dir=file.parent, prefix=".ckdiff-", suffix=".tmp")
    try:
        with os.fdopen(descriptor, "w", encoding="utf-8", newline="\n") as out:
            out.write(text)
        os.chmod(temporary, 0o644)
        os.replace(temporary, file)
    except BaseException:
        os.unlink(temporary)
        raise
