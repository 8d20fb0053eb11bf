"""Comparing checkpoints, graphs and arrays."""

from __future__ import annotations

import json
import math
import pickle
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import ckdiff
from ckdiff._compare import _OPTIONS, CompareOptions
from ckdiff.testing import assert_arrays_close, assert_checkpoints_close, assert_graphs_equal

BASELINE = "tests/data/retrain/baseline.ckpt"
RETRAINED = "tests/data/retrain/retrained.ckpt"
SEED, WARM, FROZEN = (f"tests/data/training/{run}" for run in ("seeds/1", "warm/5", "faulty/warm/frozen"))


def command(*arguments: str) -> subprocess.CompletedProcess[str]:
    script = Path(sys.executable).with_name("ckdiff")
    return subprocess.run([script, *arguments], capture_output=True, text=True)


@pytest.mark.parametrize("format", ["human", "json", "markdown", "html", "junit", "github"])
def test_a_report_is_that_of_the_command(format: Any) -> None:
    diff = ckdiff.compare(BASELINE, RETRAINED, rtol=1e-3, device="cpu", histogram=True, mismatch_map=True)
    printed = command(BASELINE, RETRAINED, "--rtol=1e-3", "--device=cpu", "--histogram", "--mismatch-map", f"--format={format}")
    assert printed.returncode == 1
    assert diff.report(format) == printed.stdout


@pytest.mark.parametrize(
    ("options", "arguments"),
    [
        ({"atol": 1e-3, "ulp": 4}, ["--atol=1e-3", "--ulp=4"]),
        ({"rtol": {"**": 1e-5, "model/embedding/**": 1e-3}}, ["--rtol=**=1e-5", "--rtol=model/embedding/**=1e-3"]),
        ({"max_rel_l2": 0.1, "max_changed": 0.5}, ["--max-rel-l2=0.1", "--max-changed=0.5"]),
        ({"equal_nan": False}, ["--nan=differ"]),
        ({"include": "model/**", "exclude": ["model/ema/*", "**/bias"]}, ["--include=model/**", "--exclude=model/ema/*", "--exclude=**/bias"]),
        ({"rename": {"^model/dense_1/(.*)": "model/classifier/$1"}}, ["--rename=^model/dense_1/(.*)=model/classifier/$1"]),
        ({"only": "tensors"}, ["--only=tensors"]),
        ({"rules": "same-start", "rtol": 1e-2}, ["--rules=same-start", "--rtol=1e-2"]),
        ({"ignore": "**.device", "ignore_kind": ["added"], "strict": True}, ["--ignore=**.device", "--ignore-kind=added", "--strict"]),
        ({"threads": 1}, ["-j1"]),
    ],
)
def test_an_option_is_that_of_the_command(options: CompareOptions, arguments: list[str]) -> None:
    diff = ckdiff.compare(BASELINE, RETRAINED, device="cpu", **options)
    printed = command(BASELINE, RETRAINED, "--device=cpu", "--format=json", *arguments)
    assert diff.report("json") == printed.stdout
    assert {"same": 0, "different": 1, "trouble": 2}[diff.verdict] == printed.returncode


def test_every_option_is_declared() -> None:
    assert set(_OPTIONS) == set(CompareOptions.__annotations__)


def test_a_rules_file_decides(tmp_path: Path) -> None:
    config = tmp_path / "rules.toml"
    config.write_text('default = { expect = "any" }\n[profile.strict]\ndefault = { expect = "unchanged" }\n')
    assert ckdiff.compare(SEED, WARM, config=config).broken_rules == []
    broken = ckdiff.compare(SEED, WARM, config=config, profile="strict").broken_rules
    assert broken and broken[0].rule["source"] == str(config)
    with pytest.raises(ckdiff.Error, match="nightly"):
        ckdiff.compare(SEED, WARM, config=config, profile="nightly")
    config.write_text("rule = 3")
    with pytest.raises(ckdiff.Error) as raised:
        ckdiff.compare(SEED, WARM, config=config)
    assert (raised.value.file, raised.value.line) == (str(config), 1)


