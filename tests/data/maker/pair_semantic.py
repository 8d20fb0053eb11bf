"""Pairs of graphs that differ in one semantic respect: nodes, attributes, constants."""

import numpy as np
import tensorflow as tf

from .pair import (
    KERNEL, Pair, added, attr, change, layer, meta, modified, node, op_list, removed, shapes, v1, value,
)  # fmt: skip


def _sides(build, lhs, rhs, what, **expected):
    """The same builder with different arguments."""
    return Pair(what, meta(build, lhs), meta(build, rhs), **expected)


# --- nodes --------------------------------------------------------------------------------------


def _maybe_log(with_log):
    active = layer()
    if with_log:
        tf.identity(active, name="logged")


def node_added():
    follows = {"unsettled": op_list(added, "Identity")}
    return _sides(
        _maybe_log,
        False,
        True,
        "a node more, that nothing uses",
        semantic=[added(node("logged"))],
        more=follows,
    )


def node_removed():
    follows = {"unsettled": op_list(removed, "Identity")}
    return _sides(
        _maybe_log,
        True,
        False,
        "a node less, that nothing used",
        semantic=[removed(node("logged"))],
        more=follows,
    )


def op_other():
    lhs, rhs = meta(layer), meta(layer, activation=tf.nn.elu)
    follows = {"unsettled": op_list(removed, "Relu") + op_list(added, "Elu")}
    return Pair(
        "Relu became Elu, under the same name", lhs, rhs, [modified(node("active", ".op"))], more=follows
    )


def input_rewired():
    def build(past_bias):
        x = v1.placeholder(tf.float32, [None, 4], name="x")
        product = tf.matmul(x, tf.constant(KERNEL, name="kernel"), name="product")
        total = tf.add(product, tf.constant([0.5, -0.5, 0.25], name="bias"), name="total")
        tf.nn.relu(product if past_bias else total, name="active")

    what = "a node takes its input from another node of the same shape"
    return _sides(build, False, True, what, semantic=[modified(node("active", ".input[0]"))])


def input_of_other_output():
    def build(output):
        parts = tf.split(v1.placeholder(tf.float32, [4], name="x"), 2, name="parts")
        tf.identity(parts[output], name="taken")

    return _sides(
        build,
        0,
        1,
        "an input from another output of the same node",
        semantic=[modified(node("taken", ".input[0]"))],
    )


MARK = "_has_manual_control_dependencies"


def _controlled(names):
    x = v1.placeholder(tf.float32, [], name="x")
    first = {name: tf.no_op(name=name) for name in ("init", "check")}
    with tf.control_dependencies([first[name] for name in names]):
        tf.identity(x, name="y")


def control_input_added():
    where = [added(node("y", '.input["^check"]'))]
    return _sides(
        _controlled,
        ["init"],
        ["init", "check"],
        "a control input more",
        semantic=where,
        cosmetic=[added(attr("check", MARK))],
    )


def control_input_removed():
    where = [removed(node("y", '.input["^init"]'))]
    return _sides(
        _controlled,
        ["init", "check"],
        ["check"],
        "a control input less",
        semantic=where,
        cosmetic=[removed(attr("init", MARK))],
    )


# --- attributes and devices ---------------------------------------------------------------------


def attr_bool():
    lhs, rhs = (meta(layer, np.eye(4, dtype=np.float32), transpose, units=1) for transpose in (False, True))
    return Pair("transpose_b became true", lhs, rhs, [modified(attr("product", "transpose_b"))])


def attr_list():
    def build(strides):
        images = v1.placeholder(tf.float32, [None, 8, 8, 1], name="images")
        tf.nn.conv2d(
            images, tf.constant(0.5, shape=[1, 1, 1, 2], name="filter"), strides, "SAME", name="conv"
        )

    what = "the strides of a convolution"
    return _sides(
        build, [1, 1], [2, 2], what, semantic=[modified(attr("conv", "strides"))], cosmetic=shapes("conv")
    )


def attr_string():
    def build(padding):
        images = v1.placeholder(tf.float32, [None, 8, 8, 1], name="images")
        tf.nn.max_pool2d(images, 2, 2, padding, name="pool")

    return _sides(
        build, "SAME", "VALID", "the padding of a pooling", semantic=[modified(attr("pool", "padding"))]
    )


def attr_dtype():
    def build(dtype):
        tf.nn.relu(v1.placeholder(dtype, [2], name="x"), name="active")

    where = [modified(attr("x", "dtype")), modified(attr("active", "T"))]
    return _sides(build, tf.float32, tf.float64, "another dtype, throughout", semantic=where)


