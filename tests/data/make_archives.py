# -*- coding: utf-8 -*-
"""Makes the golden archives of this folder: .npz files by real releases.

    make_archives.py all [--scratch DIR] [--python COMMAND ...]
        For every release of RELEASES in make_golden.py, and for every SciPy
        of SCIPY: set up an environment and run ``write`` or ``scipy`` in it,
        and ``zipfile`` in the newest Python.  Then merge the parts to
        archives.tsv with ``merge`` in the current NumPy, and run ``check``
        there and in the newest.  Needs Python 3.
    make_archives.py write OUTDIR
        What np.savez and np.savez_compressed of the running NumPy write.
    make_archives.py zipfile OUTDIR
        Archives of the running Python's zipfile, as NumPy never writes them.
    make_archives.py scipy OUTDIR
        What scipy.sparse.save_npz of the running SciPy writes.
    make_archives.py merge PART ...
        Make archives.tsv of the parts, with the keys of the running NumPy.
    make_archives.py check
        Of unpacked archives: load every archive with the running NumPy, compare with archives.tsv.

``write`` works with Python 2.7 and 3.x and NumPy 1.6 up to 2.5, the others
with Python 3 and a NumPy of our days.  A case that the running NumPy cannot
make is skipped; the reason is printed.

Releases that write an array to a temporary file first give its member the
file's date, by the clock.  While an archive is made, time.localtime gives
always the same moment, so that the bytes are the same each time.
"""

from __future__ import print_function

import argparse
import binascii
import contextlib
import glob
import io
import os
import subprocess
import sys
import tempfile
import time
import warnings
import zipfile

sys.dont_write_bytecode = True
import make_golden
from make_golden import HERE, PYTHON_2, Skip, first_line

ARCHIVES = "archives.tsv"
PART = "part.tsv"
COLUMNS = [
    "archive", "numpy", "python", "position", "key", "method", "descr",
    "order", "shape", "values",
]
# (Python, NumPy, SciPy) as pip wants them
SCIPY = [
    ("3.11", "==1.26.4", "==1.11.4"),
    ("3.13", ">=2.5,<2.6", "==1.17.1"),
]
CURRENT = make_golden.CURRENT  # the NumPy of ``merge`` and ``check``
NEWEST = make_golden.NEWEST  # the NumPy of ``check``
ZIPFILE_PYTHON = "3.13"
MOMENT = (2001, 2, 3, 4, 5, 6, 5, 34, 0)
LARGEST = 3000  # bytes of an archive


# ---------------------------------------------------------------- the cases


class Pipe(io.RawIOBase):
    """A file that cannot go back, so that sizes must follow the data."""

    def __init__(self):
        self.data = b""

    def writable(self):
        return True

    def write(self, data):
        self.data += bytes(data)
        return len(data)


def into_memory(save):
    def run(arguments, keywords):
        file = io.BytesIO()
        save(file, *arguments, **keywords)
        return file.getvalue()
    return run


def into_pipe(save):
    def run(arguments, keywords):
        pipe = Pipe()
        save(pipe, *arguments, **keywords)
        return pipe.data
    return run


def numpy_cases():
    """Name, how it is saved, positional arrays, arrays with keywords."""
    some, more = some_arrays(), several_arrays()
    yield "savez", into_memory(np.savez), [], some
    yield "savez_compressed", into_memory(np.savez_compressed), [], some
    yield "savez_positional", into_memory(np.savez), more, {
        "keyword": np.array([7, 8], "u1")}
    yield "names", into_memory(np.savez), [], named_arrays()
    yield "empty", into_memory(np.savez), [], {}
    yield "empty_compressed", into_memory(np.savez_compressed), [], {}
    yield "streamed", into_pipe(np.savez), [], some
    yield "streamed_compressed", into_pipe(np.savez_compressed), [], some
    yield "streamed_empty", into_pipe(np.savez), [], {}


