"""Graphs with checkpoints that mostly do not fit, in `fit/`, and whether TensorFlow restores them. See README.md.

Usage: python make_fixtures.py --fit
"""

import os
import pathlib
import re
import shutil

import tensorflow as tf
from tensorflow.core.protobuf import meta_graph_pb2

from . import oracle
from .tensors import raw

v1 = tf.compat.v1
FOLDER = "fit"
CASES = {}
CLASSES = {
    "format": r"Failed to find any matching files",
    "missing": r"not found in checkpoint",
    "dtype": r"does not equal original dtype|got a tensor of type",
    "shape": r"does not match the shape stored|shape in the save file|shapes of both tensors to match"
    r"|wrong shape|Input to reshape|assign value shape|shape of the tensor",
    "slice": r"sufficient slices|shape_and_slice|Dtype \w+ not supported|Expected non-negative start",
}


def case(make):
    """Registers a case: the function's name is the case's name, its docstring the description in the oracle."""
    CASES[make.__name__] = make
    return make


def variables(resource=False, **shapes):
    """Makes variables of these shapes; a dtype other than float32 is given as (shape, dtype)."""
    for name, shape in shapes.items():
        shape, dtype = shape if isinstance(shape, tuple) else (shape, tf.float32)
        v1.get_variable(
            name.replace("__", "/"), shape, dtype, v1.zeros_initializer(), use_resource=resource
        )


def partitioned(name, shape, parts, dtype=tf.float32, resource=False):
    """A variable in `parts` slices along its first axis."""
    by = v1.fixed_size_partitioner(parts)
    zeros = v1.zeros_initializer()
    return v1.get_variable(name, shape, dtype, zeros, partitioner=by, use_resource=resource)


def save(build, **options):
    """Saves the graph made by `build` as the checkpoint of the case."""
    with tf.Graph().as_default(), v1.Session() as session:
        build()
        session.run(v1.global_variables_initializer())
        saver = v1.train.Saver(**options)
        saver.save(session, "model.ckpt", write_meta_graph=False, write_state=False)


def graph(build, ops=False, **options):
    """Writes the meta graph made by `build`, with a saver, next to the checkpoint."""
    with tf.Graph().as_default():
        build()
        saver = v1.train.Saver(**options)
        meta = saver.export_meta_graph()
    if not ops:
        meta.meta_info_def.ClearField("stripped_op_list")
    put(meta)


def put(meta):
    """Writes a meta graph next to the checkpoint."""
    pathlib.Path("model.ckpt.meta").write_bytes(meta.SerializeToString(deterministic=True))


def both(saved, asked, saver=None, **options):
    """Saves variables, and writes a graph that restores others; `saver` has the options of both savers."""
    save(lambda: variables(**options, **saved), **(saver or {}))
    graph(lambda: variables(**options, **asked), **(saver or {}))


# --- whole variables ------------------------------------------------------------------------------

SAVED = {"dense__kernel": [2, 3], "dense__bias": [3]}


@case
def good():
    """The graph that the checkpoint is of."""
    save(lambda: variables(**SAVED))
    graph(lambda: variables(**SAVED), ops=True)


@case
def missing():
    """The graph has a variable more."""
    both(SAVED, {**SAVED, "output__kernel": [3, 1]})


@case
def renamed():
    """A variable has another name in the graph."""
    both(SAVED, {"dense__kernal": [2, 3], "dense__bias": [3]})


@case
def scope():
    """All variables are in another scope."""
    both(SAVED, {"tower__dense__kernel": [2, 3], "tower__dense__bias": [3]})


@case
def shape():
    """A variable has another shape, of more elements."""
    both(SAVED, {**SAVED, "dense__bias": [4]})


@case
def transposed():
    """A variable has another shape of as many elements."""
    both(SAVED, {**SAVED, "dense__kernel": [3, 2]})


@case
def scalar():
    """A scalar is not a vector of one."""
    both({"w": [1]}, {"w": []})


@case
def dtype():
    """A variable has another type."""
    both(SAVED, {**SAVED, "dense__bias": ([3], tf.float64)})


@case
def extra():
    """The checkpoint has more than the graph asks for."""
    both({**SAVED, "global_step": ([], tf.int64), "momentum": [3]}, SAVED)


@case
def several():
    """All kinds of misfit at once."""
    saved = {"a": [2], "b": [3], "c": [4], "left": [5]}
    both(saved, {"a": [3], "b": ([3], tf.int32), "c": [4], "lost": [5], "gone__away": [1]})


