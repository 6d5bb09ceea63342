"""What NumPy makes of texts of dtypes, and of headers.

dtypes.py FUNCTION ARGUMENT...
"""

import ast
import io
import itertools
import json
import struct
import sys
import warnings

import numpy as np

from frames import call, frame, frames, saved

try:
    from numpy.lib._format_impl import _read_array_header
except ImportError:
    from numpy.lib.format import _read_array_header

warnings.simplefilter("ignore")


def versions():
    """For each dtype, shape and version: the descr, the shape and the header, empty where it is refused."""
    wide = [("field%05d" % i, "<f8") for i in range(4000)]
    umlaut, snow = [("gr\u00f6\u00dfe", "<f4")], [("\u96ea", "<f4")]
    dtypes = ["<f8", "|S3", [("x", "<i2")], umlaut, snow, wide, wide + umlaut, wide + snow]
    for dtype, shape, version in itertools.product(dtypes, [(), (3,), (2, 5)], [(1, 0), (2, 0), (3, 0)]):
        file, zeros = io.BytesIO(), np.zeros(shape, dtype)
        try:
            np.lib.format.write_array(file, zeros, version=version)
            header = file.getvalue()[: -zeros.nbytes]
        except (ValueError, UnicodeEncodeError):
            header = b""
        for part in [repr(np.lib.format.dtype_to_descr(np.dtype(dtype))).encode(), repr(shape).encode(), header]:
            frame(part)


def texts():
    """A line for each text of a list in JSON: the descr, the itemsize, the shape and the base, or `!`."""
    for text in json.load(sys.stdin):
        try:
            is_literal = text[:1] in ("[", "'", '"', "{") or text in ("5", "None") or (text[:1] == "(" and text[-1] == ")")
            dtype = np.lib.format.descr_to_dtype(ast.literal_eval(text) if is_literal else text)
            descrs = [repr(np.lib.format.dtype_to_descr(d)) for d in (dtype, dtype.base)]
            out = [descrs[0], dtype.itemsize, list(dtype.shape), descrs[1]]
        except Exception as error:
            out = ["! %s" % error, 0, [], ""]
        print(json.dumps(out).encode("unicode_escape").decode("ascii"))


def again():
    """What is loaded of each line of hexadecimal digits and saved again, or `refused`."""
    for line in sys.stdin:
        try:
            print(saved(np.load(io.BytesIO(bytes.fromhex(line)))).hex())
        except ValueError:
            print("refused")


PRINTED = """{}
{'names': [], 'formats': []}
{'names': [], 'formats': [], 'itemsize': 8}
{'names': [], 'formats': [], 'offsets': [], 'itemsize': 3, 'aligned': True}
{'names': ('a',), 'formats': ('f8',)}
{'names': ['a'], 'formats': ['f8', 'i4']}
{'names': ['a', 'a'], 'formats': ['f8', 'f8']}
{'names': ['a'], 'names': ['b'], 'formats': ['f4']}
{'names': ['a', 'b'], 'formats': ['u1', 'u2'], 'unknown': 3}
{'names': ['a', 3], 'formats': ['u1', 'u2']}
{'names': [('t', 'a'), 'b'], 'formats': ['u1', 'u2']}
{'formats': ['f8']}
{'names': ['a']}
{'names': ['a', 'b'], 'formats': ['u1', 'u2'], 'titles': [None, 3]}
{'names': ['a', 'b'], 'formats': ['u1', 'u2'], 'titles': ['x', 'a']}
{'names': ['a', 'b'], 'formats': ['u1', 'u2'], 'titles': ['x', 'x']}
{'names': ['a', 'b'], 'formats': ['u1', 'u2'], 'titles': ['x', ('t', 1)]}
{'names': ['a', 'b'], 'formats': ['u1', 'u2'], 'titles': None}
{'names': ['a', 'b'], 'formats': ['u1', 'u2'], 'offsets': None}
{'names': ['a', 'b'], 'formats': ['u1', 'u2'], 'offsets': [True, 2]}
{'names': ['a', 'b'], 'formats': ['u1', 'u2'], 'itemsize': True}
{'names': ['a', 'b'], 'formats': ['u1', 'u2'], 'itemsize': -3}
{'names': ['a'], 'formats': ['f8'], 'itemsize': 2147483647}
{'names': ['a'], 'formats': ['f8'], 'itemsize': 2147483648}
{'names': ['a', 'b'], 'formats': ['O', 'u2'], 'offsets': [0, 4]}
{'names': ['a', 'b'], 'formats': ['O', 'u2'], 'offsets': [8, 20], 'itemsize': 32}
{'names': ['a', 'b'], 'formats': ['O', 'u2'], 'aligned': True}
{'names': ['a', 'b'], 'formats': ['u1', [('o', 'O'), ('x', 'u1')]], 'aligned': True}
{'names': ['a', 'b'], 'formats': ['u1', [('o', 'O', (2,)), ('x', 'u1')]], 'offsets': [3, 5]}
{'names': ['a', 'b'], 'formats': ['u2', 'S0'], 'offsets': [0, 0]}
{'names': ['a', 'b'], 'formats': ['u1', {'names': ['x'], 'formats': ['f4'], 'itemsize': 8}], 'aligned': True}
{'names': ['a', 'b'], 'formats': ['u1', {'names': ['x', 'y'], 'formats': ['u1', 'f8'], 'aligned': False}], 'aligned': True}
{'names': ['a', 'b'], 'formats': ['u1', {'names': ['x', 'y'], 'formats': ['u1', 'f8'], 'aligned': True}]}
{'names': ['a', 'b'], 'formats': ['u1', ('i4,f8', (2,))], 'aligned': True}
{'names': ['a', 'b'], 'formats': ['u1', 'i4,f8'], 'aligned': True}
[('p', {'names': ['a'], 'formats': ['f8'], 'offsets': [4]}, (2,)), ('q', 'u1')]
(numpy.record, [('a', 'u1'), ('b', '<f8')])
[('a', (numpy.record, [('x', 'u1'), ('y', '<i4')]))]
dtype((numpy.record, [('a', 'u1')]))
dtype('float64')
dtype('O')
dtype('S5',)
dtype('u1,f8', align=True)
np.dtype([('p', [('a', 'u1'), ('b', '<f8')]), ('q', 'u1')], align=True)
numpy.dtype( {'names': ['a'], 'formats': ['f8']}, align = False, )"""


