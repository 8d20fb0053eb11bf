"""Good and faulty trainings of one small convolutional model in TensorFlow 1, in `training/`. See README.md.

Usage: python make_fixtures.py --trainings

The images are digits of 5 by 7 pixels, placed at random in 8 by 8, fainter, blurred and with noise. The initial values and the
order of the data come from numpy, so that graphs do not contain seeds. Everything runs in one thread, because sums over threads
differ from run to run; another processor may round differently, and every training then has other values.
"""

import contextlib
import dataclasses
import os
import shutil
import tempfile

import numpy as np
import tensorflow as tf

from . import oracle

v1 = tf.compat.v1
FOLDER = "training"
LAYERS = {"conv1": (3, 3, 1, 8), "conv2": (3, 3, 8, 12), "dense1": (48, 48), "dense2": (48, 48), "logits": (48, 10)}
RATE = 0.0015
BATCH = 32
SERIAL = v1.ConfigProto(intra_op_parallelism_threads=1, inter_op_parallelism_threads=1)

# --- images ---------------------------------------------------------------------------------------

FONT = """
.###. ..#.. .###. ##### ...#. ##### ..##. ##### .###. .###.
#...# .##.. #...# ...#. ..##. #.... .#... ....# #...# #...#
#..## ..#.. ....# ..#.. .#.#. ####. #.... ...#. #...# #...#
#.#.# ..#.. ..##. ...#. #..#. ....# ####. ..#.. .###. .####
##..# ..#.. .#... ....# ##### ....# #...# .#... #...# ....#
#...# ..#.. #.... #...# ...#. #...# #...# .#... #...# ...#.
.###. .###. ##### .###. ...#. .###. .###. .#... .###. .##..
"""
GLYPHS = np.array([[[pixel == "#" for pixel in glyph] for glyph in row.split()] for row in FONT.split("\n")[1:-1]])


def images(count, seed):
    """Images [count, 8, 8, 1] and their digits."""
    random = np.random.default_rng(seed)
    digits = random.integers(0, 10, count)
    canvas = np.zeros((count, 10, 10), np.float32)
    for image, digit, row, column in zip(canvas, digits, random.integers(1, 3, count), random.integers(1, 5, count)):
        image[row : row + 7, column : column + 5] = GLYPHS[:, digit]
    blur = random.uniform(0.0, 0.2, (count, 1, 1)).astype(np.float32)
    inner = canvas[:, 1:9, 1:9]
    beside = canvas[:, 1:9, :8] + canvas[:, 1:9, 2:] + canvas[:, :8, 1:9] + canvas[:, 2:, 1:9]
    contrast = random.uniform(0.5, 1.0, (count, 1, 1)).astype(np.float32)
    noise = random.normal(0.0, 0.2, inner.shape).astype(np.float32)
    return (contrast * (inner + blur * beside) / (1 + 2 * blur) + noise)[..., None], digits


TRAINING = images(1600, 1)
TESTING = images(1000, 2)

# --- the model ------------------------------------------------------------------------------------


def layer(op, x, name):
    """A linear layer: `op` of `x` and the kernel, plus the bias."""
    with v1.variable_scope(name):
        kernel = v1.get_variable("kernel", LAYERS[name], initializer=v1.glorot_uniform_initializer())
        bias = v1.get_variable("bias", LAYERS[name][-1:], initializer=v1.zeros_initializer())
        return v1.nn.bias_add(op(x, kernel), bias)


def conv(x, kernel):
    return v1.nn.conv2d(x, kernel, strides=[1, 1, 1, 1], padding="SAME")


def pool(x):
    return v1.nn.max_pool(x, ksize=[1, 2, 2, 1], strides=[1, 2, 2, 1], padding="SAME")


def forward(rewired=None):
    """Adds the model to the current graph, and the step; `rewired` is the edge that is wrong. Returns digits and probabilities."""
    features = v1.placeholder(tf.float32, [None, 8, 8, 1], name="images")
    digits = v1.placeholder(tf.int64, [None], name="digits")
    for name in ("conv1", "conv2"):
        features = pool(v1.nn.relu(layer(conv, features, name)))
    flat = v1.reshape(features, [-1, 48], name="flat")
    first = v1.nn.relu(layer(v1.matmul, flat, "dense1"))
    second = (v1.nn.tanh if rewired == "tanh" else v1.nn.relu)(layer(v1.matmul, first, "dense2"))
    hidden = v1.add(second, flat if rewired == "residual" else first, name="residual")
    probabilities = v1.nn.softmax(layer(v1.matmul, hidden, "logits"), name="probabilities")
    right = v1.equal(v1.argmax(probabilities, 1), digits)
    v1.reduce_mean(v1.cast(right, tf.float32), name="accuracy")
    v1.train.get_or_create_global_step()
    return digits, probabilities