@case
def no_shape():
    """A variable that takes any shape."""
    save(lambda: variables(w=[2, 3]))
    graph(lambda: v1.Variable(tf.zeros([4]), validate_shape=False, name="w", use_resource=False))


@case
def strings():
    """Strings, one of another shape."""
    save(lambda: v1.Variable(["a", "b"], name="s", use_resource=False))
    graph(lambda: v1.Variable(["a"], name="s", use_resource=False))


@case
def subset():
    """The saver restores some of the variables only."""
    save(lambda: variables(a=[2]))

    def build():
        variables(a=[2], b=[3])
        return v1.global_variables()[:1]

    with tf.Graph().as_default():
        saver = v1.train.Saver(build())
        put(saver.export_meta_graph())


@case
def keys():
    """The saver has keys of its own for the variables."""
    save(lambda: variables(a=[2]))
    with tf.Graph().as_default():
        variables(b=[2])
        put(v1.train.Saver({"a": v1.global_variables()[0]}).export_meta_graph())


@case
def key_missing():
    """The saver has a key of its own, which the checkpoint lacks."""
    save(lambda: variables(weights=[2]))
    with tf.Graph().as_default():
        variables(weights=[2])
        put(v1.train.Saver({"weight": v1.global_variables()[0]}).export_meta_graph())


# --- resource variables ---------------------------------------------------------------------------


@case
def resource():
    """Resource variables that fit."""
    both(SAVED, SAVED, resource=True)


@case
def resource_missing():
    """A resource variable that the checkpoint lacks."""
    both(SAVED, {**SAVED, "w": [1]}, resource=True)


@case
def resource_shape():
    """A resource variable of another shape."""
    both(SAVED, {**SAVED, "dense__bias": [4]}, resource=True)


@case
def resource_dtype():
    """A resource variable of another type."""
    both(SAVED, {**SAVED, "dense__bias": ([3], tf.int32)}, resource=True)


@case
def resource_unknown_shape():
    """A resource variable whose shape is open in one dimension."""
    save(lambda: variables(resource=True, w=[2, 3]))
    open_shape = tf.TensorShape([None, 3])
    graph(lambda: v1.Variable(tf.zeros([4, 3]), shape=open_shape, name="w", use_resource=True))


# --- reshape --------------------------------------------------------------------------------------


@case
def reshape():
    """The saver reshapes."""
    save(lambda: variables(w=[2, 3]))
    graph(lambda: variables(w=[3, 2]), reshape=True)


@case
def reshape_count():
    """The saver reshapes, and the number of elements is another."""
    save(lambda: variables(w=[2, 3]))
    graph(lambda: variables(w=[4, 2]), reshape=True)


@case
def reshape_resource():
    """The saver reshapes a resource variable."""
    save(lambda: variables(w=[2, 3]))
    graph(lambda: variables(resource=True, w=[6]), reshape=True)


# --- slices ---------------------------------------------------------------------------------------


@case
def whole_into_parts():
    """A whole tensor, and a variable in two parts."""
    save(lambda: variables(w=[6, 2]))
    graph(lambda: partitioned("w", [6, 2], 2))


@case
def parts_into_whole():
    """A tensor in three slices, and a whole variable."""
    save(lambda: partitioned("w", [6, 2], 3))
    graph(lambda: variables(w=[6, 2]))


@case
def other_parts():
    """Three slices, and a variable in two parts."""
    save(lambda: partitioned("w", [6, 2], 3))
    graph(lambda: partitioned("w", [6, 2], 2))


@case
def parts_shape():
    """Parts of a tensor of another shape."""
    save(lambda: partitioned("w", [6, 2], 3))
    graph(lambda: partitioned("w", [8, 2], 2))


@case
def parts_missing():
    """Parts of a tensor that is not there."""
    save(lambda: partitioned("w", [6, 2], 3))
    graph(lambda: partitioned("v", [6, 2], 2, resource=True))


@case
def parts_dtype():
    """Parts of a tensor of another type."""
    save(lambda: partitioned("w", [6, 2], 3))
    graph(lambda: partitioned("w", [6, 2], 3, tf.float64))


@case
def parts_of_half():
    """TensorFlow cannot put slices of float16 together."""
    save(lambda: partitioned("w", [6, 2], 3, tf.float16))
    graph(lambda: variables(w=([6, 2], tf.float16)))


