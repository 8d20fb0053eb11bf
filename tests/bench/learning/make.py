"""Evaluation data for `ckdiff learn`: good runs and faults of three tasks, and a series of large checkpoints.

Usage: python make.py FOLDER [conv|mlp|text|series] ...   (all of them by default; needs tensorflow-cpu 2.21 and scikit-learn)

TASK/fresh/learn/1..8, fresh/held/01..20: trainings with other seeds (initial values and order of the data).
TASK/warm/base, warm/learn/1..8, warm/held/01..20: trainings that restore base (with Adam's slots and the step) and go on with a
third of the learning rate, another order and 80 % of the data.
TASK/MODE/faults/NN-KIND-TENSOR: a held-back run with one fault, all other tensors as they were; see faults.json beside them.
Each is `model.ckpt` (V2) with Adam's slots, beta powers and global_step; fresh/init/NN.npz: initial weights of the held runs.
"""

import json
import os
import shutil
import sys

os.environ |= {"CUDA_VISIBLE_DEVICES": "", "TF_CPP_MIN_LOG_LEVEL": "3", "TF_ENABLE_ONEDNN_OPTS": "0"}

import numpy as np
import tensorflow as tf
from sklearn.datasets import load_digits

tf.config.threading.set_intra_op_parallelism_threads(1)
tf.config.threading.set_inter_op_parallelism_threads(1)
v1 = tf.compat.v1
HERE = os.path.abspath(sys.argv[1])
SERIAL = v1.ConfigProto(intra_op_parallelism_threads=1, inter_op_parallelism_threads=1)
BATCH = 32

# --- tasks ----------------------------------------------------------------------------------------


def digits(flat):
    data = load_digits()
    order = np.random.default_rng(0).permutation(len(data.target))
    x, y = (data.images / 16).astype(np.float32)[order], data.target[order]
    x = x.reshape(len(x), 64) if flat else x[..., None]
    return (x[:1300], y[:1300]), (x[1300:], y[1300:])


def documents():
    """24 IDs of 1500 each; the frequencies are Zipf's, and each of 8 classes prefers some IDs. Rare IDs may never occur."""
    random = np.random.default_rng(5)
    zipf = 1 / np.arange(1, 1501) ** 1.05
    prefers = np.exp(random.normal(0, 1.0, (8, 1500)))
    chance = zipf * prefers
    chance /= chance.sum(1, keepdims=True)
    y = random.integers(0, 8, 4000)
    x = np.stack([random.choice(1500, 24, p=chance[label]) for label in y]).astype(np.int64)
    return (x[:3000], y[:3000]), (x[3000:], y[3000:])


class Task:
    def __init__(self, name, data, x, steps, more, rate, forward):
        self.name, self.data, self.x, self.steps, self.more, self.rate, self.forward = name, data, x, steps, more, rate, forward


def dense(x, units, name, activation=tf.nn.relu):
    with v1.variable_scope(name):
        kernel = v1.get_variable("kernel", [x.shape[-1], units])
        bias = v1.get_variable("bias", [units], initializer=v1.zeros_initializer())
        return activation(tf.matmul(x, kernel) + bias)


def conv(x, filters, name):
    with v1.variable_scope(name):
        kernel = v1.get_variable("kernel", [3, 3, x.shape[-1], filters])
        bias = v1.get_variable("bias", [filters], initializer=v1.zeros_initializer())
        return tf.nn.relu(tf.nn.conv2d(x, kernel, 1, "SAME") + bias)


def pool(x):
    return tf.nn.max_pool2d(x, 2, 2, "SAME")


def conv_net(x):
    x = pool(conv(x, 16, "conv1"))
    x = pool(conv(conv(x, 16, "conv2"), 16, "conv3"))
    x = dense(tf.reshape(x, [-1, 64]), 64, "dense1")
    x = x + dense(x, 64, "dense2")
    return dense(x, 10, "logits", tf.identity)


def mlp(x):
    for number, units in enumerate((128, 128, 128, 64), 1):
        x = dense(x, units, f"dense{number}")
    return dense(x, 10, "logits", tf.identity)


