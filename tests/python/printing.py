"""What NumPy prints, as frames: its version first, then for each array

- `random SEED PLAIN OPTIONS`: a name, the options, the file, `str` and `repr`; arrays of every dtype, so many with the default options and
  so many with random ones.
- `floats SEED COUNT`: the same of COUNT floats of every width, and the lines of `str` of each float by itself.
- `records SEED COUNT`: the same of arrays of objects and of records with objects in their fields.
- `files`: the text of each file that comes as a frame on the standard input; nothing for those that NumPy cannot load or print.
- `objects SEED COUNT`: the options, the shape, the elements, the text; arrays of `str` as objects.
"""

import collections
import datetime
import decimal
import fractions
import io
import random
import struct
import sys
import unicodedata
import uuid
import warnings

import numpy as np

from times import overflow

RANDOM = random.Random()

INTEGERS = ["i1", "i2", "i4", "i8", "u1", "u2", "u4", "u8"]
FLOATS = ["f2", "f4", "f8", "f16"]
COMPLEX = ["c8", "c16", "c32"]
UNITS = ["Y", "M", "W", "D", "h", "m", "s", "ms", "us", "ns", "ps", "fs", "as"]
TEXTS = ["", "a", "it's", 'say "no"', "'\"", "tab\t", "line\nnext", "back\\", "é", "日本", "\U0001f600", "\x85", "\u200b", "a\0b", "\ud800", "\x7f"]


# What `repr` escapes depends on the Unicode version of the Python; characters that are older than any Python in use do not.
CHARACTERS = [
    character
    for character in map(chr, [*range(1, 0x3000), *range(0x4E00, 0x4E80), *range(0xE000, 0xE010), *range(0x1D400, 0x1D500), *range(0xE0000, 0xE0080)])
    if unicodedata.ucd_3_2_0.category(character) == unicodedata.category(character) != "Cn"
]


def frame(payload):
    sys.stdout.buffer.write(struct.pack("<I", len(payload)) + payload)


def floats(dtype, count, sort=None):
    """Numbers of one of many sorts, as an array of this dtype."""
    sort = RANDOM.randrange(12) if sort is None else sort
    info = np.finfo(dtype)
    with np.errstate(all="ignore"):
        if sort == 0:
            values = [RANDOM.gauss(0, 1) for _ in range(count)]
        elif sort == 1:
            values = [RANDOM.randrange(-50, 50) for _ in range(count)]
        elif sort == 2:
            values = [RANDOM.uniform(-1, 1) * 10.0 ** RANDOM.randrange(-12, 20) for _ in range(count)]
        elif sort == 3:
            raw = np.frombuffer(RANDOM.randbytes(count * np.dtype(dtype).itemsize), np.dtype(dtype).newbyteorder("<")).copy()
            if dtype == "f16":
                # Only encodings that the processor makes: the leading bit is set unless the number is subnormal.
                words = raw.view("u8").reshape(-1, 2)
                words[:, 0] |= np.uint64(1 << 63)
                words[(words[:, 1] & np.uint64(0x7FFF)) == 0, 0] &= np.uint64((1 << 63) - 1)
            return raw
        elif sort == 4:
            near = RANDOM.choice([1e-4, 1e3, 1e6, 1e8, 1e16, 1.0, 9.9999999999, 0.5])
            values = [np.nextafter(np.dtype(dtype).type(near), np.dtype(dtype).type(RANDOM.choice([0, 1e30]))) for _ in range(count)]
        elif sort == 5:
            values = [np.dtype(dtype).type(2) ** RANDOM.randrange(int(info.minexp) - 8, int(info.maxexp)) for _ in range(count)]
        elif sort == 6:
            values = [info.smallest_subnormal * RANDOM.randrange(1, 9) for _ in range(count)]
        elif sort == 7:
            values = [RANDOM.choice([info.max, info.min, info.tiny, info.eps, 0.0, -0.0]) for _ in range(count)]
        elif sort == 8:
            values = [RANDOM.randrange(-4000, 4000) / 2 ** RANDOM.randrange(16) for _ in range(count)]
        elif sort == 9:
            values = [round(RANDOM.uniform(-100, 100), RANDOM.randrange(6)) for _ in range(count)]
        elif sort == 10:
            values = [RANDOM.uniform(0, 1) * RANDOM.choice([1e-9, 1e-5, 1e5]) for _ in range(count)]
        else:
            first = RANDOM.uniform(-10, 10)
            values = [first + index * 0.1 for index in range(count)]
        array = np.array(values, dtype)
        if dtype == "f16" and count and RANDOM.random() < 0.5:
            array = array / np.longdouble(3)
        for _ in range(RANDOM.choice([0, 0, 0, 1, 3]) if count else 0):
            array[RANDOM.randrange(count)] = RANDOM.choice([np.nan, np.inf, -np.inf, 0.0, -0.0, -np.nan])
    return array