def test_broken_rules_are_records() -> None:
    diff = ckdiff.compare(SEED, FROZEN, rules="same-start")
    assert diff.broken_rules is not None
    assert [rule.tensor for rule in diff.broken_rules] == ["conv2/bias", "conv2/kernel"]
    assert diff.answer.startswith("Failed: conv2/bias is unchanged")
    assert ckdiff.compare(BASELINE, RETRAINED).broken_rules is None


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"rtol": -1.0}, "rtol: expected a number that is finite and not negative"),
        ({"atol": math.nan, "rules": "exact"}, "atol: expected a number that is finite"),
        ({"rules": "strict"}, "the profiles are exact"),
        ({"rules": "exact", "config": "x"}, "exclude each other"),
        ({"only": "everything"}, "only: expected tensors or graph"),
        ({"device": "tpu"}, "device: expected auto"),
        ({"ignore_kind": "moved"}, "ignore_kind: expected one of"),
        ({"include": "["}, "include"),
        ({"rename": "("}, "rename"),
        ({"include": "nothing/**"}, "the filters leave no tensor"),
        ({"ulp": -1}, "ulp: expected a number that is not negative, found -1"),
        ({"threads": -1}, "threads: expected a number that is not negative"),
        ({"profile": "nightly"}, "profile: it is a profile of the file that config names"),
        ({"rules": "exact", "profile": "nightly"}, "profile: it is a profile"),
        ({"rename": {"^a$": "b=c"}}, "rename: a new name cannot have an equals sign"),
        ({"deny_unused": True, "exclude": "typo*"}, "typo"),
    ],
)
def test_a_wrong_option_is_a_value_error(options: CompareOptions, message: str) -> None:
    with pytest.raises(ValueError, match=message.replace("[", r"\[")):
        ckdiff.compare(BASELINE, RETRAINED, **options)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"tolerance": 1}, "there is no option tolerance"),
        ({"rtol": "1e-3"}, "rtol: expected a number, found '1e-3'"),
        ({"atol": True}, "atol: expected a number, found True"),
        ({"ulp": 1.5}, "ulp: expected a whole number"),
        ({"strict": "no"}, "strict: expected True or False, found 'no'"),
        ({"equal_nan": None}, "equal_nan: expected True or False"),
        ({"include": [3]}, "include: expected a text or several"),
        ({"rules": 3}, "rules: expected a text"),
    ],
)
def test_an_option_of_another_type_is_a_type_error(options: Any, message: str) -> None:
    with pytest.raises(TypeError, match=message):
        # The options are checked before the files are opened.
        ckdiff.compare("nothing", "nothing", **options)


@pytest.mark.parametrize("model", [b"model.ckpt", 3, {"a": np.zeros(1)}, np.zeros(1)])
def test_only_paths_and_models_are_compared(model: Any) -> None:
    with pytest.raises(TypeError, match="expected a path .* compare_arrays compares arrays"):
        ckdiff.compare(model, BASELINE)


def test_what_matches_nothing_is_a_warning_at_the_call() -> None:
    with pytest.warns(ckdiff.UnusedWarning, match='exclude: "typo/\\*\\*" matches nothing') as caught:
        ckdiff.compare(BASELINE, RETRAINED, exclude="typo/**")
    assert [warning.filename for warning in caught] == [__file__]
    with pytest.warns(ckdiff.UnusedWarning, match="typo") as caught:
        assert_checkpoints_close(BASELINE, BASELINE, exclude="typo/**")
    assert [warning.filename for warning in caught] == [__file__]


