"""Meta graphs and graphs as TensorFlow writes them, one feature each, in `graphs/`.

Every function writes its files and returns {path: full name of the message}.
"""

import os

import tensorflow as tf
from google.protobuf import any_pb2
from tensorflow.core.framework import graph_pb2, node_def_pb2, op_def_pb2
from tensorflow.core.protobuf import control_flow_pb2, meta_graph_pb2
from tensorflow.python.framework import meta_graph, ops
from tensorflow.python.util import compat

v1 = tf.compat.v1
META, GRAPH = "tensorflow.MetaGraphDef", "tensorflow.GraphDef"
FOLDER = "graphs"
ODD = "naïve → 模型 🙂 \"quoted\" 'single' back\\slash\ttab\nline\x01\x7f"


def put(name, message):
    """Writes a message that no TensorFlow function writes to a file, as Python serializes it."""
    path = f"{FOLDER}/{name}"
    with open(path, "wb") as file:
        file.write(message.SerializeToString(deterministic=True))
    return {path: message.DESCRIPTOR.full_name}


def export(name, **options):
    """The current graph by tf.compat.v1.train.export_meta_graph."""
    path = f"{FOLDER}/{name}"
    v1.train.export_meta_graph(path, **options)
    return {path: META}


def variable(name, shape, **options):
    """A reference variable, or a resource variable with `use_resource`."""
    options = {"use_resource": False, "initializer": v1.zeros_initializer(), **options}
    return v1.get_variable(name, shape, **options)


# --- savers -------------------------------------------------------------------------------------


def training():
    """A model with its gradients and Adam's slots, written by Saver.save and, in text, by its export."""
    x = v1.placeholder(tf.float32, [None, 4], name="x")
    label = v1.placeholder(tf.int64, [None], name="label")
    logits = tf.matmul(x, variable("kernel", [4, 3])) + variable("bias", [3])
    losses = tf.nn.sparse_softmax_cross_entropy_with_logits(labels=label, logits=logits)
    loss = tf.reduce_mean(losses, name="loss")
    step = v1.train.create_global_step()
    v1.train.AdamOptimizer(0.01).minimize(loss, step)
    init = v1.global_variables_initializer()
    saver = v1.train.Saver(max_to_keep=7, keep_checkpoint_every_n_hours=0.5)
    prefix = f"{FOLDER}/training"
    with v1.Session() as session:
        session.run(init)
        saver.save(session, prefix, write_state=False)
    for suffix in ("index", "data-00000-of-00001"):
        os.remove(f"{prefix}.{suffix}")
    saver.export_meta_graph(f"{prefix}.pbtxt", as_text=True)
    return {f"{prefix}.meta": META, f"{prefix}.pbtxt": META}


def stripped():
    """Adam again, of one variable, exported with default attributes stripped."""
    weights = variable("weights", [2])
    v1.train.AdamOptimizer(0.01).minimize(tf.reduce_sum(weights * weights))
    saver = v1.train.Saver()
    saver.export_meta_graph(f"{FOLDER}/stripped.meta", strip_default_attrs=True)
    return {f"{FOLDER}/stripped.meta": META}


def devices():
    """Two devices and a sharded saver; the same with devices cleared."""
    with v1.device("/job:ps/task:0/device:CPU:0"):
        variable("first", [2])
    with v1.device("/job:ps/task:1"):
        variable("second", [3], dtype=tf.int32)
    saver = v1.train.Saver(sharded=True, max_to_keep=None)
    saver.export_meta_graph(f"{FOLDER}/sharded.meta")
    saver.export_meta_graph(f"{FOLDER}/cleared.meta", clear_devices=True)
    return {f"{FOLDER}/sharded.meta": META, f"{FOLDER}/cleared.meta": META}


def partitioned():
    """Variables cut by partitioners, with their saver."""
    cut = v1.fixed_size_partitioner(3)
    options = {"partitioner": cut, "initializer": v1.constant_initializer(0.25)}
    variable("embedding", [7, 2], **options)
    variable("wide", [2, 5], **{**options, "partitioner": v1.fixed_size_partitioner(2, axis=1)})
    saver = v1.train.Saver()
    saver.export_meta_graph(f"{FOLDER}/partitioned.meta")
    return {f"{FOLDER}/partitioned.meta": META}


