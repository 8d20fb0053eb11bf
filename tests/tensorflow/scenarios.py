"""Scenarios in which TensorFlow and ckdiff must do the same; `scenarios.rs` describes the files."""

import json
import subprocess

import numpy as np
import tensorflow as tf

v1 = tf.compat.v1


def check(ckdiff, directory):
    """Runs every scenario."""
    for scenario in (check_parts, check_directory, check_state_name, check_names, check_unsorted, check_imports, check_slash, check_paths, check_whole, check_bound):
        scenario(directory)
    check_state_twice(ckdiff, directory)
    print("scenarios: 11 agree")


def restored(meta, path):
    """The graph's variables that the saver of a meta graph restores, and the meta graph that TensorFlow would write."""
    config = v1.ConfigProto(device_count={"CPU": 4}, allow_soft_placement=True)
    with tf.Graph().as_default(), v1.Session(config=config) as session:
        saver = v1.train.import_meta_graph(str(meta), clear_devices=True)
        saver.restore(session, str(path))
        # The check of variables adds nodes.
        exported = saver.export_meta_graph()
        held = [one for one in v1.global_variables() if session.run(v1.is_variable_initialized(one))]
        return {one.op.name: session.run(one) for one in held}, exported


def op_list(meta):
    return [op.name for op in meta.meta_info_def.stripped_op_list.op]


def check_parts(directory):
    """Some parts of a partitioned variable, by a saver of just these."""
    for version in ("V1", "V2"):
        path = directory / f"parts.{version}/m"
        found, theirs = restored(f"{path}.meta", path)
        assert sorted(found) == ["p/part_1", "p/part_3"], found
        # The store is numbered by the order of the variables in the graph.
        assert all(len(np.unique(value)) == 1 for value in found.values()), found
        meta = v1.MetaGraphDef.FromString((path.parent / "m.meta").read_bytes())
        # With the ops of the saver.
        assert op_list(meta) == op_list(theirs), (op_list(meta), op_list(theirs))


def files(directory):
    return sorted(str(path.relative_to(directory)) for path in directory.rglob("*"))


def their_save(directory, path, **options):
    """What TensorFlow leaves in a directory, which is empty unless it exists, and its error."""
    directory.mkdir(parents=True, exist_ok=True)
    with tf.Graph().as_default(), v1.Session() as session:
        v1.get_variable("x", [2], initializer=v1.ones_initializer())
        session.run(v1.global_variables_initializer())
        try:
            v1.train.Saver(**options).save(session, f"{directory}/{path}")
        except (ValueError, RuntimeError) as error:
            return files(directory), error
        return files(directory), None


def check_directory(directory):
    """One missing directory is made for a V2 checkpoint, no second one, and none for shards or V1."""
    theirs, error = their_save(directory / "theirs", "made/m")
    assert error is None and files(directory / "directory") == theirs, theirs
    restored(directory / "directory/made/m.meta", directory / "directory/made/m")
    for number, (path, options) in enumerate(
        [("a/b/m", {}), ("a/m", {"sharded": True}), ("a/m", {"write_version": 1}), ("a/m", {"write_version": 1, "sharded": True})]
    ):
        theirs, error = their_save(directory / f"refused-{number}", path, **options)
        assert error and theirs == [], (path, options, theirs)


def check_state_name(directory):
    """A checkpoint with the name of the state file; the absolute path is refused."""
    state = directory / "state"
    latest = tf.train.latest_checkpoint(str(state))
    assert latest == str(state / "checkpoint"), latest
    assert restored(state / "checkpoint.meta", latest)[0]
    _, error = their_save(directory / "state-theirs", "checkpoint", sharded=True)
    assert "conflicts with path used for checkpoint state" in str(error), error
    _, error = their_save(directory / "state-one", "checkpoint")
    assert "collides" in str(error), error


def check_names(directory):
    for path in sorted((directory / "names").iterdir()):
        latest = tf.train.latest_checkpoint(str(path))
        (name,) = {file for file in files(path) if "-of-" in file and not file.endswith(".meta")}
        assert latest == str(path / name), latest
        (meta,) = path.glob("*.meta")
        theirs, error = their_save(directory / f"names-{path.name}", name, write_version=1)
        assert error is None and files(path) == theirs, (files(path), theirs)
        assert restored(meta, latest)[0]


