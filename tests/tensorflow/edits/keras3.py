"""Models of Keras 3, saved as SavedModels."""

import dataclasses

import keras
import tensorflow as tf
from keras import layers

from .script import KerasScript


@dataclasses.dataclass
class Script(KerasScript):
    """What can be edited in the script."""

    export: bool = True


def sequential(path, **edit):
    script = Script(**edit)
    keras.utils.set_random_seed(1)
    keras.mixed_precision.set_global_policy(script.policy)
    for _ in range(script.times):
        model = built(script)
    for _ in range(script.saves):
        saved(path, model, script.export)
    return path


def saved(path, model, export=True):
    if export:
        model.export(path, verbose=False)
    else:
        tf.saved_model.save(model, path)
    return path


def built(script):
    model = keras.Sequential([layers.Input([16])])
    if script.front:
        model.add(layers.Dense(16, "relu"))
    model.add(layers.Dense(script.units, script.activation, name=script.names[0]))
    if script.rate:
        model.add(layers.Dropout(script.rate))
    if script.inserted:
        model.add(layers.Dense(script.units, "relu", name="inserted"))
    model.add(layers.Dense(16, "relu", name=script.names[1]))
    if script.rate:
        model.add(layers.Dropout(script.rate))
    model.add(layers.Dense(3, "softmax", name=script.names[2]))
    return model


def attention(path, vocabulary=1000, heads=2):
    """A functional model over words."""
    keras.utils.set_random_seed(1)
    words = layers.Input([12], dtype="int32", name="words")
    x = layers.Embedding(vocabulary, 16, name="embedding")(words)
    x = layers.LayerNormalization(name="norm")(x + layers.MultiHeadAttention(heads, 8, name="attention")(x, x))
    x = layers.GlobalAveragePooling1D(name="pool")(x)
    return saved(path, keras.Model(words, layers.Dense(2, "softmax", name="classes")(x)))


def recurrent(path, units=8):
    """A functional model over steps."""
    keras.utils.set_random_seed(1)
    inputs = layers.Input([10, 4])
    return saved(path, keras.Model(inputs, layers.Dense(3, "softmax")(layers.LSTM(units)(inputs))))
