"""Pairs of graphs, one for each row of the table of what is a change, in `pairs/`. See README.md.

Usage: python make_fixtures.py --pairs
"""

import os
import pathlib
import shutil
import warnings

from tensorflow.core.framework import graph_pb2
from tensorflow.core.protobuf import meta_graph_pb2
from tensorflow.python.client import pywrap_tf_session
from tensorflow.python.saved_model import loader_impl

from . import oracle

FOLDER = "pairs"


def put(name, side, content):
    """Writes one side, a meta graph, a graph or the bytes of a meta graph; returns its graph."""
    data = content if isinstance(content, bytes) else content.SerializeToString(deterministic=True)
    suffix = "pb" if isinstance(content, graph_pb2.GraphDef) else "meta"
    pathlib.Path(f"{FOLDER}/{name}/{side}.{suffix}").write_bytes(data)
    if suffix == "pb":
        return content
    return meta_graph_pb2.MetaGraphDef.FromString(data).graph_def


def graph_of(folder):
    """The graph of a SavedModel, if it has only one."""
    saved = loader_impl.parse_saved_model(folder)
    return saved.meta_graphs[0].graph_def if len(saved.meta_graphs) == 1 else None


def equal_graph_def(lhs, rhs):
    """The answer of TensorFlow's EqualGraphDef: for both orders if they differ, None if a side has no graph."""
    if lhs is None or rhs is None:
        return None
    data = [side.SerializeToString() for side in (lhs, rhs)]
    there, back = (_equal(*pair) for pair in (data, data[::-1]))
    return there if there == back else {"actual_lhs": there, "actual_rhs": back}


def _equal(actual, expected):
    try:
        return not pywrap_tf_session.EqualGraphDefWrapper(actual, expected)
    except UnicodeDecodeError:  # the difference has bytes that are not UTF-8
        return False


def facts(name, pair):
    """Writes a pair; returns its entry in the oracle."""
    if isinstance(pair.lhs, str):
        graphs = [graph_of(folder) for folder in (pair.lhs, pair.rhs)]
    else:
        graphs = [put(name, side, getattr(pair, side)) for side in ("lhs", "rhs")]
    matters = pair.semantic or pair.more.get("tensors")
    return {
        "what": pair.what,
        "how": pair.how,
        "exit": 1 if matters else 0,
        "equal_graph_def": equal_graph_def(*graphs),
        "semantic": pair.semantic,
        "cosmetic": pair.cosmetic,
        **pair.more,
    }


def main():
    """Writes all pairs and their oracle, in a fresh process, whose counters start at zero."""
    from . import (
        pair_bad, pair_collections, pair_cosmetic, pair_functions, pair_keras, pair_saved_models,
        pair_semantic, pair_structure,
    )  # fmt: skip

    warnings.simplefilter("ignore")
    shutil.rmtree(FOLDER, ignore_errors=True)
    content = {}
    graphs = (pair_cosmetic, pair_semantic, pair_functions, pair_collections, pair_structure, pair_bad)
    for module in (*graphs, pair_saved_models, pair_keras):
        for make in module.MAKERS:
            name = make.__name__
            assert name not in content, name
            os.makedirs(f"{FOLDER}/{name}")
            content[name] = facts(name, make() if module in graphs else make(f"{FOLDER}/{name}"))
    oracle.write("oracle/pairs.json", content)
