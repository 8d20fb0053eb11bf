"""The definition of a pair, the export of its graphs, and the notation of expected changes. See pairs.py."""

import dataclasses

import numpy as np
import tensorflow as tf
from google.protobuf import message
from tensorflow.core.protobuf import control_flow_pb2
from tensorflow.python.framework import ops

v1 = tf.compat.v1
KEYS = v1.GraphKeys
TENSORFLOW, EDITED = "tensorflow", "edited"
CONTEXTS = (("cond_context", "CondContextDef"), ("while_context", "WhileContextDef"))


@dataclasses.dataclass
class Pair:
    """Two sides and the expected results; `more` has the rarer facts, see README.md."""

    what: str
    lhs: message.Message
    rhs: message.Message
    semantic: list = dataclasses.field(default_factory=list)
    cosmetic: list = dataclasses.field(default_factory=list)
    how: str = TENSORFLOW
    more: dict = dataclasses.field(default_factory=dict)


# --- exporting ----------------------------------------------------------------------------------


def meta(build, *args, strip=False, **kwargs):
    """The meta graph made by `build`, exported by the saver that `build` returns, if any."""
    with tf.Graph().as_default():
        made = build(*args, **kwargs)
        exporter = made if isinstance(made, v1.train.Saver) else v1.train
        return settled(exporter.export_meta_graph(strip_default_attrs=strip))


def graph(build, *args, add_shapes=False, **kwargs):
    """The graph made by `build`."""
    with tf.Graph().as_default() as made:
        build(*args, **kwargs)
        return made.as_graph_def(add_shapes=add_shapes)


def settled(meta_graph):
    """The same with its contexts serialized again, because TensorFlow writes their map entries in random order."""
    for key, kind in CONTEXTS:
        contexts = meta_graph.collection_def[key].bytes_list.value if key in meta_graph.collection_def else []
        made = [getattr(control_flow_pb2, kind).FromString(context) for context in contexts]
        contexts[:] = [context.SerializeToString(deterministic=True) for context in made]
    return meta_graph


def edited(original, edit):
    """A copy changed by `edit`."""
    copy = type(original)()
    copy.CopyFrom(original)
    edit(copy)
    return copy


def node_of(container, name):
    """The node of this name in a meta graph, a graph or a function."""
    nodes = getattr(container, "graph_def", container)
    nodes = nodes.node_def if hasattr(nodes, "node_def") else nodes.node
    return next(node for node in nodes if node.name == name)


def function_of(container, start):
    """The only function of the library whose name begins with `start`."""
    library = getattr(container, "graph_def", container).library
    (found,) = (f for f in library.function if f.signature.name.startswith(start))
    return found


def later(count):
    """Advances the counter in function names, as tracing other functions does."""
    for _ in range(count):
        ops.uid()


# --- models -------------------------------------------------------------------------------------

KERNEL = np.array([[0.5, -0.5, 0.25], [1, 2, -1], [0.125, 3, -3], [4, -0.25, 0.75]], np.float32)


def variable(name, shape, **options):
    """A reference variable that starts as zeros."""
    options = {"use_resource": False, "initializer": v1.zeros_initializer(), **options}
    return v1.get_variable(name, shape, **options)


def layer(kernel=KERNEL, transpose=False, activation=tf.nn.relu, units=3):
    """A dense layer of constants: x, kernel, product, bias, total, active."""
    x = v1.placeholder(tf.float32, [None, 4], name="x")
    product = tf.matmul(x, tf.constant(kernel, name="kernel"), transpose_b=transpose, name="product")
    total = tf.add(product, tf.constant([0.5, -0.5, 0.25][:units], name="bias"), name="total")
    return activation(total, name="active")


# --- changes ------------------------------------------------------------------------------------


def change(kind, path=None, **facts):
    """An expected change."""
    return {**({"path": path} if path else {}), "kind": kind, **facts}


def added(path, **facts):
    return change("added", path, **facts)


def removed(path, **facts):
    return change("removed", path, **facts)


def modified(path, **facts):
    return change("modified", path, **facts)


def renamed(lhs, rhs, about, **facts):
    """One change, with any cosmetic consequences."""
    return change("renamed", lhs=lhs, rhs=rhs, about=about, **facts)


def node(name, rest="", root="graph_def."):
    """The path of a node, or of a part of it; `root` is empty for a plain graph."""
    return f'{root}node["{name}"]{rest}'


def attr(name, key, rest="", root="graph_def."):
    return node(name, f'.attr["{key}"]{rest}', root)


def value(name, root="graph_def."):
    """The path of a constant's value."""
    return attr(name, "value", ".tensor", root)


def came(*names, boundary=()):
    """Nodes that were added together; `boundary` has the paths of the inputs that changed with them."""
    return change(
        "added", about="nodes", nodes=list(names), **({"boundary": list(boundary)} if boundary else {})
    )


def went(*names, boundary=()):
    """Nodes that were removed together."""
    return {**came(*names, boundary=boundary), "kind": "removed"}


def shapes(*names, root="graph_def."):
    """The attributes that TensorFlow inferred for these nodes change too."""
    return [modified(attr(name, "_output_shapes", root=root)) for name in names]


def op_list(make, *names):
    """Ops that are added to or removed from the op list together with nodes."""
    return [make(f'meta_info_def.stripped_op_list.op["{name}"]') for name in names]
