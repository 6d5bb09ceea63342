"""Arrays of Python objects for tests/objects.rs, as NumPy and Python write them.

`write` prints frames by threes: what the case is, the bytes of a file, and its
items in the form of `dump`. `read` is given frames of files, and prints for
each the items of the array that NumPy loads; `save` prints what `np.save`
makes of it. `dump FILE...` prints the items of files. Runs on any Python and
NumPy.
"""
import io
import pickle
import struct
import sys

import numpy as np


def dump(value, path=()):
    """A value with all that is in it: leaves by their `repr`, numbers with their bits."""
    if id(value) in path:
        return "cycle"
    path += (id(value),)
    items = lambda values: [dump(item, path) for item in values]
    if isinstance(value, np.ndarray):
        # Not a matrix, of which `tolist` has an axis more. Protocol 5 alone keeps a byte order.
        value = np.asarray(value)
        if not value.dtype.isnative and value.dtype.names is None:
            value = value.astype(value.dtype.newbyteorder("="), order="K")
        flags = value.flags
        order = "F" if flags.f_contiguous and not flags.c_contiguous else ""
        shape = order + ",".join(str(length) for length in value.shape)
        if value.dtype.hasobject or value.dtype.kind == "T":
            kind = value.dtype.kind if value.dtype.names is None else str(list(value.dtype.names))
            if kind == "T":
                kind += " %s" % value.dtype.coerce
                kind += " " + dump(value.dtype.na_object) if hasattr(value.dtype, "na_object") else ""
            return "O[%s|%s|%s]" % (kind, shape, ";".join(items(value.ravel("C").tolist())))
        data = "".join("%02x" % byte for byte in bytearray(value.tobytes("C")))
        return "A[%s|%s|%s]" % (value.dtype.descr if value.dtype.names else value.dtype.str, shape, data)
    kind = type(value).__name__
    if kind in ("list", "tuple"):
        return "%s(%s)" % (kind, ";".join(items(value)))
    if kind in ("set", "frozenset"):
        return "%s(%s)" % (kind, ";".join(sorted(items(value))))
    if kind in ("dict", "OrderedDict"):
        return "%s(%s)" % (kind, ";".join(dump(key, path) + "=" + dump(value[key], path) for key in value))
    if kind == "slice":
        return "slice(%s)" % ";".join(items([value.start, value.stop, value.step]))
    if isinstance(value, np.generic) and value.dtype.kind in "iufcmM" and value.dtype.char not in "gG":
        return "%r %s" % (value, "".join("%02x" % byte for byte in bytearray(value.tobytes())))
    if kind == "float":
        return "%r %016x" % (value, struct.unpack("<Q", struct.pack("<d", value))[0])
    if kind == "complex":
        return "%r %016x %016x" % ((value,) + struct.unpack("<QQ", struct.pack("<dd", value.real, value.imag)))
    return repr(value)


def objects(items, shape=None, order="C"):
    array = np.empty(len(items), "O")
    for i, item in enumerate(items):
        array[i] = item
    return array.reshape(shape or (len(items),)).copy(order)


def plain_values():
    return [
        None, True, False, 0, 1, 255, 256, 65535, 65536, -1, -128, -129, 2**31 - 1, 2**31, -2**31, -2**31 - 1,
        2**63 - 1, 2**63, -2**63, -2**63 - 1, 2**64, 10**40, -10**40, 3**3000, -(1 << 2048), 0.0, -0.0, 1.0, 0.1, -1.5, 1e16, 1e15,
        123456789012345680.0, 1e-5, 0.0001, 5e-324, 1.7976931348623157e308, float("inf"), -float("inf"), float("nan"), 1e22,
        u"", u"a", u"it's", u'"', u"'\"", u"\u00e9", u"\u4e2d\u6587", u"\U0001f600", u"\x00\x7f\xad\n\\u0041", u"x" * 300,
        u"y" * 70000, [], [1, [2, [3]]], (), (1,), (1, 2), (1, 2, 3), (1, 2, 3, 4), {}, {"a": 1, 2: [None]}, [None] * 2500,
        {str(i): i for i in range(2500)}, list(range(1001)),
    ]


