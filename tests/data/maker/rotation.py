"""The files that TensorFlow's Saver leaves after each step of a series of saves: `oracle/rotation.json`.

A scenario is a saver and its steps. After each step the names in the folder and the state files are recorded, with the
folder's own path as DIR. Time is the scenario's, not the clock's.
"""

import contextlib
import json
import os
import shutil
import tempfile
import unittest.mock

import tensorflow as tf

START = 1_500_000_000.0


def save(step=None, path="m", minutes=0, **options):
    """A save, this many minutes after the saver was made."""
    return {"do": "save", "path": path, "step": step, "minutes": minutes, **options}


SCENARIOS = {
    **{
        f"keeps {most}": ({"max_to_keep": most}, [save(step) for step in range(1, 9)])
        for most in (0, 1, 2, 5)
    },
    "keeps none": ({"max_to_keep": -1}, [save(1), save(2)]),
    "keeps one each hour": (
        {"max_to_keep": 2, "keep_checkpoint_every_n_hours": 1},
        [save(step, minutes=25 * step) for step in range(1, 13)],
    ),
    "keeps every one that is over": (
        {"max_to_keep": 1, "keep_checkpoint_every_n_hours": 0.25},
        [save(step, minutes=20 * step) for step in range(1, 8)],
    ),
    "the same path again": ({"max_to_keep": 3}, [save(), save(), save(path="n"), save(), save(path="o"), save(path="p"), save()]),
    "an old step again": ({"max_to_keep": 3}, [save(1), save(2), save(3), save(1), save(4), save(5)]),
    "set": (
        {"max_to_keep": 2},
        [save(1), save(2), {"do": "set", "paths": ["m-1", "m-2"]}, save(3), save(4), save(5)],
    ),
    "set to more than are kept": (
        {"max_to_keep": 1},
        [save(1, path="a"), save(1, path="b"), save(1, path="c"),
         {"do": "set", "paths": ["a-1", "b-1", "c-1"]}, save(2), save(3)],
    ),
    "set with times": (
        {"max_to_keep": 2, "keep_checkpoint_every_n_hours": 1},
        [save(1), save(2), {"do": "set_with_time", "paths": ["m-1", "m-2"], "minutes": [30, 90]},
         save(3, minutes=100), save(4, minutes=101), save(5, minutes=102)],
    ),
    "recovered": (
        {"max_to_keep": 2},
        [save(1), save(2), {"do": "recover", "paths": ["m-1", "gone", "m-2"], "minutes": [5, 0, 6]},
         save(3), save(4), save(5)],
    ),
    "recovered in an hour": (
        {"max_to_keep": 1, "keep_checkpoint_every_n_hours": 1},
        [save(1), save(2, path="n"), {"do": "recover", "paths": ["m-1", "n-2"], "minutes": [90, 30]},
         save(3), save(4)],
    ),
    "padded": ({"max_to_keep": 2, "pad_step_number": True}, [save(7), save(12345678), save(123456789)]),
    "relative": ({"max_to_keep": 2, "save_relative_paths": True}, [save(1), save(2), save(3)]),
    "another state file": (
        {"max_to_keep": 1},
        [save(1, latest_filename="latest"), save(2, latest_filename="latest"), save(3)],
    ),
    "another suffix": ({"max_to_keep": 1}, [save(1, meta_graph_suffix="graph"), save(2, meta_graph_suffix="graph"), save(3)]),
    "no meta graph": ({"max_to_keep": 1}, [save(1), save(2, write_meta_graph=False), save(3, write_meta_graph=False)]),
    "no state": ({"max_to_keep": 1}, [save(1), save(2, write_state=False), save(3), save(4)]),
    "sharded": ({"max_to_keep": 2, "sharded": True}, [save(step) for step in range(1, 5)]),
    "sharded, the same path again": ({"max_to_keep": 2, "sharded": True}, [save(), save(), save(path="n"), save()]),
    "format V1": ({"max_to_keep": 2, "write_version": 1}, [save(step) for step in range(1, 5)]),
    "format V1, the same path again": ({"max_to_keep": 2, "write_version": 1}, [save(), save(), save(path="n"), save()]),
    "format V1, sharded": ({"max_to_keep": 2, "write_version": 1, "sharded": True}, [save(step) for step in range(1, 5)]),
}


def main():
    """Writes the oracle."""
    scenarios = []
    for name, (saver, steps) in SCENARIOS.items():
        scenarios.append({"name": name, "start": START, "saver": saver, "steps": _run(saver, steps)})
    with open("oracle/rotation.json", "w", encoding="utf-8") as file:
        file.write("[\n" + ",\n".join(json.dumps(scenario) for scenario in scenarios) + "\n]\n")


def _run(options, steps):
    folder = tempfile.mkdtemp()
    clock = unittest.mock.Mock(wraps=__import__("time"))
    clock.time.return_value = START
    with tf.Graph().as_default(), unittest.mock.patch("tensorflow.python.training.saver.time", clock):
        for i in range(2):
            with tf.device(f"/cpu:{i}"):
                tf.compat.v1.get_variable(f"v{i}", [2], initializer=tf.compat.v1.ones_initializer())
        saver = tf.compat.v1.train.Saver(**options)
        config = tf.compat.v1.ConfigProto(device_count={"CPU": 2})
        with tf.compat.v1.Session(config=config) as session:
            session.run(tf.compat.v1.global_variables_initializer())
            done = [{**step, "after": _after(session, saver, folder, clock, step)} for step in steps]
    shutil.rmtree(folder)
    return done


def _after(session, saver, folder, clock, step):
    """Runs a step; returns the files after it."""
    options = {name: value for name, value in step.items() if name not in ("do", "path", "step", "minutes", "paths")}
    paths = [os.path.join(folder, path) for path in step.get("paths", [])]
    if step["do"] == "save":
        clock.time.return_value = START + 60 * step["minutes"]
        saver.save(session, os.path.join(folder, step["path"]), global_step=step["step"], **options)
    elif step["do"] == "set":
        saver.set_last_checkpoints(paths)
    elif step["do"] == "set_with_time":
        times = [START + 60 * minutes for minutes in step["minutes"]]
        saver.set_last_checkpoints_with_time(list(zip(paths, times)))
    elif step["do"] == "recover":
        for path, minutes in zip(paths, step["minutes"]):
            with contextlib.suppress(FileNotFoundError):
                os.utime(path + ".index", (START + 60 * minutes,) * 2)
        saver.recover_last_checkpoints(paths)
    names = sorted(os.listdir(folder))
    states = {}
    for name in names:
        if name in ("checkpoint", "latest"):
            with open(os.path.join(folder, name), encoding="utf-8") as file:
                states[name] = file.read().replace(folder, "DIR")
    last = [path.replace(folder, "DIR") for path in saver.last_checkpoints]
    return {"files": names, "states": states, "last_checkpoints": last}