def integers(dtype, count):
    info = np.iinfo(dtype)
    sort = RANDOM.randrange(3)
    if sort == 0:
        values = [RANDOM.randrange(info.min, info.max + 1) for _ in range(count)]
    elif sort == 1:
        values = [RANDOM.choice([info.min, info.max, 0, 1]) for _ in range(count)]
    else:
        values = [RANDOM.randrange(max(info.min, -20), 120) for _ in range(count)]
    return np.array(values, dtype)


def times(code, count):
    unit = RANDOM.choice(UNITS if code == "M8" else UNITS + ["generic"])
    step = RANDOM.choice(["", "", "", "25", "7", "1000"]) if unit != "generic" else ""
    bits = RANDOM.choice([5, 20, 30, 45, 62, 63])
    values = [RANDOM.randrange(-(1 << bits) + 1, 1 << bits) for _ in range(count)]
    if code == "m8" and not MAY_OVERFLOW:
        length = MICROSECONDS.get(unit, 0) * int(step or 1)
        values = [0 if 1 << 63 <= abs(value) * length else value for value in values]
    for _ in range(RANDOM.choice([0, 0, 1, 2]) if count else 0):
        values[RANDOM.randrange(count)] = -(1 << 63)
    return within_limits(np.array(values, "i8").view(f"{code}[{step}{unit}]" if unit != "generic" else code))


def within_limits(array):
    """The array, or smaller times where some of them overflow in NumPy."""
    if not overflow(array):
        return array
    steps = array.view(np.dtype("i8").newbyteorder(array.dtype.byteorder))
    # An array even where there is one: a scalar has the order of the machine.
    return np.asarray(steps >> 20, steps.dtype).view(array.dtype)


# Records with objects are pickled with a `datetime.timedelta` for each `m8`. NumPy reads one of more than 2**63 microseconds as another
# number; the library reads what is in the file.
MAY_OVERFLOW = True
MICROSECONDS = {"W": 604_800_000_000, "D": 86_400_000_000, "h": 3_600_000_000, "m": 60_000_000, "s": 1_000_000, "ms": 1000, "us": 1}

# The flag of a dtype that a header does not keep, but a pickle does.
MAY_BE_ALIGNED = True


def column(count, depth=0):
    """An array of so many elements of a random dtype, in the machine's byte order or the other one."""
    sort = RANDOM.randrange(9 if depth > 2 else 12)
    if sort == 0:
        array = np.frombuffer(RANDOM.randbytes(count), "?") if RANDOM.random() < 0.3 else np.array(RANDOM.choices([True, False], k=count), "?")
    elif sort == 1:
        array = integers(RANDOM.choice(INTEGERS), count)
    elif sort <= 3:
        array = floats(RANDOM.choice(FLOATS), count)
    elif sort == 4:
        part = {"c8": "f4", "c16": "f8", "c32": "f16"}
        dtype = RANDOM.choice(COMPLEX)
        array = np.empty(count, dtype)
        array.real, array.imag = floats(part[dtype], count), floats(part[dtype], count)
    elif sort == 5:
        array = np.array([RANDOM.choice([b"", b"a", b"it's", b"\x00\xff", b'"', b"tab\t\n\r\\", b"'\"", b"abc\0d"]) for _ in range(count)], "S6")
    elif sort == 6:
        texts = [RANDOM.choice(TEXTS) for _ in range(count)]
        if RANDOM.random() < 0.3:
            texts = ["".join(RANDOM.choices(CHARACTERS, k=3)) for _ in range(count)]
        array = np.array(texts, "U12")
    elif sort == 7:
        array = times(RANDOM.choice(["M8", "m8"]), count)
    elif sort == 8:
        size = RANDOM.randrange(1, 6)
        array = np.frombuffer(RANDOM.randbytes(count * size), f"V{size}").copy()
    elif sort == 9:
        shape = tuple(RANDOM.randrange(1, RANDOM.choice([4, 4, 4, 12])) for _ in range(RANDOM.randrange(1, 3)))
        size = int(np.prod(shape))
        parts = column(count * size, depth + 1)
        array = np.empty(count, [("only", parts.dtype, shape)])
        array["only"] = parts.reshape((count, *shape, *parts.shape[1:]))
    else:
        fields = [(f"f{index}", column(count, depth + 1)) for index in range(RANDOM.randrange(1, 5))]
        dtype = np.dtype([(name, values.dtype) for name, values in fields], align=MAY_BE_ALIGNED and RANDOM.random() < 0.3)
        array = np.zeros(count, dtype)
        for name, values in fields:
            array[name] = values
    if RANDOM.random() < 0.3 and array.dtype.names is None:
        array = array.astype(array.dtype.newbyteorder(">")) if array.dtype.kind != "V" else array
    return array


