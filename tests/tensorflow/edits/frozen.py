"""Frozen inference graphs: two convolutions with batch norm, a gate over channels, a dense layer."""

import numpy as np
import tensorflow as tf
from tensorflow.core.protobuf import config_pb2
from tensorflow.python.framework.convert_to_constants import convert_variables_to_constants_v2
from tensorflow.python.grappler import tf_optimizer
from tensorflow.python.tools import optimize_for_inference_lib

from .v1 import classic

v1 = tf.compat.v1


def network(seed, swapped, output, size):
    random = np.random.default_rng(seed)

    def weight(*shape):
        return v1.constant_initializer(random.normal(size=shape))

    x = v1.placeholder(tf.float32, [None, size, size, 3], "images")
    for at, (inputs, outputs) in enumerate([(3, 8), (8, 16)]):
        with v1.variable_scope(f"block{at}"):
            x = v1.layers.conv2d(x, outputs, 3, 2, "same", use_bias=False, kernel_initializer=weight(3, 3, inputs, outputs))
            gamma, beta, mean = (weight(outputs) for _ in range(3))
            x = v1.layers.batch_normalization(
                x, gamma_initializer=gamma, beta_initializer=beta, moving_mean_initializer=mean,
                moving_variance_initializer=v1.constant_initializer(random.uniform(1, 2, outputs)))
            x = tf.nn.relu(x)
    gate = tf.sigmoid(tf.reduce_mean(x, [1, 2], keepdims=True))
    x = tf.multiply(*((gate, x) if swapped else (x, gate)), name="gated")
    x = tf.reduce_mean(x, [1, 2])
    logits = v1.layers.dense(x, 10, name="logits", kernel_initializer=weight(16, 10), bias_initializer=weight(10))
    return tf.nn.softmax(logits, name=output)


def frozen(path, seed=1, swapped=False, output="probabilities", size=16, scope="", change=None):
    with classic() as graph, v1.Session() as session:
        network(seed, swapped, output, size)
        session.run(v1.global_variables_initializer())
        graph_def = v1.graph_util.convert_variables_to_constants(session, graph.as_graph_def(), [output])
    if change:
        graph_def = change(graph_def)
    if scope:
        with tf.Graph().as_default() as graph:
            tf.import_graph_def(graph_def, name=scope)
            graph_def = graph.as_graph_def()
    return written(path, graph_def)


def written(path, graph_def):
    with open(path + ".pb", "wb") as file:
        file.write(graph_def.SerializeToString())
    return path + ".pb"


def optimized(graph_def):
    """What Grappler makes of it."""
    with tf.Graph().as_default() as graph:
        tf.import_graph_def(graph_def, name="")
        v1.get_collection_ref("train_op").append(graph.get_tensor_by_name("probabilities:0"))
        config = config_pb2.ConfigProto()
        config.graph_options.rewrite_options.min_graph_nodes = -1
        return tf_optimizer.OptimizeGraph(config, v1.train.export_meta_graph(graph=graph))


def stripped(graph_def):
    """Without the identities that only training needs."""
    return v1.graph_util.remove_training_nodes(graph_def)


def folded(graph_def):
    return optimize_for_inference_lib.fold_batch_norms(stripped(graph_def))


def halved(graph_def):
    """Weights as halves, and a cast behind each."""
    made = tf.compat.v1.GraphDef()
    for node in graph_def.node:
        made.node.add().CopyFrom(node)
        if node.op != "Const" or node.attr["dtype"].type != tf.float32.as_datatype_enum or not node.attr["value"].tensor.tensor_shape.dim:
            continue
        value = tf.make_ndarray(node.attr["value"].tensor).astype(np.float16)
        constant = made.node[-1]
        constant.name += "/half"
        constant.attr["dtype"].type = tf.float16.as_datatype_enum
        constant.attr["value"].tensor.CopyFrom(tf.make_tensor_proto(value))
        cast = made.node.add(name=node.name, op="Cast", input=[constant.name])
        cast.attr["SrcT"].type = tf.float16.as_datatype_enum
        cast.attr["DstT"].type = tf.float32.as_datatype_enum
    return made


def frozen_function(path, function):
    return written(path, convert_variables_to_constants_v2(function.get_concrete_function()).graph.as_graph_def())
