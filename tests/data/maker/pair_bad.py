"""Pairs that TensorFlow would not load: both sides must be compared all the same."""

from .pair import (
    EDITED, Pair, added, attr, change, edited, function_of, layer, meta, modified, node, node_of, value, variable,
)  # fmt: skip
from .pair_functions import _defun


def _bad(what, edit, semantic, **more):
    """An exported graph, and one that TensorFlow would not load."""
    lhs = meta(layer)
    return Pair(what, lhs, edited(lhs, edit), semantic, how=EDITED, more=more)


def _both(what, damage, edit, semantic=(), **expected):
    """Two sides with the same damage."""
    lhs = edited(meta(layer), damage)
    return Pair(what, lhs, edited(lhs, edit), list(semantic), how=EDITED, **expected)


def _input(name, position, to):
    def edit(copy):
        node_of(copy, name).input[position] = to

    return edit


def _finding(side, about):
    return {"side": side, "about": about}


# --- inputs -------------------------------------------------------------------------------------


def bad_cycle():
    where = [modified(node("total", ".input[1]"))]
    return _bad(
        "an input makes a cycle", _input("total", 1, "active"), where, findings=[_finding("rhs", "cycle")]
    )


def bad_cycle_both():
    def move(copy):
        node_of(copy, "active").device = "/device:GPU:0"

    where = [change(["added", "modified"], node("active", ".device"))]
    cycles = [_finding(side, "cycle") for side in ("lhs", "rhs")]
    return _both(
        "a cycle on both sides, a device is another",
        _input("total", 1, "active"),
        move,
        where,
        more={"findings": cycles},
    )


def bad_self_input():
    return _bad(
        "a node is its own input", _input("active", 0, "active"), [modified(node("active", ".input[0]"))]
    )


def bad_no_such_node():
    return _bad(
        "an input of a node that is not there",
        _input("active", 0, "nothing"),
        [modified(node("active", ".input[0]"))],
    )


def bad_no_such_control():
    def edit(copy):
        node_of(copy, "active").input.append("^nothing")

    return _bad(
        "a control input from a node that is not there", edit, [added(node("active", '.input["^nothing"]'))]
    )


def bad_port():
    return _bad(
        "an output that the node has not",
        _input("active", 0, "total:7"),
        [modified(node("active", ".input[0]"))],
    )


def bad_port_huge():
    to = "total:99999999999999999999"
    return _bad(
        "an output whose number fits no integer",
        _input("active", 0, to),
        [modified(node("active", ".input[0]"))],
    )


def bad_input_spelling():
    """All names differ from each other and from x."""

    def edit(copy):
        for name in ("", "^", ":", ":0", "x:", "x:-1", "x:+1", "x:1.5", "^x:0", "^^x", "x:0:0"):
            node_of(copy, "active").input.append(name)

    where = [change("added", path_begins=node("active", ".input"), about="eleven inputs")]
    return _bad(
        "inputs that no TensorFlow spells so",
        edit,
        where,
        open="each is a change of its own, control inputs aside",
    )


def bad_data_after_control():
    def edit(copy):
        node_of(copy, "total").input.insert(1, "^x")

    what = "a data input after a control input: the data inputs are the same"
    return _bad(what, edit, [added(node("total", '.input["^x"]'))])


# --- attributes and constants -------------------------------------------------------------------


def bad_attr_kind():
    def edit(copy):
        node_of(copy, "product").attr["transpose_b"].i = 0

    return _bad(
        "transpose_b is the integer 0, no longer false", edit, [modified(attr("product", "transpose_b"))]
    )


def bad_attr_empty():
    def edit(copy):
        node_of(copy, "product").attr["transpose_b"].Clear()

    where = [change(["modified", "removed"], path_begins=attr("product", "transpose_b"))]
    return _bad("transpose_b is there and has no value", edit, where)


def bad_constant_short():
    def edit(copy):
        tensor = node_of(copy, "kernel").attr["value"].tensor
        tensor.tensor_content = tensor.tensor_content[:-3]

    where = [change("modified", path_begins=value("kernel"))]
    return _bad(
        "a constant with three bytes less than its shape needs",
        edit,
        where,
        findings=[_finding("rhs", "content")],
    )


def bad_constant_huge():
    def huge(copy):
        tensor = node_of(copy, "kernel").attr["value"].tensor
        tensor.ClearField("tensor_content")
        tensor.float_val.append(1)
        for dim in tensor.tensor_shape.dim:
            dim.size = 1 << 30

    def other(copy):
        node_of(copy, "kernel").attr["value"].tensor.float_val[0] = 2

    where = [change("modified", path_begins=value("kernel"))]
    return _both("constants of 2**60 elements, by one value and a shape", huge, other, where)


def bad_unknown_op():
    def rename(copy):
        node_of(copy, "total").op = "NobodyKnowsIt"

    def swap(copy):
        node_of(copy, "total").input[:] = ["bias", "product"]

    where = [change("modified", about="inputs 0 and 1 swapped", path_begins=node("total", ".input"))]
    return _both("the inputs of an op without definition swapped", rename, swap, where)


