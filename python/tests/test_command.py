"""The command that the package installs, and signals."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import textwrap
import time
from pathlib import Path

import numpy as np
import pytest

import ckdiff

SCRIPT = Path(sys.executable).with_name("ckdiff")
DEMO = ["tests/data/demo/v1format.ckpt", "tests/data/demo/model.ckpt"]
RETRAIN = ["tests/data/retrain/baseline.ckpt", "tests/data/retrain/retrained.ckpt"]


@pytest.mark.parametrize(("arguments", "code"), [(DEMO, 0), (RETRAIN, 1), (["nothing", DEMO[0]], 2), (["--help"], 0), ([], 2)])
def test_exit_codes(arguments: list[str], code: int) -> None:
    assert subprocess.run([SCRIPT, *arguments], capture_output=True).returncode == code


def test_the_version_is_that_of_the_package() -> None:
    printed = subprocess.run([SCRIPT, "--version"], capture_output=True, text=True).stdout
    assert printed == f"ckdiff {ckdiff.__version__}\n"


def test_errors_name_the_options_of_their_command(tmp_path: Path) -> None:
    out = tmp_path / "out.pbtxt"
    out.write_text("")
    ran = subprocess.run([SCRIPT, "convert", "tests/data/demo/model.ckpt.meta", out], capture_output=True, text=True)
    assert ran.returncode in (0, 2) and (ran.returncode == 0 or "--overwrite" in ran.stderr)


def test_a_closed_pipe_is_no_error() -> None:
    with subprocess.Popen([SCRIPT, *RETRAIN, "--format=html"], stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        assert process.stdout is not None and process.stderr is not None
        process.stdout.close()
        assert process.stderr.read() == b""
    assert process.returncode == 1


def test_importing_the_package_imports_no_numpy() -> None:
    program = "import sys, ckdiff, ckdiff.testing; print('numpy' in sys.modules, 'ml_dtypes' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", program], capture_output=True, text=True).stdout == "False False\n"


# Compares until it is interrupted, and says how that ended.
COMPARES = """
    import sys, numpy as np, ckdiff
    arrays = [{str(i): np.zeros(1 << 20, np.float32) for i in range(64)} for _ in range(2)]
    print("ready", flush=True)
    try:
        while True:
            ckdiff.compare_arrays(*arrays, atol=1.0)
    except KeyboardInterrupt:
        print("interrupted", flush=True)
"""


def test_ctrl_c_raises_keyboard_interrupt() -> None:
    program = textwrap.dedent(COMPARES)
    with subprocess.Popen([sys.executable, "-c", program], stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "ready\n"
        time.sleep(0.3)
        sent = time.monotonic()
        process.send_signal(signal.SIGINT)
        assert process.stdout.readline() == "interrupted\n"
        assert time.monotonic() - sent < 5


def test_other_threads_run_meanwhile() -> None:
    import threading

    arrays = {str(i): np.zeros(1 << 20, np.float32) for i in range(64)}
    counted, done = 0, threading.Event()

    def count() -> None:
        nonlocal counted
        while not done.is_set():
            counted += 1

    thread = threading.Thread(target=count)
    thread.start()
    before = counted
    ckdiff.compare_arrays(arrays, dict(arrays), atol=1.0)
    during = counted - before
    done.set()
    thread.join()
    assert during > 1000


@pytest.mark.skipif(os.name == "nt", reason="signals are those of Unix")
def test_the_command_ends_by_ctrl_c_as_by_a_signal(tmp_path: Path) -> None:
    with subprocess.Popen([SCRIPT, "convert", "-", tmp_path / "out.pbtxt"], stdin=subprocess.PIPE) as process:
        time.sleep(1.0)
        process.send_signal(signal.SIGINT)
        assert process.wait(10) == -signal.SIGINT
    assert list(tmp_path.iterdir()) == []
