"""Pairs of training graphs: layers of resource variables, gradients, slots, summaries, loops, savers."""

import numpy as np
import tensorflow as tf

from .pair import Pair, came, later, meta, modified, renamed, v1, variable
from .pair_collections import _old_control_flow


def _names(side, scope):
    return [n.name for n in side.graph_def.node if n.name == scope or n.name.startswith(f"{scope}/")]


def _dense(x, units, name, resource=True):
    with v1.variable_scope(name):
        kernel = variable("kernel", [x.shape[-1], units], use_resource=resource)
        return tf.nn.relu(tf.matmul(x, kernel) + variable("bias", [units], use_resource=resource))


def _trained(layers=("a", "b"), optimizer=None, summaries=False, resource=True):
    """A stack of layers of one size, its loss and a saver."""
    hidden = v1.placeholder(tf.float32, [None, 4], name="x")
    for name in layers:
        hidden = _dense(hidden, 4, name, resource)
    loss = tf.reduce_mean(hidden, name="loss")
    if summaries:
        for made in v1.trainable_variables():
            v1.summary.histogram(made.op.name, made)
    if optimizer:
        optimizer().minimize(loss)
    return v1.train.Saver()


# --- renames ------------------------------------------------------------------------------------


def rename_layer_of_resources():
    lhs, rhs = meta(_trained, summaries=True), meta(_trained, ("a", "hidden"), summaries=True)
    what = "a layer of resource variables has another name, which debug_name and the tags of summaries have too"
    return Pair(what, lhs, rhs, [renamed("b", "hidden", "scope", nodes=len(_names(rhs, "hidden")))])


def rename_layers_trained():
    momentum = lambda: v1.train.MomentumOptimizer(0.1, 0.9)  # noqa: E731
    lhs, rhs = meta(_trained, ("a", "b"), momentum), meta(_trained, ("first", "second"), momentum)
    where = [renamed(*names, "scope, its slots and gradients") for names in (("a", "first"), ("b", "second"))]
    return Pair("all layers of a trained model have other names, and are alike but for them", lhs, rhs, where)


def rename_assertions():
    def build(scope):
        with v1.variable_scope(scope):
            x = v1.placeholder(tf.float32, [None], name="x")
            with tf.control_dependencies([v1.assert_positive(x)]):
                tf.identity(x, name="y")

    lhs, rhs = meta(build, "m"), meta(build, "net")
    what = "a scope has another name, and what its assertions say names what they hold for"
    return Pair(what, lhs, rhs, [renamed("m", "net", "scope")])


def _loop(name, limit=10):
    x, w = v1.placeholder(tf.float32, [2], name="x"), variable("w", [2], use_resource=True)
    with v1.name_scope("m"):
        _, y = v1.while_loop(lambda i, a: i < limit, lambda i, a: (i + 1, a * w), (tf.constant(0), x), name=name)
    tf.gradients(tf.reduce_sum(y), [w])


def rename_loop_trained():
    lhs, rhs = (_old_control_flow(_loop, name) for name in ("loop", "cycle"))
    what = "a loop with a gradient has another name: two scopes have, and frame names and the context follow"
    return Pair(what, lhs, rhs, [renamed("m/loop", "m/cycle", "loop")])


def _new_control_flow(*args):
    v1.enable_control_flow_v2()
    try:
        return meta(_loop, *args)
    finally:
        v1.disable_control_flow_v2()


def rename_loop_functions():
    lhs, rhs = _new_control_flow("loop"), _new_control_flow("cycle")
    what = "a loop made of functions has another name, which the names of the functions have too"
    where = [
        renamed("m/loop", "m/cycle", "loop"),
        renamed("gradients/m/loop_grad", "gradients/m/cycle_grad", "its gradient"),
        renamed(
            "gradients/m/loop_grad/m/loop_grad", "gradients/m/cycle_grad/m/cycle_grad", "the loop in that"
        ),
    ]
    return Pair(what, lhs, rhs, where)


# --- functions ----------------------------------------------------------------------------------


