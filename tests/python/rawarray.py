"""Reads and writes RawArray files (.ra) without the library: nothing but NumPy and the format's description.

`read`: takes frames, each a whole .ra file, and prints for each one frame with the elements as np.save writes them, and one with the
metadata. `write`: prints for each case a frame with its name, one with the .ra file, and one with what np.save makes of the array in
Fortran order.
"""

import struct
import sys

import numpy as np
from frames import frame, saved


def frames(stream):
    while length := stream.read(4):
        yield stream.read(struct.unpack("<I", length)[0])


def decompress(block):
    """A block of LZ4."""
    out, at = bytearray(), 0

    def extended(length):
        nonlocal at
        if length == 15:
            more = 255
            while more == 255:
                more = block[at]
                at += 1
                length += more
        return length

    while True:
        token = block[at]
        at += 1
        literals = extended(token >> 4)
        out += block[at : at + literals]
        at += literals
        if at == len(block):
            return bytes(out)
        back = block[at] | block[at + 1] << 8
        at += 2
        for _ in range(extended(token & 15) + 4):
            out.append(out[-back])


def dtype_of(kind, width, order):
    letter = {1: "i", 2: "u", 3: "f", 4: "c"}.get(kind)
    if letter is None or (letter in "iu" and width == 16) or (letter == "c" and width == 4):
        return np.dtype(f"V{width}")
    return np.dtype(f"{order}{letter}{width}")


def read(file):
    assert file[:8] == b"rawarray"
    flags, kind, width, size, ndims = struct.unpack_from("<5Q", file, 8)
    dims = struct.unpack_from(f"<{ndims}Q", file, 48)
    begin = 48 + 8 * ndims
    data = file[begin : begin + size]
    if flags & 2:
        data = decompress(data)
    dtype = dtype_of(kind, width, ">" if flags & 1 else "<")
    array = np.frombuffer(data, dtype=dtype).reshape(dims[::-1]).transpose()
    return array, file[begin + size :]


def write(array, metadata=b""):
    kind = {"i": 1, "u": 2, "f": 3, "c": 4}.get(array.dtype.kind, 0)
    flags = 1 if array.dtype.str[0] == ">" else 0
    data = array.transpose().tobytes()
    numbers = (flags, kind, array.dtype.itemsize, len(data), array.ndim, *array.shape)
    return b"rawarray" + struct.pack(f"<{len(numbers)}Q", *numbers) + data + metadata


def cases():
    random = np.random.default_rng(7)
    for name in "i1 i2 i4 i8 u1 u2 u4 u8 f2 f4 f8 f16 c8 c16 c32 S3 V5".split():
        for order in "<>":
            dtype = np.dtype(order + name) if name[0] not in "SV" and name[1:] != "1" else np.dtype(name)
            for shape in [(), (0,), (5,), (3, 4), (4, 1, 3), (2, 3, 4, 5), (2, 0)]:
                items = random.bytes(dtype.itemsize * int(np.prod(shape, dtype=int)))
                array = np.frombuffer(items, dtype=dtype).reshape(shape)
                yield array
                if len(shape) > 1:
                    yield array.transpose()
                    yield array[::-1, ..., ::2]


if sys.argv[1] == "read":
    for file in frames(sys.stdin.buffer):
        array, metadata = read(file)
        frame(saved(array))
        frame(metadata)
else:
    for number, array in enumerate(cases()):
        frame(f"{array.dtype.str} {array.shape}".encode())
        frame(write(array, b"" if number % 2 else b"metadata %d" % number))
        # Not `asfortranarray`, which gives an array without dimensions one. User-defined elements come back as raw bytes.
        plain = np.array(array, order="F")
        frame(saved(plain if array.dtype.kind in "iufc" else plain.view(f"V{array.dtype.itemsize}")))
