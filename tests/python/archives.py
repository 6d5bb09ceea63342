"""Archives by NumPy, SciPy and `zipfile`, and what they read of ours.

archives.py FUNCTION ARGUMENT...
"""

import io
import struct
import sys
import warnings
import zipfile
import zlib

import numpy as np

from frames import call, frame, frames, saved

warnings.simplefilter("ignore")


class Pipe(io.RawIOBase):
    """A file that cannot go back."""

    def __init__(self, file):
        self.file = file

    def writable(self):
        return True

    def write(self, data):
        return self.file.write(data)


def archive_of(save, arrays, wrap=lambda file: file):
    file = io.BytesIO()
    save(wrap(file), **arrays)
    return file.getvalue()


def savez():
    """The archives of `tests/support/archives.rs`: stored, compressed, in a pipe, and one of nothing."""
    picks = np.zeros(5, [("id", "u4"), ("name", "U3"), ("xyz", "f4", (3,))])
    for i in range(5):
        picks[i] = (i, "abc"[: i % 3 + 1], (i, i, i))
    arrays = {
        "values": np.arange(1000) / 3.0,
        "picks": picks,
        "größe/matrix": np.array([[1, 2, 3], [4, 5, 6]], "i2", order="F"),
        "empty": np.zeros(0, "u1"),
        "": np.array([True, False]),
    }
    frame(archive_of(np.savez, arrays))
    frame(archive_of(np.savez_compressed, arrays))
    frame(archive_of(np.savez, arrays, Pipe))
    frame(archive_of(np.savez, {}))


def structs():
    """The fields of the struct `Everything` of `tests/npz/structs.rs` as keywords."""
    picks = np.array([(i, "ab"[: i % 2 + 1], (i, i, i)) for i in range(4)], [("id", "u4"), ("name", "U2"), ("xyz", "f4", (3,))])
    moments = np.array([[1, 2], [3, 4]], "f4")
    arrays = {
        "matrix": np.array([[1.0, 2, 3], [4, 5, 6]]),
        "fortran": np.asfortranarray(np.fromfunction(lambda i, j, k: i * 100 + j * 10 + k, (2, 3, 4)).astype("i2")),
        "shared": np.array([1, 2, 3], "u1"),
        "any": np.array([[1], [2]], "f4"),
        "zero": 2.5,
        "picks": picks,
        "rows": np.array([[1] * 3, [2] * 3], "f4"),
        "names": np.array(["Ada", "Grace"]),
        "rate": 0.01,
        "flag": True,
        "label": "λ",
        "time": np.datetime64(1000000007, "ns"),
        "best": picks[1],
        "vector": np.array([1.0, 2, 3]),
        "optimizer/rate": 0.5,
        "optimizer/moments": moments,
        "layers/a": np.array([[1]], "f4"),
        "layers/b/c": np.array([[2, 3]], "f4"),
        "lists/x": np.array([1, 2], "u2"),
        "lists/y": np.array([], "u2"),
        "there": np.array([1.0]),
        "nested/rate": 0.5,
        "nested/moments": moments,
        "count": np.uint32(7),
        "größe [m²]": np.array([3.0]),
        "type": np.uint8(9),
    }
    for save in np.savez, np.savez_compressed:
        frame(archive_of(save, arrays))


def names_of_zipfile():
    """Names, methods and 64-bit fields that NumPy never writes."""

    def npy(*items):
        return saved(np.array(items, "u2"))

    def archive(fill, limit=zipfile.ZIP64_LIMIT):
        file = io.BytesIO()
        old, zipfile.ZIP64_LIMIT = zipfile.ZIP64_LIMIT, limit
        with zipfile.ZipFile(file, "w") as z:
            fill(z)
        zipfile.ZIP64_LIMIT = old
        frame(file.getvalue())

    def keys(z):
        z.writestr("a.npy", npy(1))
        z.writestr("a", npy(2))
        z.writestr("b.npy", npy(3))
        z.writestr("b.npy", npy(4))
        z.writestr("c.npy.npy", npy(5))
        z.writestr("d.NPY", npy(6))
        z.writestr("notes.txt", b"hello", zipfile.ZIP_DEFLATED)
        z.writestr("directory/", b"")
        z.writestr("back\\slash/../x.npy", npy(7))

    def zip64(z):
        z.writestr("x.npy", npy(1, 2, 3), zipfile.ZIP_DEFLATED)
        z.writestr("y.npy", npy(4))
        z.comment = b"a comment"

    archive(keys)
    archive(zip64, limit=1)
    archive(lambda z: z.writestr("ok.npy", npy(3) + b"trailing"))


