"""The results of protobuf for every message: canonical bytes, text, JSON. See README.md.

Usage: python make_fixtures.py --messages
"""

import base64
import csv
import hashlib
import importlib
import json
import math
import os
import pathlib
import shutil
import struct
import subprocess
import warnings

from google.protobuf import (
    any_pb2,
    descriptor_pool,
    json_format,
    message_factory,
    symbol_database,
    text_format,
    unknown_fields,
)
from google.protobuf.internal import decoder

from . import oracle

PROTO = "../../proto"
EMPTY_POOL = descriptor_pool.DescriptorPool()
"""Leaves each Any unexpanded, because protoc does not know the type in it."""
WRITTEN_BY_TENSORFLOW = {"demo/model.ckpt.meta": "tensorflow.MetaGraphDef"}
STATES = {f"{folder}/checkpoint": "tensorflow.CheckpointState" for folder in ("demo", "tf2")}
SHOWN = (
    "graphs/collections.meta", "graphs/frozen.pb", "graphs/handles.pb", "graphs/saver_def.pb",
    "graphs/signatures.meta", "graphs/strings.pb", "graphs/type_spec.pb", "graphs/variable.pb",
)  # fmt: skip
"""Messages whose text and JSON are stored as files too."""


def schema():
    """The rows of schema.tsv; makes the messages of every file known to Python."""
    with open("schema.tsv", encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file, delimiter="\t", quoting=csv.QUOTE_NONE))
    for name in sorted({row["file"] for row in rows}):
        if not name.startswith("xla/"):
            importlib.import_module(name.removesuffix(".proto").replace("/", ".") + "_pb2")
    return rows


def files():
    """{message: the .proto file that defines it}."""
    return {row["full_name"]: row["file"] for row in schema() if row["kind"] == "message"}


def new(name):
    """An empty message of this full name."""
    return symbol_database.Default().GetSymbol(name)()


# --- the forms ----------------------------------------------------------------------------------


def canonical(message):
    """Fields in order, unknown fields last, entries of maps in the order of Python's protobuf.

    Integer keys descend there; a string key comes after all keys that begin with it.
    """
    return message.SerializeToString(deterministic=True)


def ascending(message):
    """The same, but entries of maps in ascending order of their keys: C++'s deterministic form."""
    return _ascending(canonical(message), message.DESCRIPTOR)


def if_other(message):
    """{"ascending_b64": ...} if that differs from the canonical form."""
    other = ascending(message)
    same = other == canonical(message)
    return {} if same else {"ascending_b64": base64.b64encode(other).decode()}


def _ascending(data, descriptor):
    parts, pos = [], 0
    while pos < len(data):
        start = pos
        tag, pos = decoder._DecodeVarint(data, pos)
        number, wire = tag >> 3, tag & 7
        field = descriptor.fields_by_number.get(number)
        if field is None:
            parts.append(((1 << 29, 0), data[start:]))  # unknown fields and groups, to the end
            break
        size, content = decoder._DecodeVarint(data, pos) if wire in (0, 2) else ({1: 8, 5: 4}[wire], pos)
        pos = content + (size if wire else 0)
        part, key = data[start:pos], 0
        if field.message_type:
            inner = _ascending(data[content:pos], field.message_type)
            part = data[start:content] + inner
            key = _key(field, inner) if _is_map(field) else 0
        parts.append(((number, key), part))
    return b"".join(part for _, part in sorted(parts, key=lambda item: item[0]))


def _key(field, entry):
    key = message_factory.GetMessageClass(field.message_type).FromString(entry).key
    return key.encode() if isinstance(key, str) else key


def tensorflow_text(message):
    """The text that tf.io.write_graph and export_meta_graph write with `as_text`."""
    return text_format.MessageToString(message)


def protoc_text(data, name, file):
    """The output of `protoc --decode`, or None if it refuses."""
    command = ["protoc", f"-I{PROTO}", f"--decode={name}", file]
    done = subprocess.run(command, input=data, capture_output=True, check=False)
    return None if done.returncode else done.stdout


def json_text(message):
    """The output of json_format.MessageToJson, with sorted map entries; their order there is random."""
    try:
        settled = _settled(message, json_format.MessageToDict(message))
    except TypeError:
        return None  # an Any of an unknown type
    text = json.dumps(settled, indent=2)
    theirs = json_format.MessageToJson(message, indent=2)
    assert json_in_order(text) == json_in_order(theirs)
    return text


def json_in_order(text):
    """All keys sorted, nothing indented."""
    return json.dumps(json.loads(text), sort_keys=True)


def _settled(message, value):
    """The JSON value of a message with the entries of its maps in order of their keys."""
    if isinstance(message, any_pb2.Any):
        inner = unpacked(message)
        wrapped = inner is None or isinstance(inner, any_pb2.Any) or _is_wrapper(inner)
        return value if wrapped else {"@type": value["@type"], **_settled(inner, value)}
    if not isinstance(value, dict):
        return value
    result = dict(value)
    for field, content in message.ListFields():
        old = value[field.json_name]
        if _is_map(field):
            nested = field.message_type.fields_by_name["value"].message_type
            result[field.json_name] = {
                str(key): _settled(content[key], old[str(key)]) if nested else old[str(key)]
                for key in sorted(content)
            }
        elif field.message_type and field.is_repeated:
            result[field.json_name] = [_settled(*pair) for pair in zip(content, old, strict=True)]
        elif field.message_type:
            result[field.json_name] = _settled(content, old)
    return result


