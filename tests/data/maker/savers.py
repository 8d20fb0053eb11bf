"""Graphs before and after a saver was built into them, and the values that savers restore, in `savers/`. See README.md.

Usage: python make_fixtures.py --savers
"""

import base64
import os
import shutil

import numpy as np
import tensorflow as tf
from tensorflow.core.protobuf import meta_graph_pb2, saver_pb2
from tensorflow.python.training import saver as saver_module

from . import oracle

v1 = tf.compat.v1
FOLDER = "savers"
CASES = {}
RUNS = {}


def case(make):
    """Registers a graph; its function returns the arguments of the saver."""
    CASES[make.__name__] = make
    return make


def run(make):
    """Registers a graph whose checkpoint is restored."""
    RUNS[make.__name__] = make
    return make


def variable(name, shape=(), dtype=tf.float32, resource=False, parts=None, **options):
    """A variable of zeros."""
    by = v1.fixed_size_partitioner(*parts) if parts else None
    zeros = v1.zeros_initializer()
    options = {"use_resource": resource, "partitioner": by, **options}
    return v1.get_variable(name, list(shape), dtype, zeros, **options)


def unknown(name, resource=False):
    """A variable whose shape is known only at run time."""
    value = v1.placeholder(tf.float32, name=name + "/fed")
    return v1.Variable(value, validate_shape=False, name=name, use_resource=resource)


# --- built savers -------------------------------------------------------------------------------


@case
def reference():
    """Reference variables, a scalar among them, out of order."""
    variable("b", [2, 3])
    variable("a", [], tf.int64)
    variable("scope/c", [4], tf.string)


@case
def resource():
    """Resource variables on two devices."""
    variable("b", [2, 3], resource=True)
    with tf.device("/gpu:1"):
        variable("a", [], tf.int64, resource=True)


def cluster(resource):
    """Variables on four devices, one of them in a shorter spelling, and one colocated."""
    with tf.device("/job:ps/task:1"):
        variable("one", [2], resource=resource)
        variable("p", [4, 2], resource=resource, parts=(2,))
    with tf.device("/job:ps/task:0/device:GPU:0"):
        first = variable("zero", [3], resource=resource)
    with v1.colocate_with(first.op):
        variable("beside", [1], resource=resource)
    with tf.device("/device:GPU:*"):
        variable("any", [], resource=resource)
    variable("none", [2, 2], resource=resource)


@case
def devices():
    """Reference variables on several devices, in a single file."""
    cluster(False)


@case
def sharded():
    """Reference variables on several devices, a file for each."""
    cluster(False)
    return {"sharded": True}


@case
def sharded_resource():
    """Resource variables on several devices, a file for each."""
    cluster(True)
    return {"sharded": True}


@case
def sharded_one():
    """Sharded with one device only."""
    variable("b", [2, 3])
    variable("a", [], resource=True)
    return {"sharded": True}


@case
def v1_format():
    """The V1 format."""
    variable("b", [2, 3])
    variable("a", [], tf.int64, resource=True)
    return {"write_version": saver_pb2.SaverDef.V1}


@case
def v1_sharded():
    """The V1 format, sharded."""
    cluster(False)
    return {"write_version": saver_pb2.SaverDef.V1, "sharded": True}


@case
def partitioned():
    """More than ten parts, whose names are sorted as text."""
    variable("p", [24, 2], parts=(12,))
    variable("q", [3, 4], tf.float64, parts=(2, 1))


@case
def partitioned_resource():
    """Parts of resource variables, which are read again when they are saved."""
    with tf.device("/job:ps/task:1"):
        variable("p", [4, 2], resource=True, parts=(2,))
    variable("q", [1], resource=True)


@case
def reshape():
    """Restored tensors take the shape of their variable, which may be known only at run time."""
    unknown("u")
    unknown("r", resource=True)
    variable("z", [2])
    variable("s")
    variable("m", [2, 3], resource=True)
    return {"reshape": True}


@case
def reshape_sharded_parts():
    """Parts are read again for their shapes."""
    cluster(True)
    return {"reshape": True, "sharded": True}


@case
def unknown_shapes():
    """Assigned without a check of the shape."""
    unknown("u")
    unknown("r", resource=True)


@case
def mapped():
    """Under custom names."""
    one, two = variable("one", [2]), variable("two", [3], resource=True)
    return {"var_list": {"z/first": one, "a/second": two}}


@case
def mapped_parts():
    """Parts under a custom name, in order."""
    parts = variable("p", [4, 2], parts=(2,))
    return {"var_list": {"other": list(parts), "whole": variable("w")}}


@case
def some():
    """Some of the variables."""
    one, _, three = [variable(name, [2]) for name in ("one", "two", "three")]
    return {"var_list": [three, one]}


@case
def second():
    """In a graph that has a saver."""
    variable("b", [2, 3])
    v1.train.Saver()
    return {"sharded": True}


@case
def third():
    """In a graph that has two savers."""
    variable("b", [2])
    v1.train.Saver()
    v1.train.Saver()


