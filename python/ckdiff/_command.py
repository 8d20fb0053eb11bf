"""The command ``ckdiff``."""

from __future__ import annotations

import os
import signal
import sys
import traceback
from typing import NoReturn

# The exit code for errors, which the exit code for a difference must never mean.
_TROUBLE = 2


def main() -> NoReturn:
    """Runs the command with the arguments of the process, and exits with its exit code."""
    code = _TROUBLE
    try:
        _open_standard_streams()
        if signal.getsignal(signal.SIGINT) is signal.default_int_handler:
            # The command has a handler of its own, which removes unfinished files. Python's would wait until the command returns.
            signal.signal(signal.SIGINT, signal.SIG_DFL)
        from . import _ckdiff

        code = _ckdiff.main(["ckdiff", *sys.argv[1:]])
    except BaseException:
        traceback.print_exc()
    # Without the work that Python does at its end, which takes longer than comparing small files.
    os._exit(code)


def _open_standard_streams() -> None:
    """Opens those of the first three files that are closed, so that no other file takes their numbers."""
    for number in range(3):
        try:
            os.fstat(number)
        except OSError:
            os.open(os.devnull, os.O_RDWR)
