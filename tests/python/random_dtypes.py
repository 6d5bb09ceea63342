"""Random NumPy dtypes and arrays, with the .npy files NumPy makes of them.

    python random_dtypes.py SEED COUNT > frames

Needs NumPy 2 or newer.  Standard output gets binary frames, each a
little-endian u32 length and that many bytes.  The first frame is the text
``numpy <version> python <version>``; then each of the COUNT cases has six:

    1. repr of the descr, the value in the header's dict (UTF-8)
    2. the format version asked for: auto, 1.0, 2.0 or 3.0
    3. the .npy file of the array in C order
    4. the .npy file of the same array in Fortran order
    5. the elements as text, in the form of dump.py
    6. the .npy file that np.save makes of what np.load gives for file 3

Loading changes some types: a void or sub-array field named '' that has no
title becomes padding, since NumPy does not tell the two apart.  File 6 has the
type after loading, and so has the text of frame 5: such a field is not in it.

Padding bytes are random data like the rest and are the same in files 3, 4
and 6.  Dtypes that NumPy refuses to make, save or load are drawn again.  A
seed always gives the same frames with the same versions of NumPy and Python,
and case N is the same for every COUNT above N.
"""

import io
import itertools
import keyword
import platform
import random
import struct
import sys
import warnings

import numpy as np

from dump import dump

MAX_DEPTH = 6
MAX_CHAIN = 60
MAX_ELEMENTS = 24
MAX_ARRAY_BYTES = 64 * 1024
USUAL_ITEMSIZE = 4096
MAX_SUBARRAY_BYTES = 1024

# The dict and its growth padding may have this many bytes in format 1.0.
V1_LIMIT = 65524

# How often a unit of a U string is above 0x10FFFF, which no string can hold.
INVALID_UNIT_RATE = 0.002

VERSIONS = {"auto": None, "1.0": (1, 0), "2.0": (2, 0), "3.0": (3, 0)}

UNITS = ["Y", "M", "W", "D", "h", "m", "s", "ms", "us", "ns", "ps", "fs", "as"]

# Size in bytes: bits of the exponent, bits of the fraction.
FLOATS = {2: (5, 10), 4: (8, 23), 8: (11, 52), 16: (15, 63)}
LONG_DOUBLE_BYTES = 10

SYLLABLES = ["a", "b", "x", "temp", "id", "pos", "Value", "_t", "n1", "field"]

ODD_NAMES = [
    "two words", " lead", "trail ", "it's", 'say "hi"', "both ' and \"", "'", '"',
    "back\\slash", "\\", "\\n", "\\x41", "new\nline", "tab\there", "cr\rlf\n",
    "\x01\x1f", "del\x7f", "nul\0in", "\x85next",
    "caf\xe9", "\xfc\xdf\xff", "\xa1\xac\xae", "nb\xa0sp", "soft\xadhyphen",
    "\u03b1\u03b2\u03b3", "\u0416\u044f", "\u6570\u636e", "\uff08\u7b2c\uff09",
    "\u05e9\u05dc", "e\u0301", "\U0001f600", "x\U0001d54f", "\U00020000",
    "zw\u200bsp", "\u2028", "\u3000", "\ufeff", "\ue000", "\uffff", "\U000e0001",
    "('x', '<f8')", "{'descr': ", "}, )", "[", "# no comment", "%s", "{0}",
    "10L", "(3L, 4L)", "123", "-1", "a.b", "a,b", "a:b", "names", "|V8", "shape",
]

ODD_TITLES = [
    "", 0, 7, -3, 2 ** 70, True, 1.5, -0.25, 1e300, 1e-07, 1e16,
    b"bytes", b"", b"\x00\xff'\"\\\n", (), (1,), ("a", 2.5), ((1, "x"), None, b"y"),
]


class Refused(Exception):
    """NumPy does not take what was drawn, or it is too large."""