@case
def same_parts_of_half():
    """Slices of float16 one by one."""
    save(lambda: partitioned("w", [6, 2], 3, tf.float16))
    graph(lambda: partitioned("w", [6, 2], 3, tf.float16))


@case
def half_into_parts():
    """A whole tensor of float16, and a variable in parts."""
    save(lambda: variables(w=([6, 2], tf.float16)))
    graph(lambda: partitioned("w", [6, 2], 3, tf.float16))


def _specs(*specs, shape=(2, 2)):
    """A graph that restores by specs of its own."""
    save(lambda: variables(w=[4, 2]))
    with tf.Graph().as_default():
        variables(w=list(shape))
        saver = v1.train.Saver()
        meta = saver.export_meta_graph()
    meta.meta_info_def.ClearField("stripped_op_list")
    for node in meta.graph_def.node:
        if node.name == "save/RestoreV2/shape_and_slices":
            node.attr["value"].tensor.string_val[:] = [spec.encode() for spec in specs]
    put(meta)


@case
def spec():
    """A slice spelled by hand."""
    _specs("4 2 1,2:-")


@case
def spec_outside():
    """A slice that does not lie in the tensor."""
    _specs("4 2 3,2:-")


@case
def spec_no_slice():
    """A slice spec without a slice."""
    _specs("4")


@case
def spec_letters():
    """A slice spec with letters."""
    _specs("4 two 0,2:-")


@case
def spec_empty():
    """A slice of no rows."""
    _specs("4 2 0,0:-", shape=(0, 2))


@case
def spec_rank():
    """A slice of another rank than its tensor."""
    _specs("4 2 0,2")


# --- formats and shards ---------------------------------------------------------------------------


@case
def sharded():
    """A sharded checkpoint that fits."""
    def build():
        with tf.device("/job:ps/task:0"):
            variables(a=[2])
        with tf.device("/job:ps/task:1"):
            variables(b=[3])

    save(lambda: variables(a=[2], b=[3]), sharded=True)
    graph(build, sharded=True)


@case
def sharded_missing():
    """A sharded saver, one of whose variables is missing, the other of another shape."""
    def build():
        with tf.device("/job:ps/task:0"):
            variables(a=[4])
        with tf.device("/job:ps/task:1"):
            variables(c=[3])

    save(lambda: variables(a=[2], b=[3]), sharded=True)
    graph(build, sharded=True)


V1 = {"write_version": v1.train.SaverDef.V1}


@case
def format_v1():
    """A V1 checkpoint that fits."""
    both(SAVED, SAVED, V1)


@case
def format_v1_missing():
    """A variable that a V1 checkpoint lacks."""
    both(SAVED, {**SAVED, "w": [1]}, V1)


@case
def format_v1_shape():
    """A variable of another shape than in a V1 checkpoint."""
    both(SAVED, {**SAVED, "dense__bias": [4]}, V1)


@case
def format_v1_dtype():
    """A variable of another type than in a V1 checkpoint."""
    both(SAVED, {**SAVED, "dense__bias": ([3], tf.float64)}, V1)


@case
def format_v1_parts():
    """Other parts than in a V1 checkpoint."""
    save(lambda: partitioned("w", [6, 2], 3), **V1)
    graph(lambda: partitioned("w", [6, 2], 2), **V1)


@case
def v2_saver_of_v1():
    """A V2 saver reads V1."""
    save(lambda: variables(**SAVED), **V1)
    graph(lambda: variables(**SAVED))


def _old(op, **options):
    """A graph of the ops before RestoreV2."""
    with tf.Graph().as_default():
        w = v1.get_variable("w", [4], initializer=v1.zeros_initializer(), use_resource=False)
        file = v1.placeholder_with_default("model.ckpt", [], name="save/Const")
        made = op(file_pattern=file, tensor_name="w", dt=tf.float32, name="save/restore", **options)
        with tf.control_dependencies([v1.assign(w, made, name="save/Assign")]):
            tf.no_op("save/restore_all")
        saver = v1.train.SaverDef(
            filename_tensor_name="save/Const:0",
            save_tensor_name="save/Const:0",
            restore_op_name="save/restore_all",
        )
        meta = v1.train.export_meta_graph(saver_def=saver)
    meta.meta_info_def.ClearField("stripped_op_list")
    put(meta)


@case
def old_restore():
    """Restore reads V1."""
    save(lambda: variables(w=[4]), **V1)
    _old(raw.Restore)


