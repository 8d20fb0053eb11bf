"""Rewrites the fixtures of this folder with the safetensors library, and the library's facts about them
(`../oracle/safetensors.json`, `headers.json`).

    python -m pip install safetensors==0.8.0 numpy==2.4.6 ml_dtypes==0.6.0
    python make_safetensors.py

Files that the library does not write itself (another order of the header, damage) are assembled here, and the
library decides whether it accepts them. Two runs write the same bytes.
"""

import hashlib
import json
import pathlib
import struct

import ml_dtypes
import numpy as np
import safetensors
from safetensors import SafetensorError, TensorSpec, deserialize, serialize

HERE = pathlib.Path(__file__).resolve().parent

# TensorFlow's name of each type, the library's name of it when writing, and a numpy type of its elements.
TYPES = {
    "bool": ("bool", np.bool_),
    "int8": ("int8", np.int8), "int16": ("int16", np.int16), "int32": ("int32", np.int32), "int64": ("int64", np.int64),
    "uint8": ("uint8", np.uint8), "uint16": ("uint16", np.uint16), "uint32": ("uint32", np.uint32),
    "uint64": ("uint64", np.uint64),
    "float16": ("float16", np.float16), "float32": ("float32", np.float32), "float64": ("float64", np.float64),
    "bfloat16": ("bfloat16", ml_dtypes.bfloat16),
    "float8_e4m3fn": ("float8_e4m3fn", ml_dtypes.float8_e4m3fn),
    "float8_e4m3fnuz": ("float8_e4m3fnuz", ml_dtypes.float8_e4m3fnuz),
    "float8_e5m2": ("float8_e5m2", ml_dtypes.float8_e5m2),
    "float8_e5m2fnuz": ("float8_e5m2fnuz", ml_dtypes.float8_e5m2fnuz),
    "complex64": ("complex64", np.complex64),
}
# The name of each type in a header.
CODES = {
    "BOOL": "bool", "I8": "int8", "I16": "int16", "I32": "int32", "I64": "int64", "U8": "uint8", "U16": "uint16",
    "U32": "uint32", "U64": "uint64", "F16": "float16", "F32": "float32", "F64": "float64", "BF16": "bfloat16",
    "F8_E4M3": "float8_e4m3fn", "F8_E4M3FNUZ": "float8_e4m3fnuz", "F8_E5M2": "float8_e5m2",
    "F8_E5M2FNUZ": "float8_e5m2fnuz", "C64": "complex64", "F4": "float4_e2m1fn",
}


def save(tensors, metadata=None):
    """The bytes that the library writes; each tensor is an array, or (library type, shape, bytes)."""
    kept, specs = [], {}
    for name, tensor in tensors.items():
        if isinstance(tensor, np.ndarray):
            tensor = (tensor.dtype.name, tensor.shape, np.ascontiguousarray(tensor).tobytes())
        dtype, shape, content = tensor
        # The library reads from this memory when it serializes.
        kept.append(np.frombuffer(content or b"\0", np.uint8))
        specs[name] = TensorSpec(dtype=dtype, shape=list(shape), data_ptr=kept[-1].ctypes.data, data_len=len(content))
    return bytes(serialize(specs, metadata))


def put(name, content):
    path = HERE / name
    path.parent.mkdir(exist_ok=True)
    path.write_bytes(content)


def values(dtype, count):
    """Special values first (NaN, -0.0, infinities, the least and the greatest), then small ones."""
    dtype = np.dtype(dtype)
    if dtype.kind == "b":
        return (np.arange(count) % 2).astype(dtype)
    if dtype.kind in "iu":
        return np.array(([np.iinfo(dtype).min, np.iinfo(dtype).max] + [i % 7 for i in range(count)])[:count], dtype)
    elif dtype.kind == "c":
        special = [complex(np.nan, -0.0), complex(np.inf, 1)]
    else:
        special = [np.nan, -0.0, ml_dtypes.finfo(dtype).max, ml_dtypes.finfo(dtype).smallest_subnormal]
    rest = [i % 7 + 1 for i in range(count)]
    return np.array((special + rest)[:count]).astype(dtype)


