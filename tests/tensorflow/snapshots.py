"""Checks that `snapshot check` tells each edit that people make, in no more changes than a comparison of the two models.

Usage: python snapshots.py CKDIFF. The edits are in edits.py; each is made by TensorFlow. The verdict and the exit code are those of the edit; where a
comparison says that two models are the same, so does the check.
"""

import json
import os
import pathlib
import subprocess
import sys
import tempfile

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
os.environ.setdefault("TF_ENABLE_ONEDNN_OPTS", "0")
os.environ["CUDA_VISIBLE_DEVICES"] = ""

import tensorflow as tf

import edits

# A comparison tells renames of layers and other parts of the object graph, which no snapshot has.
SAME_IN_A_SNAPSHOT = {"k3 built twice"}


def main():
    """Makes every edit; an assertion fails at the first that is told wrongly."""
    tf.get_logger().setLevel("ERROR")
    (ckdiff,) = sys.argv[1:]
    environment = {name: value for name, value in os.environ.items() if name not in ("CI", "TF_BUILD")}
    told = [0, 0]
    wrong = []
    for name, before, after, is_same in edits.EDITS:
        with tempfile.TemporaryDirectory() as directory:
            lhs, rhs = (made(pathlib.Path(directory) / side, make) for side, make in [("lhs", before), ("rhs", after)])
            found, most, problem = check(ckdiff, environment, directory, name, lhs, rhs, is_same)
        told[0] += found
        told[1] += most
        if problem:
            wrong.append(f"{name}: {problem}")
    assert len(edits.EDITS) >= 30
    print(f"{len(edits.EDITS)} edits: {told[0]} changes told by snapshot check, {told[1]} by a comparison")
    assert not wrong, "\n".join(wrong)


def made(directory, make):
    """The model that a function makes. Both sides have one name, so that they have one snapshot."""
    directory.mkdir()
    return make(str(directory / "model"))


def check(ckdiff, environment, directory, name, lhs, rhs, is_same):
    """The changes that a check tells, those that a comparison tells, and what is wrong."""
    def run(*args):
        return subprocess.run([ckdiff, *args], capture_output=True, env=environment, check=False)

    faces = os.path.join(directory, "faces")
    run("snapshot", "write", lhs, "--dir", faces).check_returncode()
    checked = run("snapshot", "check", rhs, "--dir", faces, "--format", "json")
    compared = run(lhs, rhs, "--format", "json")
    if checked.returncode == 2 or compared.returncode == 2:
        return 0, 0, (checked.stderr + compared.stderr).decode()
    found, most = (changes(json.loads(ran.stdout)) for ran in (checked, compared))
    if found > most:
        return found, most, f"{found} changes told, {most} by a comparison"
    if (checked.returncode == 0) != is_same:
        return found, most, f"exit code {checked.returncode}, expected {int(not is_same)}\n{checked.stdout.decode()[:2000]}"
    if (checked.returncode == 0) != (most == 0) and name not in SAME_IN_A_SNAPSHOT:
        return found, most, f"exit code {checked.returncode}, but a comparison tells {most} changes"
    return found, most, None


def changes(report):
    """The number of semantic changes in a report, and of tensors that differ in more than their values."""
    semantic = sum(change["weight"] == "semantic" for change in report["changes"])
    return semantic + sum(row["status"] in ("added", "removed", "shape", "dtype") for row in report["tensors"])


if __name__ == "__main__":
    main()
