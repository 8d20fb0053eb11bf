"""Reads ckdiff's files with the safetensors library and compares every byte; then compares verdicts on headers.

Usage: python check.py CKDIFF, the command. It needs safetensors and numpy.

Checkpoints are written by the command from the fixtures, as one file and in shards. The library reads them, and every
tensor must have the type, the shape and the bytes that the oracles say. Headers of the fixtures and random ones are given
to both: ckdiff must accept and refuse the same headers as the library, except those that `headers.json` names.
"""

import hashlib
import json
import pathlib
import random
import re
import struct
import subprocess
import sys
import tempfile

from safetensors import SafetensorError, deserialize, safe_open

DATA = pathlib.Path(__file__).resolve().parent.parent / "data"
sys.path.insert(0, str(DATA / "safetensors"))
from make_safetensors import CODES, listed  # noqa: E402

# A checkpoint of TensorFlow, and the tensors that the format cannot store.
SOURCES = [
    ("demo/model.ckpt", []),
    ("demo/v1format.ckpt", []),
    ("retrain/baseline.ckpt", ["vocab"]),
    ("slices/parts.ckpt", ["**/string"]),
    ("slices/whole.ckpt", ["**/string"]),
    ("shards/three.ckpt", ["vocab"]),
    ("v1/sliced.ckpt", ["**/string"]),
    ("bigendian/model.ckpt", ["string", "complex128"]),
    ("blocks/many.ckpt", []),
    ("snappy/v2.ckpt", ["**string**"]),
    ("tf2/ckpt-2", ["_CHECKPOINTABLE_OBJECT_GRAPH"]),
    ("dtypes/all.ckpt", ["string/*", "variant/*", "complex128/*", "q*/*", "int4/*", "uint4/*", "int2/*", "uint2/*",
                         "float8_e4m3b11fnuz/*", "float4_e2m1fn/scalar", "float4_e2m1fn/vector"]),
]
# The number of random headers made from those of the fixtures.
MUTATIONS = 400


def main():
    """Runs every check; an assertion fails where something differs."""
    [ckdiff] = sys.argv[1:]
    with tempfile.TemporaryDirectory() as directory:
        out = pathlib.Path(directory)
        check_written(ckdiff, out)
        check_headers(ckdiff, out)
        check_mutations(ckdiff, out)


def run(ckdiff, *args):
    return subprocess.run([ckdiff, *map(str, args)], capture_output=True, text=True)


def check_written(ckdiff, out):
    own = json.loads((DATA / "oracle/safetensors.json").read_text())
    oracle = json.loads((DATA / "oracle/tensors.json").read_text()) | own
    sources = SOURCES + [(name, []) for name in own if own[name]]
    tensors = 0
    for number, (source, excluded) in enumerate(sources):
        for shards in [1, 3]:
            place = out / f"{number}-{shards}"
            exclude = [f"--exclude={glob}" for glob in excluded]
            done = run(ckdiff, "save-as", DATA / source, place, "--format=safetensors", f"--shards={shards}", *exclude)
            assert done.returncode == 0, done.stderr
            found = {}
            for file in sorted(out.glob(f"{place.name}*.safetensors")):
                for facts in listed(file.read_bytes()):
                    assert facts["name"] not in found, (file, facts)
                    found[facts["name"]] = facts
                with safe_open(file, framework="np") as opened:
                    assert set(opened.keys()) <= set(found), file
                if shards > 1:
                    index = json.loads((out / f"{place.name}.safetensors.index.json").read_text())
                    for name in found:
                        assert name in index["weight_map"], (file, name)
                    assert all((out / shard).exists() for shard in index["weight_map"].values())
            expected = {facts["name"]: facts for facts in oracle[source] if "name" in facts}
            kept = subprocess.run([ckdiff, "show", "--format", "json", DATA / source, *exclude], capture_output=True)
            names = {row["name"] for row in json.loads(kept.stdout)["tensors"]}
            assert found == {name: facts for name, facts in expected.items() if name in names}, source
            tensors += len(found)
    print(f"save-as: {len(sources)} checkpoints, one file and three shards each, {tensors} tensors equal")