def test_an_open_checkpoint_is_compared_by_its_tensors() -> None:
    model = "tests/data/demo/model.ckpt"
    diff = ckdiff.compare(ckdiff.open(model), model)
    assert diff.verdict == "same" and diff.to_dict()["findings"] == []
    assert ckdiff.compare(model, model).to_dict()["summary"]["coverage"] == "both"


def test_names_that_are_not_utf_8_stay_apart() -> None:
    names = [b"a\xff".decode("utf-8", "surrogateescape"), "a\\xff"]
    diff = ckdiff.compare_arrays({name: np.zeros(1) for name in names}, {names[0]: np.ones(1), names[1]: np.zeros(1)})
    assert [(diff.tensors[name].name, diff.tensors[name].status) for name in names] == [(names[0], "different"), (names[1], "identical")]


def test_records_have_numbers_and_are_found_by_name() -> None:
    arrays = {"a": np.array([1.0, 2.0]), "NaN": np.array([0.0])}
    diff = ckdiff.compare_arrays(arrays, {"a": np.array([math.nan, 2.0]), "NaN": np.array([1.0])})
    a, nan = diff.tensors["a"], diff.tensors["NaN"]
    assert (a.mismatches[0]["index"], a.nan_new) == ([0], 1) and math.isnan(a.mismatches[0]["rhs"])
    assert (nan.name, nan.max_abs, nan.rel_l2) == ("NaN", 1.0, math.inf)
    assert list(diff.tensors) == [nan, a] and diff.tensors[-1] is a and a in diff.tensors and "a" in diff.tensors
    assert pickle.loads(pickle.dumps(a)) == a
    assert "nan_new=1" in repr(a) and a.to_dict()["status"] == a["status"] == "different"
    with pytest.raises(AttributeError, match="TensorDiff has no nothing"):
        _ = a.nothing
    assert json.loads(diff.report("json")) == diff.to_dict()


def test_a_table_has_a_row_per_tensor() -> None:
    pytest.importorskip("pandas")
    table = ckdiff.compare(BASELINE, RETRAINED).tensors.to_pandas()
    assert len(table) == 23
    assert table.loc["model/attention/kernel", "mismatched"] == 1024
    assert table.loc["model/position/weights", "rhs.shape"] == [32, 16]


def test_a_notebook_shows_the_answer_and_the_worst_tensors() -> None:
    shown = ckdiff.compare(BASELINE, RETRAINED)._repr_html_()
    assert shown.startswith("<p><b>Different: NEW NaN in model/encoder")
    assert "model/attention/kernel" in shown
    name = "<script>alert(1)</script>"
    shown = ckdiff.compare_arrays({name: np.zeros(1)}, {name: np.ones(1)})._repr_html_()
    assert "<script>" not in shown and "&lt;script&gt;" in shown


def test_graphs_are_compared_in_every_form() -> None:
    meta = ckdiff.read_message("tests/data/demo/model.ckpt.meta")
    changed = ckdiff.parse_message(meta.to_text().replace('op: "Add', 'op: "Sub', 1), "MetaGraphDef")
    diff = ckdiff.compare(meta, changed)
    assert diff.verdict == "different"
    assert all(isinstance(change.path, str) and change.kind for change in diff.changes) and diff.changes
    assert ckdiff.compare("tests/data/demo/model.ckpt.meta", meta).verdict == "same"


def test_a_failure_reads_like_the_report() -> None:
    with pytest.raises(AssertionError) as raised:
        assert_checkpoints_close(RETRAINED, BASELINE, rtol=1e-3, threads=1)
    printed = command(BASELINE, RETRAINED, "--rtol=1e-3", "--only=tensors", "-n20")
    assert str(raised.value) == printed.stdout.rstrip("\n")
    with pytest.raises(AssertionError, match="Different: 1 of 1"):
        assert_arrays_close(np.ones(3), np.zeros(3))
    with pytest.raises(AssertionError, match="Different"):
        assert_graphs_equal("tests/data/saved_models/module", "tests/data/demo/model.ckpt.meta")


