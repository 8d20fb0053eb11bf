"""Random messages of every type in the schema, in `graphs/random.jsonl`."""

import base64
import json
import random
import struct

from google.protobuf import any_pb2, wrappers_pb2
from tensorflow.core.framework import tensor_pb2
from tensorflow.core.protobuf import meta_graph_pb2

from . import messages

EACH = 3
BUDGET = 22
"""The number of fields of a message, including those of embedded messages."""
SHORT = 1500
"""The length from which a text is stored as a digest."""

TEXT = (
    "", "x", "naïve → 模型 🙂", "\"quoted\" and 'single'", "back\\slash", "\t\n\r\v\f\x07\x08\x00\x1b\x7f",
    "\x80\x85\xa0\u00ad\u2028\u2029\ufeff\ufffd\U0010ffff", "</script>&<>", "a//b # c", "1e5", "a" * 70,
    "\x001\x0012\x0f", "??=", "%s {0}", "nan", "null", "\u202eleft", "\ue000\ud7ff",
)  # fmt: skip
FLOATS = (
    0.0, -0.0, 1.0, 0.1, -1.5, 1 / 3, 1e5, 1e6, 1e7, 123456.0, 1234567.0, 1e15, 1e16, 1e17, 1e21, 1e22, 1e-4, 1e-5, 1e-6, 1e-7,
    16777216.0, 16777218.0, 123456789.0, 3.4028234663852886e38, 1.1754943508222875e-38, 1e-45, 0.30000001192092896,
    float("inf"), float("-inf"), float("nan"), -float("nan"),
)  # fmt: skip
DOUBLES = (*FLOATS, 5e-324, 1.7976931348623157e308, 2.0**53, 2.0**53 + 2, 1e100, 1e-100, 0.1 + 0.2)
RANGES = {
    "int32": (-(2**31), 2**31 - 1),
    "int64": (-(2**63), 2**63 - 1),
    "uint32": (0, 2**32 - 1),
    "uint64": (0, 2**64 - 1),
}


class Filler:
    """Fills messages from one random stream within a budget."""

    def __init__(self, seed, likelihood):
        self.random = random.Random(seed)
        self.likelihood = likelihood
        self.left = BUDGET

    def fill(self, message, depth=3):
        """Sets some fields; all kinds of values, messages to this depth."""
        if isinstance(message, any_pb2.Any):
            return self._any(message)
        fields = list(message.DESCRIPTOR.fields)
        chosen = {
            oneof: self.random.choice(oneof.fields) for oneof in message.DESCRIPTOR.oneofs
        }
        for field in fields:
            oneof = field.containing_oneof
            skipped = oneof is not None and chosen[oneof] is not field
            if skipped or self.left <= 0 or self.random.random() > self.likelihood:
                continue
            self._field(message, field, depth)

    def _field(self, message, field, depth):
        content = getattr(message, field.name)
        if messages._is_map(field):
            key, value = (field.message_type.fields_by_name[name] for name in ("key", "value"))
            for _ in range(self.random.randint(1, 3)):
                self.left -= 1
                if value.message_type:
                    self._message(content[self.scalar(key)], depth)
                else:
                    content[self.scalar(key)] = self.scalar(value)
        elif field.is_repeated:
            for _ in range(self.random.randint(1, 3)):
                self.left -= 1
                if field.message_type:
                    self._message(content.add(), depth)
                else:
                    content.append(self.scalar(field))
        elif field.message_type:
            self.left -= 1
            self._message(content, depth)
        else:
            self.left -= 1
            setattr(message, field.name, self.scalar(field))

    def _message(self, message, depth):
        message.SetInParent()
        if depth > 0:
            self.fill(message, depth - 1)

    def _any(self, message):
        kind = self.random.randrange(4)
        if kind == 1:
            message.Pack(wrappers_pb2.Int64Value(value=self._integer("int64")))
        elif kind > 1:
            inner = (tensor_pb2.TensorProto, meta_graph_pb2.AssetFileDef)[kind - 2]()
            self.fill(inner, 1)
            message.Pack(inner, deterministic=True)

    def scalar(self, field):
        """A value of the field's type."""
        types = {getattr(field, name): name for name in dir(field) if name.startswith("TYPE_")}
        kind = types[field.type][5:].lower().replace("fixed", "int").replace("sint", "int")
        kind = {"int32": "int32"}.get(kind, kind)
        if types[field.type].startswith("TYPE_FIXED"):
            kind = "u" + kind
        if kind in RANGES:
            return self._integer(kind)
        return getattr(self, f"_{kind}")(*([field] if kind == "enum" else []))

    def _integer(self, kind):
        low, high = RANGES[kind]
        edges = (low, high, 0, 1, high - 1, low + 1, 2**53 + 1 if high > 2**53 else 7)
        return self.random.choice((*edges, self.random.randint(low, high), self.random.randint(0, 300)))

    def _bool(self):
        return self.random.random() < 0.7

    def _enum(self, field):
        known = [value.number for value in field.enum_type.values]
        if self.random.random() < 0.8:
            return self.random.choice(known)
        return self.random.choice((-1, 7777, 2**31 - 1, -(2**31)))

    def _string(self):
        if self.random.random() < 0.7:
            return self.random.choice(TEXT)
        return "".join(chr(self.random.randrange(0x3000)) for _ in range(self.random.randrange(12)))

    def _bytes(self):
        return self.random.choice((b"", b"text", bytes(range(256)), self.random.randbytes(9), b"'\"\\?\x001"))

    def _float(self):
        bits = struct.unpack("<f", self.random.randbytes(4))[0]
        return self.random.choice((*FLOATS, bits, bits, bits))

    def _double(self):
        bits = struct.unpack("<d", self.random.randbytes(8))[0]
        return self.random.choice((*DOUBLES, bits, bits, bits))


def write():
    """Writes one line per message."""
    lines = []
    for name, file in sorted(messages.files().items()):
        for index, likelihood in zip(range(EACH), (1.0, 0.6, 0.85), strict=True):
            message = messages.new(name)
            Filler(f"{name}/{index}", likelihood).fill(message)
            lines.append(_line(name, file, message))
    with open("graphs/random.jsonl", "w", encoding="ascii", newline="\n") as out:
        out.writelines(json.dumps(line, separators=(",", ":")) + "\n" for line in lines)


def _line(name, file, message):
    data = messages.canonical(message)
    assert messages.canonical(type(message).FromString(data)) == data
    printed = messages.protoc_text(data, name, file)
    forms = {
        "text": messages.tensorflow_text(message),
        "text_protoc": None if printed is None else printed.decode(),
        "json": messages.json_text(message),
    }
    short = {
        key: text if text is None or len(text) < SHORT else messages.digest(text)
        for key, text in forms.items()
    }
    return {
        "message": name,
        "binary_b64": base64.b64encode(data).decode(),
        **messages.if_other(message),
        **short,
        "nan_payloads": messages.nan_payloads(message),
    }
