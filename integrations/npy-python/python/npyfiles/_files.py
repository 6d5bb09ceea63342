"""What NumPy has no function for: headers, parts, growing files, checks and maps that close."""

from __future__ import annotations

import mmap
import operator
import os
from typing import NamedTuple

import numpy as np

from . import _native, format
from ._errors import NpyError, located, make_npy_error

__all__ = [
    "ArchiveRecovered", "Header", "Map", "Recovered", "Writer", "append", "columns", "header", "read_region", "read_rows", "recover",
    "verify",
]  # fmt: skip

# Bytes of rows that are read at once for a few of their fields.
_CHUNK_BYTES = 4 * 1024**2


class Header(NamedTuple):
    """What a file says of its array."""

    shape: tuple[int, ...]
    fortran_order: bool
    dtype: np.dtype
    version: int
    #: The byte of the file, or of the member, at which the elements begin.
    data_offset: int


class Recovered(NamedTuple):
    """What `recover` did to a ``.npy`` file."""

    #: Rows that the header counted.
    before: int
    #: Rows that it counts now.
    rows: int
    #: Bytes of an incomplete row that were cut.
    cut: int


class ArchiveRecovered(NamedTuple):
    """What `recover` did to an archive."""

    members: int
    #: Members that no central directory listed.
    added: int
    #: Bytes after the last whole member that were dropped.
    dropped: int


def _path(file):
    return os.fsdecode(os.fspath(file))


def _is_archive(path):
    with open(path, "rb") as file:
        return file.read(2) == b"PK"


def header(path):
    """Return the `Header` of a ``.npy`` file, without reading the elements."""
    return Header(*_native.describe_path(_path(path)))


def read_region(path, key):
    """Read a part of an array, without the bytes that are far from it.

    Parameters
    ----------
    path : str or path-like
    key : int, slice, Ellipsis, or tuple of them
        As in ``array[key]``.

    Returns
    -------
    numpy.ndarray
        ``load(path)[key]``

    Raises
    ------
    IndexError
        If the key is another one, or outside of the array.
    NpyError
        If the file is invalid, ends early, or has Python objects.
    """
    path = _path(path)
    shape = header(path).shape
    key = key if isinstance(key, tuple) else (key,)
    at = next((at for at, index in enumerate(key) if index is Ellipsis), None)
    if at is not None:
        key = key[:at] + (slice(None),) * (len(shape) - len(key) + 1) + key[at + 1 :]
    if len(key) > len(shape):
        raise IndexError(f"too many indices for array: array is {len(shape)}-dimensional, but {len(key)} were indexed")
    slices, after = [], []
    for axis, (index, length) in enumerate(zip(key, shape)):
        if isinstance(index, slice):
            start, stop, step = index.indices(length)
            count = len(range(start, stop, step))
            if step < 0:
                start, step = start + (count - 1) * step if count else 0, -step
                after.append(slice(None, None, -1))
            else:
                after.append(slice(None))
            slices.append((start if count else 0, count, step))
        else:
            try:
                index = operator.index(index)
            except TypeError:
                expected = "expected integers, slices and at most one `...`"
                raise IndexError(f"{expected}, found {index!r}; `load(path)[key]` takes any index") from None
            if not -length <= index < length:
                raise IndexError(f"index {index} is out of bounds for axis {axis} with size {length}")
            slices.append((index % length, 1, 1))
            after.append(0)
    return _native.read_region(path, slices)[tuple(after)]


def read_rows(path, start=0, stop=None):
    """Read the rows ``start`` to ``stop`` of an array: ``load(path)[start:stop]``.

    Parameters
    ----------
    path : str or path-like
    start, stop : int, optional
        Indices along the first axis; negative ones count from its end.

    Returns
    -------
    numpy.ndarray
        Of shape ``(stop - start, *shape[1:])``.
    """
    return read_region(path, slice(start, stop))