def some_arrays():
    """A little of everything."""
    arrays = {
        "x": np.array([0.5, -0.0, 1e300, 1.0 / 3.0], "<f8"),
        "m": np.array([[1, 2, 3], [-4, -5, -6]], "<i2", order="F"),
        "r": picks(),
        "s": np.array(-1.5, "<f8"),
        "b": np.array([True, False, True]),
        "e": np.zeros((0, 3), "<f4"),
        "u": np.array([u"h\xe9", u"", u"\u65e5\u672c\u8a9e"], "<U3"),
    }
    try:
        dtype = make_golden.time_dtype("<", "M", "ns")
        arrays["t"] = make_golden.from_bits(
            "<i8", [-2 ** 63, -1, 981173106123456789], dtype)
    except (Skip, TypeError, ValueError) as error:
        print("without t: %s" % first_line(error))
    return arrays


def picks():
    array = np.zeros(3, [("id", "<u4"), ("name", "<U3"), ("xyz", "<f4", (3,))])
    for i in range(3):
        array["id"][i] = 2 ** 32 - 1 - i
        array["name"][i] = [u"P", u"S\xe9", u"PcP"][i]
        array["xyz"][i] = [i + 0.25, -i, 100 * i]
    return array


def several_arrays():
    return [
        np.array([3, 1, 2], ">i4"),
        np.array([b"ab", b"", b"c\0d"], "S3"),
    ]


def named_arrays():
    """Keywords that no one should take.  In Python 2 they are bytes."""
    names = [
        u"", u"plain", u"gr\xf6\xdfe", u"\u65e5\u672c", u"\U0001f600", u"a/b",
        u"x.npy", u"/first", u"a//c", u"d/../e", u"back\\slash",
    ]
    return dict((make_golden.native(name), np.array([i, len(name)], "<u2"))
                for i, name in enumerate(names))


def npy(array):
    """An array as the content of a member."""
    file = io.BytesIO()
    np.save(file, array)
    return file.getvalue()


def numbers(*items):
    return np.array(items, "<u2")


METHODS = [
    ("stored", zipfile.ZIP_STORED), ("deflated", zipfile.ZIP_DEFLATED),
    ("bzip2", getattr(zipfile, "ZIP_BZIP2", None)),
    ("lzma", getattr(zipfile, "ZIP_LZMA", None)),
]


