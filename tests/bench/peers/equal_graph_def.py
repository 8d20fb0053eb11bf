"""What a user of TensorFlow runs to compare two graphs: EqualGraphDef, which stops at the first difference.

    python equal_graph_def.py LHS.meta RHS.meta

Prints the best of five, in seconds; the graphs are in memory, serialized. Parsing is what it takes to compare with an
empty graph, once for each side.
"""

import sys
import time
from pathlib import Path

from tensorflow.core.protobuf import meta_graph_pb2
from tensorflow.python.client import pywrap_tf_session


def best(work):
    """The least time of five."""
    times = []
    for _ in range(5):
        start = time.perf_counter()
        work()
        times.append(time.perf_counter() - start)
    return min(times)


def main(paths):
    """Both ways, and each side with itself."""
    graphs = [meta_graph_pb2.MetaGraphDef.FromString(Path(path).read_bytes()).graph_def for path in paths]
    lhs, rhs = (graph.SerializeToString() for graph in graphs)
    print(f"{len(graphs[0].node)} and {len(graphs[1].node)} nodes, {len(lhs)} and {len(rhs)} bytes")
    equal = pywrap_tf_session.EqualGraphDefWrapper
    parsing = best(lambda: equal(b"", lhs)) + best(lambda: equal(b"", rhs))
    print(f"parse both                {parsing:.3f}")
    for what, pair in (
        ("lhs with itself", (lhs, lhs)),
        ("lhs with rhs", (lhs, rhs)),
        ("rhs with lhs", (rhs, lhs)),
    ):
        whole = best(lambda pair=pair: equal(*pair))
        print(
            f"{what:<16} in all   {whole:.3f}, without parsing {whole - parsing:.3f}: {equal(*pair) or 'equal'}"
        )


if __name__ == "__main__":
    main(sys.argv[1:])