def function_counter_loop_gradient():
    lhs = _new_control_flow("loop")
    later(7)
    return Pair("a loop and its gradient traced later: counters in the middle of names", lhs, _new_control_flow("loop"))


def function_loop_limit():
    lhs, rhs = _new_control_flow("loop"), _new_control_flow("loop", 20)
    limit = {"path_ends": '.node_def["Less/y"].attr["value"].tensor'}
    where = [{**modified(None), **limit}, {**modified(None), **limit}]
    what = "a loop with a gradient has another limit, in its condition and in the copy of that for the gradient"
    return Pair(what, lhs, rhs, where)


def function_renamed_inner():
    def build(name):
        def inner(x):
            return x * 2.0

        inner.__name__ = name
        inner = tf.function(inner)
        outer = tf.function(lambda x: inner(x) + inner(x[::-1]))
        x = v1.placeholder(tf.float32, [2], name="x")
        tf.gradients(outer(x), x)

    lhs, rhs = meta(build, "inner"), meta(build, "scale")
    what = "a function that others call has another name, and so have those made from it"
    return Pair(what, lhs, rhs, [{"kind": "renamed"} for _ in range(3)])


# --- additions and removals ---------------------------------------------------------------------


def optimizer_other():
    lhs = meta(_trained, optimizer=lambda: v1.train.MomentumOptimizer(0.1, 0.9), resource=False)
    rhs = meta(_trained, optimizer=lambda: v1.train.AdamOptimizer(0.1), resource=False)
    where = [
        {"kind": "removed", "about": "nodes"},
        {"kind": "added", "about": "nodes"},
        {"kind": "renamed", "about": "what all optimizers have", "optional": True},
    ]
    return Pair("another optimizer: other slots, which are no renamed ones", lhs, rhs, where)


def layer_added():
    lhs, rhs = meta(_trained), meta(_trained, ("a", "b", "c"))
    entry = 'collection_def["variables"].bytes_list.value["c/kernel:0"]'
    where = [{"kind": "added", "about": "nodes", "boundary": [entry]}]
    return Pair("a layer more: its variables are in collections and in the saver", lhs, rhs, where)


def tower_added():
    def build(count):
        x = v1.placeholder(tf.float32, [None, 2], name="x")
        towers = []
        for number in range(count):
            with v1.name_scope(f"tower_{number}"):
                v1.placeholder(tf.float32, [], name="rate")
                towers.append(tf.nn.relu(tf.matmul(x, tf.constant(np.ones((2, 2), np.float32))), name="out"))
        tf.add_n(towers, name="sum")

    names = [f"tower_2/{name}" for name in ("rate", "Const", "MatMul", "out")]
    what = "a third tower, with a part that nothing takes; how many are added up follows"
    return Pair(what, meta(build, 2), meta(build, 3), [came(*names, boundary=['graph_def.node["sum"].input[2]'])])


def alike_one_more():
    def build(name, count):
        x = v1.placeholder(tf.float32, [2], name="x")
        for number in range(count):
            tf.nn.relu(x, name=f"{name}{number}")

    where = [renamed(f"a{number}", f"b{number}", "node") for number in range(6)] + [came("b6")]
    return Pair("six nodes that are all alike have other names, and one more came", meta(build, "a", 6), meta(build, "b", 7), where)


# --- savers -------------------------------------------------------------------------------------


def saver_keys_exchanged():
    def build(exchanged):
        v, w = variable("v", [2]), variable("w", [2])
        return v1.train.Saver({"w": v, "v": w} if exchanged else {"v": v, "w": w})

    where = [{"kind": "renamed", "lhs": lhs, "rhs": rhs} for lhs, rhs in (("v", "w"), ("w", "v"))]
    return Pair("two variables exchange their keys in checkpoints", meta(build, False), meta(build, True), where)


MAKERS = [
    rename_layer_of_resources, rename_layers_trained, rename_assertions, rename_loop_trained, rename_loop_functions,
    function_counter_loop_gradient, function_loop_limit, function_renamed_inner, optimizer_other, layer_added,
    tower_added, alike_one_more, saver_keys_exchanged,
]  # fmt: skip