def shape_of():
    sort = RANDOM.randrange(12)
    if sort <= 1:
        return ()
    if sort <= 5:
        return (RANDOM.choice([0, 1, 1, 2, 3, 5, 10, 30]),)
    if sort <= 8:
        return tuple(RANDOM.randrange(1, 6) for _ in range(2))
    if sort == 9:
        return tuple(RANDOM.randrange(0 if RANDOM.random() < 0.2 else 1, 4) for _ in range(RANDOM.randrange(3, 6)))
    if sort == 10:
        return (RANDOM.randrange(1001, 2500),)
    return RANDOM.choice([(40, 30), (2, 600), (600, 2), (11, 12, 13), (1, 1, 1100), (7, 6, 5, 8)])


def random_array():
    shape = shape_of()
    count = int(np.prod(shape))
    array = within_limits(column(count).reshape(shape))
    return np.asfortranarray(array) if RANDOM.random() < 0.3 else array


def file_of(array):
    file = io.BytesIO()
    np.save(file, array)
    return file.getvalue()


def encoded(text):
    """The text with U+FFFD for lone surrogates, which stand alone where a scalar is printed."""
    return "".join("\ufffd" if "\ud800" <= character <= "\udfff" else character for character in text).encode()


def pairs(options):
    return "\x1f".join(f"{key}={value}" for key, value in options.items()).encode()


def case(name, options, file):
    with np.printoptions(**options):
        loaded = np.load(io.BytesIO(file), allow_pickle=True)
        texts = str(loaded), repr(loaded)
    for payload in [name.encode(), pairs(options), file, *map(encoded, texts)]:
        frame(payload)


def random_options():
    options = {
        "precision": RANDOM.choice([0, 1, 2, 3, 5, 8, 12, 20]),
        "threshold": RANDOM.choice([0, 2, 5, 10, 20, 1000]),
        "edgeitems": RANDOM.choice([1, 2, 3, 4]),
        "linewidth": RANDOM.choice([1, 10, 20, 40, 60, 75, 120, 1000]),
        "suppress": RANDOM.random() < 0.5,
        "floatmode": RANDOM.choice(["fixed", "unique", "maxprec", "maxprec_equal"]),
        "sign": RANDOM.choice(["-", "+", " "]),
        "nanstr": RANDOM.choice(["nan", "NaN", "-", "not a number"]),
        "infstr": RANDOM.choice(["inf", "Infinity", "oo"]),
    }
    chosen = RANDOM.sample(sorted(options), RANDOM.randrange(1, len(options) + 1))
    return {key: options[key] for key in chosen}


def random_cases(seed, plain, with_options):
    RANDOM.seed(seed)
    for number in range(plain):
        case(f"plain {number}", {}, file_of(random_array()))
    for number in range(with_options):
        case(f"options {number}", random_options(), file_of(random_array()))


def float_arrays(dtype, count):
    """Floats of any bits, with few digits, and in the middle between two numbers with few digits."""
    numbers = [RANDOM.uniform(1, 900) for _ in range(count)]
    limit = {"f2": 1.0, "f4": 30.0}.get(dtype, 300.0)
    yield {}, floats(dtype, count, sort=3)
    yield {"floatmode": "unique"}, np.array([10.0 ** RANDOM.uniform(-limit, limit) for _ in range(count)], dtype)
    yield {"floatmode": "unique"}, np.array([RANDOM.uniform(0.5, 2) for _ in range(count)], dtype)
    yield {}, np.array(numbers, dtype)
    yield {"precision": 2}, np.array([round(number, RANDOM.randrange(2, 4)) for number in numbers], dtype)
    yield {"precision": 3, "floatmode": "maxprec_equal"}, np.array([round(number * 16) / 16 for number in numbers], dtype)
    yield {"precision": RANDOM.randrange(12, 22), "floatmode": "fixed"}, np.array(numbers, dtype)
    yield {"precision": 4}, np.array([float(f"{number:.5e}") * 10.0 ** RANDOM.randrange(-4, 4) for number in numbers], dtype)


