"""Pairs with renames, with blocks of nodes inserted, removed and exchanged, and with several changes at once."""

import numpy as np
import tensorflow as tf

from .pair import (
    EDITED, KERNEL, Pair, added, attr, came, change, edited, graph, layer, meta, modified, node, node_of, op_list,
    removed, renamed, shapes, v1, value, variable, went,
)  # fmt: skip


def _names(side, scope):
    """The nodes in this scope, and the node of this name."""
    nodes = getattr(side, "graph_def", side).node
    return [n.name for n in nodes if n.name == scope or n.name.startswith(f"{scope}/")]


def _scope_renamed(lhs, rhs, old, new):
    count = len(_names(lhs, old))
    assert count == len(_names(rhs, new)) > 0
    return renamed(old, new, "scope", nodes=count)


# --- renames ------------------------------------------------------------------------------------


def rename_node():
    def build(name):
        active = tf.nn.relu(v1.placeholder(tf.float32, [2], name="x"), name=name)
        with tf.control_dependencies([active]):
            tf.identity(active[0], name="first")

    lhs, rhs = meta(build, "relu"), meta(build, "activation")
    where = [{**renamed("relu", "activation", "node"), "path": node("activation")}]
    return Pair("a node has another name, and its consumers follow", lhs, rhs, where)


def _scoped(scope="dense", name="out", kernel=None, device=None, saver=True):
    """Two layers of variables in scopes, collections of their outputs, and a saver."""
    x = v1.placeholder(tf.float32, [None, 4], name="x")
    with v1.variable_scope(scope), v1.device(device):
        start = v1.constant_initializer(KERNEL if kernel is None else kernel)
        hidden = tf.nn.relu(
            tf.matmul(x, variable("kernel", [4, 3], initializer=start)) + variable("bias", [3])
        )
    with v1.variable_scope(name):
        result = tf.matmul(hidden, variable("kernel", [3, 1]))
    v1.add_to_collection("losses", tf.reduce_sum(result, name="loss"))
    v1.add_to_collection("activations", hidden)
    return v1.train.Saver() if saver else None


def rename_scope():
    lhs, rhs = meta(_scoped), meta(_scoped, "layer")
    what = (
        "a scope of variables has another name: nodes, _class, collections and the saver's constants follow"
    )
    return Pair(what, lhs, rhs, [_scope_renamed(lhs, rhs, "dense", "layer")])


def rename_scope_reorders():
    """The saver sorts variables by name: dense is before out, zone is after it."""
    lhs, rhs = meta(_scoped), meta(_scoped, "zone")
    what = "a scope has another name, by which the saver takes the variables in another order"
    more = {"open": "save/Assign and its like exchange their variables, inferred shapes with them"}
    return Pair(what, lhs, rhs, [_scope_renamed(lhs, rhs, "dense", "zone")], more=more)


def rename_scope_deeper():
    lhs, rhs = meta(_scoped), meta(_scoped, "model/dense")
    return Pair("a scope moved one level down", lhs, rhs, [_scope_renamed(lhs, rhs, "dense", "model/dense")])


def rename_two_scopes():
    lhs, rhs = meta(_scoped), meta(_scoped, "hidden", "last")
    where = [_scope_renamed(lhs, rhs, *pair) for pair in (("dense", "hidden"), ("out", "last"))]
    return Pair("two scopes have other names", lhs, rhs, where)


def rename_variable():
    def build(name):
        tf.multiply(variable(name, [2]), 2.0, name="twice")
        return v1.train.Saver()

    lhs, rhs = meta(build, "w"), meta(build, "weights")
    what = (
        "a variable has another name: a node and the scope under it, its collections, its key in checkpoints"
    )
    return Pair(what, lhs, rhs, [_scope_renamed(lhs, rhs, "w", "weights")])


def rename_saver():
    def build(name):
        variable("w", [2])
        return v1.train.Saver(name=name)

    lhs, rhs = meta(build, "save"), meta(build, "keeper")
    what = "the saver has another name, and saver_def follows"
    return Pair(what, lhs, rhs, [_scope_renamed(lhs, rhs, "save", "keeper")])


def rename_loop():
    from .pair_collections import _loop, _old_control_flow

    lhs, rhs = (_old_control_flow(_loop, 10, name) for name in ("loop", "cycle"))
    what = "a loop has another name: frame names and the context follow"
    return Pair(what, lhs, rhs, [_scope_renamed(lhs, rhs, "loop", "cycle")])


def rename_in_signature():
    from .pair_collections import _info, signed

    def build(name):
        tf.identity(v1.placeholder(tf.float32, [None, 4], name=name), name="active")

    lhs, rhs = (signed(meta(build, name), inputs={"x": _info(f"{name}:0")}) for name in ("x", "features"))
    where = [{**renamed("x", "features", "node"), "path": node("features")}]
    return Pair(
        "a node that a signature names has another name, and the signature follows",
        lhs,
        rhs,
        where,
        how=EDITED,
    )


