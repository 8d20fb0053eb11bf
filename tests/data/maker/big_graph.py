"""Writes two large meta graphs exported by TensorFlow, for measurements: `lhs.meta`, and `rhs.meta` with ten edits.

Usage: python -m maker.big_graph OUT_DIR NODES

Up to 100,000 nodes TensorFlow builds them all; above that, exported nodes are written again in scopes of other names,
one tower after the other. `edits.json` says what was edited. Two runs write the same bytes.
"""

import json
import pathlib
import sys

import numpy as np
import tensorflow as tf
from tensorflow.core.protobuf import meta_graph_pb2

v1 = tf.compat.v1
BUILT = 100_000
WIDTH = 4
LAYER = ("kernel", "product", "bias", "total", "active")


def tower(size):
    """About `size` nodes: dense layers of constants, one after the other, ten to a block."""
    layers = max(1, (size - 1) // len(LAYER))
    numbers = np.random.RandomState(0).standard_normal((layers, WIDTH + 1, WIDTH)).astype(np.float32)
    with tf.Graph().as_default():
        x = v1.placeholder(tf.float32, [None, WIDTH], name="x")
        for i, (*kernel, bias) in enumerate(numbers):
            with v1.name_scope(f"tower/block_{i // 10:05d}/layer_{i % 10}/"):
                product = tf.matmul(x, tf.constant(np.array(kernel), name="kernel"), name="product")
                x = tf.nn.relu(tf.add(product, tf.constant(bias, name="bias"), name="total"), name="active")
        return v1.train.export_meta_graph()


def repeated(meta, count):
    """The tower `count` times, each on the output of the one before."""
    original = list(meta.graph_def.node)
    last = original[-1].name
    result = meta_graph_pb2.MetaGraphDef()
    result.CopyFrom(meta)
    for i in range(1, count):
        here = f"tower_{i}/"
        before = last if i == 1 else last.replace("tower/", f"tower_{i - 1}/", 1)
        for old in original[1:]:
            node = result.graph_def.node.add()
            node.CopyFrom(old)
            node.name = old.name.replace("tower/", here, 1)
            node.input[:] = [before if name == "x" else name.replace("tower/", here, 1) for name in old.input]
    return result


def edit(meta):
    """Makes ten edits of different kinds, evenly over the graph; returns their descriptions."""
    nodes = meta.graph_def.node
    last = len(nodes) // len(LAYER)

    def scope(tenth):
        layer = last * (2 * tenth + 1) // 20
        return nodes[1 + layer * len(LAYER)].name.rpartition("/")[0], 1 + layer * len(LAYER)

    def at(tenth, part):
        where, start = scope(tenth)
        return next(node for node in nodes[start : start + len(LAYER)] if node.name == f"{where}/{part}")

    edits = []

    def note(kind, where, rest=""):
        edits.append({"kind": kind, "path": f'graph_def.node["{where.name}"]{rest}'})

    bias = at(0, "bias")
    bias.attr["value"].tensor.tensor_content = np.arange(WIDTH, dtype=np.float32).tobytes()
    note("modified", bias, '.attr["value"].tensor')
    product = at(1, "product")
    product.attr["transpose_b"].b = True
    note("modified", product, '.attr["transpose_b"]')
    active = at(2, "active")
    active.op = "Elu"
    note("modified", active, ".op")
    moved = at(3, "total")
    moved.device = "/device:GPU:0"
    note("modified", moved, ".device")
    rewired = at(4, "active")
    rewired.input[0] = at(4, "product").name
    note("modified", rewired, ".input[0]")
    controlled = at(5, "total")
    controlled.input.append(f"^{at(4, 'kernel').name}")
    note("added", controlled, f'.input["^{at(4, "kernel").name}"]')
    swapped = at(6, "product")
    swapped.input[:] = swapped.input[::-1]
    note("modified", swapped, ".input")
    _rename(nodes, at(7, "total"), "sum", edits)
    more = nodes.add()
    more.CopyFrom(at(8, "active"))
    more.name += "_logged"
    note("added", more)
    retyped = at(9, "kernel")
    retyped.attr["_class"].list.s.append(b"loc:@" + at(9, "bias").name.encode())
    note("added", retyped, '.attr["_class"]')
    return edits


def _rename(nodes, node, name, edits):
    old = node.name
    node.name = f"{old.rpartition('/')[0]}/{name}"
    for consumer in nodes:
        if old in consumer.input:
            consumer.input[:] = [node.name if given == old else given for given in consumer.input]
    edits.append({"kind": "renamed", "path": f'graph_def.node["{node.name}"]', "lhs": old, "rhs": node.name})


def main(folder, size):
    """Writes the pair."""
    folder = pathlib.Path(folder)
    folder.mkdir(parents=True, exist_ok=True)
    meta = tower(min(size, BUILT))
    if size > BUILT:
        meta = repeated(meta, round(size / BUILT))
    for side in ("lhs", "rhs"):
        if side == "rhs":
            edits = edit(meta)
            (folder / "edits.json").write_text(json.dumps(edits, indent=1) + "\n", "ascii")
        data = meta.SerializeToString(deterministic=True)
        (folder / f"{side}.meta").write_bytes(data)
        print(f"{folder / side}.meta: {len(meta.graph_def.node)} nodes, {len(data)} bytes")


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]))
