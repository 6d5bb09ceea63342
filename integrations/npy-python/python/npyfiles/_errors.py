"""Exceptions: ``ValueError`` and ``OSError`` with the file, the member and the byte where they happened."""

from __future__ import annotations

import os
import pickle

__all__ = ["NpyError", "UnpicklingError"]

# Names of Rust in advice, as they are called here.
_ADVICE = {
    "`ObjectOptions::encoding` sets another encoding": "`encoding=` sets another encoding",
    "`UnknownGlobals::Opaque` keeps it as an opaque object": '`unknown_classes="opaque"` keeps it as an `Opaque`',
    "open it with `NpzReader` (feature `npz`)": "open it with `load`",
    ", an .ra file; read it with `rawarray` (feature `rawarray`)": ", an .ra file",
    "`npy_core::npz::recover` keeps them": "`recover` keeps them",
    "read them with `npy_core::object::load`, or as a `DynArray` with `ReadOptions::objects` (feature `object`), or save": (
        "read them with `load(..., allow_pickle=True)`, or save"
    ),
    # There is no option for it.
    "; raise it with `Limits` if the file is trusted": "",
    "; raise it with `ObjectOptions` if the file is trusted": "",
}


class NpyError(ValueError):
    """A file is not what it should be, or an array cannot be stored.

    Attributes
    ----------
    path : str or None
        The file, where the call took a path.
    member : str or None
        The member of an archive, without ``.npy``.
    offset : int or None
        The byte of the file.
    kind : str
        What went wrong, as a name: ``"Truncated"``, ``"InvalidHeader"``, ``"ObjectArray"``, ...
    """

    path: str | None = None
    member: str | None = None
    offset: int | None = None
    kind: str = "Other"


class UnpicklingError(NpyError, pickle.UnpicklingError):
    """A pickle is damaged, or names a class that is not read as data."""


class UnicodePickleError(UnpicklingError, UnicodeError):
    """A text of Python 2 is not ASCII: pass ``encoding="latin1"`` or ``encoding="bytes"``."""


class ArrayMemoryError(NpyError, MemoryError):
    """An array does not fit into memory."""


def _class_of(kind: str, message: str) -> type[Exception]:
    if "`encoding=`" in message:
        return UnicodePickleError
    if kind == "InvalidPickle":
        return UnpicklingError
    if kind == "InvalidArchive":
        return _archive_error()
    if kind in ("OutOfMemory", "TooLarge"):
        return ArrayMemoryError
    if kind in ("Io", "NotDurable", "Conflict", "BrokenStream"):
        return OSError
    return NpyError


def _archive_error() -> type[NpyError]:
    # `zipfile` takes some milliseconds to import, and is named by those alone who catch its exception.
    global _ArchiveError
    if _ArchiveError is None:
        from zipfile import BadZipFile

        class ArchiveError(NpyError, BadZipFile):
            """A zip archive, or a member of it, is damaged."""

        _ArchiveError = ArchiveError
    return _ArchiveError


_ArchiveError: type[NpyError] | None = None


def make(kind: str, message: str, path, member: str | None, offset: int | None, errno: int | None) -> Exception:
    """Make the exception of an error of the extension module."""
    path = None if path is None else os.fspath(path)
    for rust, python in _ADVICE.items():
        message = message.replace(rust, python)
    if errno is not None:
        # Python chooses the subclass, such as FileNotFoundError.
        error: Exception = OSError(errno, os.strerror(errno), path)
    else:
        error = _class_of(kind, message)(message)
    error.path, error.member, error.offset, error.kind = path, member, offset, kind
    return error


def make_npy_error(kind: str, message: str, path=None, member=None, offset=None) -> NpyError:
    """Make an exception that names the file, if the call took a path."""
    error = NpyError(message if path is None else f"{path}: {message}")
    error.path, error.member, error.offset, error.kind = path, member, offset, kind
    return error


def located(error: NpyError, file) -> NpyError:
    """Add the name of a file to an error that has none."""
    if error.path is None and isinstance(file, (str, os.PathLike)):
        error.path = os.fspath(file)
        error.args = (f"{error.path}: {error}",)
    return error