def _is_map(field):
    return field.message_type is not None and field.message_type.GetOptions().map_entry


def _is_wrapper(message):
    return message.DESCRIPTOR.file.name == "google/protobuf/wrappers.proto"


def unpacked(message):
    """The content of an Any, or None if its type is unknown."""
    try:
        inner = new(message.type_url.rpartition("/")[2])
    except KeyError:
        return None
    inner.ParseFromString(message.value)
    return inner


# --- what text and JSON lose ---------------------------------------------------------------------


def _messages(message):
    """The message and all embedded messages, including those in an Any of a known type."""
    yield message
    if isinstance(message, any_pb2.Any):
        inner = unpacked(message)
        if inner is not None:
            yield from _messages(inner)
    for field, value in message.ListFields():
        if _is_map(field):
            if field.message_type.fields_by_name["value"].message_type:
                for key in value:
                    yield from _messages(value[key])
        elif field.message_type:
            for inner in value if field.is_repeated else [value]:
                yield from _messages(inner)


def unknown_field_count(message):
    """The number of unknown fields; a group counts as one."""
    return sum(len(unknown_fields.UnknownFieldSet(inner)) for inner in _messages(message))


def nan_payloads(message):
    """The number of NaNs other than the positive quiet one without payload; text and JSON print all as `nan`."""
    count = 0
    for inner in _messages(message):
        for field, value in inner.ListFields():
            if field.cpp_type in (field.CPPTYPE_FLOAT, field.CPPTYPE_DOUBLE):
                for number in value if field.is_repeated else [value]:
                    # Python converts a float to a double: keeps sign and payload, quiets a signalling NaN.
                    count += math.isnan(number) and struct.pack(">d", number) != b"\x7f\xf8" + bytes(6)
    return count


# --- the oracle ----------------------------------------------------------------------------------


def digest(data):
    """Length and sha256 (of the UTF-8 for text); None for None."""
    if data is None:
        return None
    data = data.encode() if isinstance(data, str) else data
    return {"bytes": len(data), "sha256": hashlib.sha256(data).hexdigest()}


def facts(path, name, file):
    """The oracle's entry for a binary file."""
    data = pathlib.Path(path).read_bytes()
    message = new(name)
    message.ParseFromString(data)
    _check_ascending(message, name, file)
    text, printed, js = tensorflow_text(message), protoc_text(data, name, file), json_text(message)
    if path in SHOWN:
        shown = {"tensorflow.pbtxt": text.encode(), "protoc.pbtxt": printed, "json": js.encode()}
        for suffix, content in shown.items():
            pathlib.Path(f"{path}.{suffix}").write_bytes(content)
    return {
        "path": path,
        "message": name,
        "canonical": digest(canonical(message)),
        "ascending": digest(ascending(message)),
        "text_tensorflow": digest(text),
        "text_str": digest(str(message)),
        "text_protoc": digest(printed),
        "json": digest(js),
        "json_in_order": digest(None if js is None else json_in_order(js)),
        "unknown_fields": unknown_field_count(message),
        "nan_payloads": nan_payloads(message),
    }


def _check_ascending(message, name, file):
    """Compares `ascending` with protoc's output if text loses nothing."""
    if unknown_field_count(message) or nan_payloads(message):
        return
    command = ["protoc", f"-I{PROTO}", f"--encode={name}", "--deterministic_output", file]
    text = text_format.MessageToString(message, descriptor_pool=EMPTY_POOL).encode()
    done = subprocess.run(command, input=text, capture_output=True, check=True)
    assert done.stdout == ascending(message), name


def text_facts(path, name):
    """The oracle's entry for a text file: the canonical bytes of its message, and its form."""
    text = pathlib.Path(path).read_bytes().decode()
    message = text_format.Parse(text, new(name))
    forms = {"text_tensorflow": tensorflow_text(message), "text_str": str(message)}
    form = next((form for form, printed in forms.items() if printed == text), None)
    return {"path": path, "message": name, "form": form, "canonical": digest(canonical(message))}


def main():
    """Writes all messages and their oracles, in a fresh process, whose counters start at zero."""
    from . import constants, graphs, hostile_messages, random_messages, saved_models, state

    warnings.simplefilter("ignore")
    made = {}
    for module in (graphs, constants, state, saved_models):
        if module is not constants:
            shutil.rmtree(module.FOLDER, ignore_errors=True)
        os.makedirs(module.FOLDER, exist_ok=True)
        made.update(module.write())
    defined_in = files()
    texts = {path: name for path, name in made.items() if path.endswith(".pbtxt") or name == state.STATE}
    binary = {path: name for path, name in made.items() if path not in texts}
    binary.update(WRITTEN_BY_TENSORFLOW)
    texts.update(STATES)
    content = {
        "messages": [facts(path, name, defined_in[name]) for path, name in sorted(binary.items())],
        "texts": [text_facts(path, name) for path, name in sorted(texts.items())],
    }
    oracle.write("oracle/messages.json", content)
    random_messages.write()
    hostile_messages.write()