@case
def old_restore_dtype():
    """Restore of another type."""
    save(lambda: variables(w=([4], tf.int32)), **V1)
    _old(raw.Restore)


@case
def old_restore_of_v2():
    """Restore does not read V2."""
    save(lambda: variables(w=[4]))
    _old(raw.Restore)


@case
def old_slice():
    """RestoreSlice reads a slice of V1."""
    save(lambda: variables(w=[6]), **V1)
    _old(raw.RestoreSlice, shape_and_slice="6 1,4")


@case
def old_slice_shape():
    """RestoreSlice of a tensor of another shape."""
    save(lambda: variables(w=[6]), **V1)
    _old(raw.RestoreSlice, shape_and_slice="7 1,4")


# --- savers ---------------------------------------------------------------------------------------


def _two_savers(default):
    save(lambda: variables(a=[2]))
    with tf.Graph().as_default():
        variables(a=[2], b=[3])
        a, _ = v1.global_variables()
        savers = [v1.train.Saver([a]), v1.train.Saver()]
        for saver in savers:
            v1.add_to_collection(v1.GraphKeys.SAVERS, saver)
        meta = savers[default].export_meta_graph()
    meta.meta_info_def.ClearField("stripped_op_list")
    put(meta)


@case
def other_saver():
    """The default saver fits, another does not."""
    _two_savers(0)


@case
def default_saver():
    """The default saver does not fit, another does."""
    _two_savers(1)


# --- SavedModels ----------------------------------------------------------------------------------


def _object(make, asked):
    """A SavedModel of TensorFlow 2 with the variables of another one."""
    for folder, variable in (("other", make), ("saved", asked)):
        root = tf.Module()
        root.w = variable()
        tf.saved_model.save(root, folder)
    shutil.rmtree("saved/variables")
    shutil.move("other/variables", "saved/variables")
    shutil.rmtree("other")
    os.remove("saved/fingerprint.pb")


@case
def object_good():
    """A SavedModel that restores in a function."""
    _object(lambda: tf.Variable(tf.zeros([2])), lambda: tf.Variable(tf.zeros([2])))


@case
def object_shape():
    """A SavedModel whose variable has another shape than its checkpoint."""
    _object(lambda: tf.Variable(tf.zeros([2])), lambda: tf.Variable(tf.zeros([3])))


@case
def object_dtype():
    """A SavedModel whose variable has another type than its checkpoint."""
    _object(lambda: tf.Variable([1, 2]), lambda: tf.Variable(tf.zeros([2])))


@case
def object_missing():
    """A SavedModel whose checkpoint is of another module."""
    def saved():
        inner = tf.Module()
        inner.kernel = tf.Variable(tf.zeros([2]))
        return inner

    _object(saved, lambda: tf.Variable(tf.zeros([2])))


# --- what TensorFlow says -------------------------------------------------------------------------


def restored():
    """Restores the checkpoint with its meta graph: whether that succeeded, and the error."""
    with tf.Graph().as_default(), v1.Session(config=v1.ConfigProto(allow_soft_placement=True)) as session:
        try:
            if os.path.isdir("saved"):
                v1.saved_model.load(session, ["serve"], "saved")
            else:
                meta = meta_graph_pb2.MetaGraphDef.FromString(
                    pathlib.Path("model.ckpt.meta").read_bytes()
                )
                saver = v1.train.import_meta_graph(meta, clear_devices=True)
                saver.restore(session, path())
        except (tf.errors.OpError, ValueError) as error:
            # TensorFlow searches for a missing tensor once more, by the names of objects.
            text = f"{error.__context__} {error}"
            found = [name for name, pattern in CLASSES.items() if re.search(pattern, text)]
            assert found, (os.getcwd(), text)
            return {"restores": False, "error": type(error).__name__, "says": found[0]}
    return {"restores": True, "error": None, "says": None}


def path():
    """The path to pass to the saver."""
    return "./model.ckpt"


def main():
    """Writes all cases and the oracle."""
    shutil.rmtree(FOLDER, ignore_errors=True)
    content = {}
    here = os.getcwd()
    for name, make in CASES.items():
        os.makedirs(f"{FOLDER}/{name}")
        os.chdir(f"{FOLDER}/{name}")
        make()
        content[name] = {"what": make.__doc__, **restored()}
        os.chdir(here)
    oracle.write("oracle/fit.json", content, 1)