def zipfile_cases():
    """Name and bytes of every archive."""
    repetitive = np.arange(300, dtype="<i4") // 10
    all_methods = [(name, npy(repetitive), method) for name, method in METHODS]

    def fill(members, **options):
        def run(file, mode="w"):
            with zipfile.ZipFile(file, mode, **options) as archive:
                for name, content, method in members:
                    archive.writestr(name, content, method)
        return run

    def in_memory(run):
        file = io.BytesIO()
        run(file)
        return file.getvalue()

    def in_pipe(run):
        pipe = Pipe()
        run(pipe)
        return pipe.data

    methods = fill([(name + ".npy", content, method)
                    for name, content, method in all_methods])
    yield "methods", in_memory(methods)
    # An empty content, and one of a single element.
    yield "methods_short", in_memory(fill([
        ("%s_%d.npy" % (name, len(array)), npy(array), method)
        for name, method in METHODS for array in [numbers(), numbers(7)]]))
    for name, content, method in all_methods:
        members = [(name + ".npy", content, method),
                   ("after.npy", npy(numbers(9)), method)]
        if name == "stored":
            members[0] = (name + ".npy", npy(numbers(1, 2, 3)), method)
        yield "streamed_" + name, in_pipe(fill(members))

    def forced(file):
        with zipfile.ZipFile(file, "w") as archive:
            for name, content, method in all_methods[:2]:
                info = zipfile.ZipInfo(name + ".npy")
                info.compress_type = method
                with archive.open(info, "w", force_zip64=True) as member:
                    member.write(npy(numbers(1, 2, 3)))

    yield "zip64_forced", in_memory(forced)
    yield "zip64_forced_streamed", in_pipe(forced)
    two = [("x.npy", npy(numbers(1, 2, 3)), zipfile.ZIP_DEFLATED),
           ("y.npy", npy(numbers(4)), zipfile.ZIP_STORED)]
    with patched(zipfile, "ZIP64_LIMIT", 1):
        yield "zip64_everywhere", in_memory(fill(two))
        yield "zip64_everywhere_streamed", in_pipe(fill(two))
        zip64 = in_memory(fill(two))
    with patched(zipfile, "ZIP64_LIMIT", 200):
        yield "zip64_offsets_only", in_memory(fill(two))

    prefix = b"#!/bin/sh\nexit 0\nPK\x03\x04 is no member\n"
    file = io.BytesIO(prefix)
    fill(two)(file, "a")
    # The offsets count the prefix here, and in the next one they do not.
    yield "prefix_appended", file.getvalue()
    yield "prefix_before", prefix + in_memory(fill(two))
    yield "prefix_before_zip64", prefix + zip64
    file = io.BytesIO(in_memory(fill(two[:1])))
    fill(two[1:])(file, "a")
    yield "appended", file.getvalue()

    def commented(file):
        with zipfile.ZipFile(file, "w") as archive:
            info = zipfile.ZipInfo("x.npy")
            info.comment = b"of the member"
            archive.writestr(info, two[0][1])
            archive.comment = b"of the archive"

    yield "comment", in_memory(commented)

    def duplicates(file):
        with zipfile.ZipFile(file, "w") as archive:
            for name, number in [("a.npy", 1), ("a", 2), ("b.npy", 3), ("b.npy", 4),
                                 ("c.npy.npy", 5), ("d.NPY", 6)]:
                archive.writestr(name, npy(numbers(number)))

    yield "duplicates", in_memory(duplicates)

    def others(file):
        with zipfile.ZipFile(file, "w") as archive:
            archive.mkdir("folder")
            archive.writestr("folder/x.npy", npy(numbers(1)))
            archive.writestr("notes.txt", b"hello\n", zipfile.ZIP_DEFLATED)
            archive.writestr("nothing", b"")
            archive.writestr("short", b"\x93NUM")

    yield "others", in_memory(others)
    yield "trailing", in_memory(fill([
        (name + ".npy", npy(numbers(1, 2)) + b"trailing", method)
        for name, method in METHODS]))
    yield "versions", in_memory(versions)
    yield "extra", in_memory(extra)
    yield "in_itself", in_memory(fill([
        ("inner.npz", in_memory(fill(two[1:])), zipfile.ZIP_STORED),
        ("x.npy", npy(numbers(5)), zipfile.ZIP_STORED)]))
    yield "many", in_memory(fill([
        ("%d.npy" % i, npy(numbers(i)), zipfile.ZIP_DEFLATED) for i in range(12)]))


def versions(file):
    """Members whose arrays are of the versions 1.0, 2.0 and 3.0."""
    with zipfile.ZipFile(file, "w") as archive:
        for major in [1, 2, 3]:
            content = io.BytesIO()
            np.lib.format.write_array(content, numbers(major), version=(major, 0))
            archive.writestr("v%d.npy" % major, content.getvalue())


def extra(file):
    """Extra fields: a time as Info-ZIP writes it, and one that is unknown."""
    with zipfile.ZipFile(file, "w") as archive:
        info = zipfile.ZipInfo("x.npy")
        info.extra = b"UT\x05\x00\x03\x00\x00\x00\x3a" + b"\xfe\xca\x02\x00ab"
        archive.writestr(info, npy(numbers(1, 2)))
        # Again with the field of 64-bit sizes beside the others.
        info = zipfile.ZipInfo("y.npy")
        info.extra = b"UT\x05\x00\x03\x00\x00\x00\x3a"
        with archive.open(info, "w", force_zip64=True) as member:
            member.write(npy(numbers(3)))


