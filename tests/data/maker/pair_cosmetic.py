"""Pairs with a cosmetic difference, and similar pairs with a semantic one."""

import uuid

import numpy as np
import tensorflow as tf
from google.protobuf.internal import decoder
from tensorflow.core.protobuf import control_flow_pb2
from tensorflow.python.ops import lookup_ops

from .pair import (
    EDITED, KERNEL, Pair, added, attr, change, edited, graph, layer, meta, modified, node, node_of, removed,
    v1, value, variable,
)  # fmt: skip


# --- order --------------------------------------------------------------------------------------


def node_order():
    lhs = meta(layer)

    def reverse(copy):
        nodes = list(copy.graph_def.node)[::-1]
        del copy.graph_def.node[:]
        copy.graph_def.node.extend(nodes)

    order = [modified("graph_def.node", about="order of nodes")]
    return Pair("the nodes in reverse order", lhs, edited(lhs, reverse), cosmetic=order, how=EDITED)


def node_order_built():
    def build(swapped):
        for name in ("b", "a") if swapped else ("a", "b"):
            tf.constant(1.0, name=name)

    order = [modified("node", about="order of nodes")]
    return Pair("two nodes built in the other order", graph(build, False), graph(build, True), cosmetic=order)


def control_input_order():
    def build():
        x = v1.placeholder(tf.float32, [], name="x")
        with tf.control_dependencies([tf.constant(i, name=f"c{i}") for i in range(3)]):
            tf.identity(x, name="y")

    lhs = meta(build)

    def swap(copy):
        inputs = node_of(copy, "y").input
        inputs[1:] = inputs[:0:-1]

    where = [change("modified", about="order of control inputs", path_begins=node("y", ".input"))]
    return Pair("control inputs in reverse order", lhs, edited(lhs, swap), cosmetic=where, how=EDITED)


def map_order():
    """The bytes are the same message, so fields are equal."""
    lhs = meta(layer)
    rhs = reversed_maps(lhs.SerializeToString(deterministic=True), lhs.DESCRIPTOR)
    order = [change("modified", about="order of the entries of maps", optional=True)]
    what = "the entries of all maps (attributes, collections) serialized in reverse order"
    return Pair(what, lhs, rhs, cosmetic=order, how=EDITED)


def reversed_maps(data, descriptor):
    """The message with the entries of every map in reverse order."""
    parts, pos = [], 0
    while pos < len(data):
        start = pos
        tag, pos = decoder._DecodeVarint(data, pos)
        field, wire = descriptor.fields_by_number[tag >> 3], tag & 7
        size, content = decoder._DecodeVarint(data, pos) if wire in (0, 2) else ({1: 8, 5: 4}[wire], pos)
        pos = content + (size if wire else 0)
        inner = (
            reversed_maps(data[content:pos], field.message_type) if field.message_type else data[content:pos]
        )
        part = (data[start:content] + inner) if wire else data[start:pos]
        is_map = field.message_type is not None and field.message_type.GetOptions().map_entry
        parts.append((field.number, is_map, part))
    result = b""
    for number in sorted({part[0] for part in parts}):
        found = [part for part in parts if part[0] == number]
        result += b"".join(part[2] for part in (found[::-1] if found[0][1] else found))
    return result


# --- inputs -------------------------------------------------------------------------------------


def output_zero():
    lhs = meta(layer)

    def spell(copy):
        for name in ("product", "active"):
            inputs = node_of(copy, name).input
            inputs[:] = [f"{name}:0" for name in inputs]

    where = [node("product", ".input[0]"), node("product", ".input[1]"), node("active", ".input[0]")]
    return Pair(
        "inputs spelled x:0, not x",
        lhs,
        edited(lhs, spell),
        cosmetic=[modified(p) for p in where],
        how=EDITED,
    )


def _two(op, swapped, **options):
    x, y = (v1.placeholder(tf.float32, [2, 2], name=name) for name in "xy")
    op(*((y, x) if swapped else (x, y)), name="result", **options)


def _swapped(op, what, matters=False):
    lhs, rhs = (meta(_two, op, swapped) for swapped in (False, True))
    where = [change("modified", about="inputs 0 and 1 swapped", path_begins=node("result", ".input"))]
    return Pair(what, lhs, rhs, **{"semantic" if matters else "cosmetic": where})


def swapped_add():
    return _swapped(tf.add, "the inputs of AddV2 swapped, which is commutative")


