"""Random arrays of Python objects, pickled by Python in each protocol, and mutations of the pickles."""

import collections
import datetime
import decimal
import fractions
import io
import pickle
import pickletools
import random
import struct
import sys
import uuid

import numpy as np

from times import overflow

# Every global that a pickle of data needs; the list is that of npy-core/src/object/pickle/globals.rs.
GLOBALS = [
    ("numpy.core.multiarray", "_reconstruct"), ("numpy._core.multiarray", "_reconstruct"), ("numpy.core.multiarray", "scalar"),
    ("numpy._core.multiarray", "scalar"), ("numpy.core.numeric", "_frombuffer"), ("numpy._core.numeric", "_frombuffer"),
    ("numpy", "ndarray"), ("numpy", "matrix"), ("numpy.matrixlib.defmatrix", "matrix"), ("numpy", "recarray"), ("numpy.rec", "recarray"),
    ("numpy.core.records", "recarray"), ("numpy", "dtype"), ("numpy", "record"), ("numpy.rec", "record"), ("numpy.core.records", "record"),
    ("numpy._core._internal", "_convert_to_stringdtype_kwargs"), ("numpy.core._internal", "_convert_to_stringdtype_kwargs"),
    ("_codecs", "encode"), ("builtins", "bytes"), ("__builtin__", "bytes"), ("builtins", "bytearray"), ("__builtin__", "bytearray"),
    ("builtins", "complex"), ("__builtin__", "complex"), ("builtins", "set"), ("__builtin__", "set"), ("builtins", "frozenset"),
    ("__builtin__", "frozenset"), ("builtins", "slice"), ("__builtin__", "slice"), ("builtins", "range"), ("builtins", "xrange"),
    ("__builtin__", "xrange"), ("__builtin__", "range"), ("builtins", "object"), ("__builtin__", "object"),
    ("collections", "OrderedDict"), ("decimal", "Decimal"), ("_decimal", "Decimal"), ("cdecimal", "Decimal"), ("fractions", "Fraction"),
    ("uuid", "UUID"), ("datetime", "date"), ("datetime", "time"), ("datetime", "datetime"), ("datetime", "timedelta"),
    ("datetime", "timezone"), ("copyreg", "_reconstructor"), ("copy_reg", "_reconstructor"),
]

# Those of which any bytes are a value.
SCALARS = ["?", "i1", "u1", "i2", ">i2", "u4", "i8", ">u8", "f2", "f4", ">f4", "f8", "c8", "c16", "S3", "V3",
           "M8[s]", "M8[25us]", ">M8[D]", "m8[ns]", "m8"]


def within_limits(array):
    """The array, or zeros where its times overflow in NumPy."""
    return np.zeros_like(array) if overflow(array) else array