def values_of_python_3():
    import collections
    import datetime
    import decimal
    import fractions
    import uuid

    zone = datetime.timezone(datetime.timedelta(hours=-5, minutes=-30))
    named = datetime.timezone(datetime.timedelta(hours=1), "CET")
    return [
        b"", b"a", b"\x00\xff'", b"z" * 300, b"w" * 70000, bytearray(b""), bytearray(b"ab\xff"), 1j, 1 + 2j, -0.0 + 2j, complex(0, -0.0),
        complex("nan+infj"), 1e20 - 1e-7j, set(), {1}, {1, 2, "c"}, frozenset(), frozenset([1, (2, b"3")]), set(range(1500)), range(3),
        range(1, 10, 2), range(2**70), slice(None), slice(1, 2.5, "x"), datetime.date(1, 1, 1), datetime.date(9999, 12, 31),
        datetime.time(1, 2), datetime.time(1, 2, 3, 4), datetime.time(23, 59, 59, 999999, tzinfo=zone, fold=1),
        datetime.datetime(2024, 2, 29), datetime.datetime(2024, 2, 29, 12, 30, 1, 5, tzinfo=datetime.timezone.utc),
        datetime.datetime(2024, 10, 27, 2, 30, fold=1, tzinfo=named), datetime.timedelta(0), datetime.timedelta(-1, 5, 7),
        datetime.timedelta(999999999, 86399, 999999), zone, named, datetime.timezone.utc, decimal.Decimal("-1.50E+3"),
        decimal.Decimal("NaN"), decimal.Decimal("Infinity"), decimal.Decimal("0.1"), fractions.Fraction(-3, 4), fractions.Fraction(5),
        uuid.UUID("12345678-9abc-def0-1234-56789abcdef0"), uuid.UUID(int=0), uuid.UUID(int=2**128 - 1),
        collections.OrderedDict(), collections.OrderedDict([("b", 1), ("a", [2])]),
    ]


def values_of_numpy():
    record = np.zeros(2, [("a", "<i4"), ("b", "<U3"), ("c", "<f8", (2,))])
    record["a"] = [1, 2]
    record["b"] = ["x", "yz"]
    nested = np.zeros(2, [("a", "<i4"), ("o", "O")])
    nested["o"] = [None, [1]]
    padded = np.zeros(3, {"names": ["a", "b"], "formats": ["u1", ">f8"], "offsets": [0, 8], "itemsize": 24})
    values = [
        np.bool_(True), np.bool_(False), np.int8(-5), np.uint8(200), np.int16(-300), np.uint16(65535), np.int32(-1), np.uint32(2**32 - 1),
        np.int64(-2**63), np.uint64(2**64 - 1), np.float16(0.1), np.float16(65504), np.float16(6e-8), np.float16("nan"), np.float16(2048),
        np.float32(0.1), np.float32(1e10), np.float32(16777216), np.float32("-inf"), np.float64(0.1), np.float64(1e300), np.complex64(1 + 2j),
        np.complex128(-1.5j), np.str_("caf\u00e9"), np.bytes_(b"ab\x00c"), np.datetime64("2024-02-29"), np.datetime64("2024-02"),
        np.datetime64("2024"), np.datetime64("2024-02-29T12:30"), np.datetime64("2024-02-29T12:30:01.000000005"), np.datetime64("NaT"),
        np.datetime64("NaT", "s"), np.datetime64("2024-02-29", "W"), np.datetime64(7, "25s"), np.timedelta64(5, "D"),
        np.timedelta64(5, "25us"), np.timedelta64(5), np.timedelta64("NaT", "ms"), np.arange(6).reshape(2, 3),
        np.asfortranarray(np.arange(6.0).reshape(2, 3)), np.zeros((0, 3), "<i2"), np.array(1.5), np.array(["a", "bcd"]), np.array([b"x"]),
        np.array(["2024-02-29"], "M8[s]"), np.array([True, False]), record, padded, nested, objects([[1], None], (2, 1)), objects([], (0,)),
        np.dtype("f8"), np.dtype(">i4"), np.dtype("U5"), np.dtype("S3"), np.dtype("V4"), np.dtype("M8[ns]"), np.dtype("O"),
        np.dtype([("a", "<i4"), ("o", "O")]), np.dtype("?"),
    ]
    return values


