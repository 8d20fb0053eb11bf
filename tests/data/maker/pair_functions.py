"""Pairs of functions: names with other counters, other bodies, other libraries."""

import tensorflow as tf
from tensorflow.python.framework import function

from .pair import (
    EDITED, Pair, added, attr, change, edited, function_of, graph, later, meta, modified, op_list, removed,
    renamed, v1, value,
)  # fmt: skip


def _sides(build, lhs, rhs, what, **expected):
    """The same builder with different arguments."""
    return Pair(what, meta(build, lhs), meta(build, rhs), **expected)


# --- counters in names --------------------------------------------------------------------------


def _counters(build, what, counters=7, **expected):
    lhs = meta(build)
    later(counters)
    rhs = meta(build)
    both = [sorted(f.signature.name for f in side.graph_def.library.function) for side in (lhs, rhs)]
    where = [renamed(*names, "counter of a generated function name") for names in zip(*both, strict=True)]
    return Pair(what, lhs, rhs, cosmetic=where, **expected)


def _x():
    return v1.placeholder(tf.float32, [2], name="x")


def function_counter():
    def build():
        tf.function(lambda_named("scale", lambda x: x * 2.0))(_x())

    return _counters(build, "a function traced later: another counter in its name")


def lambda_named(name, function):
    """The function under its own name."""
    function.__name__ = name
    return function


def function_counter_nested():
    def build():
        inner = tf.function(lambda_named("inner", lambda x: x * 2.0))
        tf.function(lambda_named("outer", lambda x: inner(inner(x)) + 1.0))(_x())

    return _counters(build, "a function that calls another, both traced later")


def function_counter_gradient():
    def build():
        x, scale = _x(), tf.function(lambda_named("scale", lambda x: tf.sin(x) * 2.0))
        tf.gradients(scale(x), x)

    return _counters(
        build, "a function with its gradient, traced later: two counters in a name, names in attributes"
    )


def function_counter_control_flow():
    """Names here are the node's name with a counter, without `__inference_`."""

    def build():
        x = v1.placeholder(tf.float32, [], name="x")
        total = tf.while_loop(lambda i, _: i < 10, lambda i, total: (i + 1, total * x), (0, x), name="loop")[
            1
        ]
        v1.cond(x > 0.5, lambda: total * 2.0, lambda: tf.sin(total), name="branch")

    return _counters(build, "a While and an If, whose bodies were traced later")


def function_counter_dataset():
    def build():
        data = v1.data.Dataset.range(4).map(lambda_named("double", lambda x: x * 2))
        v1.data.make_initializable_iterator(data, shared_name="iterator")

    return _counters(build, "a dataset, the function of whose map was traced later")


def custom_gradient_counter():
    """The gradient is registered in Python under a name with a counter; the library has no function for it."""

    def build():
        tf.custom_gradient(lambda x: (tf.sin(x), lambda dy: dy))(_x())

    lhs = meta(build)
    later(7)
    where = [modified(attr("IdentityN", "_gradient_op_type"))]
    what = "a gradient of one's own, which TensorFlow numbers"
    return Pair(what, lhs, meta(build), cosmetic=where)


def function_counters_exchanged():
    """The two functions exchange their names."""

    def build():
        for name, number in (("first", 2.0), ("second", 3.0)):
            tf.function(lambda_named("scale", lambda x, number=number: x * number))(
                tf.identity(_x(), name=name)
            )

    lhs = graph(build)
    names = [f.signature.name for f in lhs.library.function]

    def exchange(copy):
        other = dict(zip(names, names[::-1], strict=True))
        for body in copy.library.function:
            body.signature.name = other[body.signature.name]
        for call in copy.node:
            if "f" in call.attr:
                call.attr["f"].func.name = other[call.attr["f"].func.name]

    where = [
        renamed(*pair, "counter of a generated function name")
        for pair in zip(names, names[::-1], strict=True)
    ]
    what = "two functions of one Python name with their counters exchanged, in the library and where they are called"
    return Pair(what, lhs, edited(lhs, exchange), cosmetic=where, how=EDITED)


def function_counter_and_body():
    def build(number):
        tf.function(lambda_named("scale", lambda x: x * number))(_x())

    lhs = meta(build, 2.0)
    later(3)
    rhs = meta(build, 3.0)
    names = [function_of(side, "__inference_scale").signature.name for side in (lhs, rhs)]
    where = [
        change(
            "modified",
            about=f"the value of mul/y in {' and '.join(names)}",
            path_ends=value("mul/y").replace("graph_def.node", ".node_def"),
        )
    ]
    return Pair("a function with another counter and another constant in its body", lhs, rhs, semantic=where)