def main():
    if len(sys.argv) != 3:
        sys.exit("usage: random_dtypes.py SEED COUNT")
    if int(np.__version__.split(".")[0]) < 2:
        sys.exit("random_dtypes.py needs NumPy 2 or newer, this is " + np.__version__)
    seed, count = int(sys.argv[1]), int(sys.argv[2])
    warnings.simplefilter("ignore")
    out = sys.stdout.buffer
    versions = "numpy %s python %s" % (np.__version__, platform.python_version())
    write_frame(out, versions.encode())
    for index in range(count):
        for frame in draw_case(seed, index):
            write_frame(out, frame)
    out.flush()


def write_frame(out, data):
    out.write(struct.pack("<I", len(data)))
    out.write(data)


def draw_case(seed, index):
    """The six frames of one case."""
    for attempt in itertools.count():
        rng = random.Random("%d/%d/%d" % (seed, index, attempt))
        try:
            return make_case(rng)
        except Refused:
            continue


def make_case(rng):
    dtype = random_top_dtype(rng)
    shape = random_shape(rng, dtype.itemsize)
    version = rng.choice(["auto", "auto", "1.0", "2.0", "3.0"])
    arrays = random_arrays(rng, dtype, shape)
    try:
        descr = repr(np.lib.format.dtype_to_descr(dtype)).encode()
        try:
            files = [npy_file(array, VERSIONS[version]) for array in arrays]
        except ValueError:
            # Too long for 1.0, or a name that is not latin-1.
            version = "auto"
            files = [npy_file(array, None) for array in arrays]
        loaded = load_with_padding(files[0], arrays[0])
    except (ValueError, TypeError, SyntaxError, MemoryError, RecursionError) as error:
        raise Refused(str(error)) from error
    saved_again = io.BytesIO()
    np.save(saved_again, loaded)
    return [
        descr,
        version.encode(),
        files[0],
        files[1],
        dump(loaded).encode(),
        saved_again.getvalue(),
    ]


def npy_file(array, version):
    file = io.BytesIO()
    np.lib.format.write_array(file, array, version=version)
    return file.getvalue()


def load_with_padding(file, array):
    """np.load of ``file``, with the padding bytes of ``array``.

    NumPy loses padding bytes when it reads from memory, but not when it reads
    from a file on disk.
    """
    loaded = np.load(io.BytesIO(file), max_header_size=10 ** 9)
    return np.ndarray(loaded.shape, loaded.dtype, buffer=array.tobytes())


# Arrays


