"""Writes models of one side. Each is made by a process of its own, as by a script that a person runs.

Usage: python -m edits.make DIRECTORY lhs|rhs NAME…. The path that opens a model is written to `DIRECTORY/NAME/SIDE.path`, last.
"""

import multiprocessing
import os
import pathlib
import shutil
import subprocess
import sys


def pairs(directory, names):
    """The paths of both models of each pair. Those that are not in the directory are made; each side by an interpreter of its own,
    so that hashes and random numbers of Python differ."""
    directory = pathlib.Path(directory).resolve()
    wanted = [(side, [name for name in names if not path(directory, name, side).exists()]) for side in ("lhs", "rhs")]
    script = [sys.executable, "-m", "edits.make", directory]
    workers = [
        subprocess.Popen([*script, side, *missing], cwd=pathlib.Path(__file__).parents[1], stderr=subprocess.PIPE, text=True)
        for side, missing in wanted if missing]
    errors = [worker.communicate()[1] for worker in workers]
    assert all(worker.returncode == 0 for worker in workers), "\n".join(errors)
    return {name: [path(directory, name, side).read_text() for side in ("lhs", "rhs")] for name in names}


def path(directory, name, side):
    return directory / name.replace(" ", "-") / f"{side}.path"


def main():
    # Once for all models, whose processes are forked.
    import tensorflow as tf

    from .table import EDITS

    tf.get_logger().setLevel("ERROR")
    directory, side, *names = sys.argv[1:]
    for edit in EDITS:
        if edit.name in names:
            process = multiprocessing.get_context("fork").Process(target=make, args=(pathlib.Path(directory).resolve(), side, edit))
            process.start()
            process.join()
            assert process.exitcode == 0, edit.name


def make(directory, side, edit):
    written = path(directory, edit.name, side)
    shutil.rmtree(written.with_suffix(""), ignore_errors=True)
    written.with_suffix("").mkdir(parents=True)
    make_model = edit.before if side == "lhs" else edit.after
    # Models that keep the paths of files have those of no machine.
    os.chdir(written.with_suffix(""))
    written.write_text(os.path.abspath(make_model("model")))


if __name__ == "__main__":
    main()
