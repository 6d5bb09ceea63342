"""Archives (``.npz``): reading, writing and adding members."""

from __future__ import annotations

import os
import weakref

import numpy as np
from numpy.lib.npyio import NpzFile as _NpzFile

from . import _native, format
from ._errors import make_npy_error
from ._objects import refuse_names_of_python_2
from .format import MAX_HEADER_SIZE, UNLIMITED

__all__ = ["NpzFile", "NpzWriter", "open_npz", "write_archive"]


def checked_threads(threads):
    """Return the number of threads, or raise if it is none. 0 counts as 1."""
    if type(threads) is not int or not 0 <= threads <= 1024:
        raise ValueError(f"threads must be an int from 0 to 1024, found {threads!r}")
    return threads


class _Bag:
    """The arrays of an archive as attributes: ``archive.f.name``."""

    def __init__(self, archive):
        # The archive is freed when its last user is.
        self._archive = weakref.proxy(archive)

    def __getattribute__(self, key):
        try:
            return object.__getattribute__(self, "_archive")[key]
        except KeyError:
            raise AttributeError(key) from None

    def __dir__(self):
        return list(object.__getattribute__(self, "_archive").keys())


class NpzFile(_NpzFile):
    """An open ``.npz`` archive: a mapping of names to arrays, which are read when they are asked for.

    It is a subclass of NumPy's. `load` and `open_npz` return it. Close it, or use it in a ``with`` statement.

    Attributes
    ----------
    files : list of str
        The names of the members, without ``.npy``.
    f : object
        The arrays as attributes.
    zip : zipfile.ZipFile
        The archive for the standard library, opened when it is asked for.
    fid : file object or None
        The file, if the archive was opened by its path.
    """

    def __init__(
        self,
        fid,
        own_fid=False,
        allow_pickle=False,
        pickle_kwargs=None,
        *,
        max_header_size=MAX_HEADER_SIZE,
        threads=2,
        unknown_classes="refuse",
        mmap_mode=None,
    ):
        self._path = self._own_fid = self._zip = self._given = self._archive = None
        self.files = []
        if hasattr(fid, "read"):
            self._archive = _native.Archive.from_file(fid)
            self._given = fid
            if own_fid:
                self._own_fid = fid
        else:
            self._path = os.fsdecode(os.fspath(fid))
            self._archive = _native.Archive.open(self._path, checked_threads(threads))
        names = self._archive.names()
        self.files = [name.removesuffix(".npy") for name in names]
        self._files = dict(zip(self.files, names))
        self._files.update(zip(names, names))
        self.allow_pickle = allow_pickle
        self.max_header_size = UNLIMITED if allow_pickle else max_header_size
        self.pickle_kwargs = pickle_kwargs
        self._is_opaque = unknown_classes == "opaque"
        self._mmap_mode = mmap_mode
        self.f = _Bag(self)

    @property
    def fid(self):
        if self._own_fid is None and self._path is not None and self._archive is not None:
            self._own_fid = open(self._path, "rb")
        return self._own_fid

    @property
    def zip(self):
        if self._zip is None and self._archive is not None:
            import zipfile

            self._zip = zipfile.ZipFile(self.fid if self._given is None else self._given)
        return self._zip

    def close(self):
        """Close the archive, and its file if it was opened by its path."""
        archive, zip_file, fid = (self.__dict__.get(name) for name in ("_archive", "_zip", "_own_fid"))
        self._archive = self._zip = self._own_fid = self.f = None
        if archive is not None:
            archive.close()
        if zip_file is not None:
            zip_file.close()
        if fid is not None:
            fid.close()

    def _open(self):
        if self._archive is None:
            raise ValueError("I/O operation on closed archive")
        return self._archive

    def _full_name(self, key):
        try:
            return self._files[key]
        except KeyError:
            raise KeyError(f"{key} is not a file in the archive") from None

    def __getitem__(self, key):
        name = self._full_name(key)
        archive = self._open()
        if self._mmap_mode is not None:
            mapped = self._mapped(archive, name)
            if mapped is not None:
                return mapped
        array = archive.read(name, self.max_header_size)
        return self._objects(archive, name) if array is None else array

    def _objects(self, archive, name):
        if not self.allow_pickle:
            message = f"member {name.removesuffix('.npy')!r}: Object arrays cannot be loaded when allow_pickle=False"
            raise make_npy_error("ObjectArray", message, self._path, name.removesuffix(".npy"))
        options = self.pickle_kwargs or {}
        if not options.get("fix_imports", True):
            with self.zip.open(name) as member:
                format._read_header_bytes(member, format.read_magic(member), UNLIMITED)
                refuse_names_of_python_2(member.read())
        return archive.read_objects(name, options.get("encoding", "ASCII"), self._is_opaque)

    def _mapped(self, archive, name):
        """Map a stored array of a file. None for what is compressed, or is no such array."""
        stored = archive.stored_range(name) if name.endswith(".npy") and self._path is not None else None
        if stored is None:
            return None
        shape, is_fortran, dtype, _, offset = archive.header(name)
        if dtype.hasobject or 0 in shape or dtype.itemsize == 0:
            return None
        begin, end = stored[0] + offset, stored[1]
        size = os.stat(self._path).st_size
        if size < end:
            member, found = name.removesuffix(".npy"), max(size - begin, 0)
            message = f"member {member!r}: truncated file: the array needs {end - begin} bytes at offset {begin}, found {found}"
            raise make_npy_error("Truncated", message, self._path, member, size)
        order = "F" if is_fortran else "C"
        return np.memmap(self._path, dtype=dtype, shape=shape, order=order, mode=self._mmap_mode, offset=begin)

    def header(self, key):
        """Return the `Header` of an array, without reading the array."""
        from ._files import Header

        return Header(*self._open().header(self._full_name(key)))

    def verify(self):
        """Read every member and compare its checksum. Raise `NpyError` for damage."""
        self._open().verify()

    def __repr__(self):
        name = self._path if self._path is not None else getattr(self._given, "name", "object")
        names = ", ".join(self.files[: self._MAX_REPR_ARRAY_COUNT])
        if len(self.files) > self._MAX_REPR_ARRAY_COUNT:
            names += "..."
        return f"NpzFile {name!r} with keys: {names}"


