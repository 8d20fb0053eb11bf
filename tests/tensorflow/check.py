"""Reads ckdiff's files with TensorFlow and compares every byte.

Usage: python check.py CKDIFF WRITE, the command and the example `write` next to this file.

Checkpoints are written by the command from fixtures that TensorFlow wrote; TensorFlow restores both and they must be equal.
Graphs whose saver ckdiff built are imported, saved and restored; checkpoints by savers that ckdiff ran are restored; and
SavedModels that ckdiff built are loaded and served.
"""

import base64
import json
import os
import pathlib
import subprocess
import sys
import tempfile

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
os.environ.setdefault("TF_ENABLE_ONEDNN_OPTS", "0")
os.environ["CUDA_VISIBLE_DEVICES"] = ""

import numpy as np
import tensorflow as tf

import scenarios

tf.get_logger().setLevel("ERROR")

DATA = pathlib.Path(__file__).resolve().parent.parent / "data"

# Fixture, options, and the path that opens the new checkpoint.
SAVED_AS = [
    ("dtypes/all.ckpt", [], "out"),
    ("dtypes/all.ckpt", ["--shards", "3"], "out"),
    ("v1/v2twin.ckpt", ["--format", "v1"], "out"),
    ("v1/v2twin.ckpt", ["--format", "v1", "--shards", "3"], "out-?????-of-00003"),
    ("v1/all.ckpt", ["--format", "v2"], "out"),
    ("v1/all.ckpt", [], "out"),
    ("v1/sliced.ckpt", [], "out"),
    ("v1/sliced.ckpt", ["--format", "v2", "--shards", "2"], "out"),
    ("v1/sharded.ckpt-?????-of-00002", [], "out-?????-of-00002"),
    ("v1/sharded.ckpt-?????-of-00002", ["--format", "v2", "--shards", "1"], "out"),
    ("slices/parts.ckpt", [], "out"),
    ("slices/parts.ckpt", ["--shards", "4"], "out"),
    ("shards/three.ckpt", ["--shards", "1"], "out"),
    ("shards/one.ckpt", ["--shards", "9"], "out"),
    ("blocks/many.ckpt", [], "out"),
    ("bigendian/model.ckpt", [], "out"),
    ("snappy/v1.ckpt", ["--format", "v2"], "out"),
    ("names/odd.ckpt", [], "out"),
    ("names/v1.ckpt", ["--shards", "2"], "out-?????-of-00002"),
    ("retrain/baseline.ckpt", ["--format", "v1"], "out"),
]
# TensorFlow cannot convert these types to values.
OPAQUE = ("variant", "resource")


def main():
    """Runs every check; an assertion fails where something differs."""
    ckdiff, write = sys.argv[1:]
    with tempfile.TemporaryDirectory() as directory:
        out = pathlib.Path(directory)
        check_saved_as(ckdiff, out)
        check_merged(ckdiff, out)
        check_renamed(ckdiff, out)
        subprocess.run([write, directory], cwd=DATA.parent.parent, check=True)
        check_built(out / "built")
        check_saved(out / "saved")
        check_models(out / "models")
        check_objects(out / "objects")
        scenarios.check(ckdiff, out / "scenarios")


def names_of(ckdiff, path):
    """The names of the readable tensors, and their dtypes."""
    listing = subprocess.run([ckdiff, "show", "--format", "json", path], check=True, capture_output=True)
    for tensor in json.loads(listing.stdout)["tensors"]:
        name = base64.b64decode(tensor["name_b64"]) if "name_b64" in tensor else tensor["name"].encode()
        if tensor["dtype"] not in OPAQUE:
            yield name, tf.as_dtype(tensor["dtype"])


def read(path, name, dtype):
    """The bytes of a tensor as the kernel behind Saver.restore reads them, its shape, and its dtype."""
    (tensor,) = tf.raw_ops.RestoreV2(
        prefix=str(path), tensor_names=[name], shape_and_slices=[""], dtypes=[dtype])
    return content(tensor.numpy()), tensor.shape, tensor.dtype


def content(value):
    """The bytes of an array, or of each string in it."""
    array = np.asarray(value)
    return np.asarray(value, object).ravel().tolist() if array.dtype.kind in "OS" else array.tobytes()


def same(ckdiff, fixture, path):
    """Compares every tensor of `path` with the fixture; returns their number."""
    compared, unreadable = 0, 0
    for name, dtype in names_of(ckdiff, fixture):
        try:
            expected, found = read(fixture, name, dtype), read(path, name, dtype)
        except tf.errors.InvalidArgumentError as error:
            # For some types TensorFlow writes slices but cannot join them.
            assert "not supported" in error.message, (path, name)
            unreadable += 1
            continue
        assert found == expected, (path, name)
        compared += 1
    assert compared > unreadable, (fixture, compared, unreadable)
    return compared


