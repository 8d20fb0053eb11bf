"""Pairs of SavedModels by Keras 2 (tf_keras), which writes keras_metadata.pb beside the graphs."""

import tf_keras

from .pair import Pair, change
from .pair_saved_models import COUNTERS, UUIDS, _sign


def _save(folder, side, loss):
    """A compiled model of one layer. All names are given, so that no counter is in them."""
    dense = tf_keras.layers.Dense(1, kernel_initializer="ones", name="dense")
    model = tf_keras.Sequential([tf_keras.Input((2,), name="x"), dense], name="model")
    model.compile(optimizer=tf_keras.optimizers.SGD(0.5), loss=loss)
    path = f"{folder}/{side}"
    model.save(path, save_format="tf", save_traces=False)
    _sign(path, UUIDS[side])


def keras_loss(folder):
    for side, loss in (("lhs", "mse"), ("rhs", "mae")):
        _save(folder, side, loss)
    loss = change(
        "modified",
        about="the loss in the metadata of the root",
        path_ends='keras_metadata.nodes["root"].metadata.training_config.loss',
    )
    return Pair("another loss", f"{folder}/lhs", f"{folder}/rhs", [loss], COUNTERS)


def keras_twin(folder):
    for side in UUIDS:
        _save(folder, side, "mse")
    return Pair("one model built and saved twice", f"{folder}/lhs", f"{folder}/rhs", [], COUNTERS)


MAKERS = (keras_loss, keras_twin)
