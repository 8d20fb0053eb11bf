"""Checks what ckdiff tells of each edit that people make: the verdict, and how many changes.

Usage: python told.py CKDIFF [NAME…] [--keep DIR] [--all]. The edits are in edits/table.py; each is made by TensorFlow, in a
directory that `--keep` names to use it again. `--all` takes those of large models too. Wrong verdicts, verdicts that reports do
not share, and sides that do not mirror each other are errors. So is telling too much: at most `most` changes for fewer than 85 %
of the edits, or in all more than four times `ideal`.
"""

import argparse
import collections
import contextlib
import json
import os
import subprocess
import sys
import tempfile
import types

from edits.make import pairs
from edits.table import EDITS

MIRRORED = {"added": "removed", "removed": "added"}


def main():
    """Prints a row for each edit, then what is wrong."""
    parser = argparse.ArgumentParser()
    parser.add_argument("ckdiff", type=os.path.abspath)
    parser.add_argument("names", nargs="*")
    parser.add_argument("--keep")
    parser.add_argument("--all", action="store_true")
    args = parser.parse_intermixed_args()
    unknown = set(args.names) - {edit.name for edit in EDITS}
    assert not unknown, f"no such edits: {sorted(unknown)}"
    edits = [edit for edit in EDITS if (edit.name in args.names if args.names else args.all or not edit.large)]
    with contextlib.nullcontext(args.keep) if args.keep else tempfile.TemporaryDirectory() as directory:
        paths = pairs(directory, [edit.name for edit in edits])
        print(f"{'pair':30} ideal  most  told")
        rows = [row(args.ckdiff, edit, *paths[edit.name]) for edit in edits]
    sys.exit("\n".join(wrong(edits, rows)) or 0)


def row(ckdiff, edit, lhs, rhs):
    """The number of changes that are told of an edit, and problems with verdicts and mirrored sides."""
    report, problems = checked(ckdiff, edit, lhs, rhs)
    back, more = checked(ckdiff, edit, rhs, lhs)
    problems += more
    if kinds(report) != kinds(back, MIRRORED):
        problems.append(f"not mirrored: {kinds(report)}, back {kinds(back)}")
    count = told(report)
    print(f"{edit.name:30} {edit.ideal:5} {edit.most:5} {count:5}  {'within' if count <= edit.most else ''}", flush=True)
    return count, [f"{edit.name}: {problem}" for problem in problems]


def checked(ckdiff, edit, lhs, rhs):
    """The report, and problems with its verdict."""
    def run(*options):
        return subprocess.run([ckdiff, lhs, rhs, *options], capture_output=True, text=True, check=False)

    ran, text = run("--format", "json"), run("-u")
    if ran.returncode not in (0, 1):
        return {"changes": [], "tensors": []}, [ran.stderr]
    report = json.loads(ran.stdout)
    verdicts = {
        "JSON": report["verdict"],
        "exit code": ["same", "different"][ran.returncode],
        "exit code of text": "same" if text.returncode == 0 else "different",
        "headline of text": text.stdout.split(":")[0].lower(),
    }
    return report, [] if set(verdicts.values()) == {edit.verdict} else [f"is {edit.verdict}, not {verdicts}"]


def told(report):
    """The number of changes that a reader is told. Tensors have a table of their own."""
    return sum(change["weight"] == "semantic" for change in report["changes"])


def kinds(report, mirrored=types.MappingProxyType({})):
    """The numbers of tensors of each status, and of changes of each kind, with so many equal edits and changes that follow."""
    tensors = [f"tensor {mirrored.get(row['status'], row['status'])}" for row in report["tensors"]]
    changes = [change for change in report["changes"] if change["weight"] == "semantic"]
    equal = [
        f"{mirrored.get(change['kind'], change['kind'])} x {change.get('count', 1)} + {len(change.get('follows', []))}"
        for change in changes
    ]
    return dict(sorted(collections.Counter(tensors + equal).items()))


def wrong(edits, rows):
    """What is wrong with the edits, one by one and in all."""
    within = sum(count <= edit.most for edit, (count, _) in zip(edits, rows))
    count, ideal = sum(count for count, _ in rows), sum(edit.ideal for edit in edits)
    print(f"{len(edits)} edits, {within} told within `most`; {count} changes told, {ideal} are ideal")
    problems = [problem for _, problems in rows for problem in problems]
    if within < 0.85 * len(edits):
        problems.append(f"only {within} of {len(edits)} edits are told within `most`")
    if count > 4 * ideal:
        problems.append(f"{count} changes are told for {ideal}")
    return problems


if __name__ == "__main__":
    main()
