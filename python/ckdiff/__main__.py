"""``python -m ckdiff`` is the command."""

from ._command import main

main()