def columns(path, names):
    """Read fields of an array of records, without keeping the others.

    Parameters
    ----------
    path : str or path-like
    names : str or sequence of str

    Returns
    -------
    dict of str to numpy.ndarray
        Contiguous arrays of the shape of the file.

    Raises
    ------
    KeyError
        If there is no such field.
    NpyError
        If the array has no fields.
    """
    names = [names] if isinstance(names, str) else list(names)
    path = _path(path)
    found = header(path)
    if found.dtype.names is None:
        raise make_npy_error("Mismatch", f"expected records, found {found.dtype}", path)
    missing = [name for name in names if name not in found.dtype.names]
    if missing:
        raise KeyError(f"{path}: no field {missing[0]!r}; the fields are {', '.join(found.dtype.names)}")
    if len(found.shape) != 1:
        array = _native.read_region(path, [])
        return {name: np.ascontiguousarray(array[name]) for name in names}
    (count,) = found.shape
    result = {name: np.empty(count, found.dtype[name]) for name in names}
    step = max(_CHUNK_BYTES // max(found.dtype.itemsize, 1), 1)
    for start in range(0, count, step):
        part = _native.read_region(path, [(start, min(step, count - start), 1)])
        for name, column in result.items():
            column[start : start + len(part)] = part[name]
    return result


class Writer:
    """Append rows to a ``.npy`` file, which is valid at every instant.

    Other programs can read the file meanwhile. Rows count from `flush` on; a crash leaves the rows of the last one.

    Parameters
    ----------
    path : str or path-like
        An existing file is appended to, in its dtype and order.
    dtype : dtype, optional
        Creates the file, or replaces it by one without rows.
    shape : int or tuple of int, optional
        The shape of one row of a file that is created.

    Raises
    ------
    OSError
        If the file cannot be opened, or has another writer.
    NpyError
        If it is no ``.npy`` file, or cannot grow: it has no axis, or Python objects.

    Examples
    --------
    >>> with Writer("log.npy", dtype="<f8", shape=(3,)) as log:
    ...     log.write([[1, 2, 3], [4, 5, 6]])
    ...     log.flush()
    """

    def __init__(self, path, dtype=None, shape=()):
        self._path = path = _path(path)
        if dtype is None:
            self._file = _native.Growing.append(path)
        else:
            descr = format.dtype_to_descr(np.dtype(dtype))
            text = descr if isinstance(descr, str) else repr(descr)
            shape = (shape,) if isinstance(shape, int) else shape
            self._file = _native.Growing.create(path, text, False, (0, *shape))
        shape, self._is_fortran, self.dtype, _, _ = self._file.header()
        if not shape:
            raise make_npy_error("WrongShape", "expected an array with at least one dimension", path)
        #: The shape of one row.
        self.row_shape = shape[:-1] if self._is_fortran else shape[1:]

    def write(self, rows):
        """Write rows: an array of shape ``(n, *row_shape)``; in Fortran order ``(*row_shape, n)``.

        Raises
        ------
        TypeError
            If the values do not fit the dtype of the file by NumPy's rule ``same_kind``.
        NpyError
            If the rows have another shape.
        """
        rows = np.asarray(rows)
        if rows.dtype != self.dtype:
            rows = rows.astype(self.dtype, casting="same_kind")
        shape = rows.shape[:-1] if self._is_fortran else rows.shape[1:]
        if rows.ndim == 0 or shape != self.row_shape:
            lengths = (*self.row_shape, "n") if self._is_fortran else ("n", *self.row_shape)
            expected = ", ".join(map(str, lengths)) + ("," if len(lengths) == 1 else "")
            raise make_npy_error("WrongShape", f"wrong shape: expected ({expected}), found {rows.shape}", self._path)
        self._file.write(format.parts_of(np.ascontiguousarray(rows.T if self._is_fortran else rows)))

    def flush(self):
        """Commit the rows written so far: they survive a crash and a power cut."""
        self._file.flush()

    def close(self):
        """Commit all rows and close the file."""
        self._file.finish()

    def __repr__(self):
        return f"Writer({self._path!r}, dtype={self.dtype!r}, shape={self.row_shape})"

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()


def append(path, array):
    """Append rows to a ``.npy`` file, or create it.

    Parameters
    ----------
    path : str or path-like
    array : array_like
        Rows of the dtype and the shape of the file: ``(n, *shape[1:])``, in Fortran order ``(*shape[:-1], n)``.

    Raises
    ------
    TypeError
        If the values do not fit the dtype of the file by NumPy's rule ``same_kind``.
    OSError
        If the file cannot be written, or has another writer.
    NpyError
        If the rows have another shape, or the file cannot grow.
    """
    array = np.asarray(array)
    if array.ndim == 0:
        raise make_npy_error("WrongShape", "wrong shape: expected rows of shape (n, ...), found ()", _path(path))
    if os.path.exists(path):
        writer = Writer(path)
    else:
        writer = Writer(path, dtype=array.dtype, shape=array.shape[1:])
    with writer:
        writer.write(array)


def verify(path):
    """Check a file as a whole. Raise `NpyError` for what is damaged or missing.

    Of an archive, every member is read and its checksum compared; of a ``.npy`` file, the header and the length are checked, and
    its objects are read as data.
    """
    path = _path(path)
    if _is_archive(path):
        _native.verify_archive(path)
        return
    found = header(path)
    if found.dtype.hasobject:
        with open(path, "rb") as file:
            try:
                format.read_array(file, allow_pickle=True, unknown_classes="opaque")
            except NpyError as error:
                raise located(error, path)
        return
    needed = found.data_offset + found.dtype.itemsize * int(np.prod(found.shape, dtype=object))
    size = os.stat(path).st_size
    if size != needed:
        kind = "truncated file" if size < needed else "unknown bytes after the array"
        kind_name = "Truncated" if size < needed else "InvalidData"
        raise make_npy_error(kind_name, f"{kind}: expected {needed} bytes, found {size}", path, offset=min(size, needed))


def recover(path):
    """Restore a file after a crash: a growing ``.npy`` file counts all its whole rows, an archive lists its whole members.

    Returns
    -------
    Recovered or ArchiveRecovered
    """
    path = _path(path)
    if _is_archive(path):
        return ArchiveRecovered(*_native.recover_archive(path))
    return Recovered(*_native.recover_array(path))


class Map:
    """A ``.npy`` file mapped into memory, which can be closed.

    Parameters
    ----------
    path : str or path-like
    mode : {'r', 'r+', 'c'}, optional
        Read, read and write, or copy on write.

    Raises
    ------
    OSError
        If the file cannot be opened or mapped.
    NpyError
        If it is no ``.npy`` file, or ends early.
    ValueError
        If it has Python objects.

    Examples
    --------
    >>> with Map("large.npy") as map:
    ...     mean = map.array.mean()
    """

    def __init__(self, path, mode="r"):
        path = _path(path)
        modes = {"r": ("rb", mmap.ACCESS_READ), "r+": ("r+b", mmap.ACCESS_WRITE), "c": ("rb", mmap.ACCESS_COPY)}
        if mode not in modes:
            raise ValueError(f"mode must be 'r', 'r+' or 'c', found {mode!r}")
        how, access = modes[mode]
        found = header(path)
        format._refuse_objects(found.dtype)
        self._path, self._header = path, found
        with open(path, how) as file:
            self._map = mmap.mmap(file.fileno(), 0, access=access)
        self._expect_data()

    def _expect_data(self):
        """Raise if the file ends before the array, whose memory would end the process when it is used. Return the bytes of the array."""
        shape, _, dtype, _, offset = self._header
        count = dtype.itemsize * int(np.prod(shape, dtype=object))
        # Of the file as it is now, and of the map.
        found = min(self._map.size(), len(self._map))
        if found < offset + count:
            message = f"truncated file: the array needs {count} bytes at offset {offset}, found {max(found - offset, 0)}"
            raise make_npy_error("Truncated", message, self._path, offset=found)
        return count

    @property
    def array(self):
        """A new array over the memory of the map."""
        count = self._expect_data()
        shape, is_fortran, dtype, _, offset = self._header
        # Unlike `numpy.ndarray` with a buffer, it keeps the map from being closed.
        array = np.frombuffer(self._map, np.uint8, count, offset).view(dtype)
        return array.reshape(shape[::-1]).T if is_fortran else array.reshape(shape)

    def flush(self):
        """Write changes to the file."""
        self._map.flush()

    def close(self):
        """Close the map and the file.

        Raises
        ------
        BufferError
            If arrays still use the memory, which would then be gone.
        """
        try:
            self._map.close()
        except BufferError:
            raise BufferError(f"{self._path}: cannot close the map while arrays use it; delete them first") from None

    def __repr__(self):
        state = " (closed)" if self._map.closed else f", shape={self._header.shape}, dtype={self._header.dtype!r}"
        return f"Map({self._path!r}{state})"

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()
