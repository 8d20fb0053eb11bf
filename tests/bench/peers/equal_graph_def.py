"""Compares two graphs with TensorFlow's EqualGraphDef and with ckdiff, in turn.

    python equal_graph_def.py CKDIFF LHS.meta RHS.meta [ROUNDS]

EqualGraphDef gets the serialized graphs in memory and stops at the first difference, so its time for equal graphs is that
of a whole comparison. ckdiff is a whole process. Each round runs all of them once, since a shared machine is fast one second
and slow the next: the ratios are medians over rounds.
"""

import statistics
import subprocess
import sys
import time
from pathlib import Path

from tensorflow.core.protobuf import meta_graph_pb2
from tensorflow.python.client import pywrap_tf_session


def seconds(work):
    """The time of one run."""
    start = time.perf_counter()
    work()
    return time.perf_counter() - start


def main(ckdiff, lhs_path, rhs_path, rounds="15"):
    """Prints minimum and median of each, and the ratios."""
    graphs = [
        meta_graph_pb2.MetaGraphDef.FromString(Path(path).read_bytes()).graph_def for path in (lhs_path, rhs_path)
    ]
    lhs, rhs = (graph.SerializeToString() for graph in graphs)
    print(f"{len(graphs[0].node)} and {len(graphs[1].node)} nodes, {len(lhs)} and {len(rhs)} bytes")
    equal = pywrap_tf_session.EqualGraphDefWrapper

    def ours(threads, *paths):
        return lambda: subprocess.run([ckdiff, "-j", threads, *paths], stdout=subprocess.DEVNULL, check=False)

    first, whole = "EqualGraphDef, edited: the first difference", "EqualGraphDef, equal: all of it"
    works = {
        first: lambda: equal(lhs, rhs),
        "ckdiff -j 1, edited": ours("1", lhs_path, rhs_path),
        "ckdiff -j 2, edited": ours("2", lhs_path, rhs_path),
        whole: lambda: equal(lhs, lhs),
        "ckdiff -j 1, equal": ours("1", lhs_path, lhs_path),
        "ckdiff -j 2, equal": ours("2", lhs_path, lhs_path),
    }
    times = {what: [] for what in works}
    for _ in range(int(rounds)):
        for what, work in works.items():
            times[what].append(seconds(work))
    for what, runs in times.items():
        print(f"{what:<45} least {min(runs):.3f}  median {statistics.median(runs):.3f}")
    for what, peers in (("edited", (first, whole)), ("equal", (whole,))):
        for peer in peers:
            for threads in "12":
                pairs = zip(times[peer], times[f"ckdiff -j {threads}, {what}"], strict=True)
                ratio = statistics.median(theirs / own for theirs, own in pairs)
                print(f"ckdiff -j {threads}, {what}: {ratio:.1f} times faster than {peer}")


if __name__ == "__main__":
    main(*sys.argv[1:])