def library_takes(content, path):
    """Whether the library reads a file, by both of its functions."""
    try:
        deserialize(content)
    except SafetensorError:
        return False
    with safe_open(path, framework="np") as opened:
        opened.keys()
    return True


def check_headers(ckdiff, out):
    cases = json.loads((DATA / "safetensors/headers.json").read_text())
    path = out / "m.safetensors"
    for case in cases:
        content = case["file"].encode("latin-1")
        path.write_bytes(content)
        assert library_takes(content, path) == (case["library"] == "accepted"), case["what"]
        assert run(ckdiff, "show", path).returncode == (0 if case["ckdiff"] == "accepted" else 2), case["what"]
    print(f"headers: {len(cases)} with the verdicts of headers.json")


def mutated(header, rng):
    """A header in which one or two tokens are replaced."""
    tokens = re.findall(r'"(?:[^"\\]|\\.)*"|-?\d+|[^\s"\d]|\s+', header)
    for _ in range(rng.randint(1, 2)):
        at = rng.randrange(len(tokens))
        choice = rng.randrange(5)
        if choice == 0:
            del tokens[at]
        elif choice == 1:
            tokens.insert(at, rng.choice(tokens))
        elif choice == 2:
            tokens[at] = rng.choice(tokens)
        elif re.fullmatch(r"\d+", tokens[at]):
            tokens[at] = str(rng.choice([0, 1, 2, int(tokens[at]) + 1, int(tokens[at]) * 2, -1, 2**63, 2**64, "1.0", "1e2"]))
        elif tokens[at].startswith('"'):
            tokens[at] = rng.choice(['"F64"', '"U8"', '"f32"', '""', '"x"', "null", "[]", "{}", *map('"{}"'.format, CODES)])
        if not tokens:
            break
    return "".join(tokens)


class Twice(Exception):
    """Fails on a duplicate key."""


def refuse_twice(pairs):
    if len({key for key, _ in pairs}) < len(pairs):
        raise Twice
    return dict(pairs)


def may_differ(header):
    """Whether a key is a duplicate, a dimension exceeds 2^63 - 1, or ckdiff does not know a type."""
    try:
        parsed = json.loads(header, object_pairs_hook=refuse_twice)
    except Twice:
        return True
    except ValueError:
        return False
    large = re.search(r"\b\d{19,}\b", header)
    return bool(large) or any(
        isinstance(entry, dict) and str(entry.get("dtype")).startswith(("F8_E8M0", "F6_")) for entry in parsed.values())


def check_mutations(ckdiff, out):
    rng = random.Random(17)
    seeds = []
    for name in ["baseline", "unordered", "demo", "retrained"]:
        content = (DATA / f"safetensors/{name}.safetensors").read_bytes()
        [length] = struct.unpack("<Q", content[:8])
        seeds.append((content[8:8 + length].decode(), content[8 + length:]))
    taken = refused = skipped = 0
    for number in range(MUTATIONS):
        header, data = rng.choice(seeds)
        header = mutated(header, rng)
        content = struct.pack("<Q", len(header.encode())) + header.encode() + data
        path = out / f"mutation-{number}.safetensors"
        path.write_bytes(content)
        expected, found = library_takes(content, path), run(ckdiff, "show", path).returncode == 0
        if expected != found and may_differ(header):
            skipped += 1
            continue
        assert expected == found, (header, expected, run(ckdiff, "show", path).stderr)
        taken, refused = taken + expected, refused + (not expected)
    assert taken > 20 and refused > 200, (taken, refused)
    print(f"random headers: {taken} read and {refused} refused by both, {skipped} differ as documented")


if __name__ == "__main__":
    main()
