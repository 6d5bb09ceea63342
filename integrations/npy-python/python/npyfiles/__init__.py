"""NumPy's ``.npy`` and ``.npz`` files.

``load``, ``save``, ``savez``, ``savez_compressed`` and `npyfiles.format` are those of NumPy, with two differences: a file is
replaced as a whole or not at all, and arrays of objects are read as data, so that nothing in a file is ever run.
"""

from . import format
from ._archive import NpzFile, NpzWriter, open_npz
from ._errors import NpyError, UnpicklingError
from ._files import (
    ArchiveRecovered,
    Header,
    Map,
    Recovered,
    Writer,
    append,
    columns,
    header,
    read_region,
    read_rows,
    recover,
    verify,
)
from ._io import load, save, savez, savez_compressed
from ._native import __version__
from ._objects import Opaque
from .format import open_memmap

__all__ = [
    "ArchiveRecovered", "Header", "Map", "NpyError", "NpzFile", "NpzWriter", "Opaque", "Recovered", "UnpicklingError", "Writer",
    "__version__", "append", "columns", "format", "header", "load", "open_memmap", "open_npz", "read_region", "read_rows", "recover",
    "save", "savez", "savez_compressed", "verify",
]  # fmt: skip
