"""The functions of ``numpy.lib.format``, under the same names."""

from __future__ import annotations

import io
import os
import pickle
import sys
import warnings

import numpy as np
from numpy.lib.format import drop_metadata

from . import _native
from ._errors import make_npy_error
from ._objects import refuse_names_of_python_2

__all__ = [
    "ARRAY_ALIGN", "BUFFER_SIZE", "EXPECTED_KEYS", "GROWTH_AXIS_MAX_DIGITS", "MAGIC_LEN", "MAGIC_PREFIX",
    "descr_to_dtype", "drop_metadata", "dtype_to_descr", "header_data_from_array_1_0", "isfileobj", "magic", "open_memmap",
    "read_array", "read_array_header_1_0", "read_array_header_2_0", "read_magic", "write_array", "write_array_header_1_0",
    "write_array_header_2_0",
]  # fmt: skip

EXPECTED_KEYS = {"descr", "fortran_order", "shape"}
MAGIC_PREFIX = b"\x93NUMPY"
MAGIC_LEN = len(MAGIC_PREFIX) + 2
ARRAY_ALIGN = 64
BUFFER_SIZE = 2**18
GROWTH_AXIS_MAX_DIGITS = 21

MAX_HEADER_SIZE = 10000
UNLIMITED = 2**63
# Bytes of an array that are passed to `write` at once.
_WRITE_BYTES = 16 * 1024**2

_PACKAGE = os.path.dirname(__file__)

# Streams whose `readinto` and `write` take any memory, and do what `read` and `write` of bytes do.
_KNOWN_STREAMS = (io.BytesIO, io.FileIO, io.BufferedReader, io.BufferedWriter, io.BufferedRandom)


def _check_version(version):
    if version not in [(1, 0), (2, 0), (3, 0), None]:
        raise ValueError(f"we only support format version (1,0), (2,0), and (3,0), not {version}")


def _warn(message):
    """Warn the first caller outside of this package."""
    level, frame = 1, sys._getframe()
    while frame is not None and os.path.dirname(frame.f_code.co_filename) == _PACKAGE:
        level, frame = level + 1, frame.f_back
    warnings.warn(message, UserWarning, stacklevel=level)


def magic(major, minor):
    """Return the magic string of a version of the format, as bytes."""
    if not 0 <= major <= 255:
        raise ValueError("major version must be 0 <= major < 256")
    if not 0 <= minor <= 255:
        raise ValueError("minor version must be 0 <= minor < 256")
    return MAGIC_PREFIX + bytes([major, minor])


def isfileobj(f):
    """Return whether `f` is a file of the operating system, opened by ``open`` in binary mode."""
    if not isinstance(f, (io.FileIO, io.BufferedReader, io.BufferedWriter)):
        return False
    try:
        f.fileno()
        return True
    except OSError:
        return False


def _read_bytes(fp, size, what):
    """Read exactly `size` bytes of a file object."""
    data = b""
    while len(data) < size:
        try:
            part = fp.read(size - len(data))
        except BlockingIOError:
            continue
        if not part:
            raise ValueError(f"EOF: reading {what}, expected {size} bytes got {len(data)}")
        data += part
    return data


def read_magic(fp):
    """Read the magic string of a file object. Return the version as ``(major, minor)``."""
    found = _read_bytes(fp, MAGIC_LEN, "magic string")
    if found[:-2] != MAGIC_PREFIX:
        raise ValueError(f"the magic string is not correct; expected {MAGIC_PREFIX!r}, got {found[:-2]!r}")
    return found[-2], found[-1]


def _read_header_bytes(fp, version, max_header_size):
    """Read the header behind the magic string. Return it with the magic string."""
    prefix = magic(*version)
    count = _native.header_bytes_needed(prefix) - MAGIC_LEN
    prefix += _read_bytes(fp, count, "array header length")
    length = _native.header_bytes_needed(prefix) - len(prefix)
    text = _read_bytes(fp, length, "array header")
    if length > max_header_size:
        raise ValueError(
            f"Header info length ({length}) is large and may not be safe to load securely.\n"
            "To allow loading, adjust `max_header_size` or fully trust the `.npy` file using `allow_pickle=True`.\n"
            "For safety against large resource use or crashes, sandboxing may be necessary."
        )
    return prefix + text