class TestArrays:
    """Arrays in memory, of every layout."""

    def test_layouts_do_not_matter(self) -> None:
        array = np.arange(24, dtype=np.float32).reshape(2, 3, 4)
        wide = np.zeros((2, 3, 8), np.float32)
        wide[:, :, ::2] = array
        read_only = array.copy()
        read_only.flags.writeable = False
        layouts = [np.asfortranarray(array), wide[:, :, ::2], read_only, array.astype(">f4"), array[::-1][::-1], array.tolist()]
        for layout in layouts[:-1]:
            assert_arrays_close(layout, array)
        with pytest.raises(AssertionError, match="dtype"):
            assert_arrays_close(layouts[-1], array)

    def test_scalars_empty_arrays_and_strings(self) -> None:
        arrays = {"scalar": 3.5, "empty": np.zeros((0, 3)), "bytes": np.array([b"a", b"bc"]), "text": np.array(["ä", "b"], object)}
        assert ckdiff.compare_arrays(arrays, dict(arrays)).verdict == "same"
        diff = ckdiff.compare_arrays(arrays, arrays | {"text": np.array(["ä", "c"], object)})
        assert [tensor.name for tensor in diff.tensors if tensor.status == "different"] == ["text"]

    def test_shapes_and_dtypes_are_told(self) -> None:
        diff = ckdiff.compare_arrays({"a": np.zeros(3), "b": np.zeros(3)}, {"a": np.zeros((3, 1)), "b": np.zeros(3, np.int64)})
        assert [(tensor.name, tensor.status) for tensor in diff.tensors] == [("a", "shape"), ("b", "dtype")]

    @pytest.mark.parametrize(
        ("array", "message"),
        [
            (np.array([object()]), "name: an array of objects must hold bytes or str, found object"),
            (np.array([b"a", None]), "name: an array of objects must hold bytes or str, found NoneType"),
            (np.zeros(2, "M8[s]"), "no dtype datetime64"),
            (np.zeros(2, [("x", "f4"), ("y", "f4")]), "no dtype void64"),
            (np.zeros(2, [("qint32", "f4")]), "no dtype void32"),
            (np.zeros(2, np.longdouble), "no dtype (longdouble|float128)"),
            (np.ma.masked_equal([1, 2], 2), "name: a masked array"),
        ],
    )
    def test_other_types_are_errors(self, array: Any, message: str) -> None:
        with pytest.raises((TypeError, ckdiff.Error), match=message) as raised:
            ckdiff.compare_arrays({"name": array}, {"name": array})
        assert "name" in str(raised.value)

    def test_quantized_types_are_known_by_their_field(self) -> None:
        array = np.array([1, 2], np.int8).view([("qint8", "i1")])
        assert ckdiff.compare_arrays(array, array).tensors["array"].lhs == {"dtype": "qint8", "shape": [2]}

    def test_a_checkpoint_is_compared_with_the_arrays_that_it_has(self) -> None:
        weights = dict(ckdiff.open(BASELINE))
        assert ckdiff.compare_arrays(weights, BASELINE).verdict == "same"
        assert ckdiff.compare_arrays(ckdiff.open(BASELINE), weights).verdict == "same"
        del weights["global_step"]
        diff = ckdiff.compare_arrays(BASELINE, weights)
        assert [tensor.name for tensor in diff.tensors if tensor.status == "removed"] == ["global_step"]

    def test_two_threads_compare_at_once(self) -> None:
        from concurrent.futures import ThreadPoolExecutor

        arrays = [{"a": np.full(100_000, i, np.float32)} for i in range(8)]
        with ThreadPoolExecutor(4) as pool:
            verdicts = pool.map(lambda pair: ckdiff.compare_arrays(*pair).verdict, [(a, b) for a in arrays for b in arrays])
        assert list(verdicts) == ["same" if i == j else "different" for i in range(8) for j in range(8)]