def text(x):
    table = v1.get_variable("embedding", [1500, 16], initializer=v1.random_uniform_initializer(-0.05, 0.05))
    x = tf.nn.embedding_lookup(table, x)
    x = tf.concat([tf.reduce_mean(x, 1), tf.reduce_max(x, 1)], 1)
    for number, units in enumerate((64, 64, 64), 1):
        x = dense(x, units, f"hidden{number}")
    return dense(x, 8, "logits", tf.identity)


TASKS = {
    "conv": lambda: Task("conv", digits(False), (tf.float32, [None, 8, 8, 1]), 500, 200, 0.002, conv_net),
    "mlp": lambda: Task("mlp", digits(True), (tf.float32, [None, 64]), 500, 200, 0.001, mlp),
    "text": lambda: Task("text", documents(), (tf.int64, [None, 24]), 700, 280, 0.002, text),
}


def initial(name, shape, random):
    """Glorot's uniform distribution for kernels, zeros for biases, +-0.05 for embeddings."""
    if name.endswith("bias"):
        return np.zeros(shape, np.float32)
    limit = 0.05
    if name != "embedding":
        *receptive, inputs, outputs = shape
        limit = np.sqrt(6 / (np.prod(receptive) * (inputs + outputs)))
    return random.uniform(-limit, limit, shape).astype(np.float32)


class Trainer:
    """One graph and session for all runs of a task."""

    def __init__(self, task):
        self.task = task
        self.graph = tf.Graph()
        with self.graph.as_default(), v1.variable_scope("", use_resource=False):
            self.x, self.y = v1.placeholder(*task.x), v1.placeholder(tf.int64, [None])
            self.rate = v1.placeholder(tf.float32, [])
            logits = task.forward(self.x)
            loss = tf.reduce_mean(tf.nn.sparse_softmax_cross_entropy_with_logits(logits=logits, labels=self.y))
            step = v1.train.get_or_create_global_step()
            self.update = v1.train.AdamOptimizer(self.rate).minimize(loss, step)
            self.accuracy = tf.reduce_mean(tf.cast(tf.equal(tf.argmax(logits, 1), self.y), tf.float32))
            self.weights = v1.trainable_variables()
            self.init, self.saver = v1.global_variables_initializer(), v1.train.Saver(max_to_keep=0)
        self.session = v1.Session(graph=self.graph, config=SERIAL)

    def names(self):
        return [made.op.name for made in self.weights]

    def run(self, folder, seed, start=None, keep=None):
        """Trains and saves; returns the accuracy."""
        session, (x, y) = self.session, self.task.data[0]
        session.run(self.init)
        if start:
            with self.graph.as_default():
                self.saver.restore(session, start)
        else:
            random = np.random.default_rng((1, seed))
            values = {made.op.name: initial(made.op.name, made.shape.as_list(), random) for made in self.weights}
            for made in self.weights:
                session.run(made.initializer, {made.initializer.inputs[1]: values[made.op.name]})
            if keep:
                os.makedirs(os.path.dirname(keep), exist_ok=True)
                np.savez(keep, **values)
        random = np.random.default_rng((2, seed))
        chosen = random.permutation(len(x))[: int(len(x) * (0.8 if start else 1))]
        left = self.task.more if start else self.task.steps
        rate = self.task.rate / (3 if start else 1)
        while left:
            random.shuffle(chosen)
            for at in range(0, len(chosen) - BATCH + 1, BATCH)[:left]:
                part = chosen[at : at + BATCH]
                session.run(self.update, {self.x: x[part], self.y: y[part], self.rate: rate})
                left -= 1
        os.makedirs(folder)
        with self.graph.as_default():
            self.saver.save(session, f"{folder}/model.ckpt", write_meta_graph=False, write_state=False)
        return self.test()

    def test(self):
        x, y = self.task.data[1]
        return round(float(self.session.run(self.accuracy, {self.x: x, self.y: y})), 4)

    def accuracy_of(self, folder):
        with self.graph.as_default():
            self.saver.restore(self.session, f"{folder}/model.ckpt")
        return self.test()


# --- checkpoints and statistics -------------------------------------------------------------------


