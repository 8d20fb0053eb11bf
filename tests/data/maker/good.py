"""The undamaged checkpoints.

Every function here writes one directory and returns {path: [Known, ...]}: the oracle's facts
about each checkpoint in it.
"""

import numpy as np
import tensorflow as tf

from . import table
from .bundle import grid, merge, save_v1, save_v2
from .tensors import (
    COMPLEX,
    FLOATS,
    INTEGERS,
    NUMERIC,
    V1_DTYPES,
    Known,
    known,
    raw,
    storage,
    strings,
    value_bits,
)

v1 = tf.compat.v1


def random(seed):
    """numpy's frozen generator: the same stream in every version."""
    return np.random.RandomState(seed)


# --- demo: the two variables of TensorFlow's own tutorial ---------------------------------------


def demo():
    """Two variables saved by a graph-mode Saver, as V2 with its meta graph and as V1."""
    with tf.Graph().as_default():
        zeros = v1.zeros_initializer
        first = v1.get_variable("v1", shape=[3], initializer=zeros, use_resource=False)
        second = v1.get_variable("v2", shape=[5], initializer=zeros, use_resource=False)
        inc = first.assign(first + 1, name="inc_v1")
        dec = second.assign(second - 1, name="dec_v2")
        init = v1.global_variables_initializer()
        with v1.Session() as session:
            session.run(init)
            session.run([inc.op, dec.op])
            v1.train.Saver(save_relative_paths=True).save(session, "demo/model.ckpt")
            old = v1.train.Saver(write_version=v1.train.SaverDef.V1)
            old.save(session, "demo/v1format.ckpt", write_meta_graph=False, write_state=False)
    tensors = [
        known("v1", np.full(3, 1, np.float32)),
        known("v2", np.full(5, -1, np.float32)),
    ]
    return {"demo/model.ckpt": tensors, "demo/v1format.ckpt": tensors}


# --- retrain: a model and its retrained twin ----------------------------------------------------


def retrain():
    """A text classifier before and after a retraining; see README.md for what changed."""
    before = _baseline(random(1))
    after = _retrained(before, random(2))
    result = {}
    for path, model in (("retrain/baseline.ckpt", before), ("retrain/retrained.ckpt", after)):
        result[path] = [model[name] for name in sorted(model)]
        save_v2(path, result[path])
    return result


VOCAB = [
    "<pad>",
    "<unk>",
    "the",
    "of",
    "and",
    "to",
    "in",
    "naïve",
    "model",
    "checkpoint",
    "weights",
    "loss",
]


def _baseline(rng):
    def normal(*shape, scale=0.1):
        return (rng.standard_normal(shape) * scale).astype(np.float32)

    encoder, norm = "model/encoder/dense", "model/encoder/batch_normalization"
    arrays = {
        "global_step": np.int64(10000),
        "model/embedding/weights": normal(120, 16),
        "model/position/weights": normal(24, 16),
        "model/attention/kernel": normal(32, 32),
        "model/attention/mask": (rng.random_sample((24, 24)) < 0.7).astype(np.int8),
        "model/dense_1/kernel": normal(32, 10),
        "model/dense_1/bias": normal(10),
        "model/frozen/projection/kernel": normal(16, 16),
        "model/frozen/projection/bias": normal(16),
        "model/dropout/keep_prob": np.float32(0.9),
        "model/temperature": np.float32(1.5),
        f"{encoder}/kernel": normal(16, 32),
        f"{encoder}/bias": normal(32),
        f"{encoder}/kernel/Adam": normal(16, 32, scale=1e-3),
        f"{encoder}/kernel/Adam_1": normal(16, 32, scale=1e-3) ** 2,
        f"{norm}/gamma": 1 + normal(32),
        f"{norm}/beta": normal(32),
        f"{norm}/moving_mean": normal(32),
        f"{norm}/moving_variance": 1 + normal(32) ** 2,
    }
    model = {name: known(name, array) for name, array in arrays.items()}
    model["vocab"] = strings("vocab", VOCAB)
    return model