def check_unsorted(directory):
    theirs = directory / "unsorted-theirs"
    data = [tf.constant([float(number), 0.5]) for number in range(4)]
    tf.raw_ops.SaveSlices(filename=str(theirs), tensor_names=["w", "b", "w", "a"], shapes_and_slices=["4 2,2", "", "4 0,2", ""], data=data)
    assert (directory / "unsorted").read_bytes() == theirs.read_bytes()


def check_imports(directory):
    graph = v1.GraphDef.FromString((directory / "imports.pb").read_bytes())
    accepted = json.loads((directory / "imports.json").read_text())
    assert len(accepted) == 36 and len(set(accepted.values())) == 2, accepted
    for case, ours in accepted.items():
        element, _, source = case.partition(" ")
        with tf.Graph().as_default():
            sources = {"src": v1.placeholder(tf.float32, name="src"), "srci": v1.placeholder(tf.int32, name="srci")}
            options = {"input_map": {element: sources[source]}} if source else {"return_elements": [element]}
            try:
                tf.import_graph_def(graph, name="imp", **options)
                theirs = True
            except ValueError:
                theirs = False
        assert ours == theirs, (case, ours, theirs)


def check_slash(directory):
    """A path that ends with a directory is in it."""
    for path in sorted((directory / "slash").iterdir()):
        name, options = json.loads((path / "case.json").read_text())
        (path / "case.json").unlink()
        their_save(directory / f"slash-{path.name}/sub", "m", **options)
        before = files(directory / f"slash-{path.name}")
        theirs, error = their_save(directory / f"slash-{path.name}", name, **options)
        theirs = sorted(set(theirs) - (set(before) - {"sub", "sub/checkpoint"}))
        # One device, and one shard, where ours has four.
        ours = sorted({file.replace("of-00004", "of-00001") for file in files(path) if "0000" not in file or "00000-of" in file})
        assert error is None and ours == theirs, (ours, theirs)
        latest = v1.train.get_checkpoint_state(str(path / "sub")).model_checkpoint_path
        saved = f"{path}/{name}" + ("-?????-of-00004" if options.get("write_version") == 1 else "")
        assert latest == saved, (latest, saved)
        (meta,) = (path / "sub").glob("*.meta")
        assert restored(meta, latest)[0]


def check_paths(directory):
    """A saver takes a prefix, and no file of the checkpoint."""
    for path, ours in json.loads((directory / "paths.json").read_text()).items():
        try:
            theirs = bool(restored(directory / f"paths/{path[0]}.meta", directory / "paths" / path)[0])
        except (ValueError, tf.errors.OpError):
            theirs = False
        assert ours == theirs, (path, ours, theirs)


def check_whole(directory):
    """A tensor of which only some slices are stored is listed, and not restored as a whole."""
    for version in ("V1", "V2"):
        path = directory / f"parts.{version}/m"
        restores, shapes = json.loads((path.parent / "whole.json").read_text())
        assert not restores
        assert v1.train.load_checkpoint(str(path)).get_variable_to_shape_map() == shapes, shapes
        try:
            tf.raw_ops.RestoreV2(prefix=str(path), tensor_names=["p"], shape_and_slices=[""], dtypes=[tf.float32])
            assert False, "it is restored"
        except tf.errors.OpError:
            pass


def check_bound(directory):
    """Inputs of a loop and control inputs that are replaced, and what is returned in their place."""
    graph = v1.GraphDef.FromString((directory / "bound.pb").read_bytes())
    cases = json.loads((directory / "bound.json").read_text())
    assert len(cases) == 4, cases
    for element, (returned, inputs) in cases.items():
        with tf.Graph().as_default() as whole:
            source = v1.placeholder(tf.float32, name="src")
            (theirs,) = tf.import_graph_def(graph, name="e", input_map={element: source}, return_elements=["x:0"])
            assert theirs.name == returned, (element, theirs.name, returned)
            for node in whole.as_graph_def().node:
                if node.name in inputs:
                    assert list(node.input) == inputs[node.name], (element, node, inputs)


def check_state_twice(ckdiff, directory):
    path = directory / "twice"
    path.mkdir()
    for name in "ab":
        tf.raw_ops.SaveV2(prefix=str(path / name), tensor_names=["v"], shape_and_slices=[""], tensors=[tf.constant(1.0)])
    (path / "checkpoint").write_text("model_checkpoint_path: 'a'\nmodel_checkpoint_path: 'b'\n")
    ours = subprocess.run([ckdiff, "latest", str(path)], check=True, capture_output=True, text=True)
    assert ours.stdout.strip() == tf.train.latest_checkpoint(str(path)) == str(path / "b"), ours
    assert "given more than once" in ours.stderr, ours
