"""``load``, ``save``, ``savez`` and ``savez_compressed`` of NumPy."""

from __future__ import annotations

import os

import numpy as np

from . import _native, format
from ._archive import NpzFile, checked_threads, write_archive
from ._errors import NpyError, UnpicklingError, located, make_npy_error
from .format import MAGIC_PREFIX, MAX_HEADER_SIZE, UNLIMITED

__all__ = ["load", "save", "savez", "savez_compressed"]

_ZIP_MAGIC = (b"PK\x03\x04", b"PK\x05\x06")


def path_of(file):
    """Return a path as text."""
    return os.fsdecode(os.fspath(file))


def load(
    file,
    mmap_mode=None,
    allow_pickle=False,
    fix_imports=True,
    encoding="ASCII",
    *,
    max_header_size=MAX_HEADER_SIZE,
    threads=2,
    unknown_classes="refuse",
):
    """Load an array from a ``.npy`` file, or open an ``.npz`` archive.

    Parameters
    ----------
    file : str, path-like or file object
        A file object needs ``read`` and ``seek``.
    mmap_mode : {None, 'r+', 'r', 'w+', 'c'}, optional
        Maps a ``.npy`` file instead of reading it; see `open_memmap`. `open_npz` maps the members of an archive.
    allow_pickle : bool, optional
        Whether arrays of objects are loaded. Unlike in NumPy, nothing is imported, called or run: the objects are read as data.
    fix_imports : bool, optional
        Whether names of Python 2 in a pickle are translated.
    encoding : {'ASCII', 'latin1', 'bytes'}, optional
        The encoding of texts of Python 2 in a pickle.
    max_header_size : int, optional
        The longest header, in characters. Ignored if `allow_pickle` is true.
    threads : int, optional
        How many threads read an array of 8 MiB or more, or inflate a member of an archive that this package compressed.
    unknown_classes : {'refuse', 'opaque'}, optional
        Whether an object of a class that is not known is an error, or an `Opaque` with its name and data.

    Returns
    -------
    numpy.ndarray, numpy.memmap or NpzFile

    Raises
    ------
    OSError
        If the file cannot be opened or read.
    EOFError
        If a file object has no more bytes, or the file is empty.
    NpyError
        A ``ValueError`` with ``.path``, ``.member`` and ``.offset``: the file is invalid or ends early.
    ValueError
        For objects where `allow_pickle` is false.
    """
    if encoding not in ("ASCII", "latin1", "bytes"):
        raise ValueError("encoding must be 'ASCII', 'latin1', or 'bytes'")
    if unknown_classes not in ("refuse", "opaque"):
        raise ValueError(f"unknown_classes must be 'refuse' or 'opaque', found {unknown_classes!r}")
    if allow_pickle:
        max_header_size = UNLIMITED
    options = {"encoding": encoding, "fix_imports": fix_imports}
    if hasattr(file, "read"):
        return _load_from(file, file, mmap_mode, allow_pickle, options, max_header_size, threads, unknown_classes)
    path = path_of(file)
    if not mmap_mode:
        array = _native.load_path(path, max_header_size, checked_threads(threads))
        if type(array) is not str:
            if array is not None:
                return array
        elif array == "objects":
            if allow_pickle and fix_imports:
                return _load_objects(path, encoding, unknown_classes)
        else:
            return NpzFile(
                path,
                allow_pickle=allow_pickle,
                pickle_kwargs=options,
                max_header_size=max_header_size,
                threads=threads,
                unknown_classes=unknown_classes,
            )
    with open(path, "rb") as fid:
        try:
            return _load_from(fid, path, mmap_mode, allow_pickle, options, max_header_size, threads, unknown_classes)
        except NpyError as error:
            raise located(error, path)


def _load_objects(path, encoding, unknown_classes):
    with open(path, "rb") as fid:
        content = fid.read()
    try:
        return _native.read_object_file(content, encoding, unknown_classes == "opaque")
    except NpyError as error:
        raise located(error, path)