# --- functions ----------------------------------------------------------------------------------


def _defun(factor=None, name="Scale", gradient=False, called=True, body=None, extra=False):
    """A function with exactly this name, without a counter, and a call of it."""

    @function.Defun(tf.float32, tf.float32, func_name=f"{name}Grad")
    def grad(x, dy):
        return tf.multiply(x, dy, name="slope")

    @function.Defun(tf.float32, func_name=name, grad_func=grad if gradient else None)
    def scale(x):
        return body(x) if body else tf.multiply(x, factor or 2.0, name="scaled")

    @function.Defun(tf.float32, func_name="Extra")
    def more(x):
        return tf.sin(x, name="wave")

    x = v1.placeholder(tf.float32, [2], name="x")
    if called:
        scale(x, name="called")
    if extra:
        more.add_to_graph(tf.compat.v1.get_default_graph())


def _in(function_name, rest):
    return f'graph_def.library.function["{function_name}"]{rest}'


def function_constant():
    where = [modified(_in("Scale", '.node_def["scaled/y"].attr["value"].tensor'))]
    return _sides(_defun, 2.0, 3.0, "a constant in the body of a function of the same name", semantic=where)


def function_body():
    bodies = (lambda x: tf.sin(x, name="wave"), lambda x: tf.cos(x, name="wave"))
    lhs, rhs = (meta(_defun, body=body) for body in bodies)
    follows = {"unsettled": op_list(removed, "Sin") + op_list(added, "Cos")}
    return Pair(
        "an op in the body of a function",
        lhs,
        rhs,
        [modified(_in("Scale", '.node_def["wave_0"].op'))],
        more=follows,
    )


def function_added():
    lhs, rhs = meta(_defun), meta(_defun, extra=True)
    return Pair("a function more in the library, called by nothing", lhs, rhs, [added(_in("Extra", ""))])


def function_removed():
    lhs, rhs = meta(_defun, extra=True), meta(_defun)
    return Pair("a function less in the library", lhs, rhs, [removed(_in("Extra", ""))])


def function_gradient():
    lhs, rhs = meta(_defun), meta(_defun, gradient=True)
    where = [added(_in("ScaleGrad", "")), change("added", path_begins="graph_def.library.gradient")]
    return Pair("a gradient for a function", lhs, rhs, where)


def function_order():
    lhs = meta(_defun, extra=True, gradient=True)

    def reverse(copy):
        functions = [f for f in copy.graph_def.library.function][::-1]
        del copy.graph_def.library.function[:]
        copy.graph_def.library.function.extend(functions)
        for f in copy.graph_def.library.function:
            nodes = list(f.node_def)[::-1]
            del f.node_def[:]
            f.node_def.extend(nodes)

    where = [change("modified", path_begins="graph_def.library.function", about="order")]
    what = "the functions of the library, and the nodes of their bodies, in another order"
    return Pair(what, lhs, edited(lhs, reverse), cosmetic=where, how=EDITED)


def function_return():
    """Returning another node is a semantic change."""
    lhs = meta(_defun, body=lambda x: tf.sin(tf.cos(x, name="inner"), name="wave"))

    def other(copy):
        (name,) = function_of(copy, "Scale").ret
        function_of(copy, "Scale").ret[name] = "inner:y:0"

    where = [modified(_in("Scale", '.ret["wave"]'))]
    return Pair("a function gives back another of its nodes", lhs, edited(lhs, other), where, how=EDITED)


def function_renamed():
    lhs, rhs = meta(_defun, name="Scale"), meta(_defun, name="Twice")
    where = [renamed("Scale", "Twice", "function")]
    return Pair("a function has another name, and so has the op of its call", lhs, rhs, where)


def function_renamed_python():
    def build(name):
        def scale(x):
            return x * 2.0

        scale.__name__ = name
        tf.function(scale)(v1.placeholder(tf.float32, [2], name="x"))

    lhs, rhs = meta(build, "scale"), meta(build, "twice")
    names = [function_of(side, "__inference").signature.name for side in (lhs, rhs)]
    what = "the Python function under a tf.function has another name"
    return Pair(what, lhs, rhs, [renamed(*names, "function")])


MAKERS = (
    function_counter, function_counter_nested, function_counter_gradient, function_counter_control_flow,
    function_counter_dataset, custom_gradient_counter, function_counters_exchanged,
    function_counter_and_body, function_constant, function_body, function_added, function_removed,
    function_gradient, function_order, function_return, function_renamed, function_renamed_python,
)  # fmt: skip
