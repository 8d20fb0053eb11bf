"""Writes inputs for the fuzz targets, made of the files in tests/data: seeds.py DIRECTORY

The targets of tests/it/support/fuzz_targets.rs say what their inputs mean. Files that are too large to be mutated well are left out.
"""

import hashlib
import json
import pathlib
import struct
import sys

DATA = pathlib.Path(__file__).resolve().parent.parent / "data"
LARGEST = 8_192

# The orders of types and names in the targets, which the first bytes of inputs refer to.
MESSAGES = ["MetaGraphDef", "SavedModel", "TensorProto", "CheckpointState", "NodeDef"]
MODELS = ["MetaGraphDef", "GraphDef", "SavedModel", "TrackableObjectGraph", "FunctionDefLibrary"]
NAMES = [".pb", ".pbtxt", ".json", ".meta", ".index", ".data-00000-of-00001", ".safetensors", ".safetensors.index.json"]
PARTS = [
    "saved_model.pb",
    "saved_model.pbtxt",
    "variables/variables.index",
    "variables/variables.data-00000-of-00001",
    "assets/vocabulary.txt",
    "assets.extra/more",
    "fingerprint.pb",
    "debug/saved_model_debug_info.pb",
    "keras_metadata.pb",
]
END_OF_TABLE = struct.pack("<Q", 0xDB4775248B80FB57)


def main(out):
    files = [path for path in sorted(DATA.rglob("*")) if path.is_file()]
    for path in files:
        content = path.read_bytes()
        for target, seed in [*of_file(path, content), *of_table(path, content)]:
            put(out, target, seed)
    for target, seed in [*of_oracle(), *of_pairs(), *of_saved_models(files), *of_tensors()]:
        put(out, target, seed)


def put(out, target, seed):
    if len(seed) <= LARGEST:
        folder = out / target
        folder.mkdir(parents=True, exist_ok=True)
        (folder / hashlib.sha1(seed).hexdigest()).write_bytes(seed)


def of_file(path, content):
    """The inputs of targets that read a whole file."""
    name = path.name
    for number, suffix in enumerate(NAMES):
        if name.endswith(suffix):
            yield "open_file", bytes([number]) + content
    if name.endswith((".meta", ".pb", ".pbtxt", ".json")):
        yield "read_document", content
    if name.endswith(".meta"):
        yield "decode_message", bytes([MESSAGES.index("MetaGraphDef")]) + content
        yield "run_saver", b"\0" + content
        yield "read_snapshot", b"\0" + content
        yield "move_meta_graph", b"\x1e" + content
    if name == "saved_model.pb":
        yield "decode_message", bytes([MESSAGES.index("SavedModel")]) + content
        yield "read_snapshot", b"\2" + content
    if name.endswith(".pbtxt"):
        number = MESSAGES.index("SavedModel" if "saved_model" in name else "MetaGraphDef")
        yield "parse_text", bytes([number]) + content
        yield "format_text", bytes([number, 2, 80]) + content
        yield "run_saver", b"\3" + content
        yield "move_meta_graph", b"\x1f" + content
    if name == "checkpoint" or path.parent.name == "state":
        yield "state_file", content
        yield "parse_text", bytes([MESSAGES.index("CheckpointState")]) + content
        yield "format_text", bytes([MESSAGES.index("CheckpointState"), 0, 40]) + content
        yield "open_file", bytes([len(NAMES)]) + content
    if name.endswith(".safetensors") and len(content) >= 8:
        (length,) = struct.unpack("<Q", content[:8])
        yield "open_safetensors", content[8 : 8 + length] + b"\0" + content[8 + length :]
    if name.endswith(".safetensors.index.json"):
        yield "open_safetensors", content


def of_table(path, content):
    """The inputs of targets that read tables: the whole one, and its first block."""
    if not content.endswith(END_OF_TABLE):
        return
    yield "open_table", content
    block = first_block(content)
    if block is None:
        return
    yield "open_table", block
    data = path.with_name(path.stem + ".data-00000-of-00001")
    if path.suffix == ".index" and data.exists():
        both = struct.pack("<H", len(block) % 65536) + block + data.read_bytes()
        yield "open_checkpoint_v2", both
        yield "diff_checkpoints", b"\1" + struct.pack("<H", len(both) % 65536) + both + both
    elif path.suffix != ".index":
        yield "open_checkpoint_v1", block


def first_block(table):
    """The payload of the first block; None for a table that is damaged or compressed."""

    def varint(of, at):
        value = shift = 0
        while True:
            value |= (of[at] & 127) << shift
            shift += 7
            at += 1
            if of[at - 1] < 128:
                return value, at

    def block(handle, at):
        offset, at = varint(handle, at)
        length, _ = varint(handle, at)
        return table[offset : offset + length] if table[offset + length] == 0 else None

    try:
        footer = table[-48:]
        _, at = varint(footer, 0)
        _, at = varint(footer, at)
        index = block(footer, at)
        _, at = varint(index, 0)
        key, at = varint(index, at)
        _, at = varint(index, at)
        return block(index, at + key)
    except (IndexError, TypeError):
        return None


def of_oracle():
    """The messages that the oracles list with their types."""
    read = lambda name: json.loads((DATA / "oracle" / name).read_text())
    targets = {"text": "parse_text", "json": "parse_json", "binary": "decode_message"}
    for message in read("hostile_messages.json"):
        ty = message["message"].rsplit(".")[-1]
        number = MESSAGES.index(ty) if ty in MESSAGES else 0
        content = (DATA / message["path"]).read_bytes()
        yield targets[message["format"]], bytes([number]) + content
        if message["format"] == "text":
            yield "format_text", bytes([number, 4, 80]) + content
    for line in (DATA / "graphs" / "random.jsonl").read_text().splitlines():
        yield "parse_json", b"\0" + line.encode()


def of_pairs():
    """Both sides of a pair, as one input."""
    for folder in sorted((DATA / "pairs").iterdir()):
        for name, ty in [(".meta", "MetaGraphDef"), ("/saved_model.pb", "SavedModel")]:
            sides = [pathlib.Path(f"{folder}/{side}{name}") for side in ("lhs", "rhs")]
            if all(side.exists() for side in sides):
                lhs, rhs = (side.read_bytes() for side in sides)
                head = bytes([MODELS.index(ty)]) + struct.pack("<H", len(lhs) % 65536)
                yield "diff_messages", head + lhs + rhs


def of_saved_models(files):
    """The files of a SavedModel, one after another."""
    for graph in files:
        if graph.name in PARTS[:2]:
            parts = [(number, graph.parent / part) for number, part in enumerate(PARTS)]
            there = [(number, part.read_bytes()) for number, part in parts if part.exists()]
            heads = [bytes([number]) + struct.pack("<H", len(part) % 65536) + part for number, part in there]
            yield "open_saved_model", b"".join(heads)


def of_tensors():
    """Two lists of tensors: names, dtypes, dimensions and content."""
    for options in range(0, 32, 2):
        lhs = b"".join(bytes([at * 4, at, 64 + 4]) + bytes(range(32)) for at in range(26))
        rhs = b"".join(bytes([at * 4, at, 64 + 4]) + bytes(range(1, 33)) for at in range(1, 27))
        yield "diff_checkpoints", bytes([options]) + struct.pack("<H", len(lhs)) + lhs + rhs


if __name__ == "__main__":
    main(pathlib.Path(sys.argv[1]))
