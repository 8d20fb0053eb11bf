"""Names of tensors, which are bytes in a checkpoint."""

from __future__ import annotations


def to_bytes(name: str | bytes) -> bytes:
    """The bytes of a name."""
    if isinstance(name, bytes):
        return name
    if not isinstance(name, str):
        raise TypeError(f"expected the name of a tensor as str or bytes, found {name.__class__.__name__}")
    return name.encode("utf-8", "surrogateescape")


def to_str(name: bytes) -> str:
    """A name as text; each byte that is not UTF-8 is a surrogate, as in names of files."""
    return name.decode("utf-8", "surrogateescape")
