"""Pairs that differ around the graph: collections, signatures, assets, tags, savers."""

import tensorflow as tf
from google.protobuf import any_pb2
from tensorflow.core.protobuf import meta_graph_pb2

from .pair import (
    EDITED, KEYS, Pair, added, attr, came, change, edited, layer, meta, modified, node, op_list, removed, v1, variable,
)  # fmt: skip


def _sides(build, lhs, rhs, what, semantic, **expected):
    """The same builder with different arguments."""
    return Pair(what, meta(build, lhs), meta(build, rhs), semantic, **expected)


def _in(key, kind=("modified",), about=None, **facts):
    kind = kind[0] if len(kind) == 1 else list(kind)
    return change(
        kind, path_begins=f'collection_def["{key}"]', **({"about": about} if about else {}), **facts
    )


# --- variables ----------------------------------------------------------------------------------


def variable_trainable():
    def build(trainable):
        variable("weights", [2], trainable=trainable)

    where = [
        _in("variables", about="trainable of weights:0 became false", path_ends=".trainable"),
        _in("trainable_variables", ["removed"], "the whole collection"),
    ]
    return _sides(build, True, False, "a variable is not trained any more", where)


def variable_in_collection():
    def build(names):
        made = {name: variable(name, [2]) for name in ("mean", "variance")}
        for name in names:
            v1.add_to_collection(KEYS.MODEL_VARIABLES, made[name])

    where = [_in("model_variables", ["added"], "variance:0")]
    return _sides(build, ["mean"], ["mean", "variance"], "a variable joins a collection", where)


def variable_synchronization():
    def build(synchronization):
        v1.get_variable("weights", [2], synchronization=synchronization, trainable=False, use_resource=True,
                        initializer=v1.zeros_initializer(), aggregation=tf.VariableAggregation.SUM)  # fmt: skip

    what = "how the copies of a variable are kept alike"
    lhs, rhs = tf.VariableSynchronization.ON_WRITE, tf.VariableSynchronization.ON_READ
    return _sides(
        build,
        lhs,
        rhs,
        what,
        [_in("variables", about="synchronization of weights:0", path_ends=".synchronization")],
    )


# --- queue runners and contexts -----------------------------------------------------------------


def queue_runner():
    def build(threads):
        queue = v1.FIFOQueue(10, tf.float32, [[]], name="queue")
        fill = queue.enqueue(1.0, name="fill")
        v1.train.add_queue_runner(v1.train.QueueRunner(queue, [fill] * threads))

    where = [_in("queue_runners", ["added", "modified"], "enqueue_op_name")]
    return _sides(build, 1, 2, "a queue runner fills with two threads", where)


def _old_control_flow(build, *args):
    v1.disable_control_flow_v2()
    made = meta(build, *args)
    v1.enable_control_flow_v2()
    return made


def _loop(parallel=10, name="loop"):
    x = v1.placeholder(tf.float32, [], name="x")
    body = lambda i, total: (i + 1, tf.multiply(total, x, name="times"))  # noqa: E731
    tf.while_loop(
        lambda i, _: i < 10, body, (tf.constant(0, name="start"), x), parallel_iterations=parallel, name=name
    )


def while_context():
    lhs, rhs = (_old_control_flow(_loop, parallel) for parallel in (10, 3))
    enters = [
        modified(attr(f"loop/{name}", "parallel_iterations")) for name in ("Enter", "Enter_1", "times/Enter")
    ]
    where = [_in("while_context", about="parallel_iterations", path_ends=".parallel_iterations"), *enters]
    return Pair("a loop with fewer parallel iterations, in its nodes and its context", lhs, rhs, where)


def cond_context():
    def build(longer):
        x = v1.placeholder(tf.float32, [], name="x")

        def then():
            negated = tf.negative(x, name="negated")
            return tf.sin(negated, name="wave") if longer else negated

        v1.cond(x > 0.5, then, lambda: tf.identity(x, name="kept"), name="branch")

    lhs, rhs = (_old_control_flow(build, longer) for longer in (False, True))
    more = came("branch/wave", boundary=[node("branch/Merge", ".input[1]")])
    where = [more, _in("cond_context", ["added", "modified"], "branch/wave:0 among the values")]
    return Pair(
        "a branch with a node more, in the graph and in its context",
        lhs,
        rhs,
        where,
        more={"unsettled": op_list(added, "Sin")},
    )


# --- the five kinds of collections ---------------------------------------------------------------


def _collection(items, key="things"):
    made = {name: tf.constant(1.0, name=name) for name in "ab"}
    for item in items:
        v1.add_to_collection(key, made.get(item, item))


def collection_nodes():
    return _sides(
        _collection,
        ["a"],
        ["a", "b"],
        "a node joins a collection",
        [_in("things", ["added", "modified"], "b:0")],
    )