def v1_format():
    """A saver of the old format, with a name, and a second saver in the collection."""
    weights = variable("weights", [2])
    saver = v1.train.Saver(
        {"renamed/weights": weights}, write_version=v1.train.SaverDef.V1, name="old"
    )
    v1.add_to_collection(v1.GraphKeys.SAVERS, saver)
    v1.add_to_collection(v1.GraphKeys.SAVERS, v1.train.Saver())
    saver.export_meta_graph(f"{FOLDER}/v1_format.meta")
    return {f"{FOLDER}/v1_format.meta": META, **put("saver_def.pb", saver.as_saver_def())}


def scoped():
    """One scope exported alone: its inputs from outside are unbound."""
    outside = variable("outside", [2])
    with v1.variable_scope("tower"):
        inside = variable("inside", [2])
        total = tf.add(outside, inside, name="total")
        v1.add_to_collection("losses", total)
    v1.train.Saver()
    path = f"{FOLDER}/scoped.meta"
    meta_graph.export_scoped_meta_graph(path, export_scope="tower")
    return {path: META}


# --- control flow, queues, functions, resources -------------------------------------------------


def _loop_and_branch():
    x = v1.placeholder(tf.float32, [], name="x")
    total = tf.while_loop(
        lambda i, acc: i < 10, lambda i, acc: (i + 1, acc * x), (tf.constant(0), x), name="loop"
    )[1]
    chosen = v1.cond(x > 0.5, lambda: total * 2.0, lambda: tf.sin(total), name="branch")
    tf.gradients(chosen, x, name="gradient")


def control_flow_v1():
    """A loop, a branch and their gradients, as Enter, Switch, Merge and contexts.

    TensorFlow serializes the contexts with the entries of their maps in an order that changes.
    """
    v1.disable_control_flow_v2()
    _loop_and_branch()
    v1.enable_control_flow_v2()
    meta = v1.train.export_meta_graph()
    for key, kind in (("cond_context", "CondContextDef"), ("while_context", "WhileContextDef")):
        contexts = meta.collection_def[key].bytes_list.value
        settled = [getattr(control_flow_pb2, kind).FromString(context) for context in contexts]
        contexts[:] = [context.SerializeToString(deterministic=True) for context in settled]
    return put("control_flow_v1.meta", meta)


def control_flow_v2():
    """The same as While and If with a function library."""
    v1.enable_control_flow_v2()
    _loop_and_branch()
    return export("control_flow_v2.meta")


def queues():
    """Queue runners of an input pipeline, with local variables."""
    names = v1.train.string_input_producer(["a.txt", "b.txt"], num_epochs=2, seed=1, name="names")
    _, line = v1.TextLineReader(name="reader").read(names)
    v1.train.shuffle_batch([line], 4, capacity=20, min_after_dequeue=8, seed=2, name="batch")
    return export("queues.meta")


def functions():
    """tf.functions called from a graph, with gradients, defaults and odd attributes."""

    @tf.function(input_signature=[tf.TensorSpec([None], tf.float32, name="values")])
    def scaled(values):
        return {"doubled": values * 2.0, "sum": tf.reduce_sum(values)}

    @tf.custom_gradient
    def clipped(x):
        return tf.identity(x), lambda dy: tf.clip_by_value(dy, -0.5, 0.5)

    @tf.function(experimental_implements="example.clip", autograph=False)
    def outer(x):
        return clipped(scaled(x)["doubled"]) + scaled(x)["sum"]

    x = v1.placeholder(tf.float32, [None], name="x")
    tf.gradients(outer(x), x)
    return export("functions.meta")