def bad_names():
    def name(copy):
        copy.graph_def.node.add(op="NoOp")
        copy.graph_def.node.add(name="no_op")
        copy.graph_def.node.add(name='^quo"ted:0', op="NoOp")

    where = [added(node("")), added(node("no_op")), change("added", about='the node ^quo"ted:0')]
    return _bad("nodes without name, without op, with a name that no input can spell", name, where)


# --- functions ----------------------------------------------------------------------------------


def bad_function_of_itself():
    lhs, rhs = (edited(meta(_defun, factor), _recursive) for factor in (2.0, 3.0))
    where = [modified('graph_def.library.function["Scale"].node_def["scaled/y"].attr["value"].tensor')]
    return Pair("a function that calls itself, with another constant", lhs, rhs, where, how=EDITED)


def _recursive(copy):
    body = function_of(copy, "Scale")
    (last,) = (n for n in body.node_def if n.op == "Mul")
    last.op = "Scale"
    del last.input[1:]


def bad_functions_of_each_other():
    """Two functions with generated names that call each other; only counters differ."""

    def named(first, second):
        def edit(copy):
            _recursive(copy)
            body = function_of(copy, "Scale")
            twin = copy.graph_def.library.function.add()
            twin.CopyFrom(body)
            body.signature.name, twin.signature.name = first, second
            for function, callee in ((body, second), (twin, first)):
                next(n for n in function.node_def if n.op == "Scale").op = callee
            node_of(copy, "called").op = first

        return edit

    original = meta(_defun)
    names = [("__inference_even_1", "__inference_odd_2"), ("__inference_even_13", "__inference_odd_14")]
    lhs, rhs = (edited(original, named(*pair)) for pair in names)
    where = [
        change("renamed", lhs=old, rhs=new, about="counter of a generated function name")
        for old, new in zip(*names, strict=True)
    ]
    return Pair(
        "two functions that call each other, with other counters", lhs, rhs, cosmetic=where, how=EDITED
    )


def bad_function_twice():
    def twice(copy):
        copy.graph_def.library.function.add().CopyFrom(function_of(copy, "Scale"))

    lhs = meta(_defun)
    findings = [_finding("rhs", "function Scale twice")]
    where = [change("added", path_begins="graph_def.library.function")]
    return Pair(
        "a function twice in the library",
        lhs,
        edited(lhs, twice),
        where,
        how=EDITED,
        more={"findings": findings},
    )


# --- collections and names ----------------------------------------------------------------------


def _variables(*contents):
    def build():
        variable("weights", [2])

    def edit(copy):
        copy.collection_def["variables"].bytes_list.value[:] = contents

    return edited(meta(build), edit) if contents else meta(build)


def bad_variable_def():
    where = [change("modified", path_begins='collection_def["variables"]')]
    more = {"findings": [_finding("rhs", "no VariableDef")]}
    what = "bytes in the variables that are no VariableDef"
    return Pair(what, _variables(), _variables(b"\xff\xff\xff"), where, how=EDITED, more=more)


def bad_variable_def_both():
    where = [change("modified", path_begins='collection_def["variables"]')]
    more = {"findings": [_finding(side, "no VariableDef") for side in ("lhs", "rhs")]}
    what = "other bytes that are no VariableDef"
    return Pair(what, _variables(b"\xff\xff\xff"), _variables(b"\xff\xff\xfe"), where, how=EDITED, more=more)


def bad_variable_def_same():
    more = {"findings": [_finding(side, "no VariableDef") for side in ("lhs", "rhs")]}
    return Pair(
        "the same bytes that are no VariableDef", *[_variables(b"\xff\xff\xff")] * 2, how=EDITED, more=more
    )


def _again(copy, device=""):
    twin = copy.graph_def.node.add()
    twin.CopyFrom(node_of(copy, "active"))
    twin.device = device


def bad_duplicate_name():
    where = [change("added", path_begins=node("active"))]
    findings = [_finding("rhs", "duplicate node name active")]
    return _bad("a node that is there twice on one side", _again, where, findings=findings)


def bad_duplicate_both():
    findings = [_finding(side, "duplicate node name active") for side in ("lhs", "rhs")]
    return _both(
        "a node that is there twice on both sides", _again, lambda copy: None, more={"findings": findings}
    )


def bad_duplicate_differs():
    findings = [_finding(side, "duplicate node name active") for side in ("lhs", "rhs")]

    def move(copy):
        copy.graph_def.node[-1].device = "/device:GPU:0"

    where = [change(["added", "modified"], path_begins=node("active"), path_ends=".device")]
    return _both(
        "twice on both sides, and the second has another device",
        _again,
        move,
        where,
        more={"findings": findings},
    )


MAKERS = (
    bad_cycle, bad_cycle_both, bad_self_input, bad_no_such_node, bad_no_such_control, bad_port, bad_port_huge,
    bad_input_spelling, bad_data_after_control, bad_attr_kind, bad_attr_empty, bad_constant_short, bad_constant_huge,
    bad_unknown_op, bad_names, bad_function_of_itself, bad_functions_of_each_other, bad_function_twice,
    bad_variable_def, bad_variable_def_both, bad_variable_def_same, bad_duplicate_name, bad_duplicate_both,
    bad_duplicate_differs,
)  # fmt: skip
