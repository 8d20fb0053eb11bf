"""The table of edits."""

import functools
import typing

import tensorflow as tf

from . import checkpoints, frozen, keras2, keras3, modules, v1, v1_parts


class Edit(typing.NamedTuple):
    """Two models, and what to tell of them."""

    name: str
    before: typing.Callable
    after: typing.Callable
    verdict: str
    ideal: int  # changes in the best report; tensors are not counted
    most: int  # changes that are still fine
    snapshot: bool  # whether a snapshot of one is that of the other
    large: bool = False  # slow to make


def edits(make, *rows, **base):
    """Edits to one model: name, arguments after the edit, verdict, ideal, most, and `True` where snapshots do not tell it."""
    for name, edit, verdict, ideal, most, *snapshot in rows:
        before = functools.partial(make, **base)
        after = functools.partial(make, **base | edit)
        yield Edit(name, before, after, verdict, ideal, most, verdict == "same" or bool(snapshot), "resnet" in make.__name__)


EDITS = [
    *edits(
        v1.training,
        ("v1 twin", {}, "same", 0, 0),
        ("v1 activation", {"activation": "elu"}, "different", 1, 2),
        ("v1 layer front", {"front": True}, "different", 4, 6),
        ("v1 layer last", {"last": True}, "different", 2, 4),
        ("v1 batch norm removed", {"norm": False}, "different", 1, 4),
        ("v1 seed", {"seed": 43}, "different", 1, 1),
        ("v1 dropout rate", {"rate": 0.2}, "different", 1, 2),
        ("v1 loss", {"mean_squared": True}, "different", 1, 3),
        ("v1 batch fixed", {"batch": 64}, "different", 1, 2),
        ("v1 double", {"dtype": tf.float64}, "different", 1, 6),
        ("v1 half in scope", {"head": "head"}, "different", 1, 3),
        ("v1 first layer frozen", {"trainable": False}, "different", 1, 5),
        ("v1 optimizer", {"optimizer": "Momentum"}, "different", 2, 6),
        ("v1 learning rate", {"learning_rate": 1e-2}, "different", 1, 1),
        ("v1 weight decay", {"l2": 1e-4}, "different", 1, 2),
        ("v1 clip gradients", {"clip": "norm"}, "different", 1, 2),
        ("v1 clip by value", {"clip": "value"}, "different", 1, 2),
        ("v1 summary added", {"summary": True}, "different", 1, 1),
        ("v1 metric added", {"metric": True}, "different", 1, 1),
        ("v1 device pinned", {"layer_device": "/device:CPU:0"}, "different", 1, 2),
        ("v1 training to inference", {"inference": True}, "different", 3, 8),
        ("v1 saver sharded", {"sharded": True}, "different", 1, 2),
        ("v1 saver keys", {"keys": "ema"}, "different", 1, 1),
        ("v1 stripped defaults", {"strip": True}, "same", 0, 0),
        ("v1 exported after run", {"init": True}, "different", 1, 1),
    ),
    *edits(v1.training, ("v1 layer middle named", {"inserted": True}, "different", 1, 2), named=True),
    *edits(v1.training, ("v1 layer middle unseeded", {"inserted": True}, "different", 1, 2), named=True, seeded=False),
    *edits(v1.training, ("v1 widened named", {"units": 128}, "different", 1, 4), named=True, norm=False),
    *edits(v1.training, ("v1 scope renamed", {"model": "net"}, "different", 1, 2), model="model"),
    *edits(v1.training, ("v1 l2 factor", {"l2": 1e-3}, "different", 1, 1), l2=1e-4),
    *edits(v1.training, ("v1 swapped sub", {"swapped": True}, "different", 1, 2), mean_squared=True),
    *edits(v1.training, ("v1 twin checkpoints", {}, "different", 0, 0, True), steps=3),
    *edits(v1.training, ("v1 twin v2 behavior", {}, "different", 1, 1), behavior=2, seed=None, seeded=False),
    *edits(v1_parts.servers, ("v1 parameter servers", {"tasks": 2}, "different", 1, 4)),
    *edits(v1_parts.towers, ("v1 towers two to four", {"count": 4}, "different", 1, 4)),
    *edits(v1_parts.partitions, ("v1 partitions", {"count": 4}, "different", 1, 3)),
    *edits(v1_parts.loop, ("v1 while functional bound", {"bound": 12}, "different", 1, 2)),
    *edits(v1_parts.queue, ("v1 queue capacity", {"capacity": 128}, "different", 1, 1)),
    *edits(v1_parts.pipeline, ("v1 dataset map", {"scale": 127.5}, "different", 1, 1)),
    *edits(v1_parts.unrolled, ("v1 static lstm step", {"steps": 6}, "different", 1, 4)),
    *edits(
        v1_parts.recurrent,
        ("v1 dynamic lstm to gru", {"cell": "GRUCell"}, "different", 1, 4),
        ("v1 dynamic lstm units", {"units": 32}, "different", 1, 4),
    ),
    *edits(
        frozen.frozen,
        ("frozen retrained", {"seed": 2}, "different", 12, 12),
        ("frozen grappler", {"change": frozen.optimized}, "different", 2, 6),
        ("frozen identities stripped", {"change": frozen.stripped}, "different", 1, 3),
        ("frozen half weights", {"change": frozen.halved}, "different", 2, 14),
        ("frozen image size", {"size": 32}, "different", 1, 2),
        ("frozen imported", {"scope": "import"}, "different", 1, 1),
        ("frozen output renamed", {"output": "scores"}, "different", 1, 1),
        ("frozen swapped mul", {"swapped": True}, "same", 0, 0),
    ),
    *edits(frozen.frozen, ("frozen bn folded", {"change": frozen.folded}, "different", 2, 6), change=frozen.stripped),
    *edits(
        modules.module,
        ("module twin", {}, "same", 0, 0),
        ("module retrained", {"seed": 2}, "different", 0, 0, True),
        ("module retraced", {"traced": 3}, "same", 0, 0),
        ("module attribute added", {"version": 1}, "different", 1, 3),
        ("module function renamed", {"method": "infer"}, "different", 1, 3, True),
        ("module batch fixed", {"batch": 32}, "different", 1, 2),
        ("module signature dtype", {"dtype": tf.float16}, "different", 1, 2),
        ("module signature added", {"more": True}, "different", 1, 2),
        ("module signature renamed", {"serving": "predict"}, "different", 1, 2),
    ),
    *edits(
        modules.transformer,
        ("transformer activation", {"activation": tf.nn.relu}, "different", 1, 3),
        ("transformer norm first", {"norm_first": True}, "different", 1, 4),
        ("transformer heads", {"heads": 2}, "different", 2, 6),
        ("transformer depth", {"depth": 3}, "different", 1, 4),
    ),
    *edits(modules.transformer, ("transformer frozen depth", {"depth": 3}, "different", 1, 3), frozen=True),
    *edits(
        modules.vocab,
        ("vocab file renamed", {"name": "words.txt"}, "different", 1, 1),
        ("vocab changed", {"words": ("the", "an", "of")}, "different", 1, 1),
    ),
    *edits(modules.vocab, ("extra asset changed", {"extra": b"two"}, "different", 1, 1), extra=b"one"),
    *edits(
        keras2.sequential,
        ("tk saved twice", {"saves": 2}, "same", 0, 0),
        ("tk built twice", {"times": 2}, "different", 1, 4, True),
        ("tk layer front", {"front": True}, "different", 3, 8),
        ("tk layer middle", {"inserted": True}, "different", 2, 8),
        ("tk dropout removed", {"rate": 0}, "different", 1, 4),
        ("tk mixed bfloat16", {"policy": "mixed_bfloat16"}, "different", 3, 12),
        ("tk learning rate", {"rate_of_learning": 5e-4}, "different", 1, 2, True),
        ("tk optimizer", {"optimizer": "SGD"}, "different", 1, 4, True),
        ("tk loss", {"loss": "kl_divergence"}, "different", 1, 2, True),
        ("tk regularizer", {"l2": 1e-4}, "different", 1, 4),
        ("tk batch size", {"batch": 8}, "different", 1, 4),
    ),
    *edits(
        keras2.sequential,
        ("tk activation", {"activation": "tanh"}, "different", 1, 3),
        ("tk widened", {"units": 64}, "different", 3, 8),
        ("tk layer renamed", {"first": "first"}, "different", 1, 3),
        named=True,
    ),
    *edits(
        keras2.sequential,
        ("tk retrained", {"data": 2}, "different", 0, 0, True),
        ("tk trained longer", {"epochs": 2}, "different", 0, 0, True),
        ("tk trained widened", {"units": 64}, "different", 3, 12),
        ("tk metric added", {"metrics": ("accuracy", "sparse_top_k_categorical_accuracy")}, "different", 1, 4),
        epochs=1,
    ),
    *edits(
        keras2.recurrent,
        ("tk lstm twin", {}, "same", 0, 0),
        ("tk lstm units", {"units": 16}, "different", 2, 10),
        ("tk lstm to gru", {"layer": "GRU"}, "different", 2, 10),
        ("tk lstm bidirectional", {"bidirectional": True}, "different", 2, 10),
        ("tk output added", {"pooled": True}, "different", 2, 8),
    ),
    *edits(
        keras2.resnet_graph,
        ("resnet50 image size", {"size": 96}, "different", 1, 2),
        ("resnet50 to 101", {"depth": 101}, "different", 2, 20),
    ),
    *edits(keras2.resnet_function, ("tk resnet50 to 101", {"depth": 101}, "different", 3, 20)),
    *edits(keras2.checkpoint, ("ckpt layer middle", {"inserted": True}, "different", 0, 4)),
    *edits(
        keras2.checkpoint,
        ("ckpt twin", {}, "same", 0, 0),
        ("ckpt retrained", {"data": 2}, "different", 0, 0, True),
        ("ckpt trained layer middle", {"inserted": True}, "different", 0, 4),
        epochs=1,
    ),
    *edits(
        checkpoints.layers,
        ("ckpt widened", {"widths": (8, 32, 3)}, "different", 0, 2),
        ("ckpt list longer", {"widths": (8, 16, 3, 3)}, "different", 0, 2),
        ("ckpt bfloat16", {"dtype": tf.bfloat16}, "different", 0, 2),
        ("ckpt optimizer added", {"momentum": True}, "different", 0, 2),
    ),
    *edits(
        keras3.sequential,
        ("k3 twin", {}, "same", 0, 0),
        ("k3 exported twice", {"saves": 2}, "same", 0, 0),
        ("k3 built twice", {"times": 2}, "different", 1, 4, True),
        ("k3 layer front", {"front": True}, "different", 3, 9),
        ("k3 activation", {"activation": "gelu"}, "different", 1, 3),
        ("k3 dropout rate", {"rate": 0.5}, "same", 0, 0),
        ("k3 dropout removed", {"rate": 0}, "different", 1, 6),
        ("k3 mixed bfloat16", {"policy": "mixed_bfloat16"}, "different", 3, 10),
    ),
    *edits(
        keras3.sequential,
        ("k3 layer middle named", {"inserted": True}, "different", 2, 8),
        ("k3 layer renamed", {"first": "first"}, "different", 1, 3),
        named=True,
    ),
    *edits(
        keras3.recurrent,
        ("k3 lstm twin", {}, "same", 0, 0),
        ("k3 lstm units", {"units": 16}, "different", 2, 10),
    ),
    *edits(
        keras3.sequential,
        ("k3 widened", {"units": 64}, "different", 3, 8),
        ("k3 saved twin", {}, "same", 0, 0),
        ("k3 saved built twice", {"times": 2}, "different", 1, 4, True),
        ("k3 saved layer middle named", {"inserted": True}, "different", 2, 8),
        named=True,
        export=False,
    ),
    *edits(
        keras3.attention,
        ("k3 vocabulary size", {"vocabulary": 2000}, "different", 1, 5),
        ("k3 attention heads", {"heads": 4}, "different", 7, 12),
    ),
]