def check_saved_as(ckdiff, out):
    compared = 0
    for number, (fixture, options, name) in enumerate(SAVED_AS):
        directory = out / str(number)
        directory.mkdir()
        subprocess.run([ckdiff, "save-as", str(DATA / fixture), str(directory / "out"), *options], check=True)
        compared += same(ckdiff, str(DATA / fixture), directory / name)
    print(f"save-as: {len(SAVED_AS)} checkpoints, {compared} tensors equal")


def check_merged(ckdiff, out):
    """Parts of a checkpoint, including slices of one tensor, are merged."""
    directory = out / "merged"
    directory.mkdir()
    compared = 0
    for fixture, glob in (("dtypes/all.ckpt", "*float*/**"), ("shards/three.ckpt", "*e*")):
        source = str(DATA / fixture)
        parts = [str(directory / f"part-{i}") for i in range(2)]
        for part, option in zip(parts, ("--include", "--exclude")):
            subprocess.run([ckdiff, "save-as", source, part, option, glob], check=True)
        merged = str(directory / "out")
        subprocess.run([ckdiff, "merge", "--overwrite", "--remove-parts", *parts, merged], check=True)
        compared += same(ckdiff, source, merged)
    print(f"merge: {compared} tensors equal")


def check_renamed(ckdiff, out):
    """TensorFlow 2 finds renamed tensors by the object graph."""
    path = str(out / "renamed")
    source = str(DATA / "tf2/ckpt-2")
    subprocess.run([ckdiff, "save-as", source, path, "--rename", "^(.*)/.ATTRIBUTES=net/$1/.ATTRIBUTES"], check=True)
    restored = [tf.Variable(tf.zeros_like(tf.train.load_variable(source, f"{name}/.ATTRIBUTES/VARIABLE_VALUE")))
                for name in ("model/kernel", "step")]
    module = tf.train.Checkpoint(model=tf.train.Checkpoint(kernel=restored[0]), step=restored[1])
    module.read(path).assert_existing_objects_matched()
    for variable, name in zip(restored, ("model/kernel", "step")):
        expected = tf.train.load_variable(source, f"{name}/.ATTRIBUTES/VARIABLE_VALUE")
        assert np.array_equal(variable.numpy(), expected), name
    print("save-as --rename: restored by tf.train.Checkpoint")


def session_of(meta, body):
    """Calls `body` with a session of the graph, its saver, and its variables."""
    with tf.Graph().as_default():
        config = tf.compat.v1.ConfigProto(device_count={"CPU": 4}, allow_soft_placement=True)
        # The devices in the graphs belong to other machines.
        saver = tf.compat.v1.train.import_meta_graph(str(meta), clear_devices=True)
        variables = tf.compat.v1.global_variables()
        assert variables, meta
        with tf.compat.v1.Session(config=config) as session:
            return body(session, saver, variables)


def some_value(random, variable):
    """Whole numbers of the variable's shape and dtype; their digits for strings."""
    numbers = np.asarray(random.integers(-9, 9, variable.shape.as_list()))
    if variable.dtype.base_dtype == tf.string:
        return numbers.astype("S").astype(object)
    return numbers.astype(variable.dtype.base_dtype.as_numpy_dtype)


def check_built(directory):
    """A saver that ckdiff built saves and restores."""
    def round_trip(session, saver, variables):
        random = np.random.default_rng(7)
        values = [some_value(random, variable) for variable in variables]
        session.run(tf.compat.v1.global_variables_initializer())
        for variable, value in zip(variables, values):
            variable.load(value, session)
        saved = saver.save(session, tempfile.mkdtemp(dir=directory) + "/model", global_step=1)
        session.run(tf.compat.v1.global_variables_initializer())
        saver.restore(session, saved)
        for variable, value, found in zip(variables, values, session.run(variables)):
            assert np.array_equal(found, value), variable.name
        return len(variables)

    graphs = sorted(directory.glob("*.meta"))
    restored = sum(session_of(meta, round_trip) for meta in graphs)
    assert len(graphs) == 16, graphs
    print(f"built savers: {len(graphs)} graphs, {restored} variables saved and restored")


