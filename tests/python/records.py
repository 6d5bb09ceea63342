"""Records by NumPy, and what it makes of ours.

records.py FUNCTION ARGUMENT...
"""

import ast
import io
import sys

import numpy as np
from numpy.lib.recfunctions import repack_fields

from dump import dump
from frames import call, frame, saved


def dates():
    """Times of each unit in both byte orders, each followed by their texts in nanoseconds."""
    steps = [-7, -1, 0, 1, 3, 29, 200]
    for unit in ["Y", "M", "W", "D", "h", "m", "s", "ms", "us", "ns", "7D", "3M", "25s", "1000us"]:
        for order in "<>":
            array = np.array(steps, "i8").astype(order + "i8").view(order + "M8[%s]" % unit)
            frame(saved(array))
            frame("\n".join(map(str, array.astype("M8[ns]"))).encode())


def tracks():
    """One array of `Track`s, and its fields in other places: aligned, in the other byte order, the other way round, some of each, with holes."""
    place = [("is_known", "?"), ("depth", "<f8"), ("cell", "<u2", (2,))]
    fields = [("id", "<u8"), ("time", "<M8[s]"), ("xyz", "<f4", (3,)), ("flag", "?"), ("name", "S8"), ("place", place),
              ("corners", place, (1, 2)), ("code", "<U2"), ("wave", "<c16"), ("kind", "<u2"), ("level", "<i2"), ("weight", "<f8"),
              ("first", "i1"), ("second", "<i4")]
    count = 20_000
    array = np.zeros(count, fields)
    i = np.arange(count)
    array["id"] = i * 1_000_003
    array["time"] = np.where(i % 5 > 0, i, np.iinfo("i8").min).astype("M8[s]")
    array["xyz"] = np.stack([i / 7, -i, i * 3], -1)
    array["flag"] = i % 3 == 0
    array["name"] = np.char.add(b"n", i.astype("S"))
    for where in [array["place"], array["corners"][:, 0, 0], array["corners"][:, 0, 1]]:
        where["is_known"] = i % 2 == 0
        where["depth"] = i / 3 + len(where.dtype)
        where["cell"] = np.stack([i % 60_000, i % 7], -1)
    array["code"] = np.array(["", "Ä", "xy"])[i % 3]
    array["wave"] = i + 1j * (i / 9)
    array["kind"] = np.where(i % 7 == 0, 258, 1)
    array["level"] = i - 10_000
    array["weight"] = i / 11
    array["first"] = i % 100 - 50
    array["second"] = -i * 1_000

    little = array.dtype
    big = little.newbyteorder(">")
    some = lambda dtype, names: np.dtype([(name, dtype[name]) for name in names])
    names = list(little.names)
    backward = names[::-1]
    mixed = np.dtype([(name, (big if k % 2 else little)[name]) for k, name in enumerate(backward)])
    holes = np.dtype({"names": backward, "formats": [big[name] for name in backward],
                      "offsets": [5 + 60 * k for k in range(len(names))], "itemsize": 1_000})
    more = np.dtype([("unread", "<i4")] + [(name, little[name]) for name in backward] + [("behind", "?")])
    fewer = [name for name in names if name != "weight"]
    for dtype in [little, repack_fields(little, align=True, recurse=True), big, repack_fields(big, align=True, recurse=True),
                  some(little, backward), some(big, backward), mixed, holes, more, some(little, fewer), some(big, fewer)]:
        other = np.zeros(count, dtype)
        for name in dtype.names:
            if name in names:
                other[name] = array[name]
        frame(saved(other))


def read():
    """The descr of a file, whether it is what NumPy writes, and its values."""
    data = sys.stdin.buffer.read()
    array = np.load(io.BytesIO(data))
    print(np.lib.format.dtype_to_descr(array.dtype))
    print(saved(array) == data)
    print(dump(array))