def read(folder):
    reader = tf.train.load_checkpoint(f"{folder}/model.ckpt")
    return {name: reader.get_tensor(name) for name in sorted(reader.get_variable_to_shape_map())}


def save(folder, tensors):
    os.makedirs(folder)
    names = list(tensors)
    tf.raw_ops.SaveV2(
        prefix=f"{folder}/model.ckpt", tensor_names=names, shape_and_slices=[""] * len(names),
        tensors=[tf.constant(tensors[name]) for name in names],
    )  # fmt: skip


def statistics(base, value):
    """The statistics of `value` against `base`, and "nan" or "equal" where they hold."""
    rows = (base - value).reshape(-1, base.shape[-1]).astype(np.float64) if base.ndim > 1 else None
    a, b = base.astype(np.float64).ravel(), value.astype(np.float64).ravel()
    if not np.isfinite(b).all():
        return {"nan": int((~np.isfinite(b)).sum())}
    na, nb = np.linalg.norm(a), np.linalg.norm(b)
    sa, sb = np.sort(a), np.sort(b)
    both = np.concatenate([sa, sb])
    below = np.abs(np.searchsorted(sa, both, "right") - np.searchsorted(sb, both, "right")) / a.size
    result = {
        "rel_l2": np.linalg.norm(b - a) / na,
        "cosine": a @ b / (na * nb) if nb else 0.0,
        "norm_ratio": nb / na,
        "std_ratio": b.std() / a.std(),
        "mean_shift": (b.mean() - a.mean()) / a.std(),
        "ks": below.max(),
        "zeros": (b == 0).mean(),
        "max_diff": np.abs(b - a).max(),
    }
    if rows is not None:  # not among the usual ones: the row that moved most
        result["row_max"] = np.linalg.norm(rows, axis=1).max() / (na / np.sqrt(len(rows)))
    result = {name: float(f"{stat:.6g}") for name, stat in result.items()}
    return result | ({"equal": True} if (a == b).all() else {})


def ranges(stats, tensors):
    """{tensor: {statistic: [min, max]}}, and whether any good run has the tensor equal to the reference or NaN."""
    result = {}
    for tensor in tensors:
        found = [run[tensor] for run in stats.values()]
        result[tensor] = {
            name: [min(values), max(values)]
            for name in found[0] if name != "equal"
            for values in [[each[name] for each in found]]
        } | {"equal": any("equal" in each for each in found)}  # fmt: skip
    return result


def outside(stat, allowed):
    """The statistics clearly outside of the range: by more than half of its width."""
    if "nan" in stat:
        return ["nan"]
    found = ["equal"] if "equal" in stat and not allowed["equal"] else []
    for name, value in stat.items():
        if name != "equal":
            low, high = allowed[name]
            slack = 0.5 * (high - low) + 1e-12
            if not low - slack <= value <= high + slack:
                found.append(name)
    return found


# --- faults ---------------------------------------------------------------------------------------

FRESH = {"scaled": 9, "zeroed": 6, "reinit": 8, "swapped": 6, "frozen": 6, "nan": 5}
WARM = {"scaled": 7, "zeroed": 5, "reinit": 7, "swapped": 5, "row": 7, "frozen": 5, "nan": 4}


def targets(kind, weights):
    """The tensors, pairs of tensors or layers that a kind of fault can hit, most interesting first."""
    shapes = {name: value.shape for name, value in weights.items()}
    large = [name for name in shapes if not name.endswith("bias")]
    biases = [name for name in shapes if name.endswith("bias")]
    if kind == "swapped":
        pairs = [(a, b) for a in shapes for b in shapes if a < b and shapes[a] == shapes[b]]
        return sorted(pairs, key=lambda pair: -weights[pair[0]].size)
    if kind == "frozen":
        layers = list(dict.fromkeys(name.rsplit("/", 1)[0] for name in shapes))
        return [tuple(name for name in shapes if name == layer or name.startswith(f"{layer}/")) for layer in layers]
    if kind in ("reinit", "row"):
        return [(name,) for name in (["embedding"] * 2 if "embedding" in large and kind == "row" else []) + large]
    return [(name,) for pair in zip(large, biases + biases[:1]) for name in pair]