def every_method():
    """The members of standard input in each method, to a file and to a pipe: the method, then the archive."""
    try:
        import compression.zstd
        import zipfile
    except ImportError:
        from backports.zstd import zipfile
    data = sys.stdin.buffer.read()
    for method in [zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED, zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA, zipfile.ZIP_ZSTANDARD]:
        for wrap in [lambda file: file, Pipe]:
            file = io.BytesIO()
            source = zipfile.ZipFile(io.BytesIO(data))
            with zipfile.ZipFile(wrap(file), "w", method) as z:
                for info in source.infolist():
                    z.writestr(info.filename, source.read(info), method)
            frame(struct.pack("<H", method) + file.getvalue())


def large(path):
    """The sizes and offsets of two members, and the second."""
    large, small = zipfile.ZipFile(path).infolist()
    print(large.file_size, large.compress_size, large.header_offset, small.header_offset, np.load(path)["small"])


def appended(path):
    """Sums up ten days, and replaces the archive by one with a comment, 64-bit fields and something in front of it."""
    assert zipfile.ZipFile(path).testzip() is None
    archive = np.load(path)
    print(len(archive.files), int(sum(archive["day%d" % i].sum() for i in range(10))))
    with open(path, "wb") as file:
        file.write(b"#!/bin/sh\n" * 10)
    with zipfile.ZipFile(path, "a") as archive:
        archive.comment = b"PK\5\6 in a comment"
        with archive.open("x.npy", "w", force_zip64=True) as member:
            np.save(member, np.arange(5.0))


def deflate():
    """Inflates the second of each two frames, which is the first then, and prints how short zlib makes that."""
    stream = frames()
    for content, deflated in zip(stream, stream):
        inflater = zlib.decompressobj(-15)
        assert inflater.decompress(deflated) == content
        assert inflater.eof and not inflater.unused_data
        print(len(zlib.compress(content, 6)))


def write_sparse():
    """Random matrices in each format of SciPy, each followed by the dense array."""
    import scipy.sparse as sp

    rng = np.random.default_rng(3)

    def put(matrix, dense, compressed):
        file = io.BytesIO()
        sp.save_npz(file, matrix, compressed=compressed)
        frame(file.getvalue())
        frame(saved(dense))

    for k in range(60):
        shape = (int(rng.integers(1, 9)) * 2, int(rng.integers(1, 9)) * 3)
        dense = rng.standard_normal(shape) * (rng.random(shape) < 0.3)
        if k % 10 == 0:
            dense[:] = 0
        coo = sp.coo_matrix(dense)
        format = ["csr", "csc", "coo", "dia", "bsr"][k % 5]
        matrix = coo.tobsr((2, 3)) if format == "bsr" else coo.asformat(format)
        if k % 3 == 1:
            matrix = getattr(sp, format + "_array")(matrix)
        put(matrix, dense, k % 2 == 1)
    # More dimensions than two, and one.
    for shape in [(3, 4, 5), (6,)]:
        dense = rng.standard_normal(shape) * (rng.random(shape) < 0.4)
        put(sp.coo_array(dense), dense, False)


def read_sparse():
    """Counts the matrices of standard input, each followed by the dense array."""
    import scipy.sparse as sp

    stream, count = frames(), 0
    for matrix, dense in zip(stream, stream):
        assert (sp.load_npz(io.BytesIO(matrix)).toarray() == np.load(io.BytesIO(dense))).all()
        count += 1
    print(count)


call(globals())
