"""The exceptions of ckdiff."""

from __future__ import annotations

import errno as numbers
from typing import Any


class Error(Exception):
    """What went wrong, and where. Every error about a file or the value of an argument is one.

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

    def __init__(self, message: str, *, errno: int | None = None, **place: Any) -> None:
        super().__init__(message, **place)
        self.errno = errno
        self.filename = self.file

    def __reduce__(self) -> tuple[object, ...]:
        return (type(self), (self.message,), {**self.__dict__, "errno": self.errno, "filename": self.filename})


class PermissionDeniedError(FileError, PermissionError):
    """The operating system denies access to a file."""


class NotFoundError(FileError, FileNotFoundError):
    """No file, checkpoint or part has this name."""

    def __init__(self, message: str, *, errno: int | None = numbers.ENOENT, **place: Any) -> None:
        super().__init__(message, errno=errno, **place)


class MissingTensorError(Error, KeyError):
    """A checkpoint has no tensor of this name."""


class UsageError(Error, ValueError):
    """An argument is invalid, or there is nothing to compare."""


class UnusedWarning(UserWarning):
    """A pattern or a rule matches nothing, or something else of a comparison was not as expected."""


for _class in (Error, FileError, PermissionDeniedError, NotFoundError, MissingTensorError, UsageError, UnusedWarning):
    # Users know them by these names.
    _class.__module__ = "ckdiff"