def resources():
    """Resource variables with synchronization and aggregation, tables, an iterator, a TensorList."""
    with v1.variable_scope("", use_resource=True):
        v1.get_variable("first", [2], initializer=v1.ones_initializer())
        v1.get_variable(
            "mirrored",
            [],
            trainable=False,
            synchronization=tf.VariableSynchronization.ON_READ,
            aggregation=tf.VariableAggregation.SUM,
        )
    keys = tf.constant(["emerson", "lake", "palmer"])
    types = {"key_dtype": tf.string, "value_dtype": tf.int64}
    table = tf.raw_ops.HashTableV2(shared_name="table", **types)
    fill = tf.raw_ops.LookupTableImportV2(
        table_handle=table, keys=keys, values=tf.range(3, dtype=tf.int64)
    )
    v1.add_to_collection(v1.GraphKeys.TABLE_INITIALIZERS, fill)
    tf.raw_ops.LookupTableFindV2(table_handle=table, keys=["lake"], default_value=tf.constant(-1, tf.int64))
    tf.raw_ops.TensorListReserve(element_shape=[2], num_elements=3, element_dtype=tf.bfloat16)
    data = v1.data.Dataset.range(4).map(lambda x: x * x)
    v1.data.make_initializable_iterator(data, shared_name="iterator").get_next()
    v1.train.Saver().export_meta_graph(f"{FOLDER}/resources.meta")
    return {f"{FOLDER}/resources.meta": META}


# --- collections, signatures, names -------------------------------------------------------------


def collections():
    """All five kinds of collections, and one that stays empty."""
    weights = variable("weights", [2])
    v1.add_to_collection("nodes", tf.identity(weights, name="read").op)
    v1.add_to_collection("nodes", weights.op)
    v1.add_to_collection("bytes", b"\x00\xff raw")
    v1.add_to_collection("bytes", ODD.encode())
    for number in (0, 1, -1, 2**63 - 1, -(2**63)):
        v1.add_to_collection("int64", number)
    for number in (0.0, -0.0, 0.1, 1e30, 16777216.0, float("inf"), float("-inf"), float("nan")):
        v1.add_to_collection("floats", number)
    asset = meta_graph_pb2.AssetFileDef(filename="vocabulary.txt")
    asset.tensor_info.name = "read:0"
    for content in (asset, op_def_pb2.OpDef(name="Unregistered")):
        packed = any_pb2.Any()
        packed.Pack(content)
        v1.add_to_collection("any", packed)
    v1.add_to_collection("any", any_pb2.Any())
    v1.add_to_collection(ODD, 1)
    return export("collections.meta")


def any_of_unknown_type():
    """An Any of an unknown type, which has no proto3 JSON."""
    unknown = any_pb2.Any(type_url="type.googleapis.com/example.Unknown", value=b"\x08\x96\x01")
    v1.add_to_collection("any", unknown)
    return export("any_of_unknown_type.meta")


def signatures():
    """Signatures of every tensor encoding, defaults, asset files, tags and aliases, inserted by hand."""
    meta = v1.train.export_meta_graph()
    meta.meta_info_def.tags.extend(["serve", "gpu", ODD])
    meta.meta_info_def.function_aliases["__inference_f_1"] = "f"
    meta.meta_info_def.function_aliases[ODD] = ODD
    signature = meta.signature_def["serving_default"]
    signature.method_name = "tensorflow/serving/predict"
    dense = signature.inputs["dense"]
    dense.name, dense.dtype = "x:0", tf.float32.as_datatype_enum
    dense.tensor_shape.CopyFrom(tf.TensorShape([None, 2]).as_proto())
    sparse = signature.inputs["sparse"]
    sparse.dtype = tf.int64.as_datatype_enum
    sparse.tensor_shape.unknown_rank = True
    sparse.coo_sparse.values_tensor_name = "sparse/values:0"
    sparse.coo_sparse.indices_tensor_name = "sparse/indices:0"
    ragged = tf.RaggedTensorSpec([None, None], tf.string)
    composite = signature.outputs["ragged"].composite_tensor
    composite.type_spec.CopyFrom(tf.__internal__.saved_model.encode_structure(ragged).type_spec_value)
    composite.components.add(name="ragged/values:0", dtype=7).tensor_shape.SetInParent()
    signature.outputs["empty"].SetInParent()
    signature.defaults["dense"].CopyFrom(tf.make_tensor_proto([0.5, -0.0], tf.float32))
    meta.signature_def["empty"].SetInParent()
    asset = meta.asset_file_def.add(filename="vocabulary.txt")
    asset.tensor_info.name = "asset:0"
    return put("signatures.meta", meta)


