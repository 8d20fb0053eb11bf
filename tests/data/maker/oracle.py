"""The JSON files with the expected results of reading the fixtures."""

import json
import os
import shutil


def fresh(directory, make):
    """Empties a directory and runs its maker."""
    shutil.rmtree(directory, ignore_errors=True)
    os.makedirs(directory)
    return make()


def write_tensors(expected):
    """oracle/tensors.json: {checkpoint: [tensor, ...]}, both in byte order of their names."""
    content = {
        prefix: [tensor.oracle() for tensor in sorted(tensors, key=lambda tensor: tensor.name)]
        for prefix, tensors in sorted(expected.items())
    }
    write("oracle/tensors.json", content)


def write_hostile(cases, verdicts):
    """oracle/hostile.json: {case: what is wrong, which tensors must fail, whether it must open}."""
    content = {
        name: {
            "what": case.what,
            "broken": list(case.broken),
            "opens": case.opens,
            "tensorflow": verdicts[name],
        }
        for name, case in cases.items()
    }
    write("oracle/hostile.json", content, 1)


def write(path, content, depth=2):
    """JSON with one line for each element `depth` levels down."""
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "w", encoding="ascii") as file:
        file.write(_lines(content, depth) + "\n")


def _lines(value, depth):
    if depth == 0 or not isinstance(value, (dict, list)) or not value:
        return json.dumps(value, separators=(",", ":"), allow_nan=False)
    if isinstance(value, list):
        return "[\n" + ",\n".join(_lines(item, depth - 1) for item in value) + "\n]"
    items = (f"{json.dumps(key)}: {_lines(item, depth - 1)}" for key, item in value.items())
    return "{\n" + ",\n".join(items) + "\n}"