def arrays():
    for i, item in enumerate(plain_values()):
        yield "plain %d" % i, objects([item])
    yield "all plain", objects(plain_values())
    if sys.version_info[0] > 2:
        for i, item in enumerate(values_of_python_3()):
            yield "python %d" % i, objects([item])
        yield "all of python", objects(values_of_python_3())
        for i, item in enumerate(values_of_numpy()):
            yield "numpy %d" % i, objects([item])
        yield "all of numpy", objects(values_of_numpy())
    shared = ["shared", (1, 2)]
    yield "shared", objects([shared, shared, shared[1], {"k": shared}])
    yield "0d", objects([None]).reshape(())
    yield "empty", objects([])
    yield "empty 2d", objects([]).reshape(0, 5)
    yield "2d", objects(list(range(6)), (2, 3))
    yield "fortran", objects(list(range(6)), (2, 3), "F")
    yield "5d", objects(list(range(16)), (2, 2, 1, 2, 2))
    record = np.zeros((2, 2), [("a", "<i4"), ("o", "O"), ("t", "<U2"), ("p", "O")])
    record["o"] = [[None, u"x"], [[1], 2.5]]
    record["t"] = [[u"a", u"bc"], [u"", u"d"]]
    yield "record", record
    yield "record fortran", np.asfortranarray(record)
    yield "aligned record", np.zeros(2, np.dtype([("a", "u1"), ("o", "O"), ("b", "u1")], align=True))
    yield "nested record", np.zeros(2, [("n", [("a", "u1"), ("o", "O")]), ("s", "O", (2,))])
    yield "titled record", np.zeros(1, [(("title", "a"), "O"), (("other", "b"), "<i4")])
    if hasattr(np, "dtypes") and hasattr(np.dtypes, "StringDType"):
        strings = ["a", "long enough for the heap", "\u4e2d"]
        yield "strings", np.array(strings, np.dtypes.StringDType())
        yield "strings without coercion", np.array(strings, np.dtypes.StringDType(coerce=False))
        yield "strings or None", np.array(strings + [None], np.dtypes.StringDType(na_object=None))
        yield "strings or NaN", np.array(strings + [np.nan], np.dtypes.StringDType(na_object=np.nan))


def write_frame(frame):
    out = getattr(sys.stdout, "buffer", sys.stdout)
    frame = frame if isinstance(frame, bytes) else frame.encode("utf-8")
    out.write(struct.pack("<I", len(frame)) + frame)


def write():
    write_frame("NumPy %s on Python %s" % (np.__version__, sys.version.split()[0]))
    for name, array in arrays():
        file = io.BytesIO()
        np.save(file, array)
        write_case(name, file.getvalue(), array)
        header = file.getvalue()[:file.getvalue().index(b"\n") + 1]
        for protocol in range(pickle.HIGHEST_PROTOCOL + 1):
            write_pickle("%s by protocol %d" % (name, protocol), header, pickle.dumps(array, protocol))
            # By the implementation in Python, which frames and keeps values in other ways than that in C.
            if hasattr(pickle, "_dumps"):
                write_pickle("%s by Python's own protocol %d" % (name, protocol), header, pickle._dumps(array, protocol))


def write_pickle(name, header, data):
    # Not every protocol keeps all there is: the fold of a time is lost before protocol 4.
    write_case(name, header + data, pickle.loads(data))


def write_case(name, file, array):
    write_frame(name)
    write_frame(file)
    write_frame(dump(array))


def loaded():
    data = getattr(sys.stdin, "buffer", sys.stdin).read()
    while data:
        length, = struct.unpack("<I", data[:4])
        file, data = data[4:4 + length], data[4 + length:]
        yield np.load(io.BytesIO(file), allow_pickle=True)


def read():
    for array in loaded():
        write_frame(dump(array))


def save():
    for array in loaded():
        file = io.BytesIO()
        np.save(file, array)
        write_frame(file.getvalue())


if __name__ == "__main__":
    np.set_printoptions(legacy=False)
    if sys.argv[1] == "write":
        write()
    elif sys.argv[1] == "read":
        read()
    elif sys.argv[1] == "save":
        save()
    else:
        for path in sys.argv[2:]:
            write_frame(dump(np.load(path, allow_pickle=True, encoding="latin1")))