class Values:
    """Random values; some occur in several places."""

    def __init__(self, r):
        self.r = r
        self.made = []

    def value(self, depth=0):
        r = self.r
        if self.made and r.random() < 0.08:
            return r.choice(self.made)
        kinds = [self.hashable] * 6 + [self.numpy] * 2
        if depth < 4:
            kinds += [self.container] * 3
        value = r.choice(kinds)(depth + 1)
        self.made.append(value)
        return value

    def hashable(self, depth):
        r = self.r
        kind = r.randrange(20)
        if kind < 3:
            return r.choice([r.getrandbits(r.choice([3, 8, 16, 31, 32, 63, 64, 100, 2100])), 0, -1, 255, 256, -2**31, 2**31, 2**63, -2**63]) \
                * r.choice([1, 1, -1])
        if kind < 5:
            return self.float()
        if kind < 8:
            return self.text()
        if kind == 8:
            return bytes(r.getrandbits(8) for _ in range(r.choice([0, 1, 5, 300])))
        if kind == 9:
            return r.choice([None, True, False])
        if kind == 10:
            return complex(self.float(), self.float())
        if kind == 11 and depth < 4:
            return tuple(self.hashable(depth + 1) for _ in range(r.randrange(5)))
        if kind == 12 and depth < 4:
            return frozenset(self.hashable(depth + 1) for _ in range(r.randrange(4)))
        if kind == 13:
            return decimal.Decimal(r.choice(["0", "-0.00", "1E+3", "NaN", "-Infinity", str(self.float()), "-1.50E-7"]))
        if kind == 14:
            return self.time()
        if kind == 15:
            return fractions.Fraction(r.randrange(-99, 99), r.randrange(1, 99))
        if kind == 16:
            return uuid.UUID(int=r.getrandbits(r.choice([8, 128])))
        if kind == 17:
            return r.choice([range(r.randrange(9)), range(-3, r.getrandbits(70), 7), range(5, 0, -1)])
        if kind == 18:
            return datetime.timedelta(r.randrange(-9999, 9999), r.randrange(86400), r.randrange(10**6))
        return r.randrange(9)

    def float(self):
        r = self.r
        return r.choice([
            struct.unpack("<d", struct.pack("<Q", r.getrandbits(64)))[0], float("nan"), float("inf"), -0.0, 0.0, 0.1, 1e16, 5e-324,
            struct.unpack("<d", struct.pack("<Q", 0x7ff0000000000000 | r.getrandbits(51) << 1 | 1))[0], r.uniform(-1e3, 1e3),
            round(r.uniform(-1e3, 1e3), 2), float(r.randrange(-99, 99)),
        ])

    def text(self):
        r = self.r
        if r.random() < 0.01:
            return r.choice(["\ud800", "a\udfff", "\ude00\ud83d"])
        characters = "ab'\"\\\n\t\0\x7f\x85\xa0\xe9\u0394\u2028\u4e2d\ufffd\ufeff\U0001f600\U0010ffff"
        return "".join(r.choice(characters) for _ in range(r.choice([0, 1, 2, 5, 12, 90])))

    def time(self):
        r = self.r
        zone = r.choice([None, None, datetime.timezone.utc, datetime.timezone(datetime.timedelta(minutes=r.randrange(-1439, 1439))),
                         datetime.timezone(datetime.timedelta(hours=1), self.text())])
        time = datetime.time(r.randrange(24), r.randrange(60), r.choice([0, 59]), r.choice([0, 5, 999999]), zone, fold=r.choice([0, 0, 1]))
        date = datetime.date(r.randrange(1, 10000), r.randrange(1, 13), r.randrange(1, 29))
        return r.choice([time, date, datetime.datetime.combine(date, time), zone])

    def container(self, depth):
        r = self.r
        items = [self.value(depth) for _ in range(r.choice([0, 1, 2, 3, 4]))]
        kind = r.randrange(7)
        if kind == 0:
            return items
        if kind == 1:
            return tuple(items)
        if kind == 2:
            return {self.hashable(depth): item for item in items}
        if kind == 3:
            return collections.OrderedDict((self.hashable(depth), item) for item in items)
        if kind == 4:
            return set(self.hashable(depth) for _ in items)
        if kind == 5:
            return slice(*[self.value(depth) for _ in range(3)])
        # Neither can be a key.
        return r.choice([bytearray(r.getrandbits(8) for _ in items), decimal.Decimal("sNaN12")])

    def dtype(self, is_aligned=False):
        r = self.r
        if r.random() < 0.7:
            return np.dtype(r.choice(SCALARS))
        fields = []
        for i in range(r.randrange(1, 4)):
            name = r.choice(["f%d" % i, ("title %d" % i, "f%d" % i), "gr\u00f6\u00dfe %d" % i])
            fields.append((name, r.choice(SCALARS), *r.choice([(), (), ((2,),), ((2, 1),)])))
        return np.dtype(fields, align=is_aligned)

    def numpy(self, depth):
        r = self.r
        kind = r.randrange(9)
        if kind < 3:
            dtype = self.dtype()
            return within_limits(np.copy(np.frombuffer(bytes(r.getrandbits(8) for _ in range(dtype.itemsize)), dtype)))[0]
        if kind == 3:
            return r.choice([np.str_(self.text()), np.longdouble(self.float()) / 3, np.clongdouble(complex(self.float(), 1)) / 3])
        if kind < 6:
            # Of an aligned dtype only in arrays: the `repr` of one says so, but not the file.
            return self.plain_array(self.dtype(r.random() < 0.3))
        if kind == 6:
            return np.array([self.text() for _ in range(r.randrange(4))], r.choice(["U2", ">U5", "U0"]))
        if kind == 7 and depth < 3:
            return self.array(r.randrange(3), depth)
        return self.dtype()

    def plain_array(self, dtype):
        r = self.r
        shape = tuple(r.choice([0, 1, 1, 2, 3]) for _ in range(r.randrange(4)))
        size = int(np.prod(shape, dtype=int)) * dtype.itemsize
        array = within_limits(np.frombuffer(bytes(r.choice([0, 1, r.getrandbits(8)]) for _ in range(size)), dtype).reshape(shape))
        return np.copy(array) if r.random() < 0.6 else np.asfortranarray(array)

    def array(self, most_axes, depth=0):
        """An array of objects, of records with some, or of texts of any length."""
        r = self.r
        shape = tuple(r.choice([0, 1, 2, 3] if most_axes > 1 else [0, 1, 3, 6, 12]) for _ in range(r.randrange(most_axes + 1)))
        kind = r.randrange(8)
        if kind == 0:
            return self.texts(shape)
        if kind == 1:
            dtype = np.dtype([("o", "O"), ("x", r.choice(SCALARS)), ("p", "O", r.choice([(), (2,)])), ("n", [("a", "u1"), ("q", "O")])])
            dtype = dtype[sorted(r.sample(dtype.names, r.randrange(1, 5)), key=dtype.names.index)]
            if r.random() < 0.7:
                # Without the gaps of the fields that were left out.
                dtype = np.dtype([(name, dtype[name]) for name in dtype.names], align=r.random() < 0.3)
        else:
            dtype = np.dtype("O")
        # One more element, because NumPy takes apart what is assigned to an array without axes.
        array = np.zeros(shape or (1,), dtype, r.choice(["C", "C", "F"]))
        self.fill(array, depth)
        return array.reshape(shape) if not shape else array

    def fill(self, array, depth):
        if array.dtype.names:
            for name in array.dtype.names:
                self.fill(array[name], depth)
        elif array.dtype.hasobject:
            for index in np.ndindex(array.shape):
                array[index] = self.value(depth)

    def texts(self, shape):
        r = self.r
        missing = r.choice([(), (), (None,), (float("nan"),), ("none",)])
        dtype = np.dtypes.StringDType(coerce=r.choice([True, False]), **({"na_object": missing[0]} if missing else {}))
        count = int(np.prod(shape, dtype=int))
        items = [missing[0] if missing and r.random() < 0.2 else self.text().encode("utf-8", "replace").decode() for _ in range(count)]
        return np.array(items, dtype).reshape(shape)

    def cycle(self, array):
        """Makes something in the array contain itself."""
        if array.dtype == object and array.size:
            inner = self.r.choice([[1], {"a": 1}, array])
            if isinstance(inner, list):
                inner.append((inner,))
            elif isinstance(inner, dict):
                inner["self"] = inner
            array.reshape(-1)[0] = inner