@contextlib.contextmanager
def patched(module, name, value):
    old = getattr(module, name)
    setattr(module, name, value)
    try:
        yield
    finally:
        setattr(module, name, old)


def scipy_cases():
    """Name and bytes of every archive."""
    import scipy.sparse
    rows, columns = [0, 1, 1, 2, 3, 3], [0, 1, 4, 2, 0, 3]
    values = np.array([0.5, -1.0, 2.5, 1e-300, -0.0, 7.0])

    def save(matrix, compressed=True):
        file = io.BytesIO()
        scipy.sparse.save_npz(file, matrix, compressed=compressed)
        return file.getvalue()

    for kind in ["matrix", "array"]:
        coo = getattr(scipy.sparse, "coo_" + kind)((values, (rows, columns)), (4, 5))
        for form in ["csr", "csc", "coo", "dia", "bsr"]:
            matrix = coo.asformat(form)
            if form == "bsr":
                even = getattr(scipy.sparse, "coo_" + kind)(
                    (values, (rows, columns)), (4, 6))
                matrix = even.tobsr((2, 3))
            name = "%s_%s" % (form, kind)
            yield name, save(matrix)
            yield name + "_stored", save(matrix, compressed=False)
    csr = scipy.sparse.csr_matrix(coo)
    yield "csr_matrix_c16", save((csr * (1 - 2j)).astype("<c16"))
    wide = csr.copy()
    wide.indices, wide.indptr = wide.indices.astype("<i8"), wide.indptr.astype("<i8")
    yield "csr_matrix_int64_indices", save(wide)
    yield "csr_matrix_nothing", save(scipy.sparse.csr_matrix((0, 0), dtype="<f4"))


# ------------------------------------------------------ writing the archives


def write(outdir):
    """The archives of the running NumPy, with the values from memory."""
    rows = []
    for name, save, arguments, keywords in numpy_cases():
        try:
            with patched(time, "localtime", lambda seconds=None: time.struct_time(MOMENT)):
                data = save(arguments, keywords)
        except Exception as error:
            print("skipped %s: %s: %s" % (name, type(error).__name__, first_line(error)))
            continue
        arrays = dict(keywords)
        for i, array in enumerate(arguments):
            arrays["arr_%d" % i] = array
        shown = {}
        for key in arrays:
            member = key + ".npy"
            # zipfile.write, of which older releases make use, tidies names.
            for variant in [member, os.path.normpath(member).lstrip("/")]:
                shown[variant] = dump(arrays[key])
        path = put(outdir, name, data)
        found = members(path)
        for row, member in found:
            if row["position"] == "-":
                continue
            # zipfile takes names that are not ascii for those of DOS.
            if PYTHON_2 and not isinstance(member, bytes):
                member = member.encode("utf-8")
            row["values"] = shown[member]
        if len(found) != max(len(arrays), 1):
            raise AssertionError("%s: %d members" % (path, len(found)))
        rows.extend(row for row, _ in found)
    finish(outdir, rows)


def write_given(outdir, cases):
    """Archives that are there as bytes; the values are those of NumPy."""
    rows = []
    with patched(time, "localtime", lambda seconds=None: time.struct_time(MOMENT)):
        for name, data in cases:
            found = members(put(outdir, name, data))
            rows.extend(row for row, _ in found)
    finish(outdir, rows)


def put(outdir, name, data):
    if not os.path.isdir(outdir):
        os.makedirs(outdir)
    if len(data) > LARGEST:
        raise AssertionError("%s has %d bytes" % (name, len(data)))
    path = os.path.join(outdir, name + ".npz")
    with open(path, "wb") as file:
        file.write(data)
    return path