@case
def scope_in_other_case():
    """TensorFlow treats names that differ only in case as equal."""
    with v1.variable_scope("Save"):
        variable("b", [2, 3])


@case
def named():
    """In a named scope."""
    variable("b", [2, 3])
    variable("a", [], resource=True)
    return {"name": "my/saver"}


@case
def in_open_scope():
    """In a scope that already exists."""
    variable("mine/Const", [2, 3])
    variable("mine/Identity", [2, 3], resource=True)
    return {"name": "mine/", "sharded": True}


@case
def with_filename():
    """With a given file name."""
    variable("b", [2, 3])
    return {"filename": "/tmp/known.ckpt"}


@case
def each():
    """One restore node for each tensor."""
    cluster(False)
    return {"builder": saver_module.BaseSaverBuilder()}


@case
def each_sharded():
    """One restore node for each tensor, in files by device."""
    cluster(True)
    return {"builder": saver_module.BaseSaverBuilder(), "sharded": True}


@case
def sequential():
    """An argument that TensorFlow ignores today."""
    variable("b", [2, 3])
    variable("a", [])
    return {"restore_sequentially": True}


@case
def kept():
    """The rotation options of SaverDef."""
    variable("b", [2, 3])
    return {"max_to_keep": None, "keep_checkpoint_every_n_hours": 1.5}


@case
def cached():
    """Variables with a caching device."""
    variable("b", [2, 3], caching_device="/cpu:0")
    variable("a", [2], resource=True, caching_device="/cpu:0")


@case
def with_functions():
    """A graph with a library of functions, and further fields after its nodes."""
    weights = variable("w", [2, 2], resource=True)
    double = tf.function(lambda x: x * 2, input_signature=[tf.TensorSpec([2, 2])])
    double(weights.read_value())


@case
def nothing():
    """No variables at all."""
    v1.placeholder(tf.float32, name="x")
    return {"allow_empty": True}


def imported():
    """The graph with two savers after an import, which loses the list of scopes."""
    with tf.Graph().as_default() as graph:
        variable("b", [2])
        v1.train.Saver()
        v1.train.Saver()
        before = meta_graph(graph)
    with tf.Graph().as_default() as graph:
        meta = meta_graph_pb2.MetaGraphDef.FromString(before)
        saver_module.meta_graph.import_scoped_meta_graph(meta)
        before = meta_graph(graph)
        saver = v1.train.Saver(sharded=True)
        write(f"{FOLDER}/build/imported.before.meta", before)
        write(f"{FOLDER}/build/imported.after.meta", meta_graph(graph, saver.saver_def))


def meta_graph(graph, saver_def=None):
    """The graph as a MetaGraphDef, without the op list, which no test needs."""
    meta = v1.train.export_meta_graph(graph=graph, graph_def=graph.as_graph_def(), saver_def=saver_def)
    meta.meta_info_def.ClearField("stripped_op_list")
    return meta.SerializeToString(deterministic=True)


def write(path, content):
    """Writes a file."""
    with open(path, "wb") as file:
        file.write(content)


def build(name, make):
    """Writes the two sides of a case."""
    with tf.Graph().as_default() as graph:
        options = make() or {}
        before = meta_graph(graph)
        saver = v1.train.Saver(**options)
        write(f"{FOLDER}/build/{name}.before.meta", before)
        write(f"{FOLDER}/build/{name}.after.meta", meta_graph(graph, saver.saver_def))


# --- restored checkpoints -----------------------------------------------------------------------


@run
def of_references():
    """Reference variables of several types."""
    variable("b", [2, 3])
    variable("a", [], tf.int64)
    variable("half", [5], tf.float16)
    variable("text", [2], tf.string)


@run
def of_resources():
    """Resource variables, one of them in a container."""
    variable("b", [2, 3], resource=True)
    variable("a", [], tf.int64, resource=True)
    with v1.get_default_graph().container("box"):
        variable("boxed", [2], tf.bool, resource=True)


@run
def of_shards():
    """Shards by device, parts among them."""
    with tf.device("/device:CPU:0"):
        variable("b", [2, 3])
        variable("p", [5, 2], parts=(2,))
    variable("a", [3], tf.int32, resource=True)
    variable("q", [2, 6], tf.float64, resource=True, parts=(3, 1))
    return {"sharded": True}


@run
def of_v1():
    """The V1 format."""
    variable("b", [2, 3])
    variable("a", [], tf.int64, resource=True)
    variable("p", [5, 2], parts=(2,))
    return {"write_version": saver_pb2.SaverDef.V1}


@run
def of_v1_shards():
    """The V1 format, sharded."""
    with tf.device("/device:CPU:0"):
        variable("b", [2, 3])
        variable("p", [5, 2], parts=(2,))
    variable("a", [3], tf.int32, resource=True)
    return {"write_version": saver_pb2.SaverDef.V1, "sharded": True}