def columns(directory):
    """Saves random records of many shapes, and beside each the bytes of its columns in the order of the file; prints how many."""
    origin = [("time", "M8[us]"), ("depth", "<f4"), ("fixed", "?")]
    dtypes = [
        np.dtype([("a", "u1"), ("origin", origin), ("xyz", "<i2", (2, 3)), ("flag", "?"), ("code", "S3"), ("name", "U2"), ("t", "<f8")]),
        np.dtype([("t", "<f8"), ("a", "u1"), ("origin", np.dtype(origin, align=True)), ("xyz", "<i2", (2, 3)), ("code", "S3"), ("flag", "?"),
                  ("name", "U2")], align=True),
    ]
    random = np.random.default_rng(7)
    files = 0
    for dtype in dtypes:
        for shape in [(0,), (1,), (1000,), (3, 5), (2, 0), (), (2, 3, 4)]:
            for order in "CF":
                array = np.zeros(shape, dtype, order=order)
                array["a"] = random.integers(0, 256, shape)
                array["t"] = random.standard_normal(shape)
                array["origin"]["time"] = random.integers(-2**62, 2**62, shape).astype("M8[us]")
                array["origin"]["depth"] = random.standard_normal(shape)
                array["origin"]["fixed"] = random.integers(0, 2, shape)
                array["xyz"] = random.integers(-2**15, 2**15, shape + (2, 3))
                array["flag"] = random.integers(0, 2, shape)
                array["code"] = random.integers(0, 999, shape).astype("S3")
                array["name"] = random.integers(0, 99, shape).astype("U2")
                path = f"{directory}/{files}.npy"
                np.save(path, array)
                mapped = np.load(path, mmap_mode="r")
                elements = mapped.reshape(-1, order="F" if np.isfortran(mapped) else "C")
                columns = [elements[name] for name in ("a", "t", "xyz", "flag", "code", "name")]
                columns += [elements["origin"][name] for name in ("time", "depth", "fixed")]
                open(f"{directory}/{files}.bytes", "wb").write(b"".join(np.ascontiguousarray(column).tobytes() for column in columns))
                files += 1
    print(files)


def memmap(path, descr, order, shape):
    """Compares a file with that of `open_memmap`, and fills it with the numbers of its bytes."""
    dtype, shape = np.lib.format.descr_to_dtype(ast.literal_eval(descr)), ast.literal_eval(shape)
    ours = open(path, "rb").read()
    mapped = np.load(path, mmap_mode="r")
    assert mapped.dtype == dtype and mapped.shape == shape, mapped
    assert mapped.flags.f_contiguous if order == "Fortran" else mapped.flags.c_contiguous
    assert not mapped.tobytes().strip(b"\0")
    del mapped
    np.lib.format.open_memmap(path, "w+", dtype, shape, order == "Fortran").flush()
    assert open(path, "rb").read() == ours
    changed = np.load(path, mmap_mode="r+")
    flat = changed.T.reshape(-1) if order == "Fortran" else changed.reshape(-1)
    flat.view("u1")[...] = np.arange(changed.nbytes, dtype="u1")


def aligned():
    """Counts the dtypes of standard input, each in three lines: packed, aligned, and aligned in another record."""
    lines = sys.stdin.read().splitlines()
    for packed, aligned, outer in zip(lines[0::3], lines[1::3], lines[2::3]):
        expected = np.dtype(ast.literal_eval(packed), align=True)
        ours = np.lib.format.descr_to_dtype(ast.literal_eval(aligned))
        assert repr(np.lib.format.dtype_to_descr(expected)) == aligned, (expected, aligned)
        assert ours.itemsize == expected.itemsize, aligned
        assert {n: f[1] for n, f in ours.fields.items()} == {n: f[1] for n, f in expected.fields.items()}, aligned
        nested = np.dtype([("a", "u1"), ("b", expected), ("c", expected, (2,))], align=True)
        assert repr(np.lib.format.dtype_to_descr(nested)) == outer, (nested, outer)
    print(len(lines) // 3)


def two_readings(path):
    fields = [("index", "<u8"), ("value", "<f8"), ("flag", "?")]
    np.save(path, np.array([(0, 0.0, True), (1, 0.125, False)], fields))


def readings(path):
    """Prints how many `Reading`s of `tests/support/readings.rs` are in a file, which is what NumPy writes."""
    array = np.load(path)
    i = np.arange(len(array))
    assert (array["index"] == i).all() and (array["value"] == i / 8).all() and (array == np.load(path, mmap_mode="r")).all()
    assert saved(array) == open(path, "rb").read()
    print(len(array))



call(globals())
