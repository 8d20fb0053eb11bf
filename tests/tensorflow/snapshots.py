"""Checks that `snapshot check` tells each edit that people make, in no more changes than a comparison of the two models.

Usage: python snapshots.py CKDIFF [--keep DIR]. The edits are in edits/table.py; each is made by TensorFlow, in a directory that
`--keep` names to use it again. The verdict and the exit code are those of the edit; where a comparison says that two models are
the same, so does the check.
"""

import argparse
import contextlib
import json
import os
import subprocess
import tempfile

from edits.make import pairs
from edits.table import EDITS

# A snapshot has neither values and keys of tensors nor the order of nodes, by which a comparison pairs what was renamed or numbered anew.
TELLS_MORE = {
    "v1 first layer frozen", "v1 layer front", "v1 half in scope", "v1 static lstm step", "v1 dynamic lstm to gru", "tk layer renamed",
    "ckpt layer middle", "ckpt trained layer middle"}


def main():
    """Makes every edit, and fails with the edits that are told wrongly."""
    parser = argparse.ArgumentParser()
    parser.add_argument("ckdiff", type=os.path.abspath)
    parser.add_argument("--keep")
    args = parser.parse_args()
    edits = [edit for edit in EDITS if not edit.large]
    told = [0, 0]
    wrong = []
    with contextlib.nullcontext(args.keep) if args.keep else tempfile.TemporaryDirectory() as directory:
        paths = pairs(directory, [edit.name for edit in edits])
        for edit in edits:
            found, most, problem = check(args.ckdiff, edit, *paths[edit.name])
            told[0] += found
            told[1] += most
            if problem:
                wrong.append(f"{edit.name}: {problem}")
    print(f"{len(edits)} edits: {told[0]} changes told by snapshot check, {told[1]} by a comparison")
    assert not wrong, "\n".join(wrong)


def check(ckdiff, edit, lhs, rhs):
    """The changes that a check tells, those that a comparison tells, and what is wrong."""
    environment = {name: value for name, value in os.environ.items() if name not in ("CI", "TF_BUILD")}

    def run(*args):
        return subprocess.run([ckdiff, *args], capture_output=True, env=environment, check=False)

    with tempfile.TemporaryDirectory() as faces:
        run("snapshot", "write", lhs, "--dir", faces).check_returncode()
        checked = run("snapshot", "check", rhs, "--dir", faces, "--format", "json", "--no-group")
    compared = run(lhs, rhs, "--format", "json", "--no-group")
    if checked.returncode == 2 or compared.returncode == 2:
        return 0, 0, (checked.stderr + compared.stderr).decode()
    found, most = (changes(json.loads(ran.stdout)) for ran in (checked, compared))
    if found > most and edit.name not in TELLS_MORE:
        return found, most, f"{found} changes told, {most} by a comparison"
    if (checked.returncode == 0) != edit.snapshot:
        return found, most, f"exit code {checked.returncode}, expected {int(not edit.snapshot)}\n{checked.stdout.decode()[:2000]}"
    # A comparison tells renames of layers and other parts of the object graph, which no snapshot has.
    if checked.returncode == 0 and most and edit.verdict == "same" or checked.returncode and not most:
        return found, most, f"exit code {checked.returncode}, but a comparison tells {most} changes"
    return found, most, None


def changes(report):
    """The number of semantic changes in a report, and of tensors that differ in more than their values."""
    semantic = sum(change["weight"] == "semantic" for change in report["changes"])
    return semantic + sum(row["status"] in ("added", "removed", "shape", "dtype") for row in report["tensors"])


if __name__ == "__main__":
    main()