def broken(kind, hit, tensors, initials, base, random):
    """The tensors that the fault changes, and a note."""
    if kind == "scaled":
        return {hit[0]: tensors[hit[0]] * np.float32(1.5)}, {"factor": 1.5}
    if kind == "zeroed":
        return {hit[0]: np.zeros_like(tensors[hit[0]])}, {}
    if kind == "reinit":
        return {hit[0]: initial(hit[0], tensors[hit[0]].shape, random)}, {}
    if kind == "swapped":
        return {hit[0]: tensors[hit[1]], hit[1]: tensors[hit[0]]}, {}
    if kind == "frozen":
        return {name: (base or initials)[name] for name in hit}, {"slots": "as in the good run"}
    value = tensors[hit[0]].copy()
    if kind == "row":
        rows = value.reshape(-1, value.shape[-1])
        row = int(random.integers(len(rows)))
        rows[row] = random.normal(0, rows[row].std(), rows[row].shape)
        return {hit[0]: value}, {"row": row, "of": len(rows)}
    at = int(random.integers(value.size))
    value.reshape(-1)[at] = np.nan
    return {hit[0]: value}, {"element": at}


def faults(trainer, root, mode, plan):
    """Writes statistics.json, the faults and faults.json of one mode."""
    random = np.random.default_rng(7)
    weights = trainer.names()
    reference = "warm/base" if mode == "warm" else "fresh/learn/1"
    base = read(f"{root}/{reference}")
    good = [f"{mode}/learn/{n}" for n in range(1, 9)] + [f"{mode}/held/{n:02d}" for n in range(1, 21)]
    good = [each for each in good if each != reference]
    content = {each: read(f"{root}/{each}") for each in good}
    floats = [name for name, value in base.items() if value.dtype == np.float32 and value.size > 1]
    stats = {each: {name: statistics(base[name], content[each][name]) for name in floats} for each in good}
    allowed = ranges(stats, floats)
    alone = {}
    for each in good:  # how often the criterion calls a good run faulty, if it is not among those of the range
        rest = ranges({other: stats[other] for other in good if other != each}, weights)
        hits = {name: outside(stats[each][name], rest[name]) for name in weights}
        alone[each] = {name: found for name, found in hits.items() if found}
    accuracy = {each: trainer.accuracy_of(f"{root}/{each}") for each in [reference, *good]}
    with open(f"{root}/{mode}/statistics.json", "w") as file:
        json.dump({"reference": reference, "accuracy": accuracy, "range": allowed,
                   "outside_of_the_others": {k: v for k, v in alone.items() if v}, "runs": stats}, file, indent=1)  # fmt: skip
    listed, number = [], 0
    for kind, count in plan.items():
        choices = targets(kind, {name: base[name] for name in weights})
        for at in range(count):
            hit = choices[at % len(choices)]
            run = f"{mode}/held/{number % 20 + 1:02d}"
            number += 1
            initials = dict(np.load(f"{root}/fresh/init/{run[-2:]}.npz")) if mode == "fresh" else None
            changed, note = broken(kind, hit, content[run], initials, base if mode == "warm" else None, random)
            path = f"{mode}/faults/{number:02d}-{kind}-{hit[0].replace('/', '.')}"
            save(f"{root}/{path}", content[run] | changed)
            found = {name: statistics(base[name], changed[name]) for name in changed}
            out = {name: outside(found[name], allowed[name]) for name in found}
            usual = {name: [each for each in stats if each != "row_max"] for name, stats in out.items()}
            listed.append({
                "path": path, "kind": kind, "tensors": list(changed), "run": run, **note,
                "visible": any(usual.values()), "visible_with_rows": any(out.values()), "outside": out,
                "accuracy": trainer.accuracy_of(f"{root}/{path}"), "accuracy_of_run": accuracy[run],
                "elements": {name: int(base[name].size) for name in changed},
                "statistics": found, "range": {name: allowed[name] for name in found},
            })  # fmt: skip
    with open(f"{root}/{mode}/faults.json", "w") as file:
        json.dump(listed, file, indent=1)
    print_summary(root, mode, accuracy, alone, listed)