def printed():
    """Dicts and what `str` and `repr` of dtypes print: a text, then as `texts` what NumPy makes of it."""
    texts = PRINTED.split("\n")
    for kind in "?bhilqfdegFDGSUVMm":
        code = kind if kind not in "SUV" else kind + "3"
        texts.append("dtype([('a', 'u1'), ('b', %r), ('c', '>u2')], align=True)" % code)
    for offsets in itertools.product([0, 1, 2, 3, 4, 8, 12], repeat=2):
        for end in ["", ", 'itemsize': 12", ", 'itemsize': 16, 'aligned': True"]:
            texts.append("{'names': ['a', 'b'], 'formats': ['u2', '<f4'], 'offsets': %r%s}" % (list(offsets), end))
    for text in texts:
        show(text, False)


def show(text, nested):
    print(text)
    try:
        dtype = np.dtype(eval(text, {"numpy": np, "np": np, "dtype": np.dtype}))
        print('["%r", %d, [], ""]' % (np.lib.format.dtype_to_descr(dtype), dtype.itemsize))
    except Exception as error:
        print("! %s" % error)
        return
    if not nested:
        show(repr(dtype), True)
        if str(dtype)[0] in "[{(":
            show(str(dtype), True)


def headers():
    """The header that NumPy writes for each frame, a header."""
    for header in frames():
        file = io.BytesIO(header)
        version = np.lib.format.read_magic(file)
        shape, fortran, dtype = _read_array_header(file, version, max_header_size=10**9)
        # Not `np.zeros`, which makes '<M8' of '>M8'.
        again = saved(np.ndarray(shape, dtype))
        frame(again[: len(again) - int(np.prod(shape)) * dtype.itemsize])


def times_and_long_doubles(counts):
    """A line for each unit with the text of each time, `?` beyond the years 0 to 9999, and one with long doubles as doubles."""
    counts = np.array([int(x) for x in counts.split(",")], "i8")
    seconds = {"D": 86400, "h": 3600, "m": 60, "s": 1, "ms": 1e-3, "us": 1e-6, "ns": 1e-9, "ps": 1e-12, "fs": 1e-15, "as": 1e-18}
    for unit, seconds in {**seconds, "M": 2629746, "W": 604800}.items():
        # NumPy's versions differ in how they print others.
        known = [np.isnat(x) or -6e10 < float(count) * seconds < 2.5e11 for count, x in zip(counts, counts.astype("M8[s]"))]
        print("|".join(str(x) if is_known else "?" for x, is_known in zip(counts.astype("M8[%s]" % unit), known)))
    wide = np.frombuffer(sys.stdin.buffer.read(), "<f16")
    print(",".join("%016x" % struct.unpack("<Q", struct.pack("<d", float(x)))[0] for x in wide))


call(globals())
