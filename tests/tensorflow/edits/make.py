"""Writes models of one side. Each is made by a process of its own, as by a script that a person runs.

Usage: python -m edits.make DIRECTORY lhs|rhs NAME…. The path that opens a model is written to `DIRECTORY/NAME/SIDE.path`, last.
"""

import multiprocessing
import pathlib
import sys

import keras  # noqa: F401  # Imported once: the processes are forked.
import tensorflow as tf
import tf_keras  # noqa: F401

from .table import EDITS


def main():
    directory, side, *names = sys.argv[1:]
    tf.get_logger().setLevel("ERROR")
    failed = [edit.name for edit in EDITS if edit.name in names and not made(pathlib.Path(directory), side, edit)]
    sys.exit(", ".join(failed) or 0)


def made(directory, side, edit):
    """Whether the model could be made."""
    process = multiprocessing.get_context("fork").Process(target=make, args=(directory / slug(edit.name), side, edit))
    process.start()
    process.join()
    return process.exitcode == 0


def make(directory, side, edit):
    (directory / side).mkdir(parents=True, exist_ok=True)
    path = (edit.before if side == "lhs" else edit.after)(str(directory / side / "model"))
    (directory / f"{side}.path").write_text(path)


def slug(name):
    return name.replace(" ", "-")


if __name__ == "__main__":
    main()