def swapped_mul_without_op_list():
    lhs, rhs = (graph(_two, tf.multiply, swapped) for swapped in (False, True))
    where = [change("modified", about="inputs 0 and 1 swapped", path_begins=node("result", ".input", ""))]
    return Pair("the inputs of Mul swapped; no op definitions in the file", lhs, rhs, cosmetic=where)


def swapped_add_n():
    def build(names):
        given = {name: v1.placeholder(tf.float32, [2], name=name) for name in "abc"}
        tf.add_n([given[name] for name in names], name="sum")

    where = [change("modified", about="inputs in another order", path_begins=node("sum", ".input"))]
    what = "the inputs of AddN in another order, which is commutative over a list"
    return Pair(what, meta(build, "abc"), meta(build, "cab"), cosmetic=where)


def swapped_sub():
    return _swapped(tf.subtract, "the inputs of Sub swapped", True)


def swapped_matmul():
    return _swapped(tf.matmul, "the inputs of MatMul swapped", True)


def swapped_maximum_op_list_decides():
    """Maximum is commutative in TensorFlow; the file's op list takes precedence."""

    def forget(copy):
        for op in copy.meta_info_def.stripped_op_list.op:
            op.is_commutative = False

    pair = _swapped(
        tf.maximum, "the inputs of Maximum swapped, where the files' own definition is not commutative", True
    )
    pair.lhs, pair.rhs, pair.how = edited(pair.lhs, forget), edited(pair.rhs, forget), EDITED
    return pair


# --- attributes ---------------------------------------------------------------------------------


def output_shapes():
    lhs, rhs = graph(layer), graph(layer, add_shapes=True)
    names = ("x", "kernel", "product", "bias", "total", "active")
    where = [added(attr(name, "_output_shapes", root="")) for name in names]
    return Pair("the graph written without and with inferred shapes", lhs, rhs, cosmetic=where)


def private_attributes():
    def build(changed):
        active = layer().op
        active._set_attr("_note", v1.AttrValue(s=b"new" if changed else b"old"))
        if changed:
            active._set_attr("_XlaCompile", v1.AttrValue(b=True))

    where = [modified(attr("active", "_note")), added(attr("active", "_XlaCompile"))]
    return Pair("other attributes that start with _", meta(build, False), meta(build, True), cosmetic=where)


def stripped_defaults():
    """VariableV2, Assign, MatMul and the placeholder have attributes of default value."""

    def build():
        v1.placeholder(tf.float32, name="any")
        tf.matmul(v1.placeholder(tf.float32, [None, 4], name="x"), variable("kernel", [4, 3]), name="product")

    lhs, rhs = meta(build), meta(build, strip=True)
    gone = {
        "any": ["shape"],
        "kernel": ["container", "shared_name"],
        "kernel/Assign": ["use_locking", "validate_shape"],
        "product": ["transpose_a", "transpose_b", "grad_a", "grad_b"],
    }
    where = [removed(attr(name, key)) for name, keys in gone.items() for key in keys]
    where.append(change(["added", "modified"], "meta_info_def.stripped_default_attrs"))
    return Pair("exported with strip_default_attrs", lhs, rhs, cosmetic=where)


def stripped_defaults_without_op_list():
    lhs, rhs = (meta(layer, strip=strip).graph_def for strip in (False, True))
    keys = ("transpose_a", "transpose_b", "grad_a", "grad_b")
    where = [removed(attr("product", key, root="")) for key in keys]
    return Pair("the same of a graph alone, without op definitions in the file", lhs, rhs, cosmetic=where)


def stripped_other_value():
    lhs = meta(layer, KERNEL.T.copy(), True)

    def strip(copy):
        del node_of(copy, "product").attr["transpose_b"]

    what = "transpose_b=true left out: its default is false"
    gone = [change(["removed", "modified"], attr("product", "transpose_b"))]
    return Pair(what, lhs, edited(lhs, strip), semantic=gone, how=EDITED)


def classes():
    def build(near):
        places = {name: tf.constant(1.0, name=name) for name in ("here", "there")}
        with v1.colocate_with(places[near]):
            tf.constant(2.0, name="colocated")

    where = [modified(attr("colocated", "_class"))]
    return Pair("colocated with another node", meta(build, "here"), meta(build, "there"), semantic=where)


# --- encodings of constants ---------------------------------------------------------------------