def _retrained(before, rng):
    model = dict(before)

    def put(name, array, dtype=None):
        model[name] = known(name, array, dtype)

    def move(name, relative):
        old = before[name].array()
        put(name, (old * (1 + relative * rng.standard_normal(old.shape))).astype(np.float32))

    for name in before:
        if name.startswith(("model/encoder", "model/embedding")):
            move(name, 1e-4)
    move("model/attention/kernel", 0.5)
    for part in ("kernel", "bias"):
        renamed = model.pop(f"model/dense_1/{part}").renamed(f"model/classifier/{part}")
        model[renamed.name.decode()] = renamed
    del model["model/dropout/keep_prob"]
    put("model/ema/decay", np.float32(0.999))
    put("global_step", np.int64(12500))
    put("model/temperature", 1.5, "float64")
    old = before["model/position/weights"].array()
    put("model/position/weights", np.concatenate([old, old[:8]]))
    mask = before["model/attention/mask"].array().copy()
    mask[3, 5:8] ^= 1
    put("model/attention/mask", mask)
    variance = "model/encoder/batch_normalization/moving_variance"
    array = model[variance].array().copy()
    array[[7, 19]] = np.nan
    put(variance, array)
    return model


# --- dtypes, v1: every element type -------------------------------------------------------------

SHAPES = {"scalar": (), "vector": (7,), "cube": (2, 2, 3), "empty": (0,), "hollow": (2, 0, 3)}
TEXT = (b"", b"a", b"x" * 200, b"\x00\xff\xfe", "naïve →".encode(), b"line\nbreak", b"")


def dtypes():
    """Every element type that TensorFlow can save (it aborts on resources), in five shapes."""
    tensors = [tensor for dtype in (*NUMERIC, "string") for tensor in _samples(dtype)]
    tensors += _variants()
    save_v2("dtypes/all.ckpt", tensors)
    return {"dtypes/all.ckpt": tensors}


def _samples(dtype):
    """One tensor for each shape; special values first, then random bits."""
    rng = random(len(dtype))
    for label, shape in SHAPES.items():
        size = int(np.prod(shape))
        if dtype == "string":
            items = [TEXT[i % len(TEXT)] for i in range(size)] if size > 1 else [b"scalar"][:size]
            yield strings(f"string/{label}", items, shape)
            continue
        content = _telling_values(dtype) if label in ("scalar", "vector") else b""
        size_in_bytes = size * storage(dtype).itemsize
        content += _random_content(dtype, rng, max(0, size_in_bytes - len(content)))
        yield Known(f"{dtype}/{label}".encode(), dtype, shape, content[:size_in_bytes])


def _telling_values(dtype):
    if dtype in INTEGERS:
        width, signed = INTEGERS[dtype]
        low, high = (-1 << width - 1, (1 << width - 1) - 1) if signed else (0, (1 << width) - 1)
        modulus = (1 << width) - 1 if width < 8 else -1
        values = [high - 1, low, high, 0, 1]
        if modulus > 0:
            values = [value & modulus for value in values]
        return np.array(values, storage(dtype)).tobytes()
    if dtype in COMPLEX:
        values = [1.5 - 2j, complex(0.0, -0.0), complex(np.nan, 1), complex(np.inf, -np.inf)]
    elif dtype in FLOATS:
        values = [1.5, -0.0, 0.0, np.inf, np.nan, -1.0]
    else:
        values = [True, False, True]
    with np.errstate(all="ignore"):
        return np.array(values).astype(storage(dtype)).tobytes()


def _random_content(dtype, rng, size):
    keep = value_bits(dtype)
    values = rng.randint(0, 256, size)
    return (values & ((1 << keep) - 1) if keep else values).astype(np.uint8).tobytes()


def _variants():
    """TensorLists, the only variants that models save in practice. The oracle does not have their content."""
    rows = tf.constant([[1.0, 2.0], [3.0, 4.0]])
    scalar = raw.TensorListFromTensor(tensor=rows, element_shape=[2])
    vector = raw.Pack(values=[scalar, scalar], axis=0)
    empty = raw.Reshape(tensor=raw.Pack(values=[scalar], axis=0)[:0], shape=[0])
    return [
        Known(b"variant/scalar", "variant", (), scalar),
        Known(b"variant/vector", "variant", (2,), vector),
        Known(b"variant/empty", "variant", (0,), empty),
    ]


def old_format():
    """V1 files: every element type V1 can hold, slices, two shards, and a V2 twin."""
    tensors = [tensor for dtype in V1_DTYPES for tensor in _samples(dtype)]
    save_v1("v1/all.ckpt", tensors)
    save_v2("v1/v2twin.ckpt", tensors)

    whole = _partitioned(("float32", "float16", "int64", "bool", "complex64", "string"))
    plain = known("bias", np.arange(5, dtype=np.float32))
    parts, specs = [plain], [""]
    for tensor in whole:
        more, more_specs = grid(tensor, [(2, 4), (3, 1)])
        parts, specs = parts + more, specs + more_specs
    save_v1("v1/sliced.ckpt", parts, specs)
    return {
        "v1/all.ckpt": tensors,
        "v1/v2twin.ckpt": tensors,
        "v1/sliced.ckpt": [plain, *whole],
        "v1/sharded.ckpt-?????-of-00002": _sharded_v1(),
    }