def float_cases(seed, count):
    RANDOM.seed(seed)
    for dtype in FLOATS:
        for number, (options, array) in enumerate(float_arrays(dtype, count // 8)):
            array[::2] *= RANDOM.choice([-1, 1])
            case(f"floats {number}", options | {"threshold": sys.maxsize}, file_of(array))
            frame("\n".join(map(str, array)).encode())


def python_object(depth=0):
    """A Python object of any class that pickles of NumPy's users have."""
    leaves = [
        lambda: None,
        lambda: RANDOM.random() < 0.5,
        lambda: RANDOM.randrange(-1000, 1000) ** RANDOM.choice([1, 1, 9]),
        lambda: float(floats("f8", 1)[0]),
        lambda: complex(*floats("f8", 2)),
        lambda: "".join(RANDOM.choices(CHARACTERS, k=3)),
        lambda: RANDOM.choice(TEXTS[:14]),
        lambda: RANDOM.choice([b"", b"it's", b'"', b"'\"", b"\x00\xff\t\n\r\\"]),
        lambda: bytearray(RANDOM.choice([b"", b"it's", b'"', b"'\"", b"\x00\xff\t\n\r\\"])),
        lambda: decimal.Decimal(RANDOM.choice(["1.50", "-0", "NaN", "1E+30"])),
        lambda: fractions.Fraction(RANDOM.randrange(-9, 9), RANDOM.randrange(1, 4)),
        lambda: uuid.UUID(int=RANDOM.getrandbits(128)),
        lambda: datetime.date(RANDOM.randrange(1, 9999), 2, 3),
        lambda: datetime.time(RANDOM.randrange(24), 5, RANDOM.choice([0, 7]), RANDOM.choice([0, 80]), RANDOM.choice([None, zone()])),
        lambda: datetime.datetime(RANDOM.randrange(1, 9999), 2, 3, 4, 5, RANDOM.choice([0, 7]), RANDOM.choice([0, 80]), RANDOM.choice([None, zone()])),
        lambda: datetime.timedelta(RANDOM.randrange(-3, 3), RANDOM.choice([0, 5, 86399]), RANDOM.choice([0, 7])),
        zone,
        lambda: range(RANDOM.randrange(9), 9, RANDOM.choice([1, 2])),
        lambda: slice(None, RANDOM.randrange(9)),
        numpy_scalar,
        numpy_scalar,
        numpy_dtype,
    ]
    containers = [
        lambda: [python_object(depth + 1) for _ in range(RANDOM.randrange(4))],
        lambda: tuple(python_object(depth + 1) for _ in range(RANDOM.randrange(4))),
        lambda: {RANDOM.randrange(9): python_object(depth + 1) for _ in range(RANDOM.randrange(3))},
        # Before 3.12 an `OrderedDict` with items is printed in another way.
        lambda: collections.OrderedDict({"key": python_object(depth + 1)} if sys.version_info >= (3, 12) else {}),
        lambda: RANDOM.choice([set, frozenset])(RANDOM.choices([1, "a"], k=RANDOM.randrange(2))),
        lambda: column(RANDOM.randrange(4)),
        lambda: small_array(),
        lambda: object_array(RANDOM.choice([(), (0,), (2,), (0, 3), (2, 0, 1), (2, 2)]), depth + 1),
        lambda: record_array(RANDOM.choice([(), (0,), (2,), (2, 2)]), depth + 1),
    ]
    return RANDOM.choice(leaves if depth > 1 or RANDOM.random() < 0.6 else containers)()


def zone():
    offset = datetime.timedelta(seconds=RANDOM.choice([0, 3600, -5400, 45]))
    return RANDOM.choice([datetime.timezone.utc, datetime.timezone(offset), datetime.timezone(offset, "it's")])


def numpy_scalar():
    return column(1, 3)[0]


def numpy_dtype():
    padded = np.dtype({"names": ["a", "b"], "formats": ["i1", "O"], "offsets": [0, 8], "itemsize": 24})
    return RANDOM.choice([column(1).dtype, np.dtype("O"), np.dtype([(("title", "x"), ">f4", (2,)), ("it's", "O")]), padded])


def small_array():
    shape = RANDOM.choice([(), (0,), (3,), (0, 3), (3, 0), (2, 3), (1, 2, 2), (20,), (1001,)])
    return column(int(np.prod(shape))).reshape(shape)


def object_array(shape, depth=0):
    array = np.empty(shape, object)
    for index in np.ndindex(shape):
        array[index] = python_object(depth)
    return array


def object_column(count, depth):
    """A field of records, of which at least a part is an object."""
    sort = RANDOM.randrange(5)
    if sort <= 1:
        return object_array((count,), depth)
    if sort == 2 or depth > 2:
        shape = tuple(RANDOM.randrange(1, 4) for _ in range(RANDOM.randrange(1, 3)))
        array = np.empty(count, [("only", object, shape)])
        array["only"] = object_array((count, *shape), depth + 1)
        return array
    if sort == 3:
        shape = (RANDOM.randrange(1, 3),)
        records = record_array((count, *shape), depth + 1)
        array = np.empty(count, [("only", records.dtype, shape)])
        array["only"] = records
        return array
    return record_array((count,), depth + 1)


def record_array(shape, depth=0):
    """Records with objects among their fields."""
    count = int(np.prod(shape))
    columns = [column(count, depth + 1) for _ in range(RANDOM.randrange(3))] + [object_column(count, depth) for _ in range(RANDOM.randrange(1, 3))]
    RANDOM.shuffle(columns)
    array = np.zeros(count, [(f"f{index}", values.dtype) for index, values in enumerate(columns)])
    for index, values in enumerate(columns):
        array[f"f{index}"] = values
    if RANDOM.random() < 0.2:
        fields = array.dtype.fields
        offsets = [3 + fields[name][1] for name in array.dtype.names]
        formats = [fields[name][0] for name in array.dtype.names]
        padded = np.zeros(count, {"names": list(array.dtype.names), "formats": formats, "offsets": offsets, "itemsize": array.itemsize + 5})
        for name in array.dtype.names:
            padded[name] = array[name]
        array = padded
    return array.reshape(shape)


def records_cases(seed, count):
    global MAY_BE_ALIGNED, MAY_OVERFLOW
    MAY_BE_ALIGNED = MAY_OVERFLOW = False
    RANDOM.seed(seed)
    number = 0
    while number < count:
        shape = RANDOM.choice([(), (0,), (1,), (2,), (5,), (2, 3), (0, 2), (2, 2, 2)]) if number % 30 else (1001,)
        array = RANDOM.choice([object_array, record_array, record_array])(shape)
        file = file_of(array)
        try:
            case(f"records {number}", random_options() if number % 3 == 2 else {}, file)
        except (AttributeError, ValueError, TypeError):
            # NumPy takes lists and arrays in a sub-array of objects for axes, and fails where their lengths differ.
            continue
        number += 1


def printed_files():
    while length := sys.stdin.buffer.read(4):
        file = sys.stdin.buffer.read(struct.unpack("<I", length)[0])
        try:
            array = np.load(io.BytesIO(file))
            text = "" if overflow(array) else str(array)
        except Exception:
            # Whatever NumPy or Python raise: there is nothing to compare with.
            text = ""
        frame(encoded(text))


class Lines:
    """An object with a `repr` of several lines."""

    def __init__(self, count):
        self.text = "\n".join("abcdefghij"[: RANDOM.randrange(1, 10)] for _ in range(count))

    def __repr__(self):
        return self.text


def random_object():
    return RANDOM.choice([
        lambda: None,
        lambda: RANDOM.randrange(-1000, 1000),
        lambda: RANDOM.gauss(0, 1),
        lambda: RANDOM.choice(TEXTS[:10]),
        lambda: [RANDOM.randrange(10) for _ in range(RANDOM.randrange(4))],
        lambda: {"key": RANDOM.randrange(10)},
        lambda: Lines(RANDOM.randrange(1, 4)),
        lambda: np.arange(6).reshape(2, 3),
    ])()


def object_cases(seed, count):
    RANDOM.seed(seed)
    for _ in range(count):
        shape = RANDOM.choice([(0,), (1,), (3,), (12,), (3, 2), (2, 3, 4), (2, 0), (30, 40), (1100,), (7, 8, 9, 3)])
        array = np.empty(shape, object)
        for index in np.ndindex(shape):
            # A `str`, so that any library can make the same object; it has no zero, which separates the texts here.
            array[index] = repr(random_object()).replace("\0", "")
        options = {key: value for key, value in random_options().items() if key in ["threshold", "edgeitems", "linewidth"]}
        with np.printoptions(**options):
            text = str(array)
        frame(pairs(options))
        frame(" ".join(map(str, shape)).encode())
        frame("\0".join(array.flat).encode())
        frame(text.encode())


def main():
    warnings.simplefilter("ignore")
    mode, *numbers = sys.argv[1:]
    frame(np.__version__.encode())
    {"random": random_cases, "records": records_cases, "files": printed_files, "objects": object_cases, "floats": float_cases}[mode](*map(int, numbers))


if __name__ == "__main__":
    main()
