"""Times Python's protobuf on a meta graph, as TensorFlow uses it: text and JSON, both ways.

    python messages.py GRAPH.meta [TASK...]

Tasks: binary, print_text, parse_text, print_json, parse_json (default: all). Each runs in its own process;
prints its CPU and wall seconds, MB/s of text or JSON, and the peak RSS of the process.
"""

import multiprocessing
import resource
import sys
import time
from pathlib import Path

from google.protobuf import json_format, text_format
from tensorflow.core.protobuf.meta_graph_pb2 import MetaGraphDef

TASKS = {
    "binary": (".meta", MetaGraphDef.FromString),
    "print_text": (".meta", text_format.MessageToString),
    "parse_text": (".pbtxt", lambda text: text_format.Parse(text, MetaGraphDef())),
    "print_json": (".meta", json_format.MessageToJson),
    "parse_json": (".json", lambda text: json_format.Parse(text, MetaGraphDef())),
}


def run(name, path):
    """Runs a task once; does not time reading the file and, for the printers, parsing the binary."""
    suffix, task = TASKS[name]
    source = path.with_suffix(suffix)
    content = source.read_bytes() if suffix == ".meta" else source.read_text("utf-8")
    if name.startswith("print"):
        content = MetaGraphDef.FromString(content)
    wall, cpu = time.perf_counter(), time.process_time()
    result = task(content)
    wall, cpu = time.perf_counter() - wall, time.process_time() - cpu
    size = len(result if isinstance(result, str) else content) / 1e6
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    print(f"{name}: {cpu:.3f} s CPU, {wall:.3f} s, {size / cpu:.1f} MB/s, peak {peak:.0f} MiB", flush=True)


if __name__ == "__main__":
    for chosen in sys.argv[2:] or TASKS:
        child = multiprocessing.get_context("fork").Process(target=run, args=(chosen, Path(sys.argv[1])))
        child.start()
        child.join()
