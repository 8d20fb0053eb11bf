"""Rewrites every fixture and oracle in this directory with TensorFlow.

Usage: python make_fixtures.py [--PART], where PART is one of PARTS below

README.md describes each fixture, and lists the required packages. Two runs write the same bytes.
"""

import importlib
import os
import pathlib
import shutil
import subprocess
import sys

# Parts that can be written separately: each is a module of `maker` with a `main`.
PARTS = (
    "messages",
    "pairs",
    "fit",
    "layer_lists",
    "roles",
    "frozen",
    "rotation",
    "meta_graphs",
    "savers",
    "object_savers",
    "debug_info",
    "callables",
    "built",
    "trainings",
)
HERE = pathlib.Path(__file__).resolve().parent
ENVIRONMENT = {
    "PYTHONHASHSEED": "0",  # TensorFlow writes some Python sets in hash order
    "PYTHONDONTWRITEBYTECODE": "1",
    "CUDA_VISIBLE_DEVICES": "",
    "TF_CPP_MIN_LOG_LEVEL": "3",
    "TF_ENABLE_ONEDNN_OPTS": "0",
}


def pin_environment():
    """Restarts the script if a required environment variable is not set."""
    if any(os.environ.get(name) != value for name, value in ENVIRONMENT.items()):
        os.execve(sys.executable, [sys.executable, *sys.argv], {**os.environ, **ENVIRONMENT})


def main():
    """Writes all fixtures into the directory of this file."""
    os.chdir(HERE)
    for part in ("verdict", *PARTS):
        if sys.argv[1:] == [f"--{part.replace('_', '-')}"]:
            return importlib.import_module(f"maker.{part}").main()
    from maker import adversarial, bundle, good, hostile, oracle, rewritten, verdict

    shutil.rmtree("oracle", ignore_errors=True)
    expected = {}
    parts = (good, rewritten, hostile, adversarial)
    makers = {directory: make for part in parts for directory, make in part.MAKERS.items()}
    for directory, make in makers.items():
        expected.update(oracle.fresh(directory, make))
    for prefix, tensors in expected.items():
        bundle.check(prefix, tensors)
    oracle.write_tensors(expected)
    oracle.write("oracle/compare.json", adversarial.expected())
    oracle.write_hostile(hostile.cases(), verdict.of_cases())
    for part in PARTS:
        subprocess.run([sys.executable, "make_fixtures.py", f"--{part.replace('_', '-')}"], check=True)


if __name__ == "__main__":
    pin_environment()
    main()