def collection_node_replaced():
    return _sides(
        _collection,
        ["a"],
        ["b"],
        "another node in a collection",
        [_in("things", ["added", "removed", "modified"])],
    )


def collection_int64():
    return _sides(_collection, [1, 2**62], [1, 2**62 + 1], "an integer of a collection", [_in("things")])


def collection_float():
    where = [_in("things")]
    return _sides(_collection, [0.5, 1.0], [0.5, 1.25], "a number of a collection", where)


def collection_bytes():
    lhs, rhs = [b"\x00\xff raw", b"same"], [b"\x00\xfe raw", b"same"]
    return _sides(_collection, lhs, rhs, "a byte of a collection of bytes", [_in("things")])


def collection_kind():
    where = [_in("things", ["added", "removed", "modified"])]
    return _sides(_collection, [1, 2], [1.0, 2.0], "the integers of a collection became floats", where)


def collection_removed():
    return _sides(_collection, [1], [], "a collection less", [removed('collection_def["things"]')])


def _asset(filename):
    asset = meta_graph_pb2.AssetFileDef(filename=filename)
    asset.tensor_info.name = "path:0"
    tf.constant("vocabulary.txt", name="path")
    packed = any_pb2.Any()
    packed.Pack(asset)
    v1.add_to_collection("saved_model_assets", packed)


def collection_any():
    where = [_in("saved_model_assets", about="filename", path_ends=".filename")]
    return _sides(_asset, "words.txt", "terms.txt", "the file of an asset, in an Any", where)


# --- signatures, assets, tags ---------------------------------------------------------------------


def _info(name, dtype=tf.float32, shape=(None, 4)):
    info = meta_graph_pb2.TensorInfo(name=name, dtype=dtype.as_datatype_enum)
    info.tensor_shape.CopyFrom(tf.TensorShape(shape).as_proto())
    return info


def signed(meta_graph, key="serving_default", inputs=(), method="tensorflow/serving/predict"):
    """A copy with a signature."""

    def sign(copy):
        signature = copy.signature_def[key]
        signature.method_name = method
        for name, info in (dict(inputs) or {"x": _info("x:0")}).items():
            signature.inputs[name].CopyFrom(info)
        signature.outputs["y"].CopyFrom(_info("active:0", shape=(None, 3)))

    return edited(meta_graph, sign)


def _signature(what, path, kind="modified", **options):
    lhs = signed(meta(layer))
    rhs = signed(meta(layer), **options)
    return Pair(what, lhs, rhs, [change(kind, f'signature_def["serving_default"]{path}')], how=EDITED)


def signature_added():
    lhs = signed(meta(layer))
    rhs = signed(lhs, "classify", method="tensorflow/serving/classify")
    return Pair("a signature more", lhs, rhs, [added('signature_def["classify"]')], how=EDITED)


def signature_method():
    return _signature("the method of a signature", ".method_name", method="tensorflow/serving/regress")


def signature_dtype():
    return _signature("the dtype of an input", '.inputs["x"].dtype', inputs={"x": _info("x:0", tf.float64)})


def signature_shape():
    pair = _signature("the shape of an input", "", inputs={"x": _info("x:0", shape=(8, 4))})
    pair.semantic = [
        change("modified", path_begins='signature_def["serving_default"].inputs["x"].tensor_shape')
    ]
    return pair


def signature_tensor():
    return _signature("the tensor of an input", '.inputs["x"].name', inputs={"x": _info("kernel:0")})


def signature_input_added():
    inputs = {"x": _info("x:0"), "kernel": _info("kernel:0")}
    return _signature("an input more", '.inputs["kernel"]', "added", inputs=inputs)


def signature_tensor_spelled():
    """A tensor's name must include its output here, so x without an output is another name."""
    lhs = signed(meta(layer))
    rhs = signed(meta(layer), inputs={"x": _info("x")})
    where = [modified('signature_def["serving_default"].inputs["x"].name')]
    return Pair("x for x:0 in a signature, which is no tensor", lhs, rhs, where, how=EDITED)


def asset_filename():
    def named(filename):
        def add(copy):
            asset = copy.asset_file_def.add(filename=filename)
            asset.tensor_info.name = "kernel:0"

        return edited(meta(layer), add)

    where = [change("modified", path_begins="asset_file_def", path_ends=".filename")]
    return Pair("the file of an asset", named("words.txt"), named("terms.txt"), where, how=EDITED)


def tags():
    def tagged(*names):
        return edited(meta(layer), lambda copy: copy.meta_info_def.tags.extend(names))

    where = [change(["added", "modified"], path_begins="meta_info_def.tags")]
    return Pair("a tag more", tagged("serve"), tagged("serve", "gpu"), where, how=EDITED)


# --- savers -------------------------------------------------------------------------------------