def attr_shape():
    def build(size):
        tf.nn.relu(v1.placeholder(tf.float32, [size, 2], name="x"), name="active")

    where = [modified(attr("x", "shape"))]
    return _sides(
        build, None, 8, "the shape of a placeholder", semantic=where, cosmetic=shapes("x", "active")
    )


def device():
    def build(name):
        with v1.device(name):
            v1.placeholder(tf.float32, [2], name="x")

    return _sides(
        build, "/job:ps/task:0", "/job:ps/task:1", "another device", semantic=[modified(node("x", ".device"))]
    )


def device_cleared():
    def build():
        with v1.device("/device:GPU:0"):
            v1.placeholder(tf.float32, [2], name="x")
            v1.placeholder(tf.float32, [2], name="y")

    with tf.Graph().as_default():
        build()
        lhs, rhs = (v1.train.export_meta_graph(clear_devices=clear) for clear in (False, True))
    where = [change(["removed", "modified"], node(name, ".device")) for name in "xy"]
    return Pair("exported with clear_devices", lhs, rhs, where)


# --- constants ----------------------------------------------------------------------------------


def _kernel(what, change_one, exit_with):
    other = KERNEL.copy()
    change_one(other)
    more = {"exit_with": exit_with}
    return Pair(what, meta(layer), meta(layer, other), [modified(value("kernel"))], more=more)


def constant_a_little():
    """3.0 at [2, 1] became 3.0015: off by 0.0015 and by 0.0005 of lhs."""

    def nudge(kernel):
        kernel[2, 1] = 3.0015

    exits = {"--rtol 1e-3": 0, "--rtol 1e-4": 1, "--atol 0.01": 0, "--atol 0.001": 1}
    return _kernel("one number of a constant, by 0.0005 of it", nudge, exits)


def constant_a_lot():
    """All numbers changed; those at [3, 0] by the most: 4 became 5."""

    def raise_all(kernel):
        kernel += 1

    return _kernel(
        "all numbers of a constant, by 1", raise_all, {"--rtol 1e-3": 1, "--atol 1": 0, "--atol 0.99": 1}
    )


def constant_zero_sign():
    def flip(kernel):
        kernel[0, 0] = -0.0

    def start(kernel):
        kernel[0, 0] = 0.0

    pair = _kernel("0.0 in a constant became -0.0", flip, {"--atol 0": 0})
    other = KERNEL.copy()
    start(other)
    pair.lhs = meta(layer, other)
    return pair


def _constant(*args, **options):
    tf.constant(*args, name="c", **options)


def _constants(lhs, rhs, what, **expected):
    return Pair(what, *(meta(_constant, **side) for side in (lhs, rhs)), **expected)


def constant_shape():
    lhs, rhs = ({"value": [1.0, 2.0, 3.0, 4.0], "shape": shape} for shape in ([4], [2, 2]))
    what = "the shape of a constant, its values the same"
    where = [change("modified", path_begins=value("c"), about="shape")]
    return _constants(
        lhs, rhs, what, semantic=where, cosmetic=shapes("c"), more={"exit_with": {"--atol 10": 1}}
    )


def constant_dtype():
    lhs, rhs = ({"value": [1.0, 2.0], "dtype": dtype} for dtype in (tf.float32, tf.float64))
    where = [modified(attr("c", "dtype")), change("modified", path_begins=value("c"), about="dtype")]
    more = {"exit_with": {"--atol 10": 1}}
    return _constants(lhs, rhs, "the dtype of a constant, its values the same", semantic=where, more=more)


def constant_string():
    lhs, rhs = ({"value": [b"the", word, b"\xff"]} for word in (b"cat", b"dog"))
    more = {"exit_with": {"--atol 1000": 1}}
    return _constants(lhs, rhs, "a word of a constant of strings", semantic=[modified(value("c"))], more=more)


def constant_int():
    lhs, rhs = ({"value": [1, 2**60 + third], "dtype": tf.int64} for third in (0, 1))
    more = {"exit_with": {"--atol 0.5": 1, "--atol 1": 0}}
    return _constants(
        lhs, rhs, "an int64 of a constant, by 1 in 2**60", semantic=[modified(value("c"))], more=more
    )


MAKERS = (
    node_added, node_removed, op_other, input_rewired, input_of_other_output, control_input_added,
    control_input_removed, attr_bool, attr_list, attr_string, attr_dtype, attr_shape, device, device_cleared,
    constant_a_little, constant_a_lot, constant_zero_sign, constant_shape, constant_dtype, constant_string,
    constant_int,
)  # fmt: skip