def all_types():
    """Every type that the library writes and ckdiff knows."""
    tensors = {}
    for name, (_, dtype) in TYPES.items():
        for label, shape in [("scalar", ()), ("vector", (9,)), ("cube", (2, 2, 3)), ("empty", (0,)), ("hollow", (2, 0, 3))]:
            tensors[f"{name}/{label}"] = values(dtype, int(np.prod(shape))).reshape(shape)
    # The library counts two elements as one byte, and doubles the last dimension for the header.
    packed = bytes(range(0x10, 0x100, 0x11))
    tensors["float4_e2m1fn/vector"] = ("float4_e2m1fn_x2", (len(packed),), packed)
    tensors["float4_e2m1fn/cube"] = ("float4_e2m1fn_x2", (2, 2, 3), packed[:12])
    tensors["float4_e2m1fn/empty"] = ("float4_e2m1fn_x2", (0,), b"")
    return tensors


def model(step):
    """A small model: at step 1 a bias changed and a kernel was renamed."""
    random = np.random.default_rng(17)
    normal = lambda *shape: random.standard_normal(shape).astype(np.float32)
    kernel = "classifier.weight" if step else "dense_1.weight"
    tensors = {
        "embed.weight": normal(50, 8).astype(ml_dtypes.bfloat16),
        "encoder.weight": normal(8, 16),
        "encoder.bias": normal(16) + np.float32(0.25 * step),
        kernel: normal(16, 4),
        "scale": np.array(1.5, np.float32),
        "steps": np.array([1000], np.int64),
    }
    return tensors


def shards(name, tensors, count, metadata):
    """A checkpoint in shards with its index, in the layout of the transformers library."""
    names = list(tensors)
    weight_map, total = {}, 0
    for i in range(count):
        part = {tensor: tensors[tensor] for tensor in names[i::count]}
        file = f"{pathlib.Path(name).name}-{i + 1:05}-of-{count:05}.safetensors"
        put(f"{pathlib.Path(name).parent}/{file}", save(part, metadata))
        weight_map.update({tensor: file for tensor in part})
        total += sum(array.nbytes for array in part.values())
    index = {"metadata": {"total_size": total}, "weight_map": weight_map}
    put(f"{name}.safetensors.index.json", (json.dumps(index, indent=2, sort_keys=True) + "\n").encode())


def file_of(header, data=b"", length=None, pad=True):
    """A file with this header, which may be invalid JSON."""
    header = header if isinstance(header, bytes) else header.encode()
    header += b" " * (-len(header) % 8 if pad else 0)
    return struct.pack("<Q", len(header) if length is None else length) + header + data


def entry(name, dtype="F32", shape="[2]", offsets="[0,8]", more=""):
    return f'"{name}":{{"dtype":"{dtype}","shape":{shape},"data_offsets":{offsets}{more}}}'


def of(*entries):
    return "{" + ",".join(entries) + "}"


DATA = bytes(i * 7 % 251 for i in range(64))

# Description of a header, its file, and ckdiff's result if that differs from the library's.
STRICTER = "refused"
LENIENT = "accepted"