def _warn_of_python_2():
    _warn(
        "Reading `.npy` or `.npz` file required additional header parsing as it was created on Python 2. Save the file again to "
        "speed up loading and avoid this warning."
    )


def _read_array_header(fp, version, max_header_size=MAX_HEADER_SIZE):
    _check_version(version)
    return _native.parse_header(_read_header_bytes(fp, version, max_header_size))


def read_array_header_1_0(fp, max_header_size=MAX_HEADER_SIZE):
    """Read a header of version 1.0 behind the magic string.

    Returns
    -------
    shape : tuple of int
    fortran_order : bool
    dtype : numpy.dtype

    Raises
    ------
    ValueError
        If the header is invalid, or longer than `max_header_size` characters.
    """
    return _read_array_header(fp, (1, 0), max_header_size)


def read_array_header_2_0(fp, max_header_size=MAX_HEADER_SIZE):
    """Read a header of version 2.0 behind the magic string. See `read_array_header_1_0`."""
    return _read_array_header(fp, (2, 0), max_header_size)


def dtype_to_descr(dtype):
    """Return what a header says of a dtype: a text such as ``'<f8'``, or a list of fields."""
    plain = drop_metadata(dtype)
    if plain is not dtype:
        _warn("metadata on a dtype is not saved to an npy/npz. Use another format (such as pickle) to store it.")
    if plain.names is not None:
        return plain.descr
    if not type(plain)._legacy:
        _warn(
            "Custom dtypes are saved as python objects using the pickle protocol. Loading this file requires allow_pickle=True "
            "to be set."
        )
        return "|O"
    return plain.str


def descr_to_dtype(descr):
    """Return the dtype that a header describes; padding is not among its fields."""
    if isinstance(descr, str):
        return np.dtype(descr)
    if isinstance(descr, tuple):
        return np.dtype((descr_to_dtype(descr[0]), descr[1]))
    return _native.descr_to_dtype(repr(descr))


def header_data_from_array_1_0(array):
    """Return shape, order and dtype of an array as the dict that a header is."""
    return {
        "shape": array.shape,
        "fortran_order": array.flags.f_contiguous and not array.flags.c_contiguous,
        "descr": dtype_to_descr(array.dtype),
    }


def _warn_of_version(major):
    if major > 1:
        needed = {2: "1.9", 3: "1.17"}[major]
        _warn(f"Stored array in format {major}.0. It can only be read by NumPy >= {needed}")


def _write_array_header(fp, d, version=None):
    text = "{" + "".join(f"'{key}': {value!r}, " for key, value in sorted(d.items())) + "}"
    shape = d["shape"]
    if len(shape) > 0:
        # Space for the length of the axis that may grow.
        text += " " * (GROWTH_AXIS_MAX_DIGITS - len(repr(shape[-1 if d["fortran_order"] else 0])))
    header, major = _native.encode_header_as_given(text, version and version[0])
    if version is None:
        _warn_of_version(major)
    fp.write(header)


def write_array_header_1_0(fp, d):
    """Write a header of version 1.0.

    Parameters
    ----------
    fp : file object
    d : dict
        ``descr``, ``fortran_order`` and ``shape``, as `header_data_from_array_1_0` returns them.
    """
    _write_array_header(fp, d, (1, 0))


def write_array_header_2_0(fp, d):
    """Write a header of version 2.0. See `write_array_header_1_0`."""
    _write_array_header(fp, d, (2, 0))


def encode_header(array, version=None):
    """Return the header of an array as bytes."""
    flags, dtype = array.flags, array.dtype
    is_fortran = flags.f_contiguous and not flags.c_contiguous
    descr = dtype_to_descr(dtype)
    text = descr if isinstance(descr, str) else repr(descr)
    header, major = _native.encode_header(text, is_fortran, array.shape, version and version[0])
    if version is None:
        _warn_of_version(major)
    return header


def is_pickled(dtype, allow_pickle):
    """Return whether an array of a dtype is stored as a pickle. Raise ``ValueError`` if that is not allowed."""
    if dtype.hasobject:
        if not allow_pickle:
            raise ValueError("Object arrays cannot be saved when allow_pickle=False")
        return True
    if not type(dtype)._legacy:
        if not allow_pickle:
            raise ValueError("User-defined dtypes cannot be saved when allow_pickle=False")
        return True
    return False


