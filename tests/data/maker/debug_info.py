"""A meta graph with its debug info, and the debug info of a scope, in `debug_info/`. See README.md.

Usage: python make_fixtures.py --debug-info
"""

import os
import pathlib
import shutil

import tensorflow as tf
from tensorflow.core.framework import graph_debug_info_pb2

v1 = tf.compat.v1
FOLDER = "debug_info"


def bare(path):
    """Reduces source paths to file names, and numbers frames and traces, for which TensorFlow uses addresses."""
    info = graph_debug_info_pb2.GraphDebugInfo.FromString(pathlib.Path(path).read_bytes())
    plain = graph_debug_info_pb2.GraphDebugInfo(files=[pathlib.Path(file).name for file in info.files])
    frames, traces = {}, {}
    for name in sorted(info.name_to_trace_id):
        old = info.name_to_trace_id[name]
        trace = traces.setdefault(old, len(traces) + 1)
        plain.name_to_trace_id[name] = trace
        ids = [frames.setdefault(frame, len(frames) + 1) for frame in info.traces_by_id[old].frame_id]
        plain.traces_by_id[trace].frame_id[:] = ids
    for old, new in frames.items():
        plain.frames_by_id[new].CopyFrom(info.frames_by_id[old])
    pathlib.Path(path).write_bytes(plain.SerializeToString(deterministic=True))


def main():
    """Writes all of `debug_info/`."""
    shutil.rmtree(FOLDER, ignore_errors=True)
    os.makedirs(FOLDER)
    with tf.Graph().as_default():
        one = v1.placeholder(tf.float32, [2], name="one")
        with tf.name_scope("tower"):
            two = tf.add(one, one, name="two")
            tf.identity(two, name="three")
        tf.negative(two, name="four")
        v1.train.export_meta_graph(f"{FOLDER}/model.meta", save_debug_info=True)
        scope = {"export_scope": "tower", "unbound_inputs_col_name": "unbound_inputs"}
        v1.train.export_meta_graph(f"{FOLDER}/tower.meta", save_debug_info=True, **scope)
    for name in ("model", "tower"):
        bare(f"{FOLDER}/{name}.debug")
