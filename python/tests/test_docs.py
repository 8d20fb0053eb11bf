"""The examples of the pages about Python."""

from __future__ import annotations

import re
import shutil
from pathlib import Path

import pytest
from conftest import ROOT


def blocks(page: str) -> list[str]:
    """The Python examples of a page."""
    return re.findall(r"```python\n(.*?)```", (ROOT / page).read_text("utf-8"), re.DOTALL)


@pytest.mark.parametrize("page", ["README.md", "docs/python.md"])
def test_the_examples_of_a_page_run(page: str) -> None:
    found = blocks(page)
    assert found
    for block in found:
        exec(compile(block, page, "exec"), {})


def test_the_tests_of_the_readme_pass(pytester: pytest.Pytester) -> None:
    (block,) = [block for block in blocks("README.md") if "def test_" in block]
    shutil.copytree(ROOT / "tests/data", pytester.path / "tests/data")
    pytester.makepyfile(block)
    pytester.runpytest_subprocess("--ckdiff-update").assert_outcomes(passed=2)
    pytester.runpytest_subprocess().assert_outcomes(passed=2)


def test_the_tests_of_the_page_about_pytest_pass(pytester: pytest.Pytester) -> None:
    (block,) = blocks("docs/pytest.md")
    shutil.copytree(ROOT / "tests/data", pytester.path / "tests/data")
    pytester.makepyfile(test_training=block)
    pytester.runpytest_subprocess().assert_outcomes(passed=5, failed=1)
    pytester.runpytest_subprocess("--ckdiff-update").assert_outcomes(passed=6)
    pytester.runpytest_subprocess().assert_outcomes(passed=6)
    written = {path.name for path in Path(pytester.path, "snapshots/test_training").iterdir()}
    assert written == {
        "test_the_model_keeps_its_structure.snapshot",
        "test_the_model_keeps_its_structure-graph.snapshot",
    }
