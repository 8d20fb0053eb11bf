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
    ran = subprocess.run([SCRIPT, "save-as", DEMO[1], tmp_path / "new.ckpt"], capture_output=True, text=True)
    assert ran.returncode == 0, ran.stderr
    ran = subprocess.run([SCRIPT, "save-as", DEMO[1], tmp_path / "new.ckpt"], capture_output=True, text=True)
    assert ran.returncode == 2 and ran.stderr.endswith("; --overwrite replaces it\n")


@pytest.mark.skipif(os.name == "nt", reason="the shell is that of Unix")
@pytest.mark.parametrize("closed", [">&-", "2>&-", "<&- >&- 2>&-"])
def test_closed_streams_are_no_errors(closed: str, tmp_path: Path) -> None:
    report = tmp_path / "report.json"
    line = f'"{SCRIPT}" {" ".join(DEMO)} --exclude "typo*" --output json="{report}" {closed}'
    assert subprocess.run(line, shell=True).returncode == 0
    assert report.read_text("utf-8").startswith("{")


@pytest.mark.skipif(os.name == "nt", reason="the shell is that of Unix")
def test_an_ignored_signal_stays_ignored() -> None:
    line = f'trap "" INT; sleep 1 | "{SCRIPT}" convert - "$0"'
    with subprocess.Popen(["sh", "-c", line, os.devnull], stderr=subprocess.DEVNULL, start_new_session=True) as process:
        time.sleep(0.5)
        os.killpg(process.pid, signal.SIGINT)
        assert process.wait(10) == 2  # Nothing is no message.


def test_the_module_is_the_command() -> None:
    ran = subprocess.run([sys.executable, "-m", "ckdiff", *RETRAIN, "-q"], capture_output=True)
    assert (ran.returncode, ran.stdout) == (1, b"")


def test_a_closed_pipe_is_no_error() -> None:
    with subprocess.Popen([SCRIPT, *RETRAIN, "--format=html"], stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        assert process.stdout is not None and process.stderr is not None
        process.stdout.close()
        assert process.stderr.read() == b""
    assert process.returncode == 1


def test_importing_the_package_imports_no_numpy() -> None:
    program = "import sys, ckdiff, ckdiff.testing; print('numpy' in sys.modules, 'ml_dtypes' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", program], capture_output=True, text=True).stdout == "False False\n"


# Makes one long comparison, and says how it ended.
COMPARES = """
    import time, numpy as np, ckdiff
    arrays = {str(i): np.zeros(1 << 20, np.float32) for i in range(16)}
    tensors = {f"{i}/{name}": array for i in range(400) for name, array in arrays.items()}
    print("ready", flush=True)
    try:
        ckdiff.compare_arrays(tensors, dict(tensors), histogram=True)
        print("finished", flush=True)
    except KeyboardInterrupt:
        print("interrupted", flush=True)
"""


def heed_interrupts() -> None:
    """Undoes what a shell does for programs in the background, which ignore Ctrl-C."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)


@pytest.mark.skipif(os.name == "nt", reason="signals are those of Unix")
def test_ctrl_c_ends_a_comparison() -> None:
    command = [sys.executable, "-c", textwrap.dedent(COMPARES)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, preexec_fn=heed_interrupts) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "ready\n"
        time.sleep(0.5)
        sent = time.monotonic()
        process.send_signal(signal.SIGINT)
        try:
            assert process.communicate(timeout=60)[0] == "interrupted\n"
        finally:
            process.kill()
        assert time.monotonic() - sent < 20


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
    command = [SCRIPT, "convert", "-", tmp_path / "out.pbtxt"]
    with subprocess.Popen(command, stdin=subprocess.PIPE, preexec_fn=heed_interrupts) as process:
        time.sleep(1.0)
        process.send_signal(signal.SIGINT)
        try:
            assert process.wait(10) == -signal.SIGINT
        finally:
            process.kill()
    assert list(tmp_path.iterdir()) == []