def _sharded_v1():
    table_, bias, step = _shared_variables()
    parts, specs = grid(table_, [(4, 2), (3,)])
    save_v1("v1/sharded.ckpt-00000-of-00002", [parts[0], bias], [specs[0], ""])
    save_v1("v1/sharded.ckpt-00001-of-00002", [parts[1], step], [specs[1], ""])
    return [bias, table_, step]


def _shared_variables():
    return (
        known("embedding", random(3).standard_normal((6, 3)).astype(np.float32)),
        known("bias", np.linspace(-1, 1, 5)),
        known("global_step", np.int64(42)),
    )


# --- slices, shards: the same content in other layouts ------------------------------------------


def _partitioned(dtypes_):
    """A [6, 4] tensor of each type."""
    tensors = []
    for dtype in dtypes_:
        name = f"partitioned/{dtype}"
        if dtype == "string":
            tensors.append(strings(name, [f"row {i // 4}, {i % 4}" for i in range(24)], (6, 4)))
        else:
            content = _random_content(dtype, random(len(dtype)), 24 * storage(dtype).itemsize)
            tensors.append(Known(name.encode(), dtype, (6, 4), content))
    return tensors


def slices():
    """Partitioned variables, cut in several ways, and the same ones whole."""
    types = ("float32", "float16", "bfloat16", "int64", "bool", "complex64", "string")
    cuts = {"axis0": [(2, 3, 1), (4,)], "axis1": [(6,), (1, 3)], "grid": [(4, 2), (2, 2)]}
    whole, parts, specs = [], [], []

    def add(tensor, cut, full=()):
        nonlocal parts, specs
        whole.append(tensor)
        more, more_specs = grid(tensor, cut, full)
        parts, specs = parts + more, specs + more_specs

    for tensor in _partitioned(types):
        dtype = tensor.name.decode().split("/")[1]
        for label, cut in cuts.items():
            add(tensor.renamed(f"{label}/{dtype}"), cut)
    cube = np.arange(24, dtype=np.float32).reshape(2, 3, 4)
    add(known("full_dimensions/float32", cube), [(2,), (1, 2), (4,)], full=(0, 2))
    add(known("one_slice/float32", cube), [(2,), (3,), (4,)])
    plain = known("plain/bias", np.arange(3, dtype=np.float32))
    whole.append(plain)
    save_v2("slices/parts.ckpt", parts + [plain], specs + [""])
    save_v2("slices/whole.ckpt", whole)
    return {"slices/parts.ckpt": whole, "slices/whole.ckpt": whole}


def shards():
    """The same variables in one shard, and in three that were merged."""
    embedding, bias, step = _shared_variables()
    words = strings("vocab", VOCAB)
    kernel = known("kernel", random(4).standard_normal((3, 5)).astype(np.float32))
    tensors = [bias, embedding, step, kernel, words]
    save_v2("shards/one.ckpt", tensors)
    parts, specs = grid(embedding, [(1, 3, 2), (3,)])
    merge(
        "shards/three.ckpt",
        [
            ([parts[0], bias], [specs[0], ""]),
            ([parts[1], kernel, step], [specs[1], "", ""]),
            ([parts[2], words], [specs[2], ""]),
        ],
    )
    return {"shards/one.ckpt": tensors, "shards/three.ckpt": tensors}


# --- names, tf2, blocks -------------------------------------------------------------------------

ODD_NAMES = (
    b"plain", b" leading and trailing ", b"tab\tand\nnewline", b"nul\0inside", b"\0leading nul",
    b"\0not_a_slice\0\x01\x00", b"\xff\xfenot UTF-8", b"cut off \xe2\x82", "naïve → 模型 🙂".encode(),
    b"a/b:0", b"a//b", b"/", b".", b"..", b"../escape", b"back\\slash", b"quote\"d 'name'", b"*?[x]",
    b"\x1b[31mred\x1b[0m", "right\u202eleft".encode(), b"\x7f", b"=", b"--option", b"\\xff", b"long/" + b"n" * 1995,
)  # fmt: skip


def names():
    """Names that a user may give, one float32 each, in V2 and (the UTF-8 ones) in V1."""
    tensors = [known(name, np.float32(i)) for i, name in enumerate(sorted(ODD_NAMES))]
    utf8 = [tensor for tensor in tensors if "name" in tensor.oracle()]
    save_v2("names/odd.ckpt", tensors)
    save_v1("names/v1.ckpt", utf8)
    return {"names/odd.ckpt": tensors, "names/v1.ckpt": utf8}