def members(path):
    """A row for every member, and its name.  One without position if none."""
    row = {
        "archive": os.path.relpath(path, HERE).replace(os.sep, "/"),
        "numpy": np.__version__,
        "python": "%d.%d" % sys.version_info[:2],
    }
    rows = []
    with contextlib.closing(zipfile.ZipFile(path)) as archive:
        for position, info in enumerate(archive.infolist()):
            rows.append((dict(row, position="%d" % position, key="",
                              method="%d" % info.compress_type,
                              **content(archive.open(info).read())), info.filename))
    if not rows:
        empty = dict((column, "-") for column in COLUMNS)
        return [(dict(empty, **row), "")]
    return rows


def content(data):
    """What a member is, by the bytes of its header, and the values as read."""
    if not data.startswith(b"\x93NUMPY"):
        return {"descr": "bytes", "order": "-", "shape": "-",
                "values": binascii.hexlify(data).decode("ascii")}
    descriptor, path = tempfile.mkstemp()
    try:
        os.write(descriptor, data)
        os.close(descriptor)
        row = make_golden.describe(path)
        with open(path, "rb") as file:
            row["values"] = dump(np.load(file))
    finally:
        os.remove(path)
    return dict((column, row[column]) for column in ["descr", "order", "shape", "values"])


def finish(outdir, rows):
    write_table(os.path.join(outdir, PART), rows)
    archives = set(row["archive"] for row in rows)
    print("%d archives, %d members" % (
        len(archives), sum(row["position"] != "-" for row in rows)))


# -------------------------------------------------------------- archives.tsv


def write_table(path, rows):
    with patched(make_golden, "COLUMNS", COLUMNS):
        make_golden.write_table(path, rows)


def read_table(path):
    with patched(make_golden, "COLUMNS", COLUMNS):
        return make_golden.read_table(path)


def by_archive(rows):
    """Name of the archive and its rows; of one without members, none."""
    archives = []
    for row in rows:
        if not archives or archives[-1][0] != row["archive"]:
            archives.append((row["archive"], []))
        if row["position"] != "-":
            archives[-1][1].append(row)
    return archives


def merge(parts):
    rows = []
    for part in parts:
        rows.extend(read_table(part))
        os.remove(part)
    for name, own in by_archive(rows):
        with loaded(name) as archive:
            keys = list(archive.files)
        assert len(keys) == len(own), name
        for row, key in zip(own, keys):
            row["key"] = key
    write_table(os.path.join(HERE, ARCHIVES), rows)
    print("%d archives, %d members" % (
        len(by_archive(rows)), sum(row["position"] != "-" for row in rows)))


def loaded(name):
    """What np.load gives; it refuses what does not begin like an archive."""
    file = open(os.path.join(HERE, name), "rb")
    return np.lib.npyio.NpzFile(file, own_fid=True)


def check():
    """Compare every archive with its rows; 1 if one differs."""
    rows = read_table(os.path.join(HERE, ARCHIVES))
    good, bad = 0, 0
    for name, own in by_archive(rows):
        with loaded(name) as archive:
            keys = list(archive.files)
            # Of those with the same key np.load gives the last.
            last = dict((row["key"], row) for row in own)
            if keys != [row["key"] for row in own]:
                bad += 1
                print("%s: keys %s" % (name, keys))
            for key in set(keys):
                row, value = last[key], archive[key]
                if isinstance(value, bytes):
                    values = binascii.hexlify(value).decode("ascii")
                    same = row["descr"] == "bytes" and values == row["values"]
                else:
                    shape = ",".join("%d" % length for length in value.shape)
                    same = shape == row["shape"] and dump(value) == row["values"]
                if same:
                    good += 1
                else:
                    bad += 1
                    print("%s: %s differs" % (name, key))
    listed = set(row["archive"] for row in rows)
    for path in archive_paths():
        name = os.path.relpath(path, HERE).replace(os.sep, "/")
        if name not in listed:
            bad += 1
            print("%s: not in %s" % (name, ARCHIVES))
    print("NumPy %s: %d arrays equal, %d not equal" % (np.__version__, good, bad))
    return 1 if bad else 0