def random_shape(rng, itemsize):
    """0 to 4 dimensions with few elements, one in ten shapes is empty."""
    ndim = rng.choices([0, 1, 2, 3, 4], [15, 35, 25, 15, 10])[0]
    if ndim == 1:
        shape = [rng.randint(1, MAX_ELEMENTS)]
    else:
        shape = [rng.choice([1, 1, 2, 2, 3, 4, 5]) for _ in range(ndim)]
    limit = min(MAX_ELEMENTS, MAX_ARRAY_BYTES // max(itemsize, 1))
    while product(shape) > limit:
        if max(shape, default=1) == 1:
            raise Refused("one element is too large")
        longest = shape.index(max(shape))
        shape[longest] -= 1
    if ndim > 0 and rng.random() < 0.12:
        shape[rng.randrange(ndim)] = 0
    return tuple(shape)


def random_arrays(rng, dtype, shape):
    """The same random elements in C and in Fortran order."""
    size, itemsize = product(shape), dtype.itemsize
    data = bytearray(rng.randbytes(size * itemsize))
    leaves = list(leaf_types(dtype, 0))
    for start in range(0, len(data), max(itemsize, 1)):
        for leaf, offset in leaves:
            value = random_value(rng, leaf)
            data[start + offset:start + offset + leaf.itemsize] = value
    # Elements are moved as blocks of bytes: a copy of an array would lose its
    # padding.
    order = np.arange(size).reshape(shape).ravel("F")
    fortran = b"".join(data[i * itemsize:(i + 1) * itemsize] for i in order.tolist())
    return [
        np.ndarray(shape, dtype, buffer=data, order="C"),
        np.ndarray(shape, dtype, buffer=fortran, order="F"),
    ]


def leaf_types(dtype, offset):
    """All scalars inside ``dtype`` as pairs of type and offset."""
    if dtype.subdtype is not None:
        base, shape = dtype.subdtype
        for index in range(product(shape)):
            yield from leaf_types(base, offset + index * base.itemsize)
    elif dtype.names is not None:
        for name in dtype.names:
            field, field_offset = dtype.fields[name][:2]
            yield from leaf_types(field, offset + field_offset)
    else:
        yield dtype, offset


def random_value(rng, dtype):
    """The bytes of a random scalar."""
    size = dtype.itemsize
    if dtype.kind == "b":
        return bytes([random_bool(rng)])
    if dtype.kind == "S":
        return random_string(rng, size)
    if dtype.kind == "V":
        return rng.randbytes(size)
    if dtype.kind == "U":
        units = random_code_points(rng, size // 4)
        return struct.pack("%s%dI" % (byte_order(dtype), len(units)), *units)
    if dtype.kind == "c":
        half = size // 2
        return random_float(rng, half, dtype) + random_float(rng, half, dtype)
    if dtype.kind == "f":
        return random_float(rng, size, dtype)
    return in_order(random_integer(rng, dtype), dtype)


def random_bool(rng):
    if rng.random() < 0.04:
        return rng.randint(2, 255)
    return rng.getrandbits(1)


def random_integer(rng, dtype):
    """Most significant byte first, also for datetimes."""
    size = dtype.itemsize
    smallest = b"\x80" + bytes(size - 1)
    if dtype.kind in "mM" and rng.random() < 0.2:
        return smallest  # NaT
    choice = rng.random()
    if choice < 0.6:
        return rng.randbytes(size)
    if choice < 0.8:
        return bytes(size - 1) + rng.randbytes(1)
    return rng.choice([bytes(size), b"\xff" * size, smallest, b"\x7f" + b"\xff" * (size - 1)])


def random_float(rng, size, dtype):
    """Random bits, every third time zero, one, infinity, subnormal or NaN."""
    if rng.random() < 0.67:
        return rng.randbytes(size)
    exponent_bits, fraction_bits = FLOATS[size]
    exponent = rng.choice([0, 2 ** (exponent_bits - 1) - 1, 2 ** exponent_bits - 1])
    fraction = rng.choice([0, 1, 2 ** (fraction_bits - 1), rng.getrandbits(fraction_bits)])
    bits = rng.getrandbits(1) << exponent_bits | exponent
    padding = b""
    if size == 16:
        # The x86 format has an integer bit, and six unused bytes.
        bits = bits << 1 | (exponent != 0)
        padding = rng.randbytes(size - LONG_DOUBLE_BYTES)
    bits = bits << fraction_bits | fraction
    return in_order(padding + bits.to_bytes(size - len(padding), "big"), dtype)


def random_string(rng, size):
    kind = rng.random()
    if kind < 0.4:
        text = bytes(rng.randint(32, 126) for _ in range(size))
    else:
        text = bytes(0 if rng.random() < 0.2 else rng.randrange(256) for _ in range(size))
    return cut(rng, text, b"\0")


def random_code_points(rng, count):
    return cut(rng, [random_code_point(rng) for _ in range(count)], [0])


def random_code_point(rng):
    kind = rng.random()
    if kind < INVALID_UNIT_RATE:
        return rng.randint(0x110000, 0xFFFFFFFF)
    if kind < 0.1:
        return 0
    if kind < 0.4:
        return rng.randint(0x20, 0x7E)
    if kind < 0.5:
        return rng.randint(0x7F, 0xFF)
    if kind < 0.65:
        return rng.randint(0x100, 0xD7FF)
    if kind < 0.75:
        return rng.randint(0xE000, 0xFFFF)
    return rng.randint(0x10000, 0x10FFFF)


def cut(rng, items, zero):
    """Fills a random part at the end with zeros, in one of three cases."""
    if rng.random() < 0.67:
        return items
    kept = rng.randint(0, len(items))
    return items[:kept] + zero * (len(items) - kept)


def in_order(big_endian, dtype):
    return big_endian if byte_order(dtype) == ">" else big_endian[::-1]


def byte_order(dtype):
    if dtype.byteorder in "<>":
        return dtype.byteorder
    return "<" if sys.byteorder == "little" else ">"


# Dtypes


def make_dtype(*args, **kwargs):
    try:
        return np.dtype(*args, **kwargs)
    except (ValueError, TypeError) as error:
        raise Refused(str(error)) from error


def random_top_dtype(rng):
    """The dtype of an array: anything but a sub-array."""
    kind = rng.random()
    if kind < 0.30:
        dtype = random_scalar(rng)
    elif kind < 0.325:
        return random_wide_struct(rng)
    elif kind < 0.345:
        dtype = random_chain(rng)
    else:
        dtype = random_struct(rng, rng.randint(1, MAX_DEPTH))
    if dtype.itemsize > USUAL_ITEMSIZE and rng.random() < 0.9:
        raise Refused("itemsize %d" % dtype.itemsize)
    return dtype


def random_scalar(rng):
    kind = rng.choices("biufcgGSUVMm", [4, 14, 14, 14, 8, 4, 4, 9, 9, 8, 6, 6])[0]
    if kind == "b":
        dtype = np.dtype("?")
    elif kind in "iu":
        dtype = np.dtype("%s%d" % (kind, rng.choice([1, 2, 4, 8])))
    elif kind == "f":
        dtype = np.dtype("f%d" % rng.choice([2, 4, 8]))
    elif kind == "c":
        dtype = np.dtype("c%d" % rng.choice([8, 16]))
    elif kind == "g":
        dtype = np.dtype(np.longdouble)
    elif kind == "G":
        dtype = np.dtype(np.clongdouble)
    elif kind == "S":
        dtype = np.dtype("S%d" % rng.randint(0, 20))
    elif kind == "U":
        dtype = np.dtype("U%d" % rng.randint(0, 10))
    elif kind == "V":
        dtype = np.dtype("V%d" % rng.randint(0, 12))
    else:
        dtype = np.dtype(kind + "8" + random_unit(rng))
    return dtype.newbyteorder(rng.choice("<>"))


def random_unit(rng):
    """The unit of a datetime with its brackets, or nothing for generic."""
    unit = rng.choice([""] + UNITS)
    if unit == "":
        return ""
    kind = rng.random()
    if kind < 0.6:
        return "[%s]" % unit
    if kind < 0.97:
        return "[%d%s]" % (rng.randint(2, 1000), unit)
    return "[%d%s]" % (rng.randint(2, 2 ** 31 - 1), unit)


def random_struct(rng, depth):
    """A structured dtype with at most ``depth`` levels of structs."""
    count = rng.choices(range(9), [5, 20, 22, 18, 12, 8, 6, 5, 4])[0]
    names = random_names(rng, count)
    formats = [random_field(rng, depth - 1) for _ in range(count)]
    if count > 0 and depth > 1 and rng.random() < 0.6:
        formats[rng.randrange(count)] = random_struct(rng, depth - 1)
    titles = random_titles(rng, count)
    dtype = lay_out(rng, names, formats, titles)
    if count > 1 and rng.random() < 0.12:
        dtype = select_fields(rng, dtype)
    return dtype


def random_field(rng, depth):
    kind = rng.random()
    if kind < 0.18 and depth > 0:
        return random_struct(rng, depth)
    if kind < 0.40:
        return random_subarray(rng, random_field(rng, depth))
    return random_scalar(rng)


def random_subarray(rng, base):
    while base.itemsize == 0 and base.names is None:
        # NumPy has no sub-arrays of S0, U0, V0 or of empty sub-arrays.
        base = random_scalar(rng)
    shape = [rng.choice([1, 1, 2, 2, 3, 3, 4, 5]) for _ in range(rng.randint(1, 3))]
    if rng.random() < 0.08:
        shape[rng.randrange(len(shape))] = 0
    while product(shape) * base.itemsize > MAX_SUBARRAY_BYTES and max(shape) > 1:
        shape[shape.index(max(shape))] -= 1
    return make_dtype((base, tuple(shape)))


def random_wide_struct(rng):
    """50 to 700 fields; the header often needs format 2.0, or nearly so."""
    count = rng.randint(50, 700)
    formats = [random_scalar(rng) for _ in range(count)]
    titles = random_titles(rng, count)
    kind = rng.random()
    if kind < 0.35:
        return lay_out(rng, random_names(rng, count), formats, titles)
    letter = rng.choice(["x", "\xe9", "\u03b1", random_name(rng)[0]])
    length = rng.randint(1, 150)
    names = ["%s%d" % (letter * length, i) for i in range(count)]
    if kind < 0.55:
        return lay_out(rng, names, formats, titles)
    names[-1] = lengthened(rng, names, formats, titles)
    return lay_out_packed(names, formats, titles)


def lengthened(rng, names, formats, titles):
    """A last name that brings the header to the limit of format 1.0 or near.

    Exact for latin-1 names and one dimension; other shapes come near.
    """
    descr = lay_out_packed(names, formats, titles).descr
    header = {"descr": descr, "fortran_order": False, "shape": (3,)}
    length = len(repr(header)) + len(", ") + 20
    missing = V1_LIMIT - length + rng.choice([-64, -1, 0, 0, 1, 64, rng.randint(-99, 99)])
    return names[-1] + "x" * max(missing, 0)


def random_chain(rng):
    """Structs inside each other, each with one field."""
    dtype = random_scalar(rng)
    for _ in range(rng.randint(MAX_DEPTH + 1, MAX_CHAIN)):
        if rng.random() < 0.05:
            dtype = random_subarray(rng, dtype)
        names = random_names(rng, 1)
        titles = random_titles(rng, 1) if rng.random() < 0.2 else [None]
        if rng.random() < 0.1:
            dtype = lay_out(rng, names, [dtype], titles)
        else:
            dtype = lay_out_packed(names, [dtype], titles)
    return dtype


def lay_out(rng, names, formats, titles):
    """Packed, aligned, or with random gaps."""
    kind = rng.random()
    if kind < 0.6:
        return lay_out_packed(names, formats, titles)
    spec = {"names": names, "formats": formats, "titles": titles}
    if kind < 0.75:
        return make_dtype(spec, align=True)
    offsets = []
    end = random_gap(rng)
    for field in formats:
        offsets.append(end)
        end += field.itemsize + random_gap(rng)
    spec.update(offsets=offsets, itemsize=end)
    return make_dtype(spec)


def lay_out_packed(names, formats, titles):
    return make_dtype({"names": names, "formats": formats, "titles": titles})


def random_gap(rng):
    return rng.randint(1, 9) if rng.random() < 0.4 else 0


def select_fields(rng, dtype):
    """The dtype of a view of some of the fields, as of array[["a", "c"]]."""
    count = len(dtype.names)
    chosen = sorted(rng.sample(range(count), rng.randint(1, count - 1)))
    return dtype[[dtype.names[i] for i in chosen]]


# Names and titles


def random_names(rng, count):
    """Different names: all f0, f1, ..., all plain, or of every kind."""
    kind = rng.random()
    if kind < 0.15:
        return ["f%d" % i for i in range(count)]
    names = []
    for _ in range(count):
        name = plain_name(rng) if kind < 0.45 else random_name(rng)
        while name in names:
            name += str(rng.randrange(10))
        names.append(name)
    if names and rng.random() < 0.05:
        names[rng.randrange(count)] = ""
    return names


def plain_name(rng):
    return "".join(rng.choices(SYLLABLES, k=rng.randint(1, 3)))


def random_name(rng):
    kind = rng.random()
    if kind < 0.30:
        return plain_name(rng)
    if kind < 0.40:
        return rng.choice(keyword.kwlist)
    if kind < 0.80:
        return rng.choice(ODD_NAMES)
    if kind < 0.98:
        return rng.choice(ODD_NAMES) + rng.choice(ODD_NAMES + SYLLABLES)
    return rng.choice(ODD_NAMES + SYLLABLES) * rng.randint(20, 200)


def random_titles(rng, count):
    """None for a field without title; one struct in five has titles."""
    if rng.random() < 0.8:
        return [None] * count
    titles = []
    for _ in range(count):
        title = random_title(rng) if rng.random() < 0.6 else None
        titles.append(title)
    return titles


def random_title(rng):
    if rng.random() < 0.6:
        return "The " + random_name(rng)
    return rng.choice(ODD_TITLES)


def product(shape):
    result = 1
    for length in shape:
        result *= length
    return result


if __name__ == "__main__":
    main()
