"""Reads pairs of frames, a file and what is asked of it, until the input ends. For each pair it prints five frames: why
`np.load` refuses the file (empty if it reads it), what `np.save` writes of the array (empty if it has many elements), its text, the bytes of a region, and
what `np.save` writes of it as another dtype. An answer that was not asked for, or that NumPy refuses, is empty.

What is asked is `REGION|DTYPE|print`; each may be empty. A region is `start:stop:step` for each axis with spaces between."""

import io
import struct
import sys
import warnings

import numpy as np

from frames import frame, saved
from times import overflow

warnings.simplefilter("ignore")
np.seterr(all="ignore")


def refused(call):
    try:
        return call()
    except Exception:
        return b""


def part(array, text):
    region = tuple(slice(*map(int, axis.split(":"))) for axis in text.split())
    # As plain bytes, because NumPy does not copy what lies between fields.
    raw = array.view("V%d" % array.dtype.itemsize)
    order = "F" if array.flags.f_contiguous and not array.flags.c_contiguous else "C"
    return raw[region].tobytes(order)


def answer(file, region, target, is_printed):
    try:
        array = np.load(io.BytesIO(file), allow_pickle=False, max_header_size=1 << 20)
        # Elements without bytes: NumPy walks over all of them.
        if array.size > 100_000:
            return [b""] * 5
        again = saved(array)
    except Exception as error:
        return ["%s: %s" % (type(error).__name__, str(error)[:200]), b"", b"", b"", b""]
    return [
        "",
        again,
        refused(lambda: str(array).encode()) if is_printed and not overflow(array) else b"",
        refused(lambda: part(array, region)) if region else b"",
        refused(lambda: saved(array.astype(target, casting="same_kind"))) if target else b"",
    ]


def read_frame():
    length = sys.stdin.buffer.read(4)
    return sys.stdin.buffer.read(struct.unpack("<I", length)[0]) if length else None


while (file := read_frame()) is not None:
    for text in answer(file, *read_frame().decode().split("|")):
        frame(text.encode("utf-8", "replace") if isinstance(text, str) else text)
