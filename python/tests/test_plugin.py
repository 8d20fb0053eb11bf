"""The plugin for pytest."""

from __future__ import annotations

import pytest
from conftest import ROOT

from ckdiff.pytest_plugin import _file_name

MODEL = repr(str(ROOT / "tests/data/demo/model.ckpt.meta"))
OTHER = repr(str(ROOT / "tests/data/saved_models/module"))


def test_a_changed_model_fails_with_the_report(pytester: pytest.Pytester) -> None:
    pytester.makepyfile(f"def test_model(ckdiff_snapshot): ckdiff_snapshot({MODEL})")
    pytester.runpytest_subprocess("--ckdiff-update").assert_outcomes(passed=1)
    snapshot = pytester.path / "snapshots/test_a_changed_model_fails_with_the_report/test_model.snapshot"
    snapshot.write_text(snapshot.read_text("utf-8").replace('"v1"', '"v0"'), "utf-8")
    result = pytester.runpytest_subprocess()
    result.assert_outcomes(failed=1)
    result.stdout.fnmatch_lines(["*AssertionError: Different: *", "*pytest --ckdiff-update*"])


def test_a_damaged_snapshot_is_an_error_with_its_place(pytester: pytest.Pytester) -> None:
    pytester.makepyfile(f"def test_model(ckdiff_snapshot): ckdiff_snapshot({MODEL})")
    pytester.runpytest_subprocess("--ckdiff-update").assert_outcomes(passed=1)
    name = "snapshots/test_a_damaged_snapshot_is_an_error_with_its_place/test_model.snapshot"
    (pytester.path / name).write_bytes(b"model {\n\xff\n")
    result = pytester.runpytest_subprocess()
    result.assert_outcomes(failed=1)
    result.stdout.fnmatch_lines(["*ckdiff*Error: *test_model.snapshot*"])


def test_a_name_is_used_once_in_a_test(pytester: pytest.Pytester) -> None:
    pytester.makepyfile(f"def test_model(ckdiff_snapshot):\n  ckdiff_snapshot({MODEL})\n  ckdiff_snapshot({OTHER})")
    result = pytester.runpytest_subprocess("--ckdiff-update")
    result.assert_outcomes(failed=1)
    result.stdout.fnmatch_lines(["*the test has this snapshot already*"])


def test_workers_write_the_snapshots_of_all_cases(pytester: pytest.Pytester) -> None:
    pytest.importorskip("xdist")
    pytester.makepyfile(f"""
        import pytest

        @pytest.mark.parametrize("case", [*range(20), "a/b", "a_b", "A_b", "a::b", "a.b"])
        def test_model(case, ckdiff_snapshot):
            ckdiff_snapshot({MODEL})

        class TestGroup:
            def test_model(self, ckdiff_snapshot):
                ckdiff_snapshot({OTHER})
    """)
    pytester.runpytest_subprocess("-n", "4", "--ckdiff-update").assert_outcomes(passed=26)
    pytester.runpytest_subprocess("-n", "4").assert_outcomes(passed=26)
    written = list((pytester.path / "snapshots/test_workers_write_the_snapshots_of_all_cases").iterdir())
    assert len(written) == 26
    assert len({path.name.lower() for path in written}) == 26


def test_labels_have_different_file_names() -> None:
    labels = ["a", "A", "a/b", "a_b", "a\\b", "é", "x" * 300, "x" * 301, "test[1-x]"]
    names = [_file_name(label).lower() for label in labels]
    assert len(set(names)) == len(labels)
    assert all(len(name) < 120 and "/" not in name and "\\" not in name for name in names)


def test_workers_by_group_have_the_same_snapshots(pytester: pytest.Pytester) -> None:
    pytest.importorskip("xdist")
    pytester.makepyfile(f"""
        import pytest

        @pytest.mark.xdist_group("group")
        def test_model(ckdiff_snapshot):
            ckdiff_snapshot({MODEL})
    """)
    pytester.runpytest_subprocess("--ckdiff-update").assert_outcomes(passed=1)
    pytester.runpytest_subprocess("-n", "2", "--dist", "loadgroup").assert_outcomes(passed=1)


def test_in_ci_nothing_is_updated(pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch) -> None:
    pytester.makepyfile(f"def test_model(ckdiff_snapshot): ckdiff_snapshot({MODEL})")
    monkeypatch.setenv("CI", "true")
    result = pytester.runpytest_subprocess("--ckdiff-update")
    assert result.ret == pytest.ExitCode.USAGE_ERROR and not (pytester.path / "snapshots").exists()
    monkeypatch.setenv("CI", "false")
    pytester.runpytest_subprocess("--ckdiff-update").assert_outcomes(passed=1)


def test_what_is_ignored_may_differ(pytester: pytest.Pytester) -> None:
    pytester.makepyfile(f"def test_model(ckdiff_snapshot): ckdiff_snapshot({MODEL}, ignore='**')")
    pytester.runpytest_subprocess("--ckdiff-update").assert_outcomes(passed=1)
    snapshot = pytester.path / "snapshots/test_what_is_ignored_may_differ/test_model.snapshot"
    snapshot.write_text(snapshot.read_text("utf-8").replace('"v1"', '"v0"'), "utf-8")
    pytester.runpytest_subprocess().assert_outcomes(passed=1)