def archive_paths():
    paths = []
    for pattern in ["numpy-*/archives", "zipfile", "scipy-*"]:
        paths.extend(glob.glob(os.path.join(HERE, pattern, "*.npz")))
    return sorted(paths)


# -------------------------------------------------------- all the releases


def make_all(scratch, commands):
    scratch = scratch or os.path.join(tempfile.gettempdir(), "make-golden")
    corpus.unpack()
    for old in archive_paths():
        os.remove(old)
    interpreters = make_golden.find_interpreters(commands)
    script = os.path.abspath(__file__)
    parts, runs = [], {}

    def make(label, command, python, folder, *environment):
        if python not in interpreters:
            print("%s: skipped, no such Python" % label)
            return
        try:
            run = make_golden.environment(
                environment[0], interpreters[python], python, *environment[1:])
            version = run("-c", "import numpy; print(numpy.__version__)")
            outdir = os.path.join(HERE, *folder(run, version))
        except subprocess.CalledProcessError as error:
            print("%s: skipped, %s" % (label, (error.output or "").strip().split("\n")[-1]))
            return
        print("== " + os.path.relpath(outdir, HERE))
        tell(run, script, command, outdir)
        parts.append(os.path.join(outdir, PART))
        return version, run

    for python, wanted, packages in make_golden.RELEASES:
        made = make("numpy%s on Python %s" % (wanted, python), "write", python,
                    lambda run, version: ["numpy-%s-py%s" % (version, python), "archives"],
                    scratch, wanted, packages)
        if made:
            runs[made[0]] = made[1]
        if made and python == ZIPFILE_PYTHON:
            make("zipfile of Python " + python, "zipfile", python,
                 lambda run, version: ["zipfile"], scratch, wanted, packages)
    # Apart, because these have the names of those above and a package more.
    beside = os.path.join(scratch, "scipy")
    for python, wanted, scipy in SCIPY:
        version_of = "import scipy; print(scipy.__version__)"
        make("scipy%s on Python %s" % (scipy, python), "scipy", python,
             lambda run, version: ["scipy-" + run("-c", version_of)],
             beside, wanted, ["scipy" + scipy])
    tell(runs[CURRENT], script, "merge", *parts)
    for version in sorted(runs):
        if version == CURRENT or version.startswith(NEWEST):
            tell(runs[version], script, "check")
    corpus.pack()


def tell(run, *arguments):
    """Print what a run of this script prints, also if it fails."""
    try:
        print(run(*arguments))
    except subprocess.CalledProcessError as error:
        print(error.output)
        raise


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    commands = parser.add_subparsers(dest="command")
    all_parser = commands.add_parser("all")
    all_parser.add_argument("--scratch", help="folder for the environments")
    all_parser.add_argument("--python", action="append", default=[],
                            help="an interpreter to use, before those found")
    for name in ["write", "zipfile", "scipy"]:
        commands.add_parser(name).add_argument("outdir")
    commands.add_parser("merge").add_argument("parts", nargs="+")
    commands.add_parser("check")
    arguments = parser.parse_args()
    if arguments.command == "all":
        global corpus
        import corpus  # of Python 3 only
        return make_all(arguments.scratch, arguments.python)

    global np, dump
    import numpy as np
    from dump import dump
    make_golden.np, make_golden.dump = np, dump
    warnings.simplefilter("ignore")
    if arguments.command == "write":
        return write(arguments.outdir)
    if arguments.command == "zipfile":
        return write_given(arguments.outdir, zipfile_cases())
    if arguments.command == "scipy":
        return write_given(arguments.outdir, scipy_cases())
    if arguments.command == "merge":
        return merge(arguments.parts)
    if arguments.command == "check":
        return check()
    parser.error("what shall be done?")


if __name__ == "__main__":
    sys.exit(main())
