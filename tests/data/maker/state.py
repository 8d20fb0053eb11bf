"""Checkpoint state files, in `state/`, by tf.train.update_checkpoint_state."""

import os

from tensorflow.python.training import checkpoint_management

FOLDER = "state"
STATE = "tensorflow.CheckpointState"
CASES = {
    "relative": ("model.ckpt-30", ["model.ckpt-10", "model.ckpt-20", "model.ckpt-30"]),
    "absolute": ("/models/run 1/model.ckpt-30", ["/models/run 1/model.ckpt-10"]),
    "mixed": ("nested/model.ckpt-2", ["/models/model.ckpt-1", "../model.ckpt", "nested/model.ckpt-2"]),
    "unicode": ("naïve → 模型 🙂.ckpt", ["naïve → 模型 🙂.ckpt"]),
    "escaped": ("a\"b'c\\d\te\nf\x01\x7f.ckpt-?????-of-00002", ["C:\\models\\new\\table"]),
    "one": ("model.ckpt", []),
    "many": ("model.ckpt-199", [f"model.ckpt-{i}" for i in range(200)]),
}
TIMES = {
    "timestamps": [1500000000.0, 1500000060.25, 1500000120.123456],
    "odd_times": [0.1, -0.0, 1e22],
}


def write():
    """Writes every case under its name; returns {path: message}."""
    for name, (latest, every) in CASES.items():
        _update(name, latest, every)
    paths = [f"model.ckpt-{i}" for i in range(3)]
    _update("timestamps", paths[-1], paths, TIMES["timestamps"], 1499999999.5)
    _update("odd_times", paths[-1], paths, TIMES["odd_times"], float("inf"))
    with open(f"{FOLDER}/by_hand", "w", encoding="utf-8") as file:
        file.write(BY_HAND)
    return {f"{FOLDER}/{name}": STATE for name in (*CASES, *TIMES, "by_hand")}


def _update(name, latest, every, times=None, preserved=None):
    checkpoint_management.update_checkpoint_state_internal(
        FOLDER,
        os.path.join(FOLDER, latest),
        [os.path.join(FOLDER, path) for path in every],
        latest_filename=name,
        all_model_checkpoint_timestamps=times,
        last_preserved_timestamp=preserved,
    )


BY_HAND = """# Written by hand; TensorFlow reads it.
model_checkpoint_path: 'model' '.ckpt-2';  all_model_checkpoint_paths: ["model.ckpt-1", 'model.ckpt-2'],
all_model_checkpoint_timestamps: [1, 2.5f]
last_preserved_timestamp: -inf  # never
"""