def check_saved(directory):
    """A checkpoint by a saver that ckdiff ran is restored, with its state file and meta graph."""
    def restore(checkpoint):
        def body(session, saver, variables):
            saver.restore(session, str(checkpoint))
            return [content(value) for value in session.run(variables)]
        return body

    cases = sorted(directory.iterdir())
    restored = 0
    for case in cases:
        source = DATA / "savers/run" / case.name
        shards = "-?????-of-00002" if (source / "model.ckpt-00000-of-00002").exists() else ""
        expected = session_of(source / "model.ckpt.meta", restore(f"{source}/model.ckpt{shards}"))
        latest = tf.train.latest_checkpoint(str(case))
        assert latest == f"{case}/model-7{shards}", latest
        assert session_of(case / "model-7.meta", restore(latest)) == expected, case
        restored += len(expected)
    assert len(cases) >= 6, cases
    print(f"savers run: {len(cases)} checkpoints, {restored} variables restored")


# Values for the inputs of signatures.
FED = {
    "x": {"plain": [[1.0, 2.0], [-3.0, 0.5]], "nothing": 2.5},
    "words": {"two": ["of", "none", "the"]},
    "inputs": {"two": ["of", "none", "the"]},
}


def loaded(case, path, tags):
    """TensorFlow's loader applied to a meta graph: its variables, and the outputs of each signature."""
    with tf.Graph().as_default(), tf.compat.v1.Session() as session:
        meta = tf.compat.v1.saved_model.load(session, tags, str(path))
        # The model's saver may restore only some of them.
        held = [one for one in tf.compat.v1.global_variables()
                if session.run(tf.compat.v1.is_variable_initialized(one))]
        found = {one.name: content(session.run(one)) for one in held}
        for key, signature in meta.signature_def.items():
            if not signature.outputs:
                continue
            feed = {info.name: FED[name][case] for name, info in signature.inputs.items() if name in FED}
            for name, info in signature.outputs.items():
                found[key, name] = content(session.run(info.name, feed))
        return found, sorted(meta.signature_def)


def check_models(directory):
    """A SavedModel that ckdiff built is loaded and served like TensorFlow's."""
    values, served = 0, 0
    models = sorted(directory.iterdir())
    for model in models:
        source = DATA / "built" / model.stem / "saved"
        tag_sets = {"two": (["serve", "gpu"], ["train"]), "plain": (["serve"],), "composite": (["serve"],), "nothing": ([],)}[model.stem]
        for tags in tag_sets:
            expected, found = loaded(model.stem, source, tags), loaded(model.stem, model, tags)
            assert found == expected, (model, tags)
            values += len(found[0])
        for path in source.glob("assets/*"):
            assert (model / "assets" / path.name).read_bytes() == path.read_bytes(), path
        if model.stem in ("composite", "nothing"):
            continue
        # Loading and calling with TensorFlow 2.
        tags = tag_sets[0]
        inputs = {"plain": "x", "two": "words"}[model.stem]
        fed = tf.constant(FED[inputs][model.stem])
        results = [tf.saved_model.load(str(path), tags).signatures["serving_default"](**{inputs: fed})
                   for path in (source, model)]
        expected, found = ({name: content(value.numpy()) for name, value in result.items()} for result in results)
        assert found == expected and found, model
        served += 1
    assert len(models) == 8 and served == 4, (models, served)
    print(f"SavedModels: {len(models)} loaded, {values} variables and results equal, {served} served by TensorFlow 2")


def result_of(model, key):
    """The outputs of a signature for ones, with size three for unknown dimensions; for words if it takes text."""
    function = model.signatures[key]
    _, specs = function.structured_input_signature

    def fed(spec):
        shape = [3 if dim is None else dim for dim in spec.shape]
        return tf.fill(shape, "of") if spec.dtype == tf.string else tf.ones(shape, spec.dtype)

    results = function(**{name: fed(spec) for name, spec in specs.items()})
    return {name: content(value.numpy()) for name, value in results.items()}


def check_objects(directory):
    """A SavedModel of TensorFlow 2 that ckdiff rebuilt is loaded, and its signatures return the same results."""
    models = sorted(directory.iterdir())
    called = 0
    for path in models:
        (source,) = DATA.glob(f"*/{path.stem}/saved_model.pb")
        theirs, ours = tf.saved_model.load(str(source.parent)), tf.saved_model.load(str(path))
        assert sorted(theirs.signatures) == sorted(ours.signatures), path
        for key in theirs.signatures:
            expected, found = result_of(theirs, key), result_of(ours, key)
            assert found == expected and found, (path, key)
            called += 1
    assert len(models) == 6 and called >= 4, (models, called)
    print(f"SavedModels of TensorFlow 2: {len(models)} built anew and loaded, {called} signatures called")


if __name__ == "__main__":
    main()