def headers():
    """Headers that a reader may get wrong."""
    a, b = entry("a"), entry("b", offsets="[8,16]")
    yield "one tensor", file_of(of(a), DATA[:8])
    yield "two tensors", file_of(of(a, b), DATA[:16])
    yield "two tensors, listed out of order", file_of(of(b, a), DATA[:16])
    yield "no tensor", file_of("{}")
    yield "no tensor, header not padded", file_of("{}", pad=False)
    yield "header not padded, data not aligned", file_of(of(a) + " ", DATA[:8], pad=False)
    yield "leading spaces", file_of("   " + of(a), DATA[:8])
    yield "other white space", file_of("\n\t\r " + of(a) + "\r\n\t", DATA[:8])
    yield "white space inside", file_of(of(a).replace(":", " : ").replace(",", "\n, "), DATA[:8])
    yield "an empty name", file_of(of(entry("")), DATA[:8])
    yield "a name of escapes", file_of(of(entry(r"\u0000\n\"\\\/\u00e9\ud83d\ude00")), DATA[:8])
    yield "a name like a path", file_of(of(entry("../../etc/passwd")), DATA[:8])
    yield "a name of 5,000 characters", file_of(of(entry("n" * 5000)), DATA[:8])
    yield "a scalar", file_of(of(entry("a", shape="[]", offsets="[0,4]")), DATA[:4])
    yield "no elements", file_of(of(entry("a", shape="[0]", offsets="[0,0]")))
    yield "no elements in three dimensions", file_of(of(entry("a", shape="[2,0,3]", offsets="[0,0]")))
    yield "no elements before, between and behind", file_of(
        of(entry("x", shape="[0]", offsets="[0,0]"), a, entry("y", shape="[0]", offsets="[8,8]"), b,
           entry("z", shape="[0]", offsets="[16,16]")), DATA[:16])
    yield "fields in another order", file_of('{"a":{"data_offsets":[0,8],"shape":[2],"dtype":"F32"}}', DATA[:8])
    yield "an unknown field", file_of(of(entry("a", more=',"scale":{"x":[1,null,true]}')), DATA[:8])
    yield "an unknown field given twice", file_of(of(entry("a", more=',"x":1,"x":2')), DATA[:8])
    yield "an unknown field nested 200 deep", file_of(of(entry("a", more=',"x":' + "[" * 200 + "]" * 200)), DATA[:8]), LENIENT
    yield "an unknown field out of range", file_of(of(entry("a", more=',"x":1e999')), DATA[:8]), LENIENT
    yield "an entry as a list", file_of('{"a":["F32",[2],[0,8]]}', DATA[:8])
    yield "a type as an object", file_of('{"a":{"dtype":{"F32":null},"shape":[2],"data_offsets":[0,8]}}', DATA[:8]), STRICTER
    yield "metadata", file_of(of('"__metadata__":{"format":"pt","\\u00e9":""}', a), DATA[:8])
    yield "metadata last", file_of(of(a, '"__metadata__":{"format":"pt"}'), DATA[:8])
    yield "metadata of no pairs", file_of(of('"__metadata__":{}', a), DATA[:8])
    yield "metadata null", file_of(of('"__metadata__":null', a), DATA[:8])
    yield "metadata alone", file_of('{"__metadata__":{"a":"b"}}')
    for code in CODES:
        bits = 4 if code == "F4" else np.dtype(TYPES[CODES[code]][1]).itemsize * 8
        yield f"type {code}", file_of(of(entry("a", code, "[6]", f"[0,{6 * bits // 8}]")), bytes(6 * bits // 8))
    for code, bits in [("F8_E8M0", 8), ("F6_E2M3", 6), ("F6_E3M2", 6)]:
        yield f"type {code}", file_of(of(entry("a", code, "[4]", f"[0,{bits // 2}]")), bytes(bits // 2)), "unsupported"
    yield "bool of other bytes", file_of(of(entry("a", "BOOL", "[3]", "[0,3]")), b"\0\1\xff")
    yield "253 dimensions", file_of(of(entry("a", "U8", "[" + ",".join("1" * 253) + "]", "[0,1]")), b"x")
    yield "300 dimensions", file_of(of(entry("a", "U8", "[" + ",".join("1" * 300) + "]", "[0,1]")), b"x"), STRICTER
    yield "zero before 2^62 and 2^62", file_of(of(entry("a", shape="[0,4611686018427387904,4611686018427387904]", offsets="[0,0]")))
    yield "zero behind 2^62", file_of(of(entry("a", shape="[4611686018427387904,0]", offsets="[0,0]")))
    yield "zero behind 2^63", file_of(of(entry("a", shape="[9223372036854775808,0]", offsets="[0,0]"))), STRICTER
    # Duplicate names: the library uses the last one.
    yield "a name twice", file_of(of(a, a), DATA[:8]), STRICTER
    yield "a name twice, of other content", file_of(of(a, entry("a", "U8", "[8]")), DATA[:8]), STRICTER
    yield "a name twice, spelled otherwise", file_of(of(a, entry(r"\u0061")), DATA[:8]), STRICTER
    yield "a metadata key twice", file_of(of('"__metadata__":{"k":"1","k":"2"}', a), DATA[:8]), STRICTER
    yield "metadata twice", file_of(of('"__metadata__":{}', '"__metadata__":{}', a), DATA[:8])
    yield "a field twice", file_of(of(entry("a", more=',"dtype":"F32"')), DATA[:8])
    # The length and content around the header.
    yield "no bytes", b""
    yield "seven bytes", bytes(7)
    yield "a length of zero", bytes(8)
    yield "a length of zero before data", bytes(16)
    yield "a length beyond the file", file_of(of(a), DATA[:8], length=4096)
    yield "a length of 2^64 - 1", file_of(of(a), DATA[:8], length=2**64 - 1)
    yield "a length of 2^63", file_of(of(a), DATA[:8], length=2**63)
    yield "a length over the limit", file_of(of(a), DATA[:8], length=100_000_001)
    yield "a length one short", file_of(of(a), DATA[:8], length=len(of(a)) - 1)
    yield "a length into the data", file_of(of(a), b" " * 8, length=len(file_of(of(a))))
    yield "a byte behind the last tensor", file_of(of(a), DATA[:9])
    yield "data of no tensor", file_of("{}", DATA[:8])
    yield "a byte missing", file_of(of(a), DATA[:7])
    yield "all data missing", file_of(of(a, b))
    yield "the second tensor missing", file_of(of(a, b), DATA[:8])
    # JSON.
    yield "an empty header", file_of("", pad=False)
    yield "a header of spaces", file_of(" " * 16)
    yield "a header of zeros", file_of(bytes(16))
    yield "padded with zeros", file_of(of(a).encode() + b"\0" * 5, DATA[:8], pad=False)
    yield "a byte order mark", file_of(b"\xef\xbb\xbf" + of(a).encode(), DATA[:8])
    yield "UTF-16", file_of(of(a).encode("utf-16-le"), DATA[:8])
    yield "a name that is not UTF-8", file_of(of(a).encode().replace(b'"a"', b'"\xff"'), DATA[:8])
    yield "half a surrogate pair", file_of(of(entry(r"\ud800")), DATA[:8])
    yield "a control character in a name", file_of(of(entry("\n")), DATA[:8])
    yield "an unknown escape", file_of(of(entry(r"\x")), DATA[:8])
    yield "a list", file_of("[]")
    yield "null", file_of("null")
    yield "a number", file_of("7")
    yield "two objects", file_of("{}{}")
    yield "a comma at the end", file_of(of(a, ""), DATA[:8])
    yield "a comment", file_of("{} //x")
    yield "single quotes", file_of(of(a).replace('"', "'"), DATA[:8])
    yield "a bare name", file_of(of(a).replace('"a"', "a"), DATA[:8])
    yield "cut in an entry", file_of(of(a)[:-3], DATA[:8])
    yield "nested 2,000 deep", file_of('{"a":' * 2_000)
    yield "lists 2,000 deep", file_of('{"a":' + "[" * 2_000 + "]" * 2_000 + "}")
    # Entries.
    yield "an entry null", file_of('{"a":null}')
    yield "an entry of a number", file_of('{"a":1}')
    yield "an empty entry", file_of('{"a":{}}')
    yield "no type", file_of('{"a":{"shape":[2],"data_offsets":[0,8]}}', DATA[:8])
    yield "no shape", file_of('{"a":{"dtype":"F32","data_offsets":[0,8]}}', DATA[:8])
    yield "no offsets", file_of('{"a":{"dtype":"F32","shape":[2]}}', DATA[:8])
    for code in ["f32", "F128", "C128", "", "F32 ", "float32", "I4", "F8_E4M3FN"]:
        yield f"type {code!r}", file_of(of(entry("a", code)), DATA[:8])
    yield "a type null", file_of('{"a":{"dtype":null,"shape":[2],"data_offsets":[0,8]}}', DATA[:8])
    for shape in ["2", '"2"', "null", '["2"]', "[2.0]", "[-2]", "[-0]", "[2e0]", "[02]", "[18446744073709551616]", "[[2]]", "{}"]:
        yield f"shape {shape}", file_of(of(entry("a", shape=shape)), DATA[:8])
    yield "shape too small", file_of(of(entry("a", shape="[1]")), DATA[:8])
    yield "shape too large", file_of(of(entry("a", shape="[3]")), DATA[:8])
    yield "shape overflows 64 bits", file_of(of(entry("a", shape="[4294967296,4294967296,2]")), DATA[:8])
    yield "shape overflows before a zero", file_of(of(entry("a", shape="[4611686018427387904,4611686018427387904,0]", offsets="[0,0]")))
    yield "shape overflows in bytes alone", file_of(of(entry("a", "F64", "[2305843009213693953]")), DATA[:8])
    yield "odd number of F4", file_of(of(entry("a", "F4", "[3]", "[0,2]")), DATA[:2])
    yield "F6 that end inside a byte", file_of(of(entry("a", "F6_E2M3", "[3]", "[0,3]")), DATA[:3])
    for offsets in ["[0]", "[0,8,8]", "[]", "8", "null", "[0,-8]", "[-8,0]", "[0,8.0]", '["0","8"]', "[0,18446744073709551615]",
                    "[18446744073709551615,18446744073709551615]", "[18446744073709551608,18446744073709551616]"]:
        yield f"offsets {offsets}", file_of(of(entry("a", offsets=offsets)), DATA[:8])
    yield "offsets turned round", file_of(of(entry("a", offsets="[8,0]")), DATA[:8])
    yield "offsets of an empty tensor behind the data", file_of(of(a, entry("b", shape="[0]", offsets="[9,9]")), DATA[:8])
    yield "offsets of an empty tensor inside another", file_of(of(a, entry("b", shape="[0]", offsets="[4,4]")), DATA[:8])
    yield "a gap before the first", file_of(of(entry("a", offsets="[4,12]")), DATA[:12])
    yield "a gap between", file_of(of(a, entry("b", offsets="[12,20]")), DATA[:20])
    yield "two names for one place", file_of(of(a, entry("b")), DATA[:8])
    yield "an overlap", file_of(of(a, entry("b", offsets="[4,12]")), DATA[:12])
    yield "one inside another", file_of(of(entry("a", shape="[4]", offsets="[0,16]"), entry("b", shape="[1]", offsets="[4,8]")), DATA[:16])
    yield "one good of two", file_of(of(entry("a", shape="[3]"), b), DATA[:16])
    # Metadata.
    for value in ['{"a":null}', '{"a":1}', '{"a":{"b":"c"}}', "[]", '[["a","b"]]', '"pt"', "1", "true"]:
        yield f"metadata {value}", file_of(of(f'"__metadata__":{value}', a), DATA[:8])
    yield "metadata like a tensor", file_of(of(entry("__metadata__")), DATA[:8])


def listed(content):
    """The tensors of a file, as the library reads it."""
    for name, tensor in sorted(deserialize(content), key=lambda item: item[0].encode()):
        dtype = CODES.get(tensor["dtype"])
        if dtype is None:
            continue
        data = bytes(tensor["data"])
        if dtype == "float4_e2m1fn":
            data = bytes(half for byte in data for half in (byte & 15, byte >> 4))
        yield {"name": name, "dtype": dtype, "shape": tensor["shape"], "sha256": hashlib.sha256(data).hexdigest()}


def main():
    put("all.safetensors", save(all_types()))
    put("baseline.safetensors", save(model(0), {"format": "np"}))
    put("retrained.safetensors", save(model(1), {"format": "np"}))
    put("empty.safetensors", save({}))
    # The content of ../demo/model.ckpt.
    put("demo.safetensors", save({"v1": np.ones(3, np.float32), "v2": -np.ones(5, np.float32)}))
    shards("sharded/model", model(0), 3, {"format": "pt"})
    ordered = [("a", "[2]", "[8,16]"), ("b", "[1]", "[0,4]"), ("c", "[]", "[4,8]")]
    pairs = '"__metadata__":{"framework":"jax","author":"somebody \\"quoted\\"","notes":"two\\nlines","zero":""}'
    put("unordered.safetensors",
        file_of(of(*(entry(name, shape=shape, offsets=offsets) for name, shape, offsets in ordered), pairs), DATA[:16]))
    put("unsupported.safetensors", file_of(
        of(entry("a", "F8_E8M0", "[4]", "[0,4]"), entry("b", "F6_E2M3", "[4]", "[4,7]"), entry("c", "U8", "[1]", "[7,8]")), DATA[:8]))
    oracle = {}
    for name in ["all", "baseline", "demo", "empty", "retrained", "unordered"]:
        oracle[f"safetensors/{name}.safetensors"] = list(listed((HERE / f"{name}.safetensors").read_bytes()))
    parts = [facts for path in HERE.glob("sharded/*.safetensors") for facts in listed(path.read_bytes())]
    oracle["safetensors/sharded/model.safetensors.index.json"] = sorted(parts, key=lambda facts: facts["name"].encode())
    (HERE.parent / "oracle" / "safetensors.json").write_text(json.dumps(dict(sorted(oracle.items())), indent=1) + "\n")
    cases = []
    for what, content, *other in headers():
        try:
            deserialize(content)
            library = "accepted"
        except SafetensorError:
            library = "refused"
        assert not other or other[0] != library, what
        cases.append({"what": what, "library": library, "ckdiff": other[0] if other else library, "file": content.decode("latin-1")})
    assert len({case["what"] for case in cases}) == len(cases)
    (HERE / "headers.json").write_text(json.dumps(cases, indent=1, ensure_ascii=False) + "\n")
    print(f"safetensors {safetensors.__version__}: {len(oracle)} checkpoints, {len(cases)} headers")


if __name__ == "__main__":
    main()
