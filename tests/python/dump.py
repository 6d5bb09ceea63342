"""Canonical text of the elements of a NumPy array, for comparing two readers.

``dump(array)`` gives one line: all elements in logical C order (a 0-d array
has one), joined by one space.  The form of an element depends on its type:

    bool                t or f (any nonzero byte is t)
    int, uint           decimal
    float 16, 32, 64    x + the hex digits of the bytes, most significant first
    long double         x + 20 hex digits, the 10 significant bytes (x86 80-bit)
    complex             c(re,im), each part in the float form
    S                   b: + hex of the bytes, trailing NULs left out
    U                   u: + code points in hex joined by '.', trailing zeros
                        left out
    V without fields    v: + hex of all bytes
    M8, m8              the int64 in decimal, or NaT
    structured          {e1,e2,...} in the order of dtype.names, no padding
    sub-array           [e1,e2,...] flat in C order; sub-arrays of sub-arrays
                        are flattened into one list
    object and others   -

Everything is taken from the raw bytes of the array, so NaN payloads, invalid
code points and either byte order come out exactly as stored.

Works with Python 2.7 and 3.x and NumPy 1.6 up to 2.5.
"""

import binascii
import struct
import sys

import numpy as np

INTEGERS = {
    ("i", 1): "b", ("i", 2): "h", ("i", 4): "i", ("i", 8): "q",
    ("u", 1): "B", ("u", 2): "H", ("u", 4): "I", ("u", 8): "Q",
}
NAT = -2 ** 63
LONG_DOUBLE_BYTES = 10


def dump(array):
    """The canonical text of all elements of ``array``."""
    array = np.asarray(array)
    # Each element is copied as a block of bytes, whatever the memory layout.
    data = array.tobytes() if hasattr(array, "tobytes") else array.tostring()
    dtype = array.dtype
    elements = []
    for index in range(array.size):
        start = index * dtype.itemsize
        elements.append(_element(dtype, data[start:start + dtype.itemsize]))
    return " ".join(elements)


def _element(dtype, data):
    """The text of one element of type ``dtype`` that has the bytes ``data``."""
    if dtype.subdtype is not None:
        return "[" + ",".join(_subarray_items(dtype, data)) + "]"
    if dtype.names is not None:
        return "{" + ",".join(_fields(dtype, data)) + "}"
    kind = dtype.kind
    if kind == "b":
        return "f" if data == b"\0" else "t"
    if kind in "iu":
        return "%d" % _integer(dtype, data, INTEGERS[kind, dtype.itemsize])
    if kind == "f":
        return _float(dtype, data)
    if kind == "c":
        half = dtype.itemsize // 2
        return "c(%s,%s)" % (_float(dtype, data[:half]), _float(dtype, data[half:]))
    if kind == "S":
        return "b:" + _hex(data.rstrip(b"\0"))
    if kind == "U":
        return "u:" + ".".join("%x" % unit for unit in _code_points(dtype, data))
    if kind == "V":
        return "v:" + _hex(data)
    if kind in "mM":
        value = _integer(dtype, data, "q")
        return "NaT" if value == NAT else "%d" % value
    return "-"


def _fields(dtype, data):
    texts = []
    fields = dtype.fields or {}
    for name in dtype.names:
        field, offset = fields[name][:2]
        texts.append(_element(field, data[offset:offset + field.itemsize]))
    return texts


def _subarray_items(dtype, data):
    base, shape = dtype.subdtype
    count = 1
    for length in shape:
        count *= length
    items = []
    for index in range(count):
        item = data[index * base.itemsize:(index + 1) * base.itemsize]
        if base.subdtype is not None:
            items.extend(_subarray_items(base, item))
        else:
            items.append(_element(base, item))
    return items


def _float(dtype, data):
    """``data`` is one real number, possibly half of a complex ``dtype``."""
    if not _is_big_endian(dtype):
        data = data[::-1]
    if len(data) > 8:
        data = data[-LONG_DOUBLE_BYTES:]
    return "x" + _hex(data)


def _code_points(dtype, data):
    order = _order(dtype)
    units = list(struct.unpack("%s%dI" % (order, len(data) // 4), data))
    while units and units[-1] == 0:
        units.pop()
    return units


def _integer(dtype, data, code):
    return struct.unpack(_order(dtype) + code, data)[0]


def _is_big_endian(dtype):
    return _order(dtype) == ">"


def _order(dtype):
    if dtype.byteorder in "<>":
        return dtype.byteorder
    return "<" if sys.byteorder == "little" else ">"


def _hex(data):
    return str(binascii.hexlify(data).decode("ascii"))