def _saver(options):
    for i, name in enumerate("ab"):
        with v1.device(f"/job:ps/task:{i}" if options.get("sharded") is not None else None):
            variable(name, [2])
    if "var_list" in options:
        made = {v.op.name: v for v in v1.global_variables()}
        options = {**options, "var_list": {key: made[name] for key, name in options["var_list"].items()}}
    return v1.train.Saver(**options)


def _savers(lhs, rhs, what, where, **more):
    return _sides(_saver, lhs, rhs, what, where, more=more)


def saver_max_to_keep():
    return _savers(
        {"max_to_keep": 5}, {"max_to_keep": 7}, "more checkpoints kept", [modified("saver_def.max_to_keep")]
    )


def saver_keep_hours():
    lhs, rhs = ({"keep_checkpoint_every_n_hours": hours} for hours in (10000, 0.5))
    return _savers(
        lhs, rhs, "checkpoints kept for good", [modified("saver_def.keep_checkpoint_every_n_hours")]
    )


def saver_version():
    lhs, rhs = ({"write_version": version} for version in (v1.train.SaverDef.V2, v1.train.SaverDef.V1))
    where = [modified("saver_def.version")]
    return _savers(
        lhs, rhs, "a saver of the old format", where, open="other nodes save and restore the same variables"
    )


def saver_sharded():
    where = [change(["added", "modified"], "saver_def.sharded")]
    more = {"open": "other nodes save and restore the same variables; save_tensor_name is another"}
    return _savers(
        {"sharded": False}, {"sharded": True}, "a sharded saver of variables on two devices", where, **more
    )


def saver_variables():
    where = [change(["added", "modified"], about="b is saved and restored too")]
    more = {
        "open": "save/Assign_1 is new; names, slices and dtypes of save/SaveV2 and save/RestoreV2 are longer"
    }
    lhs, rhs = ({"var_list": {name: name for name in names}} for names in ("a", "ab"))
    return _savers(lhs, rhs, "a saver of one variable more", where, **more)


def saver_key():
    where = [change(["renamed", "modified"], about="a is saved as a, then as aa/new")]
    lhs, rhs = ({"var_list": {key: "a", "b": "b"}} for key in ("a", "aa/new"))
    more = {"open": "it is in the values of save/SaveV2/tensor_names and save/RestoreV2/tensor_names"}
    return _savers(lhs, rhs, "a variable saved under another key", where, **more)


def saver_key_reorders():
    """Sorted by key, the other variable is first: save/Assign belongs to b, and restores the other output."""
    where = [change(["renamed", "modified"], about="a is saved as a, then as z")]
    lhs, rhs = ({"var_list": {key: "a", "b": "b"}} for key in ("a", "z"))
    more = {"open": "the rest of the saver is in another order: what it names is otherwise the same"}
    return _savers(
        lhs, rhs, "a variable saved under another key, which changes the order of the saver", where, **more
    )


def saver_list_order():
    """The same saver by hand: the names may be in any order that matches the tensors."""
    lhs = meta(_saver, {})

    def exchange(copy):
        nodes = {n.name: n for n in copy.graph_def.node}
        for name in ("save/SaveV2", "save/RestoreV2"):
            names = nodes[f"{name}/tensor_names"].attr["value"].tensor.string_val
            names[:] = names[::-1]
        save = nodes["save/SaveV2"]
        save.input[3:] = list(save.input)[:2:-1]
        nodes["save/Assign"].input[1], nodes["save/Assign_1"].input[1] = "save/RestoreV2:1", "save/RestoreV2"

    where = [change("modified", about="order in which the saver names the variables")]
    what = "a saver that names the same variables in another order"
    return Pair(what, lhs, edited(lhs, exchange), cosmetic=where, how=EDITED)


def saver_slices():
    def build(parts):
        v1.get_variable("wide", [6, 2], partitioner=v1.fixed_size_partitioner(parts), use_resource=False,
                        initializer=v1.zeros_initializer())  # fmt: skip
        return v1.train.Saver()

    where = [
        change("added", about="wide/part_2"),
        change("modified", about="slices of wide: 3 of 2 rows, not 2 of 3 rows"),
    ]
    return _sides(
        build, 2, 3, "a variable cut into three parts, not two", where, more={"open": "shapes of all parts"}
    )


MAKERS = (
    variable_trainable, variable_in_collection, variable_synchronization, queue_runner, while_context, cond_context,
    collection_nodes, collection_node_replaced, collection_int64, collection_float, collection_bytes, collection_kind,
    collection_removed, collection_any, signature_added, signature_method, signature_dtype, signature_shape,
    signature_tensor, signature_input_added, signature_tensor_spelled, asset_filename, tags, saver_max_to_keep,
    saver_keep_hours, saver_version, saver_sharded, saver_variables, saver_key, saver_key_reorders, saver_list_order,
    saver_slices,
)  # fmt: skip
