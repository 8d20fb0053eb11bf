"""Writes ops.pb beside this file: the definitions of every op in TensorFlow's registry.

Usage: python make_op_table.py

Needs tensorflow 2.21 (numpy and protobuf come with it). Two runs write the same bytes. ops.pb is a
tensorflow.OpList, sorted by name; documentation is left out: summaries, descriptions of ops, arguments and
attributes, explanations of deprecations.
"""

import os
import pathlib

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
os.environ.setdefault("CUDA_VISIBLE_DEVICES", "")

import tensorflow as tf  # noqa: F401: registers the ops of everything that comes with it
from tensorflow.core.framework import op_def_pb2
from tensorflow.python.client import pywrap_tf_session

HERE = pathlib.Path(__file__).resolve().parent


def registered():
    """The registry, as TensorFlow's C API gives it."""
    ops = op_def_pb2.OpList()
    ops.ParseFromString(pywrap_tf_session.TF_GetBuffer(pywrap_tf_session.TF_GetAllOpList()))
    return ops.op


def undocumented(op):
    """A copy of a definition, without what is there for people."""
    copy = op_def_pb2.OpDef()
    copy.CopyFrom(op)
    copy.ClearField("summary")
    copy.ClearField("description")
    for part in (*copy.input_arg, *copy.output_arg, *copy.attr):
        part.ClearField("description")
    if copy.HasField("deprecation"):
        copy.deprecation.ClearField("explanation")
    return copy


def main():
    ops = sorted((undocumented(op) for op in registered()), key=lambda op: op.name)
    table = op_def_pb2.OpList(op=ops).SerializeToString(deterministic=True)
    (HERE / "ops.pb").write_bytes(table)
    print(f"{len(ops)} ops, {len(table)} bytes")


if __name__ == "__main__":
    main()