def tf2():
    """Two saves of a tf.train.Checkpoint: a module, a list, a dict with odd keys, momentum slots."""
    model = tf.Module()
    model.kernel = tf.Variable(tf.reshape(tf.range(6.0), [2, 3]), name="kernel")
    model.bias = tf.Variable([0.5, -0.5, 0.25], name="bias")
    optimizer = v1.train.MomentumOptimizer(0.5, 0.9)
    checkpoint = tf.train.Checkpoint(
        model=model,
        optimizer=optimizer,
        step=tf.Variable(0, dtype=tf.int64),
        layers=[tf.Variable([1, 2]), tf.Variable([3])],
        scales={"odd/key": tf.Variable(1.0), "dot.key": tf.Variable(2.0)},
    )
    result = {}
    for number in (1, 2):
        gradients = [(tf.ones_like(variable), variable) for variable in (model.kernel, model.bias)]
        optimizer.apply_gradients(gradients)
        checkpoint.step.assign_add(10)
        checkpoint.save("tf2/ckpt")
        result[f"tf2/ckpt-{number}"] = _as_tensorflow_reads("tf2/ckpt-" + str(number))
    return result


def by_name():
    """One model as a tf.train.Checkpoint writes it, by objects, and as a Saver of TensorFlow 1 does, by names."""
    model = tf.Module()
    model.dense = tf.Module()
    model.dense.kernel = tf.Variable(tf.reshape(tf.range(6.0), [2, 3]), name="dense/kernel")
    model.bias = tf.Variable([0.5, -0.5, 0.25], name="bias")
    optimizer = v1.train.MomentumOptimizer(0.5, 0.9)
    variables = (model.dense.kernel, model.bias)
    optimizer.apply_gradients([(tf.ones_like(variable), variable) for variable in variables])
    tf.train.Checkpoint(model=model, optimizer=optimizer).write("by_name/objects.ckpt")
    slots = [optimizer.get_slot(variable, "momentum") for variable in variables]
    values = {variable.name.split(":")[0]: variable.numpy() for variable in (*variables, *slots)}
    with tf.Graph().as_default(), v1.Session() as session:
        for name, value in values.items():
            v1.get_variable(name, initializer=value, use_resource=False)
        session.run(v1.global_variables_initializer())
        v1.train.Saver().save(session, "by_name/names.ckpt", write_meta_graph=False, write_state=False)
    return {path: _as_tensorflow_reads(path) for path in ("by_name/names.ckpt", "by_name/objects.ckpt")}


def _as_tensorflow_reads(prefix):
    """The tensors of a checkpoint by a high-level API, for which CheckpointReader is the oracle."""
    reader = tf.train.load_checkpoint(prefix)
    types = reader.get_variable_to_dtype_map()
    tensors = []
    for name, shape in sorted(reader.get_variable_to_shape_map().items()):
        value = reader.get_tensor(name)
        if types[name] == tf.string:
            items = np.ravel(np.asarray(value, dtype=object)).tolist()
            tensors.append(strings(name, items, tuple(shape)))
        else:
            tensors.append(known(name, value, types[name].name))
    return tensors


def blocks():
    """An index of more than one block: long names, and variables in very many slices."""
    tensors = []
    for i in range(450):
        name = f"tower_{i % 3}/layer_{i // 3:03d}/a_scope_with_a_name_that_goes_on/and_on/weights"
        tensors.append(known(name, np.float32(i)))
    parts, specs = list(tensors), [""] * len(tensors)
    for i in range(4):
        whole = known(f"embedding_{i}/partitioned", random(i).randint(-128, 128, 1900), "int8")
        more, more_specs = grid(whole, [(1,) * 1900])
        tensors, parts, specs = tensors + [whole], parts + more, specs + more_specs
    save_v2("blocks/many.ckpt", parts, specs)
    with open("blocks/many.ckpt.index", "rb") as file:
        data = file.read()
    _, (offset, size) = table.handles(data)
    assert len(table.read_block(data[offset : offset + size])) >= 2, "the index has one block only"
    return {"blocks/many.ckpt": tensors}


MAKERS = {
    "demo": demo,
    "retrain": retrain,
    "dtypes": dtypes,
    "v1": old_format,
    "slices": slices,
    "shards": shards,
    "names": names,
    "tf2": tf2,
    "by_name": by_name,
    "blocks": blocks,
}
