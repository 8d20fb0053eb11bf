"""The command ``ckdiff``."""

from __future__ import annotations

import os
import signal
import sys

from . import _ckdiff


def main() -> int:
    """Runs the command with the arguments of the process, and returns its exit code."""
    # The command has its own handler, which removes unfinished files; Python's would wait until the command returns.
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    # Python ignores it; the command ends quietly when a pipe is closed, as with the default.
    code = _ckdiff.main(["ckdiff", *sys.argv[1:]])
    # What Python does at its end takes longer than many a command.
    sys.stdout.flush()
    os._exit(code)
