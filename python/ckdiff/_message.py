"""Reads and converts messages."""

from __future__ import annotations

import os
from typing import Any, Literal, Protocol

from ._ckdiff import Artifact

Form = Literal["binary", "text", "json"]


class Protobuf(Protocol):
    """A message of the protobuf library."""

    @property
    def DESCRIPTOR(self) -> Any: ...

    def SerializeToString(self) -> bytes: ...


class Message:
    """A message, such as a meta graph, that was read from one form and is written in any."""

    def __init__(self, artifact: Artifact) -> None:
        self._artifact = artifact

    @property
    def path(self) -> str:
        """The file that it was read from; for a message from memory, its type in angle brackets."""
        return self._artifact.path

    @property
    def type(self) -> str:
        """The full name of its type, such as ``tensorflow.MetaGraphDef``."""
        return self._artifact.message_type

    def to_text(self, *, single_line: bool = False) -> str:
        """The message in text format, as TensorFlow writes it."""
        return self._artifact.to_text(single_line)

    def to_json(self, *, compact: bool = False, drop_unknown: bool = False) -> str:
        """The message as JSON, which has no place for unknown fields: they are an error unless they are dropped."""
        return self._artifact.to_json(compact, drop_unknown)

    def to_binary(self) -> bytes:
        """The message in binary form, fields by number."""
        return self._artifact.to_binary()

    def __bytes__(self) -> bytes:
        return self.to_binary()

    def __str__(self) -> str:
        return self.to_text()

    def __repr__(self) -> str:
        return f"<ckdiff.Message {self.type} from {self.path!r}>"


def read_message(path: str | os.PathLike[str], type: str | None = None, *, form: Form | None = None) -> Message:
    """Reads the message in a file, or the graphs of a SavedModel. Type and form are recognized if they are not given."""
    return Message(Artifact.read_message(path, type, form))


def parse_message(data: str | bytes | bytearray | memoryview | Protobuf, type: str | None = None, *, form: Form | None = None) -> Message:
    """Parses a message: text or JSON as ``str``, any form as ``bytes``, or a message of the protobuf library."""
    if isinstance(data, str):
        data = data.encode("utf-8", "surrogatepass")
    elif not isinstance(data, (bytes, bytearray, memoryview)):
        if not hasattr(data, "SerializeToString"):
            raise TypeError(f"expected str, bytes or a message, found {data.__class__.__name__}")
        type, form = type or data.DESCRIPTOR.full_name, "binary"
        data = data.SerializeToString()
    return Message(Artifact.parse_message(bytes(data), f"<{type or 'message'}>", type, form))