def rename_twins():
    """The two differ only in their names, so either match is right."""

    def build(names):
        x = v1.placeholder(tf.float32, [2], name="x")
        tf.add(*(tf.sin(x, name=name) for name in names), name="sum")

    lhs, rhs = meta(build, ("left", "right")), meta(build, ("one", "two"))
    what = "two nodes that only their names tell apart have other names"
    return Pair(what, lhs, rhs, [change("renamed", about="node"), change("renamed", about="node")])


def rename_and_edit():
    other = KERNEL.copy()
    other[1, 1] = 7
    lhs, rhs = meta(_scoped), meta(_scoped, "layer", kernel=other)
    where = [_scope_renamed(lhs, rhs, "dense", "layer"), modified(value("layer/kernel/Initializer/Const"))]
    return Pair("a scope has another name, and a constant in it another value", lhs, rhs, where)


def rename_edit_device():
    other = KERNEL.copy()
    other[1, 1] = 7
    lhs = meta(_scoped, saver=False)
    rhs = meta(_scoped, "layer", kernel=other, device="/device:GPU:0", saver=False)
    moved = [n.name for n in rhs.graph_def.node if n.device]
    where = [
        _scope_renamed(lhs, rhs, "dense", "layer"), modified(value("layer/kernel/Initializer/Const")),
        *(change(["added", "modified"], node(name, ".device")) for name in moved),
    ]  # fmt: skip
    what = "a scope has another name, its nodes another device, and a constant in it another value"
    return Pair(what, lhs, rhs, where)


def scopes_exchanged():
    """Two layers exchange places and names, so the names stay and their content is exchanged."""

    def build(order):
        x = v1.placeholder(tf.float32, [None, 2], name="x")
        for scope in order:
            number = 2.0 if order.index(scope) == 0 else 3.0
            with v1.name_scope(scope):
                x = tf.sin(tf.multiply(x, tf.constant(number, name="factor"), name="product"), name="wave")
        tf.identity(x, name="y")

    where = [
        modified(value("first/factor")), modified(value("second/factor")),
        modified(node("first/product", ".input[0]")), modified(node("second/product", ".input[0]")),
        modified(node("y", ".input[0]")),
    ]  # fmt: skip
    what = "two scopes exchanged their names; two renames would say it too"
    return Pair(
        what, meta(build, ("first", "second")), meta(build, ("second", "first")), where, more={"open": what}
    )


# --- blocks -------------------------------------------------------------------------------------


def _block(kind):
    x = v1.placeholder(tf.float32, [None, 4], name="x")
    y = tf.matmul(x, tf.constant(KERNEL, name="kernel"), name="product")
    if kind == "norm":
        with v1.name_scope("norm"):
            mean, scale, offset = (
                tf.constant([0.5, 1.0, 2.0], name=name) for name in ("mean", "scale", "offset")
            )
            y = tf.add(
                tf.multiply(tf.subtract(y, mean, name="centred"), scale, name="scaled"),
                offset,
                name="shifted",
            )
    if kind == "drop":
        y = tf.nn.dropout(y, 0.5, seed=1, name="drop")
    if kind == "tanh":
        with v1.name_scope("squash"):
            y = tf.tanh(tf.multiply(y, tf.constant(0.5, name="slope"), name="steep"), name="tanh")
    tf.nn.relu(y, name="active")


def _list_changes(lhs, rhs):
    ops = [{op.name for op in side.meta_info_def.stripped_op_list.op} for side in (lhs, rhs)]
    return {
        "unsettled": op_list(removed, *sorted(ops[0] - ops[1])) + op_list(added, *sorted(ops[1] - ops[0]))
    }


def _blocks(lhs, rhs, what, *changes):
    lhs, rhs = meta(_block, lhs), meta(_block, rhs)
    made = [
        make(*_names(rhs if make is came else lhs, scope), boundary=[node("active", ".input[0]")])
        for make, scope in changes
    ]
    return Pair(what, lhs, rhs, made, more=_list_changes(lhs, rhs))


def block_inserted():
    return _blocks(None, "norm", "six nodes of a normalization between two layers", (came, "norm"))


def block_removed():
    return _blocks("norm", None, "six nodes of a normalization taken out", (went, "norm"))


def block_replaced():
    return _blocks(
        "norm", "tanh", "a normalization replaced by a squashing", (went, "norm"), (came, "squash")
    )


def dropout_inserted():
    return _blocks(None, "drop", "dropout between two layers, its parts unnamed", (came, "drop"))