def refuse_mask(array):
    """Raise ``NotImplementedError`` for a masked array, as NumPy does where it writes to a file of the system."""
    masked = sys.modules.get("numpy.ma")
    if masked is not None and isinstance(array, masked.MaskedArray):
        raise NotImplementedError("MaskedArray.tofile() not implemented yet; save `array.filled()`, or the data and the mask")


def parts_of(array):
    """Return the memory of an array in the order of a file, as an iterable of arrays of bytes."""
    if array.size == 0 or array.itemsize == 0:
        return ()
    array = array.view(np.ndarray)
    if array.flags.c_contiguous:
        return (array.reshape(-1).view(np.uint8),)
    if array.flags.f_contiguous:
        return (array.T.reshape(-1).view(np.uint8),)
    return _copied_parts(array)


def _copied_parts(array):
    count = max(_WRITE_BYTES // array.itemsize, 1)
    for part in np.nditer(array, flags=["external_loop", "buffered", "zerosize_ok"], buffersize=count, order="C"):
        yield np.ascontiguousarray(part).view(np.uint8)


def _write_part(fp, part):
    """Write memory to a file object, which may take it in parts."""
    takes_memory = type(fp) in _KNOWN_STREAMS
    view = memoryview(part)
    for start in range(0, len(view), _WRITE_BYTES):
        chunk = view[start : start + _WRITE_BYTES]
        if not takes_memory:
            fp.write(bytes(chunk))
            continue
        while len(chunk):
            chunk = chunk[fp.write(chunk) :]


def write_array(fp, array, version=None, allow_pickle=True, pickle_kwargs=None):
    """Write an array to a file object, header included.

    Parameters
    ----------
    fp : file object
        Anything with a method ``write``. Files of the system get the array's own memory, others copies of 16 MiB.
    array : numpy.ndarray
    version : (int, int), optional
        The version of the format. By default the oldest that can hold the dtype; a warning tells if that is not 1.0.
    allow_pickle : bool, optional
        Whether an array of objects may be written, as a pickle.
    pickle_kwargs : dict, optional
        Arguments of ``pickle.dump``.

    Raises
    ------
    ValueError
        If the version cannot hold the dtype, or for objects where `allow_pickle` is false.
    """
    _check_version(version)
    header = encode_header(array, version)
    fp.write(header)
    if is_pickled(array.dtype, allow_pickle):
        pickle.dump(array, fp, protocol=4, **(pickle_kwargs or {}))
        return
    if isfileobj(fp):
        refuse_mask(array)
    for part in parts_of(array):
        _write_part(fp, part)


def read_array(fp, allow_pickle=False, pickle_kwargs=None, *, max_header_size=MAX_HEADER_SIZE, unknown_classes="refuse"):
    """Read the array at the position of a file object, which is left just behind it.

    Parameters
    ----------
    fp : file object
        Anything with a method ``read``. Arrays of files of the system are filled in place.
    allow_pickle : bool, optional
        Whether arrays of objects are read. They are read as data: no class is imported, nothing is called.
    pickle_kwargs : dict, optional
        ``encoding`` and ``fix_imports`` of `load`.
    max_header_size : int, optional
        The longest header, in characters. Ignored if `allow_pickle` is true.
    unknown_classes : {'refuse', 'opaque'}, optional
        Whether an object of a class that is not known is an error, or an `Opaque`.

    Raises
    ------
    ValueError
        If the file is invalid, ends early, or has objects where `allow_pickle` is false.
    """
    version = read_magic(fp)
    _check_version(version)
    header = _read_header_bytes(fp, version, UNLIMITED if allow_pickle else max_header_size)
    shape, is_fortran, dtype = _native.parse_header(header)
    if dtype.hasobject:
        if not allow_pickle:
            raise make_npy_error("ObjectArray", "Object arrays cannot be loaded when allow_pickle=False")
        return _read_objects(fp, header, pickle_kwargs or {}, unknown_classes == "opaque")
    count = 1
    for length in shape:
        count *= length
    _expect_length(fp, shape, count, dtype.itemsize)
    # Unlike `numpy.empty`, it keeps the width of text of zero characters.
    array = np.ndarray(shape[::-1] if is_fortran else shape, dtype)
    if count and dtype.itemsize:
        _fill(fp, array.reshape(-1).view(np.uint8), shape, count, dtype.itemsize)
    return array.transpose() if is_fortran else array


def _too_short(shape, count, found):
    return make_npy_error(
        "Truncated",
        f"Failed to read all data for array. Expected {shape} = {count} elements, could only read {found} elements. "
        "(file seems not fully written?)",
    )


def _expect_length(fp, shape, count, itemsize):
    """Raise before memory is allocated, if the file is known to end early."""
    if not isfileobj(fp):
        return
    try:
        left = os.fstat(fp.fileno()).st_size - fp.tell()
    except OSError:
        return
    if left < count * itemsize and os.path.isfile(fp.fileno()):
        raise _too_short(shape, count, max(left, 0) // itemsize)


def _fill(fp, memory, shape, count, itemsize):
    """Fill the memory of an array from a file object."""
    view, done = memoryview(memory), 0
    is_file = isfileobj(fp)
    if is_file or type(fp) in _KNOWN_STREAMS:
        while done < len(view):
            got = fp.readinto(view[done:])
            if not got:
                break
            done += got
    else:
        while done < len(view):
            try:
                part = fp.read(min(BUFFER_SIZE, len(view) - done))
            except BlockingIOError:
                continue
            if not part:
                break
            view[done : done + len(part)] = part
            done += len(part)
    if done < len(view):
        if is_file:
            raise _too_short(shape, count, done // itemsize)
        raise ValueError(f"EOF: reading array data, expected {len(view)} bytes got {done}")


def _read_objects(fp, header, pickle_kwargs, is_opaque):
    encoding = pickle_kwargs.get("encoding", "ASCII")
    keeps_names = not pickle_kwargs.get("fix_imports", True)
    if isfileobj(fp) or type(fp) in _KNOWN_STREAMS:
        start = fp.tell()
        content = fp.read()
        if keeps_names:
            refuse_names_of_python_2(content)
        array, length = _native.read_objects(header + content, encoding, is_opaque)
        fp.seek(start + length - len(header))
        return array
    if keeps_names:
        raise ValueError("fix_imports=False needs a file, or a stream in memory")
    return _native.read_objects_from(header, fp, encoding, is_opaque)


def open_memmap(
    filename, mode="r+", dtype=None, shape=None, fortran_order=False, version=None, *, max_header_size=MAX_HEADER_SIZE
):
    """Map a file into memory, or create one.

    Parameters
    ----------
    filename : str or path-like
    mode : {'r+', 'r', 'w+', 'c'}, optional
        As in `numpy.memmap`: read and write, read, create, or copy on write.
    dtype : dtype, optional
        Of a file that is created; ``float64`` by default.
    shape : tuple of int, optional
        Of a file that is created.
    fortran_order : bool, optional
        Of a file that is created.
    version : (int, int), optional
        Of a file that is created; the oldest that can hold the dtype by default.
    max_header_size : int, optional
        The longest header, in characters.

    Returns
    -------
    numpy.memmap
        `Map` is one that can be closed.
    """
    if isfileobj(filename):
        raise ValueError("Filename must be a string or a path-like object.  Memmap cannot use existing file handles.")
    if "w" in mode:
        _check_version(version)
        dtype = np.dtype(dtype)
        _refuse_objects(dtype)
        d = {"descr": dtype_to_descr(dtype), "fortran_order": fortran_order, "shape": shape}
        header = io.BytesIO()
        _write_array_header(header, d, version)
        with open(os.fspath(filename), mode + "b") as fp:
            fp.write(header.getvalue())
            offset = fp.tell()
    else:
        with open(os.fspath(filename), "rb") as fp:
            version = read_magic(fp)
            _check_version(version)
            shape, fortran_order, dtype = _native.parse_header(_read_header_bytes(fp, version, max_header_size))
            _refuse_objects(dtype)
            offset, size = fp.tell(), os.fstat(fp.fileno()).st_size
        count = dtype.itemsize * int(np.prod(shape, dtype=object))
        # NumPy extends a file that it may write to.
        if size < offset + count and mode != "r+":
            message = f"mmap length is greater than file size: the array needs {count} bytes at offset {offset}, found {size - offset}"
            raise make_npy_error("Truncated", message, os.fsdecode(filename), offset=size)
    return np.memmap(
        filename,
        dtype=dtype,
        shape=shape,
        order="F" if fortran_order else "C",
        mode="r+" if mode == "w+" else mode,
        offset=offset,
    )


def _refuse_objects(dtype):
    if dtype.hasobject:
        raise ValueError("Array can't be memory-mapped: Python objects in dtype.")
