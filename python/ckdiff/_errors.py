"""The exceptions of ckdiff."""

from __future__ import annotations


class Error(Exception):
    """What went wrong, and where. Every error of ckdiff is one.

    Attributes:
        file: the file, as it was given.
        offset: the position in the file, in bytes.
        tensor: the name of the tensor.
        field: the path of the field of a message, such as ``graph_def.node[2].name``.
        line, column: the position in a text, from 1.
    """

    def __init__(
        self,
        message: str,
        *,
        file: str | None = None,
        offset: int | None = None,
        tensor: str | None = None,
        field: str | None = None,
        line: int | None = None,
        column: int | None = None,
    ) -> None:
        super().__init__(message)
        self.message = message
        self.file = file
        self.offset = offset
        self.tensor = tensor
        self.field = field
        self.line = line
        self.column = column

    def __str__(self) -> str:
        return self.message

    def __reduce__(self) -> tuple[object, ...]:
        # Exceptions cross processes, as under pytest-xdist, by their arguments and attributes.
        return (type(self), (self.message,), self.__dict__)


class FileError(Error, OSError):
    """The operating system refuses to read or write a file."""


class NotFoundError(Error, FileNotFoundError):
    """No file, checkpoint or part has this name."""


class MissingTensorError(Error, KeyError):
    """A checkpoint has no tensor of this name."""


class UsageError(Error, ValueError):
    """An argument is invalid, or there is nothing to compare."""