def header(array):
    file = io.BytesIO()
    np.lib.format.write_array_header_1_0(file, np.lib.format.header_data_from_array_1_0(array))
    return file.getvalue()


def pickled(r):
    """The header and the pickle of a random array."""
    values = Values(r)
    array = values.array(r.choice([1, 1, 3]))
    if r.random() < 0.01:
        values.cycle(array)
    protocol = r.randrange(6)
    # That in Python frames and keeps values in other ways than that in C, and fails at some buffers.
    dumps = r.choice([pickle.dumps, pickle._dumps]) if protocol < 5 else pickle.dumps
    data = dumps(array, protocol)
    if r.random() < 0.3:
        data = pickletools.optimize(data)
    return header(array), data


def split(data):
    """The opcodes of a pickle, each with its argument."""
    starts = [at for _, _, at in pickletools.genops(data)] + [len(data)]
    return [data[begin:end] for begin, end in zip(starts, starts[1:])]


# Values of one opcode.
LEAVES = [b"N", b"\x88", b"\x89", b"K\x05", b"M\x01\x02", b"J\xff\xff\xff\xff", b"I7\n", b"I01\n", b"I 7\n", b"I-0\n", b"L7L\n", b"L7\n", b"I99999999999999999999\n",
          b"I0x7\n", b"I1_0\n", b"I+1\n", b"\x8a\x00", b"\x8a\x01\x80", b"\x8a\x09\0\0\0\0\0\0\0\0\x01", b"\x8b\x02\0\0\0\x01\x02", b"G?\xf8\0\0\0\0\0\0", b"F1.5\n",
          b"F nan\n", b"F-inf\n", b"F1e400\n", b"F1_0\n", b"Finfinity\n", b"F.5\n", b"S'ab'\n", b'S"a\'b"\n', b"S'\\x41\\101\\n'\n", b"S'\\q'\n", b"S'\xe9'\n", b"S ab\n",
          b"U\x02ab", b"U\x01\xe9", b"T\x02\0\0\0ab", b"Vab\n", b"V\\u0041\\n\xe9\n", b"V\\ud800\n", b"V\\U0001f600\\u00e\n", b"V\\\\u0041\n", b"V\\\\\\u0041\n", b"X\x02\0\0\0ab",
          b"X\x02\0\0\0\xc3\xa9", b"X\x02\0\0\0\xe9a", b"X\x03\0\0\0\xed\xa0\x80", b"\x8c\x02ab", b"\x8d\x02\0\0\0\0\0\0\0ab", b"C\x02ab", b"B\x02\0\0\0ab", b"\x8e\x02\0\0\0\0\0\0\0ab",
          b"\x96\x02\0\0\0\0\0\0\0ab", b"]", b")", b"}", b"\x8f", b"(l", b"(t", b"(d", b"(\x91", b"]K\x01a", b"K\x01\x85", b"K\x01K\x02\x86", b"NNN\x87",
          b"}K\x01Ns", b"(K\x01K\x02K\x03t", b"X\x01\0\0\0fX\x01\0\0\0g\x86"]