ENCODED = (
    "float32",
    "float64",
    "float16",
    "bfloat16",
    "int8",
    "uint8",
    "int32",
    "int64",
    "uint64",
    "bool",
    "complex64",
    "complex128",
)
NUMBERS = np.array([[0, 1, 2], [1, 1, 1]])
FIELDS = {
    "float32": "float_val", "float64": "double_val", "float16": "half_val", "bfloat16": "half_val",
    "int64": "int64_val", "uint64": "uint64_val", "bool": "bool_val", "complex64": "scomplex_val",
    "complex128": "dcomplex_val",
}  # fmt: skip


def constant_encodings():
    """tensor_content and the *_val field, whose last value repeats."""

    def build():
        for dtype in ENCODED:
            tf.constant(NUMBERS.astype(tf.as_dtype(dtype).as_numpy_dtype), name=dtype)

    lhs = graph(build)

    def change_form(copy):
        for dtype in ENCODED:
            tensor = node_of(copy, dtype).attr["value"].tensor
            numbers = NUMBERS.astype(tf.as_dtype(dtype).as_numpy_dtype)
            if tensor.tensor_content:
                tensor.ClearField("tensor_content")
                bits = numbers.view(np.uint16) if dtype.endswith("float16") else numbers
                getattr(tensor, FIELDS.get(dtype, "int_val")).extend(bits.ravel().tolist()[:4])
            else:
                tensor.ClearField(FIELDS[dtype])
                tensor.tensor_content = numbers.tobytes()

    where = [modified(value(dtype, "")) for dtype in ENCODED]
    what = "constants of many types in tensor_content on one side, in the *_val field on the other, its last value repeated"
    return Pair(what, lhs, edited(lhs, change_form), cosmetic=where, how=EDITED)


def constant_splat():
    def build(whole):
        tf.constant([1.5] * 4 if whole else 1.5, shape=[4], name="float")
        tf.constant([7] * 4 if whole else 7, tf.int64, [2, 2], name="int")
        tf.constant([b"a"] * 3 if whole else b"a", shape=[3], name="string")
        tf.constant([True] * 2 if whole else True, shape=[2], name="bool")

    where = [modified(value(name)) for name in ("float", "int", "string", "bool")]
    what = "constants from one value and a shape, and from all values"
    return Pair(what, meta(build, False), meta(build, True), cosmetic=where)


# --- versions and op definitions ----------------------------------------------------------------


def _of_layer(edit, what, **expected):
    lhs = meta(layer)
    return Pair(what, lhs, edited(lhs, edit), how=EDITED, **expected)


def versions():
    def edit(copy):
        copy.meta_info_def.tensorflow_version = "2.15.1"
        copy.meta_info_def.tensorflow_git_version = "v2.15.0-11-g63f5a65c7cd"
        copy.graph_def.versions.producer = 1645
        copy.graph_def.version = 24
        copy.graph_def.debug_info.files.append("model.py")

    where = [
        modified("meta_info_def.tensorflow_version"), modified("meta_info_def.tensorflow_git_version"),
        modified("graph_def.versions.producer"), change(["added", "modified"], "graph_def.version"),
        change("added", path_begins="graph_def.debug_info"),
    ]  # fmt: skip
    return _of_layer(edit, "the versions of another TensorFlow, and debug info", cosmetic=where)


def min_consumer():
    def edit(copy):
        copy.graph_def.versions.min_consumer = 24

    where = [change(["added", "modified"], "graph_def.versions.min_consumer")]
    return _of_layer(edit, "the least TensorFlow that may read it is another", semantic=where)


def bad_consumers():
    def edit(copy):
        copy.graph_def.versions.bad_consumers.append(1000)

    where = [change("added", path_begins="graph_def.versions.bad_consumers")]
    return _of_layer(edit, "a TensorFlow that may not read it", semantic=where)


def _op(copy, name):
    return next(op for op in copy.meta_info_def.stripped_op_list.op if op.name == name)


def op_docs():
    def edit(copy):
        op = _op(copy, "MatMul")
        op.summary, op.description = "Multiplies matrices.", "The inputs must be of rank 2."
        op.input_arg[0].description = op.attr[0].description = "Left."

    where = [change("added", path_begins='meta_info_def.stripped_op_list.op["MatMul"]', about="docs")]
    return _of_layer(edit, "an op definition with its documentation", cosmetic=where)