def optimise(digits, probabilities, run):
    """Adds the loss and Adam for a run."""
    # A mistake that many have made: the loss becomes NaN as soon as a probability is too small for a float.
    loss = -v1.reduce_mean(v1.reduce_sum(v1.one_hot(digits, 10) * v1.log(probabilities), 1), name="loss")
    if run.decay:
        loss += run.decay * v1.add_n([v1.nn.l2_loss(kernel) for kernel in v1.trainable_variables()[::2]])
    of = lambda made: made.op.name.split("/")[0]  # noqa: E731
    adam = v1.train.AdamOptimizer(v1.placeholder_with_default(RATE, [], name="learning_rate"))
    gradients = adam.compute_gradients(loss, [made for made in v1.trainable_variables() if of(made) != run.frozen])
    rest = [(gradient, made) for gradient, made in gradients if of(made) != run.own_rate]
    update = adam.apply_gradients(rest, v1.train.get_global_step())
    if run.own_rate:
        own = v1.train.AdamOptimizer(v1.placeholder_with_default(RATE, [], name="own_learning_rate"), name="OwnAdam")
        update = v1.group(update, own.apply_gradients([pair for pair in gradients if of(pair[1]) == run.own_rate]))
    return update


def initialise(session, seed):
    """Runs the initialisers, then gives the kernels Glorot's initial values drawn by numpy."""
    session.run(v1.global_variables_initializer())
    random = np.random.default_rng((10, seed))
    for kernel in v1.trainable_variables()[::2]:
        *receptive, inputs, outputs = kernel.shape.as_list()
        limit = np.sqrt(6 / (np.prod(receptive) * (inputs + outputs)))
        kernel.load(random.uniform(-limit, limit, kernel.shape).astype(np.float32), session)


def batches(seed, share=1.0):
    """Batches of one epoch after the other without end, of a random `share` of the images."""
    random = np.random.default_rng((20, seed))
    chosen = random.permutation(len(TRAINING[0]))[: int(len(TRAINING[0]) * share)]
    while True:
        random.shuffle(chosen)
        for at in range(0, len(chosen) - BATCH + 1, BATCH):
            yield [part[chosen[at : at + BATCH]] for part in TRAINING]


# --- runs -----------------------------------------------------------------------------------------


@dataclasses.dataclass
class Run:
    """One training. `rate(step)` is the learning rate of the layer `own_rate`, or of all if that is None."""

    seed: int
    steps: int = 600
    start: str = None  # the checkpoint to start from
    share: float = 1.0
    rate: object = lambda step: RATE
    frozen: str = None
    decay: float = 0.0
    rewired: str = None
    own_rate: str = None
    swapped: tuple = ()
    until_nan: bool = False  # stops at the first NaN
    every: int = None  # saves after so many steps; the meta graph only at the end
    slots: bool = False  # saves the state of the optimizer, too


def model():
    """What a finished model has of the current graph: no optimizer."""
    return [*v1.trainable_variables(), v1.train.get_global_step()]


@contextlib.contextmanager
def session():
    """A session of a new graph, whose variables are references."""
    with tf.Graph().as_default(), v1.variable_scope("", use_resource=False), v1.Session(config=SERIAL) as made:
        yield made


def save(session, saver, name, with_graph=True):
    """Saves; returns {checkpoint: accuracy}."""
    step = session.run(v1.train.get_global_step())
    path = f"{name}/model.ckpt"
    os.makedirs(f"{FOLDER}/{name}", exist_ok=True)
    saver.save(session, f"{FOLDER}/{path}", step, write_meta_graph=with_graph, strip_default_attrs=True)
    fed = dict(zip(("images:0", "digits:0"), TESTING))
    return {f"{path}-{step}": float(session.run("accuracy:0", fed))}


def train(name, run, weights):
    """Trains, and writes the checkpoints of a run that has them on the way, or the weights; returns {checkpoint: accuracy}."""
    accuracy = {}
    with session() as made:
        update = optimise(*forward(run.rewired), run)
        initialise(made, run.seed)
        if run.start:
            v1.train.Saver(model()).restore(made, run.start)
        saver = v1.train.Saver(None if run.slots else model(), max_to_keep=100, save_relative_paths=True)
        nans = 0
        rate = "own_learning_rate:0" if run.own_rate else "learning_rate:0"
        for number, data in zip(range(run.steps), batches(run.seed, run.share)):
            fed = {**dict(zip(("images:0", "digits:0"), data)), rate: run.rate(number)}
            nans += np.isnan(made.run(["loss:0", update], fed)[0])
            if run.every and (number + 1) % run.every == 0:
                accuracy |= save(made, saver, name, number + 1 == run.steps)
            if nans and run.until_nan:
                break
        assert bool(nans) == (run.until_nan or name == "diverging"), (name, nans)
        v1.train.Saver(model()).save(made, weights, write_meta_graph=False)
    return accuracy