# Opcodes that arrange values.
ARRANGING = [b"(", b"0", b"1", b"2", b"a", b"e", b"s", b"u", b"\x90", b"l", b"t", b"d", b"\x91", b"\x85", b"\x86", b"\x87", b"R", b"b", b"\x81", b"\x92", b"\x93",
             b"\x94", b"q\x00", b"h\x00", b"h\x01", b"p3\n", b"g3\n", b"r\x05\0\0\0", b"j\x05\0\0\0", b".", b"\x80\x02", b"\x95\x05\0\0\0\0\0\0\0",
             b"P1\n", b"Q", b"i__builtin__\nset\n", b"o", b"\x82\x01", b"\x97", b"\x98", b"\xff"]


def is_leaf(operation):
    return operation[:1] in (b"N", b"K", b"M", b"J", b"I", b"L", b"\x8a", b"\x8b", b"G", b"F", b"S", b"T", b"U", b"V", b"X", b"\x8c", b"C", b"B", b"\x88", b"\x89")


def mutated(r, data, other):
    """A pickle with some opcodes of it, or of another, in other places."""
    operations = split(data)
    if r.random() < 0.8:
        operations = [operation for operation in operations if operation[:1] != b"\x95"]
    others = split(other)
    for _ in range(r.choice([1, 1, 1, 2, 4])):
        at = r.randrange(len(operations))
        kind = r.randrange(12)
        if kind < 5:
            leaves = [at for at, operation in enumerate(operations) if is_leaf(operation)]
            if leaves:
                operations[r.choice(leaves)] = r.choice(LEAVES)
        elif kind == 5:
            globals_ = [at for at, operation in enumerate(operations) if operation[:1] in b"c\x93"]
            if globals_:
                at = r.choice(globals_)
                name = "c%s\n%s\n" % r.choice(GLOBALS + [("os", "getcwd"), ("builtins", "len"), ("numpy", "float64")])
                operations[at] = name.encode() if operations[at][:1] == b"c" else b"00" + name.encode()
        elif kind == 6:
            operations.insert(at, r.choice(LEAVES + ARRANGING))
        elif kind == 7:
            operations[at] = r.choice(ARRANGING)
        elif kind == 8:
            del operations[at:at + r.choice([1, 1, 2, 5])]
            operations = operations or [b"."]
        elif kind == 9:
            operations.insert(at, r.choice(others))
        elif kind == 10:
            to = r.randrange(len(operations))
            operations[at], operations[to] = operations[to], operations[at]
        else:
            begin = r.randrange(len(others))
            operations[at:at + r.randrange(3)] = others[begin:begin + r.choice([1, 2, 5])]
    return b"".join(operations)


def changed(r, data):
    data = bytearray(data)
    for _ in range(r.randrange(1, 4)):
        at = r.randrange(len(data) + 1)
        kind = r.randrange(5)
        if kind == 0:
            data[at:at + 1] = bytes([r.getrandbits(8)])
        elif kind == 1 and at < len(data):
            data[at] ^= 1 << r.randrange(8)
        elif kind == 2:
            del data[at:at + r.randrange(1, 4)]
        elif kind == 3:
            data[at:at] = r.choice(LEAVES + ARRANGING)
        elif r.random() < 0.3:
            del data[at:]
    return bytes(data)


def cases(seed, count, golden):
    """What a case is, and a file."""
    r = random.Random(seed)
    previous = pickled(r)
    for _ in range(count):
        head, data = pickled(r)
        if r.random() < 0.1:
            file = r.choice(golden)
            end = file.index(b"\n") + 1
            head, data = file[:end], file[end:]
        kind = r.randrange(10)
        if kind < 3:
            yield "pickle", head + data
        elif kind < 8:
            yield "opcodes changed", head + mutated(r, data, previous[1])
        elif kind == 8:
            yield "bytes changed", head + changed(r, data)
        else:
            yield "header of another", previous[0] + data
        previous = head, data