def numbers_shifted():
    """Nodes with generated names: all later nodes get another number."""

    def build(longer):
        x = v1.placeholder(tf.float32, [2], name="x")
        x = x + 1.0
        if longer:
            x = x + 2.0
        x = tf.sin(x + 3.0)
        tf.identity(x + 4.0, name="y")

    lhs, rhs = meta(build, False), meta(build, True)
    where = [change("added", about="an AddV2 and its constant, of value 2, after add")]
    more = {"open": "matched by name, add_1 and add_2 have other constants and inputs, and add_3 is new"}
    return Pair(
        "an unnamed node put in between: the numbers in the names of the next shift",
        lhs,
        rhs,
        where,
        more=more,
    )


def optimizer():
    def build(make):
        weights = variable("weights", [2])
        make(0.01).minimize(tf.reduce_sum(tf.square(weights), name="loss"))
        return v1.train.Saver()

    kinds = v1.train.GradientDescentOptimizer, v1.train.AdamOptimizer
    lhs, rhs = (meta(build, kind) for kind in kinds)
    where = [
        change("added", about=f"variable {name}")
        for name in ("weights/Adam", "weights/Adam_1", "beta1_power", "beta2_power")
    ]
    more = {
        "open": "ApplyGradientDescent goes, ApplyAdam comes, with their constants; the saver has four variables more"
    }
    return Pair("Adam instead of gradient descent", lhs, rhs, where, more=more)


def layer_size():
    def build(units):
        x = v1.placeholder(tf.float32, [None, 4], name="x")
        hidden = tf.nn.relu(tf.matmul(x, variable("kernel", [4, units]), name="product"), name="hidden")
        tf.matmul(hidden, variable("out", [units, 2]), name="y")
        return v1.train.Saver()

    lhs, rhs = meta(build, 3), meta(build, 5)
    grown = [modified(attr(name, "shape")) for name in ("kernel", "out")]
    zeros = [
        change("modified", path_begins=value(f"{name}/Initializer/zeros"), about="shape")
        for name in ("kernel", "out")
    ]
    nodes = (
        "product",
        "hidden",
        *(f"{v}{part}" for v in ("kernel", "out") for part in ("", "/Initializer/zeros", "/Assign", "/read")),
    )
    nodes += tuple(f"save/Assign{number}" for number in ("", "_1"))
    return Pair("a layer has five units, not three", lhs, rhs, grown + zeros, shapes(*nodes))


# --- several at once ----------------------------------------------------------------------------


def all_cosmetic():
    lhs, rhs = meta(_scoped), meta(_scoped, strip=True)

    def spell(copy):
        copy.meta_info_def.tensorflow_version = "2.15.1"
        copy.graph_def.versions.producer = 1645
        nodes = list(copy.graph_def.node)[::-1]
        del copy.graph_def.node[:]
        copy.graph_def.node.extend(nodes)
        tensor = node_of(copy, "dense/kernel/Initializer/Const").attr["value"].tensor
        numbers = np.frombuffer(tensor.tensor_content, np.float32)
        tensor.ClearField("tensor_content")
        tensor.float_val.extend(numbers.tolist())
        for n in copy.graph_def.node:
            n.attr.pop("_output_shapes", None)
            n.input[:] = [f"{i}:0" if ":" not in i and not i.startswith("^") else i for i in n.input]

    where = [
        modified("graph_def.node", about="order of nodes"), modified("graph_def.versions.producer"),
        modified("meta_info_def.tensorflow_version"), change(["added", "modified"], "meta_info_def.stripped_default_attrs"),
        modified(value("dense/kernel/Initializer/Const")),
    ]  # fmt: skip
    more = {"open": "default attributes and _output_shapes left out of many nodes, x:0 for x in all inputs"}
    what = (
        "in another order, other encodings, without default attributes, by another TensorFlow: the same model"
    )
    return Pair(what, lhs, edited(rhs, spell), cosmetic=where, how=EDITED, more=more)


def meta_against_graph():
    with tf.Graph().as_default() as made:
        layer()
        lhs, rhs = v1.train.export_meta_graph(), made.as_graph_def(add_shapes=True)
    return Pair("a meta graph against its own graph", lhs, rhs)


def meta_against_other_graph():
    lhs, rhs = meta(layer), graph(layer, activation=tf.nn.elu, add_shapes=True)
    where = [change("modified", about="op of active", path_ends='node["active"].op')]
    return Pair("a meta graph against another graph", lhs, rhs, where)


def identical():
    lhs = meta(_scoped)
    return Pair("one meta graph twice", lhs, edited(lhs, lambda copy: None))


MAKERS = (
    rename_node, rename_scope, rename_scope_reorders, rename_scope_deeper, rename_two_scopes, rename_variable,
    rename_saver, rename_loop, rename_in_signature, rename_twins, rename_and_edit, rename_edit_device,
    scopes_exchanged, block_inserted, block_removed, block_replaced, dropout_inserted, numbers_shifted, optimizer,
    layer_size, all_cosmetic, meta_against_graph, meta_against_other_graph, identical,
)  # fmt: skip
