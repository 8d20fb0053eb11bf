"""Runs the tests in the root of the repository, as the examples of its docs expect."""

from __future__ import annotations

from pathlib import Path

import pytest

pytest_plugins = ["pytester"]

ROOT = Path(__file__).parents[2]


@pytest.fixture(autouse=True)
def in_root(monkeypatch: pytest.MonkeyPatch) -> None:
    """Makes the root the working directory, and nothing a run in CI."""
    monkeypatch.chdir(ROOT)
    for name in ("CI", "TF_BUILD"):
        monkeypatch.delenv(name, raising=False)