def open_npz(path, mmap_mode=None, *, allow_pickle=False, max_header_size=MAX_HEADER_SIZE, threads=2):
    """Open an ``.npz`` archive, whose stored members are mapped instead of being read.

    Parameters
    ----------
    path : str or path-like
    mmap_mode : {None, 'r', 'c'}, optional
        Members that are not compressed are maps: read-only, or copies on write. Compressed members are read, because their
        elements are nowhere in the file. Writing is not possible: the checksums of the members would be wrong.
    allow_pickle, max_header_size, threads
        As in `load`.

    Returns
    -------
    NpzFile
    """
    if mmap_mode not in (None, "r", "c"):
        raise ValueError(f"mmap_mode of an archive must be None, 'r' or 'c', found {mmap_mode!r}")
    path = os.fsdecode(os.fspath(path))
    options = {"encoding": "ASCII", "fix_imports": True}
    return NpzFile(
        path,
        allow_pickle=allow_pickle,
        pickle_kwargs=options,
        max_header_size=max_header_size,
        threads=threads,
        mmap_mode=mmap_mode,
    )


class NpzWriter:
    """Write an ``.npz`` archive array by array, or add arrays to one.

    The archive replaces the old file when the ``with`` statement ends, and is discarded after an exception. With `append`, the
    old members stay whatever happens.

    Parameters
    ----------
    file : str, path-like or file object
    append : bool, optional
        Whether members are added to an existing archive.
    compressed : bool, optional
    level : int, optional
        0 to 9.
    threads : int, optional
        How many threads compress.
    aligned : bool, optional
        Whether stored arrays begin at multiples of 64 bytes, so that maps of them are aligned.
    durable : bool, optional
        Whether the file survives a power cut from its end on.

    Examples
    --------
    >>> with NpzWriter("runs.npz", append=True) as archive:
    ...     archive.add("tuesday", array)
    """

    def __init__(self, file, *, append=False, compressed=False, level=6, threads=1, aligned=False, durable=False):
        options = (compressed, level, checked_threads(threads), aligned, durable)
        if hasattr(file, "write"):
            if append:
                raise ValueError("append needs the path of an archive")
            can_seek = hasattr(file, "seek") and (not hasattr(file, "seekable") or file.seekable())
            self._writer = _native.ArchiveWriter.to_file(file, can_seek, options)
            self._name = getattr(file, "name", "object")
            return
        path = os.fsdecode(os.fspath(file))
        if not path.endswith(".npz"):
            path += ".npz"
        make = _native.ArchiveWriter.append if append else _native.ArchiveWriter.create
        self._writer = make(path, options)
        self._name = path

    def __repr__(self):
        return f"NpzWriter({self._name!r})"

    def add(self, name, array, *, allow_pickle=True):
        """Add an array, whose member is named ``name + '.npy'``."""
        from ._io import encoded

        self._writer.add(name, *encoded(np.asanyarray(array), allow_pickle))

    def add_bytes(self, name, content):
        """Add a file that is no array, by its full name."""
        self._writer.add_bytes(name, content)

    def close(self):
        """Complete the archive."""
        self._writer.finish()

    def discard(self):
        """Leave the file as it was."""
        self._writer.discard()

    def __enter__(self):
        return self

    def __exit__(self, kind, *_):
        if kind is None:
            self.close()
        else:
            self.discard()


def write_archive(file, args, kwds, allow_pickle, **options):
    """Write the arrays of ``savez``."""
    arrays = dict(kwds)
    for i, array in enumerate(args):
        if f"arr_{i}" in arrays:
            raise ValueError(f"Cannot use un-named variables and keyword arr_{i}")
        arrays[f"arr_{i}"] = array
    with NpzWriter(file, **options) as archive:
        for name, array in arrays.items():
            archive.add(name, array, allow_pickle=allow_pickle)
