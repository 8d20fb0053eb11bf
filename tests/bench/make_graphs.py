"""Writes the meta graphs that BENCHMARKS.md measures into a directory: binary, text and JSON.

    python make_graphs.py FOLDER

synthetic: about 100 MB of text, built from messages without TensorFlow. real: 100,000 nodes built by TensorFlow.
"""

import random
import sys
from pathlib import Path

import numpy as np
import tensorflow as tf
from google.protobuf import json_format, text_format
from tensorflow.core.protobuf import meta_graph_pb2

v1 = tf.compat.v1
RANDOM = random.Random(0)
FLOAT, INT32 = tf.float32.as_datatype_enum, tf.int32.as_datatype_enum
BLOCKS = 13400


def shape_attr(node, key, *sizes):
    """A list of one shape, as TensorFlow infers it."""
    shape = node.attr[key].list.shape.add()
    for size in sizes:
        shape.dim.add(size=size)


def constant(graph, name, kind):
    """A Const node with its numbers in one of three fields."""
    node = graph.node.add(name=name, op="Const")
    size = (48, 8, 12)[kind]
    tensor = node.attr["value"].tensor
    tensor.tensor_shape.dim.add(size=size)
    if kind == 0:
        numbers = [RANDOM.gauss(0, 1) for _ in range(size)]
        tensor.tensor_content = np.array(numbers, np.float32).tobytes()
    elif kind == 1:
        tensor.float_val.extend(RANDOM.gauss(0, 1) for _ in range(size))
    else:
        tensor.int_val.extend(RANDOM.randrange(-1000, 100000) for _ in range(size))
    tensor.dtype = node.attr["dtype"].type = INT32 if kind == 2 else FLOAT
    shape_attr(node, "_output_shapes", size)
    return name


def operation(graph, name, op, *inputs, **flags):
    """A node that is not a constant."""
    node = graph.node.add(name=name, op=op, input=inputs, device="/job:worker/task:0/device:GPU:0")
    node.attr["T"].type = FLOAT
    for key, value in flags.items():
        node.attr[key].b = value
    node.attr["_class"].list.s.append(f"loc:@{name.rpartition('/')[0]}".encode())
    shape_attr(node, "_output_shapes", -1, 128, 768)
    return name


def synthetic():
    """A meta graph of one huge graph: two in nine nodes are constants."""
    meta = meta_graph_pb2.MetaGraphDef()
    meta.meta_info_def.tensorflow_version = tf.__version__
    graph, last = meta.graph_def, "model/input"
    graph.versions.producer = 2000
    graph.node.add(name=last, op="Placeholder").attr["dtype"].type = FLOAT
    for i in range(BLOCKS):
        scope = f"model/encoder/layer_{i:05d}/attention"
        kernel = constant(graph, f"{scope}/dense/kernel", i % 3)
        bias = constant(graph, f"{scope}/dense/bias/initial_value", (i + 1) % 3)
        product = operation(graph, f"{scope}/dense/MatMul", "MatMul", last, kernel, transpose_a=False, transpose_b=True)
        total = operation(graph, f"{scope}/dense/BiasAdd", "BiasAdd", product, bias)
        active = operation(graph, f"{scope}/activation/Relu", "Relu", total)
        scaled = operation(graph, f"{scope}/normalization/mul_1", "Mul", active, f"{product}:0")
        moved = operation(graph, f"{scope}/normalization/add_1", "AddV2", scaled, last, f"^{kernel}")
        kept = operation(graph, f"{scope}/output/Identity", "Identity", moved)
        last = operation(graph, f"{scope}/output/residual", "AddV2", kept, last)
    return meta


def real():
    """A graph built by TensorFlow, with variables, their saver and an op list."""
    with tf.Graph().as_default() as graph, v1.device("/job:worker/task:0/device:GPU:0"):
        x = v1.placeholder(tf.float32, [None, 24], name="input")
        number = 0
        while len(graph.get_operations()) < 100_000:
            with v1.variable_scope(f"model/encoder/layer_{number:05d}"):
                weights = np.random.RandomState(number).standard_normal((24, 24)).astype(np.float32)
                if number % 10 == 0:
                    kernel = v1.get_variable("kernel", initializer=weights, use_resource=True)
                else:
                    kernel = tf.constant(weights, name="kernel")
                y = tf.nn.bias_add(tf.matmul(x, kernel), tf.zeros([24]))
                rows = tf.shape(y)[0]
                y = tf.reshape(tf.nn.relu(y), tf.stack([rows, 4, 6]))
                x = x + tf.reshape(y * 0.5, [-1, 24])
            number += 1
        return v1.train.Saver().export_meta_graph()


def write(directory, name, meta):
    """Writes the three forms."""
    (directory / f"{name}.meta").write_bytes(meta.SerializeToString(deterministic=True))
    (directory / f"{name}.pbtxt").write_text(text_format.MessageToString(meta), "utf-8")
    (directory / f"{name}.json").write_text(json_format.MessageToJson(meta, indent=2), "utf-8")
    sizes = ", ".join(f"{path.name} {path.stat().st_size}" for path in sorted(directory.glob(f"{name}.*")))
    print(f"{len(meta.graph_def.node)} nodes: {sizes}")


if __name__ == "__main__":
    target = Path(sys.argv[1])
    target.mkdir(parents=True, exist_ok=True)
    write(target, "synthetic", synthetic())
    write(target, "real", real())