def print_summary(root, mode, accuracy, alone, listed):
    values = sorted(accuracy.values())
    print(f"{os.path.basename(root)} {mode}: accuracy {values[0]:.3f} to {values[-1]:.3f}; "
          f"good runs outside of the others: {sum(map(bool, alone.values()))} of {len(alone)}")  # fmt: skip
    for kind in dict.fromkeys(each["kind"] for each in listed):
        group = [each for each in listed if each["kind"] == kind]
        lost = [each["accuracy_of_run"] - each["accuracy"] for each in group]
        print(f"   {kind:8} {len(group):2}, visible {sum(each['visible'] for each in group):2}, with rows "
              f"{sum(each['visible_with_rows'] for each in group):2}; accuracy lost {min(lost):.3f} to {max(lost):.3f}; hidden: "
              + " ".join(each["path"].rsplit("/", 1)[1] for each in group if not each["visible"]), flush=True)  # fmt: skip


def evaluation(name):
    root = f"{HERE}/{name}"
    shutil.rmtree(root, ignore_errors=True)
    trainer = Trainer(TASKS[name]())
    for n in range(1, 9):
        trainer.run(f"{root}/fresh/learn/{n}", n)
    for n in range(1, 21):
        trainer.run(f"{root}/fresh/held/{n:02d}", 100 + n, keep=f"{root}/fresh/init/{n:02d}.npz")
    trainer.run(f"{root}/warm/base", 1000)
    start = f"{root}/warm/base/model.ckpt"
    for n in range(1, 9):
        trainer.run(f"{root}/warm/learn/{n}", 2000 + n, start)
    for n in range(1, 21):
        trainer.run(f"{root}/warm/held/{n:02d}", 3000 + n, start)
    print(name, sum(int(np.prod(made.shape)) for made in trainer.weights), "weights", flush=True)
    for mode, plan in (("fresh", FRESH), ("warm", WARM)):
        faults(trainer, root, mode, plan)


# --- the series -----------------------------------------------------------------------------------


def series():
    """20 checkpoints of 100 MB: 8 blocks of 5 tensors; every element moves by about 1 % of the tensor's scale per step."""
    root = f"{HERE}/series100"
    shutil.rmtree(root, ignore_errors=True)
    os.makedirs(root)
    random = np.random.default_rng(9)
    shapes = {"embedding/table": (8192, 512), "head/logits/kernel": (512, 1024)}
    for block in range(6):
        at = f"encoder/block_{block}"
        shapes |= {f"{at}/attention/qkv/kernel": (512, 1536), f"{at}/attention/output/kernel": (512, 512),
                   f"{at}/ffn/up/kernel": (512, 2048), f"{at}/ffn/down/kernel": (2048, 512),
                   f"{at}/norm/scale": (512,), f"{at}/ffn/up/bias": (2048,)}  # fmt: skip
    sizes = sum(int(np.prod(shape)) for shape in shapes.values()) * 4
    print("series:", len(shapes), "tensors,", sizes, "bytes each")
    scales = {name: np.float32(0.02 if len(shape) > 1 else 0.1) for name, shape in shapes.items()}
    tensors = {name: random.standard_normal(shape, np.float32) * scales[name] for name, shape in shapes.items()}
    names = sorted(tensors)
    paths = []
    for step in range(1, 21):
        if step > 1:
            for name in names:
                tensors[name] += random.standard_normal(shapes[name], np.float32) * (scales[name] * np.float32(0.01))
        paths.append(f"{root}/model.ckpt-{step * 1000}")
        tf.raw_ops.SaveV2(prefix=paths[-1], tensor_names=[*names, "global_step"], shape_and_slices=[""] * (len(names) + 1),
                          tensors=[*(tf.constant(tensors[name]) for name in names), tf.constant(step * 1000, tf.int64)])  # fmt: skip
    from tensorflow.python.training import checkpoint_management

    checkpoint_management.update_checkpoint_state_internal(root, paths[-1], paths, save_relative_paths=True)


if __name__ == "__main__":
    for part in sys.argv[2:] or [*TASKS, "series"]:
        series() if part == "series" else evaluation(part)