def names():
    """Odd names wherever TensorFlow takes them: shared names, attributes, functions, devices."""
    with v1.name_scope("A.-_/\\1"):
        tf.constant([ODD.encode(), b"\x00\xff\xfe", b""], name=".starts_with.a-dot")
    node = v1.placeholder(tf.float32, name="x").op
    node._set_attr("_naïve 模型", v1.AttrValue(s=ODD.encode()))
    node._set_attr("_" + ODD, v1.AttrValue(func=v1.NameAttrList(name=ODD)))
    node._set_attr("_empty", v1.AttrValue())
    node._set_attr("_list", v1.AttrValue(list=v1.AttrValue.ListValue()))
    tf.raw_ops.VarHandleOp(dtype=tf.float32, shape=[], shared_name=ODD, container="naïve")
    v1.get_variable("plain", [1], use_resource=True)
    return export("names.meta")


def frozen():
    """A graph whose variables became constants, by write_graph: binary and text."""
    x = v1.placeholder(tf.float32, [None, 4], name="x")
    kernel = variable("kernel", [4, 3], initializer=v1.constant_initializer(1 / 3))
    bias = variable("bias", [3], initializer=v1.constant_initializer([-0.0, 1e-8, 1e8]))
    tf.nn.softmax(tf.matmul(x, kernel) + bias, name="probabilities")
    with v1.Session() as session:
        session.run(v1.global_variables_initializer())
        graph_def = v1.graph_util.convert_variables_to_constants(
            session, session.graph_def, ["probabilities"]
        )
    tf.io.write_graph(graph_def, FOLDER, "frozen.pb", as_text=False)
    tf.io.write_graph(graph_def, FOLDER, "frozen.pbtxt")
    return {f"{FOLDER}/frozen.pb": GRAPH, f"{FOLDER}/frozen.pbtxt": GRAPH}


def unknown_fields():
    """A meta graph of a later TensorFlow: unknown fields of every wire type, at three depths."""
    tf.constant(1, name="one")
    meta = v1.train.export_meta_graph()
    later = bytes.fromhex("a0069601" "a9060102030405060708" "b20603616263" "bb060801bc06" "c50601020304")
    node = node_def_pb2.NodeDef.FromString(meta.graph_def.node[0].SerializeToString() + later)
    meta.graph_def.node[0].CopyFrom(node)
    meta.meta_info_def.MergeFromString(later)
    path = f"{FOLDER}/unknown_fields.meta"
    with open(path, "wb") as file:
        file.write(later[:4] + meta.SerializeToString(deterministic=True) + later)
    return {path: META}


def parts():
    """Single messages: operators, a function, a node, a variable, the empty ones."""
    weights = variable("weights", [2])
    v1.train.MomentumOptimizer(0.1, 0.9).minimize(tf.reduce_sum(tf.square(weights, name="square")))
    tf.map_fn(tf.sin, tf.constant([1.0, 2.0]))
    meta = v1.train.export_meta_graph(strip_default_attrs=False)
    graph = ops.get_default_graph()
    return {
        **put("op_list.pb", meta.meta_info_def.stripped_op_list),
        **put("function_library.pb", meta.graph_def.library),
        **put("node.pb", graph.get_operation_by_name("square").node_def),
        **put("variable.pb", weights.to_proto()),
        **put("versions.pb", meta.graph_def.versions),
        **put("empty_graph.pb", graph_pb2.GraphDef()),
        **put("type_spec.pb", _type_spec()),
    }


def _type_spec():
    spec = {
        "none": None,
        "tuple": (1, -(2**62), 0.1, True, "naïve"),
        "bounded": tf.TensorSpec([2, None], tf.float16, name=compat.as_str("x")),
        "sparse": tf.SparseTensorSpec([None, 3], tf.complex64),
        "dtypes": [tf.string, tf.TensorShape(None), tf.TensorShape([])],
    }
    return tf.__internal__.saved_model.encode_structure(spec)


MAKERS = (
    training, stripped, devices, partitioned, v1_format, scoped, control_flow_v1, control_flow_v2,
    queues, functions, resources, collections, any_of_unknown_type, signatures, names, frozen,
    unknown_fields, parts,
)  # fmt: skip


def write():
    """Writes all messages, each from its own graph."""
    made = {}
    for make in MAKERS:
        with tf.Graph().as_default():
            v1.set_random_seed(1)
            made.update(make())
    return made
