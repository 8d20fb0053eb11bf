"""Learns rules from the good runs that make.py wrote, and counts false alarms and missed faults: the table of docs/learning.md.

Usage: python judge.py CKDIFF FOLDER
"""

import glob
import json
import subprocess
import sys

CKDIFF, FOLDER = sys.argv[1:3]


def run(*args):
    return subprocess.run([CKDIFF, *args], capture_output=True, text=True)


def judge(task, mode):
    directory = f"{FOLDER}/{task}/{mode}"
    runs = {part: sorted(glob.glob(f"{directory}/{part}/*/model.ckpt.index")) for part in ("learn", "held")}
    lhs = f"{directory}/base/model.ckpt" if mode == "warm" else runs["learn"][0]
    baseline = ["--baseline", lhs] if mode == "warm" else []
    rules = f"{directory}/ckdiff.toml"
    learned = run("learn", *baseline, *runs["learn"], "-o", rules, "--overwrite")
    assert learned.returncode == 0, learned.stderr

    def code(path):
        return run("-q", "--config", rules, lhs, path).returncode

    own = [path for path in runs["learn"] if path != lhs and code(path)]
    alarms = [path for path in runs["held"] if code(path)]
    faults = [fault for fault in json.load(open(f"{directory}/faults.json")) if fault["visible"]]
    missed = [fault for fault in faults if code(f"{FOLDER}/{task}/{fault['path']}/model.ckpt") != 1]
    print(f"{task} {mode}: {open(rules).read().count('[[rule]]')} rules, {len(own)} own runs fail,", end=" ")
    print(f"{len(alarms)} of {len(runs['held'])} false alarms, {len(faults) - len(missed)} of {len(faults)} found")
    for fault in missed:
        print("  missed:", fault["kind"], *fault["tensors"])


for task in ("conv", "mlp", "text"):
    for mode in ("fresh", "warm"):
        judge(task, mode)
