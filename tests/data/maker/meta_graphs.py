"""Meta graphs before and after TensorFlow exported or imported them with options, in `meta_graphs/`. See README.md.

Usage: python make_fixtures.py --meta-graphs
"""

import pathlib
import shutil

import tensorflow as tf
from tensorflow.core.protobuf import control_flow_pb2, meta_graph_pb2
from tensorflow.python.training import saver as saver_module

from . import oracle

v1 = tf.compat.v1
FOLDER = pathlib.Path("meta_graphs")
CONTEXTS = {
    "cond_context": control_flow_pb2.CondContextDef,
    "while_context": control_flow_pb2.WhileContextDef,
}


def settled(meta):
    """The same with sorted map entries; TensorFlow writes those in contexts in random order."""
    for key, kind in CONTEXTS.items():
        if key in meta.collection_def:
            values = meta.collection_def[key].bytes_list.value
            contexts = [kind.FromString(value) for value in values]
            values[:] = [context.SerializeToString(deterministic=True) for context in contexts]
    return meta


def put(name, meta):
    """Writes a meta graph; returns the name of the file."""
    file = f"{name}.meta"
    (FOLDER / file).write_bytes(settled(meta).SerializeToString(deterministic=True))
    return file


def variable(name, shape, resource=False, **options):
    """A variable of zeros."""
    options = {"initializer": v1.zeros_initializer(), **options}
    return v1.get_variable(name, shape, use_resource=resource, **options)


# --- graphs: each returns the saver whose SaverDef is the meta graph's own, or None --------------


def towers():
    """Two scopes, where one's name begins with the other's; variables of both kinds, devices, several savers."""
    outside = v1.placeholder(tf.float32, [2], name="outside")
    with tf.control_dependencies([tf.no_op(name="before")]):
        started = tf.identity(outside, name="started")
    saved = []
    for scope, device in (("tower", "/job:worker/task:0/device:GPU:0"), ("tower2", "")):
        with v1.variable_scope(scope), v1.device(device):
            plain = variable("plain", [2])
            resource = variable("resource", [2], resource=True, trainable=False)
            with tf.control_dependencies([started.op]):
                total = tf.add(outside, plain, name="total")
            with v1.colocate_with(plain), v1.colocate_with(started, ignore_existing=False):
                near = tf.multiply(total, resource, name="near")
            v1.assign_add(plain, near, name="step")
        v1.add_to_collection("losses", near)
        v1.add_to_collection("steps", near.op)
        saved.append(plain)
    v1.add_to_collection("texts", "tower/text")
    v1.add_to_collection("texts", "other")
    v1.add_to_collection("numbers", 7)
    v1.add_to_collection("floats", 0.5)
    v1.add_to_collection("only_outside", outside)
    with v1.name_scope("tower/"):
        inner = v1.train.Saver(saved[:1], name="inner")
    extra = v1.train.Saver(saved, name="extra", write_version=v1.train.SaverDef.V1, max_to_keep=3)
    own = v1.train.Saver(name="keep", sharded=True)
    for saver in (inner, extra, own):
        v1.add_to_collection(v1.GraphKeys.SAVERS, saver)
    return own


def partitioned():
    """A partitioned variable in a scope, with its optimizer's slots."""
    with v1.variable_scope("model"):
        cut = v1.fixed_size_partitioner(2)
        table = variable("table", [5, 2], partitioner=cut)
        weights = variable("weights", [2, 1], resource=True)
        loss = tf.reduce_sum(tf.matmul(table.as_tensor(), weights), name="loss")
        v1.train.MomentumOptimizer(0.5, 0.5).minimize(loss, v1.train.get_or_create_global_step())
    return v1.train.Saver()


def control_flow():
    """A loop and a branch of TensorFlow 1 in a scope."""
    v1.disable_control_flow_v2()
    x = v1.placeholder(tf.float32, [], name="x")
    with v1.name_scope("net"):
        inside = tf.identity(x, name="inside")
        bound = tf.constant(9, name="bound")
        total = tf.while_loop(
            lambda i, acc: i < bound, lambda i, acc: (i + 1, acc * inside), (tf.constant(0), inside),
            name="loop", maximum_iterations=20,
        )[1]
        v1.cond(total > 0.5, lambda: total * 2.0, lambda: tf.sin(total), name="branch")
    v1.enable_control_flow_v2()


def nested():
    """A nested branch in a scope: a context inside a context."""
    v1.disable_control_flow_v2()
    with v1.name_scope("net"):
        x = v1.placeholder(tf.float32, [], name="x")
        both = lambda: v1.cond(x > 1.0, lambda: x * 2.0, lambda: tf.sin(x), name="inner")
        v1.cond(x > 0.5, both, lambda: tf.cos(x), name="outer")
    v1.enable_control_flow_v2()


def queues():
    """Queue runners in two scopes."""
    for scope in ("input", "other"):
        with v1.name_scope(scope):
            names = v1.train.string_input_producer(["a.txt", "b.txt"], num_epochs=2, seed=1, name="names")
            names.dequeue(name="next")


def functions():
    """Functions with functions inside, of which a scope calls one."""
    v1.enable_control_flow_v2()

    @tf.function(input_signature=[tf.TensorSpec([2], tf.float32)], autograph=False)
    def inner(x):
        return tf.matmul(x[tf.newaxis], tf.ones([2, 1]), transpose_b=False)

    @tf.function(input_signature=[tf.TensorSpec([2], tf.float32)], autograph=False)
    def outer(x):
        return tf.cond(tf.reduce_sum(x) > 0, lambda: inner(x) + 1.0, lambda: inner(x))

    x = v1.placeholder(tf.float32, [2], name="x")
    with v1.name_scope("called"):
        tf.identity(outer(tf.nn.relu(x)), name="result")
    tf.nn.softmax(x, name="apart")


