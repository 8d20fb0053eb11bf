"""Models of tf_keras, trained and saved as SavedModels or checkpoints."""

import dataclasses

import numpy as np
import tensorflow as tf
import tf_keras
from tf_keras import layers

from .frozen import written
from .script import KerasScript
from .v1 import classic, export


@dataclasses.dataclass
class Script(KerasScript):
    """What can be edited in the script."""

    data: int = 1
    epochs: int = 0
    batch: int | None = None
    norm: bool = False
    l2: float | None = None
    optimizer: str = "Adam"
    rate_of_learning: float = 1e-3
    loss: str = "sparse_categorical_crossentropy"
    metrics: tuple = ("accuracy",)


def sequential(path, **edit):
    script = Script(**edit)
    tf_keras.utils.set_random_seed(1)
    tf_keras.mixed_precision.set_global_policy(script.policy)
    for _ in range(script.times):
        model = built(script)
    return saved(path, model, script)


def built(script):
    regularizer = tf_keras.regularizers.l2(script.l2) if script.l2 else None
    model = tf_keras.Sequential([layers.Input([16], script.batch)])
    if script.front:
        model.add(layers.Dense(16, "relu"))
    model.add(layers.Dense(script.units, script.activation, kernel_regularizer=regularizer, name=script.names[0]))
    if script.norm:
        model.add(layers.BatchNormalization())
    if script.rate:
        model.add(layers.Dropout(script.rate))
    if script.inserted:
        model.add(layers.Dense(script.units, "relu"))
    model.add(layers.Dense(16, "relu", name=script.names[1]))
    if script.rate:
        model.add(layers.Dropout(script.rate))
    model.add(layers.Dense(3, "softmax", dtype="float32", name=script.names[2]))
    return model


def trained(model, script):
    """Trains with the same batches in the same order."""
    optimizer = getattr(tf_keras.optimizers, script.optimizer)(script.rate_of_learning)
    model.compile(optimizer, script.loss, metrics=list(script.metrics))
    random = np.random.default_rng(script.data)
    inputs = random.random((32, *model.input_shape[1:]), "f")
    labels = random.integers(3, size=32)
    if script.epochs:
        model.fit(inputs, labels, script.batch or 16, epochs=script.epochs, shuffle=False, verbose=0)


def saved(path, model, script):
    trained(model, script)
    for _ in range(script.saves):
        model.save(path, save_format="tf")
    return path


def recurrent(path, layer="LSTM", units=8, bidirectional=False, pooled=False):
    """A functional model."""
    tf_keras.utils.set_random_seed(1)
    inputs = layers.Input([10, 4])
    cell = getattr(layers, layer)(units)
    x = (layers.Bidirectional(cell) if bidirectional else cell)(inputs)
    outputs = [layers.Dense(3, "softmax", name="classes")(x)]
    if pooled:
        outputs.append(layers.Dense(3, "softmax", name="more")(layers.GlobalAveragePooling1D()(inputs)))
    return saved(path, tf_keras.Model(inputs, outputs), Script())


def image_classifier(depth, size):
    return getattr(tf_keras.applications, f"ResNet{depth}")(weights=None, input_shape=(size, size, 3), classes=10)


def resnet_graph(path, depth=50, size=64):
    """A graph of TensorFlow 1, where a placeholder says whether the model is trained."""
    with classic() as graph:
        image_classifier(depth, size)
        return export(path, graph, tf.compat.v1.train.Saver())


def resnet_function(path, depth=50, size=64):
    """The graph of a function that applies the model."""
    model = image_classifier(depth, size)
    signature = [tf.TensorSpec([None, size, size, 3], tf.float32, "images")]
    function = tf.function(lambda images: model(images, training=False), input_signature=signature)
    return written(path, function.get_concrete_function().graph.as_graph_def())


def checkpoint(path, **edit):
    """A checkpoint of a model and its optimizer."""
    script = Script(**edit)
    tf_keras.utils.set_random_seed(1)
    model = built(script)
    trained(model, script)
    return tf.train.Checkpoint(model=model, optimizer=model.optimizer).save(path)