@run
def of_each():
    """One restore node for each tensor, reshaped."""
    variable("b", [2, 3])
    variable("a", [3, 2], tf.int32, resource=True)
    variable("p", [5, 2], resource=True, parts=(2,))
    return {"builder": saver_module.BaseSaverBuilder(), "reshape": True}


def fill(variables):
    """Assigns values without a random generator, with one operation per variable."""
    for at, one in enumerate(variables):
        count = int(np.prod(one.shape.as_list()))
        numbers = (np.arange(count) * 3 + 7 * at + 1).reshape(one.shape.as_list())
        dtype = one.dtype.base_dtype
        if dtype == tf.string:
            yield one.assign(np.char.add("text ", numbers.astype(str)).astype(object))
        elif dtype == tf.bool:
            yield one.assign(numbers % 2 == 0)
        else:
            yield one.assign((numbers / (1 if dtype.is_integer else 8)).astype(dtype.as_numpy_dtype))


def values(session, variables):
    """The values of the variables in the oracle's form."""
    known = {}
    for one in variables:
        value = np.asarray(session.run(one.value()))
        if value.dtype == object:
            parts = [len(text).to_bytes(8, "little") + text for text in value.ravel()]
            content = b"".join(parts)
        else:
            content = value.tobytes()
        known[one.op.name] = {
            "dtype": one.dtype.base_dtype.name,
            "shape": list(value.shape),
            "content": base64.b64encode(content).decode(),
        }
    return known


def restored(path, meta):
    """TensorFlow's variables after the saver of the meta graph restored `path`."""
    with tf.Graph().as_default(), v1.Session() as session:
        saver = v1.train.import_meta_graph(meta)
        saver.restore(session, path)
        return values(session, v1.global_variables())


def checkpoint(name, make):
    """Writes a checkpoint with its meta graph; returns the values that its saver restores."""
    folder = f"{FOLDER}/run/{name}"
    os.makedirs(folder)
    with tf.Graph().as_default(), v1.Session() as session:
        options = make() or {}
        session.run(list(fill(v1.global_variables())))
        path = v1.train.Saver(**options).save(
            session, folder + "/model.ckpt", write_state=False, strip_default_attrs=False
        )
    return restored(path, folder + "/model.ckpt.meta")


def by_hand(name, version, ops):
    """A meta graph with the nodes that savers of TensorFlow 0.x had, on another checkpoint."""
    with tf.Graph().as_default() as graph, v1.Session() as session:
        whole = variable("b", [2, 3])
        part = variable("p/part_1", [2, 2])
        filename = tf.constant("model", name="save/Const")
        ops(filename, whole, part)
        saver_def = saver_pb2.SaverDef(
            filename_tensor_name="save/Const:0",
            save_tensor_name="save/control_dependency:0",
            restore_op_name="save/restore_all",
            version=version,
        )
        meta = v1.train.export_meta_graph(graph=graph, saver_def=saver_def)
        path = f"{FOLDER}/run/{name}"
        session.run("save/restore_all", {"save/Const:0": path.replace("by_hand.meta", "model.ckpt")})
        write(path, meta.SerializeToString(deterministic=True))
        return values(session, v1.global_variables())


def old_ops(filename, whole, part):
    """Restore, RestoreSlice and Save."""
    ops = tf.raw_ops
    names = tf.constant(["b", "p"], name="save/save/tensor_names")
    save = ops.Save(filename=filename, tensor_names=names, data=[whole, part], name="save/save")
    with tf.control_dependencies([save]):
        tf.identity(filename, name="save/control_dependency")
    first = ops.Restore(file_pattern=filename, tensor_name="b", dt=tf.float32, name="save/restore")
    second = ops.RestoreSlice(
        file_pattern=filename,
        tensor_name="p",
        shape_and_slice="5 2 3,2:0,2",
        dt=tf.float32,
        name="save/restore_slice",
    )
    assigned = [v1.assign(whole, first, name="save/Assign"), v1.assign(part, second, name="save/Assign_1")]
    tf.group(*assigned, name="save/restore_all")


def unsorted():
    """A V1 checkpoint whose names are given in another order than that of the file."""
    with tf.Graph().as_default(), v1.Session() as session:
        data = [tf.constant([float(number), 0.5]) for number in range(4)]
        save = tf.raw_ops.SaveSlices(
            filename=f"{FOLDER}/unsorted.v1",
            tensor_names=["w", "b", "w", "a"],
            shapes_and_slices=["4 2,2", "", "4 0,2", ""],
            data=data,
        )
        session.run(save)


def main():
    """Writes all of `savers/`."""
    shutil.rmtree(FOLDER, ignore_errors=True)
    os.makedirs(f"{FOLDER}/build")
    for name, make in CASES.items():
        build(name, make)
    imported()
    unsorted()
    known = {f"{name}/model.ckpt.meta": checkpoint(name, make) for name, make in RUNS.items()}
    known["of_v1/by_hand.meta"] = by_hand("of_v1/by_hand.meta", saver_pb2.SaverDef.V1, old_ops)
    oracle.write(f"{FOLDER}/run.json", known)