def unbound():
    """A scope with one input from outside, used once, which is all that TensorFlow can import again."""
    outside = v1.placeholder(tf.float32, [2], name="outside")
    with v1.variable_scope("part"):
        kept = variable("kept", [2])
        v1.add_to_collection("losses", tf.add(outside, kept, name="sum"))
        tf.identity(kept, name="Apart")
    return v1.train.Saver(name="part/save")


def unstripped_ops():
    """Ops with defaults of every type, set and changed."""
    x = v1.placeholder(tf.float32, [1, 4, 4, 2], name="x")
    tf.nn.max_pool2d(x, 2, 2, "SAME", name="pool")
    tf.raw_ops.Conv2D(input=x, filter=tf.ones([1, 1, 2, 1]), strides=[1, 1, 1, 1], padding="VALID", dilations=[1, 2, 2, 1])
    tf.raw_ops.FusedBatchNorm(
        x=x, scale=[1.0, 1.0], offset=[0.0, 0.0], mean=[0.0, 0.0], variance=[1.0, 1.0], epsilon=0.25, is_training=False
    )
    tf.raw_ops.VarHandleOp(dtype=tf.float32, shape=[], container="", shared_name="v")
    tf.cast(x, tf.int32)


GRAPHS = {
    make.__name__: make
    for make in (towers, partitioned, control_flow, nested, queues, functions, unbound, unstripped_ops)
}

EXPORTS = {
    "towers": {
        "scope": {"export_scope": "tower"},
        "scope_slash": {"export_scope": "tower/"},
        "scope_cleared": {"export_scope": "tower/", "clear_devices": True, "strip_default_attrs": True},
        "no_devices": {"clear_devices": True},
        "own_saver": {"clear_extraneous_savers": True},
        "own_saver_scope": {"clear_extraneous_savers": True, "export_scope": "tower"},
        "stripped": {"strip_default_attrs": True},
        "collections": {"collection_list": ["losses", "numbers", "savers"]},
    },
    "partitioned": {"scope": {"export_scope": "model"}},
    "control_flow": {"scope": {"export_scope": "net"}},
    "queues": {"scope": {"export_scope": "input"}},
    "functions": {"scope": {"export_scope": "called"}, "stripped": {"strip_default_attrs": True}},
    "unbound": {"scope": {"export_scope": "part/"}},
    "unstripped_ops": {"stripped": {"strip_default_attrs": True}},
}


def export(saver, **options):
    """TensorFlow's export of the current graph, like Saver.export_meta_graph, with or without a saver."""
    graph_def = v1.get_default_graph().as_graph_def(add_shapes=True)
    saver_def = saver and saver.as_saver_def()
    return v1.train.export_meta_graph(graph_def=graph_def, saver_def=saver_def, **options)


def imported(file, expected, **options):
    """Imports a file into the current graph; records the saver of the actual scope and the returned elements."""
    meta = meta_graph_pb2.MetaGraphDef.FromString((FOLDER / file).read_bytes())
    saver, returned = saver_module._import_meta_graph_with_return_elements(meta, **options)
    if returned:
        expected["returned"] = [element.name for element in returned]
    expected["saver"] = saver and saver.as_saver_def().restore_op_name
    return saver


def imports(cases):
    """Imports into an empty graph, and into one that is not empty."""
    for graph in GRAPHS:
        if graph == "nested":
            continue
        case = cases[f"{graph}_imported"] = {"do": "import", "before": f"{graph}.meta", "import_scope": "deep/inside"}
        with tf.Graph().as_default():
            saver = imported(case["before"], case, import_scope="deep/inside")
            case["after"] = put(f"{graph}_imported", export(saver))
    case = cases["bound"] = {"do": "import", "before": "unbound_scope.meta", "into": "base.meta", "import_scope": "copy"}
    case["input_map"] = {"$unbound_inputs_outside": "base/y:0"}
    with tf.Graph().as_default() as graph:
        v1.add_to_collection("losses", v1.placeholder(tf.float32, [2], name="base/y"))
        # The scope is taken as well, not only the name in it.
        with v1.name_scope("Copy"):
            tf.no_op(name="taken")
        put("base", export(None))
        mapped = {name: graph.get_tensor_by_name(value) for name, value in case["input_map"].items()}
        returns = case["return_elements"] = ["sum:0", "kept/Assign", "Apart"]
        imported(case["before"], case, import_scope="copy", input_map=mapped, return_elements=returns)
        case["after"] = put("bound", export(None))
    case = cases["twice"] = {"do": "import", "before": "unbound.meta", "into": "unbound.meta"}
    with tf.Graph().as_default():
        imported(case["before"], {})
        for key in v1.get_default_graph().get_all_collection_keys():
            v1.get_default_graph().clear_collection(key)
        imported(case["before"], {})
        case["after"] = put("twice", export(None))


def write():
    """Writes all files; returns the cases."""
    cases = {}
    for name, make in GRAPHS.items():
        with tf.Graph().as_default():
            v1.set_random_seed(1)
            saver = make()
            before = put(name, export(saver))
            for what, options in EXPORTS.get(name, {}).items():
                after = put(f"{name}_{what}", export(saver, **options))
                # An export adds its list of unbound inputs to the graph.
                v1.get_default_graph().clear_collection("unbound_inputs")
                cases[f"{name}_{what}"] = {"do": "export", "before": before, "after": after, **options}
    imports(cases)
    return cases


def main():
    """Writes the fixtures and the oracle."""
    shutil.rmtree(FOLDER, ignore_errors=True)
    FOLDER.mkdir()
    oracle.write("oracle/meta_graphs.json", write(), depth=1)