def export(name, run, weights):
    """Writes the finished model, without its optimizer; returns {checkpoint: accuracy}."""
    with session() as made:
        forward(run.rewired)
        saver = v1.train.Saver(model(), save_relative_paths=True)
        saver.restore(made, weights)
        if run.swapped:
            lhs, rhs = (each for each in model() if each.op.name in run.swapped)
            values = made.run([lhs, rhs])
            lhs.load(values[1], made)
            rhs.load(values[0], made)
        return save(made, saver, name)


def write(name, run):
    """Writes the checkpoints of a run; returns {checkpoint: accuracy}."""
    with tempfile.TemporaryDirectory() as directory:
        accuracy = train(name, run, f"{directory}/weights")
        return accuracy or export(name, run, f"{directory}/weights")


def runs():
    """{folder: run}; seeds/1 comes first, because the warm starts need it."""
    raised = lambda usual, after, factor: lambda step: usual if step < after else factor * usual  # noqa: E731
    growing = lambda step: RATE if step < 500 else RATE * 20 * 2 ** (step // 100 - 5)  # noqa: E731
    swapped = ("dense1/kernel", "dense2/kernel")
    nan = {"own_rate": "logits", "until_nan": True}
    slow = RATE / 3
    warm = {"start": f"{FOLDER}/seeds/1/model.ckpt-600", "steps": 300, "share": 0.8, "rate": lambda step: slow}
    return {
        **{f"seeds/{seed}": Run(seed) for seed in range(1, 10)},
        **{f"warm/{number}": Run(100 + number, **warm) for number in range(1, 6)},
        "faulty/seeds/drifted": Run(21, decay=0.001),
        "faulty/seeds/nan": Run(22, rate=raised(RATE, 500, 200), **nan),
        "faulty/seeds/frozen": Run(23, frozen="dense1"),
        "faulty/seeds/swapped": Run(24, swapped=swapped),
        "faulty/seeds/rewired": Run(25, rewired="tanh"),
        "faulty/warm/drifted": Run(121, **warm | {"rate": lambda step: 10 * slow}),
        "faulty/warm/nan": Run(122, **warm | {"rate": raised(slow, 200, 600)}, **nan),
        "faulty/warm/frozen": Run(123, **warm, frozen="conv2"),
        "faulty/warm/swapped": Run(124, **warm, swapped=swapped),
        "faulty/warm/rewired": Run(125, **warm, rewired="residual"),
        "steps": Run(31, steps=1000, every=100, slots=True, frozen="conv1"),
        "diverging": Run(32, steps=1100, every=100, own_rate="logits", rate=growing),
    }


# --- statistics -----------------------------------------------------------------------------------


def tensors(checkpoint):
    """{name: values} of the kernels and biases."""
    reader = tf.train.load_checkpoint(f"{FOLDER}/{checkpoint}")
    names = [f"{layer}/{part}" for layer in LAYERS for part in ("kernel", "bias")]
    return {name: reader.get_tensor(name).astype(np.float64).ravel() for name in names}


def statistics(lhs, rhs):
    """How far `rhs` is from `lhs`, `None` for the cosine with zeros; for NaNs, their number."""
    if np.isnan(rhs).any():
        return {"nan": int(np.isnan(rhs).sum())}
    if (lhs == rhs).all():
        return {"equal": True}
    norms = np.linalg.norm(lhs), np.linalg.norm(rhs)
    both = np.concatenate([lhs, rhs])
    below = [np.searchsorted(np.sort(side), both, "right") / side.size for side in (lhs, rhs)]
    result = {
        "norm": norms[1] / norms[0],
        "rel_l2": np.linalg.norm(rhs - lhs) / norms[0],
        "cosine": lhs @ rhs / (norms[0] * norms[1]) if norms[1] else None,
        "ks": np.abs(below[0] - below[1]).max(),
    }
    return {name: value if value is None else float(f"{value:.4g}") for name, value in result.items()}


def main():
    """Writes all runs and the oracle."""
    shutil.rmtree(FOLDER, ignore_errors=True)
    content = {}
    for name, run in runs().items():
        before = None if run.every or name == "seeds/1" else "seeds/1/model.ckpt-600"
        for checkpoint, accuracy in write(name, run).items():
            content[checkpoint] = {"accuracy": float(f"{accuracy:.4g}"), "against": before}
            if before:
                lhs, rhs = tensors(before), tensors(checkpoint)
                content[checkpoint]["tensors"] = {key: statistics(lhs[key], rhs[key]) for key in lhs}
            if run.every:
                before = checkpoint
    oracle.write("oracle/trainings.json", content, 1)