def _load_from(fid, file, mmap_mode, allow_pickle, options, max_header_size, threads, unknown_classes):
    magic = fid.read(len(MAGIC_PREFIX))
    if not magic:
        raise EOFError("No data left in file")
    # No further than the beginning of a shorter file.
    fid.seek(-len(magic), 1)
    if magic.startswith(_ZIP_MAGIC):
        return NpzFile(
            file,
            allow_pickle=allow_pickle,
            pickle_kwargs=options,
            max_header_size=max_header_size,
            threads=threads,
            unknown_classes=unknown_classes,
        )
    if magic == MAGIC_PREFIX:
        if mmap_mode:
            return format.open_memmap(file, mode=mmap_mode, max_header_size=max_header_size)
        return format.read_array(
            fid,
            allow_pickle=allow_pickle,
            pickle_kwargs=options,
            max_header_size=max_header_size,
            unknown_classes=unknown_classes,
        )
    if not allow_pickle:
        raise make_npy_error(
            "ObjectArray",
            "This file contains pickled (object) data. With `allow_pickle=True` its objects are loaded as data: nothing of it is run.",
        )
    # A pickle that is not in an array.
    header = _native.encode_header("|O", False, (), None)[0]
    try:
        return _native.read_objects(header + fid.read(), options["encoding"], unknown_classes == "opaque")[0]
    except NpyError as error:
        raise UnpicklingError(f"Failed to interpret file {file!r} as a pickle: {error}") from error


def save(file, arr, allow_pickle=True, *, durable=False, in_place=False):
    """Save an array as a ``.npy`` file, byte for byte as NumPy does.

    The file is replaced as a whole: after an error or a crash the old one is untouched.

    Parameters
    ----------
    file : str, path-like or file object
        ``.npy`` is appended to a name without it. A file object needs ``write``, and is written in place.
    arr : array_like
        Its memory is written as it is; only arrays that are contiguous in neither order are copied, in parts of 16 MiB.
    allow_pickle : bool, optional
        Whether an array of objects is saved, as a pickle.
    durable : bool, optional
        Whether the file survives a power cut from the end of the call on. That takes some milliseconds.
    in_place : bool, optional
        Whether an existing file is overwritten, as NumPy does. It takes about half the time for a large array, but after an error or a
        crash the old array is lost.

    Raises
    ------
    OSError
        If the file cannot be written.
    ValueError
        If the dtype cannot be stored, or for objects where `allow_pickle` is false.
    """
    arr = np.asanyarray(arr)
    if hasattr(file, "write"):
        format.write_array(file, arr, allow_pickle=allow_pickle)
        return
    path = path_of(file)
    if not path.endswith(".npy"):
        path += ".npy"
    format.refuse_mask(arr)
    _native.save_path(path, *encoded(arr, allow_pickle), (durable, in_place))


def encoded(arr, allow_pickle):
    """Return the header of an array, and its data as an iterable of bytes."""
    header = format.encode_header(arr)
    if format.is_pickled(arr.dtype, allow_pickle):
        import pickle

        return header, (pickle.dumps(arr, protocol=4),)
    return header, format.parts_of(arr)


def savez(file, *args, allow_pickle=True, durable=False, **kwds):
    """Save arrays as an ``.npz`` archive, uncompressed.

    Parameters
    ----------
    file : str, path-like or file object
        ``.npz`` is appended to a name without it.
    args : array_like
        Arrays that are named ``arr_0``, ``arr_1``, ...
    allow_pickle : bool, optional
        Whether arrays of objects are saved, as pickles.
    durable : bool, optional
        Whether the file survives a power cut from the end of the call on.
    kwds : array_like
        Arrays by their names. `NpzWriter` takes any name, also that of an option.
    """
    write_archive(file, args, kwds, allow_pickle, compressed=False, durable=_flag("durable", durable))


def savez_compressed(file, *args, allow_pickle=True, level=6, threads=1, durable=False, **kwds):
    """Save arrays as a compressed ``.npz`` archive.

    Parameters
    ----------
    file : str, path-like or file object
        ``.npz`` is appended to a name without it.
    args : array_like
        Arrays that are named ``arr_0``, ``arr_1``, ...
    allow_pickle : bool, optional
        Whether arrays of objects are saved, as pickles.
    level : int, optional
        0 (none) to 9 (most); NumPy's is 6.
    threads : int, optional
        How many threads compress. The bytes are the same for any number.
    durable : bool, optional
        Whether the file survives a power cut from the end of the call on.
    kwds : array_like
        Arrays by their names. `NpzWriter` takes any name, also that of an option.
    """
    write_archive(
        file,
        args,
        kwds,
        allow_pickle,
        compressed=True,
        level=_number("level", level, 9),
        threads=_number("threads", threads, 1024),
        durable=_flag("durable", durable),
    )


def _number(name, value, most):
    if type(value) is not int or not 0 <= value <= most:
        raise TypeError(f"{name} is an option: expected an int from 0 to {most}, found {value!r}; `NpzWriter` saves arrays of any name")
    return value


def _flag(name, value):
    if not isinstance(value, bool):
        raise TypeError(f"{name} is an option: expected a bool, found {value!r}; `NpzWriter` saves arrays of any name")
    return value