def op_grew():
    """As in MatMul's history: it once had no grad_a and grad_b, and fewer types."""
    rhs = meta(layer)

    def shrink(copy):
        op = _op(copy, "MatMul")
        for known in list(op.attr):
            if known.name in ("grad_a", "grad_b"):
                op.attr.remove(known)
            elif known.name == "T":
                del known.allowed_values.list.type[4:]
        for key in ("grad_a", "grad_b"):
            del node_of(copy, "product").attr[key]

    where = [
        change("modified", path_begins='meta_info_def.stripped_op_list.op["MatMul"]', about="allowed values, defaulted attributes"),
        added(attr("product", "grad_a")), added(attr("product", "grad_b")),
    ]  # fmt: skip
    what = "the MatMul of an older TensorFlow: fewer types allowed, attributes with defaults missing"
    return Pair(what, edited(rhs, shrink), rhs, cosmetic=where, how=EDITED)


def op_changed():
    def edit(copy):
        _op(copy, "MatMul").attr[0].default_value.b = True
        _op(copy, "Relu").is_stateful = True
        _op(copy, "AddV2").attr[0].allowed_values.list.type.pop()
        _op(copy, "Placeholder").attr.add(name="needed", type="int")

    what = "op definitions changed: a default, stateful, a type less, an attribute more without default"
    ops = ("MatMul", "Relu", "AddV2", "Placeholder")
    where = [
        change(["added", "removed", "modified"], path_begins=f'meta_info_def.stripped_op_list.op["{op}"]')
        for op in ops
    ]
    return _of_layer(edit, what, semantic=where)


# --- random names -------------------------------------------------------------------------------


def temporary_names():
    """The form of TensorFlow 1, whose saver has a random name."""

    def build():
        variable("weights", [2])
        return v1.train.Saver(sharded=True)

    new = meta(build)

    def draw(name):
        def edit(copy):
            node_of(copy, "save/Const_2").attr["value"].tensor.string_val[:] = [f"_temp_{name}/part".encode()]

        return edit

    lhs, rhs = (
        edited(new, draw(name))
        for name in ("26ae8b9a7aa84eb8b1d61d9b1d3e6a27", "f0a4b6d5e6a94c2e8f0c4f2f6f1c8d11")
    )
    what = "the random temporary name of a sharded saver"
    return Pair(what, lhs, rhs, cosmetic=[modified(value("save/Const_2"))], how=EDITED)


def table_names():
    def build(seed):
        random = np.random.RandomState(seed)
        drawn = lookup_ops.uuid
        lookup_ops.uuid = type(
            "Seeded", (), {"uuid4": staticmethod(lambda: uuid.UUID(bytes=random.bytes(16)))}
        )
        for number in range(2):
            fill = tf.lookup.KeyValueTensorInitializer(["a", "b"], [number, 2])
            tf.lookup.StaticHashTable(fill, -1, name=f"table_{number}").lookup(tf.constant(["a"]))
        lookup_ops.uuid = drawn

    where = [modified(attr(f"table_{number}", "shared_name")) for number in range(2)]
    what = "two lookup tables, whose shared names TensorFlow draws at random"
    return Pair(what, meta(build, 1), meta(build, 2), cosmetic=where)


def loop_sets():
    """Current versions of TensorFlow sort them."""

    def build():
        x = v1.placeholder(tf.float32, [], name="x")
        tf.while_loop(lambda i, _: i < 10, lambda i, total: (i + 1, total * x), (0, x), name="loop")

    v1.disable_control_flow_v2()
    lhs = meta(build)
    v1.enable_control_flow_v2()

    def reverse(copy):
        contexts = copy.collection_def["while_context"].bytes_list.value
        context = control_flow_pb2.WhileContextDef.FromString(contexts[0])
        context.values_def.values[:] = context.values_def.values[::-1]
        contexts[0] = context.SerializeToString(deterministic=True)

    where = [change("modified", path_begins='collection_def["while_context"]', about="order of a set")]
    what = "the context of a loop with its set of values in another order, as older TensorFlow wrote it on each run"
    return Pair(what, lhs, edited(lhs, reverse), cosmetic=where, how=EDITED)


MAKERS = (
    node_order, node_order_built, control_input_order, map_order, output_zero, swapped_add,
    swapped_mul_without_op_list, swapped_add_n, swapped_sub, swapped_matmul, swapped_maximum_op_list_decides,
    output_shapes, private_attributes, stripped_defaults, stripped_defaults_without_op_list, stripped_other_value,
    classes, constant_encodings, constant_splat, versions, min_consumer, bad_consumers, op_docs, op_grew,
    op_changed, temporary_names, table_names, loop_sets,
)  # fmt: skip
